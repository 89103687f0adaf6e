// A picture to share: the board, the first lines of the ranking, and one line about the position.

import { arrows, borneOff, checker, checkersOf, cube, dice, emptyBoard, HEIGHT, node, WIDTH } from "./draw.js";
import { beside } from "./places.js";
import { checkersIn } from "./position.js";

const WIDE = 1200;
const HIGH = 630;
const EDGE = 30;
const LINES = 6;
const LINE_HEIGHT = 52;
const PARTS = "/* The board's parts. */";
let sheet = null;

// The rules of the board's parts, and the colours in them and in the picture, which has a style sheet of its own.
async function style(svg) {
  sheet ??= await (await fetch(beside("style.css"))).text();
  const rules = `text{font-family:var(--font)} .board{font-size:15px} ${sheet.slice(sheet.indexOf(PARTS) + PARTS.length).split("@media")[0]}`;
  const names = [...new Set([...(rules + svg.outerHTML).matchAll(/--[a-z0-9-]+/g)].map(([name]) => name))];
  const values = getComputedStyle(document.documentElement);
  return `svg{${names.map((name) => `${name}:${values.getPropertyValue(name)}`).join(";")}} ${rules}`;
}

const text = (x, y, size, content, more = {}) => node("text", { x, y, "font-size": size, fill: "var(--ink)", ...more }, content);

const drawing = ({ position, state, roll }, { play, clockwise }, attributes) =>
  node("svg", { class: "board", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...attributes },
  ...emptyBoard(clockwise), ...borneOff(position, checkersIn(state.variant), clockwise), ...checkersOf(position, clockwise).map(checker),
  ...(roll ? dice(roll, null, true, clockwise) : []), ...(state.crawford ? [] : [cube({ value: state.cube, owner: state.owner }, clockwise)]),
  ...(play ? [arrows(position, play, clockwise)] : []));

async function file(svg) {
  svg.prepend(node("style", {}, await style(svg)));
  svg.dataset.board = document.documentElement.dataset.board;
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

// `shown` is { position, state, roll }.
export const boardPicture = (shown, clockwise) => file(drawing(shown, { clockwise }, { width: WIDTH, height: HEIGHT }));

// `play` is the one with arrows; `rows` are [text, equity, loss], `heading` and `line` stand above and below.
export function picture(shown, { play, heading, rows, line, clockwise }) {
  const high = HIGH - 2 * EDGE;
  const wide = (high * WIDTH) / HEIGHT;
  const left = EDGE + wide + EDGE;
  const right = WIDE - EDGE;
  const listed = rows.slice(0, LINES).flatMap(([name, equity, loss], at) => {
    const y = EDGE + 120 + at * LINE_HEIGHT;
    return [
      text(left, y, 23, name, { "font-weight": at === 0 ? 700 : 400 }), text(right, y, 23, equity, { "text-anchor": "end" }),
      text(right, y + 21, 15, loss, { "text-anchor": "end", fill: "var(--dim)" }),
    ];
  });
  return file(node("svg", { width: WIDE, height: HIGH, viewBox: `0 0 ${WIDE} ${HIGH}` }, node("rect", { width: WIDE, height: HIGH, fill: "var(--card)" }),
    drawing(shown, { play, clockwise }, { x: EDGE, y: EDGE, width: wide, height: high }), text(left, EDGE + 44, 34, heading, { "font-weight": 700 }), ...listed,
    text(left, HIGH - EDGE - 30, 17, line, { fill: "var(--dim)" }), text(left, HIGH - EDGE - 4, 17, "gammond", { fill: "var(--dim)" })));
}

// The same as PNG.
export async function painted(drawing) {
  const url = URL.createObjectURL(drawing);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [WIDE, HIGH];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  } finally {
    URL.revokeObjectURL(url);
  }
}
