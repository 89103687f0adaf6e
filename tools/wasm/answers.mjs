// node tools/wasm/answers.mjs PACKAGE pipe|analyse …: answers like the program, by the WebAssembly module of the npm package in the folder PACKAGE with
// its strong nets. Has the commands that tools/ci/equal_answers compares; for others it ends with 69.

import { readFileSync, writeSync } from "node:fs";

const [folder, command, ...words] = process.argv.slice(2);
const { Module, unpackNets } = await import(`${process.cwd()}/${folder}/node.js`);
const compiled = new WebAssembly.Module(readFileSync(`${folder}/gammond.wasm`));
const module = new Module(compiled, { nets: await unpackNets(readFileSync(`${folder}/strong.nets`)) });

function say(text) {
  let bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
}

const input = readFileSync(0);
if (command === "pipe") {
  for (const line of input.toString().split("\n").filter((text) => text !== "")) say(`${module.askText(line)}\n`);
} else if (command === "analyse") {
  const value = (name, other) => (words.includes(name) ? words[words.indexOf(name) + 1] : other);
  say(module.analyse(input, { format: value("--format", "json"), settings: { plies: value("--plies", "2") } }));
} else {
  process.exitCode = 69;
}
