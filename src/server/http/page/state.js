// Score, cube and rules of a position, as settings of the HTTP API.

import { ask } from "./api.js";

// The state that a question says, or an ID in it.
export async function stateOf(question) {
  const { state } = await ask("show", question);
  const { length, score, crawford, jacoby, beavers, cube, owner } = state;
  return length > 0 ? { length, score, crawford, cube, owner } : { length, jacoby, beavers, cube, owner };
}

// The same seen by the other player.
export function turned(settings) {
  const owner = { me: "opponent", opponent: "me" }[settings.owner] ?? "centred";
  return settings.score ? { ...settings, owner, score: [...settings.score].reverse() } : { ...settings, owner };
}
