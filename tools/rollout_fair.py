#!/usr/bin/env python3
"""Do rollouts scatter around the exact value as they say?

    tools/rollout_fair.py --gammond target/release/gammond [--races FILE --bearoff DIR]

Rolls out, cubeless and to the end of the games, 50 bearoffs of at most six checkers a side (exact value: the two-sided table), 50 of
7 to 15 checkers (the one-sided table), and with `--races` the first 50 positions of FILE (the tables of DIR), which are played and
whose luck is judged by the nets alone. Each has dice of its own. z is (rollout - exact value) / standard error. Prints its mean, its spread
and the largest without variance reduction; with it the errors are so small that what one-sided tables leave out (the other side's need)
and errors of play weigh more, so that the differences themselves are printed as well, in thousandths of a point.
"""
import argparse
import base64
import json
import math
import os
import random
import subprocess
import sys

COUNT = 50


def ident(sides):
    bits = place = 0
    for side in sides:
        for count in side:
            bits |= ((1 << count) - 1) << place
            place += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def bearoffs(rng, least, most):
    while True:
        sides = []
        for _ in range(2):
            side = [0] * 25
            for _ in range(rng.randint(least, most)):
                side[rng.randrange(6)] += 1
            sides.append(side)
        yield ident(sides)


def asked(args, lines, *more):
    text = subprocess.run([args.gammond, "pipe", "--format", "json", *more], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def chosen(args, positions, *more):
    """The first positions in which something is open, with their exact equities."""
    batch = [next(positions) for _ in range(8 * COUNT)]
    answers = asked(args, [f"eval {one} cubeful=off jacoby=off" for one in batch], *more)
    found = []
    for one, answer in zip(batch, answers, strict=True):
        if 0.1 < answer["probabilities"]["win"] < 0.9:
            found.append((one, answer["equity"]["cubeless"], answer["class"]))
    return found[:COUNT]


def report(args, name, known, *more):
    for vr in ("off", "on"):
        how = f"cubeful=off jacoby=off truncate=never trials={args.trials} vr={vr}"
        answers = asked(args, [f"rollout {one} {how} seed={seed}" for seed, (one, _, _) in enumerate(known)], *more)
        scores, differences = [], []
        for (_, exact, _), answer in zip(known, answers, strict=True):
            one = answer["candidates"][0]
            difference, error = one["equity"]["cubeless"] - exact, one["error"]["cubeless"]
            differences.append(1000 * difference)
            if error > 1e-4:
                scores.append(difference / error)
        if len(scores) < 2:
            print(f"{name}, vr {vr}: nothing scatters")
            continue
        mean = sum(scores) / len(scores)
        spread = math.sqrt(sum((z - mean) ** 2 for z in scores) / (len(scores) - 1))
        print(f"{name}, vr {vr}: {len(scores)} positions, mean of z {mean:+.3f} (+- {1 / math.sqrt(len(scores)):.3f}), "
              f"spread {spread:.3f}, largest {max(map(abs, scores)):.2f}; differences: mean {sum(differences) / len(differences):+.2f}, "
              f"root mean square {math.sqrt(sum(d * d for d in differences) / len(differences)):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gammond", default="gammond")
    parser.add_argument("--races")
    parser.add_argument("--bearoff")
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, args.gammond, *filter(None, [args.races, args.bearoff])]):
        sys.exit(3)
    rng = random.Random(args.seed)
    none = ("--bearoff", "none")
    for name, least, most in (("two-sided", 2, 6), ("one-sided", 7, 15)):
        report(args, name, chosen(args, bearoffs(rng, least, most), *none), *none)
    if args.races:
        with open(args.races) as lines:
            positions = iter([line.split()[0] for line in lines])
        known = chosen(args, positions, "--bearoff", args.bearoff)
        known = [one for one in known if one[2].startswith("bearoff")]
        report(args, "races by the nets", known, *none)
    return 0


if __name__ == "__main__":
    sys.exit(main())
