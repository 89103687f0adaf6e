#!/usr/bin/env python3
"""Mean loss of our choices on rolled-out decisions, with a 95 % bootstrap interval.

usage: tools/decision_loss.py DECISIONS.jsonl [--gammond PROGRAM] [--nets NETS] [--plies N]
                              [--count N] [--set 'KEY=VALUE ...'] [--cube [--gnubg PROGRAM]]

A checker decision is a JSON object with `t` = checker, `id`, `dice` and `c`: the candidates, each a
Position ID (the opponent on roll) with its equity. Our choice is the candidate that stands highest
in our ranking; the loss is what the best candidate has more. --set adds words to each query, such
as `prune=0`.

With --cube the cube decisions are counted instead: `t` = cube, `k` = double or take, `id` (the doubler on roll), the owner
`own` (center or mover) and the rolled-out chances `p`. They are money decisions without Jacoby and beavers; what
doubling and not doubling are worth follows from the chances by Janowski's formula with efficiency
0.68 (`protocol-specs/cube-and-search.md`, CUBE-01). The loss is that of doubling when it is wrong and the
other way round; with --gnubg, gnubg's choice at the same depth is counted beside ours.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile


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
    lines = [f"move {row['id']} {row['dice'][0]}{row['dice'][1]} plies={options.plies} cubeful=0 "
             f"{options.set}" for row in rows]
    losses, unlisted = [], 0
    for row, answer in zip(rows, answers(options, lines)):
        listed = {candidate[0]: candidate[1] for candidate in row["c"]}
        ranked = [play["position"] for play in answer["plays"]]
        unlisted += ranked[0] not in listed
        chosen = next((listed[play] for play in ranked if play in listed), None)
        if chosen is not None:
            losses.append(max(listed.values()) - chosen)
    return losses, f"first choice not among the candidates: {unlisted}"


def janowski(chances, owner):
    """Equity with a money cube of the given owner (center, me, them), efficiency 0.68."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances
    worth = 1 + (gammon + backgammon) / win if win else 1
    cost = 1 + (lose_gammon + lose_backgammon) / (1 - win) if win < 1 else 1
    take = (cost - 0.5) / (worth + cost + 0.5)
    cash = (cost + 1) / (worth + cost + 0.5)
    line = [(0, -cost)] + ([(take, -1)] if owner != "me" else [])
    line += ([(cash, 1)] if owner != "them" else []) + [(1, worth)]
    for (x0, y0), (x1, y1) in zip(line, line[1:]):
        if win <= x1:
            live = y0 + (y1 - y0) * (win - x0) / (x1 - x0)
            break
    dead = win * worth - (1 - win) * cost
    return 0.32 * dead + 0.68 * live


def values(row):
    owner = "center" if row["own"] == "center" else "me"
    none = janowski(row["p"], owner)
    take = 2 * janowski(row["p"], "them")
    return none, take


def lost(row, doubles, takes):
    """Points given up: by doubling or not, or (a row of kind `take`) by taking or passing."""
    none, take = values(row)
    if row["k"] == "take":
        return max(0.0, take - 1) if takes else max(0.0, 1 - take)
    double = min(take, 1)
    return max(none, double) - (double if doubles else none)


def summary(rows, decisions):
    losses = [lost(row, *decision) for row, decision in zip(rows, decisions)]
    takes = [loss for row, loss in zip(rows, losses) if row["k"] == "take"]
    return losses, (f"wrong: {sum(loss > 0 for loss in losses)}, of {len(takes)} takes "
                    f"{sum(loss > 0 for loss in takes)}")


def cube(options, rows):
    """The owner of a turned cube is the player on roll, who decides whether to double."""
    lines = []
    for row in rows:
        turned = "cube=1" if row["own"] == "center" else "cube=2 owner=me"
        lines.append(f"cube {row['id']} length=0 jacoby=0 beavers=0 {turned} "
                     f"plies={options.plies} {options.set}")
    return summary(rows, [(answer["double"], answer["take"]) for answer in answers(options, lines)])


def gnubg(options, rows):
    """gnubg's own decisions, through its Python module."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "decision_loss_gnubg.py")
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        items = [(row["id"], row["own"]) for row in rows]
        json.dump({"plies": options.plies, "items": items}, file)
    environment = dict(os.environ, GAMMOND_DECISIONS=file.name)
    run = subprocess.run([options.gnubg, "-t", "-q", "-p", script], env=environment, text=True,
                         stdin=subprocess.DEVNULL, capture_output=True, check=False)
    os.unlink(file.name)
    found = next(line for line in run.stdout.splitlines() if line.startswith("DOUBLES "))
    return summary(rows, json.loads(found.split(" ", 1)[1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("decisions")
    parser.add_argument("--gammond", default="target/release/gammond")
    parser.add_argument("--nets", default="embedded")
    parser.add_argument("--plies", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--set", default="")
    parser.add_argument("--cube", action="store_true")
    parser.add_argument("--gnubg")
    options = parser.parse_args()
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, options.decisions, options.gammond, *filter(None, [options.gnubg])]):
        sys.exit(3)
    with open(options.decisions, encoding="ascii") as file:
        rows = [json.loads(line) for line in file]
    kind = "cube" if options.cube else "checker"
    rows = [row for row in rows if row["t"] == kind][:options.count]
    players = [(options.nets, cube if options.cube else checker)]
    if options.cube and options.gnubg:
        players.append(("gnubg", gnubg))
    for name, player in players:
        losses, remark = player(options, rows)
        low, high = interval(losses)
        mean = sum(losses) / len(losses)
        print(f"{name} {options.plies}-ply: {len(losses)} decisions, mean loss "
              f"{1000 * mean:.2f} [{1000 * low:.2f}, {1000 * high:.2f}] thousandths, {remark}",
              flush=True)


if __name__ == "__main__":
    main()
