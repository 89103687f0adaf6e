#!/usr/bin/env python3
"""A moving picture of the page for the documents: a play by hand and its answer, in pictures/page-moving.png or FILE (APNG).

    tools/page/moving.py GAMMOND [FILE]

Needs Chromium and Pillow (PyPI: pillow).
"""
import base64, io, shutil, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page import analyse
from page.chromium import Browser, server

FILE = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "pictures/page-moving.png")
MIDDLE = "XGID=-aa--BD-B---dEa--c-e----B-:0:0:1:64:3:5:0:7:10"
WIDTH, HEIGHT = 1120, 700
# Two checkers, from point to point, as places of the board.
MOVES = [("23", "17"), ("12", "8")]
STEPS = 7
COLOURS = 96
SHORT, LONG = 60, 1600


class Film:
    """Frames with the milliseconds that each is seen."""

    def __init__(self, browser):
        self.browser, self.frames = browser, []

    def frame(self, milliseconds):
        from PIL import Image
        data = self.browser.call("Page.captureScreenshot")["data"]
        picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
        if self.frames and self.frames[-1][0].tobytes() == picture.tobytes():
            self.frames[-1][1] += milliseconds
        else:
            self.frames.append([picture, milliseconds])

    def write(self, path):
        # One palette, so that what stands still has the same bytes.
        palette = self.frames[-1][0].quantize(COLOURS, dither=0)
        frames = [picture.quantize(palette=palette, dither=0) for picture, _ in self.frames]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=[time for _, time in self.frames], loop=0, optimize=True)


def dragged(film, browser, start, end):
    start, end = browser.center(start, False), browser.center(end, False)
    browser.mouse("mousePressed", start, clickCount=1)
    for part in range(1, STEPS + 1):
        # Slow at both ends.
        share = part / STEPS
        share = share * share * (3 - 2 * share)
        browser.mouse("mouseMoved", [one + (other - one) * share for one, other in zip(start, end)], buttons=1)
        film.frame(SHORT)
    browser.mouse("mouseReleased", end, clickCount=1)
    for _ in range(3):
        time.sleep(0.05)
        film.frame(SHORT)


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", "python:PIL", sys.argv[1]]):
        sys.exit(3)
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    process, host = server(sys.argv[1])
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile, FILE.parent)
    film = Film(browser)
    try:
        browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        browser.open(f"{host}/?position={MIDDLE}&roll=64")
        browser.until(analyse.AT_2)
        film.frame(LONG)
        for start, end in MOVES:
            dragged(film, browser, f"[data-place='{start}']", f"[data-place='{end}']")
        browser.until(f"{analyse.SETTLED} && document.querySelector('#verdict .badge') !== null")
        time.sleep(0.5)
        film.frame(2 * LONG)
        film.write(FILE)
    finally:
        browser.process.kill()
        browser.process.wait()
        process.kill()
        shutil.rmtree(profile, ignore_errors=True)
    print(f"{FILE}: {len(film.frames)} frames, {FILE.stat().st_size} bytes")


main()
