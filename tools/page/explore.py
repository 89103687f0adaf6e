"""Explore used as a person does: by links, keys, pasted IDs, and with text that is hostile."""
import json, sys, urllib.parse, urllib.request

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
    browser.until("document.getElementById('board').src.includes('play=')")
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
