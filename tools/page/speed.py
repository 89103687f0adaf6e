#!/usr/bin/env python3
"""Speed of the pages in Chromium: the first paint of each, and frames while a checker is dragged on a processor that is six times
slower, as that of a phone. Only a quiet machine gives figures.

    tools/page/speed.py GAMMOND
"""
import shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page import analyse
from page.chromium import Browser, server

VISITS = 7
THROTTLE = 6
MOVES = 90
FRAME_S = 1 / 60
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
COUNT = """globalThis.times = []; globalThis.count = (time) => { times.push(time); requestAnimationFrame(count); }; requestAnimationFrame(count)"""


def paints(browser, url):
    """Milliseconds to the first paint of each visit; files come from the server each time."""
    found = []
    browser.call("Network.setCacheDisabled", cacheDisabled=True)
    for _ in range(VISITS):
        browser.open(url)
        browser.until(f"({PAINT}) > 0")
        found.append(browser.value(PAINT))
    return found


def drag(browser, url):
    """Times between frames while a checker is dragged across the board, in milliseconds."""
    browser.open(url)
    browser.until(analyse.AT_2)
    browser.call("Emulation.setCPUThrottlingRate", rate=THROTTLE)
    start, end = browser.center("[data-place='23']", False), browser.center("[data-place='6']", False)
    browser.mouse("mousePressed", start, clickCount=1)
    browser.value(COUNT)
    for part in range(MOVES):
        share = part / MOVES
        browser.mouse("mouseMoved", [one + (other - one) * share for one, other in zip(start, end)], buttons=1)
        time.sleep(FRAME_S)
    times = browser.value("times")
    browser.mouse("mouseReleased", end, clickCount=1)
    browser.call("Emulation.setCPUThrottlingRate", rate=1)
    return [after - before for before, after in zip(times, times[1:])]


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", sys.argv[1]]):
        sys.exit(3)
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    process, host = server(sys.argv[1])
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile, Path(profile))
    try:
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        for place in ["", "play", "matches", "quiz"]:
            found = paints(browser, f"{host}/{place}")
            print(f"/{place}: first paint after {statistics.median(found):.0f} ms ({min(found):.0f} to {max(found):.0f}, {VISITS} visits)")
        between = drag(browser, f"{host}/?position={analyse.START}&roll=64")
        late = sum(one > 1.5 * 1000 * FRAME_S for one in between)
        print(f"dragging at {THROTTLE}x: {1000 * len(between) / sum(between):.0f} frames a second, {late} of {len(between)} late, "
              f"median {statistics.median(between):.1f} ms")
    finally:
        browser.process.kill()
        browser.process.wait()
        process.kill()
        shutil.rmtree(profile, ignore_errors=True)


main()
