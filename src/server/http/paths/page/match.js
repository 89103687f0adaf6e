// The page of one match: its course, the decisions on a board, mistakes one after another, comments and a deeper look.

import { analyse, ask, askAll } from "./ask.js";
import { Board } from "./board.js";
import { course } from "./curve.js";
import { isFlipped, takes } from "./frame.js";
import { byId, download, h, named, signed, table } from "./html.js";
import { liveRollout } from "./live.js";
import * as panels from "./panels.js";
import { checkersIn, inWords, parseId, pips } from "./position.js";
import { cubeTable, exploreLink, foundBy, playsTable, totalsTable } from "./report.js";
import { ofVariant, stateOf, turned } from "./state.js";
import { update } from "./store.js";
import { count, language, parts, t } from "./strings.js";

const DEEPER_PLIES = 2;
const DEEPER_PLAYS = 5;
// Questions of one request (HTTP-30).
const BATCH_MAX = 1000;
// The least loss of a mistake (ANA-07).
const MISTAKE = 0.03;

let match = null;
let actions = null;
// The decisions of the list, and the number of the one on the board.
let listed = [];
let here = 0;
let tab = "mistakes";
// Values before the rolls, by decision: { line, places } once they are there.
let line = null;
let moveCursor = () => {};
let running = new AbortController();
let drawing = new AbortController();

// The board only shows.
const board = new Board(byId("place"), { label: () => null, canLift: () => false, targets: () => [], activate: () => {}, drop: () => {} });
board.clockwise = isFlipped();
takes.flipped = (isTurned) => {
  board.clockwise = isTurned;
  if (match !== null) showDecision();
};

const decisions = () => match.report.decisions;

// The depth of the analysis, and whether a deeper one is on its way.
export function judged(depth, isBusy = false) {
  byId("judged").textContent = Number(depth) === 1 ? t("1 ply") : t("{n} plies", { n: depth });
  byId("judged").classList.toggle("busy", isBusy);
}

export function showMatch(kept, todo) {
  // The same match, judged deeper, stays where it is.
  const before = match?.id === kept.id ? here : null;
  match = kept;
  actions = todo;
  line = null;
  if (match.depth !== undefined) judged(match.depth);
  else byId("judged").textContent = match.report.level;
  moveCursor = () => {};
  const { report } = match;
  const { players, score, length, games, level, faults } = report;
  byId("title").replaceChildren(named(players[0]), ` ${score[0]} – ${score[1]} `, named(players[1]));
  const kind = length > 0 ? t("Match to {length}", { length }) : t("Money session");
  const reasons = faults.map((one) => one.message ?? JSON.stringify(one)).join("; ").slice(0, 500);
  const broken = faults.length > 0 ? ` ${t("Faults of the file: {reasons}", { reasons })}` : "";
  const played = count(games.length, "{n} game", "{n} games");
  byId("about").textContent = t("{kind}, {games}, analysed at {level}.", { kind, games: played, level }) + broken;
  [...byId("player").options].slice(1).forEach((option, side) => { option.textContent = players[side].slice(0, 60); });
  // An archived match has no comments of this browser before it is kept here.
  byId("keep").hidden = !match.isArchived;
  byId("comments").hidden = byId("remove").hidden = match.isArchived === true;
  byId("export-html").hidden = byId("export-sgf").hidden = !match.file;
  byId("sheet").replaceChildren(scoreSheet(report));
  byId("totals").replaceChildren(totalsTable(report));
  byId("people").replaceChildren(...report.totals.map((one, side) => h("div", {}, h("span", {}, named(players[side])),
    h("b", {}, one.error_rate.pr?.toFixed(1) ?? "–"),
    h("span", {}, t("PR · luck {luck}", { luck: signed(one.luck.emg, 2) })))));
  byId("curve").replaceChildren();
  drawing.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  // The archive does not know the scores in a money session, so that its curve has no points to stand on.
  if (games.every(({ score: before }) => before !== null)) {
    chances(report, signal).then((found) => {
      if (signal.aborted) return;
      line = found;
      drawCourse();
      showPlace();
    }, () => {});
  }
  filter();
  go(before ?? listed[0]?.number ?? 0);
}

function scoreSheet({ games, players }) {
  const rows = games.map(({ game, score, crawford, result, totals }) => [
    String(game), (score?.join("–") ?? "–") + (crawford ? `, ${t("Crawford")}` : ""),
    // The archive does not know the results of a money session.
    result ? h("span", {}, named(players[result.winner]), ` +${result.points}`) : score ? t("not finished") : "–",
    ...totals.map((one) => `${one.error_rate.pr?.toFixed(1) ?? "–"}, ${signed(one.luck.emg, 2)}`),
  ]);
  return table(t("Games"),
    [t("Game"), t("Score before"), t("Result"), ...players.map((name) => h("span", {}, ...parts("{name}: PR, luck", { name: named(name) })))], rows, "heads");
}

// Settings of a question about the match.
const asked = (settings) => ofVariant(settings, match.report);

// The first player's chances before each roll, as they were and without the luck of the dice before (ANA-15).
async function chances({ decisions: all, games, length, players, variant }, signal) {
  const rolled = all.map((one, number) => ({ ...one, number })).filter((one) => one.kind === "play");
  const found = [];
  for (let from = 0; from < rolled.length; from += BATCH_MAX) {
    const questions = rolled.slice(from, from + BATCH_MAX).map(({ position }) => ({ position, settings: ofVariant({ plies: 0 }, { variant }) }));
    found.push(...await askAll("eval", questions, signal));
  }
  const [values, lucky] = [[], []];
  let luck = 0;
  rolled.forEach((one, index) => {
    const { equity, mwc } = found[index];
    const sign = one.player === 0 ? 1 : -1;
    const [mine, theirs] = games.find(({ game }) => game === one.game).score;
    const cube = 2 ** (atob(one.position.slice(15)).charCodeAt(0) & 15);
    const now = length > 0 ? 0.5 + sign * (mwc.cubeful - 0.5) : mine - theirs + sign * equity.cubeful * cube;
    values.push(now);
    lucky.push(now - luck);
    luck += sign * (one.luck?.mwc ?? 0);
  });
  const name = players[0].slice(0, 60);
  const title = length > 0 ? t("Match winning chances of {name}", { name }) : t("Points of {name}", { name });
  return { title, values, lucky, numbers: rolled.map(({ number }) => number),
    range: length > 0 ? [0, 1] : [-1, 1], probabilities: found.map(({ probabilities }) => probabilities) };
}

// The place of a decision on the curve: the last roll at or before it.
const placeOf = (number) => Math.max(0, line.numbers.findLastIndex((one) => one <= number));

function drawCourse() {
  if (line === null || line.values.length === 0) return;
  const { games } = match.report;
  const dots = decisions().map((one, number) => [placeOf(number), panels.lossClass(one.loss.emg), one.loss.emg]).filter(([, , loss]) => loss >= MISTAKE);
  const begins = games.map(({ game, score }) => [placeOf(decisions().findIndex((one) => one.game === game)),
    t("Game {number}", { number: game }) + (score ? ` · ${score.join("–")}` : "")]);
  moveCursor = course(byId("curve"), line.title, { ...line, dots, games: begins, here: placeOf(here) }, (place) => go(line.numbers[place]));
}

// The place on the curve, and the chances there.
function showPlace() {
  if (line === null || line.numbers.length === 0) return;
  const place = placeOf(here);
  moveCursor(place);
  const isRoll = line.numbers[place] === here;
  byId("chances").hidden = !isRoll;
  if (isRoll) panels.chances(byId("chances"), line.probabilities[place]);
}

function filter() {
  const [kind, player] = [byId("kind").value, byId("player").value];
  const least = Number(byId("loss").value);
  listed = decisions().map((decision, number) => ({ ...decision, number })).filter((one) => {
    const isPlay = one.kind === "play";
    return one.loss.emg >= least && (kind === "" || (kind === "play") === isPlay) && (player === "" || one.player === Number(player));
  });
  if (byId("order").value === "loss") listed.sort((one, other) => other.loss.emg - one.loss.emg);
  byId("decisions").replaceChildren(...listed.map((one) => {
    const note = match.comments[one.number] ? " ✎" : "";
    const roll = one.roll ? `${one.roll.join("")}: ` : "";
    return h("li", {}, h("button", { type: "button", class: "mistake", "data-number": one.number }, h("small", {}, `${one.game} · ${one.move}`),
      h("span", {}, h("span", { class: "played" }, `${roll}${t(one.played || "no play")}${note}`),
        one.loss.emg > 0 ? h("small", {}, t("best: {play}", { play: t(one.best || "no play") })) : ""),
      h("span", { class: `badge ${panels.lossClass(one.loss.emg)}` }, one.loss.emg > 0 ? one.loss.emg.toFixed(3) : "")));
  }));
  if (listed.length === 0) byId("decisions").replaceChildren(h("li", { class: "note" }, t("No decision has such a loss.")));
  mark();
}

function go(number) {
  if (decisions().length === 0) return;
  here = Math.min(Math.max(number, 0), decisions().length - 1);
  showDecision();
}

// Goes to the next decision of the list, or to the one before.
export function step(way) {
  if (match === null || listed.length === 0) return;
  const at = listed.findIndex(({ number }) => number === here);
  if (at >= 0) { go(listed[Math.min(Math.max(at + way, 0), listed.length - 1)].number); return; }
  const numbers = listed.map(({ number }) => number).sort((one, other) => one - other);
  const next = way > 0 ? numbers.find((number) => number > here) : numbers.findLast((number) => number < here);
  if (next !== undefined) go(next);
}

export const neighbour = (way) => { if (match !== null) go(here + way); };

function mark() {
  for (const button of byId("decisions").querySelectorAll("[data-number]")) {
    const isHere = Number(button.dataset.number) === here;
    if (isHere) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    // Only the panel scrolls: on a phone the board stays where it is.
    const panel = byId("tab-mistakes");
    const scrolls = !panel.hidden && panel.scrollHeight > panel.clientHeight && getComputedStyle(panel).overflowY === "auto";
    if (isHere && scrolls) button.scrollIntoView({ block: "nearest" });
  }
}

function showDecision() {
  running.abort();
  running = new AbortController();
  const one = decisions()[here];
  const { players, games, length } = match.report;
  const loss = one.loss.emg;
  byId("deep").replaceChildren();
  delete byId("deep").dataset.state;
  byId("why").replaceChildren();
  byId("comment").value = match.comments[here] ?? "";
  byId("explore").setAttribute("href", exploreLink(one, match.report));
  const roll = one.roll ? `${one.roll.join("")}: ` : "";
  byId("decision").replaceChildren(h("span", {}, `${roll}${t(one.played || "no play")}`),
    ...(loss > 0 ? [h("span", { class: `badge eq ${panels.lossClass(loss)}` }, signed(-loss))] : []));
  byId("panel").dataset.number = here;
  const facts = [h("span", {}, named(players[one.player])), h("span", {}, t("game {game}, move {move}", { game: one.game, move: one.move }))];
  if (loss > 0) facts.push(h("span", {}, t("best: {play}", { play: t(one.best || "no play") })));
  byId("facts").replaceChildren(...facts);
  const found = foundBy(one);
  byId("choices").replaceChildren(choices(one), ...(found ? [h("p", { class: "note" }, found)] : []));
  byId("roll-out").disabled = byId("deeper").disabled = one.kind === "resign";
  const { viewer, turns } = offerBefore(here);
  const position = parseId(one.position.slice(0, 14));
  const names = [players[viewer], players[1 - viewer]];
  byId("my-name").replaceChildren(named(names[0]));
  byId("their-name").replaceChildren(named(names[1]));
  byId("my-pips").textContent = t("{n} pips", { n: pips(position.me) });
  byId("their-pips").textContent = t("{n} pips", { n: pips(position.opponent) });
  const { score, crawford } = games.find(({ game }) => game === one.game);
  const standing = score ? `${score[viewer]}–${score[1 - viewer]}` : "";
  byId("score").textContent = [length > 0 ? t("Match to {length}", { length }) : t("Money session"), standing, crawford ? t("Crawford") : ""]
    .filter((text) => text !== "").join(" · ");
  const words = inWords(position, names, checkersIn(match.report.variant));
  const play = one.kind === "play" && one.best !== "" ? one.best : null;
  const mine = one;
  const offered = ({ cube = 1 }) => (turns > 0 ? { value: cube * 2 ** turns, offeredBy: turns % 2 === 1 ? "me" : "opponent" } : null);
  const drawn = (state) => board.show(position, state, { roll: one.roll, play, offered: offered(state), label: t("Board. {words}", { words }) });
  byId("place").setAttribute("aria-busy", "true");
  stateOf({ position: one.position, settings: asked({}) }).then((state) => {
    if (mine !== decisions()[here]) return;
    drawn(state);
    byId("place").setAttribute("aria-busy", "false");
  }, () => drawn({}));
  showPlace();
  mark();
  if (tab === "why") reasons();
}

// Who sees the position of a decision, and how often the cube was turned before it: answers to a double and to beavers belong to the position of
// the player who doubled.
function offerBefore(number) {
  const { kind, player } = decisions()[number];
  if (kind !== "take" && kind !== "beaver") return { viewer: player, turns: 0 };
  const double = decisions().findLastIndex((one, at) => at < number && one.kind === "double");
  return { viewer: decisions()[double]?.player ?? 1 - player, turns: double < 0 ? 1 : number - double };
}

function choices(one) {
  if (one.plays) {
    const { best, played } = one.plays;
    const known = best.find((play) => play.play === played.play);
    return playsTable(t("Plays"), known ? best : [...best, played], known ?? played, t("played"));
  }
  if (one.cube) return h("div", {}, cubeTable(t("Cube decision"), one.cube), h("p", {}, t("Done: {played}.", { played: t(one.played) })));
  return h("p", {}, t("Done: {played}; best: {best}", { played: t(one.played), best: t(one.best) }));
}

// Names of the plays that are looked at: the best ones and the one that was played.
const namesOf = ({ plays, best, played }) => [...new Set([played, best, ...(plays?.best ?? []).map(({ play }) => play)])].slice(0, DEEPER_PLAYS);

// Values the plays at one depth each; a ranking would leave a play far behind the best at its static value.
async function deeperPlays(one, signal) {
  const { position, roll } = one;
  const [{ plays }, state] = await Promise.all([
    ask("move", { position, roll, settings: asked({ plies: 0, top: 0 }) }, signal), stateOf({ position, settings: asked({}) }),
  ]);
  const listed = plays.filter(({ play }) => namesOf(one).includes(play));
  const settings = { ...turned(state), plies: DEEPER_PLIES };
  const values = await askAll("eval", listed.map((play) => ({ position: play.position, settings })), signal);
  // A play that ends the game has its exact value.
  const valued = listed.map((play, at) => (values[at].equity
    ? { play: play.play, equity: -values[at].equity.cubeful, plies: values[at].plies } : { ...play, loss: undefined }));
  return valued.sort((first, second) => second.equity - first.equity);
}

async function deeper() {
  const one = decisions()[here];
  const place = byId("deep");
  const { signal } = running;
  place.replaceChildren(h("p", {}, "…"));
  try {
    if (one.roll) {
      const plays = await deeperPlays(one, signal);
      place.replaceChildren(playsTable(t("Looked deeper"), plays, plays.find(({ play }) => play === one.played), t("played")));
    } else {
      place.replaceChildren(cubeTable(t("Looked deeper"), await ask("cube", { position: one.position, settings: asked({ plies: DEEPER_PLIES }) }, signal)));
    }
  } catch (error) {
    if (!signal.aborted) place.replaceChildren(h("p", { class: "error" }, error.message));
  }
}

function rollOut() {
  const one = decisions()[here];
  liveRollout(byId("deep"), { position: one.position, roll: one.roll, settings: asked({}), plays: namesOf(one), isCube: !one.roll }, running.signal);
}

// The reasons: the best choice beside the one that was made.
async function reasons() {
  const one = decisions()[here];
  const { signal } = running;
  const place = byId("why");
  if (one.kind === "resign") { place.replaceChildren(h("p", { class: "note" }, t("There are no reasons for a resignation."))); return; }
  place.replaceChildren(h("p", {}, "…"));
  try {
    const other = one.roll && one.played && one.played !== one.best ? { plays: [one.played] } : {};
    const question = { position: one.position, ...(one.roll ? { roll: one.roll } : {}), settings: asked({ plies: DEEPER_PLIES, language }), ...other };
    const answer = await ask("explain", question, signal);
    if (!signal.aborted) place.replaceChildren(h("ul", { class: "facts", lang: answer.language }, ...answer.sentences.map(({ text }) => h("li", {}, text))));
  } catch (error) {
    if (!signal.aborted) place.replaceChildren(h("p", { class: "note" }, t("no explanation: {message}", error)));
  }
}

async function keepComment() {
  const text = byId("comment").value;
  const at = here;
  const known = await update("matches", match.id, (one) => {
    if (text === "") delete one.comments[at];
    else one.comments[at] = text;
    return one;
  });
  if (known) match.comments = known.comments;
  else byId("about").textContent = t("there is no such match here");
}

async function save(format, kind) {
  try {
    const text = await (await analyse(match.file, { plies: match.depth }, format)).text();
    download(`match.${format}`, text, kind);
  } catch (error) {
    byId("about").textContent = t("no file: {message}", error);
  }
}

export function choose(name) {
  tab = name;
  for (const button of byId("tabs").children) {
    const isHere = button.dataset.tab === name;
    button.setAttribute("aria-selected", String(isHere));
    button.tabIndex = isHere ? 0 : -1;
    byId(`tab-${button.dataset.tab}`).hidden = !isHere;
  }
  if (name === "why" && match !== null) reasons();
  if (match !== null) mark();
}

for (const id of ["kind", "loss", "order", "player"]) byId(id).addEventListener("change", () => { filter(); if (listed.length > 0) go(listed[0].number); });
byId("before").addEventListener("click", () => neighbour(-1));
byId("after").addEventListener("click", () => neighbour(1));
byId("next").addEventListener("click", () => step(1));
byId("deeper").addEventListener("click", deeper);
byId("roll-out").addEventListener("click", rollOut);
byId("comment").addEventListener("input", keepComment);
byId("decisions").addEventListener("click", (event) => {
  const button = event.target.closest("[data-number]");
  if (button) go(Number(button.dataset.number));
});
byId("tabs").addEventListener("click", (event) => { const name = event.target.closest("[data-tab]")?.dataset.tab; if (name) choose(name); });
byId("tabs").addEventListener("keydown", (event) => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...byId("tabs").children];
  const next = all[(all.findIndex((one) => one.dataset.tab === tab) + way + all.length) % all.length];
  choose(next.dataset.tab);
  next.focus();
});
byId("export-html").addEventListener("click", () => save("html", "text/html"));
byId("export-sgf").addEventListener("click", () => save("sgf", "application/x-go-sgf"));
byId("keep").addEventListener("click", () => actions.keep(match));
byId("remove").addEventListener("click", () => actions.remove(match.id));
new ResizeObserver(() => { if (match !== null) drawCourse(); }).observe(byId("curve"));
choose("mistakes");
