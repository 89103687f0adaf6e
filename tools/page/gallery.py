#!/usr/bin/env python3
"""Pictures of the pages for the documents, in pictures/ or FOLDER: each in a state that shows what the page does.

    tools/page/gallery.py GAMMOND [FOLDER]
"""
import base64, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page import analyse, play, tasks
from page.chromium import Browser, server

OUT = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "pictures")
MIDDLE = "XGID=-aa--BD-B---dEa--c-e----B-:0:0:1:64:3:5:0:7:10"
# A person's turn after the engine's opening.
ROLLED = "Object.assign(game, { dice: [6, 4], phase: 'play' })"


def picture(browser, name, scheme):
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    data = browser.call("Page.captureScreenshot")["data"]
    (OUT / f"page-{name}.png").write_bytes(base64.b64decode(data))


def size(browser, width, height, scale=1):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 500)


def ranked(browser, host):
    size(browser, 1280, 800)
    browser.open(f"{host}/?position={MIDDLE}&roll=64")
    browser.until(f"{analyse.AT_2} && document.querySelector('#place .shaft') !== null")
    picture(browser, "analyse", "light")


def played(browser, host, name, scheme, language):
    browser.open(f"{host}/status")
    browser.value(play.OPENED.replace("PLAYER", "1").replace("CHANGE", ROLLED))
    browser.open(f"{host}/play?lang={language}")
    play.settled(browser)
    browser.value("document.getElementById('quick').checked = true")
    play.act(browser, "hint")
    browser.until("document.querySelector('#advice table') !== null")
    browser.value("document.activeElement.blur(); scrollTo(0, 0)")
    picture(browser, name, scheme)


def table(browser, host, verb, query, scheme):
    browser.open(f"{host}/?{query}")
    browser.until(analyse.AT_2)
    browser.click(f"[data-tab={verb}]")
    browser.until(f"{analyse.SETTLED} && document.querySelector('#body :is(.cell, .facts)') !== null")
    browser.value("document.activeElement.blur()")
    picture(browser, verb, scheme)


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", sys.argv[1]]):
        sys.exit(3)
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    process, host = server(sys.argv[1])
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile, OUT)
    try:
        ranked(browser, host)
        size(browser, 1120, 760)
        table(browser, host, "scores", f"position={analyse.START}&roll=64", "light")
        size(browser, 1120, 760)
        table(browser, host, "why", f"position={MIDDLE}&roll=64", "light")
        size(browser, 1120, 760)
        table(browser, host, "rolls", "position=sLnhABFmZ3CAAA", "dark")
        size(browser, 1120, 760)
        played(browser, host, "play", "dark", "en")
        size(browser, 1120, 860)
        hand = tasks.Hand(browser)
        tasks.worst_mistake(hand, browser)
        tasks.deeper(hand, browser)
        browser.value("scrollTo(0, 0)")
        picture(browser, "match", "light")
        tasks.question(hand, browser)
        browser.value("scrollTo(0, 0)")
        picture(browser, "quiz", "dark")
        size(browser, 390, 800)
        played(browser, host, "phone", "light", "de")
    finally:
        browser.process.kill()
        browser.process.wait()
        process.kill()
        shutil.rmtree(profile, ignore_errors=True)


main()
