// A client of the npm package, as a user writes one: node client.mjs, in a folder where the package is installed. tools/wasm/check runs it in Node and
// checks its types.

import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { GammondError, Module, open } from "gammond";

const START = "4HPwATDgc/ABMA";
const MATCH = "1 point match\n\n Game 1\n Ann : 0    Bob : 0\n  1) 31: 8/5 6/5    52: 13/8 24/22\n";
const engine = await open();
assert.match((await engine.ask("version")).net, /fast/);

// Lines and objects are the same request.
const ranked = await engine.ask({ verb: "move", position: START, roll: [3, 1], settings: { plies: 1 } });
assert.equal(ranked.plays[0].play, "8/5 6/5");
assert.deepEqual(await engine.ask(`move ${START} 31 plies=1`), ranked);
assert.equal(JSON.stringify(ranked), JSON.stringify(JSON.parse(await engine.askText(`move ${START} 31 plies=1`))));
for (const [xgid, type] of [["XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "move"], ["XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "cube"]]) {
  assert.equal((await engine.hint(xgid, 0)).type, type);
}
const board = { o: { 6: 5, 8: 3, 13: 5, 24: 2 }, x: { 6: 5, 8: 3, 13: 5, 24: 2 } };
const [best] = JSON.parse(await engine.wasm_get_moves(JSON.stringify({ board, dice: [3, 1], player: "x", "max-moves": 1 })));
assert.deepEqual(best.play, [{ from: "8", to: "5" }, { from: "6", to: "5" }]);

// Errors name their part, and the engine goes on.
for (const [request, code] of [[`move ${START} 77`, "bad-roll"], ["bogus", "unknown-verb"], ["", "bad-request"], [{ verb: "move", position: START }, "missing-roll"]]) {
  await assert.rejects(engine.ask(/** @type {any} */ (request)), (/** @type {GammondError} */ error) => error instanceof GammondError && error.code === code);
}
await assert.rejects(engine.wasm_get_moves("{"), { name: "GammondError", code: "bad-request" });
await assert.rejects(engine.analyse("no match"), { code: "bad-match-file" });
await assert.rejects(engine.analyse(MATCH, { format: "pdf" }), { code: "bad-setting" });

// Matches: a report as an object, or as the bytes of a file.
let judged = 0;
const report = await engine.analyse(MATCH, { settings: { plies: 0 }, onProgress: () => { judged += 1; } });
assert.deepEqual(report.players, ["Ann", "Bob"]);
const page = new TextDecoder().decode(await engine.analyse(MATCH, { settings: { plies: 0 }, format: "html" }));
assert.ok(page.startsWith("<!DOCTYPE html>"));

// A rollout says how far it is, and ends when it is aborted; those that wait are left out, those behind are answered.
const stop = new AbortController();
let heard = 0;
const long = { verb: "rollout", position: START, settings: { trials: 46656, progress: true } };
const rolled = engine.ask(/** @type {import("gammond").Request} */ (long), { signal: stop.signal, onProgress: () => { heard += 1; stop.abort(); } });
const waits = engine.ask(`move ${START} 62`, { signal: stop.signal });
const behind = engine.ask(`move ${START} 31 plies=1`);
await Promise.all([rolled, waits].map((work) => assert.rejects(work, { name: "AbortError" })));
assert.deepEqual(await behind, ranked);
assert.equal(heard, 1);
await assert.rejects(engine.ask("ping", { signal: AbortSignal.abort() }), { name: "AbortError" });

// The strong nets stay when a worker is replaced.
await engine.useStrongNets();
const strong = await engine.ask(`move ${START} 31 plies=1`);
assert.notEqual(strong.plays[0].equity, ranked.plays[0].equity);
assert.equal(strong.plays[0].play, "8/5 6/5");
const again = new AbortController();
setTimeout(() => again.abort(), 100);
await assert.rejects(engine.ask(/** @type {import("gammond").Request} */ (long), { signal: again.signal }), { name: "AbortError" });
assert.deepEqual(await engine.ask(`move ${START} 31 plies=1`), strong);
await assert.rejects(engine.useStrongNets(new Uint8Array([1, 2, 3])));
// A name, four bytes, and no net: unpacked, but refused by the engine.
const damaged = deflateRawSync(new Uint8Array([5, 120, 46, 110, 101, 116, 4, 0, 0, 0, 1, 2, 3, 4]));
for (const other of [engine, await open()]) {
  const { net } = await other.ask("version");
  await assert.rejects(other.useStrongNets(new Uint8Array(damaged)), GammondError);
  assert.equal((await other.ask("version")).net, net);
  if (other !== engine) other.close();
}
// Not even one that has answered nothing yet.
const fresh = await open();
await assert.rejects(fresh.useStrongNets(new Uint8Array(damaged)), GammondError);
assert.match((await fresh.ask("version")).net, /fast/);
fresh.close();

// An error in a listener ends its request and nothing else.
const reporting = { verb: "rollout", position: START, roll: "31", settings: { trials: 1296, top: 1, progress: true } };
const broken = () => { throw new RangeError("mine"); };
await assert.rejects(engine.ask(/** @type {import("gammond").Request} */ (reporting), { onProgress: broken }), { message: "mine" });
assert.deepEqual(await engine.ask(`move ${START} 31 plies=1`), strong);

// What waits fails when the engine is closed.
const last = engine.ask(/** @type {import("gammond").Request} */ (long));
engine.close();
await assert.rejects(last, { code: "stopped" });
await assert.rejects(engine.ask("version"), { code: "stopped" });
for (const cacheMegabytes of [-1, 1.5, 4096, NaN]) await assert.rejects(open({ cacheMegabytes }), { code: "bad-setting" });

// The module in this thread.
const { readFile } = await import("node:fs/promises");
const bytes = await readFile(new URL(import.meta.resolve("gammond/gammond.wasm")));
const module = new Module(await WebAssembly.compile(new Uint8Array(bytes)));
assert.deepEqual(module.ask(`move ${START} 31 plies=1`), ranked);
assert.throws(() => module.ask("move x 31"), { code: "bad-position" });
assert.throws(() => new Module(new WebAssembly.Module(new Uint8Array(bytes)), { nets: new Uint8Array([9, 9]) }), GammondError);
// A listener may neither break the module nor ask it.
assert.throws(() => module.ask(/** @type {import("gammond").Request} */ (reporting), broken), { message: "mine" });
assert.throws(() => module.ask(/** @type {import("gammond").Request} */ (reporting), () => { module.ask("version"); }), { code: "bad-request" });
assert.deepEqual(module.ask(`move ${START} 31 plies=1`), ranked);
// Any bytes as a request: an answer or an error, and the module goes on.
let seed = 7;
for (let n = 0; n < 2000; n += 1) {
  const text = Array.from({ length: n % 60 }, () => String.fromCharCode((seed = (seed * 48271) % 2147483647) % 256)).join("");
  try {
    module.askText(`${["", "move ", "eval ", "{", "analyse "][n % 5]}${text}`);
  } catch (error) {
    assert.ok(error instanceof GammondError, String(error));
  }
}
assert.deepEqual(module.ask(`move ${START} 31 plies=1`), ranked);
console.log("the npm package: requests, errors, matches, aborts, strong nets and the module in one thread are right");
