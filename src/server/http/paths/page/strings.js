// Texts in the person's language. The English text is the key of the table in translations.js: `{name}` is a hole, and what follows "|" tells two
// meanings of one word apart. What the table does not have stays English.

import { h } from "./html.js";
import { keepText, kept } from "./kept.js";

// The order is that of the rows in translations.js.
const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", ja: "日本語" };
const KEPT = "gammond.language";
const ATTRIBUTES = ["alt", "aria-label", "placeholder", "title"];

// `?lang=` of the link, which is kept; else the kept one; else the browser's.
function chosen() {
  const asked = new URLSearchParams(location.search).get("lang");
  const found = [asked, kept(KEPT), ...navigator.languages].map((tag) => String(tag).slice(0, 2).toLowerCase())
    .find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en";
  if (found === asked) keepText(KEPT, found);
  return found;
}

export const language = chosen();
const column = Object.keys(LANGUAGES).indexOf(language) - 1;
const table = new Map(language === "en" ? [] : Object.entries((await import("./translations.js")).default).map(([key, row]) => [key, row[column]]));
const plurals = new Intl.PluralRules(language);
const HOLE = /\{(\w+)\}/;

// A text with its holes filled by texts or elements, as parts of a paragraph.
export function parts(key, values = {}) {
  return (table.get(key) ?? key.split("|")[0]).split(HOLE).map((part, at) => (at % 2 === 1 ? values[part] : part)).filter((part) => part !== "");
}

export const t = (key, values) => parts(key, values).join("");

// The text for one thing or for several; its hole {n} is the number.
export const count = (n, one, several, values = {}) => t(plurals.select(n) === "one" ? one : several, { n, ...values });

// Texts of the server with holes, such as "Plays of {roll}": of the rows that fit, the one with the most other text.
const textLength = (key) => key.replaceAll(new RegExp(HOLE, "g"), "").length;
const patterns = [...table.keys()].filter((key) => HOLE.test(key)).sort((one, other) => textLength(other) - textLength(one)).map((key) => {
  const escaped = key.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return [new RegExp(`^${escaped.replaceAll("{", "(?<").replaceAll("}", ">.+)")}$`), key];
});

function translated(text) {
  if (table.has(text)) return table.get(text);
  for (const [pattern, key] of patterns) {
    const found = pattern.exec(text);
    if (found) return t(key, Object.fromEntries(Object.entries(found.groups).map(([name, value]) => [name, table.get(value) ?? value])));
  }
  return text;
}

// The day as a date of this place: 2026-01-05.
export const localDay = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

// Translates what the server has written. `data-context` is what follows "|" in the key.
export function translate(root) {
  if (language === "en") return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = root; node !== null; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      const { context } = node.parentElement.dataset;
      node.data = node.data.replace(/\S(?:.*\S)?/s, (text) => translated(context ? `${text}|${context}` : text));
      continue;
    }
    for (const name of ATTRIBUTES) {
      if (node.hasAttribute(name)) node.setAttribute(name, translated(node.getAttribute(name)));
    }
  }
}

export const translatedTitle = (title) => title.split(" – ").map(translated).join(" – ");

export function chooser() {
  const options = Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name));
  const select = h("select", { id: "language" }, ...options);
  select.addEventListener("change", () => {
    keepText(KEPT, select.value);
    const link = new URL(location.href);
    // A browser that keeps nothing has the choice in the link.
    if (kept(KEPT) === select.value) link.searchParams.delete("lang");
    else link.searchParams.set("lang", select.value);
    history.replaceState(null, "", link);
    location.reload();
  });
  return h("div", { class: "field" }, h("label", { for: "language" }, t("Language")), select);
}

document.documentElement.lang = language;
translate(document.body);
document.title = translatedTitle(document.title);
