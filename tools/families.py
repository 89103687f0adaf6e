#!/usr/bin/env python3
"""Makes tests/data/benchmark/families: decisions of families of positions, valued by two judges.

usage: tools/families.py FOLDER --gammond PROGRAM --gnubg NETS [--batches N] [--only STAGE]

A batch has 20 plays and 6 cube decisions of each family. Files that are there are not made again: the same command with a
larger N goes on (25 batches are 500 plays and 150 cube decisions). Stages:

- positions: games of several engines with the seed of the batch, from starts of these families (see README.md there), and
  from them `positions/FAMILY-N.bm` (a roll and candidates) and `positions/FAMILY-cube-N.txt`. It works in FOLDER/games-N,
  which may be deleted afterwards.
- ours: `gammond rollout`, `FAMILY-N.bm` and `FAMILY-cube-N.bm`.
- other: tools/bgsage_judge.py, `FAMILY-other-N.bm` and `FAMILY-cube-other-N.bm`.
- disputed: `disputed.tsv`, the candidates whose loss differs between the judges by more than three standard errors.
- swing: the mean of what each further ply adds to the value of the side on roll, before the roll, by family: for even and
  odd plies it is the same where the values are consistent. It is printed, and only on demand.
- training: starts for games of training, a file of each family in FOLDER/training, only on demand. No position of FOLDER is
  among them.

The interpreter must have bgsage (PyPI).
"""
import argparse
import base64
import csv
import io
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

from bgsage_judge import position_id
from bgsage_player import decode

TOOLS = os.path.dirname(os.path.abspath(__file__))
# As groups of `gammond bench` are named.
FAMILIES = ["containment", *(f"back game {two}" for two in ("1-2", "1-3", "1-4", "2-3", "2-4", "3-4")), "massive back game",
            "snake", "crunched board", "prime against prime", "ace-point game", "blitz", "long race with contact"]
PLAYS, CUBES = 20, 6
STAGES = ("positions", "ours", "other", "disputed", "swing", "training")
SEED = 20261130
STARTS = "odd_starts = 0.8\nrace_starts = 0.0\nrandom_starts = 0.2\nmild = 0.2\nwild = 0.05\n"
# For training: positions of games, the seed of the first games, snakes.
TRAINING_POSITIONS, TRAINING_SEED, TRAINING_SNAKES = 700_000, 771001, 40_000
# Starts of each family, lines of a recorded game between two positions of one family, and rolls tried.
STARTS_EACH, APART = 30, 12
# Candidates: so many of the best at two plies, none worse by more than this, and the choices of all engines.
BEST, REACH = 4, 0.12
# A cube decision is one if doubling and waiting, or taking and passing, differ by no more in points (EMG).
CLOSE = 0.1
# Plays: luck-adjusted games until the losses are known to 0.008, or to a tenth of themselves.
ROLLED_PLAYS = ["trials=5184", "se=0.008", "truncate=race", "--error-share", "0.1"]
ROLLED_CUBES = ["trials=648", "--cube=7", "--only", "all"]


def file_name(family):
    return family.replace(" ", "-")


def key_of(position):
    data = base64.b64decode(position + "=" * (-len(position) % 4))
    return "".join(chr(ord("A") + part) for byte in data for part in (byte >> 4, byte & 15))


def is_over(position):
    *both, bar = decode(position)
    return not (both[0] or min(both) < 0) or not (bar or max(both[1:]) > 0)


class Engines:
    """Programs that answer a line each."""

    def __init__(self, options):
        self.options = options

    def ours(self, nets=None, plies=0):
        words = [self.options.gammond, "pipe", "--threads", "1", "--plies", str(plies)]
        return [*words, *(["--nets", nets] if nets else []), "cubeful=off", "jacoby=off", "beavers=off"]

    def bgsage(self, level="1ply"):
        return [sys.executable, f"{TOOLS}/bgsage_player.py", level]

    def choices(self):
        """All engines whose favourites are candidates."""
        for nets, plies in ((None, 0), (None, 1), (self.options.gnubg, 0), (self.options.gnubg, 2)):
            yield [*self.ours(nets, plies), "--answer", "position"]
        for level in ("1ply", "2ply"):
            yield self.bgsage(level)


def lines_of(command, lines):
    answer = subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=True, stdout=subprocess.PIPE).stdout
    return answer.splitlines()


def groups(options, folder, keys):
    """The families of each position."""
    path = folder / "asked.bm"
    path.write_text("".join(f"o {key} 0.5 0.1 0 0.1 0\n" for key in keys))
    text = subprocess.run([options.gammond, "bench", path, "--records", "--player", "random", "--progress", "none"], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(keys)
    return [[family for family in row["groups"].split("; ") if family in FAMILIES] for row in rows]


def snake(rng):
    """A start of a snake: one to three checkers caught, the others of that side on its low points; fifteen to bring home."""
    held, round_ = [0] * 25, [0] * 25
    caught = rng.choice((1, 1, 2, 3))
    held[24] = caught
    for _ in range(15 - caught - rng.choice((0, 0, 0, 2, 4))):
        held[rng.randrange(5)] += 1
    for _ in range(15):
        free = [at for at in range(9, 24) if held[23 - at] == 0]
        round_[rng.choice(free)] += 1
    # The side whose checkers are caught is on roll.
    bits, at = 0, 0
    for side in (round_, held):
        for count in side:
            bits |= ((1 << count) - 1) << at
            at += count + 1
    return key_of(base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("="))


def of_games(options, folder, positions, seed):
    """Positions in games of gammond and of gnubg's nets from odd starts, `positions` of each."""
    (folder / "games.toml").write_text(STARTS)
    keys = set()
    for name, nets, shift in (("ours", "embedded", 0), ("gnubg", options.gnubg, 1)):
        labels = folder / f"{name}.labels"
        subprocess.run([options.gammond, "sample", labels, "--positions", str(positions), "--games", folder / "games.toml",
                        "--nets", nets, "--seed", str(seed + shift), "--threads", "1", "--progress", "none"], check=True)
        text = subprocess.run([options.gammond, "sample", "dump", labels], text=True, check=True, stdout=subprocess.PIPE).stdout
        keys |= {line.split()[0] for line in text.splitlines() if line[0] != "#"}
    return sorted(keys)


def starts(options, folder, batch):
    """Positions of each family in games; snakes are put together."""
    rng = random.Random(f"starts {SEED} {batch}")
    keys = of_games(options, folder, 40_000, 100 * SEED + 2 * batch)
    rng.shuffle(keys)
    chosen = {family: [] for family in FAMILIES}
    for key, families in zip(keys, groups(options, folder, keys)):
        for family in families:
            chosen[family].append(key)
    chosen["snake"] = [snake(rng) for _ in range(2 * STARTS_EACH)]
    print({family: len(found) for family, found in chosen.items()}, file=sys.stderr)
    # In turn, so that an odd number of games has some of each.
    return [found[at] for at in range(2 * STARTS_EACH) for found in chosen.values() if at < len(found[:STARTS_EACH])]


def recorded(options, folder, batch):
    """Positions before the roll in games from these starts, in the order of the games."""
    engines = Engines(options)
    if not (folder / "starts.txt").exists():
        begin = starts(options, folder, batch)
        (folder / "starts.txt").write_text("".join(f"{key}\n" for key in begin))
    begin = (folder / "starts.txt").read_text().split()
    own, gnubg = "gammond", f"gammond:nets={options.gnubg}"
    piped = {"ours": [*engines.ours(), "--answer", "position"],
             "gnubg": [*engines.ours(options.gnubg), "--answer", "position"], "bgsage": engines.bgsage()}
    found = []
    for number, (first, second) in enumerate(((own, "gnubg"), (own, "bgsage"), (gnubg, "bgsage"), ("pubeval", "bgsage"),
                                              ("pubeval", "ours"))):
        asked, answered = folder / f"asked-{number}", folder / f"answered-{number}"
        if not answered.exists():
            partial = [folder / "asked", folder / "answered"]
            command = f"tee {shlex.quote(str(partial[0]))} | {shlex.join(piped[second])} | tee {shlex.quote(str(partial[1]))}"
            subprocess.run([options.gammond, "duel", first, f"pipe:{command}", "--games", str(2 * len(begin)), "--start",
                            folder / "starts.txt", "--seed", str(SEED + 10 * batch + number), "--threads", "1", "--quiet"],
                           check=True, stdout=subprocess.DEVNULL)
            partial[0].rename(asked)
            partial[1].rename(answered)
        for one, other in zip(asked.read_text().splitlines(), answered.read_text().splitlines()):
            found += [key_of(position) for position in (one.split()[0], other) if not is_over(position)]
    known = set(begin)
    return [key for key in found if not (key in known or known.add(key))]


def training(options):
    """Writes starts for games of training."""
    place = options.folder / "training"
    place.mkdir(exist_ok=True)
    known = earlier(options, sys.maxsize)
    rng = random.Random("training starts 1")
    chosen = {"snake": {snake(rng) for _ in range(TRAINING_SNAKES)}}
    keys = of_games(options, place, TRAINING_POSITIONS, TRAINING_SEED)
    for key, families in zip(keys, groups(options, place, keys)):
        for family in families:
            chosen.setdefault(family, set()).add(key)
    for family, found in chosen.items():
        (place / f"{file_name(family)}.txt").write_text("".join(f"{key}\n" for key in sorted(found - known)))


def earlier(options, batch):
    """Positions of the batches before."""
    keys = set()
    for path in (options.folder / "positions").iterdir():
        if int(re.search(r"-(\d+)\.", path.name)[1]) < batch:
            keys |= set(re.findall(r"^(?:m )?([A-P]{20})", path.read_text(), re.M))
    return keys


def candidates(options, asked):
    """Candidates of each position and roll; none where the plays at two plies are worth the same."""
    engines = Engines(options)
    lines = [f"{position_id(key)} {high} {low}" for key, (high, low) in asked]
    favourites = [lines_of(command, lines) for command in engines.choices()]
    ranked = lines_of([*engines.ours(None, 2), "--answer", "json"], [f"move {line}" for line in lines])
    for at, answer in enumerate(map(json.loads, ranked)):
        plays = answer["plays"]
        near = [play["position"] for play in plays[:BEST] if play["loss"] <= REACH]
        near += [favourite[at] for favourite in favourites if favourite[at] not in near]
        near = list(dict.fromkeys(near))
        settled = len(plays) < 2 or len(near) < 2 or plays[0]["equity"] == plays[1]["equity"]
        yield [] if settled else [key_of(position) for position in near]


def cube_is_close(options, keys):
    """For each position whether the cube is close for gammond, and for gnubg's nets."""
    engines = Engines(options)
    both = []
    for nets in (None, options.gnubg):
        command = [word for word in engines.ours(nets) if "=" not in word or word == nets] + ["--answer", "json"]
        lines = [f"cube {position_id(key)} length=7" for key in keys]
        close = []
        for answer in map(json.loads, lines_of(command, lines)):
            if "no_double" not in answer:
                close.append(False)
                continue
            no_double, take = answer["no_double"], answer["double_take"]
            close.append(min(abs(no_double - min(take, 1)), abs(take - 1)) <= CLOSE)
        both.append(close)
    return list(zip(*both))


def spread(keys, families, family, rng):
    """Positions of a family in random order, those close to another in a game left out."""
    places = [at for at, names in enumerate(families) if family in names]
    rng.shuffle(places)
    taken, found = set(), []
    for at in places:
        if not taken.intersection(range(at - APART + 1, at + APART)):
            taken.add(at)
            found.append(keys[at])
    return found


def make_positions(options, batch):
    folder = options.folder / f"games-{batch}"
    place = options.folder / "positions"
    if all((place / f"{file_name(family)}-cube-{batch}.txt").exists() for family in FAMILIES):
        return
    folder.mkdir(parents=True, exist_ok=True)
    place.mkdir(exist_ok=True)
    used = earlier(options, batch)
    keys = [key for key in recorded(options, folder, batch) if key not in used]
    families = groups(options, folder, keys)
    for family in FAMILIES:
        rng = random.Random(f"{family} {SEED} {batch}")
        found = [key for key in spread(keys, families, family, rng) if key not in used]
        asked = [(key, sorted((rng.randint(1, 6), rng.randint(1, 6)), reverse=True)) for key in found[:6 * PLAYS]]
        lines = [f"m {key} {high} {low} " + " ".join(f"{one} 0" for one in near)
                 for (key, (high, low)), near in zip(asked, candidates(options, asked)) if near][:PLAYS]
        rest = found[6 * PLAYS:6 * PLAYS + 60 * CUBES]
        close = cube_is_close(options, rest)
        by_one = [[key for key, one in zip(rest, close) if one[at]] for at in (0, 1)]
        cubes = list(dict.fromkeys(key for two in zip(*by_one) for key in two))[:CUBES]
        print(f"{family}: {len(found)} positions, {len(lines)} plays, {len(cubes)} cube decisions", file=sys.stderr)
        used |= {line.split()[1] for line in lines} | set(cubes)
        (place / f"{file_name(family)}-{batch}.bm").write_text("".join(f"{line}\n" for line in lines))
        (place / f"{file_name(family)}-cube-{batch}.txt").write_text("".join(f"{key}\n" for key in cubes))


def tasks(options, batch):
    """Position file, name and number of each file of a batch."""
    for number, family in enumerate(FAMILIES):
        name = file_name(family)
        for kind, ending in (("", "bm"), ("-cube", "txt")):
            path = options.folder / "positions" / f"{name}{kind}-{batch}.{ending}"
            if path.stat().st_size:
                yield path, f"{name}{kind}", 100 * batch + number, bool(kind)


def judge(options, batch):
    """Has both judges value a batch, file by file."""
    for path, name, number, is_cube in tasks(options, batch):
        out, twin = (options.folder / f"{name}{kind}-{batch}.bm" for kind in ("", "-other"))
        if not out.exists() and options.only in (None, "ours"):
            how = ["--bm-in", path, *ROLLED_CUBES] if is_cube else ["--again", path, *ROLLED_PLAYS]
            subprocess.run([options.gammond, "rollout", *how, "--out", out, "--seed", str(SEED + number), "--progress", "none",
                            "--threads", "1"], check=True, stdout=subprocess.DEVNULL)
        if not twin.exists() and options.only in (None, "other"):
            subprocess.run([sys.executable, f"{TOOLS}/bgsage_judge.py", path, twin, "--gammond", options.gammond], check=True)


def values(path):
    """For each decision the value of each choice, and its standard error, in points."""
    found, errors = {}, []
    # What a pass is worth: each judge has the table of its own file.
    worth = float(re.search(r"\bpass\W+([\d.]+)", path.read_text() + "pass 1")[1])
    point = 100 * worth - 50
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("# ") and "standard errors" in line:
            errors = [None if word == "unknown" else float(word) for word in line.rsplit(": ")[-1].split()]
        elif words[0] == "m":
            losses = dict(zip(words[4::2], [0.0] + [float(word) for word in words[7::2]]))
            found[" ".join(words[:4])] = (losses, dict(zip(words[6::2], errors)))
        elif words[0] == "c":
            sides = "no double", "double, take"
            found[f"c {words[1]}"] = ({side: (float(word) - 50) / point for side, word in zip(sides, words[2:])},
                                      {side: error and error / point for side, error in zip(sides, errors)})
    return found


def disputed(options):
    """Lists what the judges value differently: a play less our best one, a side of a double as it is."""
    rows = []
    for path in sorted(options.folder.glob("*.bm")):
        name, number = path.stem.rsplit("-", 1)
        twin = path.with_name(f"{name}-other-{number}.bm")
        if name.endswith("-other") or not twin.exists():
            continue
        others = values(twin)
        for decision, (mine, my_errors) in values(path).items():
            theirs, their_errors = others[decision]
            if decision.startswith("m"):
                # Losses against our best play, and their errors; the best one of a judge has no error of its own.
                top, rival = min(mine, key=mine.get), min(theirs, key=theirs.get)
                their_errors[rival] = their_errors.get(top)
                mine.pop(top)
                theirs = {choice: value - theirs[top] for choice, value in theirs.items()}
            for choice, value in mine.items():
                errors = my_errors.get(choice), their_errors.get(choice)
                if None in errors:
                    continue
                error = sum(one * one for one in errors) ** 0.5
                if abs(value - theirs[choice]) > 3 * error:
                    rows.append([path.name, decision, choice, *(f"{one:.4f}" for one in (value, theirs[choice], error))])
    head = ["file", "decision", "choice", "ours", "other", "error"]
    text = "".join("\t".join(row) + "\n" for row in [head, *rows])
    (options.folder / "disputed.tsv").write_text(text)


def swing(options, batches):
    """Prints for each family the mean and the standard error of what each ply adds to the value, in thousandths of a point."""
    engines, depths = Engines(options), (0, 1, 2, 3)
    print("| family | positions | " + " | ".join(f"{plies} less {plies - 1}" for plies in depths[1:]) + " |")
    print("|---|---:|" + "---:|" * len(depths[1:]))
    for family in FAMILIES:
        texts = [path.read_text() for batch in batches for kind in ("-{}.bm", "-cube-{}.txt")
                 for path in [options.folder / "positions" / (file_name(family) + kind.format(batch))] if path.exists()]
        keys = [key for text in texts for key in re.findall(r"^(?:m )?([A-P]{20})", text, re.M)]
        if len(keys) < 2:
            continue
        lines = [f"eval {position_id(key)}" for key in keys]
        by_depth = [[json.loads(answer)["equity"]["cubeless"] for answer in lines_of([*engines.ours(None, plies), "--answer", "json"], lines)]
                    for plies in depths]
        cells = []
        for shallow, deep in zip(by_depth, by_depth[1:]):
            added = [1000 * (one - other) for one, other in zip(deep, shallow)]
            mean = sum(added) / len(added)
            error = (sum((one - mean) ** 2 for one in added) / (len(added) - 1) / len(added)) ** 0.5
            cells.append(f"{mean:+.1f} ± {error:.1f}")
        print(f"| {family} | {len(keys)} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gammond", default="gammond")
    parser.add_argument("--gnubg", default="/usr/lib/gnubg/gnubg.wd")
    parser.add_argument("--batches", type=int, default=1)
    parser.add_argument("--only", choices=STAGES)
    options = parser.parse_args()
    needs = [f"{TOOLS}/needs", __file__, options.gammond, options.gnubg, "python:bgsage"]
    if subprocess.call(needs, env=dict(os.environ, PYTHON=sys.executable)):
        sys.exit(3)
    batches = range(1, options.batches + 1)
    if options.only in (None, "positions"):
        for batch in batches:
            make_positions(options, batch)
    if options.only in (None, "ours", "other"):
        for batch in batches:
            judge(options, batch)
    if options.only in (None, "disputed"):
        disputed(options)
    if options.only == "swing":
        swing(options, batches)
    if options.only == "training":
        training(options)


if __name__ == "__main__":
    main()
