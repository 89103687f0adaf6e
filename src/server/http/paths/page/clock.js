// The person's time in a match: a reserve for the whole match, and for each action a delay that costs nothing.

const RESERVE_MS = 120_000;
const DELAY_MS = 12_000;
const PERIOD_MS = 250;

// The reserve of a match to so many points.
export const reserve = (length) => RESERVE_MS * length;

const minutes = (ms) => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

// What is left of the reserve after an action that has taken so long.
export const after = (left, took) => Math.max(0, left - Math.max(0, took - DELAY_MS));

// The time left, with the seconds of the delay before it begins to run.
function shown(left, took) {
  const delay = Math.ceil(Math.max(0, DELAY_MS - took) / 1000);
  return delay > 0 ? `${minutes(left)} +${delay}` : minutes(left);
}

// Runs a clock. `timed` returns what has a reserve (`left`) while the person has to act, else null; `show` draws a text.
// Returns a function that takes off what the action has cost.
export function run({ timed, show, over }) {
  let [runs, began] = [null, 0];
  const left = () => after(runs.left, performance.now() - began);
  const settle = () => {
    if (runs !== null) runs.left = left();
    runs = null;
  };
  setInterval(() => {
    const clock = timed();
    if (clock !== runs) settle();
    if (clock === null) return;
    if (runs === null) [runs, began] = [clock, performance.now()];
    show(shown(left(), performance.now() - began));
    if (left() > 0) return;
    settle();
    over();
  }, PERIOD_MS);
  return settle;
}
