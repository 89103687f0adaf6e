#!/usr/bin/env python3
"""Rolls out the best plays of the 15 opening rolls and prints them as a table for protocol-specs/openings.md.

usage: tools/openings.py [GAMMOND [TRIALS [SEED]]]

Money, Jacoby on, cube in play, 0 plies for plays and cube; up to four plays that two plies rank first. A play four
joint standard errors behind the best is left alone (jsd=4). GAMMOND is the program (default: gammond).
"""
import json
import subprocess
import sys

START = "4HPwATDgc/ABMA"


def rolled_out(program, roll, trials, seed):
    words = [program, "rollout", START, roll, "top=4", f"trials={trials}", f"seed={seed}",
             "jsd=4", "jacoby=on", "--format", "json"]
    run = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "gammond"
    trials = sys.argv[2] if len(sys.argv) > 2 else "10368"
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    print("| roll | play | cubeful | behind | cubeless | wins | gammons | games |")
    print("|---|---|---|---|---|---|---|---|")
    for high in range(2, 7):
        for low in range(1, high):
            found = rolled_out(program, f"{high}{low}", trials, seed)
            best = found["candidates"][0]["equity"]["cubeful"]
            for place, one in enumerate(found["candidates"]):
                equity, error, chance = one["equity"], one["error"], one["probabilities"]
                cells = [
                    f"{high}{low}" if place == 0 else "",
                    one["play"],
                    f"{equity['cubeful']:+.4f} ± {error['cubeful']:.4f}",
                    f"{best - equity['cubeful']:.4f}" if place else "",
                    f"{equity['cubeless']:+.4f} ± {error['cubeless']:.4f}",
                    f"{100 * chance['win']:.1f} %",
                    f"{100 * chance['win_gammon']:.1f} - {100 * chance['lose_gammon']:.1f} %",
                    f"{one['trials']:,}",
                ]
                print("| " + " | ".join(cells) + " |", flush=True)


main()
