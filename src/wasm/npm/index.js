// gammond in a browser: the engine in a worker. Nothing is fetched but the files beside this one.

import { openWith } from "./client.js";

export { GammondError, Module, unpackNets } from "./module.js";

const host = {
  // Written so that bundlers find the files.
  wasm: new URL("./gammond.wasm", import.meta.url),
  strongNets: new URL("./strong.nets", import.meta.url),
  async read(url) {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} is not there: status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  },
  start(hear, fail) {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => fail({ message: event.message ?? "it did not start" });
    return worker;
  },
};

export const open = (options) => openWith(host, options);
