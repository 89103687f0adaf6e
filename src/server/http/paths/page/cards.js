// A card of the quiz: { id, kind, position, roll, variant, best, … }. The question in words, the board that the person sees, and the engine's answer.

import { ask } from "./ask.js";
import { parseId, swapped } from "./position.js";
import { cubeTable, playsTable } from "./report.js";
import { ofVariant, stateOf, turned } from "./state.js";
import { t } from "./strings.js";

const PLIES = 2;
const PLAYS_SHOWN = 5;

export const QUESTIONS = { play: "Your play?", double: "Double?", take: "The opponent doubles. Take?", pips: "How many pips?" };

export const questionText = ({ kind, roll }) => `${roll ? `${t("Rolled {roll}.", { roll: roll.join("") })} ` : ""}${t(QUESTIONS[kind])}`;

// The answer to a card's question, with look-ahead.
export function advised(card, signal) {
  const { position, roll, kind } = card;
  const settings = ofVariant({ plies: PLIES }, card);
  const asked = kind === "play" ? ask("move", { position, roll, settings: { ...settings, top: 0 } }, signal) : ask("cube", { position, settings }, signal);
  // The answer is awaited later: without a handler the browser reports a failure before that.
  asked.catch(() => {});
  return asked;
}

// A play of the answer, judged as deep as the best one.
export async function deepened(answer, mine, card, signal) {
  const { position, roll } = card;
  const [{ play: best, plies }] = answer.plays;
  if (mine.plies === plies) return mine;
  const { plays } = await ask("move", { position, roll, plays: [best, mine.play], settings: ofVariant({ plies }, card) }, signal);
  return plays.find(({ play }) => play === mine.play);
}

// What the person sees: { position, settings }. The position of a take is seen by the player who doubles.
export async function viewOf(card) {
  const { position, kind } = card;
  const [start, state] = [parseId(position.slice(0, 14)), await stateOf({ position, settings: ofVariant({}, card) })];
  return kind === "take" ? { position: swapped(start), settings: turned(state) } : { position: start, settings: state };
}

// The best plays and a marked one with its note, or the cube decision.
export function ranking(answer, marked, note) {
  if (!answer.plays) return cubeTable(t("Cube decision"), answer);
  const best = answer.plays.slice(0, PLAYS_SHOWN).map((one) => (one.play === marked?.play ? marked : one));
  return playsTable(t("Plays"), marked && !best.includes(marked) ? [...best, marked] : best, marked, note);
}
