// The course of a match: the chances as a line that one moves along, luck as its shade, mistakes as dots. And a trend of numbers.

import { node } from "./draw.js";
import { h } from "./html.js";

const EDGE = 8;
const WIDTH = 600;
const HEIGHT = 180;
const LABELS = 52;
const RADII = { l2: 4.5, l3: 6, l4: 8 };

// Draws a match: `values` and `lucky` (without luck) have a number for each place, `dots` are [place, class], `games` are
// [place, text] where a game begins. `range` is the least that is shown. Calls `onPlace` with the place under the pointer.
export function course(box, title, { values, lucky, dots, games, range, here }, onPlace) {
  const wide = Math.max(200, box.clientWidth);
  const high = innerHeight <= 520 ? 60 : box.clientWidth > 480 ? 118 : 84;
  const low = Math.min(range[0], ...values);
  const top = Math.max(range[1], ...values);
  const x = (at) => EDGE + (at * (wide - 2 * EDGE)) / Math.max(1, values.length - 1);
  const y = (value) => EDGE + ((top - value) * (high - 2 * EDGE)) / (top - low);
  const line = (numbers) => numbers.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const svg = node("svg", { class: "curve", viewBox: `0 0 ${wide} ${high}`, role: "slider", tabindex: 0,
    "aria-label": title, "aria-valuemin": 0, "aria-valuemax": values.length - 1, "aria-valuenow": here });
  const middle = (range[0] + range[1]) / 2;
  svg.append(node("line", { class: "half", x1: 0, x2: wide, y1: y(middle), y2: y(middle) }));
  let free = 0;
  for (const [at, text] of games) {
    svg.append(node("line", { x1: x(at), x2: x(at), y1: 0, y2: high }));
    // A name stands where there is room.
    if (x(at) < free) continue;
    svg.append(node("text", { x: x(at) + 6, y: 16 }, text));
    free = x(at) + 12 + text.length * 7;
  }
  if (values.length > 0) {
    svg.append(node("path", { class: "shade", d: `M${line(values).join("L")}L${line(lucky).reverse().join("L")}z` }),
      node("path", { class: "full", d: `M${line(values).join("L")}` }));
  }
  const cursor = node("line", { class: "here", y1: 0, y2: high });
  const move = (at) => {
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(at));
    svg.setAttribute("aria-valuenow", at);
  };
  move(here);
  svg.append(cursor, ...dots.map(([at, kind]) => node("circle", { class: `dot ${kind}`, cx: x(at), cy: y(values[at]), r: RADII[kind] ?? 4 })));
  const placeAt = (event) => {
    const { left, width } = svg.getBoundingClientRect();
    const at = Math.round((((event.clientX - left) / width) * wide - EDGE) / Math.max(1, wide - 2 * EDGE) * (values.length - 1));
    return Math.min(Math.max(at, 0), values.length - 1);
  };
  let isDown = false;
  svg.addEventListener("pointerdown", (event) => {
    isDown = true;
    svg.setPointerCapture(event.pointerId);
    onPlace(placeAt(event));
  });
  svg.addEventListener("pointermove", (event) => { if (isDown) onPlace(placeAt(event)); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { isDown = false; });
  svg.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1, PageUp: -10, PageDown: 10 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    onPlace(Math.min(Math.max(Number(svg.getAttribute("aria-valuenow")) + way, 0), values.length - 1));
  });
  box.replaceChildren(svg);
  return move;
}

// A line of numbers over time, from `least` to `most` at least; `shown` writes a number.
export function trend(title, values, shown, [least, most]) {
  const low = Math.min(least, ...values);
  const high = Math.max(most, ...values);
  const y = (value) => HEIGHT * (1 - (value - low) / (high - low));
  const svg = node("svg", { class: "trend", role: "img", viewBox: `-${LABELS} -12 ${WIDTH + LABELS + 8} ${HEIGHT + 24}`, "aria-label": title });
  for (const part of [0, 0.5, 1]) {
    const value = low + part * (high - low);
    svg.append(node("line", { x1: 0, x2: WIDTH, y1: y(value), y2: y(value) }), node("text", { x: -6, y: y(value) + 5 }, shown(value)));
  }
  const across = WIDTH / Math.max(1, values.length - 1);
  svg.append(node("polyline", { points: values.map((value, at) => `${(at * across).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
  return h("figure", {}, svg, h("figcaption", {}, h("bdi", {}, title)));
}
