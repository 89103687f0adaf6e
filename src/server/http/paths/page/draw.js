// The drawing of a board: one SVG. Points have the numbers of the player below; places are the indexes of position.js.

import { BAR, off, OFF, stepsOf } from "./position.js";

// The bar of the opponent, the cube, and the dice of the player on roll.
export const THEIR_BAR = 26;
export const CUBE = 27;
export const DICE = 28;

export const WIDTH = 1012;
export const HEIGHT = 850;
export const MIDDLE = HEIGHT / 2;
const FRAME = 20;
const POINT = 70;
const BAR_WIDTH = 64;
const LEFT = FRAME;
const RIGHT = FRAME + 6 * POINT + BAR_WIDTH;
const TRAY = RIGHT + 6 * POINT + 12;
const TRAY_WIDTH = 60;
const TRAY_HEIGHT = 300;
const RADIUS = 32;
// From here on the checkers of a point lie closer.
const STACK_MAX = 5;
const POINT_HEIGHT = 318;
const DIE = 58;
const DIE_GAP = 74;
const CUBE_SIZE = 58;
const DICE_MINE = RIGHT + 3 * POINT;
const DICE_THEIRS = LEFT + 3 * POINT;
// What a centred cube of 1 shows.
const CUBE_CENTRED = 64;
// How far an arrow between points of the same side bends towards the middle.
const BEND = 130;
const SPOTS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
const SVG = "http://www.w3.org/2000/svg";

export function node(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The middle of a place for a player who plays to the right.
function across(place) {
  if (place === BAR || place === THEIR_BAR) return LEFT + 6 * POINT + BAR_WIDTH / 2;
  if (place === OFF || place === CUBE) return TRAY + TRAY_WIDTH / 2;
  if (place === DICE) return DICE_MINE;
  const fromRight = place < 12 ? place : 23 - place;
  return RIGHT + 6 * POINT - POINT / 2 - fromRight * POINT - (fromRight >= 6 ? BAR_WIDTH : 0);
}

const turned = (x, clockwise) => (clockwise ? WIDTH - x : x);
export const middleOf = (place, clockwise) => turned(across(place), clockwise);

// The area that takes the pointer.
export function area(place, clockwise, cubeOwner = "centred") {
  const x = middleOf(place, clockwise);
  const box = (width, y, height) => ({ x: x - width / 2, y, width, height });
  if (place === OFF) return box(TRAY_WIDTH + 24, MIDDLE + 30, MIDDLE - 30);
  if (place === CUBE) return box(TRAY_WIDTH + 8, cubeAt(cubeOwner) - 44, 88);
  if (place === DICE) return box(2 * DIE_GAP, MIDDLE - 40, 80);
  const isBelow = place < 12 || place === BAR;
  return box(place === BAR || place === THEIR_BAR ? BAR_WIDTH : POINT, isBelow ? MIDDLE + 42 : 0, MIDDLE - 42);
}

// The middle of the checker at a height of a stack; 0 is the lowest.
function inStack(place, height, count, clockwise) {
  const x = middleOf(place, clockwise);
  if (place === BAR || place === THEIR_BAR) {
    const way = place === BAR ? 1 : -1;
    const step = Math.min(2 * RADIUS - 4, 260 / Math.max(1, count - 1));
    return [x, MIDDLE + way * (70 + height * step)];
  }
  if (place === OFF) return [x, HEIGHT - FRAME - 120];
  const step = count > STACK_MAX ? (2 * RADIUS * (STACK_MAX - 1)) / (count - 1) : 2 * RADIUS - 1;
  const [start, way] = place >= 12 ? [FRAME + RADIUS + 3, 1] : [HEIGHT - FRAME - RADIUS - 3, -1];
  return [x, start + way * height * step];
}

// All checkers on points and bars: { mine, place, x, y, count, isTop }.
export function checkersOf({ me, opponent }, clockwise) {
  const found = [];
  const stack = (mine, place, count) => {
    for (let height = 0; height < count; height += 1) {
      const [x, y] = inStack(place, height, count, clockwise);
      found.push({ mine, place, x, y, count, isTop: height === count - 1 });
    }
  };
  for (let place = 0; place < 24; place += 1) {
    stack(true, place, me[place]);
    stack(false, place, opponent[23 - place]);
  }
  stack(true, BAR, me[BAR]);
  stack(false, THEIR_BAR, opponent[BAR]);
  return found;
}

export function checker({ mine, x, y, count, isTop }) {
  const kind = mine ? "own" : "opp";
  const group = node("g", { class: `checker ${kind}`, transform: `translate(${x} ${y})` },
    node("circle", { class: "shadow", cx: 1, cy: 3, r: RADIUS - 1 }),
    node("circle", { class: "body", r: RADIUS - 1.5, fill: `url(#${kind})` }),
    node("circle", { class: "ring", r: RADIUS - 10 }));
  if (isTop && count > STACK_MAX) group.append(node("text", { class: "count", y: 9 }, String(count)));
  return group;
}

function gradients() {
  const stops = (kind, offsets) => offsets.map((offset, at) => node("stop", { offset, class: `${kind}-${at + 1}` }));
  const round = (id) => node("radialGradient", { id, cx: "38%", cy: "30%", r: "78%" }, ...stops(id, [0, 0.7, 1]));
  const field = [["field-1", 0], ["field-2", 0.5], ["field-1", 1]].map(([kind, offset]) => node("stop", { offset, class: kind }));
  return node("defs", {},
    node("marker", { id: "head", viewBox: "0 0 10 10", refX: 6.5, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto-start-reverse" },
      node("path", { d: "M0,0.6 L9.4,5 L0,9.4 z", class: "arrowhead" })),
    round("own"), round("opp"), node("linearGradient", { id: "field", x1: 0, y1: 0, x2: 0, y2: 1 }, ...field));
}

export function emptyBoard(clockwise) {
  const parts = [gradients(), node("rect", { class: "frame", width: WIDTH, height: HEIGHT, rx: 22 })];
  for (const x of [LEFT, RIGHT].map((left) => (clockwise ? WIDTH - left - 6 * POINT : left))) {
    parts.push(node("rect", { class: "field", x, y: FRAME, width: 6 * POINT, height: HEIGHT - 2 * FRAME, rx: 6 }));
  }
  for (let place = 0; place < 24; place += 1) {
    const x = middleOf(place, clockwise);
    const [base, tip, number] = place < 12 ? [HEIGHT - FRAME, HEIGHT - FRAME - POINT_HEIGHT, HEIGHT - 5] : [FRAME, FRAME + POINT_HEIGHT, 15];
    parts.push(node("path", { class: `point ${place % 2 === 0 ? "odd" : "even"}`,
      d: `M${x - POINT / 2 + 2.5},${base} L${x},${tip} L${x + POINT / 2 - 2.5},${base} z` }));
    parts.push(node("text", { class: "number", x, y: number }, String(place + 1)));
  }
  const x = turned(TRAY + TRAY_WIDTH / 2, clockwise) - TRAY_WIDTH / 2;
  for (const y of [FRAME, HEIGHT - FRAME - TRAY_HEIGHT]) parts.push(node("rect", { class: "tray", x, y, width: TRAY_WIDTH, height: TRAY_HEIGHT, rx: 8 }));
  return parts;
}

// The checkers that are borne off, as bars in the trays.
export function borneOff({ me, opponent }, checkers, clockwise) {
  const x = turned(TRAY + TRAY_WIDTH / 2, clockwise) - TRAY_WIDTH / 2 + 6;
  const bars = (kind, count, y) => Array.from({ length: Math.max(0, count) }, (_, at) =>
    node("rect", { class: `borne ${kind}`, x, y: y(at), width: TRAY_WIDTH - 12, height: 15, rx: 4 }));
  return [...bars("own", off(me, checkers), (at) => HEIGHT - FRAME - 20 - at * 19), ...bars("opp", off(opponent, checkers), (at) => FRAME + 5 + at * 19)];
}

// Two dice; those that are played are pale. `rest` are the dice that are left.
export function dice(roll, rest, mine, clockwise) {
  const middle = turned(mine ? DICE_MINE : DICE_THEIRS, clockwise);
  const left = [...(rest ?? (roll[0] === roll[1] ? Array(4).fill(roll[0]) : roll))];
  const isDouble = roll[0] === roll[1];
  return roll.map((value, at) => {
    // Of a double the second die is the one that pales first.
    const isLeft = isDouble ? left.length > 2 * (1 - at) : left.includes(value);
    const x = middle + (at - 0.5) * DIE_GAP;
    const spots = SPOTS[value].map((spot) => node("circle", { cx: x + ((spot % 3) - 1) * 16, cy: MIDDLE + (Math.floor(spot / 3) - 1) * 16, r: 5.4 }));
    return node("g", { class: `die ${mine ? "mine" : "theirs"}${isLeft ? "" : " used"}` },
      node("rect", { x: x - DIE / 2, y: MIDDLE - DIE / 2, width: DIE, height: DIE, rx: 13 }), ...spots);
  });
}

const cubeAt = (owner) => ({ me: HEIGHT - FRAME - TRAY_HEIGHT - 36, opponent: FRAME + TRAY_HEIGHT + 36 })[owner] ?? MIDDLE;

// A cube in the tray, or one that a player offers, which lies where that player's dice would.
export function cube({ value, owner, offeredBy }, clockwise) {
  const x = turned({ me: DICE_MINE, opponent: DICE_THEIRS }[offeredBy] ?? TRAY + TRAY_WIDTH / 2, clockwise);
  const y = offeredBy ? MIDDLE : cubeAt(owner);
  const shown = String(value === 1 ? CUBE_CENTRED : value);
  return node("g", { class: `cube digits-${shown.length}` },
    node("rect", { x: x - CUBE_SIZE / 2, y: y - CUBE_SIZE / 2, width: CUBE_SIZE, height: CUBE_SIZE, rx: 11 }),
    node("text", { x, y: y + 10 }, shown));
}

const placeOf = (point) => ({ 0: OFF, 25: BAR })[point] ?? point - 1;

// The steps of a play, those of one checker as one: [from, to] of each.
function ways(play) {
  const found = [];
  for (const word of play.split(" ")) {
    const steps = stepsOf(word) ?? [];
    const [, times] = /\((\d)\)/.exec(word) ?? [];
    const each = steps.length / Number(times ?? 1);
    for (let at = 0; at < steps.length; at += each) found.push([placeOf(steps[at].from), placeOf(steps[at + each - 1].to)]);
  }
  return found;
}

// Arrows of a play such as "13/11 13/8" or "24/22(2)".
export function arrows({ me }, play, clockwise) {
  const group = node("g", { class: "arrows" });
  const lifted = new Map();
  const landed = new Map();
  const next = (map, place) => { map.set(place, (map.get(place) ?? 0) + 1); return map.get(place); };
  for (const [from, to] of ways(play)) {
    const count = Math.max(1, me[from] ?? 1);
    const [x1, y1] = inStack(from, Math.max(0, count - next(lifted, from)), count, clockwise);
    const there = (to === OFF ? 0 : me[to]) + next(landed, to) - 1;
    const [x2, y2] = inStack(to, Math.min(there, 4.4), Math.min(there + 1, STACK_MAX), clockwise);
    const isTop = [from, to].map((place) => place >= 12 && place < 24);
    const bend = to === OFF || isTop[0] !== isTop[1] ? 0 : isTop[0] ? BEND : -BEND;
    const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2 + bend];
    const angle = Math.atan2(y2 - cy, x2 - cx);
    const d = `M${x1},${y1} Q${cx},${cy} ${x2 - Math.cos(angle) * RADIUS * 0.72},${y2 - Math.sin(angle) * RADIUS * 0.72}`;
    group.append(node("path", { class: "halo", d }), node("path", { class: "shaft", d, "marker-end": "url(#head)" }),
      node("circle", { class: "goal", cx: x2, cy: y2, r: RADIUS - 3 }), node("circle", { class: "origin", cx: x1, cy: y1, r: RADIUS - 2 }));
  }
  return group;
}

// A ring where a checker may land, or has just landed.
export function ring(kind, place, { me, opponent }, clockwise) {
  const count = place === OFF ? 0 : place === BAR ? me[BAR] : me[place] + opponent[23 - place];
  const height = kind === "landed" ? Math.max(0, count - 1) : Math.min(count, STACK_MAX - 0.6);
  const [x, y] = inStack(place, height, Math.max(count, 1), clockwise);
  return node("circle", { class: kind, cx: x, cy: y, r: RADIUS - 3 });
}
