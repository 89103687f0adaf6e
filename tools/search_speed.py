#!/usr/bin/env python3
"""Compares the CPU time of our search with gnubg's, in alternating runs on one thread.

usage: tools/search_speed.py MOVES.jsonl.gz BENCH_PROGRAM [NETS...]

MOVES is a file of recorded decisions (one JSON object a line with gnubgid, dice, cls, match_len);
BENCH_PROGRAM is the compiled `tests/benches/search.rs`; NETS are what it shall play with
(`embedded`, `embedded:fast`, or a weight file). Prints a table of seconds and ratios: the lowest of
ROUNDS runs of each (3 unless set), gnubg and ours taking turns.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTS = {0: 200, 1: 50, 2: 20, 3: 5}
ROUNDS = int(os.environ.get("ROUNDS", "3"))
PLIES = [int(c) for c in os.environ.get("PLIES", "0123")]


def gnubg(task):
    environment = dict(os.environ, GAMMOND_SPEED=task, PATH=os.environ["PATH"] + ":/usr/games")
    script = os.path.join(HERE, "search_speed_gnubg.py")
    run = subprocess.run(["gnubg", "-t", "-q", "-p", script], env=environment, text=True,
                         stdin=subprocess.DEVNULL, capture_output=True, check=False)
    for line in run.stdout.splitlines():
        if "SPENT" in line:
            return float(line.split("SPENT")[1])
    raise SystemExit("gnubg gave no figure:\n" + run.stdout[-500:] + run.stderr[-500:])


def ours(program, nets, task, threads=1):
    run = subprocess.run([program, nets, task, str(threads)], text=True, capture_output=True,
                         check=True)
    fields = run.stdout.split()
    return float(fields[fields.index("CPU") + 1]), float(fields[fields.index("WALL") + 1])


def main():
    moves, program, *nets = sys.argv[1:]
    if subprocess.call([os.path.join(HERE, "needs"), __file__, "gnubg", moves, program]):
        sys.exit(3)
    nets = nets or ["embedded"]
    with gzip.open(moves, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row["cls"] == "contact" and row["match_len"] == 0
            and row["n"] > 1]
    print("kind plies  gnubg s/decision   " + "   ".join(f"{net}: s, times faster" for net in nets))
    for kind in ("play", "cube"):
        for plies in PLIES:
            items = [(row["gnubgid"], row["dice"]) for row in rows[:COUNTS[plies]]]
            with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
                json.dump({"kind": kind, "plies": plies, "items": items}, file)
            theirs, mine = [], {net: [] for net in nets}
            for _ in range(ROUNDS):
                theirs.append(gnubg(file.name))
                for net in nets:
                    mine[net].append(ours(program, net, file.name)[0])
            os.unlink(file.name)
            # The lowest: other work on the machine only adds.
            reference = min(theirs)
            cells = []
            for net in nets:
                lowest = min(mine[net])
                cells.append(f"{lowest:.6f} {reference / lowest:6.1f}x")
            print(f"{kind} {plies}  {reference:.6f}   " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
