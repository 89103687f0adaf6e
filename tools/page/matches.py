"""Matches, Quiz and Status used as a person does, with names that are hostile."""
import json, subprocess, sys, tempfile
from pathlib import Path

from page.chromium import server
from page.play import coached

ROOT = Path(__file__).resolve().parent.parent.parent
# The place of the decision on the board in the list of mistakes.
PLACE = "[...document.querySelectorAll('#decisions [data-number]')].findIndex((one) => one.getAttribute('aria-current') === 'true')"
SETTLED = "document.getElementById('place').getAttribute('aria-busy') === 'false'"
# A question is on the board, or its answer: not before, and not while an answer is being checked.
ASKED = "['quiz', 'place'].every((id) => document.getElementById(id)?.getAttribute('aria-busy') === 'false')"
HOSTILE = "<img src=x onerror=alert(1)>\u202e"
LONG = "N" * 10_000


def files(folder):
    """Match files of several forms, one with hostile names, and one that is none."""
    found = sorted((ROOT / "tests/data/analysis").glob("*.mat")) + sorted((ROOT / "tests/data/analysis").glob("*.sgf"))
    text = (ROOT / "tests/data/analysis/one1.mat").read_text()
    hostile = Path(folder) / "hostile.mat"
    hostile.write_text(text.replace("Alice", HOSTILE, 1).replace("Bob", LONG, 1))
    wrong = Path(folder) / "<b>wrong.mat"
    wrong.write_text("this is no match\n")
    return [str(path) for path in [*found, hostile, wrong]]


def dropped(browser, host):
    """Drops files, opens a match, steps by keys, comments, and finds the comment again."""
    browser.open(f"{host}/matches")
    browser.until("document.querySelector('#rows > *') !== null")
    with tempfile.TemporaryDirectory() as folder:
        paths = files(folder)
        # At the preset depth a busy machine takes minutes for all of them.
        browser.value("document.getElementById('depth').value = '0'")
        browser.choose("#files", paths)
        browser.until("document.getElementById('progress').textContent.includes('are in the list')")
    text = browser.value("document.getElementById('progress').innerText")
    if f"{len(paths) - 1} of {len(paths)} files" not in text or "<b>wrong.mat" not in text:
        sys.exit(f"the files were not taken: {text}")
    # The browser notes the status 422 of the wrong file itself.
    browser.errors = [error for error in browser.errors if "status of 422" not in str(error.get("text"))]
    rows = browser.value("document.querySelectorAll('#rows tbody tr').length")
    if rows != len(paths) - 1 or not browser.value(f"document.getElementById('rows').textContent.includes({json.dumps(HOSTILE[:10])})"):
        sys.exit(f"{rows} matches are listed")
    if browser.value("document.querySelectorAll('#rows img').length") != 0:
        sys.exit("a name became markup")
    browser.typed_into("search", "seven7.mat")
    browser.until("document.querySelectorAll('#rows tbody tr').length === 1")
    browser.click("#rows a")
    here = "document.getElementById('decision').textContent"
    # The worst mistake comes first; the keys go from mistake to mistake.
    browser.until("document.querySelector('#decisions .badge') !== null")
    worst = browser.value("document.querySelector('#decisions .badge')?.textContent")
    browser.until(f"{PLACE} === 0 && {here}.includes({json.dumps(worst)}) && {SETTLED}")
    browser.value("document.activeElement.blur()")
    for key, want in [("n", 1), ("j", 2), ("p", 1), ("k", 0)]:
        browser.pressed(key, ord(key.upper()))
        browser.until(f"{PLACE} === {want} && {SETTLED}")
    browser.click("[data-tab='choices']")
    coached(browser, "document.getElementById('choices').textContent")
    browser.click("[data-tab='mistakes']")
    browser.value("order.value = 'game'; order.dispatchEvent(new Event('change'))")
    browser.until(f"{PLACE} === 0 && !{here}.includes({json.dumps(worst)}) && {SETTLED}")
    # The curve is the way through the match: by keys, and by a click at its end.
    browser.until("document.querySelector('#curve .full') !== null")
    number = "Number(document.getElementById('panel').dataset.number)"
    before = browser.value(number)
    browser.value("document.querySelector('#curve svg').focus()")
    browser.pressed("ArrowRight", 39)
    browser.until(f"{number} > {before}")
    at = browser.value("(() => { const { right, top, height } = document.querySelector('#curve svg').getBoundingClientRect(); return [right - 9, top + height / 2]; })()")
    browser.mouse("mousePressed", at, clickCount=1)
    browser.mouse("mouseReleased", at, clickCount=1)
    browser.until("import(new URL('store.js', document.querySelector('script[type=module]').src)).then((store) => store.get('matches', location.hash.slice(1)))"
                  f".then(({{ report }}) => {number} === report.decisions.findLastIndex(({{ kind }}) => kind === 'play'))")
    browser.click("#decisions [data-number]")
    browser.until(f"{PLACE} === 0 && {SETTLED}")
    browser.click("[data-tab='why']")
    browser.until("document.querySelectorAll('#why li').length > 0")
    browser.click("#next")
    browser.until(f"{PLACE} === 1 && {SETTLED}")
    browser.click("[data-tab='choices']")
    browser.typed_into("comment", "an idea <b>to keep</b>")
    browser.click("#deeper")
    browser.until("document.querySelector('#deep table') !== null")
    browser.click("#roll-out")
    browser.until("Number(document.getElementById('deep').dataset.trials ?? 0) > 0")
    browser.click("#stop")
    browser.until("document.getElementById('deep').dataset.state === 'ended' && document.querySelector('#curve .full') !== null")
    return browser.value("location.href")


def archived(browser, gammond, look=lambda: None):
    """The server's archive is listed, searched, shown, asked for in the quiz, and a match of it is kept with a comment."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [path for path in files(folder) if path.endswith(".mat") and "wrong" not in path]
        archive = f"{folder}/matches.sqlite"
        subprocess.run([gammond, "analyse", "--plies", "0", "--db", archive, *paths], stdout=subprocess.DEVNULL, check=True)
        process, host = server(gammond, "127.0.0.1:0", "--db", archive)
        rows = "document.querySelectorAll('#archive-rows tbody tr').length"
        try:
            # No match is kept here: the questions are the mistakes of the archive.
            quiz(browser, host, 1)
            browser.open(f"{host}/matches")
            browser.until(f"{rows} === {len(paths)}")
            browser.typed_into("search", "mega")
            browser.until(f"0 < {rows} && {rows} < {len(paths)}")
            look()
            browser.typed_into("search", HOSTILE[:12])
            browser.until(f"{rows} === 1 && document.querySelector('#archive-rows').textContent.includes({json.dumps(HOSTILE[:12])})")
            browser.click("#archive-rows a")
            browser.until("!match.hidden && decision.textContent !== ''")
            browser.until(f"{PLACE} === 0 && {SETTLED}")
            browser.click("[data-tab='choices']")
            if browser.value("document.querySelectorAll('#main img').length") or not browser.value("comment.checkVisibility() === false"):
                sys.exit("an archived match is not shown as one")
            browser.click("#deeper")
            browser.until("document.querySelector('#deep table') !== null")
            browser.click("[data-tab='totals']")
            browser.click("#keep")
            browser.until("!comments.hidden")
            browser.click("[data-tab='choices']")
            browser.typed_into("comment", "kept")
            browser.until("import(new URL('store.js', document.querySelector('script[type=module]').src)).then((store) => store.get('matches', location.hash.slice(1)))"
                          ".then(({ comments }) => Object.values(comments).includes('kept'))")
            browser.open(f"{host}/matches")
            browser.until("document.querySelectorAll('#rows tbody tr').length === 1")
            browser.click("#rows a")
            browser.until("comment.value === 'kept'")
            # A page that is still drawing would ask a server that is gone.
            browser.open("about:blank")
        finally:
            process.kill()


# Three plays of a match as gnubg exports them as text.
EXPORT = "The score (after 0 games) is: Ann 0, Bob 0 (match to 3 points)\n" + "".join(
    f"\nMove number {number}:  {name} to play {roll}\n\n GNU Backgammon  Position ID: {position}\n                 Match ID   : {match}\n\n"
    f"* {name} moves {play}\n" for number, name, roll, position, match, play in [
        (1, "Bob", 53, "4HPwATDgc/ABMA", "cIhuAAAAAAAE", "8/3 6/3"), (2, "Ann", 31, "jGfwATDgc/ABMA", "cIllAAAAAAAE", "8/5 6/5"),
        (3, "Bob", 64, "sGfwATCMZ/ABMA", "cIlyAAAAAAAE", "24/14")])


def beavered(browser, gammond):
    """A take for which a beaver was right is a question with a beaver among its answers; the take loses what it lost in the match."""
    with tempfile.TemporaryDirectory() as folder:
        archive = f"{folder}/matches.sqlite"
        path = ROOT / "tests/data/analysis/money3.mat"
        subprocess.run([gammond, "analyse", "--plies", "2", "--db", archive, path], stdout=subprocess.DEVNULL, check=True)
        process, host = server(gammond, "127.0.0.1:0", "--db", archive)
        try:
            for act, loses in [("take", True), ("beaver", False)]:
                browser.open(f"{host}/quiz?theme=own&player=Bob")
                # What was answered before comes later.
                browser.value("indexedDB.deleteDatabase('gammond'), null")
                browser.open(f"{host}/quiz?theme=own&player=Bob")
                browser.until(f"{ASKED} && ({SHOWN}).includes('beaver')")
                browser.click(f"[data-act='{act}']")
                browser.until(f"{ASKED} && ({SHOWN}).includes('next')")
                text = browser.value("document.getElementById('status').textContent")
                if text.startswith("Your answer loses 1.") != loses:
                    sys.exit(f"the answer {act}: {text}")
            browser.open("about:blank")
        finally:
            process.kill()


def offers(browser, host):
    """Answers to a double and to a beaver show the board of the player who doubled, and the cube as it is offered."""
    browser.open(f"{host}/matches")
    browser.until("document.querySelector('#rows > *') !== null")
    browser.value("document.getElementById('depth').value = '0'")
    browser.choose("#files", [str(ROOT / "tests/data/analysis/money3.mat")])
    browser.until(f"location.hash.length > 1 && {PLACE} === 0 && {SETTLED}")
    shown = "['my-name', 'my-pips'].map((id) => document.getElementById(id).textContent).concat(document.querySelector('.cube text').textContent).join()"
    for words, want in [("1 · 5beaver", "Bob,160 pips,2"), ("1 · 5take", "Bob,160 pips,4"), ("1 · 7take", "Alice,175 pips,8")]:
        browser.value(f"[...document.querySelectorAll('#decisions [data-number]')].find((one) => one.textContent.startsWith('{words}')).click()")
        browser.until(f"{SETTLED} && {shown} === '{want}'")


def exported(browser, host):
    """gnubg's text export of a match is one, also where it is pasted: it has a position for each play."""
    text = EXPORT
    browser.open(f"{host}/")
    browser.until(SETTLED)
    browser.value(f"(() => {{ const data = new DataTransfer(); data.setData('text', {json.dumps(text)}); document.body.dispatchEvent("
                  "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()")
    browser.until("document.getElementById('match')?.hidden === false && document.getElementById('place')?.getAttribute('aria-busy') === 'false'")


# Keeps the bodies of all requests from now on.
WATCHED = """globalThis.asked = [], globalThis.sent = fetch,
    globalThis.fetch = (path, options) => { if (options?.body) asked.push(String(options.body)); return sent(path, options); }, 0"""


def of_variant(browser, gammond):
    """Questions about an archived match of nackgammon name the variant, which no position does: of the quiz, and in links."""
    with tempfile.TemporaryDirectory() as folder:
        archive = f"{folder}/matches.sqlite"
        path = ROOT / "tests/data/dialects/15-nackgammon.txt"
        subprocess.run([gammond, "analyse", "--plies", "0", "--db", archive, path], stdout=subprocess.DEVNULL, check=True)
        process, host = server(gammond, "127.0.0.1:0", "--db", archive)
        try:
            browser.open(f"{host}/quiz?theme=own&player=Bob")
            browser.until(f"{ASKED} && document.getElementById('player').value === 'Bob'")
            browser.value(WATCHED)
            # The page's first questions were asked before: the other filter has them asked again.
            browser.value("choice.least.value = '0.03', choice.dispatchEvent(new Event('change'))")
            answered(browser)
            bodies = browser.value("asked")
            if not bodies or not all('"variant":"nackgammon"' in body for body in bodies):
                sys.exit(f"the quiz asks without the variant: {bodies}")
            browser.until("document.querySelector('#result a[href*=\"variant=nackgammon\"]') !== null")
            browser.open(f"{host}/matches#archive-1")
            browser.until(f"!match.hidden && {SETTLED} && explore.href.includes('variant=nackgammon')")
            browser.open("about:blank")
        finally:
            process.kill()


def commented(browser, link):
    """The comment and the match are there after a restart of the server and a reload of the page."""
    browser.open("about:blank")
    browser.open(link)
    browser.until(f"{PLACE} === 0 && {SETTLED}")
    browser.value("order.value = 'game'; order.dispatchEvent(new Event('change'))")
    browser.click("#next")
    browser.until(f"{PLACE} === 1 && {SETTLED}")
    found = browser.value("document.getElementById('comment').value")
    if found != "an idea <b>to keep</b>":
        sys.exit(f"the comment is {found!r}")


SHOWN = "[...document.querySelectorAll('#actions button:not([hidden])')].map((button) => button.dataset.act)"


def answered(browser):
    """Answers a question by a play or a cube action; its loss is shown."""
    browser.until(f"{ASKED} && !({SHOWN}).includes('next')")
    acts = browser.value(SHOWN)
    if acts and acts != ["confirm"]:
        browser.click(f"[data-act='{acts[0]}']")
    else:
        while "confirm" not in browser.value(SHOWN):
            before = browser.value(f"document.getElementById('place').innerHTML")
            browser.click("#place .live")
            browser.until(f"{ASKED} && document.getElementById('place').innerHTML !== {json.dumps(before)}")
        browser.click("[data-act='confirm']")
    browser.until(f"{ASKED} && ({SHOWN}).includes('next') && document.querySelector('#result table') !== null")
    text = browser.value("document.getElementById('result').textContent")
    if "comes back" not in text:
        sys.exit(f"an answer has no result: {text}")
    # What the answer loses is the difference of two values of the same depth.
    depths = browser.value("""[...document.querySelectorAll('#result tr')].filter((row, at) => at === 1 || row.querySelector('strong'))
        .map((row) => row.cells[3]?.textContent)""")
    if len(set(depths)) != 1:
        sys.exit(f"the best play and the person's are judged by {' and '.join(depths)}")


def quiz(browser, host, answers=4):
    """Answers questions, each with the next one behind it."""
    browser.open(f"{host}/quiz")
    for _ in range(answers):
        answered(browser)
        browser.click("[data-act='next']")
    browser.until(f"!({SHOWN}).includes('next')")


# The pips of the person, from what a screen reader reads out.
COUNT = """[...document.querySelectorAll('#place [data-place]')].reduce((sum, { dataset: { place }, ariaLabel }) =>
    sum + (Number(place) + 1) * Number(/, (\\d+) yours/.exec(ariaLabel)?.[1] ?? 0), 0)"""


def counted(browser, host):
    """Pips are counted; the page knows the right number of one side from a wrong one of the other."""
    browser.open(f"{host}/quiz?theme=pips")
    browser.until(f"{ASKED} && document.getElementById('counting').checkVisibility()")
    if browser.value("document.getElementById('my-pips').textContent") != "":
        sys.exit("the page says what it asks for")
    mine = browser.value(COUNT)
    browser.typed_into("my-count", str(mine))
    browser.typed_into("their-count", "1000")
    browser.pressed("Enter", 13)
    browser.until("document.querySelector('#result .pairs') !== null")
    text = browser.value("document.getElementById('result').innerText")
    if f"{mine} pips ✓" not in text or text.count("✓") != 1:
        sys.exit(f"the count of {mine} pips is judged wrong: {text}")
    browser.click("[data-act='next']")
    browser.until("document.getElementById('counting').checkVisibility()")


def status(browser, host):
    browser.open(f"{host}/status")
    browser.until("document.querySelectorAll('#figures table').length === 3")
    first = browser.value("document.getElementById('figures').textContent")
    browser.until(f"document.getElementById('figures').textContent !== {json.dumps(first)}")
