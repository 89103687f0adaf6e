#!/usr/bin/env python3
"""The pages as a folder of files (`gammond page`) in a real browser: used as a person does, on Python's web server, then with that
server gone. Answers are compared with those of `gammond serve`.

    tools/page_folder.py GAMMOND PACKAGE [FOLDER]

PACKAGE is the folder of the npm package (tools/package/npm makes target/npm/gammond); pictures go to FOLDER. Needs Chromium.
GAMMOND_AXE and GAMMOND_ANKI are those of tools/page_browser.py.
"""
import functools, http.server, shutil, subprocess, sys, tempfile, threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page import analyse, anki, axe, languages, matches, play
from page.chromium import Browser, server

# Not at the root: links must not begin there.
BELOW = "club/board"
WIDTHS = [390, 1440]


class Host(str):
    """The address of the pages; `paths` is the server whose answers they must have, `end` stands behind a page with a query."""

    end = "/"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def shown(folder):
    """Python's web server on a folder."""
    shows = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=shows.serve_forever, daemon=True).start()
    return shows


def no_errors(browser, place):
    if browser.errors:
        sys.exit(f"{place} has errors: {browser.errors}")


def strong(browser):
    """Waits until the strong nets answer."""
    browser.until("""import(new URL('ask.js', document.querySelector('script[type=module]').src))
        .then(({ ask }) => ask('version', {})).then(({ net }) => !net.includes('fast'))""")


def tried(browser, host, close):
    source = axe.source()
    pictures = lambda name: axe.pictures(browser, source, f"folder-{name}", WIDTHS)
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
    browser.open(f"{host}/?position={analyse.START}&roll=31")
    browser.until(analyse.AT_2)
    strong(browser)
    browser.until("navigator.serviceWorker.controller !== null")
    analyse.used(browser, host)
    analyse.set_up(browser, host)
    analyse.tabs(browser, host, pictures)
    no_errors(browser, "Analyse")
    play.tutored(browser, host, lambda: pictures("tutor"))
    no_errors(browser, "Play with the tutor")
    matches.dropped(browser, host)
    pictures("match")
    matches.quiz(browser, host)
    matches.counted(browser, host)
    pictures("quiz")
    no_errors(browser, "Matches and Quiz")
    languages.all_of_them(browser, host, lambda language: pictures(f"new-{language}"))
    no_errors(browser, "other languages")
    close()
    # The browser has no network from here on.
    browser.open(f"{host}/?position={analyse.START}&roll=64")
    browser.until(analyse.AT_2)
    strong(browser)
    best = browser.value(f"{analyse.PLAYS}[0]")
    assert best == analyse.best(host, analyse.START, 64, 2), best
    kept, text = play.match(browser, host)
    matches.dropped(browser, host)
    matches.quiz(browser, host, 10)
    anki.saved(browser, host)
    no_errors(browser, "the pages without a network")
    return kept, text


def main():
    gammond, package = sys.argv[1:3]
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), "chromium")
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", gammond, f"{package}/gammond.wasm"]):
        sys.exit(3)
    out = Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    site, profile = tempfile.mkdtemp(), tempfile.mkdtemp()
    subprocess.run([gammond, "page", f"{site}/{BELOW}", "--engine", package], check=True)
    shows = shown(site)
    process, paths = server(gammond)
    host = Host(f"http://127.0.0.1:{shows.server_port}/{BELOW}")
    host.paths = paths
    browser = Browser(program, profile, out)

    def close():
        shows.shutdown()
        shows.server_close()

    try:
        kept, _ = tried(browser, host, close)
        strangers = [url for url in browser.urls if not url.startswith((host, "about:", "data:", "blob:"))]
        if strangers:
            sys.exit(f"the pages ask for {strangers[:3]}")
    finally:
        browser.process.kill()
        browser.process.wait()
        process.kill()
        for folder in [site, profile]:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"a position ranked as by the server, a match of {len(kept['games'])} games to {kept['score']}, match files, ten questions and a deck "
          f"without a network; pictures in {out}")


main()
