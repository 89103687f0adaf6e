// Positions: the Position ID, single steps of checkers, and which of them lead to a legal play. A position is seen by one player: me and opponent
// hold the checkers of each on its own points, index 0 the ace point, 23 the 24 point, 24 the bar.

import { t } from "./strings.js";

export const BAR = 24;
export const OFF = 25;
export const CHECKERS = 15;
const KEY_BYTES = 10;
export const START = "4HPwATDgc/ABMA";

export const swapped = ({ me, opponent }) => ({ me: opponent, opponent: me });
export const copied = ({ me, opponent }) => ({ me: [...me], opponent: [...opponent] });
export const pips = (side) => side.reduce((sum, count, index) => sum + count * (index + 1), 0);
export const onBoard = (side) => side.reduce((sum, count) => sum + count, 0);
// Checkers of a side at the start of a variant.
export const checkersIn = (variant = "") => (variant.startsWith("hypergammon") ? Number(variant.slice("hypergammon".length) || 3) : CHECKERS);
// `checkers` is what a side has at the start.
export const off = (side, checkers = CHECKERS) => checkers - onBoard(side);
export const empty = () => ({ me: Array(25).fill(0), opponent: Array(25).fill(0) });

// Reads a Position ID (PID-03 to PID-10).
export function parseId(id) {
  const bytes = atob(`${id}==`);
  const bits = [...bytes].slice(0, KEY_BYTES).flatMap((byte) => [...Array(8).keys()].map((bit) => (byte.charCodeAt(0) >> bit) & 1));
  const sides = [Array(25).fill(0), Array(25).fill(0)];
  let place = 0;
  for (const bit of bits) {
    if (place >= 50) break;
    if (bit === 1) sides[place < 25 ? 0 : 1][place % 25] += 1;
    else place += 1;
  }
  return { opponent: sides[0], me: sides[1] };
}

export function printId({ me, opponent }) {
  const bits = [...opponent, ...me].flatMap((count) => [...Array(count).fill(1), 0]);
  const bytes = Array(KEY_BYTES).fill(0);
  bits.forEach((bit, at) => { bytes[at >> 3] |= bit << (at & 7); });
  return btoa(String.fromCharCode(...bytes)).slice(0, 14);
}

// Finds a position in the text of a file or the clipboard; null if it has none of the forms that stand inside others.
export function positionIn(text) {
  const forms = [
    /XGID=[^\s"]+/, /board:[^\s"]+/, /OGID[=:][^\s"]+/, /(?<![^\s"'`(])[0-9a-q]{0,15}:[0-9a-q]{0,15}:[NWBD?][0-9]+[NOTP][^\s"'`)]*/,
    /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}(?![A-Za-z0-9+/])/, /^\s*\d+;(?:[^;\n]*;){38}\d+/m,
  ];
  for (const form of forms) {
    const found = form.exec(text);
    if (found) return found[0].trim();
  }
  // gnubg and BGBlitz write each of the two IDs behind its name.
  const behindName = (length) => new RegExp(`ID\\s*[:\uff1a]\\s*([A-Za-z0-9+/]{${length}})(?![A-Za-z0-9+/])`).exec(text)?.[1];
  const [position, match] = [behindName(14), behindName(12)];
  if (position === undefined) return null;
  return match === undefined ? position : `${position}:${match}`;
}

// Moves one checker of `me` by one die; null where the rules of a single step forbid it.
export function step(position, from, die) {
  const { me, opponent } = position;
  if (me[from] === 0 || (me[BAR] > 0 && from !== BAR)) return null;
  const to = from - die;
  if (to >= 0) {
    if (opponent[23 - to] > 1) return null;
  } else if (me.some((count, index) => count > 0 && (index > 5 || (to < -1 && index > from)))) {
    return null;
  }
  const after = copied(position);
  after.me[from] -= 1;
  const hit = to >= 0 && opponent[23 - to] === 1;
  if (to >= 0) after.me[to] += 1;
  if (hit) {
    after.opponent[23 - to] = 0;
    after.opponent[BAR] += 1;
  }
  return { from, to: to < 0 ? OFF : to, die, hit, position: after };
}

// The way from a position to the legal plays of a roll, step by step. The server says which plays are legal.
export class Turn {
  // plays: those of /v1/move, all of them.
  constructor(position, roll, plays) {
    this.steps = [];
    this.position = position;
    this.dice = roll[0] === roll[1] ? Array(4).fill(roll[0]) : [...roll];
    this.finals = new Map(plays.map((play) => [play.position, play]));
    this.known = new Map();
  }

  // The legal play that is on the board; undefined before it is complete.
  get play() {
    return this.finals.get(printId(swapped(this.position)));
  }

  // The steps that lead on to a legal play.
  options(position = this.position, dice = this.dice) {
    const key = printId(position) + dice.join("");
    if (!this.known.has(key)) {
      const found = [];
      for (const die of new Set(dice)) {
        const rest = [...dice];
        rest.splice(rest.indexOf(die), 1);
        for (let from = BAR; from >= 0; from -= 1) {
          const taken = step(position, from, die);
          if (taken === null) continue;
          const isEnd = this.finals.has(printId(swapped(taken.position)));
          if (isEnd || this.options(taken.position, rest).length > 0) found.push({ ...taken, rest });
        }
      }
      this.known.set(key, found);
    }
    return this.known.get(key);
  }

  // The shortest chain of steps of one checker between two places.
  path(from, to, position = this.position, dice = this.dice) {
    const options = this.options(position, dice).filter((option) => option.from === from);
    const direct = options.find((option) => option.to === to);
    if (direct) return [direct];
    const chains = options
      .filter((option) => option.to !== OFF)
      .map((option) => [option, this.path(option.to, to, option.position, option.rest)])
      .filter(([, chain]) => chain !== null)
      .map(([option, chain]) => [option, ...chain]);
    return chains.sort((one, other) => one.length - other.length)[0] ?? null;
  }

  targets(from) {
    return [...Array(24).keys(), OFF].filter((to) => this.path(from, to) !== null);
  }

  take(chain) {
    for (const option of chain) {
      this.steps.push({ ...option, before: this.position, diceBefore: this.dice });
      this.position = option.position;
      this.dice = option.rest;
    }
  }

  jump(play) {
    this.steps.push({ before: this.position, diceBefore: this.dice });
    this.position = swapped(parseId(play.position));
    this.dice = [];
  }

  undo() {
    const last = this.steps.pop();
    if (!last) return;
    this.position = last.before;
    this.dice = last.diceBefore;
  }

  // Turns the order of two different dice round: a click takes the first that it can.
  turnDice() {
    this.dice = [...this.dice].reverse();
  }

  // The chain for a click on a point: by the first die that leads on.
  clicked(from) {
    const options = this.options().filter((option) => option.from === from);
    for (const die of this.dice) {
      const found = options.find((option) => option.die === die);
      if (found) return [found];
    }
    return null;
  }
}

// The single steps of a play's text: "13/11(2) 24/20*/15 bar/22 6/off".
export function stepsOf(text) {
  const point = (word) => ({ bar: 25, off: 0 })[word] ?? Number(word);
  const steps = [];
  for (const word of text.toLowerCase().split(/\s+/).filter((part) => part !== "")) {
    const [, chain, times] = /^([^(]*)(?:\((\d)\))?$/.exec(word) ?? [];
    const places = (chain ?? "").split(/[/-]/).map((place) => [point(place.replace("*", "")), place.includes("*")]);
    if (places.length < 2 || places.some(([at]) => !(at >= 0 && at <= 25))) return null;
    for (let time = 0; time < Number(times ?? 1); time += 1) {
      for (let at = 1; at < places.length; at += 1) steps.push({ from: places[at - 1][0], to: places[at][0], hit: places[at][1] });
    }
  }
  return steps;
}

// The legal play that a person typed: whatever the order and the spelling, its position counts.
export function playTyped(text, position, plays) {
  const steps = stepsOf(text);
  if (steps === null) return undefined;
  const { me, opponent } = copied(position);
  for (const { from, to } of steps) {
    if (from === 0 || me[from - 1] === 0) return undefined;
    me[from - 1] -= 1;
    if (to > 0) {
      me[to - 1] += 1;
      if (opponent[24 - to] === 1) {
        opponent[24 - to] = 0;
        opponent[BAR] += 1;
      }
    }
  }
  const id = printId({ me: opponent, opponent: me });
  return plays.find((play) => play.position === id);
}

// A side in words; points have the numbers of `me`.
function sideInWords(side, turned, checkers) {
  const parts = [];
  for (let index = BAR; index >= 0; index -= 1) {
    if (side[index] === 0) continue;
    const n = side[index];
    parts.push(index === BAR ? t("{n} on the bar", { n }) : t("{n} on point {point}", { n, point: turned ? 24 - index : index + 1 }));
  }
  const borneOff = off(side, checkers);
  if (borneOff > 0) parts.push(t("{n} off", { n: borneOff }));
  return `${parts.join(", ")}; ${t("{n} pips", { n: pips(side) })}`;
}

export function inWords({ me, opponent }, names, checkers = CHECKERS) {
  return `${names[0]}: ${sideInWords(me, false, checkers)}. ${names[1]}: ${sideInWords(opponent, true, checkers)}.`;
}
