// The engine's side of a match, and its advice to the person: everything through the HTTP API.

import { ask, rollout } from "./api.js";
import { canDouble, ENGINE, levelOf, PERSON, positionFor, settingsFor } from "./game.js";

// Look-ahead of hints and of the tutor.
const ADVICE_PLIES = 2;
// A smaller chance than this is none, for a resignation.
const NO_CHANCE = 0.0001;
const ROLLOUT_PLIES = 0;

// All legal plays of the player on roll, best first: at once, without look-ahead.
export async function legalPlays(game, signal) {
  const question = { position: positionFor(game, game.turn), roll: game.dice, settings: { ...settingsFor(game, game.turn), plies: 0, top: 0 } };
  return (await ask("move", question, signal)).plays;
}

// The same with look-ahead.
export async function advisedPlays(game, signal) {
  const settings = { ...settingsFor(game, PERSON), plies: ADVICE_PLIES, top: 0 };
  return (await ask("move", { position: positionFor(game, PERSON), roll: game.dice, settings }, signal)).plays;
}

// The cube decision of the player who doubles, with look-ahead.
export function advisedCube(game, signal) {
  const settings = { ...settingsFor(game, game.turn), plies: ADVICE_PLIES };
  return ask("cube", { position: positionFor(game, game.turn), settings }, signal);
}

// The engine's play at its level.
export async function enginePlay(game, signal) {
  const level = levelOf(game);
  const position = positionFor(game, ENGINE);
  const settings = settingsFor(game, ENGINE);
  const { top = 1, ...rolled } = level.rollout ?? {};
  const { plays } = await ask("move", { position, roll: game.dice, settings: { ...settings, ...level.settings, top } }, signal);
  if (!level.rollout || plays.length < 2) return plays[0];
  let best = plays[0].play;
  const question = {
    position, roll: game.dice, plays: plays.map((play) => play.play),
    settings: { ...settings, plies: ROLLOUT_PLIES, ...rolled },
  };
  await rollout(question, (report) => { best = report.candidates[0].play; }, signal);
  return plays.find((play) => play.play === best) ?? plays[0];
}

// The engine's cube decision: as doubler, or for the person's double.
async function cubeAtLevel(game, signal) {
  const settings = { ...settingsFor(game, game.turn), ...levelOf(game).settings };
  return ask("cube", { position: positionFor(game, game.turn), settings }, signal);
}

export async function engineDoubles(game, signal) {
  return canDouble(game, ENGINE) && (await cubeAtLevel(game, signal)).double;
}

export async function engineTakes(game, signal) {
  return (await cubeAtLevel(game, signal)).take;
}

function valueFor(game, player, signal) {
  const settings = { ...settingsFor(game, player), plies: 0 };
  return ask("eval", { position: positionFor(game, player), settings }, signal);
}

// The resignation that the engine offers before its roll: 0 for none, else 1 to 3.
export async function engineResigns(game, signal) {
  const { probabilities: chance } = await valueFor(game, ENGINE, signal);
  const isSure = (value) => value < NO_CHANCE || value > 1 - NO_CHANCE;
  if (chance.win > NO_CHANCE || !isSure(chance.lose_gammon) || !isSure(chance.lose_backgammon)) return 0;
  return 1 + Math.round(chance.lose_gammon) + Math.round(chance.lose_backgammon);
}

// True if the engine is content with the points of a resignation.
export async function engineAccepts(game, signal) {
  const { equity, probabilities: chance } = await valueFor(game, PERSON, signal);
  const cubeless = 2 * chance.win - 1 - chance.lose_gammon - chance.lose_backgammon + chance.win_gammon + chance.win_backgammon;
  return -(equity.cubeful ?? cubeless) <= game.offer.kind + NO_CHANCE;
}

// The equity that a cube action loses (ANA-02); no_double and double_take are those of the doubler.
export function cubeLoss(action, { no_double: none, double_take: taken }) {
  const doubled = Math.min(taken, 1);
  const losses = { roll: doubled - none, double: none - doubled, take: taken - 1, pass: 1 - taken };
  return Math.max(0, losses[action]);
}
