"""The pages beside a server that fails, another window, and a browser that keeps nothing; resignations at every score."""
import json, sys, time

from page import matches
from page.matches import ASKED
from page.play import ACTIONS_MAX, IDLE, KEPT, SHOWN, act, begin, settled

# Answers of a path fail as long as `broken` is true.
BREAK = """(() => {
    const whole = window.fetch;
    window.broken = true;
    window.fetch = (target, more) => (window.broken && String(target).includes(PATH) && String(more?.body).includes('"plies":2')
        ? Promise.resolve(new Response('{"error":{"message":"broken"}}', { status: 500 })) : whole(target, more));
})()"""

# Every answer of the server takes its time.
DELAY = """(() => {
    const whole = window.fetch;
    window.fetch = async (...question) => {
        await new Promise((go) => setTimeout(go, 300));
        return whole(...question);
    };
})()"""


def tutor(browser, host):
    """A question that failed is asked again: the tutor does not hold the turn for ever."""
    begin(browser, host, 1, "beginner")
    for _ in range(ACTIONS_MAX):
        settled(browser)
        shown = browser.value(SHOWN)
        live = browser.value("document.querySelectorAll('#place .live').length")
        if "confirm" in shown:
            act(browser, "confirm")
        elif live:
            break
        else:
            act(browser, "roll")
    browser.value(BREAK.replace("PATH", "'/v1/move'"))
    browser.click("#tutor")
    while "confirm" not in browser.value(SHOWN):
        browser.click("#place .live")
        browser.until(IDLE)
    act(browser, "confirm")
    browser.until("document.getElementById('advice').textContent.includes('no hint')")
    if "confirm" not in browser.value(SHOWN):
        sys.exit("the turn ended without advice")
    browser.value("window.broken = false")
    before = browser.value(f"{KEPT}.games[0].actions.length")
    act(browser, "confirm")
    browser.until(f"!document.getElementById('warning').hidden || {KEPT}.games[0].actions.length > {before}")
    browser.value("document.getElementById('warning').hidden || document.getElementById('insist').click()")
    browser.until(f"{KEPT}.games[0].actions.length > {before}")


def other_window(browser, host):
    """A window whose match went on elsewhere writes nothing."""
    begin(browser, host, 5, "beginner")
    settled(browser)
    browser.value(f"""(() => {{
        const game = {KEPT};
        game.names[0] = 'Other';
        localStorage.setItem('gammond.play', JSON.stringify(game));
        dispatchEvent(new StorageEvent('storage', {{ key: 'gammond.play' }}));
    }})()""")
    browser.click("#tutor")
    browser.click("#restart")
    browser.click("#back")
    browser.until(f"document.readyState === 'complete' && {IDLE}")
    if browser.value(f"{KEPT}.names[0]") != "Other":
        sys.exit("a window wrote over the match of another one")


# Positions that the person is about to lose: kind, score, length, jacoby, cube, and which resignations the engine accepts.
RESIGNED = """(async () => {
    const [match, engine] = await Promise.all([import(new URL('game.js', document.querySelector('script[type=module]').src)), import(new URL('engine.js', document.querySelector('script[type=module]').src))]);
    const accepted = async (more, position) => {
        const answers = [];
        for (const kind of [1, 2, 3]) {
            const game = match.newGame({ length: 0, level: 'expert', name: 'Ann', tutor: false, jacoby: true, beavers: false });
            Object.assign(game, { phase: 'roll', turn: match.PERSON, dice: null, position }, more);
            Object.assign(match.currentGame(game), { score: game.score });
            match.offerResignation(game, match.PERSON, kind);
            answers.push([game.offer.kind, await engine.engineAccepts(game)]);
        }
        return answers;
    };
    const resigns = async (more, position, level = 'world-class') => {
        const game = match.newGame({ length: 0, level, name: 'Ann', tutor: false, jacoby: true, beavers: false });
        Object.assign(game, { phase: 'roll', turn: match.ENGINE, dice: null, position }, more);
        return (await engine.engineTurn(game)).resigns;
    };
    // Paths that are asked before a roll.
    const asked = async (more, position) => {
        const paths = [];
        const { fetch } = globalThis;
        globalThis.fetch = (url, ...rest) => { paths.push(new URL(url, location).pathname); return fetch(url, ...rest); };
        await resigns(more, position, 'expert').finally(() => { globalThis.fetch = fetch; });
        return paths.join(' ');
    };
    const turned = { cube: { value: 2, owner: match.PERSON } };
    const people = new Set();
    for (let seed = 0; seed < 60; seed++) people.add(await resigns({ ...turned, seed }, WON, 'expert'));
    return {
        jacoby: await accepted({}, GAMMON), money: await accepted(turned, GAMMON),
        match: await accepted({ length: 5, score: [4, 3], crawford: true }, GAMMON), long: await accepted({ length: 9, score: [0, 0] }, GAMMON),
        engine: [await resigns({}, WON), await resigns(turned, WON)],
        people: [...people].sort(),
        asked: [await asked({}, START), await asked(turned, START), await asked(turned, WON)],
    };
})()"""
# The person, then the engine, loses a gammon for certain.
GAMMON, WON = "AQAAAMD/HwAAAA", "APD/BwABAAAAAA"
START = "4HPwATDgc/ABMA"


def resignations(browser, host):
    """A resignation is accepted if nothing more can be won, and counts no more than Jacoby's rule gives; people now and then
    play a lost game on. A cube decision is asked for only where there may be a double or a resignation."""
    browser.open(f"{host}/status")
    found = browser.value(RESIGNED.replace("GAMMON", json.dumps(GAMMON)).replace("WON", json.dumps(WON)).replace("START", json.dumps(START)))
    want = {
        "jacoby": [[1, True]] * 3, "money": [[1, False], [2, True], [3, True]], "match": [[1, False], [2, True], [3, True]],
        "long": [[1, False], [2, True], [3, True]], "engine": [1, 2],
        "people": [0, 2],
        "asked": ["/v1/cube", "/v1/eval", "/v1/eval /v1/cube"],
    }
    if found != want:
        sys.exit(f"resignations: {found}, want {want}")


def nothing_kept(browser, host):
    """Without site data the pages work as on a first visit."""
    source = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })"
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    browser.open(f"{host}/status")
    browser.until("document.querySelectorAll('#figures table').length === 3")
    browser.open(f"{host}/?lang=de")
    browser.until("document.querySelector('#place svg') !== null && document.documentElement.lang === 'de'")
    browser.open(f"{host}/play")
    browser.until("!document.getElementById('new').hidden")
    browser.click("#start")
    browser.until(IDLE)
    if "does not keep" not in browser.value("document.getElementById('keeping').textContent"):
        sys.exit("the page does not say that the match is not kept")
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def quiz(browser, host):
    """An answer whose question failed can be given again."""
    actions = "[...document.querySelectorAll('#actions button:not([hidden])')].map((button) => button.dataset.act)"
    browser.open("about:blank")
    source = BREAK.replace("PATH", "'/v1/'")
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
    browser.open(f"{host}/quiz")
    browser.until(ASKED)
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    while not (shown := browser.value(actions)) or shown == ["undo"]:
        before = browser.value("document.getElementById('place').innerHTML")
        browser.click("#place .live")
        browser.until(f"{ASKED} && document.getElementById('place').innerHTML !== {json.dumps(before)}")
    browser.click(f"#actions [data-act='{shown[0]}']")
    browser.until("document.getElementById('error').textContent !== ''")
    browser.value("window.broken = false")
    browser.click(f"#actions [data-act='{shown[0]}']")
    browser.until(f"{ASKED} && ({actions}).includes('next') && document.querySelector('#result table') !== null && document.getElementById('error').textContent === ''")
    # The next question fails, and is asked for again.
    browser.value("window.kept = window.fetch; window.fetch = () => Promise.reject(new Error('the network is down'))")
    browser.click("#actions [data-act='next']")
    browser.until("document.getElementById('error').textContent.includes('down')")
    browser.value("window.fetch = window.kept")
    browser.click("#actions [data-act='next']")
    browser.until(f"{ASKED} && !({actions}).includes('next') && document.getElementById('error').textContent === ''")


def slow_quiz(browser, host):
    """A slow server: the page offers nothing that does not work yet."""
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=DELAY)["identifier"]
    matches.quiz(browser, host, 2)
    # A filter that leaves nothing, while the question of the filter before it is on its way.
    browser.value("""(() => {
        least.add(new Option('none', '9'));
        for (const value of ['0.03', '9']) {
            least.value = value;
            least.dispatchEvent(new Event('change', { bubbles: true }));
        }
    })()""")
    time.sleep(1)
    if browser.value("document.querySelector('#actions button:not([hidden])') !== null"):
        sys.exit("a late question is shown, which the filter leaves out")
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
