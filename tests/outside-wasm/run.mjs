// node run.mjs FILE.wasm: runs the program with nothing of a system but a place to print.
import { readFileSync, writeSync } from "node:fs";

class Exit extends Error {}
let memory;
const number = (at, value) => memory().setUint32(at, value, true);
const given = {
  fd_write(file, list, count, written) {
    let sum = 0;
    for (let at = list; at < list + 8 * count; at += 8) {
      const [start, length] = [memory().getUint32(at, true), memory().getUint32(at + 4, true)];
      for (let done = 0; done < length; ) {
        done += writeSync(file, new Uint8Array(memory().buffer, start + done, length - done));
      }
      sum += length;
    }
    number(written, sum);
    return 0;
  },
  // The keys of hash maps: other ones in each run.
  random_get(at, length) {
    crypto.getRandomValues(new Uint8Array(memory().buffer, at, length));
    return 0;
  },
  environ_sizes_get(count, bytes) {
    number(count, 0);
    number(bytes, 0);
    return 0;
  },
  environ_get: () => 0,
  proc_exit(code) {
    process.exitCode = code;
    throw new Exit();
  },
};

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
// A function that is not given makes this fail with its name: no files, no clock, no threads.
const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: given });
memory = () => new DataView(exports.memory.buffer);
try {
  exports._start();
} catch (error) {
  if (!(error instanceof Exit)) throw error;
}
