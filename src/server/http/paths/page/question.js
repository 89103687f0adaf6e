// The question of a link: `/?position=…&roll=52&plies=2&length=7&score=3-5`. Every other name is a setting.

import { place } from "./places.js";
import { START } from "./position.js";
import { ofVariant, turned } from "./state.js";

// A setting of a link as JSON has it.
function typed(text) {
  if (text === "on" || text === "off") return text === "on";
  if (text === "true" || text === "false") return text === "true";
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text);
  return /^[0-9]+[-:][0-9]+$/.test(text) ? text.split(/[-:]/).map(Number) : text;
}

export function questionOf({ search }) {
  const { position = "", roll = "", lang, ...texts } = Object.fromEntries(new URLSearchParams(search));
  const settings = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "").map(([name, text]) => [name, typed(text)]));
  // What is no roll is the server's to refuse.
  const dice = /^[1-6][-,]?[1-6]$/.test(roll) ? [Number(roll[0]), Number(roll.at(-1))] : roll || null;
  return { position: position || START, roll: dice, settings };
}

// The settings of /v1/move, which a link may hold (HTTP-110), that other verbs refuse.
const REFUSED = {
  move: /^$/, cube: /^(top|cubeful)$/, rollout: /^(pr|elo|time)$/,
  show: /^(top|pr|elo|seed|level|cubeful|filter|prune|noise|time|queue|priority)$/,
};

export function settingsOf(verb, settings) {
  const refused = REFUSED[verb] ?? /^(top|pr|elo|seed)$/;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !refused.test(name)));
}

const written = (value) => (Array.isArray(value) ? value.join("-") : value === true ? "on" : value === false ? "off" : String(value));

export function link({ position, roll, settings }) {
  const query = new URLSearchParams({ position });
  if (roll) query.set("roll", Array.isArray(roll) ? roll.join("") : roll);
  for (const [name, value] of Object.entries(settings)) query.set(name, written(value));
  return `${place("analyse")}?${query}`;
}

// The settings of a link that say a state; `isTurned` for the other player, who is on roll next.
export function withSettings(state, isTurned = false) {
  const { length, score, crawford, jacoby, beavers, cube, owner, variant } = isTurned ? turned(state) : state;
  const rules = length > 0 ? { length, score, ...(crawford ? { crawford } : {}) } : { length, jacoby, beavers };
  return ofVariant({ ...rules, cube, owner }, { variant });
}
