#!/usr/bin/env python3
"""Rolls out the best plays of the 15 opening rolls and of the 21 replies to them, and writes the opening book.

usage: tools/openings.py KEPT [GAMMOND [WITHIN]]
       tools/openings.py --nackgammon KEPT [GAMMOND]

KEPT holds the rollouts; the same command goes on there. GAMMOND is the program (default: gammond). Replies follow each
opening play at most WITHIN points (default: 0.03) behind the best of its roll. Written from KEPT: the engine's
src/engine/engine/opening.tsv, and the tables of protocol-specs/openings.md and opening-replies.md. With --nackgammon
the opening rolls of nackgammon, without replies: nackgammon.tsv, and its table of openings.md.

Money, Jacoby on, cube in play, 0 plies for plays and cube, games of ten turns, then what the nets say, seed 1.
Openings: up to six plays, those that two plies rank first, 5,184 games; a play four joint standard errors behind the
best gets no more games (jsd=4). Replies: up to four plays, 1,296 games, jsd=3.
"""
import json
import os
import subprocess
import sys

START = "4HPwATDgc/ABMA"
NACKGAMMON_START = "4Dl4ADbgOXgANg"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BOOKS = os.path.join(ROOT, "src", "engine", "engine")
OPENINGS = os.path.join(ROOT, "protocol-specs", "openings.md")
REPLIES = os.path.join(ROOT, "protocol-specs", "opening-replies.md")
NACKGAMMON = "## Nackgammon"
TERMS = ["truncate=10", "jacoby=on", "seed=1"]
OPENING = ["top=6", "trials=5184", "jsd=4"]
REPLY = ["top=4", "trials=1296", "jsd=3"]


def rolls(doubles):
    """Rolls, the higher die first."""
    return [f"{high}{low}" for high in range(1, 7) for low in range(1, high + (1 if doubles else 0))]


class Kept:
    """Rollouts by position and roll, kept in a file of JSON lines."""

    def __init__(self, path, program):
        self.path, self.program, self.known = path, program, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                for line in lines:
                    if line.endswith("\n"):  # a last line that was cut off is made again
                        one = json.loads(line)
                        self.known[one["position"], one["roll"]] = one["plays"]
        with open(path, "w", encoding="utf-8") as out:
            for (position, roll), plays in self.known.items():
                out.write(json.dumps({"position": position, "roll": roll, "plays": plays}) + "\n")

    def plays(self, position, roll, terms):
        """The plays of a roll, best first."""
        if (position, roll) not in self.known:
            words = [self.program, "rollout", position, roll, *terms, *TERMS, "--format", "json"]
            run = subprocess.run(words, capture_output=True, text=True, check=True)
            plays = json.loads(run.stdout)["candidates"]
            self.known[position, roll] = plays
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(json.dumps({"position": position, "roll": roll, "plays": plays}) + "\n")
        return self.known[position, roll]


def cubeful(play):
    return play["equity"]["cubeful"], play["error"]["cubeful"]


def behind(best, play):
    """The loss against the best play, with its standard error: the errors are taken as independent."""
    (most, error), (value, own) = cubeful(best), cubeful(play)
    return most - value, (error * error + own * own) ** 0.5


def book_lines(position, roll, plays):
    for play in plays:
        chance, (value, error) = play["probabilities"], cubeful(play)
        numbers = [value, error, play["equity"]["cubeless"], chance["win"], chance["win_gammon"], chance["lose_gammon"]]
        cells = [position, roll, play["play"], str(play["trials"]), *(f"{number:.4f}" for number in numbers)]
        yield "\t".join(cells) + "\n"


def row(cells):
    """A row of a table of Markdown, without spaces where it would be too long."""
    line = "| " + " | ".join(cells) + " |"
    return (line if len(line) <= 120 else "|" + "|".join(cells) + "|") + "\n"


def opening_rows(roll, plays):
    for place, play in enumerate(plays):
        (value, error), chance = cubeful(play), play["probabilities"]
        yield row([
            "" if place else roll,
            play["play"],
            f"{value:+.4f} ± {error:.4f}",
            "{:.4f} ± {:.4f}".format(*behind(plays[0], play)) if place else "",
            f"{play['equity']['cubeless']:+.4f}",
            f"{100 * chance['win']:.1f} %",
            f"{100 * chance['win_gammon']:.1f} - {100 * chance['lose_gammon']:.1f} %",
            f"{play['trials']:,}",
        ])


def reply_row(roll, plays):
    value, error = cubeful(plays[0])
    cells = [roll, plays[0]["play"], f"{value:+.3f} ± {error:.3f}", f"{plays[0]['equity']['cubeless']:+.3f}"]
    for play in plays[1:3]:
        cells += [play["play"], "{:.3f} ± {:.3f}".format(*behind(plays[0], play))]
    return row(cells + [""] * (8 - len(cells)))


def write_tables(path, first, tables, after=None, before=None):
    """Puts tables in the place of all that a page has from its line `first` on: the one after the line `after`, to the
    line `before`."""
    with open(path, encoding="utf-8") as page:
        whole = page.read()
    upper, line, rest = whole.partition(f"\n{after}\n") if after else ("", "", whole)
    rest, *lower = rest.split(f"\n{before}\n") if before else [rest]
    head = rest.partition(f"\n{first}")[0]
    lower = "".join(f"\n{before}\n{text}" for text in lower)
    with open(path, "w", encoding="utf-8") as page:
        page.write(f"{upper}{line}{head}\n{''.join(tables)}{lower}")


def write_openings(start, openings, book, **place):
    """Writes the book's lines of the opening rolls, then `book`, and the table of the rolls at its place."""
    lines = [line for roll, plays in openings.items() for line in book_lines(start, roll, plays)]
    name = "opening.tsv" if start == START else "nackgammon.tsv"
    with open(os.path.join(BOOKS, name), "w", encoding="utf-8") as out:
        out.writelines(lines + book)
    head = "| roll | play | cubeful | behind | cubeless | wins | gammons | games |\n"
    rows = [line for roll, plays in openings.items() for line in opening_rows(roll, plays)]
    write_tables(OPENINGS, "| roll ", [head, "|---|---|---|---|---|---|---|---|\n", *rows], **place)


def main():
    words = sys.argv[1:]
    nackgammon = words[:1] == ["--nackgammon"]
    words = words[nackgammon:]
    if not 1 <= len(words) <= 3 or words[0].startswith("-"):
        sys.exit(__doc__)
    program = words[1] if len(words) > 1 else "gammond"
    if subprocess.call([os.path.join(ROOT, "tools", "needs"), __file__, program]):
        sys.exit(3)
    within = float(words[2]) if len(words) > 2 else 0.03
    kept = Kept(words[0], program)
    if nackgammon:
        openings = {roll: kept.plays(NACKGAMMON_START, roll, OPENING) for roll in rolls(False)}
        write_openings(NACKGAMMON_START, openings, [], after=NACKGAMMON)
        return
    openings = {roll: kept.plays(START, roll, OPENING) for roll in rolls(False)}
    usual = [(roll, play) for roll, plays in openings.items() for play in plays if behind(plays[0], play)[0] <= within]
    # The best play of each roll first: what is stopped early has the most used ones.
    for roll, play in sorted(usual, key=lambda one: behind(openings[one[0]][0], one[1])[0]):
        for reply in rolls(True):
            kept.plays(play["position"], reply, REPLY)
    book, page, written = [], [], set()
    for roll, play in usual:
        if play is openings[roll][0]:
            page.append(f"\n## {roll}: {play['play']}\n\n| reply | best | cubeful | cubeless | next | behind | third"
                        " | behind |\n|---|---|---|---|---|---|---|---|\n")
        for reply in rolls(True):
            plays = kept.plays(play["position"], reply, REPLY)
            # 54 and 63 both have 24/15.
            if (play["position"], reply) not in written:
                written.add((play["position"], reply))
                book += book_lines(play["position"], reply, plays)
            if play is openings[roll][0]:
                page.append(reply_row(reply, plays))
    write_openings(START, openings, book, before=NACKGAMMON)
    write_tables(REPLIES, "\n## ", page)


main()
