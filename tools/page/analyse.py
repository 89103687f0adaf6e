"""Analyse used as a person does: by links, keys, pasted IDs, moves by hand, and with text that is hostile."""
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
    ("11ccccchhhjjjjj:66666888dddddoo:B1N:46:W:R:2:3:7:0", "11ccccchhhjjjjj:66666888dddddoo:B1N:46:W:R:2:3:7:0"),
    ("on OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:14:W:R:0:0:3:1 it", "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:14:W:R:0:0:3:1"),
]
START = "4HPwATDgc/ABMA"
HOSTILE = "<script>document.title='owned'</script>\u202e"


def paths(host):
    """The server whose answers the pages must have: that of the pages, or one beside a folder of files."""
    return getattr(host, "paths", host)


def best(host, position, roll, plies):
    query = urllib.parse.urlencode({"position": position, "roll": roll, "plies": plies})
    with urllib.request.urlopen(f"{paths(host)}/v1/move?{query}") as answer:
        return json.load(answer)["plays"][0]["play"]


SETTLED = "document.getElementById('panel')?.getAttribute('aria-busy') === 'false'"
AT_2 = f"{SETTLED} && document.getElementById('panel').dataset.depth === '2'"
VERDICT = "document.getElementById('verdict').textContent"
PLAYS = "[...document.querySelectorAll('[data-play]')].map((row) => row.dataset.play)"


def link(browser, name):
    return browser.value(f"new URLSearchParams(location.search).get('{name}')")


def deepen(browser, depth):
    browser.click("#depth")
    browser.click(f"[data-plies='{depth}']")


def linked(browser, host):
    """A link holds every setting of a move (HTTP-110); a refusal stands alone, and where there is no double stands the value."""
    found = []
    for settings in ["top=3", "filter=large&prune=off", "cubeful=off&time=500", "pr=8&seed=3", "level=roller&plies=0", "noise=0.05"]:
        browser.open(f"{host}/?position={START}&roll=31&{settings}")
        browser.until(f"{SETTLED} && ({VERDICT}).startsWith('8/5 6/5')")
        for tab in ["cube", "rolls", "why"]:
            browser.click(f"[data-tab='{tab}']")
            browser.until(f"{SETTLED} && document.getElementById('panel').dataset.tab === '{tab}'")
            found += [browser.value(VERDICT)] if browser.value("document.querySelector('#verdict .error') !== null") else []
    # No roll, no play: the page asks which one.
    browser.open(f"{host}/?position={START}")
    browser.until(AT_2)
    browser.click("[data-tab='plays']")
    browser.until(f"{SETTLED} && ({VERDICT}) === 'Which roll?'")
    browser.click("[data-tab='why']")
    browser.until(f"{SETTLED} && document.querySelectorAll('.facts li').length > 1")
    if found or browser.errors:
        sys.exit(f"links with settings have errors: {found} {browser.errors}")
    browser.open(f"{host}/?position={START}&cube=4096&owner=me")
    browser.until(f"{SETTLED} && document.querySelector('#verdict .eq') !== null && document.querySelector('#verdict .error') === null")
    browser.open(f"{host}/?position={START}&roll=77")
    browser.until(f"{SETTLED} && ({VERDICT}).startsWith('roll ') && document.getElementById('retry') === null")
    # The browser notes the status 400 itself.
    browser.errors = [error for error in browser.errors if "status of 4" not in str(error.get("text"))]


def used(browser, host):
    """Uses the page as a person does."""
    first = f"{PLAYS}[0]"
    browser.open(f"{host}/?position={START}&roll=31")
    browser.until(AT_2)
    assert browser.value(first) == best(host, START, 31, 2), browser.value(first)
    # The keyboard reaches a play, and its arrows are on the board; then the position after it, and back.
    browser.pressed("1", 49)
    browser.until("document.activeElement.dataset.play !== undefined && document.querySelectorAll('#place .shaft').length === 2")
    browser.pressed("Enter", 13)
    browser.until(f"{AT_2} && {first} === undefined && location.search.startsWith('?position=sGfwATDgc') && document.getElementById('panel').dataset.tab === 'cube'")
    browser.click("#back")
    browser.until(f"{SETTLED} && document.getElementById('roll').textContent === 'Roll 31' && {first} !== undefined")
    # A play by hand is judged beside the others, taken back, and gone on with.
    browser.until(AT_2)
    browser.drag("[data-place='23']", "[data-place='20']")
    browser.drag("[data-place='20']", "[data-place='19']")
    browser.until(f"{VERDICT}.startsWith('24/20') && document.querySelector('#verdict .badge') !== null")
    browser.click("#undo")
    browser.until(f"!{VERDICT}.startsWith('24/20')")
    browser.drag("[data-place='20']", "[data-place='19']")
    browser.until(f"{VERDICT}.startsWith('24/20')")
    browser.click("#go-on")
    browser.until(f"{SETTLED} && document.getElementById('panel').dataset.tab === 'cube'")
    browser.click("#back")
    browser.until(f"{AT_2} && {first} !== undefined")
    # Another depth and a random roll are in the link.
    deepen(browser, 0)
    browser.until(f"{SETTLED} && location.search.includes('plies=0')")
    browser.click("#roll")
    browser.click("#random")
    browser.until(f"{SETTLED} && location.search.includes('plies=0')")
    roll = link(browser, "roll")
    assert browser.value(first) == best(host, START, roll, 0)
    # A pasted ID brings its own dice.
    browser.typed("paste", "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10")
    browser.until(f"{SETTLED} && document.title.startsWith('Plays of 64') && document.getElementById('rules').textContent === '3–2 to 7'")
    for text, position in COPIED:
        browser.value(f"(() => {{ const data = new DataTransfer(); data.setData('text', {json.dumps(text)}); document.body.dispatchEvent("
                      "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()")
        wanted = urllib.parse.urlencode({"position": position})
        browser.until(f"{SETTLED} && location.search.startsWith({json.dumps('?' + wanted)}) && {VERDICT} !== ''")
    if browser.errors:
        sys.exit(f"the page has errors: {browser.errors}")
    # The reason stands where the answer would. The browser notes the status 400 itself.
    browser.typed("paste", HOSTILE)
    browser.until(f"{SETTLED} && document.querySelector('#verdict .error') !== null")
    browser.open(f"{host}/?" + urllib.parse.urlencode({"position": HOSTILE}))
    browser.until(SETTLED)
    assert browser.value("document.title") != "owned" and browser.value("document.scripts.length") == 2
    wrong = [error for error in browser.errors if "status of 400" not in str(error.get("text"))]
    if wrong:
        sys.exit(f"the page has errors: {wrong}")


XG_TEXT = """X:Ann   O:Bob
Score is X:3 O:2 10 pt.(s) match.
XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10
X to play 64"""


def becomes(browser, begin):
    browser.until(f"{SETTLED} && (new URLSearchParams(location.search).get('position') ?? '').startsWith({json.dumps(begin)})")


def set_up(browser, host):
    """Sets up a position by drag, click, keys, and a dropped text; undoes; goes round."""
    browser.open(f"{host}/?position={START}")
    browser.until(SETTLED)
    browser.click("#set")
    browser.until(f"{SETTLED} && document.querySelector('#set-up') !== null")
    browser.drag("[data-place='12']", "[data-place='9']")
    becomes(browser, "XGID=-b----E-C-A-eD---c-e----B-:0:0:")
    # A click adds a checker only where one is off.
    browser.drag("[data-place='23']", "[data-place='25']")
    becomes(browser, "XGID=-b----E-C-A-eD---c-e----A-:0:0:")
    browser.click("[data-place='4']")
    becomes(browser, "XGID=-b---AE-C-A-eD---c-e----A-:0:0:")
    browser.click("[data-place='27']")
    becomes(browser, "XGID=-b---AE-C-A-eD---c-e----A-:1:1:")
    browser.click("#back")
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
    browser.until(f"{SETTLED} && Number(document.querySelector('[data-place=\\'0\\']').getAttribute('x')) < 200")
    browser.drag("[data-place='3']", "[data-place='2']")
    becomes(browser, "XGID=-a-a-AE-C-A-eD---c-e----A-:0:0:")
    browser.click("#flip")
    browser.value(f"""(() => {{
        const data = new DataTransfer(); data.setData('text', {json.dumps(XG_TEXT)});
        document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }}));
    }})()""")
    becomes(browser, "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10")
    browser.until(f"{SETTLED} && document.title.startsWith('Plays of 64')")


def rolled_out(browser, host):
    """A rollout moves and stops."""
    browser.open(f"{host}/?position={START}&roll=31")
    browser.until(AT_2)
    deepen(browser, "rollout")
    trials = "Number(document.getElementById('panel').dataset.trials ?? 0)"
    browser.until(f"{trials} > 0")
    first = browser.value(trials)
    browser.until(f"{trials} > {first}")
    browser.click("#depth")
    browser.click("#stop")
    browser.until(SETTLED)
    stopped = browser.value(trials)
    text = browser.value("document.getElementById('panel').innerText")
    if f"rollout {stopped:,}" not in text or "8/5 6/5" not in text or "±" not in text:
        sys.exit(f"the rollout did not stop: {text}")


def asked(host, verb, question):
    request = urllib.request.Request(f"{paths(host)}/v1/{verb}", json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def tabs(browser, host, pictures):
    """What the tabs show is what the server answers, and they follow the position."""
    cells = "[...document.querySelectorAll('#body .cell')].map((cell) => cell.textContent)"
    tab = lambda name: f"{SETTLED} && document.getElementById('panel').dataset.tab === '{name}'"
    browser.open(f"{host}/?position={START}&roll=64")
    browser.until(AT_2)
    listed = browser.value(PLAYS)
    # The reasons: beside the next best play, and beside a chosen one.
    sentences = f"[{VERDICT}, ...[...document.querySelectorAll('.facts li')].map((item) => item.textContent)]"
    question = {"position": START, "roll": [6, 4], "settings": {"plies": 2, "language": "en"}}
    browser.click("[data-tab='why']")
    browser.until(f"{tab('why')} && {sentences}.length > 2")
    texts = [one["text"] for one in asked(host, "explain", question)["sentences"]]
    assert browser.value(sentences) == texts, browser.value(sentences)
    assert browser.value("[...compared.options].map((option) => option.value)") == listed[1:]
    browser.value(f"(() => {{ compared.focus(); compared.value = {json.dumps(listed[3])}; compared.dispatchEvent(new Event('change')); }})()")
    texts = [one["text"] for one in asked(host, "explain", {**question, "plays": [listed[3]]})["sentences"]]
    browser.until(f"{tab('why')} && {sentences}.join() === {json.dumps(','.join(texts))}")
    assert browser.value("[document.activeElement.id, compared.value]") == ["compared", listed[3]]
    pictures("why")
    browser.click("[data-tab='scores']")
    browser.until(f"{tab('scores')} && {cells}.length === 61")
    found = asked(host, "scores", {"position": START, "roll": [6, 4], "settings": {"plies": 2, "away": 7}})
    kinds = list(dict.fromkeys([found["money"]["position"]] + [one["position"] for one in found["scores"]]))
    order = {((0 if one["crawford"] and one["away"][0] == 1 else one["away"][0]),
              (0 if one["crawford"] and one["away"][1] == 1 else one["away"][1])): one for one in found["scores"]}
    want = ["ABCDEFGHIJ"[kinds.index(order[place]["position"])] for place in sorted(order)]
    assert browser.value(cells) == want, browser.value(cells)
    pictures("score-plays")
    # A score is put on the board by a click.
    browser.click("[data-away='3,5']")
    browser.until(f"{tab('scores')} && document.getElementById('rules').textContent === '4–2 to 7'")
    browser.click("#back")
    # Another question: the open tab follows.
    browser.until(f"{tab('scores')} && document.getElementById('rules').textContent !== '4–2 to 7'")
    browser.click("#roll")
    browser.click("#no-roll")
    browser.until(f"{tab('scores')} && {cells}.length === 49")
    found = asked(host, "scores", {"position": START, "settings": {"plies": 2, "away": 7}})
    signs = {(True, True): "DT", (True, False): "DP", (False, True): "ND", (False, False): "TG"}
    assert browser.value(cells) == [signs[one["double"], one["take"]] for one in found["scores"]]
    browser.click("[data-tab='rolls']")
    browser.until(f"{tab('rolls')} && {cells}.length === 36")
    found = {"".join(map(str, one["roll"])): one for one in asked(host, "rolls", {"position": START, "settings": {"plies": 2}})["rolls"]}
    shown = browser.value("[...document.querySelectorAll('#body .cell')].map((cell) => [cell.dataset.roll, cell.textContent])")
    for roll, text in shown:
        assert abs(float(text.replace("\u2212", "-")) - found[roll]["equity"]) <= 0.0051, (roll, text)
    pictures("rolls")
    browser.click("[data-roll='52']")
    browser.until(f"{AT_2} && document.title.startsWith('Plays of 52')")
    # Where cubes differ by score.
    browser.open(f"{host}/?position=u7sNAADb7g4AAA")
    browser.until(AT_2)
    browser.click("[data-tab='scores']")
    browser.until(f"{tab('scores')} && {cells}.length === 49 && {cells}.includes('DT')")
    pictures("score-cubes")
