// gammond's WebAssembly module in this thread: texts in, texts out, and nothing else between. Calls block until they are answered.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const CACHE_MB_MAX = 1024;

// An error of a request, as the line protocol has it: `code` is one of its words, `field` the part that is wrong.
export class GammondError extends Error {
  constructor({ message, code = "internal", field }) {
    super(message);
    this.name = "GammondError";
    this.code = code;
    this.field = field;
  }
}

// Throws for sizes that a module cannot have.
export function checkCache(megabytes) {
  if (Number.isInteger(megabytes) && megabytes >= 0 && megabytes <= CACHE_MB_MAX) return;
  throw new GammondError({ message: `cacheMegabytes is ${megabytes}, expected a whole number from 0 to ${CACHE_MB_MAX}`, code: "bad-setting" });
}

export class Module {
  #exports;
  #onProgress = null;
  #isBusy = false;
  // What a caller's function threw.
  #thrown = null;

  // `module` is a compiled WebAssembly.Module; `nets` the bytes of the strong nets, unpacked (see unpackNets), or nothing for the fast ones.
  constructor(module, { nets = new Uint8Array(), cacheMegabytes = 16 } = {}) {
    checkCache(cacheMegabytes);
    const progress = (start, length) => {
      const line = decoder.decode(new Uint8Array(this.#exports.memory.buffer, start, length));
      // An error that passed through the module would break it.
      try {
        return this.#thrown !== null || this.#onProgress?.(JSON.parse(line)) === false ? 1 : 0;
      } catch (error) {
        this.#thrown = { error };
        return 1;
      }
    };
    this.#exports = new WebAssembly.Instance(module, { host: { now: () => performance.now(), progress } }).exports;
    this.#call(() => this.#exports.open(cacheMegabytes), [nets]);
  }

  // Answers a request line or an object such as { verb: "move", position, roll: [3, 1], settings: { plies: 2 } }. `onProgress` receives the objects
  // on the way, if the settings ask for progress; the work ends when it returns false, or throws what the call then throws. It cannot ask the module.
  ask(request, onProgress = null) {
    return JSON.parse(this.askText(typeof request === "string" ? request : JSON.stringify(request), onProgress));
  }

  // Answers a request line with the text of the answer.
  askText(line, onProgress = null) {
    return decoder.decode(this.#call(() => this.#exports.ask(), [encoder.encode(line)], onProgress));
  }

  // Analyses a match file and returns the bytes of the report: `format` is json, html, csv or the ending of a match file.
  analyse(file, { settings = {}, format = "json" } = {}, onProgress = null) {
    const words = encoder.encode(Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(" "));
    const form = encoder.encode(format);
    return this.#call(() => this.#exports.analyse(words.length, form.length), [words, form, file], onProgress);
  }

  // Answers the JSON of a request for plays to bgweb-api with JSON.
  bgwebMoves(json) {
    return decoder.decode(this.#call(() => this.#exports.bgweb_moves(), [encoder.encode(json)]));
  }

  // The memory that the module has taken, in bytes.
  memoryBytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  #call(work, parts, onProgress = null) {
    if (this.#isBusy) throw new GammondError({ message: "the module is answering another request: onProgress cannot ask it", code: "bad-request" });
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let place = this.#exports.reserve(length);
    for (const part of parts) {
      new Uint8Array(this.#exports.memory.buffer, place, part.length).set(part);
      place += part.length;
    }
    [this.#onProgress, this.#isBusy, this.#thrown] = [onProgress, true, null];
    let good;
    try {
      good = work() === 1;
    } finally {
      [this.#onProgress, this.#isBusy] = [null, false];
    }
    if (this.#thrown !== null) throw this.#thrown.error;
    const answer = new Uint8Array(this.#exports.memory.buffer, this.#exports.answer_start(), this.#exports.answer_length()).slice();
    if (good) return answer;
    const text = decoder.decode(answer);
    throw new GammondError(text.startsWith("{") ? JSON.parse(text) : { message: text });
  }
}

// Unpacks the file of the strong nets: DEFLATE, and in it for each net one byte with the length of its name, the name, four bytes with the length of
// its contents, and the contents as numbers of 16 bits: their sign in the lowest bit, all lower bytes, then all upper ones.
export async function unpackNets(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length;) {
    at += 1 + bytes[at];
    const length = view.getUint32(at, true);
    at += 4;
    const planes = bytes.slice(at, at + length);
    const half = length >> 1;
    for (let n = 0; n < half; n += 1) {
      const zigzag = planes[n] | (planes[half + n] << 8);
      view.setInt16(at + 2 * n, (zigzag >> 1) ^ -(zigzag & 1), true);
    }
    at += length;
  }
  return bytes;
}
