// Matches: files are analysed by /v1/analyse and kept in this browser; a list, and a page for each match.

import * as archive from "./archive.js";
import { onKey, takes } from "./frame.js";
import { byId, h, named, table } from "./html.js";
import { takeFile } from "./intake.js";
import { judged, neighbour, showMatch, step } from "./match.js";
import { beside } from "./places.js";
import * as store from "./store.js";
import { localDay, t } from "./strings.js";

// Files that are analysed at a time: one computes while the next one is sent.
const AT_ONCE = 2;
const EXAMPLE = beside("example.mat");
const ROWS_MAX = 500;
// Typing pauses before the archive is searched.
const SEARCH_DELAY_MS = 300;

let heads = [];
// The part of the archive's list that was read, and the path of what follows.
let filed = { matches: [], next: null };
let searching = null;

const rate = (value) => (typeof value === "number" ? value.toFixed(1) : "–");

const depthWanted = () => Number(byId("depth").value);
const listed = (head) => { heads = [head, ...heads.filter((other) => other.id !== head.id)]; };

// Analyses the match on the page again where it was not judged as deep as wanted, and shows it then.
async function deepen({ id, file, depth }) {
  const head = heads.find((one) => one.id === id);
  const wanted = depthWanted();
  if (!head || !file || Number(depth) >= wanted) return;
  judged(depth, true);
  try {
    await takeFile(new File([file], head.file), wanted, listed, true);
    const match = await store.matchOf(id);
    if (location.hash.slice(1) === id && match) showMatch(match, { keep, remove });
  } catch {
    // The first analysis stays.
    if (location.hash.slice(1) === id) judged(depth, false);
  }
}

async function takeAll(files) {
  const waiting = [...files];
  const wrong = [];
  const ids = [];
  let done = 0;
  const total = waiting.length;
  // One match is shown at once; the page of a match looks deeper.
  const depth = total === 1 ? 0 : depthWanted();
  const progress = h("progress", { max: total, value: 0, "aria-label": t("Files analysed") });
  const text = h("span", {});
  const place = h("div", {}, progress, " ", text);
  for (const ended of byId("progress").querySelectorAll(":scope > :not(:has(progress))")) ended.remove();
  byId("progress").append(place);
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      text.textContent = t("{done} of {total} files", { done, total });
      try {
        ids.push(...await takeFile(file, depth, listed));
      } catch (error) {
        wrong.push([file.name, error.message]);
      }
      done += 1;
      progress.value = done;
      showList();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const faults = wrong.map(([name, message]) => h("li", {}, named(name), `: ${message.slice(0, 300)}`));
  place.replaceChildren(t("{done} of {total} files are in the list.", { done: total - wrong.length, total }),
    ...(faults.length > 0 ? [h("ul", { class: "error" }, ...faults)] : []));
  byId("files").value = "";
  // Who brings one match wants to see it.
  if (total === 1 && ids.length > 0) location.hash = ids[0];
}

function isOfKind({ length }) {
  const kind = byId("least").value;
  return kind === "" || (kind === "money") === (length === 0);
}

function isShown(head) {
  const sought = byId("search").value.trim().toLowerCase();
  return isOfKind(head) && [...head.players, head.file].some((text) => text.toLowerCase().includes(sought));
}

// Cells that both lists have.
const cells = (id, { players, length, score, pr, luck }) => [
  h("a", { href: `#${id}` }, named(players[0]), " – ", named(players[1])),
  length > 0 ? String(length) : t("money"), score.join("–"), pr.map(rate).join(" / "),
  luck.map((one) => one?.toFixed(2).replace("-", "\u2212") ?? "–").join(" / "),
];

function showList() {
  byId("example").hidden = heads.length > 0;
  byId("sought").hidden = heads.length === 0 && !archive.isThere();
  const found = heads.filter(isShown).sort((one, other) => other.added - one.added || one.file.localeCompare(other.file));
  const rows = found.slice(0, ROWS_MAX).map((head) => [
    ...cells(head.id, head), localDay(new Date(head.added)), named(head.file),
  ]);
  const more = found.length > ROWS_MAX ? h("p", { class: "note" }, t("The newest {n} of {total} matches.", { n: ROWS_MAX, total: found.length })) : null;
  byId("rows").replaceChildren(
    rows.length > 0
      ? table(t("Matches"), [t("Players"), t("Length"), t("Score"), t("PR"), t("Luck"), t("Added"), t("File")], rows, "heads")
      : h("p", {}, heads.length > 0 ? t("No match here.") : t("No match here yet.")),
    ...(more ? [more] : []),
  );
}

function showArchive() {
  const rows = filed.matches.filter(isOfKind).map((one) => [...cells(archive.markOf(one), one), one.judged, one.date ?? "–", named(one.file)]);
  const names = [t("Players"), t("Length"), t("Score"), t("PR"), t("Luck"), t("Analysis"), t("Date"), t("File")];
  byId("archive-rows").replaceChildren(rows.length > 0 ? table(t("Archive of the server"), names, rows, "heads") : h("p", {}, t("No match here.")));
  byId("more").hidden = filed.next === null;
}

// Reads the archive's list for what is sought, or what follows on the list.
async function readArchive(next = null) {
  if (!archive.isThere()) return;
  byId("archive").hidden = false;
  const text = byId("search").value.trim();
  try {
    const found = await archive.list(text, next);
    // A later search may have been faster.
    if (text !== byId("search").value.trim()) return;
    filed = next === null ? found : { matches: [...filed.matches, ...found.matches], next: found.next };
    showArchive();
  } catch (error) {
    byId("error").textContent = t("no answer from the server: {message}", error);
  }
}

// The page of a match stands behind #ID, so that the browser's way back leads to the list.
async function route() {
  const id = location.hash.slice(1);
  byId("error").textContent = "";
  const kept = id === "" ? null : await store.matchOf(id).catch(() => null);
  // A number of the archive means that of this server.
  const match = await archive.match(id).catch(() => null) ?? kept;
  byId("list").hidden = Boolean(match);
  byId("match").hidden = !match;
  if (match) {
    showMatch(match, { keep, remove });
    deepen(match);
  }
  if (!match && id !== "") byId("error").textContent = t("there is no such match here");
  if (!match) showList();
}

// Keeps an archived match in this browser too, under a name by its contents: its number is the archive's own.
async function keep({ head: filed, isArchived: _, ...match }) {
  const id = `kept-${await store.checksum(new TextEncoder().encode(JSON.stringify(match.report)))}`;
  const head = { ...filed, id };
  const comments = (await store.get("matches", id))?.comments ?? match.comments;
  await store.keepMatch(head, { ...match, id, comments, added: head.added });
  heads = [head, ...heads.filter((other) => other.id !== id)];
  location.hash = id;
}

async function remove(id) {
  await store.dropMatch(id);
  heads = heads.filter((head) => head.id !== id);
  location.hash = "";
}

byId("files").addEventListener("change", (event) => takeAll(event.target.files));
for (const [id, kind] of [["search", "input"], ["least", "change"]]) byId(id).addEventListener(kind, showList);
byId("search").addEventListener("input", () => {
  clearTimeout(searching);
  searching = setTimeout(readArchive, SEARCH_DELAY_MS);
});
byId("least").addEventListener("change", () => { if (archive.isThere()) showArchive(); });
byId("more").addEventListener("click", () => readArchive(filed.next));
takes.files = async (files) => {
  location.hash = "";
  await takeAll(files);
};
takes.failed = (message) => { byId("error").textContent = message; };
addEventListener("hashchange", route);
const inMatch = (act) => () => { if (!byId("match").hidden) act(); };
for (const [key, way, text] of [["n", 1, t("next mistake")], ["j", 1, ""], ["p", -1, t("mistake before")], ["k", -1, ""]]) {
  onKey(key, text, inMatch(() => step(way)));
}
onKey("ArrowRight", t("next decision"), inMatch(() => neighbour(1)));
onKey("ArrowLeft", t("decision before"), inMatch(() => neighbour(-1)));
byId("show-example").addEventListener("click", async () => {
  const response = await fetch(EXAMPLE);
  await takeAll([new File([await response.blob()], t("Example match"))]);
});

try {
  heads = await store.all("heads");
  await Promise.all([route(), readArchive()]);
} catch (error) {
  byId("error").textContent = t("this browser keeps nothing: {message}", error);
}
