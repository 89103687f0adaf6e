// Analyse: a position on the board, and beside it what the engine thinks of it: at once, then deeper and deeper.

import { ask, rollout } from "./ask.js";
import { Board, CUBE, DICE } from "./board.js";
import { dialog, flip, isFlipped, onKey, takes } from "./frame.js";
import { byId, h, signed } from "./html.js";
import * as panels from "./panels.js";
import { checkersIn, inWords, OFF, parseId, pips, START, swapped, Turn } from "./position.js";
import { link, questionOf, settingsOf, withSettings } from "./question.js";
import { SetUp } from "./setup.js";
import { share } from "./share.js";
import { scoreText, stateInWords } from "./state.js";
import { language, t } from "./strings.js";
import { pointLabel } from "./turn.js";

const TABS = [["plays", "Plays"], ["cube", "Cube|tab"], ["scores", "Scores"], ["rolls", "Rolls"], ["why", "Why"]];
const TAB_KEYS = { p: "plays", c: "cube", s: "scores", o: "rolls", w: "why" };
const PLIES = 2;
const PLIES_MAX = 4;
// Deeper tables take a server seconds.
const TABLE_PLIES_MAX = 2;
const DEPTHS = [0, 1, 2, 3];
const LISTED = 10;
const AWAY = 7;
const ROLLOUT_MARK = "#rollout";
const ROLLED_OUT = 5;
// Games of each candidate: the person stops earlier.
const TRIALS = 46_656;
// A 95 % interval has so many standard errors on each side.
const INTERVAL = 1.96;
const GO_ON_MS = 320;

// The question of the link, what the server says about it, and the answers so far by tab.
let question = questionOf(location);
let shown = null;
let answers = {};
let tab = null;
let turn = null;
let tried = null;
let compared = null;
let running = new AbortController();
let stopping = null;

const panel = byId("panel");
const chosenPlies = () => Math.min(Number(question.settings.plies ?? PLIES), PLIES_MAX);
const isRollout = () => location.hash === ROLLOUT_MARK;

// The question of a verb, in the state that the page shows.
function asked(verb, more = {}, withRoll = false) {
  const { plies, ...settings } = settingsOf(verb, question.settings);
  return { position: question.position, ...(withRoll && shown.roll ? { roll: shown.roll } : {}), settings: { ...settings, ...more } };
}

// Board

const setUp = new SetUp({
  changed: (id) => go({ position: id, roll: null, settings: {} }),
  redraw: (position, settings) => board.show(position, settings, { label: words(position, settings) }),
  failed: (message) => { setUp.tools.querySelector("#set-error").textContent = message; },
  done: () => openSetUp(false),
});

const words = (position, state) => `${inWords(position, [t("Player on roll"), t("Opponent")], checkersIn(state.variant))} ${stateInWords(state)}`;

const board = new Board(byId("place"), {
  label: (place) => {
    if (setUp.isOpen) return setUp.label(place);
    if (place === CUBE) return t("cube");
    if (place === DICE) return t("dice");
    return pointLabel(place, turn?.position ?? shown?.position ?? parseId(START));
  },
  canLift: (place) => (setUp.isOpen ? setUp.canLift(place) : place < OFF && (turn?.options() ?? []).some((option) => option.from === place)),
  targets: (place) => (setUp.isOpen ? [] : turn?.targets(place) ?? []),
  activate: (place, isShift) => {
    if (setUp.isOpen) setUp.activate(place, isShift);
    else if (place === CUBE) choose("cube");
    else if (place === DICE) chooseRoll();
    else move(turn?.clicked(place));
  },
  drop: (from, to) => (setUp.isOpen ? setUp.drop(from, to) : move(to === null ? null : turn?.path(from, to))),
  other: (place) => setUp.isOpen && setUp.takeAway(place),
});
board.clockwise = isFlipped();

// A step by hand: a complete play is judged like those of the list.
function move(chain) {
  if (chain) turn.take(chain);
  tried = turn?.play?.play ?? null;
  draw();
  if (tab === "plays") show();
}

function draw(pointed = null) {
  if (shown === null) return;
  if (setUp.isOpen) {
    board.show(setUp.position, setUp.settings, { label: words(setUp.position, setUp.settings) });
    return;
  }
  const hasSteps = turn !== null && turn.steps.length > 0;
  const best = tab === "plays" || tab === "why" ? answers.plays?.plays?.[0]?.play : null;
  const play = hasSteps ? null : pointed ?? best;
  const onBoard = hasSteps ? turn.position : shown.position;
  board.show(onBoard, shown.state, { roll: shown.roll, rest: turn?.dice ?? null, play: play || null, label: words(onBoard, shown.state) });
}

// Links

// Another question: a link of its own, so that the browser's way back undoes it.
function go(next) {
  question = { ...next };
  history.pushState(null, "", link(question) + location.hash);
  load();
}

// Reads the question anew, and begins with a look without depth.
async function load() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  panel.setAttribute("aria-busy", "true");
  try {
    const { plies, ...settings } = settingsOf("show", question.settings);
    const body = { position: question.position, ...(question.roll ? { roll: question.roll } : {}), settings };
    const [{ state, roll }, ids] = await Promise.all([ask("show", body, signal), ask("convert", body, signal)]);
    const position = parseId(ids.position);
    const isSame = shown !== null && shown.ids.position === ids.position;
    shown = { state, roll: roll ?? null, position, ids };
    answers = {};
    tried = null;
    compared = null;
    turn = null;
    say("");
    if (!setUp.isOpen) tab = isSame && tab !== null && tab !== "plays" && !(tab === "cube" && shown.roll) ? tab : shown.roll ? "plays" : "cube";
    setUp.show(position, state);
    texts();
    draw();
    if (setUp.isOpen) {
      panel.setAttribute("aria-busy", "false");
      return;
    }
    if (shown.roll) hand(signal);
    if (!["plays", "cube"].includes(tab)) bar(signal);
    await look(signal);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

// The bar of chances, where the open tab has none.
function bar(signal) {
  ask("eval", asked("eval", { plies: 0 }), signal)
    .then(({ probabilities }) => { if (!signal.aborted && probabilities) panels.chances(byId("chances"), probabilities); }, () => {});
}

// The legal plays, for moves by hand.
async function hand(signal) {
  try {
    const { plays } = await ask("move", asked("move", { plies: 0, top: 0 }, true), signal);
    if (signal.aborted) return;
    shown.legal = plays;
    if (plays.length > 0 && plays[0].play !== "") turn = new Turn(shown.position, shown.roll, plays);
    draw();
    if (tab === "plays" && answers.plays) show();
  } catch {
    // The list says what is wrong.
  }
}

// Looks at the open tab with growing depth, and shows each answer until the next one is there.
async function look(signal) {
  panel.setAttribute("aria-busy", "true");
  const deepest = ["plays", "cube"].includes(tab) ? chosenPlies() : Math.min(chosenPlies(), TABLE_PLIES_MAX);
  const from = ["plays", "cube"].includes(tab) ? 0 : deepest;
  for (let plies = from; plies <= deepest; plies += 1) {
    if ((answers[tab]?.depth ?? -1) >= plies) continue;
    const mine = tab;
    stopping = new AbortController();
    const both = AbortSignal.any([signal, stopping.signal]);
    show(true);
    let answer;
    try {
      answer = await asks[mine](plies, both);
    } catch (error) {
      if (!signal.aborted && stopping.signal.aborted) break;
      throw error;
    }
    if (signal.aborted || mine !== tab) return;
    answers[mine] = { ...answer, depth: plies };
    show(plies < deepest);
    draw();
  }
  stopping = null;
  if (tab === "cube" && !answers.more && answers.cube.no_double !== undefined) await around(signal);
  if (isRollout() && ["plays", "cube"].includes(tab)) await rollOut(signal);
  show();
  panel.setAttribute("aria-busy", "false");
}

const asks = {
  plays: async (plies, signal) => {
    if (!shown.roll) return { isRoll: true };
    const answer = await ask("move", asked("move", { plies, top: LISTED }, true), signal);
    return { ...answer, count: shown.legal?.length ?? answer.legal ?? answer.plays.length };
  },
  // Where the player on roll may not double, the value stands instead.
  cube: async (plies, signal) => {
    const { owner, crawford } = shown.state;
    if (owner === "opponent" || crawford) return ask("eval", asked("eval", { plies }), signal);
    try {
      return await ask("cube", asked("cube", { plies }), signal);
    } catch (error) {
      if (!error.isRefusal) throw error;
      return ask("eval", asked("eval", { plies }), signal);
    }
  },
  scores: (plies, signal) => {
    const body = asked("scores");
    const { length, score, crawford, ...others } = body.settings;
    return ask("scores", { ...body, ...(shown.roll ? { roll: shown.roll } : {}), settings: { ...others, plies, away: AWAY } }, signal);
  },
  rolls: (plies, signal) => ask("rolls", asked("rolls", { plies }), signal),
  why: async (plies, signal) => {
    if (shown.roll && !answers.plays) answers.plays = { ...await asks.plays(0, signal), depth: 0 };
    const plays = compared && others().includes(compared) ? { plays: [compared] } : {};
    return ask("explain", { ...asked("explain", { plies, language }, true), ...plays }, signal);
  },
};

// What stands around a cube decision: the window, and the cube elsewhere.
async function around(signal) {
  const [{ cube: found }, { cubes }] = await Promise.all([
    ask("explain", asked("explain", { plies: 0 }), signal), ask("cubes", asked("cubes", { plies: answers.cube.depth }), signal),
  ]);
  if (signal.aborted) return;
  answers.more = { window: found?.window, losers: found?.market_losers, cubes };
  if (tab === "cube") show();
}

const others = () => (answers.plays?.plays ?? []).slice(1).map(({ play }) => play);

// Rolls the best plays or the cube decision out; the list follows the games.
async function rollOut(signal) {
  const mine = tab;
  const before = answers[mine];
  const names = (before?.plays ?? []).map(({ play }) => play).slice(0, ROLLED_OUT);
  if (mine === "plays" && names.length < 2) return;
  stopping = new AbortController();
  const body = { ...asked("rollout", { plies: 0, trials: TRIALS }, mine === "plays"),
    ...(mine === "plays" ? { plays: names } : before.no_double === undefined ? {} : { cube: true }) };
  try {
    await rollout(body, (report) => {
      if (mine !== tab || signal.aborted) return;
      answers[mine] = { ...rolledOut(report, before), depth: before.depth, trials: report.candidates[0]?.trials ?? 0, error: errorOf(report.candidates[0]) };
      // What is pressed stays where it is.
      if (!panel.matches(":active")) show(true);
    }, AbortSignal.any([signal, stopping.signal]));
  } catch (error) {
    if (signal.aborted) return;
    if (!stopping.signal.aborted) say(t("No rollout: {message}", error));
  }
  stopping = null;
}

const kindOf = ({ equity }) => (equity.cubeful === undefined ? "cubeless" : "cubeful");
const errorOf = (one) => (typeof one?.error?.[kindOf(one)] === "number" ? INTERVAL * one.error[kindOf(one)] : undefined);

// A report on a rollout in the form of the answer before it.
function rolledOut({ candidates }, before) {
  if (before.plays) {
    const plays = candidates.map((one) => ({ play: one.play, equity: one.equity[kindOf(one)], error: errorOf(one), probabilities: one.probabilities }));
    const rest = before.plays.filter(({ play }) => !plays.some((one) => one.play === play));
    return { ...before, plays: [...plays, ...rest.map((one) => ({ ...one, loss: undefined }))] };
  }
  if (before.no_double === undefined) return { ...before, equity: candidates[0].equity, probabilities: candidates[0].probabilities };
  const of = (action) => candidates.find((one) => one.action === action);
  const [none, taken] = [of("no double"), of("double, take")].map((one) => (one ? one.equity[kindOf(one)] : null));
  if (none === null || taken === null) return before;
  const passed = before.double_pass;
  const double = Math.min(taken, passed) > none;
  const take = taken <= passed;
  const verdict = double ? (take ? "double, take" : "double, pass") : take ? "no double, take" : "too good to double, pass";
  return { ...before, no_double: none, double_take: taken, double, take,
    verdict: before.double === double && before.take === take ? before.verdict : verdict, probabilities: of("no double").probabilities };
}

// What the panel shows

function say(message) {
  if (message === "") return;
  byId("verdict").replaceChildren(h("span", { class: "error" }, message));
  byId("verdict").className = "big long";
  byId("facts").replaceChildren();
}

// An error stands where the answer would; the board keeps the last position.
function fail(error) {
  const isAway = !error.isRefusal;
  say(isAway ? t("no answer from the server: {message}", error) : error.message);
  if (isAway) {
    const again = h("button", { type: "button", id: "retry" }, t("Try again"));
    again.addEventListener("click", load);
    byId("facts").replaceChildren(again);
  }
  document.title = `${t("Analyse")} – gammond`;
  if (shown === null) {
    byId("body").replaceChildren();
    board.show(parseId(START), {}, { label: t("Board") });
  }
  panel.setAttribute("aria-busy", "false");
}

function depthText(answer, isBusy) {
  const text = answer?.trials !== undefined
    ? t("rollout {n}", { n: answer.trials.toLocaleString("en") }) + (answer.error === undefined ? "" : ` · ± ${answer.error.toFixed(3)}`)
    : answer === undefined ? "…" : plies(answer.depth);
  const summary = h("summary", { class: isBusy ? "busy" : "", id: "depth" }, text);
  const items = [...DEPTHS.map((depth) => [`${depth}`, plies(depth)]), ["rollout", t("rollout")]].map(([value, label]) =>
    h("button", { type: "button", "data-plies": value, "aria-pressed": String(isRollout() ? value === "rollout" : Number(value) === chosenPlies()) }, label));
  const stop = isBusy ? [h("button", { type: "button", id: "stop" }, t("Stop"))] : [];
  return h("details", { class: "depth" }, summary, h("div", { role: "group", "aria-label": t("Look-ahead") }, ...items, ...stop));
}

const plies = (depth) => (depth === 1 ? t("1 ply") : t("{n} plies", { n: depth }));

function rollsOpen() {
  const names = [];
  for (let one = 1; one <= 6; one += 1) for (let other = 1; other <= one; other += 1) names.push(`${one}${other}`);
  return h("div", { class: "rolls-open", role: "group", "aria-label": t("Roll|dice") },
    ...names.map((roll) => h("button", { type: "button", "data-roll": roll }, roll)));
}

function content() {
  const answer = answers[tab];
  if (tab === "plays" && !shown.roll) return { big: t("Which roll?"), facts: [], body: [rollsOpen()] };
  if (answer === undefined) return null;
  switch (tab) {
    case "plays": return panels.plays(withTried(answer), tried);
    case "cube": return panels.cube(answer, answers.more);
    case "scores": return panels.scores(answer);
    case "rolls": return panels.rolls(answer);
    default: return panels.why(answer, others(), (play) => { compared = play; delete answers.why; again(); });
  }
}

// The list with the play on the board, if that is not among the best.
function withTried(answer) {
  if (tried === null || answer.plays.some(({ play }) => play === tried)) return answer;
  const mine = shown.legal?.find(({ play }) => play === tried);
  const static0 = shown.legal?.[0];
  // Its value without look-ahead beside the best one's.
  if (!mine) return answer;
  const equity = panels.equityOf(answer.plays[0]) - (panels.equityOf(static0) - panels.equityOf(mine));
  return { ...answer, plays: [...answer.plays, { ...mine, equity, loss: undefined }] };
}

function show(isBusy = false) {
  if (setUp.isOpen || shown === null) return;
  const made = content();
  for (const button of byId("tabs").children) {
    const isHere = button.dataset.tab === tab;
    button.setAttribute("aria-selected", String(isHere));
    button.tabIndex = isHere ? 0 : -1;
  }
  const open = document.querySelector(".depth[open]") !== null;
  const depth = depthText(answers[tab], isBusy);
  depth.open = open;
  const before = panel.querySelector(".depth");
  // Its buttons stay while they are the same, for the one that is pressed or has the focus.
  if (before?.lastChild.outerHTML === depth.lastChild.outerHTML) before.firstChild.replaceChildren(...depth.firstChild.childNodes);
  else before?.remove();
  if (panel.querySelector(".depth") === null) panel.querySelector(".sub").append(depth);
  panel.dataset.tab = tab;
  panel.dataset.depth = answers[tab]?.depth ?? "";
  if (answers[tab]?.trials !== undefined) panel.dataset.trials = answers[tab].trials;
  else delete panel.dataset.trials;
  if (made === null) return;
  const verdict = byId("verdict");
  const value = made.equity === undefined ? [] : [h("span", { class: "eq" }, signed(made.equity))];
  verdict.replaceChildren(typeof made.big === "string" ? h("span", {}, made.big) : made.big, ...value);
  verdict.className = `big${typeof made.big === "string" && made.big.length > 30 ? " long" : ""}`;
  byId("facts").replaceChildren(...made.facts.map((text) => h("span", {}, text)));
  if (made.probabilities) panels.chances(byId("chances"), made.probabilities);
  fillBody([...made.body, ...controls()]);
  document.title = `${title()} – gammond`;
}

// The focus stays on the play or the choice that has it; rows that change places are seen to.
function fillBody(parts) {
  const body = byId("body");
  const { activeElement } = document;
  const focus = activeElement && body.contains(activeElement)
    ? ["play", "roll", "away"].map((name) => [name, activeElement.dataset[name]]).find(([, value]) => value !== undefined) ?? ["id", activeElement.id]
    : null;
  const before = new Map([...body.querySelectorAll("[data-play]")].map((row) => [row.dataset.play, row.getBoundingClientRect().top]));
  const { scrollTop } = body;
  body.replaceChildren(...parts);
  body.scrollTop = scrollTop;
  if (focus === null) return;
  const [name, text] = focus;
  const focused = name === "id" ? byId(text) : [...body.querySelectorAll(`[data-${name}]`)].find((one) => one.dataset[name] === text);
  focused?.focus({ preventScroll: true });
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const row of body.querySelectorAll("[data-play]")) {
    const way = (before.get(row.dataset.play) ?? NaN) - row.getBoundingClientRect().top;
    if (way) row.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }
}

// Below the list: what goes on with the play that was made by hand.
function controls() {
  if (tab !== "plays" || turn === null || turn.steps.length === 0) return [];
  const undo = h("button", { type: "button", id: "undo" }, t("Undo"));
  const on = h("button", { type: "button", class: "main", id: "go-on" }, t("Go on"));
  undo.addEventListener("click", takeBack);
  on.addEventListener("click", () => follow(tried));
  return [h("div", { class: "row" }, undo, ...(tried === null ? [] : [on]))];
}

function takeBack() {
  if (turn === null || turn.steps.length === 0) return;
  turn.undo();
  tried = turn.play?.play ?? null;
  draw();
  show();
}

const title = () => (shown.roll ? t("Plays of {roll}", { roll: shown.roll.join("") }) : t("Cube|tab"));

function texts() {
  byId("my-pips").textContent = t("{n} pips", { n: pips(shown.position.me) });
  byId("their-pips").textContent = t("{n} pips", { n: pips(shown.position.opponent) });
  byId("rules").textContent = scoreText(shown.state);
  byId("roll").textContent = shown.roll ? t("Roll {roll}", { roll: shown.roll.join("") }) : t("Roll|verb");
}

// What the picture to share says.
function drawn() {
  const { plays: ranked, no_double: none, double_take: taken, double_pass: passed } = answers[shown.roll ? "plays" : "cube"] ?? {};
  const choices = none === undefined ? []
    : [[t("No double"), signed(none), ""], [t("Double, take"), signed(taken), ""], [t("Double, pass"), signed(passed), ""]];
  const rows = ranked
    ? ranked.map((one, at) => [one.play, signed(panels.equityOf(one)), at === 0 ? "" : signed(panels.equityOf(one) - panels.equityOf(ranked[0]))])
    : choices;
  const heading = shown.roll ? title() : t(answers.cube?.verdict ?? "Cube|tab");
  const line = `${byId("rules").textContent} · ${t("{n} pips", { n: pips(shown.position.me) })} – ${t("{n} pips", { n: pips(shown.position.opponent) })}`;
  return { play: ranked?.[0]?.play || null, heading, rows, line, clockwise: board.clockwise };
}

// What a person does

function choose(name) {
  if (setUp.isOpen) openSetUp(false);
  tab = name;
  again();
  draw();
}

function again() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  show();
  look(signal).catch((error) => { if (!signal.aborted) fail(error); });
}

// Makes a play: the checkers go their way, then the opponent is on roll.
async function follow(name) {
  const play = shown.legal?.find((one) => one.play === name) ?? answers.plays?.plays?.find((one) => one.play === name);
  if (!play?.position) return;
  const before = question;
  const after = swapped(parseId(play.position));
  board.show(after, shown.state, { label: words(after, shown.state) });
  await new Promise((done) => { setTimeout(done, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : GO_ON_MS); });
  // Meanwhile the person may have gone somewhere else.
  if (question === before) go({ position: play.position, roll: null, settings: { ...withSettings(shown.state, true), ...keptPlies() } });
}

const keptPlies = () => (question.settings.plies === undefined ? {} : { plies: question.settings.plies });

// The same position with other dice, or none.
function take(roll) {
  go({ position: shown.ids.position, roll, settings: { ...withSettings(shown.state), ...keptPlies() } });
}

function chooseRoll() {
  const random = h("button", { type: "button", id: "random" }, t("Random roll"));
  const none = h("button", { type: "button", id: "no-roll" }, t("No roll"));
  const grid = rollsOpen();
  const open = dialog(t("Which roll?"), h("div", { class: "choices" }, grid, h("div", { class: "row" }, random, none)));
  const chosen = (roll) => { open.close(); take(roll); };
  grid.addEventListener("click", (event) => { const { roll } = event.target.dataset; if (roll) chosen(roll.split("").map(Number)); });
  random.addEventListener("click", () => chosen(randomRoll()));
  none.addEventListener("click", () => chosen(null));
}

const randomRoll = () => [1, 1].map(() => 1 + Math.floor(6 * Math.random())).sort().reverse();

function openSetUp(isOpen) {
  setUp.isOpen = isOpen;
  byId("set").setAttribute("aria-pressed", String(isOpen));
  byId("tabs").hidden = isOpen;
  panel.querySelector(".depth")?.toggleAttribute("hidden", isOpen);
  if (isOpen) {
    running.abort();
    byId("chances").hidden = true;
    byId("verdict").replaceChildren(h("span", {}, t("Set up")));
    byId("verdict").className = "big";
    byId("facts").replaceChildren();
    byId("body").replaceChildren(setUp.tools);
    panel.setAttribute("aria-busy", "false");
    draw();
  } else {
    byId("body").replaceChildren();
    load();
  }
}

byId("tabs").append(...TABS.map(([name, label]) => h("button",
  { type: "button", role: "tab", "data-tab": name, "aria-controls": "body", "aria-selected": "false" }, t(label))));
byId("tabs").addEventListener("click", (event) => { const name = event.target.closest("[data-tab]")?.dataset.tab; if (name && shown) choose(name); });
byId("tabs").addEventListener("keydown", (event) => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way || !shown) return;
  event.preventDefault();
  event.stopPropagation();
  const at = TABS.findIndex(([name]) => name === tab);
  choose(TABS[(at + way + TABS.length) % TABS.length][0]);
  byId("tabs").querySelector("[aria-selected=true]").focus();
});
byId("body").addEventListener("click", (event) => {
  const row = event.target.closest("[data-play]");
  if (row) { follow(row.dataset.play); return; }
  const cell = event.target.closest("[data-away]");
  if (cell) {
    const away = cell.dataset.away.split(",").map(Number);
    const length = Math.max(...away, AWAY);
    const state = { ...shown.state, length, score: away.map((one) => length - one), crawford: cell.dataset.crawford === "true" };
    go({ position: shown.ids.position, roll: shown.roll, settings: { ...withSettings(state), ...keptPlies() } });
    return;
  }
  const roll = event.target.closest("[data-roll]");
  if (roll) take(roll.dataset.roll.split("").map(Number));
});
const rowOf = (event) => event.target.closest?.("[data-play]");
for (const [enter, leave] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  byId("body").addEventListener(enter, (event) => { if (rowOf(event)) draw(rowOf(event).dataset.play); });
  byId("body").addEventListener(leave, (event) => { if (rowOf(event)) draw(); });
}
panel.addEventListener("click", (event) => {
  if (event.target.id === "stop") { stopping?.abort(); return; }
  const depth = event.target.closest("[data-plies]")?.dataset.plies;
  if (depth === undefined) return;
  const isRolledOut = depth === "rollout";
  const { plies: before, ...settings } = question.settings;
  question = { ...question, settings: isRolledOut || Number(depth) === PLIES ? settings : { ...settings, plies: Number(depth) } };
  history.pushState(null, "", link(question) + (isRolledOut ? ROLLOUT_MARK : ""));
  panel.querySelector(".depth").open = false;
  answers = {};
  again();
});
byId("set").addEventListener("click", () => openSetUp(!setUp.isOpen));
byId("rules").addEventListener("click", () => { openSetUp(true); setUp.openRules(); });
byId("roll").addEventListener("click", chooseRoll);
byId("flip").addEventListener("click", () => flip());
byId("back").addEventListener("click", () => history.back());
byId("forward").addEventListener("click", () => history.forward());
byId("share").addEventListener("click", () => { if (shown) share(shown, question, drawn()); });
addEventListener("popstate", () => {
  question = questionOf(location);
  load();
});

takes.position = (text) => {
  if (setUp.isOpen) openSetUp(false);
  go({ position: text, roll: null, settings: keptPlies() });
};
takes.flipped = (isTurned) => {
  board.clockwise = isTurned;
  draw();
};
takes.failed = say;

for (const [key, name] of Object.entries(TAB_KEYS)) onKey(key, t(TABS.find(([one]) => one === name)[1]), () => { if (shown) choose(name); });
for (let at = 1; at <= 9; at += 1) {
  onKey(String(at), at === 1 ? t("1 to 9: choose a play") : "", () => byId("body").querySelectorAll("[data-play]")[at - 1]?.focus());
}
onKey("r", t("roll"), () => take(randomRoll()));
onKey("Enter", t("go on with the play on the board"), () => follow(tried ?? answers.plays?.plays?.[0]?.play));
onKey("u", t("undo"), takeBack);
onKey("e", t("set up a position"), () => openSetUp(!setUp.isOpen));
onKey("ArrowLeft", t("back"), () => history.back());
onKey("ArrowRight", t("forward"), () => history.forward());

load();
