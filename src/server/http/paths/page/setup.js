// Setting up a position: checkers by mouse, finger or keys; cube, score and rules. Every change is a link of its own, so that the browser's way
// back undoes it.

import { ask } from "./ask.js";
import { CUBE, THEIR_BAR } from "./draw.js";
import { byId, h } from "./html.js";
import { BAR, copied, empty, OFF, off, onBoard, parseId, printId, START, swapped } from "./position.js";
import { turned } from "./state.js";
import { t } from "./strings.js";

const CUBE_MAX = 1024;
const MONEY = { cube: 1, owner: "centred", length: 0, jacoby: true, beavers: true };
const OWNERS = [["centred", "in the middle"], ["me", "of the player on roll"], ["opponent", "of the opponent"]];
const TOOLS = [["me", "Player on roll"], ["opponent", "Opponent"], ["none", "Remove"]];

// The handlers of a Board, and the tools beside it. `changed` takes the new ID; `redraw` shows a position that is no link yet.
export class SetUp {
  constructor({ changed, redraw, failed, done }) {
    Object.assign(this, { changed, redraw, failed, done, isOpen: false, pending: 0, tool: "me", position: parseId(START), settings: MONEY });
    this.tools = this.#tools();
  }

  // Takes over what the page shows, unless an answer to an older position comes after a newer change.
  show(position, { cube, owner, length, score, crawford, jacoby, beavers }) {
    if (this.pending > 0) return;
    this.position = position;
    this.settings = length > 0 ? { cube, owner, length, score, crawford } : { cube, owner, length, jacoby, beavers };
    this.#fill();
  }

  // Opens the part with cube, score and rules.
  openRules() {
    this.tools.querySelector("details").open = true;
    this.tools.querySelector("#set-length").focus();
  }

  label(place) {
    if (!this.isOpen) return null;
    const { me, opponent } = this.position;
    if (place === CUBE) return `${t("cube")}, ${this.settings.cube}, ${t(OWNERS.find(([owner]) => owner === this.settings.owner)[1])}`;
    if (place === OFF) return t("off: {mine} of the player on roll, {theirs} of the opponent", { mine: off(me), theirs: off(opponent) });
    if (place === BAR) return t("bar of the player on roll, {n}", { n: me[BAR] });
    if (place === THEIR_BAR) return t("bar of the opponent, {n}", { n: opponent[BAR] });
    return t("point {point}, {mine} of the player on roll, {theirs} of the opponent", { point: place + 1, mine: me[place], theirs: opponent[23 - place] });
  }

  // The side and the index of the checkers at a place.
  #at(place, position = this.position) {
    if (place === BAR) return ["me", BAR];
    if (place === THEIR_BAR) return ["opponent", BAR];
    if (place >= OFF) return [null, 0];
    return position.me[place] > 0 ? ["me", place] : ["opponent", 23 - place];
  }

  canLift(place) {
    const [side, index] = this.#at(place);
    return this.isOpen && side !== null && this.position[side][index] > 0;
  }

  targets() {
    return [];
  }

  drop(from, to) {
    const position = copied(this.position);
    const [side, index] = this.#at(from);
    position[side][index] -= 1;
    if (to !== null && to !== OFF && to !== CUBE && !this.#put(position, to, side)) this.failed(t("the point has checkers of the other side"));
    else this.#change(position);
    this.redraw(this.position, this.settings);
  }

  // Adds a checker of a side; false where the other side stands.
  #put(position, place, side) {
    const other = side === "me" ? "opponent" : "me";
    const onBar = place === BAR || place === THEIR_BAR;
    const index = onBar ? BAR : side === "me" ? place : 23 - place;
    if (!onBar && position[other][23 - index] > 0) return false;
    position[side][index] += 1;
    return true;
  }

  activate(place) {
    if (place === CUBE) { this.#turnCube(); return; }
    if (place === OFF) return;
    const position = copied(this.position);
    const [side, index] = this.#at(place, position);
    const isOther = side !== this.tool && position[side][index] > 0;
    if (this.tool === "none" || isOther) {
      // A click on the other side's checkers takes one away, so that the point can change hands.
      if (position[side][index] === 0) return;
      position[side][index] -= 1;
    } else if (off(position[this.tool]) === 0) {
      this.failed(t("all 15 checkers are on the board: take one away first"));
      return;
    } else {
      this.#put(position, place, this.tool);
    }
    this.#change(position);
    this.redraw(this.position, this.settings);
  }

  // Takes a checker away, whatever a click adds.
  takeAway(place) {
    const position = copied(this.position);
    const [side, index] = this.#at(place, position);
    if (side === null || position[side][index] === 0) return false;
    position[side][index] -= 1;
    this.#change(position);
    this.redraw(this.position, this.settings);
    return true;
  }

  #change(position) {
    this.failed("");
    this.position = position;
    this.#changed();
  }

  // One after the other: in the middle, 2 of either, 4 of either, …
  #turnCube() {
    const { cube, owner } = this.settings;
    if (owner === "me") this.settings.owner = "opponent";
    else this.settings = { ...this.settings, owner: cube >= 64 ? "centred" : "me", cube: cube >= 64 ? 1 : 2 * cube };
    this.#fill();
    this.#changed();
  }

  async #changed() {
    this.pending += 1;
    try {
      const question = { position: printId(this.position), settings: this.settings };
      const { xgid } = await ask("convert", question);
      // Of several changes at once only the last is a link.
      if (this.pending === 1) this.changed(xgid);
    } catch (error) {
      this.failed(error.message);
    } finally {
      this.pending -= 1;
    }
  }

  #tools() {
    const option = ([value, label]) => h("option", { value }, t(label));
    const cubes = Array.from({ length: Math.log2(CUBE_MAX) + 1 }, (_, power) => String(2 ** power));
    const stack = ([value, label]) => h("label", {}, h("span", { class: `disc ${{ opponent: "opp", none: "none" }[value] ?? ""}`, "aria-hidden": "true" }),
      h("input", { type: "radio", name: "tool", value, checked: value === this.tool }), t(label), h("output", { class: "note", "data-count": value }));
    const field = (id, label, control) => h("div", { class: "field" }, h("label", { for: id }, t(label)), control);
    const button = (act, label) => h("button", { type: "button", "data-set": act }, t(label));
    const check = (id, label) => h("label", { class: "check" }, h("input", { id, type: "checkbox" }), t(label));
    const tools = h("div", { id: "set-up", class: "choices", role: "group", "aria-label": t("Set up") },
      h("div", { class: "stacks", role: "radiogroup", "aria-label": t("A click adds") }, ...TOOLS.map(stack)),
      h("p", { class: "note" }, t("Click a point to add a checker, drag checkers, drag them off the board to remove them. Click the cube to turn it.")),
      h("div", { class: "row" }, button("start", "Start position"), button("empty", "Empty"), button("swap", "Other side on roll")),
      h("details", {}, h("summary", {}, t("Cube, score, rules")), h("div", { class: "fields" },
        field("set-cube", "Cube", h("select", { id: "set-cube" }, ...cubes.map((value) => option([value, value])))),
        field("set-owner", "Cube owner", h("select", { id: "set-owner" }, ...OWNERS.map(option))),
        field("set-length", "Length, 0: money", h("input", { id: "set-length", type: "number", min: 0, max: 255 })),
        field("set-me", "Points, on roll", h("input", { id: "set-me", type: "number", min: 0, max: 254 })),
        field("set-opponent", "Points, opponent", h("input", { id: "set-opponent", type: "number", min: 0, max: 254 })),
        check("set-crawford", "Crawford game"), check("set-jacoby", "Jacoby rule"), check("set-beavers", "Beavers"))),
      h("p", { class: "error", id: "set-error", role: "status" }),
      h("button", { type: "button", class: "main", "data-set": "done" }, t("Done")));
    tools.addEventListener("change", (event) => {
      event.stopPropagation();
      if (event.target.name === "tool") this.tool = event.target.value;
      else this.#read();
    });
    tools.addEventListener("click", (event) => {
      const act = event.target.closest("[data-set]")?.dataset.set;
      if (!act) return;
      if (act === "done") { this.done(); return; }
      const position = { start: () => parseId(START), empty, swap: () => swapped(this.position) }[act]();
      if (act === "swap") {
        this.settings = turned(this.settings);
        this.#fill();
      }
      this.#change(position);
      this.redraw(this.position, this.settings);
    });
    return tools;
  }

  #fill() {
    const { cube, owner, length, score = [0, 0], crawford = false, jacoby = false, beavers = false } = this.settings;
    const values = { cube, owner, length, me: score[0], opponent: score[1] };
    for (const [name, value] of Object.entries(values)) this.tools.querySelector(`#set-${name}`).value = value;
    for (const [name, value] of Object.entries({ crawford, jacoby, beavers })) this.tools.querySelector(`#set-${name}`).checked = value;
    for (const name of ["me", "opponent", "crawford"]) this.tools.querySelector(`#set-${name}`).disabled = length === 0;
    for (const name of ["jacoby", "beavers"]) this.tools.querySelector(`#set-${name}`).disabled = length > 0;
    for (const side of ["me", "opponent"]) {
      this.tools.querySelector(`[data-count=${side}]`).textContent = t("{n} on the board", { n: onBoard(this.position[side]) });
    }
  }

  #read() {
    const [cube, length, me, opponent] = ["cube", "length", "me", "opponent"].map((name) => Number(byId(`set-${name}`).value));
    const isOn = (name) => byId(`set-${name}`).checked;
    const owner = cube === 1 ? "centred" : byId("set-owner").value;
    this.settings = length > 0
      ? { cube, owner, length, score: [me, opponent], crawford: isOn("crawford") }
      : { cube, owner, length, jacoby: isOn("jacoby"), beavers: isOn("beavers") };
    this.#fill();
    this.redraw(this.position, this.settings);
    this.#changed();
  }
}
