// A rollout whose numbers move while it runs, with a button that stops it.

import { rollout } from "./ask.js";
import { h, percent, signed, table } from "./html.js";
import { t } from "./strings.js";

// Games of each candidate: the person stops earlier.
const TRIALS = 46_656;
const PLAYS = 5;
let running = null;

// Rolls out what the page shows, in `place`, until the end, the button, the signal or the next one.
export async function liveRollout(place, { position, roll, settings, plays, isCube }, signal) {
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort());
  running?.abort();
  running = stop;
  const button = h("button", { type: "button", id: "stop" }, t("Stop"));
  const state = h("p", { class: "note", role: "status" }, t("The rollout begins."));
  const numbers = h("div", {});
  button.addEventListener("click", () => stop.abort());
  place.replaceChildren(h("h2", {}, t("Rollout")), h("div", { class: "tools" }, button, state), numbers);
  const question = { position, settings: { ...settings, plies: 0, trials: TRIALS } };
  if (roll) Object.assign(question, { roll, plays: plays.slice(0, PLAYS) });
  else if (isCube) question.cube = true;
  let trials = 0;
  const games = () => ({ n: trials.toLocaleString("en") });
  try {
    await rollout(question, (report) => {
      trials = report.candidates[0]?.trials ?? 0;
      place.dataset.trials = trials;
      if (report.type === "progress") state.textContent = t("{n} games each", games());
      numbers.replaceChildren(candidates(report));
    }, stop.signal);
    state.textContent = t("Complete: {n} games each.", games());
  } catch (error) {
    if (signal.aborted || running !== stop) return;
    state.textContent = stop.signal.aborted ? t("Stopped after {n} games each.", games()) : t("No rollout: {message}", error);
  }
  place.dataset.state = "ended";
  button.remove();
}

function candidates(report) {
  const rows = report.candidates.map((one) => {
    const kind = one.equity.cubeful === undefined ? "cubeless" : "cubeful";
    const error = one.error[kind];
    return [
      one.play ?? t(one.action ?? "Position"), signed(one.equity[kind]), typeof error === "number" ? `± ${(1.96 * error).toFixed(3)}` : "–",
      ...(report.candidates.length > 1 && one.loss > 0 ? [signed(-one.loss)] : [""]), percent(one.probabilities.win),
      percent(one.probabilities.win_gammon), percent(one.probabilities.lose_gammon),
    ];
  });
  const heads = [t("Candidate"), t("Equity"), t("95% error"), t("Loss"), t("Win"), t("Win G"), t("Lose G")];
  return table(t("Rollout so far"), heads, rows, "rollout");
}
