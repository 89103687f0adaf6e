// node tools/ci/wasi.mjs FILE.wasm ARGUMENTS...: runs a program for wasm32-wasip1, such as the unit tests of a crate (Cargo's runner of that target).

import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [, , file, ...words] = process.argv;
const wasi = new WASI({ version: "preview1", args: [file, ...words], env: {}, preopens: { "/": "/" } });
const module = await WebAssembly.compile(await readFile(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
