#!/usr/bin/env python3
"""Imports a deck of the quiz into a new collection of Anki, twice, with a card learned between, and draws its cards.

    tools/page/anki.py DECK NUMBER

NUMBER is that of its cards. Runs in a Python with PyPI's anki. The tests of the pages call this file for the deck that a real
browser has saved, where GAMMOND_ANKI names such a Python.
"""
import base64, contextlib, json, os, re, sqlite3, subprocess, sys, tempfile, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGE = re.compile(r'<img src="([^"]+)" alt="[^"]')
SEPARATOR = "\x1f"
# Anki's best mark of an answer.
EASY = 4
SAVED = "document.getElementById('exported').textContent"
BUTTON = "document.getElementById('anki').textContent"

# Texts around the bounds of SQLite's overflow pages of 64 kB, more rows than a page holds, and no row.
LENGTHS = [0, 8199, 65495, 65496, 65497, 65536, 73725, 73726, 73727, 131028, 131029, 1000000]
ROWS = 5000
WRITTEN = f"""import(new URL('sqlite.js', document.querySelector('script[type=module]').src)).then(({{ database }}) => new Promise((done) => {{
    const reader = new FileReader();
    reader.addEventListener('load', () => done(reader.result.split(',')[1]));
    reader.readAsDataURL(new Blob([database([
        ['long', 'id integer primary key, words text', {LENGTHS}.map((length, at) => [at, 'x'.repeat(length)])],
        ['many', 'id integer primary key, words text, number integer', Array.from({{ length: {ROWS} }}, (_, at) => [at * 1000003, `row ${{at}} 🎲`, -at])],
        ['none', 'id integer primary key, words text', []],
    ])]));
}}))"""


def database(browser):
    """SQLite reads what the page writes, and goes on with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.sqlite"
        path.write_bytes(base64.b64decode(browser.value(WRITTEN)))
        with contextlib.closing(sqlite3.connect(path)) as written:
            read = lambda sql: written.execute(sql).fetchall()
            assert read("pragma integrity_check") == [("ok",)]
            assert read("select id, words from long") == [(at, "x" * length) for at, length in enumerate(LENGTHS)]
            assert read("select * from many") == [(at * 1000003, f"row {at} 🎲", -at) for at in range(ROWS)]
            written.execute("delete from long")
            written.execute("insert into none values (1, 'x')")
            written.commit()
            assert read("select * from none") + read("pragma integrity_check") == [(1, "x"), ("ok",)]


def clicked(browser, button, path):
    """Clicks a button of the quiz and waits for the file."""
    browser.value(f"{SAVED} = ''")
    browser.click(button)
    browser.until(f"{SAVED} !== ''")
    browser.waits(path.exists, lambda: f"{button} saves no {path.name}")
    return int(re.search(r"\d+", browser.value(SAVED))[0])


def saved(browser, host, query="?theme=cube"):
    """Saves the questions of the quiz as a deck and as a text. A deck that is stopped is no file, and no questions are none."""
    with tempfile.TemporaryDirectory() as folder:
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
        deck, text = Path(folder) / "gammond-quiz.apkg", Path(folder) / "gammond-anki.txt"
        quiz = f"{host}/quiz{getattr(host, 'end', '')}"
        browser.open(f"{quiz}?theme=pips")
        browser.until("document.getElementById('counting')?.checkVisibility()")
        browser.click("#anki")
        browser.until(f"{SAVED} !== ''")
        browser.open(quiz)
        browser.until("document.getElementById('quiz')?.getAttribute('aria-busy') === 'false'")
        before = browser.value(BUTTON)
        browser.click("#anki")
        browser.until("document.querySelector('progress')?.value > 0")
        browser.click("#anki")
        browser.until(f"document.querySelector('progress') === null && {BUTTON} === {json.dumps(before)}")
        if list(Path(folder).iterdir()) or browser.value(f"{SAVED} + document.getElementById('error').textContent"):
            sys.exit("a deck that is stopped, or without questions, leaves a file or an error")
        browser.open(f"{quiz}{query}")
        browser.until("document.getElementById('quiz')?.getAttribute('aria-busy') === 'false'")
        number = clicked(browser, "#anki", deck)
        notes = read(deck)
        if not 0 < number == len(notes):
            sys.exit(f"the deck has {len(notes)} notes, want {number}")
        clicked(browser, "#anki-text", text)
        lines = text.read_text().splitlines()[2:]
        content = lambda field: re.sub("<[^>]*>", "", field).replace("&nbsp;", "\xa0").replace("&amp;", "&")
        for line, (position, _, question, answer, _) in zip(lines, notes, strict=True):
            want = f"{content(position).split()[0]} {content(question)}\t{content(answer)}"
            if line != want:
                sys.exit(f"the text has {line!r}, the deck {want!r}")
        # A browser without the compressor.
        size = deck.stat().st_size
        deck.rename(packed := Path(folder) / "packed.apkg")
        browser.value("delete window.CompressionStream")
        clicked(browser, "#anki", deck)
        if read(deck) != notes or deck.stat().st_size < 2 * size:
            sys.exit("a deck that is not compressed is another one, or as small")
        database(browser)
        python = os.environ.get("GAMMOND_ANKI")
        if python is None:
            print("SKIPPED Anki: GAMMOND_ANKI names no Python with it")
        else:
            for path in [packed, deck]:
                subprocess.run([python, __file__, path, str(number)], check=True)


def read(deck):
    """The fields of the notes. The archive is whole, SQLite finds no fault, and the boards are there."""
    with zipfile.ZipFile(deck) as archive, tempfile.TemporaryDirectory() as folder:
        if archive.testzip() is not None:
            sys.exit(f"{deck} has a damaged file")
        media = json.loads(archive.read("media"))
        boards = {name for at, name in media.items() if b"<svg" in archive.read(at)[:5]}
        path = archive.extract("collection.anki2", folder)
        with contextlib.closing(sqlite3.connect(path)) as collection:
            found = collection.execute("pragma integrity_check").fetchall()
            notes = [fields.split(SEPARATOR) for fields, in collection.execute("select flds from notes order by id")]
            cards = collection.execute("select count(*) from cards join notes on nid = notes.id").fetchone()[0]
    shown = {name for note in notes for name in IMAGE.findall(note[1])}
    if found != [("ok",)] or cards != len(notes) or shown != boards:
        sys.exit(f"the database: {found}, {cards} cards of {len(notes)} notes, {len(shown)} of {len(boards)} boards")
    return notes


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "python:anki"], env=dict(os.environ, PYTHON=sys.executable)):
        sys.exit(3)
    deck, number = sys.argv[1], int(sys.argv[2])
    # This file has the package's name.
    sys.path.pop(0)
    from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(f"{folder}/collection.anki2")
        try:
            learned = None
            for want in [number, 0]:
                log = collection.import_anki_package(ImportAnkiPackageRequest(package_path=deck, options=ImportAnkiPackageOptions())).log
                found = [len(log.new), collection.note_count(), collection.card_count()]
                if found != [want, number, number]:
                    sys.exit(f"Anki takes {found[0]} notes and has {found[1]} and {found[2]} cards, want {want} of {number}")
                card = collection.get_card(collection.find_cards("")[0])
                if learned is None:
                    card.start_timer()
                    collection.sched.answerCard(card, EASY)
                    card.load()
                    learned = card.ivl
                if not card.ivl == learned > 0:
                    sys.exit(f"a learned card comes back in {card.ivl} days, want {learned}")
            for card in map(collection.get_card, collection.find_cards("deck:gammond*")):
                images = IMAGE.findall(card.question())
                is_there = [(Path(collection.media.dir()) / name).exists() for name in images]
                if is_there != [True] or "{{" in card.answer() or "<table" not in card.answer() or "<table" in card.question():
                    sys.exit(f"Anki draws a card so: {card.answer()}")
                number -= 1
            faults = collection.media.check()
            if number or list(faults.unused) or list(faults.missing):
                sys.exit(f"{number} cards are in another deck; media: {faults.report}")
        finally:
            collection.close()
    print(f"Anki took {found[1]} cards, and none again")


if __name__ == "__main__":
    main()
