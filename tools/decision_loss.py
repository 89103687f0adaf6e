#!/usr/bin/env python3
"""Mean loss of our choices on rolled-out decisions, with a 95 % bootstrap interval.

usage: tools/decision_loss.py DECISIONS.jsonl [--gammond PROGRAM] [--nets NETS] [--plies N]
                              [--count N] [--cube]

A checker decision is a JSON object with `t` = checker, `id`, `dice` and `c`: the candidates, each a
Position ID (the opponent on roll) with its equity. Our choice is the candidate that stands highest
in our ranking; the loss is what the best candidate has more. With --cube the cube decisions
are counted instead (`t` = cube).
"""
import argparse
import json
import random
import subprocess


def answers(options, lines):
    command = [options.gammond, "pipe", "--nets", options.nets]
    run = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True,
                         check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def interval(losses):
    generator = random.Random(1)
    means = sorted(sum(generator.choices(losses, k=len(losses))) / len(losses) for _ in range(2000))
    return means[49], means[1949]


def checker(options, rows):
    lines = [f"move {row['id']} {row['dice'][0]}{row['dice'][1]} plies={options.plies} cubeful=0"
             for row in rows]
    losses, unlisted = [], 0
    for row, answer in zip(rows, answers(options, lines)):
        listed = {candidate[0]: candidate[1] for candidate in row["c"]}
        ranked = [play["position"] for play in answer["plays"]]
        unlisted += ranked[0] not in listed
        chosen = next((listed[play] for play in ranked if play in listed), None)
        if chosen is not None:
            losses.append(max(listed.values()) - chosen)
    return losses, unlisted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("decisions")
    parser.add_argument("--gammond", default="target/release/gammond")
    parser.add_argument("--nets", default="embedded")
    parser.add_argument("--plies", type=int, default=0)
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    with open(options.decisions, encoding="ascii") as file:
        rows = [json.loads(line) for line in file]
    rows = [row for row in rows if row["t"] == "checker"][:options.count]
    losses, unlisted = checker(options, rows)
    low, high = interval(losses)
    mean = sum(losses) / len(losses)
    print(f"{options.nets} {options.plies}-ply: {len(losses)} decisions, mean loss "
          f"{1000 * mean:.2f} [{1000 * low:.2f}, {1000 * high:.2f}] thousandths, "
          f"first choice not among the candidates: {unlisted}")


if __name__ == "__main__":
    main()
