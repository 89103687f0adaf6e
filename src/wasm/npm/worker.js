// The module in a thread of its own: one message a call, one message an answer. client.js is the other side.

import { Module } from "./module.js";

// A browser's worker has `self`; one of Node has a port to its parent.
const port = typeof self === "undefined" ? (await import("node:worker_threads")).parentPort : self;
let module = null;

function answered({ kind, request, options }, onProgress) {
  switch (kind) {
    case "ask": return module.askText(request, onProgress);
    case "analyse": return module.analyse(request, options, onProgress);
    default: return module.bgwebMoves(request);
  }
}

function receive(message) {
  const { id, kind } = message;
  try {
    if (kind === "open") {
      module = new Module(message.module, message.options);
      port.postMessage({ id });
      return;
    }
    const onProgress = (progress) => { port.postMessage({ id, progress }); };
    port.postMessage({ id, answer: answered(message, message.hears ? onProgress : null) });
  } catch ({ message: text, code, field }) {
    port.postMessage({ id, error: { message: text, code, field } });
  }
}

if (typeof self === "undefined") port.on("message", receive);
else self.onmessage = ({ data }) => receive(data);
