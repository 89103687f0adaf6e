// Elements of a page. Text always becomes text, never markup.

const NAME_LENGTH_MAX = 60;
const TITLE_LENGTH_MAX = 1000;

export const byId = (id) => document.getElementById(id);

// Builds an element: h("td", { class: "loss" }, "text", another).
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A number with its sign, and a true minus.
export function signed(value, digits = 3) {
  if (typeof value !== "number") return "–";
  const text = value.toFixed(digits);
  // What is rounded to zero has a plus.
  return (Number(text) >= 0 ? `+${text.replace("-", "")}` : text).replace("-", "\u2212");
}

export const percent = (value) => (typeof value === "number" ? `${(100 * value).toFixed(1)}%` : "–");

// A table that scrolls by itself where the window is narrow. The first cell of a row heads it.
export function table(caption, heads, rows, kind = "") {
  const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
  const lines = rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: kind }, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, ...lines)));
}

export function download(name, content, kind) {
  const url = URL.createObjectURL(new Blob([content], { type: kind }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// Text of strangers: marks that turn the direction of writing stay inside, and a name of a page's length does not fill it.
export function named(text) {
  const isLong = text.length > NAME_LENGTH_MAX;
  return h("bdi", { title: isLong ? text.slice(0, TITLE_LENGTH_MAX) : null }, isLong ? `${text.slice(0, NAME_LENGTH_MAX)}…` : text);
}
