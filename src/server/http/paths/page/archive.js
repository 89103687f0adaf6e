// The server's archive of analysed matches (HTTP-120 to HTTP-122). It is read only.

import { read } from "./ask.js";

const MATCHES = "/v1/archive/matches";
const MARK = "archive-";
const PAGE_LENGTH = 100;
// Analyses that are read at the same time.
const READS = 4;

// A name for the page of an archived match, and back: null for a match of this browser.
export const markOf = ({ id }) => MARK + id;
const numberIn = (mark) => (/^archive-\d+$/.test(mark) ? mark.slice(MARK.length) : null);

// The page says whether the server has an archive: asking would be an error in the console.
export const isThere = () => document.getElementById("main").dataset.archive !== undefined;

// A page of the list, the newest first: { matches, next }. `next` is the path of the page behind it.
export function list(text, next = null) {
  return read(next ?? `${MATCHES}?${new URLSearchParams({ text, limit: PAGE_LENGTH })}`);
}

// An archived match as the match page shows it; null if the mark is none of an archive.
export async function match(mark) {
  const number = numberIn(mark);
  if (number === null || !isThere()) return null;
  const report = await read(`${MATCHES}/${number}`);
  for (const decision of report.decisions) decision.loss ??= { emg: 0, mwc: 0 };
  const { file, players, length, score, totals, games, fault_count: faultCount } = report;
  report.faults = [];
  const head = {
    id: mark, file, number: 1, players, length, score, added: Date.now(), pr: totals.map((one) => one.error_rate.pr),
    luck: totals.map((one) => one.luck.emg), games: games.length, faults: faultCount,
  };
  return { id: mark, head, report, comments: {}, file: null, isArchived: true };
}

// The reports of the matches that were filed last, as many as a page of the list has; none without an archive.
export async function reports() {
  if (!isThere()) return [];
  const { matches } = await list("");
  const found = [];
  for (let from = 0; from < matches.length; from += READS) {
    found.push(...await Promise.all(matches.slice(from, from + READS).map((one) => match(markOf(one)))));
  }
  return found.map(({ report }) => report);
}
