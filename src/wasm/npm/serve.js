// Answers of the module to messages, one a call: what the workers of browsers and of Node have in common. client.js is the other side.

import { GammondError, Module } from "./module.js";

let module = null;
// Why there is none.
let refused = new GammondError({ message: "the engine is not open" });

function answered({ kind, request, options }, onProgress) {
  if (module === null) throw refused;
  switch (kind) {
    case "ask": return module.askText(request, onProgress);
    case "analyse": return module.analyse(request, options, onProgress);
    default: return module.bgwebMoves(request);
  }
}

// Answers a message by `post`.
export function receive(message, post) {
  const { id, kind } = message;
  try {
    if (kind === "open") {
      try {
        module = new Module(message.module, message.options);
      } catch (error) {
        refused = error;
        throw error;
      }
      post({ id });
      return;
    }
    const onProgress = (progress) => { post({ id, progress }); };
    post({ id, answer: answered(message, message.hears ? onProgress : null) });
  } catch ({ message: text, code, field }) {
    post({ id, error: { message: text, code, field } });
  }
}
