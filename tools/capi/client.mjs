// Plays a game through the C library with the header read by koffi: node client.mjs LIBRARY; koffi lies in NODE_PATH.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert";

const koffi = createRequire(process.env.NODE_PATH + "/")("koffi");
const header = readFileSync(new URL("../../src/capi/gammond.h", import.meta.url), "utf8")
  .replace(/\/\/[^\n]*/g, "").replace(/^\s*#[^\n]*\n/gm, "\n");

// The declarations are koffi's own language, struct by struct and line by line.
koffi.alias("GammondCode", "int32_t");
const types = {};
for (const found of header.matchAll(/typedef struct (\w+) \{(.*?)\} \w+;|typedef (int) \(\*(\w+)\)\(([^)]*)\);/gs)) {
  const [, name, members, result, callback, parameters] = found;
  if (callback) {
    types[callback] = koffi.pointer(callback, koffi.proto(`${result} ${callback}_function(${parameters.replaceAll("struct ", "")})`));
    continue;
  }
  types[name] = koffi.struct(name, Object.fromEntries(members.split(";").filter((one) => one.trim()).map((one) => {
    const [, type, star, member, count] = one.trim().match(/^((?:const |struct )*\w+) (\*?)(\w+)(?:\[(\d+)\])?$/s);
    const plain = type.replace("struct ", "");
    return [member, count ? koffi.array(plain, +count, "Array") : `${plain} ${star}`.trim()];
  })));
}
const library = koffi.load(process.argv[2]);
const gammond = {};
for (const [, result, name, parameters] of header.matchAll(/^([a-zA-Z_][\w ]*[ *])(gammond_\w+)\(([^)]*)\);/gm)) {
  // Structs and numbers of the answer are written by the library.
  const both = parameters.replaceAll("struct ", "").split(",")
    .map((one) => /\*/.test(one) && !/const|void \*|char \*text|\*\*/.test(one) ? `_Inout_ ${one.trim()}` : one.trim());
  gammond[name] = library.func(`${result} ${name}(${both.join(", ").replace("char **answer", "_Out_ char **answer")})`);
}
const check = (code) => assert.equal(code, 0, gammond.gammond_error_text());
const sized = (name) => ({ ...koffi.decode(Buffer.alloc(koffi.sizeof(name)), name), size: koffi.sizeof(name) });

const opened = [0];
check(gammond.gammond_open(null, opened));
const engine = opened[0];
const question = sized("GammondQuestion");
check(gammond.gammond_read_question("4HPwATDgc/ABMA", question));
let seed = 1, turns = 0, wins = 0;
const die = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) >> 16) % 6 + 1;
while (!wins) {
  const cube = sized("GammondCube");
  check(gammond.gammond_cube(engine, question, cube));
  assert(cube.no_double <= Math.max(cube.double_pass, cube.equity) + 1e-9);
  question.dice = [die(), die()];
  const play = sized("GammondPlay"), count = [0];
  check(gammond.gammond_best_plays(engine, question, play, koffi.sizeof("GammondPlay"), 1, count));
  assert(count[0] > 0 && play.loss === 0);
  question.points = play.after;
  ({ wins } = play);
  turns++;
}
const answer = [null];
check(gammond.gammond_ask(engine, "ping", 4, 0, answer, null));
assert.equal(answer[0], '{"type":"pong"}\n');
assert.equal(gammond.gammond_close(engine + 1000000), 2);
check(gammond.gammond_close(engine));
console.log(`koffi: a game of ${turns} turns`);
