"""Five tasks as a new user does them, by clicks that are counted: protocol-specs/for-players.md lists them."""
import json, sys
from pathlib import Path

from page import analyse, play
from page.matches import ASKED

ROOT = Path(__file__).resolve().parent.parent.parent
POSITION = "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10"
MATCH = ROOT / "tests/data/analysis/seven7.mat"
WORST = "0.296"
TURNS_MAX = 400


class Hand:
    """Uses the page with the mouse, and counts."""

    def __init__(self, browser):
        self.browser = browser
        self.clicks = 0

    def click(self, selector):
        self.browser.until(f"document.querySelector({json.dumps(selector)})?.checkVisibility()")
        self.browser.click(selector)
        self.clicks += 1

    def choose(self, field, value):
        """Opens a list and chooses from it: two clicks."""
        self.browser.value(f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)}; "
                           "field.dispatchEvent(new Event('change', { bubbles: true })); })()")
        self.clicks += 2

    def bring(self, kind, fill):
        """Pastes or drops what `fill` puts into `data`."""
        member = {"paste": "clipboardData", "drop": "dataTransfer"}[kind]
        event = {"paste": "ClipboardEvent", "drop": "DragEvent"}[kind]
        self.browser.value(f"(() => {{ const data = new DataTransfer(); {fill}; "
                           f"document.body.dispatchEvent(new {event}('{kind}', {{ {member}: data, bubbles: true, cancelable: true }})); }})()")


def best_play(hand, browser):
    """Paste a position and find the best play."""
    hand.bring("paste", f"data.setData('text', {json.dumps(POSITION)})")
    browser.until(f"{analyse.AT_2} && document.title.startsWith('Plays of 64')")
    verdict = browser.value(analyse.VERDICT)
    host = browser.value("location.origin")
    if not verdict.startswith(analyse.best(host, POSITION, 64, 2)):
        sys.exit(f"another best play: {verdict}")


def one_point(hand, browser):
    """Play a match to one point."""
    hand.click("nav a[href='/play']")
    browser.until("document.querySelectorAll('#length option').length > 1")
    hand.choose("length", "1")
    hand.click("#start")
    browser.value("document.getElementById('quick').checked = true")
    for _ in range(TURNS_MAX):
        play.settled(browser)
        shown = browser.value(play.SHOWN)
        if "new-match" in shown:
            return
        wanted = [name for name in ["confirm", "accept"] if name in shown]
        if wanted:
            hand.click(f"[data-act='{wanted[0]}']")
        else:
            before = browser.value("document.getElementById('words').textContent")
            hand.click("#place .live")
            browser.until(f"document.getElementById('words').textContent !== {json.dumps(before)}")
    sys.exit("the match has no end")


def worst_mistake(hand, browser):
    """Drop a match file and find the worst mistake."""
    hand.bring("drop", f"data.items.add(new File([{json.dumps(MATCH.read_text())}], 'seven7.mat'))")
    browser.until(f"document.getElementById('decision')?.textContent.includes({json.dumps(WORST)})")


def deeper(hand, browser):
    """Look deeper into the decision that is shown."""
    hand.click("[data-tab='choices']")
    hand.click("#deeper")
    browser.until("document.querySelector('#deep table')?.textContent.includes('2-ply')")


def question(hand, browser):
    """Answer a question of the quiz."""
    hand.click("nav a[href='/quiz']")
    for _ in range(TURNS_MAX):
        browser.until(ASKED)
        shown = browser.value(play.SHOWN)
        if "next" in shown:
            return
        wanted = [name for name in ["confirm", "take", "no double"] if name in shown]
        before = browser.value("document.getElementById('quiz').innerHTML")
        hand.click(f"#actions [data-act='{wanted[0]}']" if wanted else "#place .live")
        browser.until(f"document.getElementById('quiz').innerHTML !== {json.dumps(before)}")
    sys.exit("the question has no answer")


# Clicks at most; a match and a question have as many as the dice want.
TASKS = [(best_play, 0), (one_point, 400), (worst_mistake, 0), (deeper, 2), (question, 7)]


def tried(browser, host):
    """Does the tasks in a browser that was never here; returns the clicks of each."""
    browser.open(host)
    browser.until(analyse.SETTLED)
    found = []
    for task, most in TASKS:
        hand = Hand(browser)
        task(hand, browser)
        if hand.clicks > most:
            sys.exit(f"{task.__name__} needs {hand.clicks} clicks, want at most {most}")
        found.append(f"{task.__name__} {hand.clicks}")
    return found
