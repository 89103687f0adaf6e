#!/usr/bin/env python3
"""Rolls out the best plays of the 15 opening rolls, or of the 21 replies to each, and prints them as tables.

usage: tools/openings.py [GAMMOND [TRIALS [SEED]]]                   for protocol-specs/openings.md
       tools/openings.py --replies KEPT [GAMMOND [TRIALS [SEED]]]    for protocol-specs/opening-replies.md

Money, Jacoby on, cube in play, 0 plies for plays and cube. Openings: games to their end, up to four plays that two
plies rank first; a play four joint standard errors behind the best is left alone (jsd=4). Replies: to the play of each
opening roll that protocol-specs/openings.md has first; games of ten turns, then what the nets say, up to three plays,
jsd=3; the file KEPT holds what is known, and the same command goes on there. GAMMOND is the program (default:
gammond).
"""
import json
import os
import subprocess
import sys

START = "4HPwATDgc/ABMA"
OPENINGS = os.path.join(os.path.dirname(__file__), "..", "protocol-specs", "openings.md")


def asked(program, *words):
    run = subprocess.run([program, *words, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def with_error(equity, error):
    """An equity with its standard error, which rollouts of fewer than 72 games do not have."""
    return f"{equity:+.4f}" if error is None else f"{equity:+.4f} ± {error:.4f}"


def rolls(doubles):
    """Rolls, the higher die first."""
    return [f"{high}{low}" for high in range(1, 7) for low in range(1, high + (1 if doubles else 0))]


def row(cells):
    """A row of a table of Markdown, without spaces where it would be too long."""
    line = "| " + " | ".join(cells) + " |"
    return line if len(line) <= 120 else "|" + "|".join(cells) + "|"


def openings(program, trials, seed):
    print("| roll | play | cubeful | behind | cubeless | wins | gammons | games |")
    print("|---|---|---|---|---|---|---|---|")
    for roll in rolls(False):
        found = asked(program, "rollout", START, roll, "top=4", f"trials={trials}", f"seed={seed}", "jsd=4", "jacoby=on")
        best = found["candidates"][0]["equity"]["cubeful"]
        for place, one in enumerate(found["candidates"]):
            equity, error, chance = one["equity"], one["error"], one["probabilities"]
            cells = [
                roll if place == 0 else "",
                one["play"],
                with_error(equity["cubeful"], error["cubeful"]),
                f"{best - equity['cubeful']:.4f}" if place else "",
                with_error(equity["cubeless"], error["cubeless"]),
                f"{100 * chance['win']:.1f} %",
                f"{100 * chance['win_gammon']:.1f} - {100 * chance['lose_gammon']:.1f} %",
                f"{one['trials']:,}",
            ]
            print(row(cells), flush=True)


def first_plays(program):
    """Of each opening roll the play that was found best, and the position after it."""
    plays = {}
    with open(OPENINGS, encoding="utf-8") as lines:
        for line in lines:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) > 2 and cells[0] in rolls(False):
                plays[cells[0]] = cells[1]
    for roll, play in plays.items():
        listed = asked(program, "move", START, roll)["plays"]
        yield roll, play, next(one["position"] for one in listed if one["play"] == play)


def judged(program, position, reply, trials, seed, opening):
    found = asked(program, "rollout", position, reply, "top=3", f"trials={trials}", f"seed={seed}", "jsd=3",
                  "truncate=10", "jacoby=on")
    return {"opening": opening, "reply": reply, "trials": trials, "seed": seed, "candidates": [
        [one["play"], one["equity"]["cubeful"], one["error"]["cubeful"], one["equity"]["cubeless"], one["trials"]]
        for one in found["candidates"]]}


def replies(kept, program, trials, seed):
    known = {}
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):  # a last line that was cut off is made again
                    one = json.loads(line)
                    if (one["trials"], one["seed"]) == (trials, seed):
                        known[one["opening"], one["reply"]] = one
    with open(kept, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(one) + "\n" for one in known.values())
    for opening, play, position in first_plays(program):
        print(f"\n## {opening}: {play}\n\n| reply | best | cubeful | cubeless | next | behind | third | behind |")
        print("|---|---|---|---|---|---|---|---|")
        for reply in rolls(True):
            if (opening, reply) not in known:
                known[opening, reply] = judged(program, position, reply, trials, seed, opening)
                with open(kept, "a", encoding="utf-8") as out:
                    out.write(json.dumps(known[opening, reply]) + "\n")
            (best, cubeful, error, cubeless, _), *others = known[opening, reply]["candidates"]
            cells = [reply, best, f"{cubeful:+.3f} ± {error:.3f}", f"{cubeless:+.3f}"]
            for name, value, own, _, _ in others:
                # Both throw the same dice, but that brings next to nothing: the errors are taken as independent.
                cells += [name, f"{cubeful - value:.3f} ± {(error * error + own * own) ** 0.5:.3f}"]
            cells += [""] * (8 - len(cells))
            print(row(cells), flush=True)


def main():
    words = sys.argv[1:]
    kept = None
    if words[:1] == ["--replies"]:
        if len(words) < 2:
            sys.exit(__doc__)
        kept, words = words[1], words[2:]
    program = words[0] if words else "gammond"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, program]):
        sys.exit(3)
    trials = int(words[1]) if len(words) > 1 else (5184 if kept else 10368)
    seed = int(words[2]) if len(words) > 2 else 1
    if kept:
        replies(kept, program, trials, seed)
    else:
        openings(program, trials, seed)


main()
