#!/usr/bin/env python3
"""Plays positions of hypergammon by the table of the variant, and compares the mean of the games with the table's value.

usage: tools/hyper_games.py GAMMOND FOLDER [VARIANT [POSITIONS [GAMES]]]

FOLDER has the table of VARIANT (default: hypergammon; `gammond bearoff make --hyper 3 FOLDER/hyper3.bd`). Each of ten
start rolls has a tenth of POSITIONS (default: 1000): the best play of that roll, then up to eight turns of best plays of
random rolls, seed 1. Each is played GAMES (default: 10368, eight times 1,296) times to its end, once without a cube and once for money
with it, without Jacoby's rule and beavers. A line a start roll: the mean difference to the table, its standard error,
and the share of positions within two errors. Ends with 1 if a start roll with a cube or without is beyond three errors,
or less than 92 % of the positions within two.
"""
import base64, json, math, os, random, subprocess, sys

START_ROLLS = ["21", "31", "41", "51", "61", "32", "43", "53", "64", "65"]
STARTS = {"hypergammon": "AACgAgAAKgAAAA", "hypergammon2": "AABAAQAACgAAAA", "hypergammon1": "AACAAAAAAgAAAA"}
TURNS = 8
RULES = "jacoby=off beavers=off"
NEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs")


def answers(program, folder, variant, questions):
    """Answers to lines, in their order."""
    command = [program, "--bearoff", folder, "pipe", f"variant={variant}"]
    done = subprocess.run(command, input="\n".join(questions) + "\n", capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [answer for answer in found if answer["type"] == "error"]
    if wrong or len(found) != len(questions):
        sys.exit(f"hyper_games: {len(found)} answers to {len(questions)} questions, {wrong[:1]}")
    return found


def positions(ask, start, each):
    """Positions by start roll: the player on roll has not won or lost."""
    dice = random.Random(1)
    walks = [[roll, None, dice.randint(0, TURNS)] for roll in START_ROLLS for _ in range(each)]
    for turn in range(TURNS + 1):
        going = [walk for walk in walks if turn <= walk[2]]
        rolls = [walk[0] if turn == 0 else f"{dice.randint(1, 6)}{dice.randint(1, 6)}" for walk in going]
        lines = [f"move {walk[1] or start} {roll} top=1 {RULES}" for walk, roll in zip(going, rolls)]
        for walk, answer in zip(going, ask(lines)):
            plays = answer["plays"]
            if plays and not is_over(plays[0]["position"]):
                walk[1] = plays[0]["position"]
            else:
                # Nothing moved, or the game is over: the position before it.
                walk[2] = -1
    return [(roll, position or start) for roll, position, _ in walks]


def is_over(position):
    """True if a side has no checkers: its points are 25 bits of 0 in the Position ID."""
    bits = int.from_bytes(base64.b64decode(position + "=="), "little")
    sides = []
    # A 1 for each checker, a 0 behind each of the 25 points; two sides.
    for _ in range(2):
        count = 0
        for _ in range(25):
            while bits & 1:
                bits, count = bits >> 1, count + 1
            bits >>= 1
        sides.append(count)
    return 0 in sides


def compared(ask, found, games, cube):
    """Differences of the games to the table, and their errors, with the positions."""
    name = "cubeful" if cube else "cubeless"
    terms = f"{RULES} cubeful={'on' if cube else 'off'}"
    # The games begin without a double.
    verb = "cube" if cube else "eval"
    values = ask([f"{verb} {position} {terms}" for position in found])
    lines = [f"rollout {position} trials={games} vr=off truncate=never seed={number + 1} {terms}"
             for number, position in enumerate(found)]
    rows = []
    for position, value, answer in zip(found, values, ask(lines)):
        played = answer["candidates"][0]
        table = value["no_double"] if cube else value["equity"][name]
        rows.append((played["equity"][name] - table, played["error"][name], position))
    return rows


def report(ask, found, games, cube):
    """Plays the positions of each start roll, prints its line, and returns true if all is as it should be."""
    print("with the cube" if cube else "without a cube", flush=True)
    good, within, everything = True, 0, []
    for roll in START_ROLLS:
        rows = compared(ask, [position for first, position in found if first == roll], games, cube)
        mean = sum(row[0] for row in rows) / len(rows)
        error = math.sqrt(sum(row[1] ** 2 for row in rows)) / len(rows)
        inside = sum(abs(difference) <= 2 * own + 1e-9 for difference, own, _ in rows)
        within += inside
        everything += rows
        good &= abs(mean) <= 3 * error
        print(f"{roll}: {mean:+.5f} ± {error:.5f}, {abs(mean) / max(error, 1e-12):.1f} errors; "
              f"{inside} of {len(rows)} within two", flush=True)
    worst = max(everything, key=lambda row: abs(row[0]) / max(row[1], 1e-9))
    print(f"{within} of {len(everything)} positions within two errors; the farthest {worst[0]:+.4f} ± {worst[1]:.4f} at {worst[2]}")
    return good and within >= 0.92 * len(everything)


def main():
    words = sys.argv[1:]
    if not 2 <= len(words) <= 5:
        sys.exit(__doc__)
    program, folder = words[:2]
    if subprocess.call([NEEDS, __file__, program, folder]):
        sys.exit(3)
    variant = words[2] if len(words) > 2 else "hypergammon"
    each = int(words[3] if len(words) > 3 else 1000) // len(START_ROLLS)
    games = int(words[4]) if len(words) > 4 else 10368
    start = STARTS[variant]

    def ask(questions):
        return answers(program, folder, variant, questions)

    found = positions(ask, start, each)
    good = True
    for cube in (False, True):
        good &= report(ask, found, games, cube)
    sys.exit(not good)


main()
