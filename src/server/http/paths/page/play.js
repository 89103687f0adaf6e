// Play: a game or a match against the engine. The match is kept in the browser's storage after every action.

import { analyse, ogxm, pause } from "./ask.js";
import * as clock from "./clock.js";
import * as engine from "./engine.js";
import * as match from "./game.js";
import { isFlipped, onKey, takes } from "./frame.js";
import { byId, download, h, named } from "./html.js";
import { takeFile } from "./intake.js";
import { kept, ownName } from "./kept.js";
import { lossClass } from "./panels.js";
import { place } from "./places.js";
import { inWords, parseId, pips, START, stepsOf, Turn } from "./position.js";
import { cubeTable, decisionText, exploreLink, playsTable, reportsOf, totalsTable, worst } from "./report.js";
import { count, parts, t } from "./strings.js";
import { turnBoard, type } from "./turn.js";

const { PERSON, ENGINE } = match;
const KEPT = ownName("gammond.play");
// The tutor lets smaller losses pass: the least that is doubtful (ANA-07).
const TUTOR_LOSS = 0.03;
const ENGINE_PAUSE_MS = 700;
const REPORT_PLIES = 0;
const WORST_SHOWN = 10;
const HINTS = 5;
const THREE = 3;
// The opponent of a first visit.
const LEVEL_FIRST = "advanced";

let game = null;
// The person's turn on the board, the legal plays, and the advice on them.
let turn = null;
let advice = null;
let running = new AbortController();
let isBusy = false;
// The action that the tutor holds back.
let held = null;
// Another window has changed the match: this one must not write over it.
let isElsewhere = false;
// True while the person goes through the actions, whose buttons come and go.
let hasKeys = false;

const DEEDS = {
  play: "{name} {roll}: {play}", double: "{name} doubles to {value}", beaver: "{name} beavers to {value}", raccoon: "{name} raccoons to {value}",
  take: "{name} takes", pass: "{name} passes",
};

const isOver = () => game.phase === "game-over" || game.phase === "match-over";
const isMine = () => game.turn === PERSON;
function keep() {
  if (isElsewhere) return;
  try {
    localStorage.setItem(KEPT, JSON.stringify(game));
  } catch (error) {
    byId("keeping").textContent = t("this browser does not keep the match: {message}", error);
  }
}

// Board

const board = turnBoard(byId("place"), {
  current: () => (isBusy ? null : turn),
  position: () => turn?.position ?? (game === null ? parseId(START) : match.boardOf(game)),
  moved: () => { release(); render(); },
  dice: () => { if (possible().includes("turn-dice")) acts["turn-dice"](); },
});
board.clockwise = isFlipped();

// The places that the engine's last play went to.
function lastTargets() {
  const last = match.currentGame(game).actions.findLast((action) => action.kind === "play");
  if (!last || last.player === PERSON || turn?.steps.length > 0) return [];
  return (stepsOf(last.text) ?? []).filter(({ to }) => to > 0).map(({ to }) => 24 - to);
}

function offeredCube() {
  if (game.phase !== "doubled") return null;
  const { value, answering } = match.offered(game);
  return { value, offeredBy: answering === PERSON ? "opponent" : "me" };
}

function render() {
  showTexts();
  showActions();
  showScore();
  const position = turn ? turn.position : match.boardOf(game);
  const last = match.currentGame(game).actions.at(-1);
  const theirs = isMine() ? (game.phase === "roll" && last?.kind === "play" ? last.dice : null) : game.dice;
  const words = inWords(position, game.names, match.variantOf(game).checkers);
  byId("words").textContent = words;
  board.show(position, match.settingsFor(game, PERSON), {
    roll: isMine() ? game.dice : null, rest: turn?.dice ?? null, theirDice: theirs, marked: lastTargets(), offered: offeredCube(),
    label: t("Board. {words}", { words }),
  });
  byId("game").setAttribute("aria-busy", String(isBusy));
}

function showTexts() {
  byId("status").textContent = statusText();
  // Until the first play is made.
  byId("how").hidden = turn === null || held !== null
    || game.games.some(({ actions }) => actions.some(({ player, kind }) => player === PERSON && kind === "play"));
  const items = match.currentGame(game).actions.map(({ player, kind, dice, text, value }) => {
    const name = named(game.names[player]);
    const roll = dice?.join("");
    return h("li", {}, ...parts(DEEDS[kind], { name, value, roll, play: text || t("no play") }));
  });
  byId("moves").replaceChildren(...items);
}

function statusText() {
  const name = game.names[ENGINE];
  const last = match.currentGame(game).actions.at(-1);
  const before = last?.player === ENGINE && last.kind === "play"
    ? `${t("{name} rolled {roll}: {play}.", { name, roll: last.dice.join(""), play: last.text || t("no play") })} ` : "";
  const roll = game.dice?.join("");
  switch (game.phase) {
    case "roll":
      if (!isMine()) return t("{name} is on roll.", { name });
      return before + (match.canDouble(game) ? t("Your turn: roll or double.") : t("Your turn."));
    case "play":
      if (!isMine()) return t("{name} rolled {roll}.", { name, roll });
      if (turn === null) return before + t("You rolled {roll}.", { roll });
      if (turn.play && turn.steps.length === 0) return before + t("You rolled {roll}: no legal play.", { roll });
      return turn.play ? t("Confirm your play, or undo.") : before + t("You rolled {roll}: move {dice}.", { roll, dice: turn.dice.join(", ") });
    case "doubled": return offerText(name);
    case "resigning": {
      const kind = [t("a single game"), t("a gammon"), t("a backgammon")][game.offer.kind - 1];
      return game.offer.player === PERSON ? t("You resign {kind}.", { kind }) : t("{name} resigns {kind}: accept?", { name, kind });
    }
    default: return resultText(name);
  }
}

function offerText(name) {
  const { turns, value, answering } = match.offered(game);
  if (answering === ENGINE) return t(["You double to {value}.", "You beaver to {value}.", "You raccoon to {value}."][turns - 1], { value });
  const texts = ["{name} doubles to {value}: take or pass?", "{name} beavers to {value}: take or pass?", "{name} raccoons to {value}: take or pass?"];
  return t(texts[turns - 1], { name, value });
}

function resultText(name) {
  const { winner, points: n, how } = match.currentGame(game).result;
  const way = { pass: t("by a pass"), resignation: t("by resignation"), "bore off": t("by bearing off"), time: t("on time") }[how];
  const result = winner === PERSON
    ? count(n, "You win {n} point, {way}.", "You win {n} points, {way}.", { way })
    : count(n, "{name} wins {n} point, {way}.", "{name} wins {n} points, {way}.", { name, way });
  if (game.phase !== "match-over") return result;
  return `${result} ${winner === PERSON ? t("You win the match.") : t("{name} wins the match.", { name })}`;
}

function showScore() {
  for (const [player, side] of ["my", "their"].entries()) {
    byId(`${side}-name`).replaceChildren(named(game.names[player]));
    byId(`${side}-score`).textContent = String(game.score[player]);
    const checkers = player === PERSON ? match.boardOf(game).me : match.boardOf(game).opponent;
    byId(`${side}-pips`).textContent = t("{n} pips", { n: pips(checkers) });
  }
  const money = [t("Money game"), game.jacoby ? t("Jacoby rule") : null, game.beavers ? t("Beavers") : null];
  const length = game.length > 0 ? [t("Match to {length}", { length: game.length })] : money.filter((rule) => rule !== null);
  const { title } = match.variantOf(game);
  const kind = title === null ? length : [t(title), ...length];
  const owner = { 0: t("with you"), 1: t("with the opponent") }[game.cube.owner] ?? t("in the middle");
  const cube = game.crawford ? t("Crawford game") : t("cube {value} {owner}", { value: game.cube.value, owner });
  byId("rules").textContent = [...kind, t("game {number}", { number: game.games.length }), cube].join(", ");
  byId("my-clock").hidden = !game.clock;
  byId("result").textContent = t("Opponent: {level}.", { level: t(match.levelOf(game).name) });
}

// Actions

function possible() {
  if (byId("error").textContent !== "") return ["retry"];
  if (isBusy || held !== null) return [];
  switch (game.phase) {
    case "roll": return isMine() ? ["roll", match.canDouble(game) ? "double" : null, "hint", "resign"] : [];
    case "play": {
      if (!isMine() || turn === null) return [];
      const isFresh = turn.steps.length === 0 && turn.dice.length === 2 && turn.dice[0] !== turn.dice[1];
      return [turn.play ? "confirm" : null, turn.steps.length > 0 ? "undo" : null, isFresh ? "turn-dice" : null, "hint", "resign"];
    }
    case "doubled": {
      const { turns, answering } = match.offered(game);
      return answering === PERSON ? ["take", "pass", match.canRaise(game) ? ["beaver", "raccoon"][turns - 1] : null, "hint"] : [];
    }
    case "resigning": return game.offer.player === ENGINE ? ["accept", "refuse"] : [];
    case "game-over": return ["next", "report"];
    default: return ["report", "new-match"];
  }
}

function showActions() {
  const actions = byId("actions");
  const shown = possible();
  for (const button of document.querySelectorAll("[data-act]")) button.hidden = !shown.includes(button.dataset.act);
  byId("resigning").hidden = !byId("resigning").dataset.open || !shown.includes("resign");
  for (const button of byId("resigning").querySelectorAll("[data-kind]")) button.hidden = Number(button.dataset.kind) > match.kindMax(game);
  byId("typed").hidden = turn === null || isBusy;
  byId("warning").hidden = held === null;
  // The keys go on where the button that had them is gone.
  const { activeElement } = document;
  if (hasKeys && (activeElement === document.body || activeElement.hidden)) {
    (actions.querySelector("button.main:not([hidden])") ?? actions.querySelector("button:not([hidden])"))?.focus();
  }
}

function release() {
  held = null;
  delete byId("resigning").dataset.open;
}

// Does an action, unless the tutor finds that it loses much: then the person takes it back or insists.
async function tutored(action, lossOf, doIt) {
  if (game.tutor) {
    const { signal } = running;
    let advised = null;
    try {
      advised = await busily(lossOf);
    } catch (error) {
      // The next click asks again; without the tutor the action needs no advice.
      if (!signal.aborted) byId("advice").replaceChildren(noHint(error));
    }
    if (signal.aborted || advised === null) return;
    const [loss, better] = advised;
    if (loss >= TUTOR_LOSS) {
      held = doIt;
      byId("warning-text").textContent = t("{action} loses {loss}. Better: {better}.", { action, loss: loss.toFixed(3), better });
      render();
      byId("take-back").focus();
      return;
    }
  }
  await doIt();
}

async function busily(work) {
  isBusy = true;
  showActions();
  try {
    return await work();
  } finally {
    isBusy = false;
    showActions();
  }
}

// The legal plays with look-ahead, asked for once a turn, or again after a failure.
function advisedPlays() {
  if (advice === null) {
    const asked = engine.advisedPlays(game, running.signal);
    advice = asked;
    asked.catch(() => { if (advice === asked) advice = null; });
  }
  return advice;
}

async function playLoss() {
  const plays = await advisedPlays();
  const mine = plays.find((play) => play.position === turn.play.position);
  return [mine.loss, plays[0].play];
}

const cubeLoss = (action) => async () => {
  const answer = await engine.advisedCube(game, running.signal);
  return [engine.cubeLoss(action, answer, game.length === 0 && game.beavers === true), t(answer.verdict)];
};

// The loss of an answer to a turned cube, and the better one.
const answerLoss = (answer) => async () => {
  const losses = engine.answerLosses(game, await engine.advisedCube(game, running.signal));
  const better = Object.keys(losses).find((other) => losses[other] === 0);
  return [losses[answer], t(better === "raise" ? ["beaver", "raccoon"][match.offered(game).turns - 1] : better)];
};

const raise = () => tutored(t("Turning the cube"), answerLoss("raise"), () => after(() => match.raise(game)));

const acts = {
  roll: () => {
    const doIt = () => after(() => match.roll(game));
    return match.canDouble(game) ? tutored(t("Rolling without a double"), cubeLoss("roll"), doIt) : doIt();
  },
  double: () => tutored(t("This double"), cubeLoss("double"), () => after(() => match.double(game))),
  confirm: () => {
    const chosen = turn.play;
    return tutored(chosen.play || t("This play"), playLoss, () => after(() => match.play(game, chosen)));
  },
  undo: () => { turn.undo(); render(); },
  "turn-dice": () => { turn.turnDice(); render(); },
  take: () => tutored(t("Taking"), answerLoss("take"), () => after(() => match.take(game))),
  pass: () => tutored(t("Passing"), answerLoss("pass"), () => after(() => match.pass(game))),
  beaver: raise,
  raccoon: raise,
  accept: () => after(() => match.acceptResignation(game)),
  refuse: () => after(() => { match.refuseResignation(game); match.currentGame(game).refused = true; }),
  next: () => after(() => match.beginGame(game)),
  retry: () => after(() => {}),
  resign: () => { byId("resigning").dataset.open = "1"; render(); byId("resigning").querySelector("button").focus(); },
  report: showReport,
  "new-match": setUp,
  hint: showHint,
};

// The clock runs while the person has something to do, not while the tutor speaks.
const settleClock = clock.run({
  timed: () => {
    const isToAct = game !== null && byId("new").hidden && !isOver() && !isElsewhere && possible().some((name) => name !== "retry");
    return isToAct ? game.clock ?? null : null;
  },
  show: (text) => { byId("my-clock").textContent = text; },
  over: () => after(() => match.loseOnTime(game)),
});
addEventListener("pagehide", () => {
  if (game?.clock == null) return;
  settleClock();
  keep();
});

// Does an action of the person, and lets the engine answer. If another window has gone on, this one begins with what that one kept.
function after(change) {
  if (isElsewhere) return location.reload();
  settleClock();
  release();
  change();
  turn = null;
  advice = null;
  byId("advice").replaceChildren();
  if (game.phase === "play") byId("report").replaceChildren();
  return proceed();
}

async function proceed() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  byId("error").textContent = "";
  keep();
  isBusy = true;
  try {
    while (await automatic(signal)) keep();
  } catch (error) {
    if (signal.aborted) return;
    byId("error").textContent = t("no answer from the server: {message}", error);
  }
  isBusy = false;
  render();
  if (game.phase === "match-over" && byId("report").childElementCount === 0) showReport();
}

const rest = () => (byId("quick").checked ? null : pause(ENGINE_PAUSE_MS));

// Does the next thing that needs no person; false if there is none. Nothing happens after the signal.
async function automatic(signal) {
  if (isOver()) return false;
  render();
  const { phase } = game;
  const act = async (question, change) => {
    const answer = await question;
    if (signal.aborted) throw new Error("stopped");
    change(answer);
    return true;
  };
  if (phase === "roll" && isMine()) return match.canDouble(game) ? false : act(null, () => match.roll(game));
  if (phase === "roll") {
    return act(engine.engineTurn(game, signal), ({ resigns, doubles }) => {
      if (resigns > 0) return match.offerResignation(game, ENGINE, resigns);
      return doubles ? match.double(game) : match.roll(game);
    });
  }
  if (phase === "play" && isMine()) {
    const plays = await engine.legalPlays(game, signal);
    if (signal.aborted) throw new Error("stopped");
    turn = new Turn(match.boardOf(game), game.dice, plays);
    // The tutor will ask for it: by the time the play is made the answer is there.
    if (game.tutor) advisedPlays().catch(() => {});
    return false;
  }
  if (phase === "play") return act(Promise.all([engine.enginePlay(game, signal), rest()]), ([best]) => match.play(game, best));
  if (phase === "doubled" && match.offered(game).answering === ENGINE) {
    return act(Promise.all([engine.engineAnswers(game, signal), rest()]), ([answer]) => match[answer](game));
  }
  if (phase === "resigning" && game.offer.player === PERSON) {
    return act(engine.engineAccepts(game, signal), (accepts) => {
      if (accepts) return match.acceptResignation(game);
      match.refuseResignation(game);
      byId("advice").replaceChildren(h("p", {}, t("The resignation is refused: it would cost too little.")));
      return undefined;
    });
  }
  return false;
}

// Advice and report

const noHint = (error) => h("p", { class: "error" }, t("no hint: {message}", error));

async function showHint() {
  const place = byId("advice");
  const { signal } = running;
  place.replaceChildren(h("p", {}, "…"));
  try {
    if (game.phase === "play") {
      place.replaceChildren(playsTable(t("Best plays"), (await advisedPlays()).slice(0, HINTS)));
    } else {
      place.replaceChildren(cubeTable(t("Cube decision"), await engine.advisedCube(game, signal)));
    }
  } catch (error) {
    if (!signal.aborted) place.replaceChildren(noHint(error));
  }
}

// The person's worst mistakes, with the ways on: the match in Matches, its mistakes in the quiz.
function threeWorst(report) {
  const mine = report.decisions.filter(({ player, loss }) => player === PERSON && loss.emg > 0)
    .sort((one, other) => other.loss.emg - one.loss.emg).slice(0, THREE);
  const rows = mine.map((one) => h("div", { class: "row" }, h("span", { class: `badge ${lossClass(one.loss.emg)}` }, one.loss.emg.toFixed(3)),
    h("a", { href: exploreLink(one, report), class: "grow" }, decisionText(one)),
    one.found_by ? h("span", { class: "note" }, t("1 in {n} at PR {pr}", oneIn(one.found_by[1]))) : null));
  const kept = (label, to) => {
    const button = h("button", { type: "button" }, label);
    button.addEventListener("click", async () => {
      const [id] = await takeFile(new File([match.matchFile(game)], `${game.names.join(" – ")}.mat`), REPORT_PLIES);
      location.href = to(id);
    });
    return button;
  };
  return h("div", { class: "card" }, h("h2", {}, t("Your three worst")), ...(rows.length > 0 ? rows : [h("p", {}, t("No decision lost anything."))]),
    h("div", { class: "row" }, kept(t("Quiz me on these"), () => `${place("quiz")}?${new URLSearchParams({ theme: "own", player: game.names[PERSON] })}`),
      kept(t("Review the match"), (id) => `${place("matches")}#${id}`)));
}

// The share of those who miss it, as one in so many.
const oneIn = ({ pr, share }) => ({ pr, n: Math.max(1, Math.round(1 / Math.max(1 - share, 0.001))) });

async function showReport() {
  const place = byId("report");
  place.replaceChildren(h("p", {}, t("The match is being analysed …")));
  try {
    const [report] = await reportsOf(match.matchFile(game), REPORT_PLIES);
    place.replaceChildren(threeWorst(report), totalsTable(report), worst(report, PERSON, WORST_SHOWN));
  } catch (error) {
    place.replaceChildren(h("p", { class: "error" }, t("no report: {message}", error)));
  }
}

// Controls

addEventListener("focusin", ({ target }) => { hasKeys = target.closest?.("#actions, #more-actions, #warning") !== null; });
addEventListener("storage", (event) => {
  if (event.key !== KEPT || game === null) return;
  running.abort();
  isElsewhere = true;
  byId("error").textContent = t("the match goes on in another window");
  showActions();
});
const act = (name) => { if (game !== null && byId("new").hidden && possible().includes(name)) acts[name](); };
addEventListener("click", (event) => {
  const name = event.target.closest("[data-act]")?.dataset.act;
  if (name) act(name);
});
byId("resigning").addEventListener("click", (event) => {
  const kind = event.target.closest("[data-kind]")?.dataset.kind;
  if (kind === undefined) return;
  if (kind === "0") { release(); render(); return; }
  after(() => match.offerResignation(game, PERSON, Number(kind)));
});
byId("take-back").addEventListener("click", () => {
  release();
  while (turn?.steps.length > 0) turn.undo();
  render();
});
byId("insist").addEventListener("click", () => held?.());
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  if (turn === null || isBusy) return;
  const field = byId("typed-play");
  byId("typed-error").textContent = type(turn, field.value, game.dice);
  if (byId("typed-error").textContent === "") field.value = "";
  release();
  render();
});
byId("tutor").addEventListener("change", (event) => { game.tutor = event.target.checked; keep(); });
takes.flipped = (isTurned) => {
  board.clockwise = isTurned;
  if (game === null || !byId("new").hidden) drawStart();
  else render();
};
takes.failed = (message) => { byId("error").textContent = message; };
for (const [key, text, name] of [
  ["r", t("roll"), "roll"], ["d", t("double"), "double"], ["t", t("take"), "take"], ["p", t("pass"), "pass"], ["h", t("hint"), "hint"],
  ["u", t("undo"), "undo"],
]) onKey(key, text, () => act(name));
// The main button of the moment.
onKey("Enter", t("go on"), () => {
  if (!byId("new").hidden) byId("new").requestSubmit();
  else byId("actions").querySelector("button.main:not([hidden])")?.click();
});
byId("save-mat").addEventListener("click", () => download("gammond.mat", match.matchFile(game), "text/plain"));
const written = {
  sgf: async (file) => (await analyse(file, { plies: REPORT_PLIES }, "sgf")).blob(),
  ogxm,
};
for (const [form, write] of Object.entries(written)) {
  byId(`save-${form}`).addEventListener("click", async () => {
    try {
      download(`gammond.${form}`, await write(match.matchFile(game)), "application/octet-stream");
    } catch (error) {
      byId("advice").replaceChildren(h("p", { class: "error" }, t("no file: {message}", error)));
    }
  });
}
byId("restart").addEventListener("click", setUp);
byId("back").addEventListener("click", show);
byId("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target.elements;
  try {
    await engine.checkVariant(form.variant.value);
  } catch (error) {
    byId("error").textContent = error.message;
    return;
  }
  game = match.newGame({
    length: Number(form.points.value), level: match.LEVELS[form.level.value].id, name: form.name.value, tutor: form["new-tutor"].checked,
    jacoby: form.jacoby.checked, beavers: form.beavers.checked, variant: form.variant.value, timed: form.timed.checked,
  });
  byId("report").replaceChildren();
  isElsewhere = false;
  show();
});

function setUp() {
  running.abort();
  byId("new").hidden = false;
  byId("game").hidden = true;
  byId("back").hidden = game === null;
  byId("status").textContent = t("A new match");
  for (const button of document.querySelectorAll("[data-act]")) button.hidden = true;
  drawStart();
  byId("start").focus({ preventScroll: true });
}

function drawStart() {
  turn = null;
  const { start } = match.VARIANTS[byId("variant").value] ?? match.VARIANTS.backgammon;
  board.show(parseId(start), {}, { label: t("Board") });
}

function show() {
  byId("new").hidden = true;
  byId("game").hidden = false;
  byId("tutor").checked = game.tutor;
  after(() => {});
}

// Jacoby and beavers are rules of money games.
const showMoneyRules = () => { byId("money-rules").hidden = byId("length").value !== "0"; byId("match-clock").hidden = !byId("money-rules").hidden; };

// The name of the opponent that the slider stands at.
function showLevel() {
  const { name, settings } = match.LEVELS[byId("level").value];
  byId("level-name").textContent = t(name);
  byId("level").setAttribute("aria-valuetext", t(name));
  byId("level-note").textContent = settings.pr === undefined ? t("plays its best") : t("errs as people of PR {pr} do", settings);
}

function fillForm() {
  const lengths = [[0, t("Money")], ...[...Array(match.LENGTH_MAX).keys()].map((at) => [at + 1, count(at + 1, "{n} point", "{n} points")])];
  byId("length").append(...lengths.map(([value, label]) => h("option", { value, selected: value === 3 }, label)));
  byId("level").max = match.LEVELS.length - 1;
  byId("level").value = match.LEVELS.findIndex(({ id }) => id === LEVEL_FIRST);
  byId("level").addEventListener("input", showLevel);
  showLevel();
  byId("variant").addEventListener("change", drawStart);
  byId("length").addEventListener("change", showMoneyRules);
  showMoneyRules();
}

fillForm();
game = match.restored(kept(KEPT));
if (game === null) setUp();
else show();
