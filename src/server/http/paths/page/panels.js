// The panels about a position: plays, cube, scores, rolls, reasons. Each is { big, equity, facts, body } from an answer of the engine.

import { h, percent, signed } from "./html.js";
import { t } from "./strings.js";

// From these losses on a choice is doubtful, bad, very bad (ANA-07); a smaller one than the first is hardly any.
const LOSSES = [0.0005, 0.02, 0.05, 0.1];
// From this loss of the choice for money on, a cell is outlined.
const LOSS_MARKED = 0.02;
const PLAY_KINDS = 5;
const SIGNS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const LISTED = 3;
// Equities of the bars of a cube decision: from a lost game to a won one.
const BAR_LOW = -1;
const BAR_HIGH = 1;

export const lossClass = (loss) => `l${LOSSES.filter((least) => loss >= least).length}`;
export const equityOf = ({ equity }) => (typeof equity === "number" ? equity : equity?.cubeful ?? equity?.cubeless);

// Sets the share of a bar or of a colour, which the style sheet reads.
export function sized(element, share) {
  element.style.setProperty("--part", `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`);
  return element;
}

function mini({ win, win_gammon: gammon, win_backgammon: backgammon }) {
  const part = (kind, share) => sized(h("i", { class: kind }), share);
  return h("span", { class: "mini", "aria-hidden": "true" }, part("win-b", backgammon), part("win-g", gammon - backgammon), part("win", win - gammon));
}

// The bar beside the board: own wins from below, the other side's from above.
export function chances(element, { win, win_gammon: winG, win_backgammon: winB, lose_gammon: loseG, lose_backgammon: loseB }) {
  const lose = 1 - win;
  const part = (kind, share) => sized(h("i", { class: kind }), share);
  element.replaceChildren(
    part("lose-b", loseB), part("lose-g", loseG - loseB), part("lose", lose - loseG), part("win", win - winG), part("win-g", winG - winB), part("win-b", winB),
    h("span", { class: "mid" }), h("b", { class: "mine" }, (100 * win).toFixed(0)), h("b", { class: "theirs" }, (100 * lose).toFixed(0)));
  const label = t("Wins {win}, with gammon {gammon}, backgammon {backgammon}; loses with gammon {lostGammon}, backgammon {lostBackgammon}", {
    win: percent(win), gammon: percent(winG), backgammon: percent(winB), lostGammon: percent(loseG), lostBackgammon: percent(loseB),
  });
  element.setAttribute("aria-label", label);
  element.title = label;
  element.hidden = false;
}

const chanceFacts = (probabilities) => (probabilities
  ? [t("wins {share}", { share: percent(probabilities.win) }), t("gammon {share}", { share: percent(probabilities.win_gammon) })]
  : []);

const legend = (...items) => h("div", { class: "legend" }, ...items.map(([kind, text]) => h("span", {}, ...(kind ? [h("i", { class: kind })] : []), text)));

// The ranking of a roll. `tried` is the play on the board, if a person has made one.
export function plays({ plays: ranked, count }, tried) {
  if (ranked.length === 0 || (ranked.length === 1 && ranked[0].play === "")) {
    return { big: t("no play"), facts: [], body: [h("p", {}, t("There is no legal play."))] };
  }
  const best = equityOf(ranked[0]);
  const row = (one, at) => {
    const loss = one.loss ?? best - equityOf(one);
    const error = typeof one.error === "number" ? h("small", {}, ` ± ${one.error.toFixed(3)}`) : null;
    return h("button", { type: "button", class: "option", "data-play": one.play, "aria-current": one.play === tried ? "true" : null },
      h("span", { class: "rank" }, String(at + 1)), h("span", { class: "text" }, one.play), h("span", { class: "eq" }, signed(equityOf(one)), error),
      h("span", { class: `loss ${lossClass(loss)}` }, at === 0 ? t("best") : signed(-loss)), mini(one.probabilities));
  };
  const mine = ranked.find(({ play }) => play === tried);
  const top = mine ?? ranked[0];
  const loss = best - equityOf(top);
  return {
    big: mine && mine !== ranked[0] ? h("span", {}, mine.play, " ", h("span", { class: `badge ${lossClass(loss)}` }, signed(-loss))) : top.play,
    equity: equityOf(top),
    facts: mine && mine !== ranked[0]
      ? [t("best: {play}", { play: ranked[0].play }), ...chanceFacts(top.probabilities).slice(0, 1)]
      : chanceFacts(top.probabilities),
    probabilities: top.probabilities,
    body: [h("div", { class: "ranking" }, ...ranked.map(row)),
      legend(["win", t("wins")], ["win-g", t("gammons")], ["win-b", t("backgammons")], [null, t("{n} legal plays", { n: count })])],
  };
}

// The cube decision, or the value where there is none. `more` has the window and the other places of the cube.
export function cube(answer, more) {
  const { no_double: none, double_take: taken, double_pass: passed, verdict, double, take } = answer;
  if (none === undefined) {
    const big = answer.class === "over" ? t("The game is over") : t("No cube decision");
    return { big, equity: equityOf(answer), facts: chanceFacts(answer.probabilities), probabilities: answer.probabilities, body: [] };
  }
  const doubled = Math.min(taken, passed);
  const value = double ? doubled : none;
  const bar = (name, equity, isBest) => {
    const part = sized(h("i", { class: isBest ? "best" : "" }), (equity - BAR_LOW) / (BAR_HIGH - BAR_LOW));
    return [h("span", {}, name), h("span", { class: "track" }, part), h("b", {}, signed(equity))];
  };
  const costs = [];
  if (!double) costs.push(t("doubling loses {loss}", { loss: Math.max(0, none - doubled).toFixed(3) }));
  else costs.push(t("not doubling loses {loss}", { loss: Math.max(0, doubled - none).toFixed(3) }));
  costs.push(take ? t("passing loses {loss}", { loss: Math.max(0, passed - taken).toFixed(3) })
    : t("taking loses {loss}", { loss: Math.max(0, taken - passed).toFixed(3) }));
  const pairs = (rows) => h("div", { class: "pairs" }, ...rows.flatMap(([text, number]) => [h("span", {}, text), h("b", {}, number)]));
  const cards = [];
  if (more) {
    const { window: { double: opens, cash, take: takes } = {} } = more;
    const where = [[t("Chances of winning"), percent(answer.probabilities.win)]];
    if (opens !== undefined) {
      where.push([t("Doubling window, dead cube to live"), `${percent(opens)} – ${percent(cash[1])}`],
        [t("Opponent's take point, dead cube to live"), `${percent(takes[0])} – ${percent(takes[1])}`]);
    }
    if (more.losers !== undefined) where.push([t("Exchanges that lose the market"), percent(more.losers)]);
    cards.push(h("div", { class: "card" }, h("h2", {}, t("Where you are")), pairs(where)));
    const names = { centred: t("in the middle"), me: t("yours"), opponent: t("the opponent's") };
    if (more.cubes?.length > 1) {
      const rows = more.cubes.map((one) => [`${names[one.owner]}${one.decision ? `: ${t(one.decision.verdict)}` : ""}`, signed(one.equity)]);
      cards.push(h("div", { class: "card" }, h("h2", {}, t("The cube elsewhere")), pairs(rows)));
    }
  }
  return {
    big: t(verdict), equity: value, facts: costs, probabilities: answer.probabilities,
    body: [
      h("div", { class: "bars" }, ...bar(t("No double"), none, !double), ...bar(t("Double, take"), taken, double && take),
        ...bar(t("Double, pass"), passed, double && !take)),
      ...cards,
    ],
  };
}

const cubeSign = ({ double, take }) => (double ? (take ? "DT" : "DP") : take ? "ND" : "TG");
const cubeClasses = { ND: "no", DT: "take", DP: "pass", TG: "good" };
const away = ({ away: points, crawford }) => points.map((one) => (one === 1 && crawford ? 0 : one));

// Every score: the best play of a roll, or the cube.
export function scores(answer) {
  const isRoll = Boolean(answer.roll);
  const ranked = isRoll ? [answer.money, ...answer.scores].map((one) => one.position).filter((id, at, all) => all.indexOf(id) === at) : [];
  const shown = (one) => {
    if (isRoll) {
      const kind = ranked.indexOf(one.position);
      return { sign: SIGNS[kind] ?? "?", kind: kind < PLAY_KINDS ? `k${kind}` : "k0", words: one.play || t("no play"), loss: one.money_loss };
    }
    const sign = cubeSign(one);
    return { sign, kind: cubeClasses[sign], words: t(one.verdict), loss: Math.max(one.double_error, one.take_error),
      depth: sign === "DT" ? Math.min(1, 0.2 + Math.abs(one.double_take - one.no_double) * 5) : 1 };
  };
  const at = new Map(answer.scores.map((one) => [away(one).join(), one]));
  const labels = [...new Set(answer.scores.map((one) => away(one)[0]))].sort((one, other) => one - other);
  const name = (points) => (points === 0 ? "C" : String(points));
  const cells = [h("span", { class: "axis" }), ...labels.map((points) => h("span", { class: "axis" }, name(points)))];
  for (const mine of labels) {
    cells.push(h("span", { class: "axis" }, name(mine)));
    for (const theirs of labels) {
      const one = at.get(`${mine},${theirs}`);
      if (!one) { cells.push(h("span", {})); continue; }
      const { sign, kind, words, loss, depth = 1 } = shown(one);
      const text = t("you need {mine}, the opponent {theirs}: {words}, for money {loss}",
        { mine: one.away[0], theirs: one.away[1], words, loss: signed(-loss) });
      cells.push(sized(h("button", {
        type: "button", class: `cell ${kind}${loss >= LOSS_MARKED ? " marked" : ""}`, "data-away": one.away.join(),
        "data-crawford": String(Boolean(one.crawford)), title: text, "aria-label": `${sign}, ${text}`,
      }, sign), depth));
    }
  }
  const others = answer.scores.filter((one) => (isRoll ? one.position !== answer.money.position : cubeSign(one) !== cubeSign(answer.money))).length;
  const names = isRoll
    ? ranked.slice(0, SIGNS.length).map((id, kind) => [kind < PLAY_KINDS ? `k${kind}` : "k0",
      `${SIGNS[kind]} ${[answer.money, ...answer.scores].find((one) => one.position === id).play || t("no play")}`])
    : [["take", t("DT double, take")], ["pass", t("DP double, pass")], ["good", t("TG too good")], ["no", t("ND no double")]];
  return {
    big: isRoll ? t("{play} for money", { play: answer.money.play || t("no play") }) : t("{verdict} for money", { verdict: t(answer.money.verdict) }),
    facts: [t("another choice at {n} of {total} scores", { n: others, total: answer.scores.length })],
    body: [
      h("div", { class: `cells of-${labels.length}` }, ...cells), legend(...names),
      h("p", { class: "note" }, t("Down: points that you need; across: the opponent."), " ",
        isRoll ? t("C is the Crawford game, 1 past it.") : t("1 is past the Crawford game."), " ",
        t("Outlined: the choice for money loses {loss} or more.", { loss: LOSS_MARKED })),
    ],
  };
}

export function rolls(answer) {
  const values = answer.rolls.map((one) => one.equity);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const found = new Map(answer.rolls.map((one) => [[...one.roll].sort().join(""), one]));
  const cells = [h("span", { class: "axis" }), ...[1, 2, 3, 4, 5, 6].map((die) => h("span", { class: "axis" }, String(die)))];
  for (let one = 1; one <= 6; one += 1) {
    cells.push(h("span", { class: "axis" }, String(one)));
    for (let other = 1; other <= 6; other += 1) {
      const known = found.get([one, other].sort().join(""));
      const text = `${known.roll.join("")}: ${known.play || t("no play")}, ${signed(known.equity)}`;
      cells.push(sized(h("button", { type: "button", class: "cell luck", "data-roll": known.roll.join(""), title: text, "aria-label": text },
        signed(known.equity, 2)),
        high > low ? ((known.equity - low) / (high - low)) ** 0.7 : 1));
    }
  }
  const sorted = [...answer.rolls].sort((one, other) => other.equity - one.equity);
  const line = (one) => h("div", { class: "row" }, h("b", {}, one.roll.join("")),
    h("span", { class: "grow" }, one.play || t("no play")), h("span", {}, signed(one.equity)));
  const losers = answer.market_losers === undefined ? [] : [t("{share} lose the market", { share: percent(answer.market_losers) })];
  return {
    big: t("{best} is best, {worst} worst", { best: sorted[0].roll.join(""), worst: sorted.at(-1).roll.join("") }),
    equity: answer.mean,
    facts: [...losers, t("spread {deviation}", { deviation: answer.deviation.toFixed(3) })],
    body: [
      h("div", { class: "cells of-6" }, ...cells),
      h("div", { class: "card" }, h("h2", {}, t("Best and worst")), ...sorted.slice(0, LISTED).map(line), h("hr", {}), ...sorted.slice(-LISTED).map(line)),
    ],
  };
}

// The reasons of the decision. `others` are the plays that the best one may be compared with.
export function why(answer, others, onCompared) {
  const options = (answer.other ? others : []).map((play) => h("option", { value: play, selected: play === answer.other.play }, play));
  const select = h("select", { id: "compared" }, ...options);
  select.addEventListener("change", () => onCompared(select.value));
  const choice = options.length > 1 ? h("div", { class: "row" }, h("label", { for: "compared" }, t("Compared with")), select) : null;
  const [first, ...rest] = answer.sentences.map(({ text }) => text);
  return {
    big: first, facts: [],
    body: [...(choice ? [choice] : []), h("ul", { class: "facts", lang: answer.language }, ...rest.map((text) => h("li", {}, text)))],
  };
}
