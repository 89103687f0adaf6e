// node tools/wasm/speed.mjs PACKAGE: milliseconds of the module of the npm package in the folder PACKAGE: start, first answer, plays with the fast and
// the strong nets, and megabytes of memory. Plays are those of different positions of the benchmark; text of request and answer is counted.

import { readFileSync, readdirSync } from "node:fs";

const WORK = [["plies=0", 2000], ["plies=1", 300], ["plies=2 filter=swift", 100], ["plies=2", 40]];
const [folder] = process.argv.slice(2);
const { Module, unpackNets } = await import(`${process.cwd()}/${folder}/node.js`);
const files = readdirSync("tests/data/benchmark").filter((name) => name.endsWith(".bm")).sort();
const texts = files.map((name) => readFileSync(`tests/data/benchmark/${name}`, "utf8"));
const rows = texts.flatMap((text) => text.split("\n")).filter((row) => row.startsWith("m "));
const requests = rows.map((row) => row.split(" ")).map(([, position, one, two]) => `${position} ${one}${two}`);

function since(begun) {
  return (performance.now() - begun).toFixed(0);
}

const bytes = readFileSync(`${folder}/gammond.wasm`);
const begun = performance.now();
const compiled = new WebAssembly.Module(bytes);
const fast = new Module(compiled);
fast.ask(`move ${requests[0]} plies=0`);
console.log(`first answer: ${since(begun)} ms`);
const nets = await unpackNets(readFileSync(`${folder}/strong.nets`));
const again = performance.now();
const strong = new Module(compiled, { nets });
console.log(`strong nets: ${since(again)} ms`);
for (const [name, module] of [["fast", fast], ["strong", strong]]) {
  // Tables are made when they are first asked, and the host compiles what runs often.
  for (const request of requests.filter((_, n) => n % 5 === 0)) module.askText(`move ${request} plies=0`);
  for (const request of requests.filter((_, n) => n % 20 === 0)) module.askText(`move ${request} plies=1`);
  for (const [settings, count] of WORK) {
    // The best of three rounds of different plays.
    const rounds = [0, 1, 2].map((round) => {
      const start = performance.now();
      for (let n = 0; n < count; n += 1) module.askText(`move ${requests[(n * 37 + round * 11) % requests.length]} ${settings} top=1`);
      return (performance.now() - start) / count;
    });
    console.log(`${name} nets, ${settings}: ${Math.min(...rounds).toFixed(3)} ms a play`);
  }
  console.log(`memory: ${(module.memoryBytes() / 1e6).toFixed(0)} MB`);
}
