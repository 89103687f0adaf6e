// The server's counters, read only.

import { pause } from "./ask.js";
import "./frame.js";
import { byId, h, table } from "./html.js";
import { t } from "./strings.js";

const PERIOD_MS = 2000;
const COUNTERS = [
  ["gammond_connections", "Open connections"], ["gammond_accepted_total", "Connections accepted"],
  ["gammond_refused_total", "Connections refused"], ["gammond_queued", "Requests that wait"], ["gammond_answered_total", "Requests answered"],
  ["gammond_errors_total", "Answered with an error"], ["gammond_busy_total", "Refused as busy"], ["gammond_timeouts_total", "Cut by a time limit"],
  ["gammond_hang_ups_total", "Clients that left before the answer"], ["gammond_panics_total", "Internal errors"],
  ["gammond_unsent", "Bytes of answers that wait"], ["gammond_reloads_total", "Reloads of the nets"],
];
const COSTS = [
  ["short", "Short: no look-ahead"], ["medium", "Medium: 1 or 2 plies"], ["heavy", "Heavy: wide 2 plies"], ["long", "Long: 3 plies, rollouts, matches"],
];
const HALF = 0.5;

// Reads Prometheus' text: { name: [{ labels, value }] }.
function samples(text) {
  const found = {};
  for (const line of text.split("\n")) {
    const [, name, labels, value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...(labels ?? "").matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, word]) => [key, word]);
    (found[name] ??= []).push({ labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return found;
}

const seconds = (value) => (value < 0.001 ? `${(value * 1e6).toFixed(0)} µs` : value < 1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(1)} s`);

// The bound below which half of the answers of a cost came.
function median(buckets, count) {
  const bound = buckets.find(({ value }) => value >= count * HALF)?.labels.le;
  return bound === undefined || bound === "+Inf" ? t("more than 10 s") : t("below {time}", { time: seconds(Number(bound)) });
}

function show(found) {
  const one = (name) => found[name]?.[0]?.value;
  const counters = COUNTERS.map(([name, label]) => [t(label), (one(name) ?? 0).toLocaleString("en")]);
  const kinds = {};
  for (const { labels, value } of found.gammond_answers_total ?? []) (kinds[labels.kind] ??= {})[labels.result] = value;
  const rows = Object.entries(kinds).filter(([, { ok, error }]) => ok + error > 0);
  const costs = COSTS.map(([cost, label]) => {
    const of = (name) => (found[name] ?? []).filter(({ labels }) => labels.cost === cost);
    const count = of("gammond_answer_seconds_count")[0]?.value ?? 0;
    const sum = of("gammond_answer_seconds_sum")[0]?.value ?? 0;
    return [t(label), count.toLocaleString("en"), count > 0 ? seconds(sum / count) : "–", count > 0 ? median(of("gammond_answer_seconds_bucket"), count) : "–"];
  });
  const scrolled = [...document.querySelectorAll("#figures .scroll")].map(({ scrollLeft }) => scrollLeft);
  byId("figures").replaceChildren(
    table(t("Server"), [t("Figure"), t("Value")], counters, "figures"),
    h("div", {}, table(t("Time by cost"), [t("Cost"), t("Answers"), t("Mean"), t("Half of them")], costs, "figures"),
      table(t("Answers"), [t("Asked"), t("Answered"), t("Errors")],
        rows.map(([kind, { ok, error }]) => [kind, ok.toLocaleString("en"), error.toLocaleString("en")]))),
  );
  document.querySelectorAll("#figures .scroll").forEach((region, at) => { region.scrollLeft = scrolled[at] ?? 0; });
  const { version, commit, net, cpu } = found.gammond_build_info?.[0]?.labels ?? {};
  const minutes = Math.floor((one("gammond_uptime_seconds") ?? 0) / 60);
  byId("program").textContent = t("gammond {version}, commit {commit}, nets {net}, {cpu}. Up for {minutes} minutes.", { version, commit, net, cpu, minutes });
}

for (;;) {
  if (!document.hidden) {
    try {
      const response = await fetch("/metrics", { headers: { Accept: "text/plain" } });
      if (!response.ok) throw new Error(`status ${response.status}`);
      show(samples(await response.text()));
      byId("error").textContent = "";
    } catch (error) {
      byId("error").textContent = t("no answer from the server: {message}", error);
    }
  }
  await pause(PERIOD_MS);
}
