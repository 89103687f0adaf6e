// Questions to a server, or to an engine in this browser where the page is a folder of files.

export { AskError, pause } from "./ask_error.js";

const { engine } = document.documentElement.dataset;
const asked = await (engine === "worker" ? import(new URL("ask_worker.js", import.meta.url)) : import("./ask_http.js"));

// Answers one question: { position, roll, settings, … }.
export const ask = (verb, question, signal) => asked.ask(verb, question, signal);

// Answers several questions in one; the answers come in their order.
export const askAll = (verb, questions, signal) => asked.askAll(verb, questions, signal);

// Analyses a match file and returns a Response; format is that of /v1/analyse.
export const analyse = (file, settings = {}, format = "json", signal = undefined) => asked.analyse(file, settings, format, signal);

// Writes a match as OGXM.
export const ogxm = (file) => asked.ogxm(file);

// Rolls out, and calls onProgress with each report on the way and with the answer. Aborting the signal ends the work too.
export const rollout = (question, onProgress, signal) => asked.rollout(question, onProgress, signal);

// Reads a path of the server.
export const read = (path, signal) => asked.read(path, signal);
