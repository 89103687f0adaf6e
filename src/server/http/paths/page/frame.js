// The frame of all places: the menu with board, colours and language; the field for everything that can be pasted; the keys.

import { byId, h } from "./html.js";
import { takeFile } from "./intake.js";
import { keepText, kept } from "./kept.js";
import { place } from "./places.js";
import { positionIn } from "./position.js";
import * as sound from "./sound.js";
import { chooser, t } from "./strings.js";

const BOARDS = ["walnut", "slate", "felt", "plain"];
const COLOURS = [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]];
const FLIPPED = "gammond.flipped";
// Longer texts are no positions.
const POSITION_LENGTH_MAX = 100;
// A shorter text without a position is no match either.
const MATCH_LENGTH_MIN = 60;
const TEXT_BYTES_MAX = 1 << 20;

export const isFlipped = () => kept(FLIPPED) === "1";

// What the page does with a position, files, and a turned board; by default another page takes them.
export const takes = {
  position: (text) => { location.href = `${place("analyse")}?${new URLSearchParams({ position: text })}`; },
  files: async (files) => {
    const [id] = await takeFile(files[0], 0);
    location.href = `${place("matches")}#${id}`;
  },
  flipped: () => {},
  failed: (message) => alert(message),
};

// A match has many positions.
const isMatch = (text) => [/^Move number \d+:/gm, /XGID=/g].some((form) => (text.match(form) ?? []).length > 1);

// Takes a pasted or dropped text to its place: a position, or a match.
async function takeText(text) {
  const found = positionIn(text);
  const word = text.trim();
  if (found !== null && !isMatch(text)) takes.position(found);
  else if (/^\S+$/.test(word) && word.length <= POSITION_LENGTH_MAX) takes.position(word);
  else if (word.length >= MATCH_LENGTH_MIN && word.includes("\n")) await takeMatch(text, found);
  else takes.failed(t("there is no position in it, want an XGID, GNUbg ID, OGID or board line, or a match file"));
}

// A text that is no match may begin with a position.
async function takeMatch(text, found) {
  try {
    await takes.files([new File([text], "pasted.txt")]);
  } catch (error) {
    if (found === null) throw error;
    takes.position(found);
  }
}

async function takeFiles(files) {
  // A short text of one position is not a match; most match files have no position in such a form, or many.
  const [file] = files;
  if (files.length === 1 && file.size <= TEXT_BYTES_MAX && /\.(txt|md|html?)$|^[^.]*$/i.test(file.name)) {
    const text = await file.text();
    if (positionIn(text) !== null && !isMatch(text)) return takes.position(positionIn(text));
  }
  return takes.files([...files]);
}

// Says what went wrong where the page says such things.
async function trying(work) {
  try {
    await work();
  } catch (error) {
    takes.failed(error.message);
  }
}

const isField = (element) => element?.matches?.("input:not([type=checkbox], [type=radio], [type=range]), textarea, select") ?? false;

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const { files } = event.dataTransfer;
  trying(() => (files.length > 0 ? takeFiles(files) : takeText(event.dataTransfer.getData("text"))));
});
addEventListener("paste", (event) => {
  if (isField(event.target) && event.target.id !== "paste") return;
  const { files } = event.clipboardData;
  const text = event.clipboardData.getData("text").trim();
  if (text === "" && files.length === 0) return;
  event.preventDefault();
  trying(() => (text === "" ? takeFiles(files) : takeText(text)));
});
byId("paste-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("paste");
  const text = field.value;
  if (text.trim() === "") return;
  trying(() => takeText(text));
  field.select();
});
byId("paste").addEventListener("focus", () => byId("paste").select());


const look = () => dispatchEvent(new Event("gammond-look"));

function boards() {
  const buttons = BOARDS.map((name) => h("button",
    { type: "button", "data-board": name, "aria-label": t(name), title: t(name) }, ...[1, 2, 3, 4].map(() => h("i", {}))));
  const mark = () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.board === document.documentElement.dataset.board));
  };
  const group = h("div", { class: "boards", role: "group", "aria-label": t("Board") }, ...buttons);
  group.addEventListener("click", (event) => {
    const name = event.target.closest("button")?.dataset.board;
    if (!name) return;
    keepText("gammond.board", name);
    look();
    mark();
  });
  mark();
  return group;
}

function colours() {
  const select = h("select", { id: "colours" }, ...COLOURS.map(([value, label]) =>
    h("option", { value, selected: value === (kept("gammond.colours") ?? "auto") }, t(label))));
  select.addEventListener("change", () => {
    keepText("gammond.colours", select.value);
    look();
  });
  return h("div", { class: "field" }, h("label", { for: "colours" }, t("Colours")), select);
}

function direction() {
  const box = h("input", { type: "checkbox", id: "flipped", checked: isFlipped() });
  box.addEventListener("change", () => flip(box.checked));
  return h("label", { class: "check" }, box, t("Play to the left"));
}

function sounds() {
  const box = h("input", { type: "checkbox", id: "sound", checked: sound.isOn() });
  box.addEventListener("change", () => {
    sound.turnOn(box.checked);
    sound.dice();
  });
  return h("label", { class: "check" }, box, t("Sound"));
}

// Turns the board's direction, here and on every page after this.
export function flip(isTurned = !isFlipped()) {
  keepText(FLIPPED, isTurned ? "1" : "0");
  byId("flipped").checked = isTurned;
  takes.flipped(isTurned);
}

const menu = byId("menu");
menu.querySelector("div").prepend(h("h2", {}, t("Board")), boards(), direction(), sounds(), colours(), chooser(),
  h("button", { type: "button", id: "all-keys" }, t("All keys")));
addEventListener("pointerdown", (event) => {
  for (const open of document.querySelectorAll("details:is(.menu, .depth)[open]")) if (!open.contains(event.target)) open.open = false;
});

// Keys: a page adds its own, each with a text.

const keys = new Map();

// `key` is that of the event; `text` says what it does.
export function onKey(key, text, act) {
  keys.set(key, { text, act });
}

// Shows a dialog with a heading; what it returns closes it.
export function dialog(heading, ...content) {
  const close = h("button", { type: "button" }, t("Close"));
  const shown = h("dialog", { class: "dialog", "aria-label": heading }, h("h2", {}, heading), ...content, h("div", { class: "row" }, close));
  close.addEventListener("click", () => shown.close());
  shown.addEventListener("click", (event) => { if (event.target === shown) shown.close(); });
  shown.addEventListener("close", () => shown.remove());
  document.body.append(shown);
  shown.showModal();
  return shown;
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→" };
function showKeys() {
  const rows = [...keys].filter(([, { text }]) => text !== "").flatMap(([key, { text }]) => [h("dt", {}, h("kbd", {}, NAMES[key] ?? key)), h("dd", {}, text)]);
  dialog(t("All keys"), h("dl", { class: "keys" }, ...rows));
}

onKey("/", t("position or match"), () => byId("paste").focus());
onKey("f", t("turn the board's direction"), () => flip());
onKey("?", t("all keys"), showKeys);
byId("all-keys").addEventListener("click", showKeys);
addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.key === "Escape" && menu.open) menu.open = false;
  if (event.ctrlKey || event.metaKey || event.altKey || isField(target) || document.querySelector("dialog[open]")) return;
  // Enter and the space bar belong to the button that has the focus.
  if ((event.key === "Enter" || event.key === " ") && target.closest?.("button, a, summary, [role=button]")) return;
  const known = keys.get(event.key);
  if (!known) return;
  event.preventDefault();
  known.act(event);
});
