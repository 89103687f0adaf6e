#!/usr/bin/env python3
"""Compares the dictionaries and tuples of the `gnubg` module with those of the real gnubg over scripted games.

    tools/gnubg/module_shape.py 'PROGRAM' [GAMES [SEED]]

PROGRAM is a command line such as 'target/release/gammond gnubg'; both run `-t -q -p SCRIPT`. The games have persons on
both sides and dice set by hand, with cubes, passes, beavers, resignations and the Crawford game. Keys, types, nesting and
values of `match()` and the shape of `met()`, `cubeinfo()` and `posinfo()` are compared, and at the end the shape of the
analysed match with its statistics, without marks. Ends with 1 if any differ.
"""
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

REAL = ["/usr/games/gnubg"]
MARK = "@@"
# Values that are not compared: the day, the user, and the result of a session of several games.
IGNORED = ("date", "result", "name")
SCRIPT = r"""
import gnubg, json
def plain(value):
    if isinstance(value, dict): return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, tuple): return ["tuple"] + [plain(v) for v in value]
    if isinstance(value, list): return ["list"] + [plain(v) for v in value]
    return value
def shape(value):
    if isinstance(value, dict): return {str(k): shape(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)): return [type(value).__name__] + [shape(v) for v in value]
    return type(value).__name__
def members(value, key=""):
    if isinstance(value, dict): return {k: members(v, k) for k, v in value.items() if k not in MARKS and not (k == "luck" and isinstance(v, str)) and not (k == "analysis" and set(v) <= {"skill"})}
    if isinstance(value, (tuple, list)): return [type(value).__name__] + [members(v) for v in (value[:1] if key == "moves" else value)]
    return type(value).__name__
print("\n@@" + json.dumps(shape(gnubg.met(4))))
for line in LINES:
    if line == "?":
        match = gnubg.match()
        print("\n@@" + json.dumps(plain(match)))
        if match["games"][-1]["info"]["winner"] is None:
            print("\n@@" + json.dumps([shape(gnubg.posinfo()), shape(gnubg.cubeinfo())]))
    else:
        gnubg.command(line)
for kind in ("chequerplay", "cubedecision"):
    gnubg.command("set analysis %s evaluation plies 0" % kind)
gnubg.command("analyse match")
print("\n@@" + json.dumps(members(gnubg.match(1, 1, 1, 1))))
"""
# Members that depend on the values of the nets.
MARKS = ("skill", "cube-skill")
PLAYS = {"31": "8/5 6/5", "42": "8/4 6/4", "61": "13/7 8/7", "65": "24/13", "53": "8/3 6/3", "21": "13/11 6/5"}


def game(rng, number):
    """Returns the commands of one game, with a question after each step."""
    length = rng.choice([0, 0, 3, 5])
    lines = ["new session"] if length == 0 else ["new match %d" % length]
    for _ in range(rng.randrange(1, 4)):
        roll = rng.choice(sorted(PLAYS))
        # The opening play is legal for either side; later turns begin with the cube or end the game.
        lines += ["set dice %s" % roll, "move %s" % PLAYS[roll], "?"]
        ending = rng.choice(["drop", "take", "resign", "gammon", "beaver", "leave"])
        if ending == "drop":
            lines += ["double", "drop"]
        elif ending in ("take", "beaver"):
            lines += ["double", "redouble" if ending == "beaver" else "take", "?"]
            if ending == "beaver":
                lines += ["take"]
            lines += ["resign normal", "accept"]
        elif ending == "leave":
            # The roll without its play is seen while it waits.
            lines += ["set dice 31", "?", "move 8/5 6/5"]
            lines += ["resign normal", "reject", "resign gammon", "accept"]
        else:
            lines += ["resign %s" % ("normal" if ending == "resign" else "gammon"), "accept"]
        lines += ["?", "new game"]
    return lines


def answers(program, lines):
    """Runs a script and returns what it reported."""
    first = ["set player 0 human", "set player 1 human", "set automatic game off", "set automatic roll off", "set seed 7"]
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write("LINES = %r\nMARKS = %r\n%s" % (first + lines, MARKS, SCRIPT))
        script.flush()
        run = subprocess.run(program + ["-t", "-q", "-p", script.name], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    found = [json.loads(line[len(MARK):]) for line in run.stdout.split("\n") if line.startswith(MARK)]
    return found, run.stderr[-300:]


def without(value):
    """Drops the values that differ by name."""
    if isinstance(value, dict):
        return {key: "…" if key in IGNORED else without(held) for key, held in value.items()}
    return [without(held) for held in value] if isinstance(value, list) else value


def main():
    program = shlex.split(sys.argv[1])
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "needs"), __file__, "gnubg", program[0]]):
        sys.exit(3)
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng, wrong, asked = random.Random(seed), 0, 0
    for number in range(games):
        lines = game(rng, number)
        (theirs, _), (ours, complaint) = answers(REAL, lines), answers(program, lines)
        if len(theirs) != len(ours):
            wrong += 1
            print("game %d: %d answers, gnubg %d: %s" % (number, len(ours), len(theirs), complaint))
            continue
        asked += len(theirs)
        for mine, other in zip(ours, theirs):
            if without(mine) != without(other):
                wrong += 1
                print("game %d %r:\n  ours  %s\n  gnubg %s" % (number, lines, json.dumps(mine), json.dumps(other)))
                break
    print("%d games, %d answers: %d games differ" % (games, asked, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
