// Match files are analysed by /v1/analyse, and kept in this browser with their reports.

import { reportsOf } from "./report.js";
import * as store from "./store.js";
import { t } from "./strings.js";

const FILE_BYTES_MAX = 1 << 20;

function headOf(id, file, number, report, added) {
  const { players, length, score, totals } = report;
  return {
    id, file, number, players, length, score, added, pr: totals.map((one) => one.error_rate.pr), luck: totals.map((one) => one.luck.emg),
    games: report.games.length, faults: report.faults.length,
  };
}

// Analyses one file, which may hold several matches; returns their ids. `onHead` gets the head of each. Again: only of those that are still kept.
export async function takeFile(file, depth, onHead = () => {}, isAgain = false) {
  if (file.size > FILE_BYTES_MAX) throw new Error(t("the file is longer than 1 MiB"));
  const buffer = await file.arrayBuffer();
  const sum = await store.checksum(buffer);
  const reports = await reportsOf(buffer, depth);
  const added = Date.now();
  for (const [at, report] of reports.entries()) {
    const id = `${sum}-${at + 1}`;
    const known = await store.get("matches", id);
    if (isAgain && !known) continue;
    const head = headOf(id, file.name, at + 1, report, known?.added ?? added);
    // Another depth takes the place of the old analysis; comments stay.
    await store.keepMatch(head, { id, added: head.added, report, depth, comments: known?.comments ?? {}, file: known?.file ?? (at === 0 ? buffer : null) });
    onHead(head);
  }
  return reports.map((_, at) => `${sum}-${at + 1}`);
}
