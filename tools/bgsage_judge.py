#!/usr/bin/env python3
"""Values decisions by `bgsage` (PyPI), as a second judge beside `gammond rollout`: the same `.bm` form.

usage: tools/bgsage_judge.py POSITIONS OUT.bm [--level truncated1] [--seeds N] [--within POINTS] [--gammond PROGRAM]

POSITIONS has `m` records, whose candidates are valued without a cube for money, or positions one a line, whose cube
decisions are valued at 7-away, 7-away. Every candidate is valued once, and those within POINTS of the best with as many
seeds as given. The seeds are the same for all candidates of a decision. Errors of losses come from the difference between
the first two seeds: its root mean square over all such candidates of the file, because two values alone say little of
their own error. bgsage's own errors are greater. Match winning chances are computed from bgsage's equities with the match
equity table of the cube measure (mec26), which `gammond bench` uses for files without one.

What is computed is kept in OUT.bm.journal: after a stop the same command goes on.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys

TOOLS = os.path.dirname(os.path.abspath(__file__))


def points(chances):
    return sum(worth * chance for worth, chance in zip((2, 1, 1, -1, -1), chances)) - 1


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def pass_worth(gammond):
    """Match winning chance after a pass at 7-away, 7-away."""
    answer = subprocess.run([gammond, "pipe", "--met", "mec26", "--answer", "json"], text=True, check=True,
                            input="cube 4HPwATDgc/ABMA length=7\n", stdout=subprocess.PIPE).stdout
    return json.loads(answer)["mwc"]["double_pass"]


class Judge:
    """bgsage at a level, and what it has answered before."""

    def __init__(self, level, journal):
        self.level, self.analyzers = level, {}
        self.known = {}
        if journal.exists():
            for line in journal.read_text().splitlines():
                # A kill may leave the last line torn.
                try:
                    name, values = json.loads(line)
                except ValueError:
                    continue
                self.known[name] = values
        self.journal = journal.open("a")
        if self.journal.tell():
            self.journal.write("\n")

    def analyzer(self, cubeful):
        import bgsage
        if cubeful not in self.analyzers:
            self.analyzers[cubeful] = bgsage.create_analyzer(self.level, cubeful=cubeful, parallel_threads=1)
        return self.analyzers[cubeful]

    def value(self, kind, key, seed):
        """Chances of the player who has just played (`m`), or equities without a double and after a take (`c`)."""
        name = f"{self.level} {kind} {key} {seed}"
        if name not in self.known:
            self.known[name] = self.computed(kind, key, seed)
            print(json.dumps([name, self.known[name]]), file=self.journal, flush=True)
        return self.known[name]

    def computed(self, kind, key, seed):
        import bgsage
        from bgsage_player import decode
        board = decode(position_id(key))
        analyzer = self.analyzer(kind == "c")
        analyzer.set_seed(seed)
        if kind == "c":
            found = analyzer.cube_action(board, away1=7, away2=7)
            return [found.equity_nd, found.equity_dt]
        found = analyzer.post_move_analytics(bgsage.flip_board(board), jacoby=False).probs
        return [found.win, found.gammon_win, found.backgammon_win, found.gammon_loss, found.backgammon_loss]


def position_id(key):
    """Position ID of the twenty letters of benchmark files."""
    import base64
    half = [ord(letter) - ord("A") for letter in key]
    data = bytes(high << 4 | low for high, low in zip(half[::2], half[1::2]))
    return base64.b64encode(data).decode().rstrip("=")


def inverted(chances):
    win, gammon, backgammon, lost_gammon, lost_backgammon = chances
    return [1 - win, lost_gammon, lost_backgammon, gammon, backgammon]


def plays(judge, lines, options):
    """Records of plays."""
    decisions = []
    for line in lines:
        words = line.split()
        candidates = words[4::2]
        values = [[judge.value("m", key, 0)] for key in candidates]
        best = max(points(rows[0]) for rows in values)
        for key, rows in zip(candidates, values):
            if best - points(rows[0]) <= options.within:
                rows += [judge.value("m", key, seed) for seed in range(1, options.seeds)]
        decisions.append((words[:4], candidates, values))
    squares = []
    for _, _, values in decisions:
        twice = [rows for rows in values if len(rows) > 1]
        for rows in twice[1:]:
            gaps = [points(twice[0][seed]) - points(rows[seed]) for seed in (0, 1)]
            squares.append((gaps[0] - gaps[1]) ** 2 / 2)
    error = (sum(squares) / len(squares)) ** 0.5 if squares else None
    for head, candidates, values in decisions:
        means = [mean(rows) for rows in values]
        order = sorted(range(len(candidates)), key=lambda at: -points(means[at]))
        for key, chances in zip(candidates, means):
            yield "#R " + " ".join([key, *(f"{chance:.6g}" for chance in inverted(chances))])
        counts = [len(values[at]) for at in order]
        # Half of the variance is the best play's.
        errors = [f"{error * ((1 / counts[0] + 1 / count) / 2) ** 0.5:.4f}" if error else "unknown"
                  for count in counts[1:]]
        yield f"# {' '.join(map(str, counts))} seeds; standard errors of the losses: {' '.join(errors)}"
        best = points(means[order[0]])
        listed = [f"{candidates[order[0]]} {best:.6g}"]
        listed += [f"{candidates[at]} {best - points(means[at]):.6g}" for at in order[1:]]
        yield " ".join(head + listed)


def cubes(judge, lines, options):
    """Records of cube decisions."""
    worth = pass_worth(options.gammond)
    decisions = [(key, [judge.value("c", key, seed) for seed in range(options.seeds)]) for key in lines]
    pairs = [rows[0][side] - rows[1][side] for _, rows in decisions if len(rows) > 1 for side in (0, 1)]
    error = (sum(gap * gap for gap in pairs) / len(pairs) / 2 / options.seeds) ** 0.5 if pairs else None
    for key, rows in decisions:
        chances = [0.5 + equity * (worth - 0.5) for equity in mean(rows)]
        no_double, take = chances
        if no_double > min(take, worth):
            action = "TG" if no_double > worth else "ND"
        else:
            action = "D/T" if take <= worth else "D/D"
        shown = f"{100 * error * (worth - 0.5):.3f}" if error else "unknown"
        yield f"# {len(rows)} seeds; standard errors in percent: {shown} {shown}"
        yield f"c {key} {100 * no_double:.6g} {100 * take:.6g} {action}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--level", default="truncated1")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--within", type=float, default=0.02)
    parser.add_argument("--gammond", default="gammond")
    options = parser.parse_args()
    if subprocess.call([f"{TOOLS}/needs", __file__, options.gammond, "python:bgsage"],
                       env=dict(os.environ, PYTHON=sys.executable)):
        sys.exit(3)
    lines = [line for line in options.positions.read_text().splitlines() if line and line[0] not in "#sr"]
    journal = options.out.with_name(options.out.name + ".journal")
    judge = Judge(options.level, journal)
    of_plays = [line for line in lines if line.startswith("m ")]
    records = list(plays(judge, of_plays, options) if of_plays else cubes(judge, lines, options))
    version = importlib.metadata.version("bgsage")
    head = (f"s version bgsage-{version} weights bgsage-{version} level {options.level} seeds {options.seeds} cubeAway 7 "
            f"pass {pass_worth(options.gammond)}")
    partial = options.out.with_name(options.out.name + ".partial")
    partial.write_text("\n".join([head, *records]) + "\n")
    partial.rename(options.out)
    judge.journal.close()
    journal.unlink()


if __name__ == "__main__":
    main()
