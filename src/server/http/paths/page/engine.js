// The engine's side of a match, and its advice to the person: everything through the HTTP API.

import { ask, rollout } from "./ask.js";
import {
  canDouble, canRaise, CUBE_MAX, currentGame, ENGINE, kindMax, levelOf, levelSettings, offered, PERSON, positionFor, settingsFor, VARIANTS, variantOf,
} from "./game.js";

// Look-ahead of hints and of the tutor.
const ADVICE_PLIES = 2;
// A smaller chance than this is none, for a resignation.
const NO_CHANCE = 0.0001;
// No person resigns with a larger static chance to win: at most 0.03 points are given away (LV-13).
const RESIGNED_WIN_MAX = 0.3;
const ROLLOUT_PLIES = 0;
// Chances of lost positions are off by less.
const EQUITY_ERROR = 0.001;

// Throws the server's sentence if it cannot answer for a variant, whose table it may lack.
export const checkVariant = (variant) => ask("eval", { position: VARIANTS[variant].start, settings: { variant, plies: 0 } });

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

// The cube decision of the player who doubles, with look-ahead. After a beaver it is that of turning the cube once more, as its owner.
function cubeOf(game, more, signal) {
  const settings = { ...settingsFor(game, game.turn), ...more };
  const turns = game.phase === "doubled" ? offered(game).turns : 1;
  if (turns > 1) Object.assign(settings, { cube: offered(game).value / 2, owner: "me" });
  return ask("cube", { position: positionFor(game, game.turn), settings }, signal);
}

export const advisedCube = (game, signal) => cubeOf(game, { plies: ADVICE_PLIES }, signal);

export async function enginePlay(game, signal) {
  const level = levelOf(game);
  const position = positionFor(game, ENGINE);
  const settings = settingsFor(game, ENGINE);
  const { top = 1, ...rolled } = level.rollout ?? {};
  const { plays } = await ask("move", { position, roll: game.dice, settings: { ...settings, filter: "auto", ...levelSettings(game), top } }, signal);
  if (!level.rollout || plays.length < 2) return plays[0];
  let best = plays[0].play;
  const question = {
    position, roll: game.dice, plays: plays.map((play) => play.play),
    settings: { ...settings, plies: ROLLOUT_PLIES, ...rolled },
  };
  await rollout(question, (report) => { best = report.candidates[0].play; }, signal);
  return plays.find((play) => play.play === best) ?? plays[0];
}

// The engine's cube decision at its level: before its roll, or for an offer of the person.
const cubeAtLevel = (game, signal) => cubeOf(game, levelSettings(game), signal);

// The engine's answer to a turned cube: "raise" (a beaver or a raccoon), "take" or "pass", whichever loses least; to a double at an
// error rate that of a person.
export async function engineAnswers(game, signal) {
  const decision = await cubeAtLevel(game, signal);
  const losses = answerLosses(game, decision);
  if (levelSettings(game).pr !== undefined && offered(game).turns === 1 && losses.raise !== 0) return decision.take ? "take" : "pass";
  return ["take", "raise", "pass"].find((answer) => losses[answer] === 0);
}

function valueFor(game, player, signal) {
  const settings = { ...settingsFor(game, player), plies: 0 };
  return ask("eval", { position: positionFor(game, player), settings }, signal);
}

// The engine's turn before its roll: the resignation that it offers (0 for none, else 1 to 3; once a game), and whether it doubles. A cube decision is
// asked for only where the engine may double, or where a person might resign.
export async function engineTurn(game, signal) {
  const decision = canDouble(game, ENGINE) ? await cubeAtLevel(game, signal) : null;
  const resigns = currentGame(game).refused ? 0 : await engineResigns(game, decision, signal);
  return { resigns: Math.min(kindMax(game), resigns), doubles: decision?.double ?? false };
}

// At an error rate the resignation is that of a person.
async function engineResigns(game, decision, signal) {
  const isPerson = levelSettings(game).pr !== undefined;
  if (isPerson && decision) return decision.resign;
  const { probabilities: chance } = await valueFor(game, ENGINE, signal);
  if (isPerson) {
    if (chance.win > RESIGNED_WIN_MAX) return 0;
    // The cube does not matter here, and there is no decision while the person owns it or it cannot be turned further.
    const { owner, cube } = settingsFor(game, ENGINE);
    const asked = { ...(owner === "opponent" ? { owner: "me" } : {}), cube: Math.min(cube, CUBE_MAX / 2) };
    return (await cubeOf(game, { ...levelSettings(game), ...asked }, signal)).resign;
  }
  const isSure = (value) => value < NO_CHANCE || value > 1 - NO_CHANCE;
  if (chance.win > NO_CHANCE || !isSure(chance.lose_gammon) || !isSure(chance.lose_backgammon)) return 0;
  return 1 + Math.round(chance.lose_gammon) + Math.round(chance.lose_backgammon);
}

const equityOf = ({ equity: { cubeful, cubeless } }) => cubeful ?? cubeless;

// True if a resignation costs the person at least what playing on does. The values of lost positions say what a gammon costs at the score.
export async function engineAccepts(game, signal) {
  const { kind } = game.offer;
  const settings = { ...settingsFor(game, PERSON), plies: 0 };
  const lost = kind === 1 ? -1 : equityOf(await ask("eval", { position: variantOf(game).lost[kind], settings }, signal));
  return equityOf(await valueFor(game, PERSON, signal)) >= lost - EQUITY_ERROR;
}

// What each answer to a turned cube loses, in units of the cube before its last turn. A beaver keeps the cube and doubles what is at stake, so that
// it is right while the doubler stands below 0, and a raccoon while the doubler stands above.
export function answerLosses(game, { double_take: taken }) {
  const { turns } = offered(game);
  const sign = turns % 2 === 1 ? 1 : -1;
  const costs = { take: sign * taken, pass: 1, ...(canRaise(game) ? { raise: sign * 2 * taken } : {}) };
  const least = Math.min(...Object.values(costs));
  return Object.fromEntries(Object.entries(costs).map(([answer, cost]) => [answer, cost - least]));
}

// The equity that a cube action loses (ANA-02); no_double and double_take are those of the doubler.
export function cubeLoss(action, { no_double: none, double_take: taken }, withBeavers = false) {
  const doubled = Math.min(taken, 1, withBeavers ? 2 * taken : taken);
  const losses = { roll: doubled - none, double: none - doubled, take: taken - doubled, pass: 1 - doubled, beaver: 2 * taken - doubled };
  return Math.max(0, losses[action]);
}
