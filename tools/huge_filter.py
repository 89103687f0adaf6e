#!/usr/bin/env python3
"""Does gammond choose what GNU Backgammon chooses, with its nets, 2 plies and the huge filter?

    tools/huge_filter.py --gammond target/release/gammond --moves ../shared/oracle/moves.jsonl.gz --count 500 \
        ../shared/data/benchmark-sample/{contact,crashed,race}.bm

Records of benchmark files are money without cube or Jacoby rule; `--moves` are decisions with a GNUbg ID each (`gnubgid`, `dice`,
`n` plays), with the cube. GNU Backgammon is asked itself, one thread, its memory emptied before each. Prints how many choices are
the same, and each that is not, with gammond's equities of both.
"""
import argparse
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile

ASK = r'''
import os
import gnubg
gnubg.command("set threads 1")
gnubg.command("set display off")
gnubg.command("set jacoby off")
gnubg.command("new session")
for plies in (1, 2):
    gnubg.command("set evaluation movefilter %d 0 0 20 0.44" % plies)
out = open(os.environ["CHOICES"], "w")
for line in open(os.environ["DECISIONS"]):
    ids, one, two, cubeful = line.split()
    if cubeful == "1":
        gnubg.command("set gnubgid " + ids)
        cube = gnubg.cubeinfo()
    else:
        cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0)
    gnubg.command("clear cache")
    how = gnubg.evalcontext(int(cubeful), 2, 1, 1, 0.0)
    board = gnubg.positionfromid(ids.split(":")[0])
    play = gnubg.findbestmove(board, cube, how, (int(one), int(two)))
    out.write("%s\n" % " ".join(map(str, play)))
out.close()
'''


def of_key(key):
    """The Position ID of a key of twenty letters."""
    numbers = bytes((ord(a) - 65) << 4 | (ord(b) - 65) for a, b in zip(key[::2], key[1::2]))
    return base64.b64encode(numbers).decode().rstrip("=")


def sides(ident):
    """Checkers of the opponent and of the player on roll, by point and on the bar."""
    bits = int.from_bytes(base64.b64decode(ident + "=="), "little")
    counts = [[0] * 25, [0] * 25]
    for side in counts:
        for point in range(25):
            while bits & 1:
                side[point] += 1
                bits >>= 1
            bits >>= 1
    return counts


def ident_of(first, second):
    bits = place = 0
    for side in (first, second):
        for count in side:
            bits |= ((1 << count) - 1) << place
            place += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def after(ident, play):
    """The position after gnubg's play, the opponent on roll."""
    other, mine = sides(ident)
    for source, target in zip(play[::2], play[1::2]):
        mine[source - 1] -= 1
        if target > 0:
            mine[target - 1] += 1
            if other[24 - target] == 1:
                other[24 - target] = 0
                other[24] += 1
    return ident_of(mine, other)


def decisions(args):
    for name in args.files:
        with open(name) as lines:
            for line in lines:
                if line.startswith("m "):
                    words = line.split()
                    yield of_key(words[1]), words[2], words[3], 0
    if args.moves:
        left = args.count
        with gzip.open(args.moves, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                if row["n"] > 1 and left > 0:
                    left -= 1
                    yield row["gnubgid"], *map(str, row["dice"]), 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--gammond", default="gammond")
    parser.add_argument("--gnubg", default="gnubg")
    parser.add_argument("--weights", default="/usr/lib/gnubg/gnubg.wd")
    parser.add_argument("--moves")
    parser.add_argument("--count", type=int, default=500)
    args = parser.parse_args()
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, args.gammond, args.gnubg, args.weights, *args.files]):
        sys.exit(3)
    asked = list(decisions(args))
    lines = [f"move {ids} {a}{b} plies=2 filter=huge top=0 " + ("" if cubeful else "cubeful=off jacoby=off")
             for ids, a, b, cubeful in asked]
    ours = subprocess.run([args.gammond, "pipe", "--nets", args.weights, "--bearoff", "none", "--format", "json"],
                          input="\n".join(lines) + "\n", text=True, capture_output=True, check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("ask.py", "decisions", "choices")}
        with open(paths["ask.py"], "w") as script:
            script.write(ASK)
        with open(paths["decisions"], "w") as out:
            out.writelines(f"{ids} {a} {b} {cubeful}\n" for ids, a, b, cubeful in asked)
        around = dict(os.environ, DECISIONS=paths["decisions"], CHOICES=paths["choices"])
        subprocess.run([args.gnubg, "-t", "-q", "-r", "-p", paths["ask.py"]], env=around,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        with open(paths["choices"]) as found:
            theirs = [list(map(int, line.split())) for line in found]
    same = [0, 0]
    counts = [0, 0]
    for (ids, a, b, cubeful), answer, play in zip(asked, ours, theirs, strict=True):
        plays = json.loads(answer)["plays"]
        wanted = after(ids.split(":")[0], play)
        equity = {one["position"]: one["equity"] for one in plays}
        counts[cubeful] += 1
        if plays[0]["position"] == wanted:
            same[cubeful] += 1
        else:
            print(f"{ids} {a}{b}: gammond {plays[0]['play']} {plays[0]['equity']}, gnubg {play} {equity.get(wanted)}")
    print(f"records without cube: {same[0]} of {counts[0]}; decisions with the cube: {same[1]} of {counts[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
