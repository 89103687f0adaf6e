"""Explore used as a person does: by links, keys, pasted IDs, and with text that is hostile."""
import json, sys, urllib.parse, urllib.request
from pathlib import Path

TEXTS = Path(__file__).resolve().parent.parent.parent / "tests/data/position-texts"
SNOWIE = "5;0;0;0;1;Bob the 2nd;Ann;0;0;0;1;0;-1;0;-2;2;0;0;4;0;2;0;0;0;-3;3;0;0;0;-3;0;-6;0;0;0;0;2;2;0;0"
# Texts that other programs copy, and the position that the page finds in each.
COPIED = [
    ((TEXTS / "bgblitz-play-en.txt").read_text(), "XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10"),
    ((TEXTS / "bgblitz-cube-jp.txt").read_text(), "XGID=---c--CCB---dB-B---c-BcAb-:1:1:1:00:0:1:0:7:10"),
    (" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cAmpAUAAGAAE\n +13-14-15-16-17-18---",
     "4HPwATDgc/ABMA:cAmpAUAAGAAE"),
    ("Position-ID\u00a0: 4HPwATDgc/ABMA\n", "4HPwATDgc/ABMA"),
    (SNOWIE + ";\n", SNOWIE),
]
START = "4HPwATDgc/ABMA"
HOSTILE = "<script>document.title='owned'</script>\u202e"


def best(host, position, roll, plies):
    query = urllib.parse.urlencode({"position": position, "roll": roll, "plies": plies})
    with urllib.request.urlopen(f"{host}/v1/move?{query}") as answer:
        return json.load(answer)["plays"][0]["play"]


def used(browser, host):
    """Uses the page as a person does."""
    first = "document.querySelector('[data-play]')?.dataset.play"
    settled = "document.getElementById('answer').getAttribute('aria-busy') === 'false'"
    browser.open(f"{host}/?position={START}&roll=31")
    browser.until(f"{settled} && document.getElementById('answer').dataset.plies === '2'")
    assert browser.value(first) == best(host, START, 31, 2), browser.value(first)
    # The keyboard reaches a play, and its arrows are on the board; then the position after it, and back.
    browser.value("document.querySelector('[data-play] a').focus()")
    browser.until("document.querySelectorAll('#place path.a').length === 2")
    browser.pressed("Enter", 13)
    browser.until(f"{settled} && {first} === undefined && document.querySelector('.verdict') !== null")
    assert browser.value("location.search").startswith("?position=sGfwATDgc")
    browser.value("history.back()")
    browser.until(f"{settled} && document.getElementById('roll').value === '31' && {first} !== undefined")
    # Another depth and a random roll are in the link.
    browser.value("plies.value = '0'; plies.dispatchEvent(new Event('change', {bubbles: true}))")
    browser.until(f"{settled} && location.search.includes('plies=0')")
    browser.value("document.getElementById('random').click()")
    browser.until(f"{settled} && document.getElementById('roll').value !== ''")
    roll = browser.value("document.getElementById('roll').value")
    assert browser.value(first) == best(host, START, roll, 0)
    assert browser.value("location.search").endswith(f"roll={roll}&plies=0"), browser.value("location.search")
    # A pasted ID brings its own dice.
    browser.typed("position", "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10")
    browser.until(f"{settled} && document.body.innerText.includes('Plays of 64')")
    for text, position in COPIED:
        browser.value(f"(() => {{ const data = new DataTransfer(); data.setData('text', {json.dumps(text)}); document.body.dispatchEvent("
                      "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()")
        wanted = urllib.parse.urlencode({"position": position})
        browser.until(f"{settled} && location.search.startsWith({json.dumps('?' + wanted)}) && document.getElementById('summary').textContent !== ''")
    if browser.errors:
        sys.exit(f"the page has errors: {browser.errors}")
    # A wrong one has its reason beside it. The browser notes the status 400 itself.
    browser.typed("position", HOSTILE)
    browser.until(f"{settled} && document.getElementById('position-error').textContent !== ''")
    browser.open(f"{host}/?" + urllib.parse.urlencode({"position": HOSTILE}))
    browser.until(settled)
    assert browser.value("document.title") != "owned" and browser.value("document.scripts.length") == 1
    wrong = [error for error in browser.errors if "status of 400" not in str(error.get("text"))]
    if wrong:
        sys.exit(f"the page has errors: {wrong}")


SETTLED = "['answer', 'place'].every((id) => document.getElementById(id)?.getAttribute('aria-busy') === 'false')"
XG_TEXT = """X:Ann   O:Bob
Score is X:3 O:2 10 pt.(s) match.
XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10
X to play 64"""


def xgid(browser):
    return browser.value("document.getElementById('id-xgid').value")


def becomes(browser, begin):
    browser.until(f"{SETTLED} && document.getElementById('id-xgid')?.value.startsWith({json.dumps(begin)})")


def set_up(browser, host):
    """Sets up a position by drag, click, keys, and a dropped text; undoes; goes round."""
    browser.open(f"{host}/?position={START}")
    browser.until(SETTLED)
    browser.click("#set")
    browser.until(f"{SETTLED} && document.querySelector('.hit') !== null")
    browser.drag("[data-place='12']", "[data-place='9']")
    becomes(browser, "XGID=-b----E-C-A-eD---c-e----B-:0:0:")
    # A click adds a checker only where one is off.
    browser.drag("[data-place='23']", "[data-place='25']")
    becomes(browser, "XGID=-b----E-C-A-eD---c-e----A-:0:0:")
    browser.click("[data-place='4']")
    becomes(browser, "XGID=-b---AE-C-A-eD---c-e----A-:0:0:")
    browser.click("[data-place='27']")
    becomes(browser, "XGID=-b---AE-C-A-eD---c-e----A-:1:1:")
    browser.click("#undo")
    becomes(browser, "XGID=-b---AE-C-A-eD---c-e----A-:0:0:")
    # The keys: from the 5 point one to the left, and a checker goes there.
    browser.value("document.querySelector('input[value=opponent]').click()")
    browser.drag("[data-place='0']", "[data-place='25']")
    becomes(browser, "XGID=-a---AE-C-A-eD---c-e----A-:0:0:")
    # The board may be drawn once more for the answer: the key goes to the drawing that stays.
    browser.value("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => 1)")
    browser.until(f"{SETTLED} && (document.querySelector('[data-place=\\'2\\']').focus(), true)")
    browser.pressed("ArrowLeft", 37)
    browser.until("document.activeElement.dataset.place === '3'")
    browser.pressed("Enter", 13)
    becomes(browser, "XGID=-a--aAE-C-A-eD---c-e----A-:0:0:")
    browser.click("#flip")
    browser.until(f"{SETTLED} && Number(document.querySelector('[data-place=\\'0\\']').getAttribute('x')) < 100")
    browser.drag("[data-place='3']", "[data-place='2']")
    becomes(browser, "XGID=-a-a-AE-C-A-eD---c-e----A-:0:0:")
    browser.click("#flip")
    browser.value(f"""(() => {{
        const data = new DataTransfer(); data.setData('text', {json.dumps(XG_TEXT)});
        document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));
    }})()""")
    becomes(browser, "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10")
    browser.until("document.body.innerText.includes('Plays of 64')")


def rolled_out(browser, host):
    """A rollout moves and stops."""
    browser.open(f"{host}/?position={START}&roll=31")
    browser.until(SETTLED)
    browser.value("(() => { depth.value = 4; for (const kind of ['input', 'change']) depth.dispatchEvent(new Event(kind, { bubbles: true })); })()")
    trials = "Number(document.getElementById('rollout')?.dataset.trials ?? 0)"
    browser.until(f"{trials} > 0")
    first = browser.value(trials)
    browser.until(f"{trials} > {first}")
    browser.click("#stop")
    browser.until("document.getElementById('rollout').dataset.state === 'ended'")
    stopped = browser.value(trials)
    text = browser.value("document.getElementById('rollout').innerText")
    if f"Stopped after {stopped:,} games" not in text or "8/5 6/5" not in text:
        sys.exit(f"the rollout did not stop: {text}")


def asked(host, verb, question):
    request = urllib.request.Request(f"{host}/v1/{verb}", json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def tables(browser, host, pictures):
    """The tables below an answer are those of the server, follow the position, and close."""
    cells = "[...document.querySelectorAll('#tables .cell')].map((cell) => cell.textContent)"
    ready = f"{SETTLED} && document.getElementById('tables').getAttribute('aria-busy') === 'false'"
    browser.open(f"{host}/?position={START}&roll=64")
    browser.until(f"{SETTLED} && document.getElementById('answer').dataset.plies === '2'")
    # The reasons: beside the next best play, and beside a chosen one.
    sentences = "[...document.querySelectorAll('#tables .reasons li')].map((item) => item.textContent)"
    question = {"position": START, "roll": [6, 4], "settings": {"plies": 2, "language": "en"}}
    browser.click("#all-explain")
    browser.until(f"{ready} && {sentences}.length > 1")
    texts = [one["text"] for one in asked(host, "explain", question)["sentences"]]
    assert browser.value(sentences) == texts, browser.value(sentences)
    listed = browser.value("[...document.querySelectorAll('[data-play]')].map((row) => row.dataset.play)")
    assert browser.value("[...compared.options].map((option) => option.value)") == listed[1:]
    browser.value(f"(() => {{ compared.focus(); compared.value = {json.dumps(listed[3])}; compared.dispatchEvent(new Event('change')); }})()")
    texts = [one["text"] for one in asked(host, "explain", {**question, "plays": [listed[3]]})["sentences"]]
    browser.until(f"{ready} && {sentences}.join() === {json.dumps(','.join(texts))}")
    assert browser.value("[document.activeElement.id, compared.value]") == ["compared", listed[3]]
    pictures("explain")
    browser.click("#all-scores")
    browser.until(f"{ready} && {cells}.length === 61")
    found = asked(host, "scores", {"position": START, "roll": [6, 4], "settings": {"plies": 2, "away": 7}})
    kinds = list(dict.fromkeys([found["money"]["position"]] + [one["position"] for one in found["scores"]]))
    order = {((0 if one["crawford"] and one["away"][0] == 1 else one["away"][0]),
              (0 if one["crawford"] and one["away"][1] == 1 else one["away"][1])): one for one in found["scores"]}
    want = ["ABCDEFGHIJ"[kinds.index(order[place]["position"])] for place in sorted(order)]
    assert browser.value(cells) == want, browser.value(cells)
    pictures("score-plays")
    # Another question: the open table follows.
    browser.value("roll.value = ''; roll.dispatchEvent(new Event('change', {bubbles: true}))")
    browser.until(f"{ready} && {cells}.length === 49")
    found = asked(host, "scores", {"position": START, "settings": {"plies": 2, "away": 7}})
    signs = {(True, True): "DT", (True, False): "DP", (False, True): "ND", (False, False): "TG"}
    assert browser.value(cells) == [signs[one["double"], one["take"]] for one in found["scores"]]
    browser.click("#all-rolls")
    bars = "document.querySelectorAll('#tables .bar').length"
    browser.until(f"{ready} && {bars} === 21")
    found = asked(host, "rolls", {"position": START, "settings": {"plies": 2}})
    shown = browser.value("[...document.querySelectorAll('#tables tbody th')].map((head) => head.textContent)")
    assert shown == ["".join(map(str, one["roll"])) for one in found["rolls"]], shown
    pictures("rolls")
    browser.click("#all-rolls")
    browser.until(f"{bars} === 0")
    # Where cubes differ by score.
    browser.open(f"{host}/?position=u7sNAADb7g4AAA")
    browser.until(f"{SETTLED} && document.getElementById('answer').dataset.plies === '2'")
    browser.click("#all-scores")
    browser.until(f"{ready} && {cells}.length === 49 && {cells}.includes('DT')")
    pictures("score-cubes")
