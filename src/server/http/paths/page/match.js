// The page of one match: decisions on a board, filtered and stepped through, with comments and a deeper look.

import { analyse, ask, askAll } from "./api.js";
import { Board } from "./board.js";
import { curve } from "./curve.js";
import { byId, download, h, named, signed, table } from "./html.js";
import { liveRollout } from "./live.js";
import { inWords, parseId } from "./position.js";
import { cubeTable, decisionText, exploreLink, foundBy, playsTable, totalsTable } from "./report.js";
import { stateOf, turned } from "./state.js";
import { put } from "./store.js";
import { count, parts, t } from "./strings.js";

const DEEPER_PLIES = 2;
const DEEPER_PLAYS = 5;
// Questions of one request (HTTP-30).
const BATCH_MAX = 1000;

let match = null;
let actions = null;
let shown = [];
let at = -1;
let running = new AbortController();
let drawing = new AbortController();

// The board only shows.
const board = new Board(byId("place"), { label: () => null, canLift: () => false, targets: () => [], activate: () => {}, drop: () => {} });

export async function showMatch(kept, todo) {
  match = kept;
  actions = todo;
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
  byId("export-html").disabled = byId("export-sgf").disabled = match.file === null;
  byId("sheet").replaceChildren(scoreSheet(report));
  byId("curve").replaceChildren();
  drawing.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  // The archive does not know the scores in a money session, so that its curve has no points to stand on.
  if (report.games.every(({ score: before }) => before !== null)) chances(report, signal).then((figure) => { if (!signal.aborted) byId("curve").replaceChildren(figure); }, () => {});
  byId("totals").replaceChildren(totalsTable(report));
  filter();
}

function scoreSheet({ games, players }) {
  const rows = games.map(({ game, score, crawford, result, totals }) => [
    t("Game {number}", { number: game }), (score?.join("–") ?? "–") + (crawford ? `, ${t("Crawford")}` : ""),
    result ? h("span", {}, named(players[result.winner]), ` +${result.points}`) : t("not finished"),
    ...totals.map((one) => `${one.error_rate.pr?.toFixed(1) ?? "–"}, ${signed(one.luck.emg, 2)}`),
  ]);
  return table(t("Games"), [t("Game"), t("Score before"), t("Result"), ...players.map((name) => h("span", {}, ...parts("{name}: PR, luck", { name: named(name) })))], rows, "heads");
}

// The first player's chances before each roll, as they were and without the luck of the dice before (ANA-15).
async function chances({ decisions, games, length, players }, signal) {
  const rolls = decisions.filter((one) => one.kind === "play");
  const values = [];
  for (let from = 0; from < rolls.length; from += BATCH_MAX) {
    const questions = rolls.slice(from, from + BATCH_MAX).map(({ position }) => ({ position, settings: { plies: 0 } }));
    values.push(...await askAll("eval", questions, signal));
  }
  const lines = [[], []];
  let luck = 0;
  rolls.forEach((one, index) => {
    const { equity, mwc } = values[index];
    const sign = one.player === 0 ? 1 : -1;
    const [mine, theirs] = games.find(({ game }) => game === one.game).score;
    const cube = 2 ** (atob(one.position.slice(15)).charCodeAt(0) & 15);
    const now = length > 0 ? 0.5 + sign * (mwc.cubeful - 0.5) : mine - theirs + sign * equity.cubeful * cube;
    lines[0].push(now);
    lines[1].push(now - luck);
    luck += sign * (one.luck?.mwc ?? 0);
  });
  const shownAs = length > 0 ? (one) => `${(100 * one).toFixed(0)} %` : (one) => signed(one, 1);
  const name = players[0].slice(0, 60);
  const title = length > 0 ? t("Match winning chances of {name}", { name }) : t("Points of {name}", { name });
  const both = [{ label: t("as it went"), kind: "full", values: lines[0] }, { label: t("without luck"), kind: "dashed", values: lines[1] }];
  return curve(title, both, shownAs, length > 0 ? [0, 1] : [-1, 1]);
}

function filter() {
  const [kind, player] = [byId("kind").value, byId("player").value];
  const least = Number(byId("loss").value);
  shown = match.report.decisions.map((decision, number) => ({ ...decision, number })).filter((one) => {
    const isPlay = one.kind === "play";
    return one.loss.emg >= least && (kind === "" || (kind === "play") === isPlay) && (player === "" || one.player === Number(player));
  });
  if (byId("order").value === "loss") shown.sort((one, other) => other.loss.emg - one.loss.emg);
  byId("decisions").replaceChildren(...shown.map((one, index) => {
    const note = match.comments[one.number] ? " ✎" : "";
    const button = h("button", { type: "button", class: "plain", "data-at": index }, `${one.game}.${one.move} ${decisionText(one)}${note}`);
    return h("li", {}, button, h("span", { class: "loss" }, one.loss.emg > 0 ? signed(-one.loss.emg) : ""));
  }));
  at = -1;
  step(1);
}

// Goes to the next decision of the list, or to the one before.
export function step(way) {
  if (shown.length === 0) {
    at = -1;
    byId("decision").textContent = t("No decision has such a loss.");
    for (const id of ["choices", "deep"]) byId(id).replaceChildren();
    byId("place").replaceChildren();
    return;
  }
  at = Math.min(Math.max(at + way, 0), shown.length - 1);
  showDecision().catch((error) => { byId("decision").textContent = t("no board from the server: {message}", error); });
}

async function showDecision() {
  running.abort();
  running = new AbortController();
  const one = shown[at];
  const { players } = match.report;
  byId("deep").replaceChildren();
  byId("comment").value = match.comments[one.number] ?? "";
  byId("explore").setAttribute("href", exploreLink(one));
  for (const button of byId("decisions").querySelectorAll("button")) {
    const isHere = Number(button.dataset.at) === at;
    if (isHere) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    if (isHere) button.scrollIntoView({ block: "nearest" });
  }
  byId("decision").replaceChildren(
    ...parts("{at} of {total}. {name}, game {game}, move {move}: {decision}.", {
      at: at + 1, total: shown.length, name: named(players[one.player]), game: one.game, move: one.move, decision: decisionText(one),
    }),
    one.loss.emg > 0 ? ` ${t("It loses {loss}.", { loss: one.loss.emg.toFixed(3) + (one.mark ? `, ${t(one.mark)}` : "") })}` : "",
    ` ${foundBy(one) ?? ""}`,
  );
  byId("choices").replaceChildren(choices(one));
  byId("roll-out").disabled = byId("deeper").disabled = one.kind === "resign";
  // The position of a take is seen by the player who doubled.
  const viewer = one.kind === "take" ? 1 - one.player : one.player;
  const names = [players[viewer], players[1 - viewer]];
  const words = inWords(parseId(one.position.slice(0, 14)), names);
  await board.show(one.position, {}, { roll: one.roll, play: one.kind === "play" && one.best !== "" ? one.best : null, label: t("Board. {words}", { words }) });
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
  const [{ plays }, state] = await Promise.all([ask("move", { position, roll, settings: { plies: 0, top: 0 } }, signal), stateOf({ position })]);
  const listed = plays.filter(({ play }) => namesOf(one).includes(play));
  const settings = { ...turned(state), plies: DEEPER_PLIES };
  const values = await askAll("eval", listed.map((play) => ({ position: play.position, settings })), signal);
  // A play that ends the game has its exact value.
  const valued = listed.map((play, at) => (values[at].equity ? { play: play.play, equity: -values[at].equity.cubeful, plies: values[at].plies } : { ...play, loss: undefined }));
  return valued.sort((first, second) => second.equity - first.equity);
}

async function deeper() {
  const one = shown[at];
  const place = byId("deep");
  const { signal } = running;
  place.replaceChildren(h("p", {}, "…"));
  try {
    if (one.roll) {
      const plays = await deeperPlays(one, signal);
      place.replaceChildren(playsTable(t("Looked deeper"), plays, plays.find(({ play }) => play === one.played), t("played")));
    } else {
      place.replaceChildren(cubeTable(t("Looked deeper"), await ask("cube", { position: one.position, settings: { plies: DEEPER_PLIES } }, signal)));
    }
  } catch (error) {
    if (!signal.aborted) place.replaceChildren(h("p", { class: "error" }, error.message));
  }
}

function rollOut() {
  const one = shown[at];
  liveRollout(byId("deep"), { position: one.position, roll: one.roll, settings: {}, plays: namesOf(one), isCube: !one.roll }, running.signal);
}

async function keepComment() {
  const { number } = shown[at];
  const text = byId("comment").value;
  if (text === "") delete match.comments[number];
  else match.comments[number] = text;
  await put("matches", match);
}

async function save(format, kind) {
  try {
    const text = await (await analyse(match.file, { plies: match.depth }, format)).text();
    download(`match.${format}`, text, kind);
  } catch (error) {
    byId("error").textContent = t("no file: {message}", error);
  }
}

for (const id of ["kind", "loss", "order", "player"]) byId(id).addEventListener("change", filter);
byId("before").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("deeper").addEventListener("click", () => { if (at >= 0) deeper(); });
byId("roll-out").addEventListener("click", () => { if (at >= 0) rollOut(); });
byId("comment").addEventListener("input", () => { if (at >= 0) keepComment(); });
byId("decisions").addEventListener("click", (event) => {
  const button = event.target.closest("[data-at]");
  if (button) step(Number(button.dataset.at) - at);
});
byId("export-html").addEventListener("click", () => save("html", "text/html"));
byId("export-sgf").addEventListener("click", () => save("sgf", "application/x-go-sgf"));
byId("keep").addEventListener("click", () => actions.keep(match));
byId("remove").addEventListener("click", () => actions.remove(match.id));
