// A board on which a person makes a legal play: by click, by drag, or typed.

import { Board, DICE } from "./board.js";
import { BAR, OFF, playTyped } from "./position.js";
import { t } from "./strings.js";

// `current` returns the turn, or null when there is nothing to move; `position` what is on the board then; `moved` is called after every step.
export function turnBoard(place, { current, position, moved, dice = null }) {
  const move = (chain) => {
    const turn = current();
    if (turn === null) return;
    if (chain) turn.take(chain);
    moved();
  };
  return new Board(place, {
    label: (point) => (point === DICE && dice !== null ? t("dice") : pointLabel(point, current()?.position ?? position())),
    canLift: (point) => current() !== null && point <= BAR && current().options().some((option) => option.from === point),
    targets: (point) => current().targets(point),
    activate: (point) => (point === DICE ? dice() : move(current()?.clicked(point))),
    drop: (from, to) => move(to === null ? null : current()?.path(from, to)),
  });
}

export function pointLabel(point, { me, opponent }) {
  const yours = (n) => (n === 0 ? "" : t(", {n} yours", { n }));
  if (point === BAR) return t("your bar") + yours(me[BAR]);
  if (point === OFF) return t("borne off");
  if (point > OFF) return null;
  const theirs = opponent[23 - point] === 0 ? "" : t(", {n} of the opponent", { n: opponent[23 - point] });
  return t("point {point}", { point: point + 1 }) + yours(me[point]) + theirs;
}

// Puts a typed play on the board; returns the reason if it is no legal one.
export function type(turn, text, roll) {
  const plays = [...turn.finals.values()];
  while (turn.steps.length > 0) turn.undo();
  const found = playTyped(text, turn.position, plays);
  if (!found) return t("\"{text}\" is no legal play of {roll}, want one such as {play}", { text, roll: roll.join(""), play: plays[0].play || t("no play") });
  turn.jump(found);
  return "";
}
