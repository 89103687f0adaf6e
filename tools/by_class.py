#!/usr/bin/env python3
"""Errors of static evaluation by class, beside labels one level deeper than those of training.

usage: tools/by_class.py FOLDER [NETS...] [--gammond PROGRAM] [--labels-by NETS] [--games N] [--per-group N]

Positions come from self-play of the embedded nets with many odd starts and a seed that no training uses, up to
500 for each group: contact, race, each kind of crashed positions, back games, containment (`gammond bench`). So
crashed positions are equal parts of the seven kinds, and those chosen as back games or containment count in their
class as well.
A training label is one luck-adjusted game with lambda 0.9; here a label is the mean over N luck-adjusted games with
lambda 1, so nothing but whole games under static play, by the embedded nets or those of --labels-by (gnubg.wd
shows what leaning towards our own play is worth). They are made in two halves by different
dice, so that their noise can be told and taken out. Every step goes on where it was stopped; FOLDER keeps positions and labels.

For each of NETS (what `--nets` takes) prints a table beside gnubg's weights.
"""
import argparse
import os
import pathlib
import subprocess
import sys

SEED = 990001
GAMES = """lambda = 0.0
odd_starts = 0.4
race_starts = 0.0
random_starts = 0.15
mild = 0.3
wild = 0.1
extra = 0.0
contenders = 1
"""


def call(options, *words, **more):
    return subprocess.run([options.gammond, *map(str, words)], check=True, **more)


def positions(options, folder):
    path = folder / "positions"
    if path.exists():
        return path
    labels, games = folder / "games.labels", folder / "games.toml"
    games.write_text(GAMES)
    call(options, "sample", labels, "--positions", options.positions, "--seed", SEED, "--games", games)
    text = call(options, "sample", "dump", labels, "--per-group", options.per_group, "--seed", SEED,
                stdout=subprocess.PIPE).stdout
    partial = folder / "positions.partial"
    partial.write_bytes(text)
    partial.rename(path)
    return path


def equities(path):
    lines = (line.split()[1:6] for line in path.read_text().splitlines() if not line.startswith("#"))
    return [sum(w * float(p) for w, p in zip((2, 1, 1, -1, -1), line)) for line in lines]


def labels(options, folder, source):
    name = pathlib.Path(options.labels_by).name
    halves = []
    for half in (1, 2):
        halves.append(folder / f"{name}-{options.games}-{half}.labels")
        call(options, "label", source, halves[-1], "--games", options.games // 2, "--seed", SEED + half,
             "--nets", options.labels_by)
    squares = [((a - b) / 2) ** 2 for a, b in zip(*map(equities, halves))]
    noise = (sum(squares) / len(squares)) ** 0.5
    print(f"{len(squares)} labels by {options.games} games of {name}, noise {1000 * noise:.1f} thousandths")
    return halves


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("nets", nargs="*", default=["embedded"])
    parser.add_argument("--gammond", default="target/release/gammond")
    parser.add_argument("--gnubg", default="/usr/lib/gnubg/gnubg.wd")
    parser.add_argument("--labels-by", default="embedded", metavar="NETS")
    parser.add_argument("--games", type=int, default=24)
    parser.add_argument("--per-group", type=int, default=500)
    parser.add_argument("--positions", type=int, default=300000, help="positions of self-play to choose from")
    options = parser.parse_args()
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, options.gammond, options.gnubg]):
        sys.exit(3)
    options.folder.mkdir(parents=True, exist_ok=True)
    one, two = labels(options, options.folder, positions(options, options.folder))
    for nets in options.nets:
        sys.stdout.flush()
        call(options, "bench", "values", one, "--twin", two, "--player", f"gammond:nets={nets}",
             "--against", f"gammond:nets={options.gnubg}")


if __name__ == "__main__":
    main()
