// Writes a deck for Anki (.apkg): a database of notes and cards (schema 11) and their pictures, in a ZIP archive.

import { database } from "./sqlite.js";
import { zip } from "./zip.js";

// The same in every file and language: by these, and by the note's name, a second import finds what is there. The model's number
// is its time in milliseconds too.
const MODEL = 1_764_460_800_000;
const DECK = 1_764_460_800_001;
const FIELDS = ["Position", "Board", "Question", "Answer", "Ranking"];
const QUESTION = "{{Board}}<h2>{{Question}}</h2><div class=\"note\">{{Position}}</div>";
const ANSWER = "{{FrontSide}}<hr id=\"answer\"><h2>{{Answer}}</h2>{{Ranking}}";
const CSS = `.card { font: 18px/1.4 system-ui, sans-serif; text-align: center; } img { width: 100%; max-width: 560px; }
table { margin: auto; border-spacing: 14px 2px; } th[scope="row"] { font-weight: 400; text-align: left; } td { text-align: right; } p b { font-weight: 400; }
h2 { font-size: 20px; margin: .5em; } .note { font-size: 12px; opacity: .7; }`;
const SEPARATOR = "\u001f";

const KEY = "id integer primary key";
const columns = (type) => (names) => names.split(" ").map((name) => `, ${name} ${type} not null`).join("");
const [integers, texts] = [columns("integer"), columns("text")];

// `notes` are { name, fields, tag }: a name of its own, HTML for each field, and a word; `media` are rows of a file's name and its bytes.
export async function apkg(title, notes, media) {
  const now = Date.now();
  const seconds = Math.floor(now / 1000);
  const model = {
    id: MODEL, name: "gammond", type: 0, mod: MODEL / 1000, usn: -1, sortf: 0, did: DECK, css: CSS,
    flds: FIELDS.map((name, ord) => ({ name, ord, sticky: false, rtl: false, font: "Arial", size: 20 })),
    tmpls: [{ name: "Card 1", ord: 0, qfmt: QUESTION, afmt: ANSWER, bqfmt: "", bafmt: "" }],
  };
  const today = [0, 0];
  const deck = {
    id: DECK, name: title, desc: "", mod: seconds, usn: -1, collapsed: false, dyn: 0, conf: 1,
    newToday: today, revToday: today, lrnToday: today, timeToday: today,
  };
  const json = [{}, { [MODEL]: model }, { [DECK]: deck }, {}, {}].map((value) => JSON.stringify(value));
  const written = notes.map(({ name, fields, tag }, at) => {
    const parts = fields.map((field) => field.replaceAll(SEPARATOR, " "));
    return [now + at, name, MODEL, seconds, -1, tag === "" ? "" : ` ${tag} `, parts.join(SEPARATOR), parts[0], 0, 0, ""];
  });
  const cards = notes.map((_, at) => [now + at, now + at, DECK, 0, seconds, -1, 0, 0, at + 1, 0, 0, 0, 0, 0, 0, 0, 0, ""]);
  const collection = database([
    ["col", `${KEY}${integers("crt mod scm ver dty usn ls")}${texts("conf models decks dconf tags")}`, [[1, seconds, now, now, 11, 0, 0, 0, ...json]]],
    ["notes", `${KEY}${texts("guid")}${integers("mid mod usn")}${texts("tags flds")}${integers("sfld csum flags")}${texts("data")}`, written],
    ["cards", `${KEY}${integers("nid did ord mod usn type queue due ivl factor reps lapses left odue odid flags")}${texts("data")}`, cards],
    ["revlog", `${KEY}${integers("cid usn ease ivl lastIvl factor time type")}`, []],
    ["graves", integers("usn oid type").slice(1), []],
  ]);
  const names = JSON.stringify(Object.fromEntries(media.map(([name], at) => [at, name])));
  return zip([["collection.anki2", collection], ["media", new TextEncoder().encode(names)], ...media.map(([, bytes], at) => [String(at), bytes])]);
}
