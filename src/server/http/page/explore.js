// Explore without reloading: the page that the server writes for a link is fetched, and its answer takes the place of the old one.
// So there is one way of writing an answer, with and without this script.

const form = document.getElementById("question");
const answer = document.getElementById("answer");
const summary = document.getElementById("summary");
const others = document.getElementById("others");
const fields = ["position", "roll", "plies", "length", "score"];
// The depth that is reached where none is chosen.
const PLIES_AUTOMATIC = 2;
let running = new AbortController();

// The query of the form, as a link has it: without empty fields.
function query() {
  const values = [...new FormData(form)].map(([name, value]) => [name, value.trim()]);
  return new URLSearchParams(values.filter(([, value]) => value !== ""));
}

function link(parameters) {
  const text = parameters.toString();
  return text === "" ? "/" : "/?" + text;
}

function showErrors(page) {
  for (const name of [...fields, "form"]) {
    const id = name + "-error";
    document.getElementById(id).textContent = page.getElementById(id).textContent;
    if (name !== "form") {
      const wrong = page.getElementById(name).getAttribute("aria-invalid");
      document.getElementById(name).setAttribute("aria-invalid", wrong);
    }
  }
}

// Puts the answer of a fetched page in place; the focus stays on the play that has it.
function showAnswer(page) {
  const focused = document.activeElement?.closest("[data-play]")?.dataset.play;
  answer.replaceChildren(...page.getElementById("answer").childNodes);
  summary.textContent = page.getElementById("summary").textContent;
  document.title = page.title;
  const rolls = page.getElementById("roll");
  const chosen = rolls.value;
  const roll = document.getElementById("roll");
  roll.replaceChildren(...rolls.childNodes);
  // Chromium chooses the first of the new options, whichever is marked.
  roll.value = chosen;
  const row = [...answer.querySelectorAll("[data-play]")].find((row) => row.dataset.play === focused);
  row?.querySelector("a").focus();
}

async function fetchPage(parameters, signal) {
  const response = await fetch(link(parameters), { signal, headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (page.getElementById("answer") === null) throw new Error("the server's answer is not the page");
  return [response.ok, page];
}

// Asks with growing depth, and shows each answer until the next one is there.
async function ask(parameters) {
  running.abort();
  running = new AbortController();
  const signal = running.signal;
  const chosen = parameters.get("plies") ?? String(PLIES_AUTOMATIC);
  // A depth that is no number is the server's to refuse.
  const depths = /^[0-9]$/.test(chosen) ? [...Array(Number(chosen) + 1).keys()] : [chosen];
  answer.setAttribute("aria-busy", "true");
  try {
    for (const plies of depths) {
      const step = new URLSearchParams(parameters);
      step.set("plies", plies);
      const [good, page] = await fetchPage(step, signal);
      showErrors(page);
      if (!good) break;
      showAnswer(page);
      answer.dataset.plies = plies;
    }
  } catch (error) {
    if (signal.aborted) return;
    document.getElementById("form-error").textContent = "no answer from the server: " + error.message;
  }
  answer.setAttribute("aria-busy", "false");
}

// Fills the form from a link.
function fill(parameters) {
  for (const name of fields) {
    const field = document.getElementById(name);
    const value = parameters.get(name) ?? "";
    if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
      field.add(new Option(value, value));
    }
    field.value = value;
  }
  const hidden = [...parameters].filter(([name]) => !fields.includes(name));
  others.replaceChildren(...hidden.map(([name, value]) => Object.assign(document.createElement("input"), { type: "hidden", name, value })));
}

function go(parameters) {
  const target = link(parameters);
  if (target !== location.pathname + location.search) history.pushState(null, "", target);
  ask(parameters);
}

// Shows the arrows of a play on the board, or the board without any.
function showPlay(row) {
  const board = document.getElementById("board");
  if (board === null) return;
  board.dataset.bare ??= board.getAttribute("src");
  const play = row ? "&play=" + encodeURIComponent(row.dataset.play) : "";
  board.setAttribute("src", board.dataset.bare + play);
}

const rowOf = (event) => event.target.closest?.("[data-play]");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(query());
});
form.addEventListener("change", (event) => {
  // A position brings its own dice along.
  if (event.target.id === "position") form.elements.roll.value = "";
  go(query());
});
document.getElementById("random").addEventListener("click", () => {
  const die = () => 1 + Math.floor(6 * Math.random());
  const dice = [die(), die()].sort();
  form.elements.roll.value = `${dice[1]}${dice[0]}`;
  go(query());
});
answer.addEventListener("click", (event) => {
  const copied = event.target.closest("[data-copy]");
  if (copied) {
    const field = document.getElementById(copied.dataset.copy);
    field.select();
    navigator.clipboard?.writeText(field.value).then(() => { copied.textContent = "Copied"; }, () => {});
    return;
  }
  const anchor = event.target.closest("[data-play] a");
  if (anchor === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const parameters = new URL(anchor.href).searchParams;
  fill(parameters);
  go(parameters);
});
for (const [event, other] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  answer.addEventListener(event, (happened) => { if (rowOf(happened)) showPlay(rowOf(happened)); });
  answer.addEventListener(other, (happened) => { if (rowOf(happened)) showPlay(null); });
}
addEventListener("popstate", () => {
  const parameters = new URLSearchParams(location.search);
  fill(parameters);
  ask(parameters);
});

document.documentElement.classList.add("has-scripts");
ask(query());
