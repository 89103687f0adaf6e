// Answers of an engine in this browser: WebAssembly in a worker (`engine/`, the npm package gammond).

import { AskError } from "./ask_error.js";
import { open } from "./engine/index.js";

const GAMES = { plies: 0 };

// Two engines: one answers while the other one analyses a match.
const module = WebAssembly.compileStreaming(fetch(new URL("engine/gammond.wasm", import.meta.url)));
const strongNets = fetch(new URL("engine/strong.nets", import.meta.url)).then((response) => response.arrayBuffer()).then((bytes) => new Uint8Array(bytes));
const opened = async () => open({ wasm: await module });
const asker = opened();
let analyst = null;
// The first answers are those of the fast nets, until the strong ones are there.
Promise.all([asker, strongNets]).then(([engine, nets]) => engine.useStrongNets(nets)).catch(() => {});

// Errors of the engine as the pages know them; those of the signal as they are.
async function answered(work) {
  try {
    return await work;
  } catch (error) {
    throw error.name === "GammondError" ? new AskError(error) : error;
  }
}

export async function ask(verb, question, signal) {
  return answered((await asker).ask({ verb, ...question }, { signal }));
}

export const askAll = (verb, questions, signal) => Promise.all(questions.map((question) => ask(verb, question, signal)));

export async function analyse(file, settings, format, signal) {
  analyst ??= opened().then((engine) => strongNets.then((nets) => engine.useStrongNets(nets)).catch(() => {}).then(() => engine));
  const bytes = new Uint8Array(await new Response(file).arrayBuffer());
  const report = await answered((await analyst).analyse(bytes, { settings, format, signal }));
  return format === "json" ? Response.json(report) : new Response(report);
}

export async function ogxm(file) {
  return (await analyse(file, GAMES, "ogxm")).blob();
}

export async function rollout(question, onProgress, signal) {
  const asked = { verb: "rollout", ...question, settings: { ...question.settings, progress: true } };
  onProgress(await answered((await asker).ask(asked, { signal, onProgress })));
}

// The folder has no such paths.
export async function read(path) {
  throw new AskError({ message: `${path} is not there`, code: "not-found" });
}

// The files are kept for a visit without a network, where the browser allows that.
if (location.protocol !== "file:") navigator.serviceWorker?.register(new URL("../service.js", import.meta.url)).catch(() => {});
