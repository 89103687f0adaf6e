#!/usr/bin/env python3
"""Error of static evaluations by class, beside labels that look further.

usage: tools/static_error.py LABELS NETS... [--gammond PROGRAM]

LABELS is a training file (`KEY p0 p1 p2 p3 p4`), best made by `gammond label POSITIONS LABELS --games 64`.
For each of NETS (what `--nets` takes) prints the root mean square error of the equity, in thousandths of
a point: all contact positions, those in which the player on roll leads or trails by 30 pips, crashed, races.
The labels are the value under our own static play, so they lean towards our own nets.
"""
import argparse
import json
import math
import subprocess

WEIGHTS = (2, 1, 1, -1, -1)
NAMES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def equity(chances):
    return sum(w * p for w, p in zip(WEIGHTS, chances)) - 1


def ask(program, nets, lines):
    run = subprocess.run([program, "pipe", "--nets", nets], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def groups(answer, pips):
    yield answer["class"]
    if answer["class"] == "contact":
        lead = pips[1] - pips[0]
        yield "ahead" if lead >= 30 else "behind" if lead <= -30 else "level"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("labels")
    parser.add_argument("nets", nargs="+")
    parser.add_argument("--gammond", default="target/release/gammond")
    options = parser.parse_args()
    with open(options.labels, encoding="ascii") as file:
        rows = [line.split() for line in file if line.strip() and line[0] not in "#;"]
    wanted = [equity(map(float, row[1:6])) for row in rows]
    shown = ask(options.gammond, "embedded", [f"show {row[0]}" for row in rows])
    for nets in options.nets:
        answers = ask(options.gammond, nets, [f"eval {row[0]} plies=0" for row in rows])
        squares = {}
        for answer, show, right in zip(answers, shown, wanted):
            ours = equity(answer["probabilities"][name] for name in NAMES)
            for group in groups(answer, show["pips"]):
                squares.setdefault(group, []).append((ours - right) ** 2)
        text = ", ".join(
            f"{name} {1000 * math.sqrt(sum(s) / len(s)):.1f} ({len(s)})"
            for name, s in sorted(squares.items()))
        print(f"{nets}: {text}")


if __name__ == "__main__":
    main()
