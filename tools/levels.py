#!/usr/bin/env python3
"""Levels by error rate (protocol-specs/levels.md): the tables of that page, made by the program.

    tools/levels.py positions GAMMOND           what people of three rates and an engine with noise play
    tools/levels.py measured GAMMOND MATCHES    error rates in matches against themselves and against 0 plies
    tools/levels.py matches GAMMOND MATCHES     shares of matches to 7 points that rates win

Matches are played by `gammond duel` and judged by `gammond analyse`, both as their users call them.
"""
import json, math, subprocess, sys, tempfile
from pathlib import Path

START = "4HPwATDgc/ABMA"
# Three openings, a reply, and six positions that people have misplayed, by chance.
POSITIONS = [
    (START, "64"),
    (START, "41"),
    (START, "62"),
    ("4PPgASTgc/ABMA", "43"),
    ("4HPhASLgc+QBKA:cIlqACAAEAAE", "52"),
    ("4HPwgGDbGOIDBA:cAlzAAAACAAE", "64"),
    ("mGfwATDg8+ABKA:cImyACAAGAAE", "54"),
    ("wdvBAQbg28ExAA:cIlmAAAAAAAE", "51"),
    ("7gAIAJ9nAlAgAA:UQmrAAAAAAAE", "62"),
    ("MxtMJQRfPwMAEA:QQmrAAAAAAAE", "62"),
]
RATES = [4, 8, 15]
# Noise with which the engine at 0 plies errs by about 8.
NOISE = 0.03
MEASURED = [1, 2, 4, 6, 8, 12, 20]


def lines(program, questions):
    """Answers to lines, as JSON."""
    done = subprocess.run([program], input="\n".join(questions) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def positions(program):
    print("| position and roll | best | people | plays |\n|---|---|---|---|")
    for position, roll in POSITIONS:
        ask = f"move {position} {roll}"
        best, noisy, *people = lines(program, [f"{ask} plies=2 filter=swift top=1", f"{ask} noise={NOISE} top=1"]
                                     + [f"{ask} pr={rate}" for rate in RATES])
        place, best = f"`{position}` {roll}", best["plays"][0]["play"]
        for rate, answer in zip(RATES, people):
            plays = sorted(answer["plays"], key=lambda play: -play["share"])[:2]
            shares = ", ".join(f"{play['play']} {100 * play['share']:.0f} %" for play in plays)
            print(f"| {place} | {best} | PR {rate} | {shares} |")
            place = best = ""
        print(f"| | | noise | {noisy['plays'][0]['play']} |")


def duel(program, one, other, matches, *options):
    """The score of the first player: matches won, and all."""
    command = [program, "duel", one, other, "--match", "7", "--games", str(matches), "--progress", "none", "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def rates(program, folder, name):
    """Error rates of the players whose names begin so in the matches of a folder, by match."""
    done = subprocess.run([program, "analyse", *sorted(map(str, Path(folder).glob("*.mat"))), "--format", "json",
                           "--progress", "none"], capture_output=True, text=True)
    found = []
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        for player, totals in zip(answer["players"], answer["totals"]):
            if player.startswith(name) and totals["error_rate"]["pr"] is not None:
                found.append((totals["error_rate"]["pr"], totals["counted"]))
    return found


def measured(program, matches):
    print("| asked for | against itself | against 0 plies |")
    print("|---|---|---|")
    for rate in MEASURED:
        cells = []
        for other in [f"pr:{rate}:seed=2", "gammond:plies=0"]:
            with tempfile.TemporaryDirectory() as folder:
                duel(program, f"pr:{rate}:seed=1", other, matches, "--mat", folder)
                all_rates = rates(program, folder, f"pr {rate} ")
                count = sum(number for _, number in all_rates)
                mean = sum(pr * number for pr, number in all_rates) / count
                spread = sum((number * (pr - mean)) ** 2 for pr, number in all_rates)
                cells.append(f"{mean:.2f} ± {math.sqrt(spread) / count:.2f}")
        print(f"| {rate} | {' | '.join(cells)} |", flush=True)


def matches(program, number):
    print("| | " + " | ".join(f"PR {other}" for other in RATES) + " |")
    print("|---|" + "---|" * len(RATES))
    for rate in [2, 4, 8, 12, 20, 30]:
        cells = []
        for other in RATES:
            if rate == other:
                cells.append("50 %")
                continue
            # Without the luck of the dice a fortieth of the matches has the same error.
            result = duel(program, f"pr:{rate}:seed=1", f"pr:{other}:seed=2", number, "--luck-adjusted", "embedded:fast")
            cells.append(f"{100 * result['matches_won']:.1f} ± {100 * result['standard_error']:.1f} %")
        print(f"| PR {rate} | {' | '.join(cells)} |", flush=True)


def main():
    what, program, *rest = sys.argv[1:]
    if subprocess.call([str(Path(__file__).with_name("needs")), __file__, program]):
        sys.exit(3)
    {"positions": positions, "measured": measured, "matches": matches}[what](program, *map(int, rest))


main()
