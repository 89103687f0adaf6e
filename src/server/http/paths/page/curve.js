// A line of values from game start to end, with a second one beside it.

import { h } from "./html.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 180;
const LABELS = 52;

function node(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

// Draws lines: [{ label, kind, values }], in the range that they need; `shown` writes a value.
export function curve(title, lines, shown, [least, most]) {
  const values = lines.flatMap((line) => line.values);
  const low = Math.min(least, ...values);
  const high = Math.max(most, ...values);
  const y = (value) => HEIGHT * (1 - (value - low) / (high - low));
  const svg = node("svg", { class: "curve", role: "img", viewBox: `-${LABELS} -12 ${WIDTH + LABELS + 8} ${HEIGHT + 24}`, "aria-label": title });
  for (const part of [0, 0.5, 1]) {
    const value = low + part * (high - low);
    svg.append(node("line", { x1: 0, x2: WIDTH, y1: y(value), y2: y(value) }), node("text", { x: -6, y: y(value) + 5 }, shown(value)));
  }
  for (const { kind, values: line } of lines) {
    const across = WIDTH / Math.max(1, line.length - 1);
    svg.append(node("polyline", { class: kind, points: line.map((value, at) => `${(at * across).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
  }
  const legend = lines.map(({ label, kind }) => h("span", { class: `key ${kind}` }, label));
  return h("figure", {}, svg, h("figcaption", {}, h("bdi", {}, title), ": ", ...legend.flatMap((one) => [one, " "])));
}
