"""Two things at once: another tab, a removal during an analysis, a second rollout, a press while numbers move."""
import json, sys, tempfile
from pathlib import Path

from page.matches import PLACE, SETTLED

ROOT = Path(__file__).resolve().parent.parent.parent
STORE = "import(new URL('store.js', document.querySelector('script[type=module]').src))"
NUMBER = "Number(document.getElementById('panel').dataset.number)"


def opened(browser, host, name, depth):
    """Opens the page of a match that was just chosen; returns its id."""
    browser.open(f"{host}/matches")
    browser.until("document.querySelector('#rows > *') !== null")
    browser.value(f"document.getElementById('depth').value = '{depth}'")
    browser.choose("#files", [str(ROOT / "tests/data/analysis" / name)])
    browser.until(f"location.hash.length > 1 && {PLACE} === 0 && {SETTLED}")
    return browser.value("location.hash.slice(1)")


def two_matches(browser, host):
    """The second match of a file is looked at deeper and exported as the first one is, also when that one is removed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "two.mat"
        path.write_text("".join((ROOT / "tests/data/analysis" / name).read_text() + "\n" for name in ("one1.mat", "three3.mat")))
        browser.open(f"{host}/matches")
        browser.until("document.querySelector('#rows > *') !== null")
        browser.value("document.getElementById('depth').value = '1'")
        browser.choose("#files", [str(path)])
        browser.until("location.hash.length > 1")
    file = browser.value("location.hash").rsplit("-", 1)[0]
    exported = "document.getElementById('export-html').hidden === false"
    browser.value(f"location.hash = '{file}-2'")
    browser.until(f"document.getElementById('judged').textContent === '1 ply' && {exported}")
    browser.value(f"location.hash = '{file}-1'")
    browser.until(f"document.getElementById('title').textContent.includes('Alice') && {exported}")
    browser.click("[data-tab='totals']")
    browser.click("#remove")
    browser.until("location.hash === ''")
    browser.open(f"{host}/matches{file}-2")
    browser.until(f"{SETTLED} && {exported}")
    browser.value("window.saved = null; URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
    browser.click("[data-tab='totals']")
    browser.click("#export-sgf")
    browser.until("window.saved !== null")
    if not browser.value("window.saved.text()").startswith("(;"):
        sys.exit("the export is no match")


def kept(browser, match):
    return browser.value(f"{STORE}.then((store) => store.get('matches', {json.dumps(match)})).then((found) => JSON.stringify(found?.comments ?? null))")


def comments(browser, host):
    """A comment keeps those that another tab has written since, and brings no removed match back."""
    match = opened(browser, host, "three3.mat", 0)
    browser.click("[data-tab='choices']")
    here = browser.value(NUMBER)
    browser.value(f"""{STORE}.then(async (store) => {{
        const one = await store.get('matches', {json.dumps(match)});
        one.comments[{here + 1}] = 'theirs';
        await store.put('matches', one);
    }})""")
    browser.typed_into("comment", "mine")
    want = {str(here): "mine", str(here + 1): "theirs"}
    browser.waits(lambda: json.loads(kept(browser, match)) == want, lambda: f"kept are {kept(browser, match)}, want {want}")
    browser.value(f"{STORE}.then((store) => store.dropMatch({json.dumps(match)}))")
    browser.typed_into("comment", "after its removal")
    browser.until("about.textContent.includes('there is no such match here')")
    if kept(browser, match) != "null":
        sys.exit("a comment brought a removed match back")


def removed(browser, host):
    """A match that is removed while it is analysed deeper stays removed."""
    browser.open(f"{host}/matches")
    # The deeper analysis waits until the match is gone.
    wait = """const send = window.fetch; window.deeper = 0;
        window.gone = new Promise((done) => { window.go = done; });
        window.fetch = async (path, ...rest) => {
            if (String(path).includes('plies=2')) { window.deeper += 1; await window.gone; const answer = await send(path, ...rest); window.deeper -= 1; return answer; }
            return send(path, ...rest);
        };"""
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=wait)["identifier"]
    match = opened(browser, host, "one1.mat", 2)
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    browser.until("window.deeper === 1")
    browser.click("[data-tab='totals']")
    browser.click("#remove")
    browser.until("location.hash === ''")
    browser.value("window.go()")
    browser.until("window.deeper === 0")
    # What follows the answer in the page has its turn first.
    browser.value("new Promise((done) => { setTimeout(done, 1000); })")
    if kept(browser, match) != "null":
        sys.exit("a deeper analysis brought a removed match back")


def rolled_out(browser, host):
    """A second rollout ends the first one, and a stop ends all."""
    opened(browser, host, "three3.mat", 0)
    # The server notes every connection that ends before its answer.
    hang_ups = f"fetch('{host}/metrics').then((answer) => answer.text()).then((text) => Number(/^gammond_hang_ups_total (\\d+)/m.exec(text)[1]))"
    before = browser.value(hang_ups)
    browser.click("[data-tab='choices']")
    for _ in range(3):
        browser.click("#roll-out")
        browser.until("document.getElementById('deep').dataset.trials > 0 && document.getElementById('stop') !== null")
        browser.value("delete document.getElementById('deep').dataset.trials")
    browser.until("document.getElementById('deep').dataset.trials > 0")
    browser.click("#stop")
    browser.until(f"{hang_ups}.then((number) => number >= {before + 3})")


def pressed(browser, host):
    """The choices of look-ahead and the plays stay under a press while a rollout moves the numbers."""
    browser.open(f"{host}/?position=4HPwATDgc/ABMA&roll=31#rollout")
    trials = "Number(document.getElementById('panel').dataset.trials ?? 0)"
    browser.until(f"{trials} > 0")
    browser.value("window.menu = document.querySelector('.depth').lastChild")
    at = browser.center("#body [data-play]")
    browser.value("window.row = document.querySelector('#body [data-play]')")
    before = browser.value(trials)
    browser.mouse("mousePressed", at, clickCount=1)
    # Reports come meanwhile.
    browser.value("new Promise((done) => { setTimeout(done, 2000); })")
    if not browser.value("document.body.contains(window.row)"):
        sys.exit("a report took the play away from under the press")
    browser.mouse("mouseReleased", [at[0], 5], clickCount=1)
    browser.until(f"{trials} > {before}")
    if not browser.value("document.body.contains(window.menu)"):
        sys.exit("a report replaced the choices of look-ahead")
    browser.click("#depth")
    browser.click("#stop")
    browser.until("document.querySelector('#depth.busy') === null")
