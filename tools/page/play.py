"""Play used as a person does: a match to its end by clicks and drags, reloads in the middle, the tutor, files."""
import json, re, sys

KEPT = "JSON.parse(localStorage.getItem('gammond.play'))"
SHOWN = "[...document.querySelectorAll('[data-act]:not([hidden])')].map((button) => button.dataset.act)"
IDLE = f"['game', 'place'].every((id) => document.getElementById(id).getAttribute('aria-busy') === 'false') && {SHOWN}.length > 0"
# play.js holds plays that lose as much back.
TUTOR_LOSS = 0.03
# Actions of a match to 3 points.
ACTIONS_MAX = 1500


def begin(browser, host, length, level, tutor=False, name="Ann", variant="backgammon", timed=False):
    browser.open(f"{host}/play")
    browser.until("!document.getElementById('new').hidden || !document.getElementById('game').hidden")
    if browser.value("document.getElementById('new').hidden"):
        # What the engine does moves the button.
        settled(browser)
        browser.click("#restart")
        browser.until("!document.getElementById('new').hidden")
    browser.value(f"""import(new URL('game.js', document.querySelector('script[type=module]').src)).then(({{ LEVELS }}) => {{
        const form = document.getElementById('new').elements;
        form.name.value = {json.dumps(name)}; form.points.value = '{length}'; form.level.value = LEVELS.findIndex(({{ id }}) => id === '{level}');
        form.variant.value = {json.dumps(variant)}; form['new-tutor'].checked = {json.dumps(tutor)}; form.timed.checked = {json.dumps(timed)}; document.getElementById('quick').checked = true;
    }})""")
    browser.click("#start")
    # The server is asked first whether it has the variant.
    browser.until("document.getElementById('new').hidden || document.getElementById('error').textContent !== ''")


def act(browser, name):
    browser.click(f"[data-act='{name}']")


def live(browser):
    return browser.value("[...document.querySelectorAll('#place .live')].map((hit) => Number(hit.dataset.place))")


def settled(browser):
    """Waits until the person may act and the board shows it."""
    browser.until(IDLE)


def match(browser, host, length=3, variant="backgammon"):
    """Plays until the match is over; reloads twice in the middle."""
    begin(browser, host, length, "beginner", variant=variant)
    reloads, drags, clicks = {20, 45}, 0, 0
    for count in range(ACTIONS_MAX):
        settled(browser)
        shown = browser.value(SHOWN)
        if count in reloads:
            before = browser.value(KEPT)
            browser.open(f"{host}/play")
            settled(browser)
            browser.value("document.getElementById('quick').checked = true")
            after = browser.value(KEPT)
            if before != after:
                sys.exit(f"a reload changed the match: {before} {after}")
            continue
        if "next" in shown:
            act(browser, "next")
        elif "new-match" in shown:
            break
        elif "confirm" in shown:
            act(browser, "confirm")
        elif "roll" in shown:
            act(browser, "double" if "double" in shown and count % 3 == 0 else "roll")
        elif "take" in shown:
            act(browser, "take")
        elif "accept" in shown:
            act(browser, "refuse" if count % 2 else "accept")
        elif "undo" in shown or "hint" in shown:
            places = live(browser)
            before = browser.value("document.getElementById('words').textContent")
            if count % 2:
                browser.click(f"[data-place='{places[0]}']")
                clicks += 1
            else:
                browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
                point = f"[data-place='{places[0]}']"
                browser.value(f"document.querySelector(\"{point}\").dispatchEvent(new FocusEvent('focusin', {{bubbles: true}}))")
                target = browser.value("document.querySelector('#place .target').dataset.place")
                browser.drag(point, f"[data-place='{target}']")
                drags += 1
            browser.until(f"document.getElementById('words').textContent !== {json.dumps(before)}")
        else:
            sys.exit(f"there is nothing to do: {shown}")
    else:
        sys.exit("the match has no end")
    if not drags or not clicks:
        sys.exit(f"{drags} drags and {clicks} clicks")
    kept = browser.value(KEPT)
    if max(kept["score"]) < length:
        sys.exit(f"the match ends at {kept['score']}")
    act(browser, "report")
    browser.until("document.querySelectorAll('#report table').length >= 1")
    coached(browser, "document.querySelector('#report .worst .found')?.textContent ?? ''")
    # The download as OGXM is caught before it becomes a file.
    browser.value("URL.createObjectURL = (blob) => { blob.slice(0, 4).text().then((text) => { document.body.dataset.saved = text; }); return '#'; }")
    browser.click("#saving summary")
    browser.click("#save-ogxm")
    browser.until("document.body.dataset.saved === 'OGXM'")
    return kept, browser.value("import(new URL('game.js', document.querySelector('script[type=module]').src)).then((game) => game.matchFile(" + KEPT + "))")


# A clock whose time is made to pass: the reserve runs behind the delay, and the match is lost at its end.
HURRY = """new Promise((done) => {
    const now = performance.now.bind(performance);
    const begun = now();
    performance.now = () => begun + (now() - begun) * 400;
    setTimeout(() => { performance.now = now; done(); }, 1500);
})"""


def timed(browser, host):
    """A match to one point whose time runs out is lost."""
    begin(browser, host, 1, "beginner", timed=True)
    settled(browser)
    if browser.value("document.getElementById('my-clock').hidden"):
        sys.exit("a match with a clock shows none")
    browser.until("/^2:00 \\+\\d+$/.test(document.getElementById('my-clock').textContent)")
    browser.value(HURRY)
    browser.until(f"{KEPT}.phase === 'match-over'")
    kept = browser.value(KEPT)
    text = browser.value("document.getElementById('status').textContent")
    if kept["score"] != [0, 1] or "on time" not in text:
        sys.exit(f"the match on time ended {kept['score']}: {text}")


# The results of won games of hypergammon whose loser has these checkers, by index.
COUNTED = """import(new URL('game.js', document.querySelector('script[type=module]').src)).then(async (match) => {
    const { printId } = await import(new URL('position.js', document.querySelector('script[type=module]').src));
    return [[[0, 0, 17], 1], [[0, 0, 18], 1], [[0, 24], 1], [[0, 0, 17], 0], [[0, 0, 24], 0]].map(([points, winner]) => {
        const game = match.newGame({ length: 0, level: 'expert', name: 'Ann', tutor: false, jacoby: false, beavers: false, variant: 'hypergammon' });
        const loser = Array(25).fill(0);
        for (const index of points) loser[index] += 1;
        Object.assign(game, { turn: winner, dice: [2, 1] });
        match.play(game, { play: '1/off', position: printId({ me: loser, opponent: Array(25).fill(0) }) });
        return match.currentGame(game).result.points;
    });
})"""


def hypergammon(browser, host):
    """A server without the table says so before a match begins, and the match before stays; gammons count by three checkers."""
    before = browser.value(KEPT)
    begin(browser, host, 1, "beginner", variant="hypergammon")
    found = browser.value("document.getElementById('error').textContent")
    if found != "hypergammon needs its table: gammond bearoff make --hyper 3":
        sys.exit(f"the page says {found!r} of a missing table")
    if browser.value("document.getElementById('new').hidden") or browser.value(KEPT) != before:
        sys.exit("a match without its table has begun")
    browser.click("#back")
    settled(browser)
    if browser.value("document.getElementById('error').textContent") != "":
        sys.exit("the sentence on the table stays")
    # The browser itself reports the answer.
    browser.errors[:] = [error for error in browser.errors if "/v1/eval" not in str(error)]
    points = browser.value(COUNTED)
    if points != [2, 3, 1, 2, 3]:
        sys.exit(f"games of hypergammon count {points}")


def coached(browser, words):
    """The worst mistake has the shares of the people who find better."""
    text = browser.value(words)
    if not re.search(r"Players of PR 4 / 8 / 15 find the best choice in \d+ / \d+ / \d+\s% of cases\.", text):
        sys.exit(f"the worst mistake has no shares of people: {text!r}")


def tutored(browser, host, look=lambda: None):
    """The tutor holds a bad play back; a hint lists better ones; a typed play is taken; a resignation ends the game."""
    begin(browser, host, 0, "expert", tutor=True, name="<b>Ann</b>")
    for _ in range(ACTIONS_MAX):
        settled(browser)
        shown = browser.value(SHOWN)
        if "roll" in shown:
            act(browser, "roll")
            browser.until(f"!document.getElementById('warning').hidden || !({SHOWN}).includes('roll')")
        elif "take" in shown:
            act(browser, "take")
            browser.until(f"!document.getElementById('warning').hidden || !({SHOWN}).includes('take')")
        elif "confirm" in shown and browser.value("document.querySelectorAll('#place .live').length") == 0:
            act(browser, "confirm")
            browser.until(f"!document.getElementById('warning').hidden || !({SHOWN}).includes('confirm')")
        else:
            worst = browser.value(WORST)
            if worst["loss"] < TUTOR_LOSS:
                play_typed(browser, worst["play"])
                act(browser, "confirm")
                continue
            play_typed(browser, worst["play"])
            act(browser, "confirm")
            browser.until("!document.getElementById('warning').hidden")
            break
        if not browser.value("document.getElementById('warning').hidden"):
            browser.click("#insist")
    text = browser.value("document.getElementById('warning').innerText")
    if " loses 0." not in text and " loses 1." not in text or "Better: " not in text:
        sys.exit(f"the tutor says {text}")
    look()
    browser.click("#take-back")
    settled(browser)
    act(browser, "hint")
    browser.until("document.querySelector('#advice table') !== null")
    act(browser, "resign")
    browser.click("#resigning [data-kind='1']")
    browser.until(f"({SHOWN}).includes('next')")
    if browser.value("document.querySelectorAll('#score b, #moves b').length") != 0:
        sys.exit("a name became markup")


# A money game with beavers, after a good opening play of one side.
OPENED = """import(new URL('game.js', document.querySelector('script[type=module]').src)).then((match) => {
    const game = match.newGame({ length: 0, level: 'expert', name: 'Ann', tutor: false, jacoby: true, beavers: true });
    Object.assign(game, { turn: PLAYER, dice: [3, 1] });
    match.play(game, { play: '8/5 6/5', position: 'sGfwATDgc/ABMA' });
    CHANGE;
    localStorage.setItem('gammond.play', JSON.stringify(game));
})"""


def beavered(browser, host):
    """The engine beavers a bad double and takes the raccoon; the person beavers a bad double of the engine. Returns the match files."""
    shown = f"({SHOWN}).join()"
    texts = []
    for player, change, acts in [(1, "", ["double", "raccoon"]), (0, "match.double(game)", ["beaver"])]:
        browser.open(f"{host}/status")
        browser.value(OPENED.replace("PLAYER", str(player)).replace("CHANGE", change))
        browser.open(f"{host}/play")
        settled(browser)
        browser.value("document.getElementById('quick').checked = true")
        for name in acts:
            browser.until(f"{shown}.includes('{name}')")
            # An offered cube is on the board, at its new value.
            offered = {"raccoon": "4", "beaver": "2"}.get(name)
            text = browser.value("document.querySelector('.cube text').textContent")
            if offered not in (None, text):
                sys.exit(f"the board shows a cube of {text} before a {name}")
            act(browser, name)
        browser.until(f"{KEPT}.cube.value > 1 && {IDLE}")
        cube = browser.value(f"{KEPT}.cube")
        want = {"value": 8, "owner": 1} if player == 1 else {"value": 4, "owner": 0}
        if cube != want:
            sys.exit(f"the cube is {cube} after {acts}, want {want}")
        act(browser, "resign")
        browser.click("#resigning [data-kind='3']")
        browser.until(f"({SHOWN}).includes('next')")
        text = browser.value("import(new URL('game.js', document.querySelector('script[type=module]').src)).then((game) => game.matchFile(" + KEPT + "))")
        if text.count("Beavers => ") != (2 if player == 1 else 1):
            sys.exit(f"the match file has other beavers: {text}")
        texts.append(text)
    return texts


def highest_cube(browser, host):
    """An engine that plays as people do rolls where it might resign, with a cube that cannot be turned further."""
    change = ("Object.assign(game, { level: 'beginner', position: 'yx8AAGSzYTUQAA', turn: 1, phase: 'roll', dice: null, "
              "cube: { value: 4096, owner: 0 } })")
    browser.open(f"{host}/status")
    browser.value(OPENED.replace("PLAYER", "0").replace("CHANGE", change))
    browser.open(f"{host}/play")
    browser.until(f"{IDLE} && ({KEPT}.turn === 0 || {KEPT}.offer !== null)")


# The worst legal play of the roll on the board.
WORST = f"""(async () => {{
    const game = {KEPT};
    const [{{ settingsFor }}, {{ ask }}] = await Promise.all(['game.js', 'ask.js'].map((name) => import(new URL(name, document.querySelector('script[type=module]').src))));
    const question = {{ position: game.position, roll: game.dice, settings: {{ ...settingsFor(game, 0), plies: 2, top: 0 }} }};
    return (await ask('move', question)).plays.at(-1);
}})()"""


def play_typed(browser, text):
    browser.value(f"document.getElementById('typed-play').value = {json.dumps(text)}")
    browser.click("#typed button")
    browser.until(f"({SHOWN}).includes('confirm') && {IDLE}")
