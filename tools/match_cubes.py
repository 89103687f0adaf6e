#!/usr/bin/env python3
"""What the cube decisions of players are worth in matches, by score and owner of the cube, by our own cubeful rollouts.

usage: tools/match_cubes.py FOLDER NAME=NETS NAME=NETS [...] [--gammond PROGRAM] [--matches N] [--points N]
                            [--decisions N] [--trials N] [--seed N]

The built-in nets play matches against themselves without looking ahead. At each decision to double every player is asked, without looking ahead,
and those at which the first player and another one differ are rolled out: no double, and a double that is taken, both
with static cube decisions of the built-in nets from then on. Printed are, in percent of match winning chances: what the
first player gains by decision and by match (both sides' decisions of a match), and how far each player's values of both
actions are from the rollouts. The rollouts are of decisions in dispute only, so where all players are wrong together is
not seen. NETS is `embedded`, a folder or a file. FOLDER keeps everything: the same command goes on from there, and
players can be added.

example: tools/match_cubes.py run new=embedded gnubg=/usr/lib/gnubg/gnubg.wd
"""
import argparse
import base64
import collections
import json
import os
import pathlib
import random
import subprocess
import sys

from cube_decisions import piped

ACTIONS = ("no_double", "double_take")


def decisions(options, folder):
    """The GNUbg ID of each decision to double, with its class."""
    path = folder / "decisions.jsonl"
    if not path.exists():
        matches = folder / "matches"
        subprocess.run([options.gammond, "duel", "gammond", "gammond", "--match", str(options.points), "--games",
                        str(options.matches), "--seed", str(options.seed), "--mat", matches, "--quiet"], check=True,
                       capture_output=True)
        found = []
        for file in sorted(matches.glob("*.mat")):
            run = subprocess.run([options.gammond, "analyse", file, "--plies", "0", "--format", "json"], check=True,
                                 capture_output=True, text=True)
            found += [json.dumps([d["position"], d["class"]]) for d in json.loads(run.stdout)["decisions"]
                      if d["kind"] == "double"]
        path.write_text("\n".join(found) + "\n")
    return [json.loads(line) for line in path.read_text().splitlines()]


def answers(options, folder, name, nets, asked):
    path = folder / f"answers {name}.jsonl"
    if not path.exists():
        found = piped(options.gammond, nets, [f"cube {position} plies=0" for position, _ in asked])
        if len(found) != len(asked):
            raise SystemExit(f"{name}: {len(found)} answers to {len(asked)} questions")
        path.write_text("".join(json.dumps(answer) + "\n" for answer in found))
    return [json.loads(line) for line in path.read_text().splitlines()]


def differ(first, other):
    return first["double"] != other["double"] or first["double"] and first["take"] != other["take"]


def rolled_out(options, folder, asked, wanted):
    """The answer of the rollout of each wanted decision."""
    path = folder / "rollouts.jsonl"
    known = {}
    if path.exists():
        known = dict(json.loads(line) for line in path.read_text().splitlines())
    missing = [n for n in wanted if n not in known]
    for begin in range(0, len(missing), 32):
        part = missing[begin:begin + 32]
        found = piped(options.gammond, "embedded",
                      [f"rollout cube {asked[n][0]} trials={options.trials} cubeplies=0 seed=7" for n in part])
        with path.open("a") as out:
            for n, answer in zip(part, found):
                if answer["type"] != "rollout":
                    raise SystemExit(f"{asked[n][0]}: {answer}")
                known[n] = answer["mwc"]
                out.write(json.dumps([n, answer["mwc"]]) + "\n")
        print(f"rollouts: {begin + len(part)} of {len(missing)}", flush=True)
    return known


def away(position):
    """The cube, True where it is centred, and the points that the player on roll and the opponent need."""
    bits = int.from_bytes(base64.b64decode(position.split(":")[1]), "little")

    def field(offset, width):
        return bits >> offset & (1 << width) - 1

    turn, length, points = field(11, 1), field(21, 15), (field(36, 15), field(51, 15))
    return 1 << field(0, 4), field(4, 2) == 3, length - points[turn], length - points[1 - turn]


def groups(position, kind):
    cube, centred, mine, theirs = away(position)
    nearest = min(mine, theirs)
    yield "all"
    yield "centred cube" if centred else f"own cube of {cube}"
    yield kind
    yield "even score" if mine == theirs else "leader" if mine < theirs else "trailer"
    yield f"one needs {nearest}" if nearest < 5 else "both need 5 or more"
    yield f"{'centred' if centred else f'cube {cube}'}, {mine}-away {theirs}-away"


def gain(first, other, worth):
    """What the first one's actions gain over the other's, when the opponent answers rightly."""
    def value(answer):
        return min(worth["double_take"], worth["double_pass"]) if answer["double"] else worth["no_double"]

    gained = value(first) - value(other)
    if first["double"] and other["double"] and first["take"] != other["take"]:
        taken = worth["double_pass"] - worth["double_take"]
        gained += taken if first["take"] else -taken
    return gained


def mean(values):
    size = len(values)
    middle = sum(values) / size
    error = (sum((value - middle) ** 2 for value in values) / size / max(size - 1, 1)) ** 0.5
    return f"{100 * middle:+6.3f} +- {100 * error:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("players", nargs="+", metavar="NAME=NETS")
    parser.add_argument("--gammond", default="gammond")
    parser.add_argument("--matches", type=int, default=600)
    parser.add_argument("--points", type=int, default=7)
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=216)
    parser.add_argument("--seed", type=int, default=4711)
    options = parser.parse_args()
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, options.gammond]):
        sys.exit(3)
    options.folder.mkdir(exist_ok=True)
    asked = decisions(options, options.folder)
    players = dict(text.split("=", 1) for text in options.players)
    said = {name: answers(options, options.folder, name, nets, asked) for name, nets in players.items()}
    first, *others = said
    disputed = {name: [n for n in range(len(asked)) if differ(said[first][n], said[name][n])] for name in others}
    wanted = sorted(set().union(*disputed.values()))
    random.Random(options.seed).shuffle(wanted)
    known = rolled_out(options, options.folder, asked, wanted[:options.decisions])
    known = {n: known[n] for n in wanted[:options.decisions]}
    share = len(known) / len(wanted)
    print(f"{len(asked)} decisions of {options.matches} matches, {len(wanted)} in dispute, {len(known)} rolled out")
    for name in others:
        rows = collections.defaultdict(list)
        for n in set(disputed[name]) & known.keys():
            for group in groups(*asked[n]):
                rows[group].append(gain(said[first][n], said[name][n], known[n]))
        print(f"{first} over {name}: decisions, gain of one, of both sides in a match")
        for group, gained in sorted(rows.items(), key=lambda row: -len(row[1])):
            print(f"    {group:32} {len(gained):5}   {mean(gained)}   {100 * sum(gained) / share / options.matches:+.3f}")
    rows = collections.defaultdict(list)
    for n in known:
        for group in groups(*asked[n]):
            rows[group].append(n)
    print(f"values less the rollout's: decisions, then no double and double/take of {', '.join(said)}")
    for group, numbers in sorted(rows.items(), key=lambda row: -len(row[1])):
        if len(numbers) >= 12:
            print(f"    {group:32} {len(numbers):5}   " + "   ".join(
                mean([answer[n]["mwc"][action] - known[n][action] for n in numbers])
                for answer in said.values() for action in ACTIONS))


if __name__ == "__main__":
    main()
