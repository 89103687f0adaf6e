// A board on which a person makes a legal play: by click, by drag, or typed.

import { Board } from "./board.js";
import { BAR, OFF, playTyped } from "./position.js";

// `current` returns the turn, or null when there is nothing to move; `position` what is on the board then; `moved` is called after every step.
export function turnBoard(place, { current, position, moved }) {
  const move = (chain) => {
    const turn = current();
    if (turn === null) return;
    if (chain) turn.take(chain);
    moved();
  };
  return new Board(place, {
    label: (point) => pointLabel(point, current()?.position ?? position()),
    canLift: (point) => current() !== null && point <= BAR && current().options().some((option) => option.from === point),
    targets: (point) => current().targets(point),
    activate: (point) => move(current()?.clicked(point)),
    drop: (from, to) => move(to === null ? null : current()?.path(from, to)),
  });
}

function pointLabel(point, { me, opponent }) {
  const words = (count, whose) => (count === 0 ? "" : `, ${count} ${whose}`);
  if (point === BAR) return `your bar${words(me[BAR], "yours")}`;
  if (point === OFF) return "borne off";
  if (point > OFF) return null;
  return `point ${point + 1}${words(me[point], "yours")}${words(opponent[23 - point], "of the opponent")}`;
}

// Puts a typed play on the board; returns the reason if it is no legal one.
export function type(turn, text, roll) {
  const plays = [...turn.finals.values()];
  while (turn.steps.length > 0) turn.undo();
  const found = playTyped(text, turn.position, plays);
  if (!found) return `"${text}" is no legal play of ${roll.join("")}, want one such as ${plays[0].play || "none"}`;
  turn.jump(found);
  return "";
}
