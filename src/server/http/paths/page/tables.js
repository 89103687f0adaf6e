// Below an answer: the decision or the best play at every score, the 21 rolls with their luck, and the reasons. Each comes on request.

import { ask } from "./api.js";
import { byId, h, percent, signed, table } from "./html.js";
import { language, t } from "./strings.js";

const AWAY = 7;
// Deeper tables take a server seconds.
const PLIES_MAX = 2;
// From this loss of the choice for money on, a cell is outlined.
const LOSS_MARKED = 0.02;
const SIGNS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
// Kinds of cells that have a colour; further plays have none.
const COLOURS = 5;
const OF_SCORE = ["length", "score", "crawford"];
// The choice of the play beside the best one.
const COMPARED = "compared";

// The buttons and the place of the table; `question` returns the shown { position, roll, settings }, `plies` its depth, and `plays` the listed plays,
// best first.
export class Tables {
  constructor(question, plies, plays) {
    this.question = question;
    this.plies = plies;
    this.plays = plays;
    this.compared = null;
    this.open = null;
    this.running = new AbortController();
    this.place = h("div", { role: "status" });
    this.buttons = [["explain", t("Why?")], ["scores", t("Every score")], ["rolls", t("All rolls")]].map(([verb, label]) => {
      const button = h("button", { type: "button", id: `all-${verb}`, "aria-pressed": "false" }, label);
      button.addEventListener("click", () => this.show(this.open === verb ? null : verb));
      return [verb, button];
    });
    const tools = h("div", { class: "tools", role: "group", "aria-label": t("Tables") }, ...this.buttons.map(([, button]) => button));
    this.element = h("section", { id: "tables", "aria-label": t("Tables") }, tools, this.place);
  }

  // Asks for the open table again: the position is another one.
  again() {
    return this.show(this.open);
  }

  async show(verb) {
    this.open = verb;
    this.running.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", String(name === verb));
    if (verb === null) {
      this.place.replaceChildren();
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    try {
      const answer = await ask(verb, this.asked(verb), signal);
      const isChosen = document.activeElement?.id === COMPARED;
      this.place.replaceChildren(...{ explain: (found) => this.reasons(found), rolls, scores }[verb](answer));
      if (isChosen) byId(COMPARED)?.focus();
    } catch (error) {
      if (signal.aborted) return;
      const message = verb === "explain" ? t("no explanation: {message}", error) : t("no table: {message}", error);
      this.place.replaceChildren(h("p", { class: "note" }, message));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  asked(verb) {
    const { position, roll, settings } = this.question();
    const plies = Math.min(this.plies(), PLIES_MAX);
    if (verb === "rolls") return { position, settings: { ...settings, plies } };
    if (verb === "explain") {
      const question = { position, settings: { ...settings, plies, language } };
      if (!roll) return question;
      return this.others().includes(this.compared) ? { ...question, roll, plays: [this.compared] } : { ...question, roll };
    }
    const others = Object.fromEntries(Object.entries(settings).filter(([name]) => !OF_SCORE.includes(name)));
    const question = { position, settings: { ...others, plies, away: AWAY } };
    return roll ? { ...question, roll } : question;
  }

  // The listed plays that the best one may be compared with.
  others() {
    return this.plays().slice(1);
  }

  // The reasons of the decision, and a choice of the play to compare with the best one.
  reasons(answer) {
    const others = answer.other ? this.others() : [];
    const options = others.map((play) => h("option", { value: play, selected: play === answer.other.play }, play));
    const select = h("select", { id: COMPARED }, ...options);
    select.addEventListener("change", () => {
      this.compared = select.value;
      this.show("explain");
    });
    const choice = others.length > 1 ? h("p", {}, h("label", { for: COMPARED }, t("Compared with")), " ", select) : null;
    const sentences = answer.sentences.map(({ text }) => h("li", {}, text));
    return [h("h2", {}, t("Why?")), choice, h("ul", { class: "reasons", lang: answer.language }, ...sentences)].filter((part) => part !== null);
  }
}

const cubeSign = ({ double, take }) => (double ? (take ? "DT" : "DP") : take ? "ND" : "TG");
const cubeKinds = ["ND", "DT", "DP", "TG"];

// What stands in a cell, its colour, and the loss of the choice for money.
function cells(answer) {
  if (!answer.roll) {
    return answer.scores.map((one) => {
      const sign = cubeSign(one);
      return { one, sign, colour: cubeKinds.indexOf(sign), words: t(one.verdict), loss: Math.max(one.double_error, one.take_error) };
    });
  }
  const plays = [answer.money.position, ...answer.scores.map((one) => one.position)].filter((id, at, all) => all.indexOf(id) === at);
  return answer.scores.map((one) => {
    const kind = plays.indexOf(one.position);
    return { one, sign: SIGNS[kind] ?? "?", colour: kind, words: one.play || t("no play"), loss: one.money_loss };
  });
}

function scores(answer) {
  const all = cells(answer);
  // The row or column of a player who needs one point in the Crawford game is 0.
  const label = (points, crawford) => (points === 1 && crawford ? 0 : points);
  const at = new Map(all.map((cell) => [cell.one.away.map((points) => label(points, cell.one.crawford)).join(), cell]));
  const labels = [...Array(AWAY + 1).keys()].filter((points) => points > 0 || answer.roll);
  const named = (points) => (points === 0 ? "C" : String(points));
  const shown = (cell) => {
    if (cell === undefined) return "";
    const kind = cell.colour < COLOURS ? ` kind-${cell.colour}` : "";
    const marked = cell.loss >= LOSS_MARKED ? " marked" : "";
    return h("span", { class: `cell${kind}${marked}`, title: `${cell.words}, ${signed(-cell.loss)}` }, cell.sign);
  };
  const rows = labels.map((mine) => [named(mine), ...labels.map((theirs) => shown(at.get(`${mine},${theirs}`)))]);
  const caption = answer.roll ? t("The best play at every score") : t("The cube at every score");
  const money = answer.roll ? answer.money.play || t("no play") : t(answer.money.verdict);
  const legend = answer.roll
    ? [...new Map(all.map((cell) => [cell.sign, cell.words]))].sort().map(([sign, words]) => `${sign} ${words}`).join("; ")
    : t("ND no double, DT double and take, DP double and pass, TG too good to double");
  return [
    h("h2", {}, caption),
    h("p", {}, t("For money: {choice}.", { choice: money })),
    table(caption, [t("You need"), ...labels.map(named)], rows, "scores"),
    h("p", { class: "note" }, legend),
    h("p", { class: "note" }, t("Rows: points that the player on roll needs; columns: those of the opponent.")),
    h("p", { class: "note" }, answer.roll ? t("C is the Crawford game, 1 past it.") : t("1 is past the Crawford game."), " ",
      t("Outlined: the choice for money loses {loss} or more.", { loss: LOSS_MARKED })),
  ];
}

function rolls(answer) {
  const most = Math.max(...answer.rolls.map((one) => Math.abs(one.luck)), Number.MIN_VALUE);
  const bar = (luck) => {
    const part = h("span", { class: luck < 0 ? "bad" : "good" });
    part.style.width = `${(50 * Math.abs(luck)) / most}%`;
    return h("span", { class: "bar", "aria-hidden": "true" }, part);
  };
  const rows = answer.rolls.map((one) => [one.roll.join(""), one.play || t("no play"), signed(one.equity), signed(one.luck), bar(one.luck)]);
  const caption = t("The 21 rolls");
  const numbers = { mean: signed(answer.mean), deviation: answer.deviation.toFixed(3) };
  const losers = answer.market_losers === undefined ? null
    : h("p", { class: "note" }, t("Market losers: {share} of the exchanges of two rolls.", { share: percent(answer.market_losers) }));
  return [
    h("h2", {}, caption),
    h("p", {}, t("Mean {mean}, standard deviation {deviation}.", numbers)),
    table(caption, [t("Roll|dice"), t("Best play"), t("Equity"), t("Luck"), h("span", { class: "over" }, t("Luck"))], rows, "rolls"),
    losers,
  ].filter((part) => part !== null);
}
