// A client that is typed by protocol-specs/openapi.json: it must compile, and the server must answer it.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });

function check(good: boolean, what: string): void {
  if (!good) {
    console.error(`FAILED: ${what}`);
    process.exit(1);
  }
}

const evaluated = await client.GET("/v1/eval", {
  params: { query: { position: "4HPwATDgc/ABMA", plies: "1" } },
});
check(evaluated.data !== undefined && evaluated.data.probabilities.win > 0.5, "GET /v1/eval");

const ranked = await client.POST("/v1/move", {
  body: { position: "4HPwATDgc/ABMA", roll: [3, 1], settings: { top: 2 } },
});
const plays = ranked.data !== undefined && "plays" in ranked.data ? ranked.data.plays : [];
check(plays.length === 2 && plays[0]?.play === "8/5 6/5", "POST /v1/move");

const wrong = await client.GET("/v1/cube", { params: { query: { position: "rubbish" } } });
check(wrong.error !== undefined && wrong.error.code === "bad-position", "a problem");

console.log("TypeScript client: 3 answers");
