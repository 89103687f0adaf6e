// Cards of the quiz for Anki, as a text or as a deck with boards and rankings. Where a deck's ranking, which may look deeper, finds another
// best play than the analysis of the match, its loss counts.

import { apkg } from "./apkg.js";
import { advised, deepened, questionText, ranking, viewOf } from "./cards.js";
import { h } from "./html.js";
import { boardPicture } from "./picture.js";
import { checkersIn, inWords } from "./position.js";
import { foundBy } from "./report.js";
import { scoreText } from "./state.js";
import { checksum } from "./store.js";
import { t } from "./strings.js";

// Mistakes of one's own have no theme.
function answerText({ best, played, theme, loss }) {
  if (theme !== undefined) return t(best);
  return t("{best}; played {played}, loss {loss}", { best: t(best), played: t(played || "no play"), loss: loss.emg.toFixed(3) });
}

// Anki's text form: the question, a tab, the answer.
export function textFile(cards) {
  const cell = (value) => value.replace(/[\t\n\r"]/g, " ");
  const lines = cards.map((card) => `${cell(`${card.position} ${questionText(card)}`)}\t${cell(answerText(card))}`);
  return new Blob([`#separator:tab\n#html:false\n${lines.join("\n")}\n`]);
}

const html = (...children) => h("div", {}, ...children).outerHTML;

// Writes a deck of this title. Calls `onCard` after each card; aborting the signal ends the work.
export async function deckFile(title, cards, clockwise, onCard, signal) {
  const media = new Map();
  const notes = [];
  for (const card of cards) {
    const [answer, { position, settings }] = await Promise.all([advised(card, signal), viewOf(card)]);
    signal.throwIfAborted();
    const bytes = await (await boardPicture({ position, state: settings, roll: card.roll }, clockwise)).arrayBuffer();
    // Named for its contents: boards in other colours do not take its place.
    const file = `gammond-${await checksum(bytes)}.svg`;
    media.set(file, new Uint8Array(bytes));
    // An image of the page would be asked for.
    const image = h("img", { alt: inWords(position, [t("You"), t("Opponent")], checkersIn(card.variant)) }).outerHTML.replace("<img", `<img src="${file}"`);
    const listed = answer.plays?.find(({ play }) => play === card.played);
    const played = listed && await deepened(answer, listed, card, signal);
    const best = answer.plays?.[0].play ?? card.best;
    const judged = best === card.best ? card : { ...card, best, loss: { emg: played?.loss ?? card.loss?.emg } };
    const found = foundBy(card);
    notes.push({
      name: `gammond ${card.id}`,
      fields: [
        html([card.position, ...(card.roll ? [card.roll.join("")] : [])].join(" ")), image + html(scoreText(settings)),
        html(questionText(card)), html(answerText(judged)),
        html(ranking(answer, played, t("played")), found && h("p", { class: "note" }, found)),
      ],
      tag: `gammond::${(card.theme ?? "own").replace(" ", "-")}`,
    });
    onCard(notes.length);
  }
  return apkg(title, notes, [...media]);
}
