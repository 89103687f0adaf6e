// A board to touch: the server's own drawing (/v1/show), with places over it that take the pointer and the keys.

import { post } from "./api.js";
import { BAR, OFF } from "./position.js";

// Measures of the drawing, in its own units.
const POINT_WIDTH = 40;
const MARGIN = 46;
const EDGE = 34;
const HEIGHT = 400;
const TOTAL_WIDTH = 612;
const TOTAL_HEIGHT = 468;
const MIDDLE = EDGE + HEIGHT / 2;
const HALF_HEIGHT = HEIGHT / 2 - 24;
const DIE_WIDTH = "34";
const SPOT_RADIUS = "3.2";
// From the dice of the player on roll to those of the opponent, in the other half.
const DICE_SHIFT = -7.4 * POINT_WIDTH;
// The pointer moved by less is a click.
const DRAG_MIN = 6;
const SVG = "http://www.w3.org/2000/svg";
// The bar of the opponent, whose checkers enter from the other side.
export const THEIR_BAR = 26;
export const CUBE = 27;
const PLACES = [...Array(24).keys(), BAR, OFF, THEIR_BAR, CUBE];

// The left edge of a place and its width, for a player who plays to the right.
function across(place) {
  if (place === BAR || place === THEIR_BAR) return [MARGIN + 6 * POINT_WIDTH, POINT_WIDTH];
  if (place === OFF) return [TOTAL_WIDTH - MARGIN, MARGIN];
  if (place === CUBE) return [0, MARGIN];
  const column = place < 12 ? 11 - place : place - 12;
  return [MARGIN + (column + (column >= 6 ? 1 : 0)) * POINT_WIDTH, POINT_WIDTH];
}

function box(place, clockwise) {
  const [left, width] = across(place);
  const x = clockwise ? TOTAL_WIDTH - left - width : left;
  if (place === OFF || place === CUBE) return { x, y: EDGE, width, height: HEIGHT };
  const isBelow = place < 12 || place === BAR;
  return { x, y: isBelow ? MIDDLE + 24 : EDGE, width, height: HALF_HEIGHT };
}

// Calls `handlers`: label(place) names a place, or returns null if it takes no part; canLift(place) and targets(place) are for dragging; activate(place)
// and drop(from, to) act. A null `to` lies off the board.
export class Board {
  constructor(place, handlers) {
    this.place = place;
    this.handlers = handlers;
    this.clockwise = false;
    this.focused = null;
    this.number = 0;
    this.drag = null;
    place.addEventListener("pointerdown", (event) => this.#down(event));
    place.addEventListener("pointermove", (event) => this.#move(event));
    place.addEventListener("pointerup", (event) => this.#up(event));
    place.addEventListener("pointercancel", () => this.#endDrag());
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("focusin", (event) => this.#mark(event.target));
    place.addEventListener("pointerover", (event) => { if (this.drag === null) this.#mark(event.target); });
    place.addEventListener("focusout", () => this.#unmark());
    place.addEventListener("pointerleave", () => { if (this.drag === null) this.#unmark(); });
  }

  // Draws a position. `theirDice` stands for dice of the opponent; `marked` are places to point out; `label` describes the board in words.
  async show(position, settings, { roll = null, theirDice = null, play = null, marked = [], label = "" } = {}) {
    this.number += 1;
    const { number } = this;
    this.place.setAttribute("aria-busy", "true");
    const query = new URLSearchParams();
    if (this.clockwise) query.set("clockwise", "true");
    if (play) query.set("play", play);
    const question = { position, settings };
    const dice = roll ?? theirDice;
    if (dice) question.roll = dice;
    const response = await post(`/v1/show?${query}`, JSON.stringify(question), { accept: "image/svg+xml" });
    // The colours come from board.css: the policy allows no style inside the page.
    const text = (await response.text()).replace(/<style[^<]*<\/style>/, "");
    // A newer drawing may have been faster.
    if (number !== this.number) return;
    const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    svg.querySelector("title")?.remove();
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", label);
    if (theirDice) this.#moveDice(svg);
    svg.append(...this.#hits(marked));
    const hadFocus = this.place.contains(document.activeElement);
    this.#unmark();
    this.place.replaceChildren(svg);
    this.place.setAttribute("aria-busy", "false");
    this.svg = svg;
    // A click or drag on the way goes on with the new checkers.
    if (this.drag?.checker) Object.assign(this.drag, { checker: this.#topChecker(this.drag.from), isMoving: false });
    if (hadFocus) this.#hit(this.focused)?.focus();
  }

  #moveDice(svg) {
    const shift = this.clockwise ? -DICE_SHIFT : DICE_SHIFT;
    for (const part of svg.querySelectorAll(`rect[width="${DIE_WIDTH}"], circle[r="${SPOT_RADIUS}"]`)) {
      part.setAttribute("transform", `translate(${shift})`);
      part.setAttribute("class", part.localName === "rect" ? "e" : "q");
    }
  }

  // One place has the tab stop; the arrow keys go from place to place.
  #hits(marked) {
    const labels = PLACES.map((place) => [place, this.handlers.label(place)]).filter(([, label]) => label !== null);
    if (!labels.some(([place]) => place === this.focused)) this.focused = labels[0]?.[0] ?? null;
    return labels.map(([place, label]) => {
      const rect = document.createElementNS(SVG, "rect");
      const attributes = { ...box(place, this.clockwise), class: "hit", role: "button", "aria-label": label, "data-place": place };
      for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, value);
      rect.setAttribute("tabindex", place === this.focused ? "0" : "-1");
      if (marked.includes(place)) rect.classList.add("marked");
      if (this.handlers.canLift(place)) rect.classList.add("live");
      return rect;
    });
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
    if (from === null) return;
    for (const to of this.handlers.canLift(from) ? this.handlers.targets(from) : []) this.#hit(to)?.classList.add("target");
  }

  #unmark() {
    for (const hit of this.place.querySelectorAll(".target")) hit.classList.remove("target");
  }

  // Client coordinates in units of the drawing.
  #at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  // The place under a point of the drawing; points reach to the middle.
  #placeAt({ x, y }) {
    const isBelow = y > MIDDLE;
    return PLACES.find((place) => {
      const area = box(place, this.clockwise);
      const isIn = x >= area.x && x < area.x + area.width;
      const isHalf = place === OFF || place === CUBE || isBelow === (place < 12 || place === BAR);
      return isIn && isHalf && y >= 0 && y <= TOTAL_HEIGHT;
    }) ?? null;
  }

  // The checker that lies on top of a place.
  #topChecker(place) {
    const area = box(place, this.clockwise);
    const centre = area.x + area.width / 2;
    const circles = [...this.svg.querySelectorAll("circle.m, circle.t")].filter((circle) => {
      const y = Number(circle.getAttribute("cy"));
      const isBelow = place === BAR || (place < 12);
      return Math.abs(Number(circle.getAttribute("cx")) - centre) < 1 && isBelow === y > MIDDLE;
    });
    return circles.at(-1) ?? null;
  }

  #down(event) {
    const from = this.#placeOf(event.target);
    if (from === null || event.button !== 0 || !this.svg) return;
    this.focused = from;
    this.drag = { from, start: this.#at(event), checker: null, isMoving: false };
    if (!this.handlers.canLift(from)) return;
    this.place.setPointerCapture(event.pointerId);
    this.drag.checker = this.#topChecker(from);
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
      for (const to of this.handlers.targets(drag.from)) this.#hit(to)?.classList.add("target");
    }
    drag.checker.setAttribute("cx", at.x);
    drag.checker.setAttribute("cy", at.y);
  }

  #up(event) {
    const { drag } = this;
    if (drag === null) return;
    this.drag = null;
    this.#unmark();
    if (drag.isMoving) this.handlers.drop(drag.from, this.#placeAt(this.#at(event)));
    else if (this.#placeAt(this.#at(event)) === drag.from) this.handlers.activate(drag.from, event.shiftKey);
  }

  #endDrag() {
    this.drag = null;
    this.#unmark();
  }

  #key(event) {
    const at = this.#placeOf(event.target);
    if (at === null) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.handlers.activate(at, event.shiftKey);
      return;
    }
    const hits = [...this.place.querySelectorAll("[data-place]")].map((hit) => this.#placeOf(hit));
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (way === undefined) return;
    event.preventDefault();
    // The nearest place in the direction of the arrow.
    const middle = (place) => {
      const area = box(place, this.clockwise);
      return [area.x + area.width / 2, area.y + area.height / 2];
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
