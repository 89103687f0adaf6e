// Matches, their analyses and the quiz cards, kept in this browser (IndexedDB).

import { ownName } from "./kept.js";
import { t } from "./strings.js";

const NAME = ownName("gammond");
const VERSION = 1;
let opened = null;

function open() {
  opened ??= new Promise((done, failed) => {
    const request = indexedDB.open(NAME, VERSION);
    request.addEventListener("upgradeneeded", () => {
      // A list needs only the heads, so the analyses stand apart.
      for (const store of ["heads", "matches", "cards"]) request.result.createObjectStore(store, { keyPath: "id" });
      request.result.createObjectStore("answers", { autoIncrement: true });
    });
    request.addEventListener("success", () => done(request.result));
    request.addEventListener("error", () => failed(request.error));
  });
  return opened;
}

async function run(stores, mode, work) {
  const transaction = (await open()).transaction(stores, mode);
  return new Promise((done, failed) => {
    const request = work(transaction);
    transaction.addEventListener("complete", () => done(request?.result));
    transaction.addEventListener("error", () => failed(transaction.error));
    transaction.addEventListener("abort", () => failed(transaction.error ?? new Error(t("the browser's storage is full"))));
  });
}

export const all = (store) => run(store, "readonly", (transaction) => transaction.objectStore(store).getAll());
export const get = (store, id) => run(store, "readonly", (transaction) => transaction.objectStore(store).get(id));
// Changes what is kept under an id, also by other tabs; undefined if nothing is.
export const update = (store, id, change) => run(store, "readwrite", (transaction) => {
  const objects = transaction.objectStore(store);
  const request = objects.get(id);
  request.addEventListener("success", () => { if (request.result) objects.put(change(request.result)); });
  return request;
});
export const put = (store, value) => run(store, "readwrite", (transaction) => transaction.objectStore(store).put(value));

// Keeps a match with the head of its row.
export const keepMatch = (head, match) => run(["heads", "matches"], "readwrite", (transaction) => {
  transaction.objectStore("heads").put(head);
  return transaction.objectStore("matches").put(match);
});

// The range of the matches of one file; ids without a number have no others.
function ofSameFile(id) {
  const [, file] = /^([0-9a-f]+-)\d+$/.exec(id) ?? [];
  return file ? IDBKeyRange.bound(file, `${file}:`) : IDBKeyRange.only(id);
}

// A match with the file that it came from, which one match of a file has for all; undefined if it is not kept.
export async function matchOf(id) {
  const all = await run("matches", "readonly", (transaction) => transaction.objectStore("matches").getAll(ofSameFile(id)));
  const found = all.find((one) => one.id === id);
  return found && { ...found, file: all.find(({ file }) => file)?.file ?? null };
}

export const dropMatch = (id) => run(["heads", "matches"], "readwrite", (transaction) => {
  transaction.objectStore("heads").delete(id);
  const matches = transaction.objectStore("matches");
  const request = matches.getAll(ofSameFile(id));
  request.addEventListener("success", () => {
    const file = request.result.find((one) => one.id === id)?.file;
    const heir = request.result.find((one) => one.id !== id && !one.file);
    if (file && heir) matches.put({ ...heir, file });
    matches.delete(id);
  });
  return request;
});

// A name for the contents of a file: the same file is kept once.
export async function checksum(buffer) {
  // Only pages of this machine and of HTTPS have the browser's hash.
  if (crypto.subtle) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", buffer));
    return [...hash.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  let hash = 0n;
  for (const byte of new Uint8Array(buffer)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n + 1n);
  return hash.toString(16).padStart(16, "0");
}
