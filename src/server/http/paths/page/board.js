// A board to touch: the drawing, with areas over it that take the pointer and the keys.

import { area, arrows, borneOff, checker, checkersOf, CUBE, cube, DICE, dice, emptyBoard, HEIGHT, MIDDLE, node, ring, THEIR_BAR, WIDTH } from "./draw.js";
import { BAR, checkersIn, OFF } from "./position.js";
import * as sound from "./sound.js";

export { CUBE, DICE, THEIR_BAR };
const PLACES = [...Array(24).keys(), BAR, OFF, THEIR_BAR, CUBE, DICE];
// The pointer moved by less, in units of the drawing, is a click.
const DRAG_MIN = 8;
const MOVE_MS = 200;
// More checkers at once are another position, and no play.
const MOVED_MAX = 8;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

// Calls `handlers`: label(place) names a place, or returns null if it takes no part; canLift(place) and targets(place) are for dragging; activate(place)
// and drop(from, to) act. A null `to` lies off the board.
export class Board {
  constructor(place, handlers) {
    this.place = place;
    this.handlers = handlers;
    this.clockwise = false;
    this.focused = null;
    this.drag = null;
    this.shown = null;
    this.dropped = false;
    place.addEventListener("pointerdown", (event) => this.#down(event));
    place.addEventListener("pointermove", (event) => this.#move(event));
    place.addEventListener("pointerup", (event) => this.#up(event));
    place.addEventListener("pointercancel", () => this.#endDrag());
    place.addEventListener("contextmenu", (event) => this.#menu(event));
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("focusin", (event) => this.#mark(event.target));
    place.addEventListener("pointerover", (event) => { if (this.drag === null) this.#mark(event.target); });
    place.addEventListener("focusout", () => this.#unmark());
    place.addEventListener("pointerleave", () => { if (this.drag === null) this.#unmark(); });
  }

  // Draws a position with the state { cube, owner, crawford, variant } of its settings. `rest` are the dice that are left to play, `theirDice`
  // stands for dice of the opponent, `play` has arrows; `marked` are places where a checker has landed; `offered` is the cube { value, offeredBy }
  // of a double without an answer; `label` describes the board in words.
  show(position, { cube: value = 1, owner = "centred", crawford = false, variant } = {},
    { roll = null, rest = null, theirDice = null, play = null, marked = [], offered = null, label = "" } = {}) {
    const { clockwise } = this;
    const svg = node("svg", { class: "board", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label });
    const stones = checkersOf(position, clockwise);
    const drawn = stones.map((one) => [one, checker(one)]);
    svg.append(...emptyBoard(clockwise), ...borneOff(position, checkersIn(variant), clockwise), ...drawn.map(([, element]) => element));
    if (roll) svg.append(...dice(roll, rest, true, clockwise));
    if (theirDice) svg.append(...dice(theirDice, null, false, clockwise));
    if (!crawford) svg.append(cube(offered ?? { value, owner }, clockwise));
    for (const at of marked) svg.append(ring("landed", at, position, clockwise));
    if (play) svg.append(arrows(position, play, clockwise));
    this.position = position;
    this.owner = owner;
    svg.append(...this.#hits(Boolean(roll)));
    const hadFocus = this.place.contains(document.activeElement);
    this.#unmark();
    this.place.replaceChildren(svg);
    this.place.setAttribute("aria-busy", "false");
    this.svg = svg;
    const rolled = (roll ?? theirDice)?.join() ?? "";
    if (this.shown !== null && rolled !== "" && rolled !== this.shown.rolled) sound.dice();
    this.#animate(drawn);
    this.shown = { stones, clockwise, rolled };
    // A click or drag on the way goes on with the new checkers.
    if (this.drag?.checker) Object.assign(this.drag, { checker: this.#topChecker(this.drag.from), isMoving: false });
    if (hadFocus) this.#hit(this.focused)?.focus({ preventScroll: true });
  }

  // Lets the checkers that have moved go their way.
  #animate(drawn) {
    const before = this.shown;
    if (before === null || before.clockwise !== this.clockwise) return;
    const key = ({ mine, x, y }) => `${mine} ${x} ${y}`;
    const old = new Map(before.stones.map((one) => [key(one), one]));
    const moved = drawn.filter(([one]) => !old.delete(key(one)));
    if (moved.length > MOVED_MAX) return;
    sound.checkers(Math.ceil(moved.length / 2));
    const wasDropped = this.dropped;
    this.dropped = false;
    if (isStill.matches || wasDropped) return;
    const left = [...old.values()];
    for (const [one, element] of moved) {
      const at = left.findIndex(({ mine }) => mine === one.mine);
      if (at < 0) continue;
      const [from] = left.splice(at, 1);
      const to = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` });
      element.animate([to(from), to(one)], { duration: MOVE_MS, easing: "ease-out" });
    }
  }

  // One place has the tab stop; the arrow keys go from place to place.
  #hits(hasDice) {
    const labels = PLACES.filter((place) => place !== DICE || hasDice)
      .map((place) => [place, this.handlers.label(place)]).filter(([, label]) => label !== null);
    if (!labels.some(([place]) => place === this.focused)) this.focused = labels[0]?.[0] ?? null;
    return labels.map(([place, label]) => {
      const rect = node("rect", { ...this.#area(place), class: "hit", role: "button", "aria-label": label, "data-place": place });
      rect.setAttribute("tabindex", place === this.focused ? "0" : "-1");
      if (this.handlers.canLift(place)) rect.classList.add("live");
      return rect;
    });
  }

  #area(place) {
    return area(place, this.clockwise, this.owner);
  }

  #hit(place) {
    return this.place.querySelector(`[data-place="${place}"]`);
  }

  #placeOf(element) {
    const text = element.closest?.("[data-place]")?.dataset.place;
    return text === undefined ? null : Number(text);
  }

  #mark(element) {
    const from = this.#placeOf(element);
    this.#unmark();
    if (from === null || !this.handlers.canLift(from)) return;
    for (const to of this.handlers.targets(from)) {
      this.#hit(to)?.classList.add("target");
      this.svg.insertBefore(ring("goal", to, this.position, this.clockwise), this.svg.querySelector(".hit"));
    }
  }

  #unmark() {
    for (const hit of this.place.querySelectorAll(".target")) hit.classList.remove("target");
    for (const goal of this.place.querySelectorAll("svg > .goal")) goal.remove();
  }

  // Client coordinates in units of the drawing.
  #at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  // The place under a point of the drawing; points reach to the middle.
  #placeAt({ x, y }) {
    return PLACES.findLast((place) => {
      if (this.#hit(place) === null && place >= THEIR_BAR) return false;
      const box = this.#area(place);
      const isBelow = place < 12 || place === BAR || place === OFF;
      const isIn = x >= box.x && x < box.x + box.width;
      if (place === CUBE || place === DICE) return isIn && y >= box.y && y < box.y + box.height;
      return isIn && y >= 0 && y <= HEIGHT && isBelow === y > MIDDLE;
    }) ?? null;
  }

  // The checker that lies on top of a place.
  #topChecker(place) {
    const at = this.shown.stones.findLastIndex((one) => one.place === place);
    return at < 0 ? null : this.svg.querySelectorAll(".checker")[at];
  }

  #down(event) {
    const from = this.#placeOf(event.target);
    if (from === null || event.button !== 0 || !this.svg) return;
    this.focused = from;
    this.drag = { from, start: this.#at(event), checker: null, isMoving: false };
    if (!this.handlers.canLift(from)) return;
    this.place.setPointerCapture(event.pointerId);
    this.drag.checker = this.#topChecker(from);
    this.#mark(event.target);
  }

  #move(event) {
    const { drag } = this;
    if (drag === null || drag.checker === null) return;
    const at = this.#at(event);
    if (!drag.isMoving && Math.hypot(at.x - drag.start.x, at.y - drag.start.y) < DRAG_MIN) return;
    if (!drag.isMoving) {
      drag.isMoving = true;
      drag.checker.classList.add("lifted");
      this.svg.append(drag.checker);
    }
    drag.checker.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  #up(event) {
    const { drag } = this;
    if (drag === null) return;
    this.drag = null;
    this.#unmark();
    if (drag.isMoving) {
      this.dropped = true;
      this.handlers.drop(drag.from, this.#placeAt(this.#at(event)));
    } else if (this.#placeAt(this.#at(event)) === drag.from) {
      this.handlers.activate(drag.from, event.shiftKey);
    }
  }

  #endDrag() {
    this.drag = null;
    this.#unmark();
  }

  // The second mouse button, or a long press.
  #menu(event) {
    const at = this.#placeOf(event.target);
    if (at === null || !this.handlers.other?.(at)) return;
    event.preventDefault();
    this.#endDrag();
  }

  #key(event) {
    const at = this.#placeOf(event.target);
    if (at === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.handlers.activate(at, event.shiftKey);
      return;
    }
    const hits = [...this.place.querySelectorAll("[data-place]")].map((hit) => this.#placeOf(hit));
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    // The nearest place in the direction of the arrow.
    const middle = (place) => {
      const box = this.#area(place);
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = middle(at);
    const distances = hits.map((place) => {
      const [dx, dy] = middle(place).map((value, axis) => value - [x, y][axis]);
      const along = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      return [place, along > 1 ? along + 2 * aside : Infinity];
    });
    const [next, distance] = distances.sort((one, other) => one[1] - other[1])[0];
    if (distance === Infinity) return;
    this.#hit(at)?.setAttribute("tabindex", "-1");
    this.focused = next;
    this.#hit(next).setAttribute("tabindex", "0");
    this.#hit(next).focus();
  }
}
