// A game or match against the engine as plain data, which is kept as JSON: score, cube, board, dice and every action so far.
// Player 0 is the person, player 1 the engine; the board is seen by the person.

import { reserve } from "./clock.js";
import { CHECKERS, off, onBoard, parseId, printId, START, stepsOf, swapped } from "./position.js";
import { localDay, t } from "./strings.js";

export const PERSON = 0;
export const ENGINE = 1;
export const LENGTH_MAX = 255;
const NAME_LENGTH_MAX = 40;
export const CUBE_MAX = 4096;
// Turns of the cube in one offer: a double, a beaver, a raccoon.
const TURNS_MAX = 3;
const FORMAT = 1;

// Positions that lose a gammon and a backgammon whatever is rolled.
const LOST = { 2: "AQAAAMD/HwAAAA", 3: "AQAAAAAA/38AAA" };

// Variants of the engine: start, checkers of a side, lost positions, name in match files and name for people.
export const VARIANTS = {
  backgammon: { start: START, checkers: CHECKERS, lost: LOST, name: "Backgammon", title: null },
  nackgammon: { start: "4Dl4ADbgOXgANg", checkers: CHECKERS, lost: LOST, name: "NackGammon", title: "Nackgammon" },
  hypergammon: { start: "AACgAgAAKgAAAA", checkers: 3, lost: { 2: "AwAAAABwAAAAAA", 3: "AwAAAAAAOAAAAA" }, name: "HyperGammon (3)", title: "Hypergammon" },
};
// A kept game of an older version has no variant.
export const variantOf = (game) => VARIANTS[game.variant] ?? VARIANTS.backgammon;

// Opponents: up to experts they play as people of an error rate (PR) do.
export const LEVELS = [
  { id: "beginner", name: "Beginner", settings: { pr: 30, filter: "swift" } },
  { id: "casual", name: "Casual player", settings: { pr: 20, filter: "swift" } },
  { id: "intermediate", name: "Intermediate", settings: { pr: 12, filter: "swift" } },
  { id: "advanced", name: "Advanced", settings: { pr: 7, filter: "swift" } },
  { id: "expert", name: "Expert", settings: { pr: 4, filter: "swift" } },
  { id: "world-class", name: "World class, 2-ply", settings: { plies: 2 } },
  { id: "3-ply", name: "3-ply", settings: { plies: 3 } },
  { id: "rollout", name: "Rollouts: seconds for each play", settings: { plies: 2 }, rollout: { trials: 144, truncate: 11, top: 3 } },
];

export const levelOf = (game) => LEVELS.find((level) => level.id === game.level) ?? LEVELS[4];

// The settings of the engine as the person's opponent: people do not choose the same in every match.
export function levelSettings(game) {
  const { settings } = levelOf(game);
  return settings.pr === undefined ? settings : { ...settings, seed: game.seed ?? 0 };
}

// A die from 1 to 6 of the browser's secure generator; the four highest bytes would favour low numbers.
export function die() {
  const byte = new Uint8Array(1);
  do crypto.getRandomValues(byte); while (byte[0] >= 252);
  return 1 + (byte[0] % 6);
}

// A name as a match file can hold it.
function nameOf(text, instead) {
  const clean = [...text.replace(/[\p{Cc}\p{Cf}:]/gu, " ").replace(/\s+/g, " ").trim()].slice(0, NAME_LENGTH_MAX).join("");
  return clean === "" ? instead : clean;
}

export function newGame({ length, level, name, tutor, jacoby, beavers, variant, timed = false }) {
  const game = {
    format: FORMAT, length, level, tutor, jacoby, beavers, variant, names: [nameOf(name, t("You")), "gammond"], score: [0, 0], crawford: false,
    crawfordDone: false, games: [], clock: timed && length > 0 ? { left: reserve(length) } : null, seed: crypto.getRandomValues(new Uint32Array(1))[0],
  };
  beginGame(game);
  return game;
}

// Returns a kept game, or null if the text is none of this version.
export function restored(text) {
  try {
    const game = JSON.parse(text);
    const known = game?.format === FORMAT && LEVELS.some((level) => level.id === game.level) && Array.isArray(game.games);
    if (!known || game.games.length === 0) return null;
    parseId(game.position);
    return game;
  } catch {
    return null;
  }
}

export const currentGame = (game) => game.games[game.games.length - 1];
export const boardOf = (game) => parseId(game.position);

// Begins the next game; both throw one die, and the higher one moves first with both.
export function beginGame(game) {
  const isOneAway = game.score.map((points) => points === game.length - 1);
  game.crawford = game.length > 0 && !game.crawfordDone && isOneAway[0] !== isOneAway[1];
  game.crawfordDone ||= game.crawford;
  game.position = variantOf(game).start;
  game.cube = { value: 1, owner: null };
  game.offer = null;
  game.games.push({ score: [...game.score], crawford: game.crawford, actions: [], result: null });
  let dice;
  do dice = [die(), die()]; while (dice[0] === dice[1]);
  game.turn = dice[0] > dice[1] ? PERSON : ENGINE;
  game.dice = dice.sort().reverse();
  game.phase = "play";
}

export function roll(game) {
  game.dice = [die(), die()].sort().reverse();
  game.phase = "play";
}

// True if the player on roll may double: the cube is alive and within reach.
export function canDouble(game, player = game.turn) {
  const { value, owner } = game.cube;
  if (2 * value > CUBE_MAX) return false;
  const isDead = game.length > 0 && game.score[player] + value >= game.length;
  return game.phase === "roll" && game.turn === player && !game.crawford && !isDead && (owner === null || owner === player);
}

// Score, cube and rules as the API's settings, seen by a player.
export function settingsFor(game, player) {
  const owner = { [player]: "me", [1 - player]: "opponent" }[game.cube.owner] ?? "centred";
  const settings = { cube: game.cube.value, owner, variant: game.variant ?? "backgammon" };
  if (game.length === 0) return { ...settings, length: 0, jacoby: game.jacoby, beavers: game.beavers === true };
  // The score before this game: the one after the last is none of a match.
  const { score } = currentGame(game);
  return { ...settings, length: game.length, score: [score[player], score[1 - player]], crawford: game.crawford };
}

export const positionFor = (game, player) => (player === PERSON ? game.position : printId(swapped(boardOf(game))));

// The most that a game is worth before the cube: by Jacoby's rule gammons count only after a double.
export const kindMax = (game) => (game.length === 0 && game.jacoby && game.cube.owner === null ? 1 : 3);

// Points of a won board before the cube: 2 for a gammon, 3 for a backgammon.
function kindOfWin(board, checkers) {
  const { me, opponent } = onBoard(board.me) === 0 ? board : swapped(board);
  if (onBoard(me) > 0) return 0;
  if (off(opponent, checkers) > 0) return 1;
  const isBehind = opponent.some((count, index) => count > 0 && index > 17);
  return isBehind ? 3 : 2;
}

function endGame(game, winner, points, how) {
  currentGame(game).result = { winner, points, how };
  game.score[winner] += points;
  game.dice = null;
  game.offer = null;
  game.phase = game.length > 0 && game.score[winner] >= game.length ? "match-over" : "game-over";
}

const note = (game, action) => currentGame(game).actions.push(action);

// Plays a legal play of /v1/move: its position has the other player on roll.
export function play(game, { play: text, position }) {
  const player = game.turn;
  note(game, { player, kind: "play", dice: game.dice, text });
  game.position = player === PERSON ? printId(swapped(parseId(position))) : position;
  const kind = kindOfWin(boardOf(game), variantOf(game).checkers);
  if (kind > 0) {
    endGame(game, player, game.cube.value * Math.min(kind, kindMax(game)), "bore off");
    return;
  }
  game.turn = 1 - player;
  game.dice = null;
  game.phase = "roll";
}

// An open offer: how often the cube was turned in it, the value that was offered, and the player who answers.
export function offered(game) {
  const turns = game.cubeTurns ?? 1;
  return { turns, value: game.cube.value * 2 ** turns, answering: turns % 2 === 1 ? 1 - game.turn : game.turn };
}

// Beavers and raccoons belong to money games whose players agreed on them.
export function canRaise(game) {
  const { turns, value } = offered(game);
  return game.phase === "doubled" && game.length === 0 && game.beavers === true && turns < TURNS_MAX && 2 * value <= CUBE_MAX;
}

export function double(game) {
  game.cubeTurns = 1;
  note(game, { player: game.turn, kind: "double", value: offered(game).value });
  game.phase = "doubled";
}

// Turns the cube once more in answer to a double (a beaver) or to a beaver (a raccoon); the beaverer keeps the cube.
export function raise(game) {
  const { turns, answering, value } = offered(game);
  note(game, { player: answering, kind: turns === 1 ? "beaver" : "raccoon", value: 2 * value });
  game.cubeTurns = turns + 1;
}

export function take(game) {
  const { answering, value } = offered(game);
  note(game, { player: answering, kind: "take" });
  game.cube = { value, owner: 1 - game.turn };
  game.phase = "roll";
}

// A pass loses the cube as it was before its last turn.
export function pass(game) {
  const { answering, value } = offered(game);
  note(game, { player: answering, kind: "pass" });
  endGame(game, 1 - answering, value / 2, "pass");
}

// A player offers to lose 1, 2 or 3 times the cube; the phase before comes back if it is refused.
export function offerResignation(game, player, kind) {
  game.offer = { player, kind: Math.min(kind, kindMax(game)), phase: game.phase };
  game.phase = "resigning";
}

export function refuseResignation(game) {
  game.phase = game.offer.phase;
  game.offer = null;
}

export function acceptResignation(game) {
  const { player, kind } = game.offer;
  endGame(game, 1 - player, game.cube.value * kind, "resignation");
}

// The person's time is over: the match is lost.
export function loseOnTime(game) {
  endGame(game, ENGINE, game.length - game.score[ENGINE], "time");
}

// The lines of a match file in Jellyfish's text form (MAT-01 to MAT-09).
export function matchFile(game, date = new Date()) {
  const day = localDay(date).replaceAll("-", ".");
  const lines = [`; [EventDate "${day}"]`];
  if (variantOf(game) !== VARIANTS.backgammon) lines.push(`; [Variation "${variantOf(game).name}"]`);
  if (game.length === 0) lines.push(`; [Jacoby "${game.jacoby ? "On" : "Off"}"]`, `; [Beaver "${game.beavers ? "On" : "Off"}"]`);
  lines.push("", ` ${game.length} point match`, "");
  game.games.forEach((one, number) => lines.push(...gameLines(game, one, number + 1), ""));
  return lines.join("\n");
}

function cell({ kind, dice, text, value }) {
  if (kind === "double") return ` Doubles => ${value}`;
  // A raccoon has the same word (MAT-13).
  if (kind === "beaver" || kind === "raccoon") return ` Beavers => ${value}`;
  if (kind === "take") return " Takes";
  if (kind === "pass") return " Drops";
  const steps = (stepsOf(text) ?? []).map(({ from, to, hit }) => `${from}/${to}${hit ? "*" : ""}`);
  return `${dice.join("")}: ${steps.join(" ")}`;
}

function gameLines(game, { score, actions, result }, number) {
  const [left, right] = game.names.map((name, player) => `${name} : ${score[player]}`);
  const lines = [` Game ${number}`, ` ${left.padEnd(28)}   ${right}`];
  const cells = [];
  actions.forEach((action, at) => {
    const before = actions[at - 1]?.kind;
    // The next roll says that a beaver or a raccoon was accepted; after a raccoon the cell of the other player stays empty.
    if (action.kind === "take" && before === "beaver") return;
    cells.push(action.kind === "take" && before === "raccoon" ? "" : cell(action));
  });
  if (actions[0]?.player === ENGINE) cells.unshift("");
  const last = actions[actions.length - 1];
  const won = result && ` Wins ${result.points} point${result.points === 1 ? "" : "s"}`;
  // Behind a pass of the left player the winner stands on the same line (MAT-08).
  const isInLine = result !== null && last?.kind === "pass" && last.player === PERSON;
  if (isInLine) cells.push(won);
  for (let at = 0; at < cells.length; at += 2) {
    const row = String(at / 2 + 1).padStart(3);
    // A play of four hits is wider than its cell.
    const gap = cells[at].length < 28 ? "" : " ";
    lines.push(`${row}) ${cells[at].padEnd(28)}${gap}${cells[at + 1] ?? ""}`.trimEnd());
  }
  if (result !== null && !isInLine) lines.push(" ".repeat(result.winner === PERSON ? 5 : 33) + won);
  return lines;
}
