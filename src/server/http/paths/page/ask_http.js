// The functions of ask.js by queries of the HTTP API: the paths below /v1/, which any program can use.

import { AskError, pause } from "./ask_error.js";

// Tries of a request while the server is busy, and the pause between them.
const BUSY_TRIES_MAX = 5;
const BUSY_PAUSE_MS = 1000;
// One request waits so long for the end of a job.
const JOB_WAIT_SECONDS = 30;

// The error of a problem (RFC 9457).
const failed = (status, { detail, code }) => new AskError({ message: detail, code, status });

// Posts a body, also while the server is busy, and returns the response if it is a success.
async function post(target, body, { accept = "application/json", kind = "application/json", signal } = {}) {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(target, { method: "POST", body, signal, headers: { Accept: accept, "Content-Type": kind } });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    if (response.status !== 503 || tries === BUSY_TRIES_MAX) throw failed(response.status, problem);
    await pause(BUSY_PAUSE_MS);
  }
}

export async function read(path, signal) {
  const response = await fetch(path, { signal, headers: { Accept: "application/json" } });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw failed(response.status, answer);
  return answer;
}

export async function ask(verb, question, signal) {
  return (await post(`/v1/${verb}`, JSON.stringify(question), { signal })).json();
}

export function askAll(verb, questions, signal) {
  return ask(verb, questions, signal);
}

export async function analyse(file, settings, format, signal) {
  const query = new URLSearchParams({ ...settings, format });
  return post(`/v1/analyse?${query}`, file, { accept: "*/*", kind: "application/octet-stream", signal });
}

// Writes a match as OGXM, which is a result of a job (HTTP-59).
export async function ogxm(file) {
  const begun = await post("/v1/jobs/analyse?plies=0", file, { kind: "application/octet-stream" });
  let { state, links } = await begun.json();
  while (state === "queued" || state === "running") ({ state } = await read(`${links.self}?wait=${JOB_WAIT_SECONDS}`));
  const response = await fetch(`${links.result}?format=ogxm`, { headers: { Accept: "*/*" } });
  if (!response.ok) throw failed(response.status, await response.json().catch(() => ({})));
  const content = await response.blob();
  await fetch(links.self, { method: "DELETE" });
  return content;
}

export async function rollout(question, onProgress, signal) {
  const asked = { ...question, settings: { ...question.settings, progress: true } };
  const response = await post("/v1/rollout", JSON.stringify(asked), { accept: "application/x-ndjson", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.filter((text) => text !== "")) {
      const report = JSON.parse(line);
      if (report.type !== "progress" && report.type !== "rollout") throw failed(response.status, { detail: report.message, ...report });
      onProgress(report);
    }
  }
}
