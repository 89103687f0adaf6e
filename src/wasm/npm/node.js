// gammond in Node: the engine in a thread of its own. Nothing is read but the files beside this one.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { openWith } from "./client.js";

export { GammondError, Module, unpackNets } from "./module.js";

const beside = (name) => new URL(name, import.meta.url);

const host = {
  wasm: beside("gammond.wasm"),
  strongNets: beside("strong.nets"),
  read: (file) => readFile(file),
  start(hear, fail) {
    const worker = new Worker(beside("node_worker.js"));
    worker.on("message", hear);
    worker.on("error", fail);
    return worker;
  },
};

export const open = (options) => openWith(host, options);
