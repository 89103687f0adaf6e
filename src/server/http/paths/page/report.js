// Parts of the report on a match, from the JSON of /v1/analyse.

import { analyse } from "./ask.js";
import { h, named, signed, table } from "./html.js";
import { place } from "./places.js";
import { ofVariant } from "./state.js";
import { t } from "./strings.js";

const THOUSAND = 1000;

// Analyses a match file; several matches in it are several reports.
export async function reportsOf(file, depth) {
  const first = await (await analyse(file, { plies: depth })).json();
  const { more = [], ...alone } = first;
  const reports = [alone, ...more];
  // What cannot be analysed has no loss.
  for (const decision of reports.flatMap((report) => report.decisions)) decision.loss ??= { emg: 0, mwc: 0 };
  return reports;
}

// Both players' figures side by side.
export function totalsTable({ players, totals, length }) {
  const figures = [
    [t("Error rate (gnubg)"), (one) => one.error_rate.gnubg?.toFixed(1) ?? "–"],
    [t("PR"), (one) => one.error_rate.pr?.toFixed(1) ?? "–"],
    [t("Rating"), (one) => t(one.rating)],
    [t("Lost by plays"), (one) => one.plays.loss.emg.toFixed(3)],
    [t("Lost by the cube"), (one) => one.cube.loss.emg.toFixed(3)],
    [t("Luck"), (one) => signed(one.luck.emg)],
    [length > 0 ? t("Result without luck (match win)") : t("Result without luck (points)"), (one) => signed(one.luck_adjusted_result)],
    [t("Decisions"), (one) => String(one.decisions)],
  ];
  const rows = figures.map(([label, figure]) => [label, ...totals.map((one) => figure(one))]);
  return table(t("Both players"), ["", ...players.map((name) => named(name))], rows, "figures");
}

// Ranked plays with what they lose; the marked one has a note.
export function playsTable(caption, plays, marked = null, note = "") {
  const rows = plays.map((one) => {
    const text = one.play || t("no play");
    const loss = one.loss ?? plays[0].equity - one.equity;
    const name = one === marked ? h("strong", {}, `${text} (${note})`) : text;
    return [name, signed(one.equity), loss > 0 ? signed(-loss) : "", `${one.plies}-ply`];
  });
  return table(caption, [t("Play|column"), t("Equity"), t("Loss"), t("Depth")], rows);
}

// A cube decision with the values of both sides.
export function cubeTable(caption, { verdict, no_double: none, double_take: taken, double_pass: passed }) {
  const rows = [[t("No double"), signed(none)], [t("Double, take"), signed(taken)], [t("Double, pass"), signed(passed)]];
  return h("div", {}, h("p", {}, h("b", {}, t(verdict))), table(caption, [t("Decision"), t("Equity")], rows));
}

// The decision in words: its kind, dice, and what was done beside the best.
export function decisionText({ roll, played, best, loss }) {
  const dice = roll ? `${roll.join("")}: ` : "";
  const done = t(played || "no play");
  return dice + (loss.emg > 0 ? t("{done}, best {best}", { done, best: t(best) }) : done);
}

// The people of three error rates who find the best choice, as a sentence; null where it is not known.
export function foundBy({ found_by: shares }) {
  if (shares === undefined) return null;
  const rates = shares.map(({ pr }) => pr).join(" / ");
  const found = shares.map(({ share }) => (100 * share).toFixed(0)).join(" / ");
  return t("Players of PR {rates} find the best choice in {shares} of cases.", { rates, shares: `${found}\u00a0%` });
}

const noteOf = (text) => text && h("span", { class: "note found" }, text);

// The link to a decision of a match in Analyse.
export function exploreLink({ position, roll }, match) {
  const query = new URLSearchParams({ position, ...ofVariant({}, match) });
  if (roll) query.set("roll", roll.join(""));
  return `${place("analyse")}?${query}`;
}

// A player's decisions that lost most, as a list of links.
export function worst(match, player, count) {
  const lost = match.decisions.filter((one) => one.loss.emg > 0.0005 && one.player === player);
  const shown = lost.sort((one, other) => other.loss.emg - one.loss.emg).slice(0, count);
  if (shown.length === 0) return h("p", {}, t("No decision lost anything."));
  const rows = shown.map((one) => [
    h("span", {}, h("a", { href: exploreLink(one, match) }, decisionText(one)), noteOf(foundBy(one))),
    `${one.game}, ${one.move}`, (-one.loss.emg * THOUSAND).toFixed(0).replace("-", "\u2212"),
  ]);
  return table(t("Decisions that lost most"), [t("Decision"), t("Game, move"), t("Loss in thousandths")], rows, "worst");
}
