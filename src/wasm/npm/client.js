// Requests to a worker as promises. Nothing here knows whether it runs in a browser or in Node: `host` starts workers and reads files.

import { checkCache, GammondError, unpackNets } from "./module.js";

// A worker that is busy for longer when its request is aborted is ended, and another one started.
const GRACE_MS = 30;

const closed = () => new GammondError({ message: "the engine was closed", code: "stopped" });

export class Engine {
  #host;
  #module;
  #options;
  #worker = null;
  #queue = [];
  #running = null;
  #last = 0;
  #isClosed = false;

  constructor(host, module, options) {
    this.#host = host;
    this.#module = module;
    this.#options = options;
  }

  // Answers a request line or an object such as { verb: "move", position, roll: [3, 1], settings: { plies: 2 } }.
  async ask(request, call) {
    return JSON.parse(await this.askText(typeof request === "string" ? request : JSON.stringify(request), call));
  }

  // Answers a request line with the text of the answer.
  askText(request, { signal, onProgress } = {}) {
    return this.#send({ kind: "ask", request }, signal, onProgress);
  }

  // Analyses a match file: a string, or bytes of any format that gammond reads. The answer of format json is an object, that of the others a Uint8Array.
  async analyse(file, { settings = {}, format = "json", signal, onProgress } = {}) {
    const request = typeof file === "string" ? new TextEncoder().encode(file) : new Uint8Array(file);
    const options = { settings: { ...settings, ...(onProgress ? { progress: true } : {}) }, format };
    const report = await this.#send({ kind: "analyse", request, options }, signal, onProgress);
    return format === "json" ? JSON.parse(new TextDecoder().decode(report)) : report;
  }

  // The best plays of an XGID with dice, the cube action of one without.
  hint(xgid, plies = 2, { signal } = {}) {
    const dice = xgid.replace(/^XGID=/, "").split(":")[4] ?? "00";
    const verb = /^[1-6]{2}$/.test(dice) ? "move" : "cube";
    return this.ask({ verb, position: xgid, settings: { plies } }, { signal });
  }

  // bgweb-api's entry: JSON in, JSON out.
  wasm_get_moves(json, { signal } = {}) {
    return this.#send({ kind: "bgweb", request: json }, signal);
  }

  // Fetches the strong nets, which answer what is asked from then on; where they are damaged, the nets before them go on.
  async useStrongNets(file) {
    const bytes = file === undefined || typeof file === "string" || file instanceof URL ? await this.#host.read(file ?? this.#host.strongNets) : file;
    const options = { ...this.#options, nets: await unpackNets(bytes) };
    await this.#send({ kind: "open", module: this.#module, options });
    this.#options = options;
  }

  // Ends the worker; requests that wait fail, and later ones too.
  close() {
    this.#isClosed = true;
    this.#end();
    const waiting = [this.#running, ...this.#queue];
    this.#running = null;
    this.#queue = [];
    for (const call of waiting) call?.reject(closed());
  }

  #send(message, signal, onProgress) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted || this.#isClosed) {
        reject(signal?.aborted ? signal.reason : closed());
        return;
      }
      this.#last += 1;
      const call = { id: this.#last, message: { ...message, id: this.#last, hears: onProgress !== undefined }, resolve, reject, onProgress, isAborted: false };
      signal?.addEventListener("abort", () => { this.#abort(call, signal.reason); }, { once: true });
      this.#queue.push(call);
      this.#next();
    });
  }

  #next() {
    if (this.#running !== null || this.#queue.length === 0) return;
    this.#running = this.#queue.shift();
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#running.message);
  }

  #start() {
    const worker = this.#host.start((data) => { if (worker === this.#worker) this.#hear(data); }, (error) => { if (worker === this.#worker) this.#fail(error); });
    // Answered before all else; its error is that of each request.
    worker.postMessage({ id: 0, kind: "open", module: this.#module, options: this.#options });
    return worker;
  }

  #hear({ id, progress, answer, error }) {
    const call = this.#running;
    if (call === null || id !== call.id) return;
    if (progress !== undefined) {
      try {
        if (!call.isAborted) call.onProgress?.(progress);
      } catch (error) {
        this.#abort(call, error);
      }
      return;
    }
    this.#running = null;
    if (error === undefined) call.resolve(answer);
    else call.reject(new GammondError(error));
    this.#next();
  }

  #abort(call, reason) {
    if (call.isAborted) return;
    call.isAborted = true;
    call.reject(reason);
    this.#queue = this.#queue.filter((other) => other !== call);
    if (this.#running !== call) return;
    setTimeout(() => {
      if (this.#running !== call) return;
      this.#end();
      this.#running = null;
      this.#next();
    }, GRACE_MS);
  }

  // The worker itself failed: its request does, and the next one starts another worker.
  #fail({ message }) {
    this.#end();
    this.#running?.reject(new GammondError({ message: `the worker failed: ${message}` }));
    this.#running = null;
    this.#next();
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }
}

// Opens an engine; resolves when the module is compiled.
export async function openWith(host, { wasm, strong = false, cacheMegabytes = 16 } = {}) {
  checkCache(cacheMegabytes);
  const isModule = wasm instanceof WebAssembly.Module;
  const module = isModule ? wasm : await WebAssembly.compile(wasm instanceof Uint8Array || wasm instanceof ArrayBuffer ? wasm : await host.read(wasm ?? host.wasm));
  const engine = new Engine(host, module, { cacheMegabytes });
  if (strong) await engine.useStrongNets(strong === true ? undefined : strong);
  return engine;
}
