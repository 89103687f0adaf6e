// Quiz: questions that come with the page, and the mistakes of kept and archived matches. What is answered well comes back in growing intervals.

import { ask } from "./ask.js";
import { reports } from "./archive.js";
import { advised, deepened, QUESTIONS, questionText, ranking, viewOf } from "./cards.js";
import { trend } from "./curve.js";
import { cubeLoss } from "./engine.js";
import { isFlipped, onKey, takes } from "./frame.js";
import { byId, download, h } from "./html.js";
import { lossClass, sized } from "./panels.js";
import { beside, place } from "./places.js";
import { checkersIn, inWords, parseId, pips, START, Turn } from "./position.js";
import { exploreLink } from "./report.js";
import { ofVariant, scoreText } from "./state.js";
import * as store from "./store.js";
import { count, t } from "./strings.js";
import { turnBoard, type } from "./turn.js";

// An answer that loses less is a good one.
const GOOD_LOSS = 0.02;
// The least loss of a question (ANA-07).
const MISTAKE = 0.03;
const DAY_MS = 86_400_000;
const AGAIN_MS = 600_000;
const GROWTH = 2.5;
const ANSWERS_PER_POINT = 5;

byId("none").querySelector("a").href = place("matches");
const QUESTIONS_FILE = beside("questions.json");
// Themes of the questions that come with the page, and the name of those that are mistakes of one's own.
const THEMES = [
  ["", "All"], ["own", "Own mistakes"], ["opening", "Opening"], ["blitz", "Blitz"], ["prime", "Prime"], ["back game", "Back game"], ["race", "Race"],
  ["cube", "Cube|tab"], ["middle", "Middle game"], ["pips", "Pip count"],
];

const COUNTED = ["my", "their"];
const ACTS = { double: ["double", "no double"], take: ["take", "pass"] };

let theme = new URLSearchParams(location.search).get("theme") ?? "";
let cards = [];
let card = null;
let turn = null;
let advice = null;
// idle, loading, asked, checking or answered.
let phase = "idle";
// Number of times that a question was looked for: what comes late for an earlier one is dropped.
let searches = 0;
// When the question of a pip count was shown.
let counted = 0;
// The error of an archive that cannot be read.
let lost = null;
let seen = null;
// Ends the export of a deck.
let exporting = null;

const board = turnBoard(byId("place"), {
  current: () => (phase === "asked" ? turn : null),
  position: () => seen?.position ?? parseId(START),
  moved: () => show(),
  dice: () => { if (phase === "asked" && turn !== null && turn.steps.length === 0) { turn.turnDice(); show(); } },
});
board.clockwise = isFlipped();

// The questions of all kept and archived matches: a mistake each. What was learned of them stands apart.
async function load() {
  const learned = new Map((await store.all("cards")).map((one) => [one.id, one]));
  cards = [];
  const seenBefore = new Set();
  const kept = (await store.all("matches")).map(({ report }) => report);
  for (const report of [...kept, ...await archived()]) {
    const { variant } = report;
    for (const one of report.decisions) {
      // The same mistake in two files is one question.
      const id = [one.kind, one.position, ...(one.roll ?? []), ...(variant ? [variant] : [])].join(" ");
      if (one.loss.emg < MISTAKE || !Object.hasOwn(QUESTIONS, one.kind) || seenBefore.has(id)) continue;
      seenBefore.add(id);
      cards.push({ ...one, id, variant, name: report.players[one.player], ...(learned.get(id) ?? { due: 0, interval: 0 }) });
    }
  }
  const names = [...new Set(cards.map(({ name }) => name))].sort();
  cards.push(...(await bundled()).map((one) => ({ ...one, ...(learned.get(one.id) ?? { due: 0, interval: 0 }) })));
  byId("player").append(...names.map((name) => h("option", { value: name }, name.slice(0, 60))));
  const asked = new URLSearchParams(location.search).get("player");
  if (names.includes(asked)) byId("player").value = asked;
}

// The questions that come with the page, in columns; `shares` are the people of each error rate who find the best choice.
async function bundled() {
  const { rates, kind, position, roll, theme: marks, best, shares } = await (await fetch(QUESTIONS_FILE)).json();
  return kind.map((one, at) => ({
    kind: one, position: position[at], theme: marks[at], best: best[at], id: [one, position[at], ...roll[at]].join(" "),
    ...(roll[at] === "" ? {} : { roll: [...roll[at]].map(Number) }), found_by: rates.map((pr, row) => ({ pr, share: shares[row][at] / 100 })),
  }));
}

// The reports of the archive. Without them the questions of this browser are still there.
async function archived() {
  try {
    return await reports();
  } catch (error) {
    lost = error;
    return [];
  }
}

// While the page is busy its buttons do nothing.
function enter(now) {
  phase = now;
  byId("quiz").setAttribute("aria-busy", String(now === "loading" || now === "checking"));
}

function chosen() {
  const [name, least] = [byId("player").value, Number(byId("least").value)];
  const isOwn = ({ theme: mark }) => mark === undefined;
  return cards.filter((one) => (theme === "" || (theme === "own" ? isOwn(one) : one.theme === theme))
    && (isOwn(one) ? (name === "" || one.name === name) && one.loss.emg >= least : name === ""));
}

// A position of the questions whose pips are to be counted; nothing of it is kept.
function nextCount() {
  const from = cards.filter((one) => one.theme !== undefined && one.kind === "play");
  const { position } = from[Math.floor(Math.random() * from.length)];
  card = { kind: "pips", position };
  turn = null;
  seen = { position: parseId(position.slice(0, 14)), settings: {} };
  byId("due").textContent = "";
  byId("error").textContent = "";
  byId("result").replaceChildren();
  for (const side of COUNTED) byId(`${side}-count`).value = "";
  enter("asked");
  counted = performance.now();
  show();
  byId("my-count").focus();
}

function checkCount() {
  const { me, opponent } = seen.position;
  const errors = [me, opponent].map((side, at) => Number(byId(`${COUNTED[at]}-count`).value) - pips(side));
  const seconds = ((performance.now() - counted) / 1000).toFixed(0);
  enter("answered");
  byId("status").textContent = errors.every((error) => error === 0)
    ? t("Right: both counts, in {seconds} s.", { seconds })
    : t("Not quite, in {seconds} s.", { seconds });
  const name = [t("You"), t("Opponent")];
  byId("result").replaceChildren(h("div", { class: "card" }, h("div", { class: "pairs" }, ...errors.flatMap((error, at) =>
    [h("span", {}, name[at]), h("b", {}, t("{n} pips", { n: pips([me, opponent][at]) }),
      error === 0 ? " ✓" : ` (${error > 0 ? "+" : "\u2212"}${Math.abs(error)})`)]))));
  show();
}

async function next(isLate) {
  if (theme === "pips") { nextCount(); return; }
  const now = Date.now();
  const found = chosen();
  const due = found.filter((one) => one.due <= now);
  byId("due").textContent = found.length === 0
    ? t("There is no question.")
    : t("{due} of {total} questions are due.", { due: due.length, total: found.length });
  byId("none").hidden = cards.some((one) => one.theme === undefined);
  // Those that wait longest first; new ones: own mistakes by their loss, then what most people find.
  const ease = (one) => (one.theme === undefined ? 1 + one.loss.emg : one.found_by[1].share);
  card = due.sort((one, other) => one.due - other.due || ease(other) - ease(one))[0] ?? null;
  byId("result").replaceChildren();
  if (card === null) {
    turn = null;
    seen = null;
    enter("idle");
    byId("status").textContent = t("No question is due");
    for (const button of byId("actions").children) button.hidden = true;
    byId("typed").hidden = byId("counting").hidden = true;
    board.show(parseId(START), {}, { label: t("Board") });
    return;
  }
  turn = null;
  enter("loading");
  byId("error").textContent = "";
  const { position, roll, kind } = card;
  if (kind === "play") {
    const { plays } = await ask("move", { position, roll, settings: ofVariant({ plies: 0, top: 0 }, card) });
    if (isLate()) return;
    turn = new Turn(parseId(position.slice(0, 14)), roll, plays);
  }
  advice = advised(card);
  const view = await viewOf(card);
  if (isLate()) return;
  seen = view;
  enter("asked");
  show();
}

// Shows the next question; if it cannot be had now, the person may ask for it again.
async function advance() {
  searches += 1;
  const mine = searches;
  const isLate = () => mine !== searches;
  try {
    await next(isLate);
  } catch (error) {
    if (isLate()) return;
    enter("answered");
    if (seen !== null) show();
    failed(error);
  }
}

const hasBeavers = () => seen.settings.length === 0 && seen.settings.beavers === true;

function possible() {
  if (phase === "answered") return ["next"];
  if (phase !== "asked") return [];
  if (card.kind === "pips") return [];
  if (card.kind === "take" && hasBeavers()) return [...ACTS.take, "beaver"];
  if (card.kind !== "play") return ACTS[card.kind];
  return [turn.play ? "confirm" : null, turn.steps.length > 0 ? "undo" : null];
}

function show() {
  const acts = possible();
  const actions = byId("actions");
  const hadFocus = actions.contains(document.activeElement);
  for (const button of actions.children) button.hidden = !acts.includes(button.dataset.act);
  if (hadFocus && document.activeElement.hidden) actions.querySelector("button:not([hidden])")?.focus();
  byId("typed").hidden = phase !== "asked" || card.kind !== "play";
  byId("counting").hidden = phase !== "asked" || card.kind !== "pips";
  if (phase === "asked") byId("status").textContent = questionText(card);
  const position = turn?.position ?? seen.position;
  // Not where they are the question.
  const isSecret = card.kind === "pips" && phase === "asked";
  byId("my-pips").textContent = isSecret ? "" : t("{n} pips", { n: pips(position.me) });
  byId("their-pips").textContent = isSecret ? "" : t("{n} pips", { n: pips(position.opponent) });
  byId("state").textContent = card.kind === "pips" ? "" : scoreText(seen.settings);
  const words = inWords(position, [t("You"), t("Opponent")], checkersIn(card.variant));
  board.show(position, seen.settings, {
    roll: card.roll, rest: turn?.dice ?? null, offered: card.kind === "take" ? { value: 2 * (seen.settings.cube ?? 1), offeredBy: "opponent" } : null,
    label: isSecret ? t("Board") : t("Board. {words}", { words }),
  });
}

async function answer(act) {
  enter("checking");
  const [one, made] = [card, turn];
  let known = null;
  let mine = null;
  try {
    advice ??= advised(card);
    const found = await advice;
    const listed = found.plays?.find((play) => play.position === made.play.position);
    if (listed) mine = await deepened(found, listed, one);
    known = found;
  } catch (error) {
    if (card !== one) return;
    // The next click asks again.
    advice = null;
    enter("asked");
    failed(error);
  }
  if (card !== one || known === null) return;
  byId("error").textContent = "";
  const loss = mine ? mine.loss : cubeLoss(act === "no double" ? "roll" : act, known, hasBeavers());
  const isGood = loss < GOOD_LOSS;
  const interval = isGood ? Math.max(1, card.interval * GROWTH) : 0;
  const learned = { id: card.id, interval, due: Date.now() + (isGood ? interval * DAY_MS : AGAIN_MS) };
  Object.assign(card, learned);
  await store.put("cards", learned);
  await store.put("answers", { at: Date.now(), loss });
  enter("answered");
  const back = isGood ? count(Math.round(interval), "It comes back in {n} day.", "It comes back in {n} days.") : t("It comes back in ten minutes.");
  byId("status").textContent = loss > 0 ? t("Your answer loses {loss}.", { loss: loss.toFixed(3) }) : t("Right: nothing is lost.");
  byId("result").replaceChildren(
    h("p", {}, h("span", { class: `badge ${lossClass(loss)}` }, loss.toFixed(3)), " ", back),
    ranking(known, mine, t("yours")),
    ...(card.found_by ? [finders(card)] : []),
    h("p", {}, card.theme === undefined ? `${inMatch(card)} ` : "", h("a", { href: exploreLink(card, card) }, t("Analyse"))),
  );
  show();
  await showCurve();
}

const inMatch = ({ played, loss }) => t("In the match: {played}, a loss of {loss}.", { played: t(played || "no play"), loss: loss.emg.toFixed(3) });

// The people of three error rates who find the best choice.
function finders({ found_by: shares, best }) {
  const rows = shares.flatMap(({ pr, share }) => [h("span", {}, `PR ${pr}`), h("span", { class: "track" }, sized(h("i", {}), share)),
    h("b", {}, `${(100 * share).toFixed(0)}\u00a0%`)]);
  return h("div", { class: "card" }, h("h2", {}, t("Who finds {play}", { play: t(best || "no play") })), h("div", { class: "finders" }, ...rows));
}

async function showCurve() {
  const losses = (await store.all("answers")).map(({ loss }) => loss);
  const means = [];
  for (let from = 0; from < losses.length; from += ANSWERS_PER_POINT) {
    const part = losses.slice(from, from + ANSWERS_PER_POINT);
    means.push(part.reduce((sum, loss) => sum + loss, 0) / part.length);
  }
  if (means.length < 2) return;
  const label = `${t("Mean loss of your answers")}, ${t("of {n} each", { n: ANSWERS_PER_POINT })}`;
  byId("curve").replaceChildren(trend(label, means, (value) => value.toFixed(2), [0, 0.1]));
}

// Saves the chosen questions for Anki. A second click on the deck's button ends the work.
async function exported(isDeck) {
  if (isDeck && exporting !== null) { exporting.abort(); return; }
  // The same mistake in two places is one card.
  const found = chosen().filter((one, at, all) => all.findIndex(({ id }) => id === one.id) === at);
  byId("error").textContent = "";
  byId("exported").textContent = found.length === 0 ? t("There is no question.") : "";
  if (found.length === 0) return;
  if (isDeck) await deck(found);
  else download("gammond-anki.txt", (await import("./anki.js")).textFile(found), "text/plain");
  byId("exported").textContent = t("Cards in the file: {n}.", { n: found.length });
}

async function deck(found) {
  exporting = new AbortController();
  const { signal } = exporting;
  const title = `gammond ${t("Quiz")}${theme === "" ? "" : `::${t(THEMES.find(([name]) => name === theme)[1])}`}`;
  const [button, progress] = [byId("anki"), h("progress", { max: found.length, value: 0, "aria-label": t("Export for Anki") })];
  button.textContent = t("Stop");
  button.after(progress);
  try {
    const { deckFile } = await import("./anki.js");
    download("gammond-quiz.apkg", await deckFile(title, found, isFlipped(), (done) => { progress.value = done; }, signal), "application/apkg");
  } finally {
    exporting = null;
    progress.remove();
    button.textContent = t("Export for Anki");
  }
}

const failed = (error) => { byId("error").textContent = error.message; };

byId("actions").addEventListener("click", (event) => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  if (!possible().includes(act)) return;
  if (act === "undo") {
    turn.undo();
    show();
  } else if (act === "next") {
    advance();
  } else {
    answer(act).catch(failed);
  }
});
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("typed-play");
  byId("typed-error").textContent = type(turn, field.value, card.roll);
  if (byId("typed-error").textContent === "") field.value = "";
  show();
});
byId("themes").append(...THEMES.map(([name, label]) => h("button", { type: "button", "data-theme": name, "aria-pressed": String(name === theme) }, t(label))));
byId("themes").addEventListener("click", (event) => {
  const name = event.target.closest("[data-theme]")?.dataset.theme;
  if (name === undefined) return;
  theme = name;
  for (const button of byId("themes").children) button.setAttribute("aria-pressed", String(button.dataset.theme === name));
  advance();
});
byId("counting").addEventListener("submit", (event) => {
  event.preventDefault();
  checkCount();
});
byId("choice").addEventListener("change", advance);
byId("choice").addEventListener("submit", (event) => event.preventDefault());
for (const [name, isDeck] of [["anki", true], ["anki-text", false]]) {
  byId(name).addEventListener("click", () => exported(isDeck).catch((error) => { if (error.name !== "AbortError") failed(error); }));
}

takes.flipped = (isTurned) => {
  board.clockwise = isTurned;
  if (seen !== null) show();
};
takes.failed = (message) => failed(new Error(message));
for (const [key, text, name] of [["d", t("double"), "double"], ["t", t("take"), "take"], ["p", t("pass"), "pass"], ["b", t("Beaver"), "beaver"],
  ["u", t("undo"), "undo"]]) {
  onKey(key, text, () => byId("actions").querySelector(`[data-act="${name}"]:not([hidden])`)?.click());
}
onKey("Enter", t("go on"), () => byId("actions").querySelector("button.main:not([hidden])")?.click());

try {
  await load();
  await Promise.all([advance(), showCurve()]);
  if (lost !== null) failed(lost);
} catch (error) {
  failed(error);
}
