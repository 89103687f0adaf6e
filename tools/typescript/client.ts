// A client that is typed by protocol-specs/openapi.json: it must compile, and the server must answer it.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const position = "4HPwATDgc/ABMA";

function check(good: boolean, what: string): void {
  if (!good) {
    console.error(`FAILED: ${what}`);
    process.exit(1);
  }
}

const evaluated = await client.GET("/v1/eval", {
  params: { query: { position, plies: 1, score: [3, 5], length: 7, cubeful: true } },
});
check(evaluated.data !== undefined && evaluated.data.probabilities.win > 0.5, "GET /v1/eval");

const ranked = await client.POST("/v1/move", { body: { position, roll: [3, 1], settings: { top: 2, filter: "large" } } });
const plays = ranked.data !== undefined && "plays" in ranked.data ? ranked.data.plays : [];
check(plays.length === 2 && plays[0]?.play === "8/5 6/5", "POST /v1/move");

const decided = await client.POST("/v1/cube", { body: { position, settings: { length: 7, score: [3, 5], owner: "centred" } } });
check(decided.data !== undefined && "verdict" in decided.data && decided.data.take, "POST /v1/cube");

const wrong = await client.GET("/v1/cube", { params: { query: { position: "rubbish" } } });
check(wrong.error !== undefined && wrong.error.code === "bad-position", "a problem");

// A setting has its type: none of these compiles.
// @ts-expect-error A number is no text.
const asText: components["schemas"]["MoveSettings"] = { plies: "2" };
// @ts-expect-error A word of another setting.
const asWord: components["schemas"]["MoveSettings"] = { filter: "me" };
// @ts-expect-error A setting of rollouts.
const ofRollouts: components["schemas"]["CubeSettings"] = { trials: 36 };
check([asText, asWord, ofRollouts].length === 3, "types");

async function finished(job: components["schemas"]["Job"] | undefined): Promise<components["schemas"]["Job"]> {
  let state = job;
  while (state !== undefined && (state.state === "queued" || state.state === "running")) {
    state = (await client.GET("/v1/jobs/{id}", { params: { path: { id: state.id }, query: { wait: 5 } } })).data;
  }
  check(state?.state === "done", "a job");
  return state!;
}

const rollout = await client.POST("/v1/jobs/rollout", { body: { position, cube: true, settings: { trials: 36, truncate: 3, se: "off" } } });
const rolled = await client.GET("/v1/jobs/{id}/result", { params: { path: { id: (await finished(rollout.data)).id } } });
check(rolled.data !== undefined && typeof rolled.data === "object" && "candidates" in rolled.data && rolled.data.candidates.length === 2, "a job of a rollout");

const match = new Blob([readFileSync(process.argv[3]!)]);
const analysis = await client.POST("/v1/jobs/analyse", {
  params: { query: { plies: 0 } },
  headers: { "Content-Type": "application/octet-stream" },
  // A file is bytes; the description has only "string" for it.
  body: match as unknown as string,
  bodySerializer: (file) => file as unknown as Blob,
});
const analysed = await client.GET("/v1/jobs/{id}/result", { params: { path: { id: (await finished(analysis.data)).id } } });
check(analysed.data !== undefined && typeof analysed.data === "object" && "players" in analysed.data && analysed.data.players[0] === "Alice", "a job of an analysis");

console.log("TypeScript client: eval, move, cube, and jobs of a rollout and an analysis");
