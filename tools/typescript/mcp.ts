// The reference client of MCP asks `gammond mcp` and `/mcp`: node out/mcp.js PROGRAM ADDRESS
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

const START = "4HPwATDgc/ABMA";
const TOOLS = ["evaluate", "best_plays", "cube_decision", "all_rolls", "all_scores", "all_cubes", "explain_decision",
  "opening_book", "rollout", "convert_position", "show_position", "analyse_match"];

function check(good: boolean, what: string): void {
  if (!good) {
    console.error(`FAILED: ${what}`);
    process.exit(1);
  }
}

async function whole(name: string, transport: Transport): Promise<void> {
  const client = new Client({ name: "foreign", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  check(tools.map((tool) => tool.name).join() === TOOLS.join(), `${name}: the tools`);
  const evaluated = await client.callTool({ name: "evaluate", arguments: { position: START, plies: 0 } });
  const value = evaluated.structuredContent as { probabilities: { win: number } };
  check(!evaluated.isError && value.probabilities.win > 0.5, `${name}: evaluate`);
  const ranked = await client.callTool({ name: "best_plays", arguments: { position: START, roll: [3, 1] } });
  const { plays } = ranked.structuredContent as { plays: { play: string }[] };
  check(plays[0]?.play === "8/5 6/5", `${name}: best_plays`);
  const human = { position: START, roll: [6, 4], pr: 8, seed: 5, top: 0 };
  const chosen = await client.callTool({ name: "best_plays", arguments: human });
  const { plays: shared } = chosen.structuredContent as { plays: { share: number }[] };
  const whole = shared.reduce((sum, { share }) => sum + share, 0);
  check(Math.abs(whole - 1) < 0.001, `${name}: the shares of people`);
  const wrong = await client.callTool({ name: "evaluate", arguments: { position: "rubbish" } });
  check(wrong.isError === true, `${name}: a wrong position is an error`);
  let reports = 0;
  const asked = { name: "rollout", arguments: { position: START, trials: 1296, time_s: 20 } };
  const rolled = await client.callTool(asked, undefined, { onprogress: () => { reports += 1; } });
  check(!rolled.isError && reports > 0, `${name}: rollout with progress`);
  const stop = new AbortController();
  const endless = { name: "rollout", arguments: { position: START, trials: 46656, time_s: 600 } };
  setTimeout(() => stop.abort(), 500);
  const cancelled = await client.callTool(endless, undefined, { signal: stop.signal }).then(() => false, () => true);
  check(cancelled, `${name}: a rollout that is cancelled has no result`);
  const after = await client.callTool({ name: "evaluate", arguments: { position: START, plies: 0 } });
  check(!after.isError, `${name}: an answer after the cancelled one`);
  await client.close();
  console.log(`MCP over ${name}: ${tools.length} tools, ${reports} reports of progress`);
}

const [program, address] = process.argv.slice(2);
await whole("stdio", new StdioClientTransport({ command: program!, args: ["mcp"] }));
await whole("HTTP", new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
