#!/usr/bin/env python3
"""What players lose by their cube decisions, by our own cubeful rollouts: money and five scores.

usage: tools/cube_decisions.py FOLDER NAME=PROGRAM,NETS,PLIES [...] [--gammond PROGRAM] [--positions N] [--trials N]

Positions come from games of the built-in nets without odd starts (`gammond sample`, a seed that no training uses). At each of them every player is
asked whether to double and whether to take, at every state. Where one of them decides otherwise than the reference (the built-in nets at three
plies), both alternatives are rolled out, cube decisions at two plies inside; where all agree nobody loses anything against the
reference, so nothing is rolled out. A take counts where the reference doubles. What is printed is the mean loss against the reference in
thousandths, money as points of the cube, matches as EMG, with its standard error, over all decisions, those where all agree
included; it can be below 0 where the reference itself is wrong. FOLDER keeps everything: the same command goes on from there, and players can be
added.

example: tools/cube_decisions.py run new=gammond,embedded,0 gnubg=gammond,/usr/lib/gnubg/gnubg.wd,0
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

STATES = {
    "money": "jacoby=false beavers=false",
    "money, redouble": "jacoby=false beavers=false cube=2 owner=me",
    "7 points, 0:0": "length=7 score=0:0",
    "7 points, 4:5": "length=7 score=4:5",
    "7 points, 5:4": "length=7 score=5:4",
    "5 points, 1:3": "length=5 score=1:3",
    "9 points, 3:0": "length=9 score=3:0",
}
SEED = 770077
REFERENCE = "reference"


def sampled(options, folder):
    path = folder / "positions"
    if not path.exists():
        games, labels = folder / "games.toml", folder / "games.labels"
        games.write_text("mild = 0.0\nwild = 0.0\nodd_starts = 0.0\nrace_starts = 0.0\nrandom_starts = 0.0\n")
        subprocess.run([options.gammond, "sample", labels, "--positions", str(8 * options.positions), "--seed",
                        str(SEED), "--games", games, "--progress", "none"], check=True)
        text = subprocess.run([options.gammond, "sample", "dump", labels], check=True, capture_output=True,
                              text=True).stdout
        # Every eighth: positions of one game are much alike.
        keys = [line.split()[0] for line in text.splitlines()][::8]
        path.write_text("\n".join(keys[:options.positions]) + "\n")
    return path.read_text().split()


def piped(program, nets, lines):
    run = subprocess.run([program, "pipe", "--nets", nets], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def decided(folder, name, player, questions):
    """For each question whether the player doubles, and whether it takes."""
    path = folder / f"decisions {name}"
    if not path.exists():
        program, nets, plies = player
        answers = piped(program, nets, [f"cube {position} {STATES[state]} plies={plies}"
                                        for state, position in questions])
        if len(answers) != len(questions):
            raise SystemExit(f"{name}: {len(answers)} answers to {len(questions)} questions")
        path.write_text("".join(f"{int(a['double'])} {int(a['take'])}\n" if a["type"] == "cube" else "- -\n"
                                for a in answers))
    rows = [line.split() for line in path.read_text().splitlines()]
    return [None if row[0] == "-" else (row[0] == "1", row[1] == "1") for row in rows]


def rolled_out(options, folder, wanted):
    """What not doubling, doubling and a pass are worth."""
    path = folder / "rollouts"
    known = {}
    if path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            known[row["state"], row["position"]] = row["values"]
    missing = [question for question in wanted if question not in known]
    for begin in range(0, len(missing), 32):
        part = missing[begin:begin + 32]
        answers = piped(options.gammond, "embedded", [
            f"rollout cube {position} {STATES[state]} trials={options.trials} cubeplies=2" for state, position in part])
        with path.open("a") as out:
            for question, answer in zip(part, answers):
                if answer["type"] != "rollout":
                    raise SystemExit(f"{question}: {answer}")
                none, take = (candidate["equity"]["cubeful"] for candidate in answer["candidates"])
                known[question] = [none, take, answer["double_pass"]]
                out.write(json.dumps({"state": question[0], "position": question[1],
                                      "values": known[question]}) + "\n")
        print(f"rollouts: {begin + len(part)} of {len(missing)}", flush=True)
    return known


def mean(losses):
    size = len(losses)
    middle = sum(losses) / size
    error = (sum((loss - middle) ** 2 for loss in losses) / size / max(size - 1, 1)) ** 0.5
    return f"{1000 * middle:7.3f} +- {1000 * error:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("players", nargs="+", metavar="NAME=PROGRAM,NETS,PLIES")
    parser.add_argument("--gammond", default="gammond")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=72)
    options = parser.parse_args()
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, options.gammond]):
        sys.exit(3)
    options.folder.mkdir(exist_ok=True)
    positions = sampled(options, options.folder)
    questions = [(state, position) for state in STATES for position in positions]
    players = {REFERENCE: (options.gammond, "embedded", "3")}
    players.update((name, how.split(",")) for name, how in (text.split("=", 1) for text in options.players))
    decisions = {name: decided(options.folder, name, player, questions) for name, player in players.items()}
    best = decisions.pop(REFERENCE)
    asked = [n for n in range(len(questions)) if best[n] is not None]

    def differs(n):
        said = [decision[n] for decision in decisions.values()]
        return any(d is not None and (d[0] != best[n][0] or best[n][0] and d[1] != best[n][1]) for d in said)

    values = rolled_out(options, options.folder, [questions[n] for n in asked if differs(n)])
    print(f"{len(positions)} positions; rolled out: {sum(map(differs, asked))} of {len(asked)} decisions")
    for state in [*STATES, "all"]:
        print(state)
        for name, decision in decisions.items():
            doubles, takes = [], []
            for n in asked:
                if decision[n] is None or state not in ("all", questions[n][0]):
                    continue
                none, take, cash = values.get(questions[n], (0.0, 0.0, 0.0)) if differs(n) else (0.0, 0.0, 0.0)
                worth = {True: min(take, cash), False: none}
                doubles.append(worth[best[n][0]] - worth[decision[n][0]])
                if best[n][0]:
                    answer = {True: take, False: cash}
                    takes.append(answer[decision[n][1]] - answer[best[n][1]])
            print(f"    {name:20} double {mean(doubles)} ({len(doubles)})   take {mean(takes)} ({len(takes)})")


if __name__ == "__main__":
    main()
