// Score, cube and rules of a position, as settings of the HTTP API.

import { ask } from "./ask.js";
import { t } from "./strings.js";

// The state that a question says, or an ID in it.
export async function stateOf(question) {
  const { state } = await ask("show", question);
  const { length, score, crawford, jacoby, beavers, cube, owner, variant } = state;
  return ofVariant(length > 0 ? { length, score, crawford, cube, owner } : { length, jacoby, beavers, cube, owner }, { variant });
}

// Settings with the variant of a match or a state, which no position says.
export const ofVariant = (settings, { variant = "backgammon" }) => (variant === "backgammon" ? settings : { variant, ...settings });

// The same seen by the other player.
export function turned(settings) {
  const owner = { me: "opponent", opponent: "me" }[settings.owner] ?? "centred";
  return settings.score ? { ...settings, owner, score: [...settings.score].reverse() } : { ...settings, owner };
}

// The score in a few words.
export function scoreText({ length, score, crawford, jacoby }) {
  if (length > 0) return t("{mine}–{theirs} to {length}", { mine: score[0], theirs: score[1], length }) + (crawford ? `, ${t("Crawford")}` : "");
  return jacoby === false ? t("Money game, no Jacoby") : t("Money game");
}

// Score and cube in words, for people who do not see the board.
export function stateInWords({ length, score = [], cube, owner }) {
  const match = length > 0 ? t("Match to {length}, player on roll {mine}, opponent {theirs}", { length, mine: score[0], theirs: score[1] }) : t("Money game");
  const whose = { me: t("of the player on roll"), opponent: t("of the opponent") }[owner] ?? t("in the middle");
  return `${match}. ${t("cube {value} {owner}", { value: cube, owner: whose })}.`;
}
