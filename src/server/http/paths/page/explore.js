// Explore without reloading: the page that the server writes for a link is fetched, and its answer takes the place of the old one.
// So there is one way of writing an answer, with and without this script. The board is drawn again as one to touch.

import { Board } from "./board.js";
import { byId, h } from "./html.js";
import { keepText, kept } from "./kept.js";
import { liveRollout } from "./live.js";
import { inWords, printId } from "./position.js";
import { positionIn, SetUp } from "./setup.js";
import { stateInWords } from "./state.js";
import { t, translate, translatedTitle } from "./strings.js";
import { Tables } from "./tables.js";

const form = document.getElementById("question");
const answer = document.getElementById("answer");
const summary = document.getElementById("summary");
const others = document.getElementById("others");
const fields = ["position", "roll", "plies", "length", "score"];
// The depth that is reached where none is chosen.
const PLIES_AUTOMATIC = 2;
// Steps of the slider; the last one is a rollout, which is kept in the link behind #.
const DEPTHS = ["0", "1", "2", "3"];
const ROLLOUT = DEPTHS.length;
const ROLLOUT_MARK = "#rollout";
const FLIPPED = "gammond.flipped";
// Longer texts are no positions.
const DROPPED_BYTES_MAX = 1 << 20;
let running = new AbortController();

// The query of the form, as a link has it: without empty fields.
function query() {
  const values = [...new FormData(form)].map(([name, value]) => [name, value.trim()]);
  return new URLSearchParams(values.filter(([, value]) => value !== ""));
}

function link(parameters) {
  const text = parameters.toString();
  return text === "" ? "/" : "/?" + text;
}

// A setting of a link as JSON has it.
function typed(text) {
  if (text === "on" || text === "off") return text === "on";
  if (/^[0-9]+$/.test(text)) return Number(text);
  return /^[0-9]+:[0-9]+$/.test(text) ? text.split(":").map(Number) : text;
}

// The board of the answer as a question: position, roll and settings.
function shownBoard() {
  const { position, roll, ...texts } = Object.fromEntries(new URL(answer.dataset.board, location.href).searchParams);
  const settings = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, typed(text)]));
  return roll ? { position, roll, settings } : { position, settings };
}

function say(message) {
  byId("form-error").textContent = message;
}

function showErrors(page) {
  for (const name of [...fields, "form"]) {
    const id = name + "-error";
    document.getElementById(id).textContent = page.getElementById(id).textContent;
    if (name !== "form") {
      const wrong = page.getElementById(name).getAttribute("aria-invalid");
      document.getElementById(name).setAttribute("aria-invalid", wrong);
    }
  }
}

// Puts the answer of a fetched page in place; the focus stays on the play that has it.
function showAnswer(page) {
  const focused = document.activeElement?.closest("[data-play]")?.dataset.play;
  translate(page.body);
  answer.replaceChildren(...page.getElementById("answer").childNodes);
  takeBoard();
  summary.textContent = page.getElementById("summary").textContent;
  document.title = translatedTitle(page.title);
  const rolls = page.getElementById("roll");
  const chosen = rolls.value;
  const roll = document.getElementById("roll");
  roll.replaceChildren(...rolls.childNodes);
  // Chromium chooses the first of the new options, whichever is marked.
  roll.value = chosen;
  const row = [...answer.querySelectorAll("[data-play]")].find((row) => row.dataset.play === focused);
  row?.querySelector("a").focus();
}

async function fetchPage(parameters, signal) {
  const response = await fetch(link(parameters), { signal, headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (page.getElementById("answer") === null) throw new Error(t("the server's answer is not the page"));
  return [response.ok, page];
}

// Asks with growing depth, and shows each answer until the next one is there.
async function ask(parameters) {
  running.abort();
  running = new AbortController();
  const signal = running.signal;
  const chosen = parameters.get("plies") ?? String(PLIES_AUTOMATIC);
  // A depth that is no number is the server's to refuse.
  const depths = /^[0-9]$/.test(chosen) ? [...Array(Number(chosen) + 1).keys()] : [chosen];
  answer.setAttribute("aria-busy", "true");
  let isAnswered = false;
  try {
    for (const plies of depths) {
      const step = new URLSearchParams(parameters);
      step.set("plies", plies);
      const [good, page] = await fetchPage(step, signal);
      showErrors(page);
      if (!good) {
        isAnswered = false;
        break;
      }
      showAnswer(page);
      answer.dataset.plies = plies;
      isAnswered = true;
    }
    if (isAnswered) tables.again();
    if (isAnswered && location.hash === ROLLOUT_MARK) rollOut(signal);
  } catch (error) {
    if (signal.aborted) return;
    say(t("no answer from the server: {message}", error));
  }
  answer.setAttribute("aria-busy", "false");
}

// Fills the form from a link.
function fill(parameters) {
  for (const name of fields) {
    const field = document.getElementById(name);
    const value = parameters.get(name) ?? "";
    if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
      field.add(new Option(value, value));
    }
    field.value = value;
  }
  // The language is not part of the question.
  const hidden = [...parameters].filter(([name]) => !fields.includes(name) && name !== "lang");
  others.replaceChildren(...hidden.map(([name, value]) => h("input", { type: "hidden", name, value })));
  showDepth();
}

function go(parameters) {
  const target = link(parameters) + location.hash;
  if (target !== location.pathname + location.search + location.hash) history.pushState(null, "", target);
  ask(parameters);
}

// Shows the arrows of a play on the board, or the board without any.
function showPlay(row) {
  if (setUp.isOpen || !answer.dataset.board) return;
  board.show(...drawing(), { ...dice(), play: row?.dataset.play, label: words() }).catch(() => {});
}

const rowOf = (event) => event.target.closest?.("[data-play]");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(query());
});
form.addEventListener("change", (event) => {
  // A position brings its own dice along.
  if (event.target.id === "position") byId("roll").value = "";
  showDepth();
  go(query());
});
document.getElementById("random").addEventListener("click", () => {
  const die = () => 1 + Math.floor(6 * Math.random());
  const dice = [die(), die()].sort();
  byId("roll").value = `${dice[1]}${dice[0]}`;
  go(query());
});
answer.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy]");
  if (copied) {
    const field = document.getElementById(copied.dataset.copy);
    field.select();
    navigator.clipboard?.writeText(field.value).then(() => { copied.textContent = t("Copied"); }, () => {});
    return;
  }
  const anchor = event.target.closest("[data-play] a");
  if (anchor === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const parameters = new URL(anchor.href).searchParams;
  fill(parameters);
  go(parameters);
});
for (const [event, other] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  answer.addEventListener(event, (happened) => { if (rowOf(happened)) showPlay(rowOf(happened)); });
  answer.addEventListener(other, (happened) => { if (rowOf(happened)) showPlay(null); });
}
addEventListener("popstate", () => {
  const parameters = new URLSearchParams(location.search);
  fill(parameters);
  ask(parameters);
});

// The board: the picture of the answer, drawn as one to touch.

const setUp = new SetUp({
  changed: (id) => {
    for (const name of ["length", "score"]) byId(name).value = "";
    byId("position").value = id;
    go(query());
  },
  redraw: (position, settings) => {
    say("");
    board.show(printId(position), settings, { label: words() }).catch((error) => say(error.message));
  },
  failed: say,
});
const board = new Board(h("div", { id: "place", class: "place" }), setUp);
board.clockwise = kept(FLIPPED) === "1";

const drawing = () => [shownBoard().position, shownBoard().settings];
const words = () => `${inWords(setUp.position, [t("Player on roll"), t("Opponent")])} ${stateInWords(setUp.settings)}`;
const dice = () => (shownBoard().roll ? { roll: shownBoard().roll } : {});

function takeBoard() {
  const picture = byId("board");
  answer.dataset.board = picture.getAttribute("src");
  picture.replaceWith(board.place);
  board.place.setAttribute("aria-busy", "true");
  const id = byId("id-position").value;
  // Meanwhile a person may have pointed at a play: its arrows stay.
  const play = () => (setUp.isOpen ? null : answer.querySelector("[data-play]:is(:hover, :focus-within)")?.dataset.play);
  setUp.show(id, shownBoard()).then(() => board.show(...drawing(), { ...dice(), play: play(), label: words() })).catch((error) => say(error.message));
}

const listedPlays = () => [...answer.querySelectorAll("[data-play]")].map((row) => row.dataset.play);

function rollOut(signal) {
  const place = h("section", { id: "rollout", "aria-label": t("Rollout") });
  answer.querySelector(".ranking").prepend(place);
  const plays = listedPlays();
  const { position, roll, settings } = shownBoard();
  const rolled = roll ?? (plays.length > 0 ? byId("roll").selectedOptions[0].textContent.slice(0, 2) : null);
  if (rolled !== null && plays.length < 2) {
    place.append(h("p", { class: "note" }, t("There is nothing to choose: no rollout.")));
    return;
  }
  const isCube = answer.querySelector(".cube") !== null;
  liveRollout(place, { position, roll: rolled, settings, plays, isCube }, signal);
}

// The slider stands for the field of plies.

const slider = h("input", { type: "range", id: "depth", min: 0, max: ROLLOUT, step: 1, "aria-describedby": "depth-text" });
const depthText = h("output", { id: "depth-text", for: "depth" });

function showDepth() {
  const chosen = byId("plies").value;
  const step = location.hash === ROLLOUT_MARK ? ROLLOUT : DEPTHS.indexOf(chosen === "" ? String(PLIES_AUTOMATIC) : chosen);
  slider.value = step;
  depthText.textContent = step === ROLLOUT ? t("rollout") : `${chosen === "" ? PLIES_AUTOMATIC : chosen}-ply`;
  slider.setAttribute("aria-valuetext", depthText.textContent);
}

slider.addEventListener("input", () => {
  const step = Number(slider.value);
  byId("plies").value = step === ROLLOUT ? "" : DEPTHS[step];
  history.pushState(null, "", link(query()) + (step === ROLLOUT ? ROLLOUT_MARK : ""));
  showDepth();
});
slider.addEventListener("change", (event) => {
  event.stopPropagation();
  ask(query());
});
byId("plies").hidden = true;
byId("plies").after(slider, depthText);
document.querySelector("label[for=plies]").htmlFor = "depth";

// Tables about the position.

const tables = new Tables(shownBoard, () => Number(answer.dataset.plies ?? 0), listedPlays);
answer.after(tables.element);

// Tools of the board.

const press = (id, label, act) => {
  const button = h("button", { type: "button", id, "aria-pressed": "false" }, label);
  button.addEventListener("click", () => act(button));
  return button;
};
const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
const tools = h("div", { class: "tools wide", role: "group", "aria-label": t("Board") },
  press("set", t("Set up"), (button) => {
    setUp.isOpen = !isPressed(button);
    button.setAttribute("aria-pressed", String(setUp.isOpen));
    setUp.tools.hidden = !setUp.isOpen;
    showBoard();
  }),
  press("flip", t("Flip"), (button) => {
    board.clockwise = !board.clockwise;
    keepText(FLIPPED, board.clockwise ? "1" : "0");
    button.setAttribute("aria-pressed", String(board.clockwise));
    showBoard();
  }));
const undo = h("button", { type: "button", id: "undo" }, t("Undo"));
undo.addEventListener("click", () => history.back());
tools.append(undo);
tools.querySelector("#flip").setAttribute("aria-pressed", String(board.clockwise));
form.after(tools, setUp.tools);

function showBoard() {
  if (!answer.dataset.board) {
    // The link has no position to show: setting up begins with the start.
    answer.prepend(board.place);
    setUp.redraw(setUp.position, setUp.settings);
    return;
  }
  const roll = setUp.isOpen ? {} : dice();
  board.show(...drawing(), { ...roll, label: words() }).catch((error) => say(error.message));
}

// Texts and files that are dropped or pasted.

function take(text) {
  // A single word is an ID, or the server says what is wrong with it.
  const found = positionIn(text) ?? (/^\S{1,100}$/.test(text.trim()) ? text.trim() : null);
  if (found === null) {
    say(t("there is no position in it, want an XGID, GNUbg ID, OGID or board line; drop match files on the page Matches"));
    return;
  }
  byId("position").value = found;
  byId("roll").value = "";
  for (const name of ["length", "score"]) byId(name).value = "";
  go(query());
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file?.size > DROPPED_BYTES_MAX) say(t("the file is longer than a position"));
  else take(file ? await file.text() : event.dataTransfer.getData("text"));
});
// A paste into the position, or beside all fields, is a question: the text of a whole position, as eXtreme Gammon copies it, or an ID alone.
addEventListener("paste", (event) => {
  if (event.target !== byId("position") && event.target.matches?.("input, textarea, select")) return;
  const text = event.clipboardData.getData("text").trim();
  if (text === "") return;
  event.preventDefault();
  take(text);
});
// What stands in the field gives way to the next position.
byId("position").addEventListener("focus", () => byId("position").select());

document.documentElement.classList.add("has-scripts");
showDepth();
if (byId("board") !== null) takeBoard();
ask(query());
