// A rollout whose numbers move while it runs, with a button that stops it.

import { rollout } from "./api.js";
import { h, percent, signed, table } from "./html.js";

// Games of each candidate: the person stops earlier.
const TRIALS = 46_656;
const PLAYS = 5;

// Rolls out what the page shows, in `place`, until the end, the button or the signal.
export async function liveRollout(place, { position, roll, settings, plays, isCube }, signal) {
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort());
  const button = h("button", { type: "button", id: "stop" }, "Stop");
  const state = h("p", { class: "note", role: "status" }, "The rollout begins.");
  const numbers = h("div", {});
  button.addEventListener("click", () => stop.abort());
  place.replaceChildren(h("h2", {}, "Rollout"), h("div", { class: "tools" }, button, state), numbers);
  const question = { position, settings: { ...settings, plies: 0, trials: TRIALS } };
  if (roll) Object.assign(question, { roll, plays: plays.slice(0, PLAYS) });
  else if (isCube) question.cube = true;
  let trials = 0;
  try {
    await rollout(question, (report) => {
      trials = report.candidates[0]?.trials ?? 0;
      place.dataset.trials = trials;
      if (report.type === "progress") state.textContent = `${trials.toLocaleString("en")} games each`;
      numbers.replaceChildren(candidates(report));
    }, stop.signal);
    state.textContent = `Complete: ${trials.toLocaleString("en")} games each.`;
  } catch (error) {
    if (signal.aborted) return;
    state.textContent = stop.signal.aborted ? `Stopped after ${trials.toLocaleString("en")} games each.` : `No rollout: ${error.message}`;
  }
  place.dataset.state = "ended";
  button.remove();
}

function candidates(report) {
  const rows = report.candidates.map((one) => {
    const kind = one.equity.cubeful === undefined ? "cubeless" : "cubeful";
    const error = one.error[kind];
    return [
      one.play ?? one.action ?? "Position", signed(one.equity[kind]), typeof error === "number" ? `± ${(1.96 * error).toFixed(3)}` : "–",
      ...(report.candidates.length > 1 && one.loss > 0 ? [signed(-one.loss)] : [""]), percent(one.probabilities.win),
      percent(one.probabilities.win_gammon), percent(one.probabilities.lose_gammon),
    ];
  });
  return table("Rollout so far", ["Candidate", "Equity", "95% error", "Loss", "Win", "Win G", "Lose G"], rows, "rollout");
}
