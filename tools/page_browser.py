#!/usr/bin/env python3
"""The pages of the HTTP port in a real browser: used as a person does, without an error in the console and without a request to
another host, and pictures of them at four widths, light and dark.

    tools/page_browser.py [GAMMOND [FOLDER]]

Needs Chromium (Debian: chromium) or Chrome. GAMMOND_AXE names axe-core's axe.min.js, which then checks every page.
GAMMOND_ANKI names a Python with PyPI's anki, which imports the deck of the quiz. GAMMOND_HYPER names a folder with
hyper3.bd, with which a match of hypergammon is played. Look at the pictures: the test does not.
"""
import os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page import analyse, anki, at_once, axe, failures, languages, matches, play, sessions, tasks
from page.chromium import Browser, server

GAMMOND = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/gammond")
OUT = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
AXE = axe.source()
HYPER = os.environ.get("GAMMOND_HYPER")
WIDTHS = [360, 768, 1280, 1920]


def no_errors(browser, place):
    if browser.errors:
        sys.exit(f"{place} has errors: {browser.errors}")


def pictures(browser, name):
    axe.pictures(browser, AXE, name, WIDTHS)


def restarted(process, host):
    """Ends the server and starts another one at the same address."""
    process.terminate()
    process.wait()
    again, same = server(GAMMOND, re.sub("^http://", "", host))
    assert same == host, same
    return again


def read_by_gammond(text):
    """The match file of the page must be one."""
    file = OUT / "played.mat"
    file.write_text(text)
    done = subprocess.run([GAMMOND, "analyse", str(file)], capture_output=True, text=True)
    if done.returncode != 0 or "fault" in done.stdout:
        sys.exit(f"the match file of the page has faults: {done.stdout} {done.stderr}\n{text}")


def with_table(browser):
    """A match of hypergammon on a server that has the table, if there is one."""
    if HYPER is None:
        return
    process, host = server(GAMMOND, "127.0.0.1:0", "--bearoff", HYPER)
    try:
        _, text = play.match(browser, host, variant="hypergammon")
        if '; [Variation "HyperGammon (3)"]' not in text:
            sys.exit(f"the match file has another variant: {text}")
        pictures(browser, "hypergammon")
    finally:
        process.kill()


def first_visit(program, host):
    """A browser that was never here."""
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile, OUT)
    try:
        found = tasks.tried(browser, host)
        no_errors(browser, "the five tasks")
        return found
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(profile, ignore_errors=True)


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", GAMMOND]):
        sys.exit(3)
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    OUT.mkdir(parents=True, exist_ok=True)
    process, host = server(GAMMOND)
    profile = tempfile.mkdtemp()
    browser = None
    try:
        clicks = first_visit(program, host)
        browser = Browser(program, profile, OUT)
        browser.open(f"{host}/play")
        browser.until("!document.getElementById('new').hidden")
        pictures(browser, "new")
        kept, text = play.match(browser, host)
        no_errors(browser, "/play")
        read_by_gammond(text)
        pictures(browser, "report")
        for text in play.beavered(browser, host):
            read_by_gammond(text)
        play.highest_cube(browser, host)
        play.timed(browser, host)
        play.hypergammon(browser, host)
        with_table(browser)
        no_errors(browser, "hypergammon")
        play.tutored(browser, host, lambda: pictures(browser, "tutor"))
        play.begin(browser, host, 5, "beginner", name=matches.HOSTILE)
        play.settled(browser)
        before = browser.value(play.KEPT)
        process = restarted(process, host)
        browser.open(f"{host}/play")
        play.settled(browser)
        if browser.value(play.KEPT) != before:
            sys.exit("a restart of the server changed the match")
        no_errors(browser, "/play")
        link = matches.dropped(browser, host)
        pictures(browser, "match")
        process = restarted(process, host)
        matches.commented(browser, link)
        browser.open(f"{host}/matches")
        browser.until("document.querySelectorAll('#rows tbody tr').length > 1")
        pictures(browser, "matches")
        matches.quiz(browser, host)
        matches.counted(browser, host)
        anki.saved(browser, host)
        failures.quiz(browser, host)
        pictures(browser, "quiz")
        failures.slow_quiz(browser, host)
        matches.status(browser, host)
        pictures(browser, "status")
        matches.archived(browser, GAMMOND, lambda: pictures(browser, "archive"))
        matches.of_variant(browser, GAMMOND)
        matches.beavered(browser, GAMMOND)
        matches.offers(browser, host)
        matches.exported(browser, host)
        for use in (at_once.two_matches, at_once.comments, at_once.removed, at_once.rolled_out, at_once.pressed):
            use(browser, host)
        no_errors(browser, "/matches, /quiz, /status, the archive")
        sessions.used(browser, GAMMOND, lambda name: pictures(browser, name))
        no_errors(browser, "sign-in and sign-out")
        languages.all_of_them(browser, host, lambda language: pictures(browser, f"new-{language}"), ["/status"])
        no_errors(browser, "other languages")
        failures.tutor(browser, host)
        failures.other_window(browser, host)
        failures.resignations(browser, host)
        failures.nothing_kept(browser, host)
        no_errors(browser, "/play and /quiz beside failures")
        analyse.set_up(browser, host)
        pictures(browser, "set-up")
        analyse.rolled_out(browser, host)
        analyse.tabs(browser, host, lambda name: pictures(browser, name))
        analyse.linked(browser, host)
        no_errors(browser, "/")
        analyse.used(browser, host)
        for name, query in [("plays", f"position={analyse.START}&roll=31&length=7&score=3-5"), ("cube", f"position={analyse.START}"),
                            ("wrong", "position=hello&roll=31")]:
            browser.open(f"{host}/?{query}")
            browser.until(analyse.SETTLED)
            pictures(browser, name)
        strangers = [url for url in browser.urls if not url.startswith(("http://127.0.0.1:", "http://localhost:", "about:", "data:", "blob:"))]
        if strangers:
            sys.exit(f"the page asks for {strangers}")
        # That errors are noticed: a script that fails, and what the policy refuses.
        before = len(browser.errors)
        browser.value("setTimeout(() => nothing()); document.body.append(Object.assign(new Image(), {src: 'http://192.0.2.1/x.png'}))")
        browser.value("new Promise((done) => setTimeout(done, 300))")
        if len(browser.errors) < before + 2:
            sys.exit("errors of a page are not noticed")
        if AXE and not axe.faults(browser, AXE):
            sys.exit("axe-core does not notice an image without a text")
    finally:
        if browser:
            browser.process.kill()
            browser.process.wait()
        process.kill()
        shutil.rmtree(profile, ignore_errors=True)
    print(f"{len(list(OUT.glob('page-*.png')))} pictures in {OUT}; a match of {len(kept['games'])} games to {kept['score']}; best plays, keys, "
          f"links and messages are right; no console error, no other host; clicks: {', '.join(clicks)}")


main()
