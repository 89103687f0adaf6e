#!/usr/bin/env python3
"""CPU time of the cube at every score, 7 by 7: 49 questions to gnubg's console, one `scores` of gammond, and 49 `cube`
of gammond in one process, whose cache they share.

    tools/gnubg/scores_time.py GAMMOND [PLIES [POSITION...]]

Both run on one thread as a process of their own for each position; the time of a process that sets everything and asks
nothing is taken off. gnubg keeps its cache between the questions. A player who needs one point is past the Crawford
game, where the cube is often dead and nothing to compute. Ends with 1 unless gnubg shows each position and score.
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
AWAY = 7
# Contact positions of tests/data/oracle/moves.jsonl.gz.
POSITIONS = [
    "hg94AGzeuwMAAA", "LeaRAyDM5sIDQA", "7vGAATCatsQBMA", "kuuRATCMZ+IBDA",
    "sOfgASTgOfIAJg", "4PPgCSCYZ/ABMA", "4GvwASHgefAAWA", "zzuDEAAO6wDMSA",
]
GNUBG = os.environ.get("GNUBG", "/usr/games/gnubg")


def spent(words, text, **options):
    """The output of a program, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(words, input=text, capture_output=True, text=True, check=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ids(program, position):
    """The GNUbg IDs of a position at all scores."""
    scores = [(mine, theirs) for mine in range(AWAY) for theirs in range(AWAY)]
    lines = [f"convert {position} length={AWAY} score={mine}:{theirs} crawford=off\n" for mine, theirs in scores]
    out, _ = spent([program, "pipe"], "".join(lines))
    return [json.loads(line)["gnubgid"] for line in out.splitlines()]


def gnubg(program, position, plies, home):
    """CPU seconds of the questions, and how many of them gnubg had to compute for."""
    known = ids(program, position)
    head = ["set threads 1", "set automatic game off", "set automatic roll off",
            f"set evaluation cubedecision evaluation plies {plies}", "set output rawboard off"]
    asked, idle = list(head), list(head)
    for one in known:
        asked += [f"set gnubgid {one}", "show board", "hint"]
        idle += [f"set gnubgid {one}", "show board"]
    run = [GNUBG, "-t", "-q", "-r"]
    options = {"env": {**os.environ, "HOME": home, "LC_ALL": "C"}, "cwd": home}
    out, time = spent(run, "\n".join(asked) + "\n", **options)
    _, without = spent(run, "\n".join(idle) + "\n", **options)
    for one in known:
        board, match = one.split(":")
        if not re.search(rf"Position ID: {re.escape(board)}\s+Match ID +: {re.escape(match)}", out):
            sys.exit(f"gnubg does not show {one}")
    return time - without, len(re.findall(r"^Cube analysis", out, re.MULTILINE))


def ours(program, position, plies):
    """CPU seconds of one `scores`, and of 49 `cube` in one process; the least of three runs."""
    run = [program, "pipe", "--threads", "1"]
    # Other positions, at which all nets are unpacked and nothing of this one is evaluated.
    idle = "".join(f"rolls {other} plies=0\n" for other in POSITIONS if other != position)
    single = "".join(f"cube {one} plies={plies}\n" for one in ids(program, position))
    texts = "", f"scores {position} plies={plies} away={AWAY}\n", single
    without, together, apart = (min(spent(run, idle + text)[1] for _ in range(3)) for text in texts)
    return together - without, apart - without


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, plies = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "2"
    if subprocess.call([os.path.join(ROOT, "tools", "needs"), __file__, program, GNUBG]):
        sys.exit(3)
    positions, rows = sys.argv[3:] or POSITIONS, []
    with tempfile.TemporaryDirectory() as home:
        for position in positions:
            theirs, computed = gnubg(program, position, plies, home)
            row = [theirs, *ours(program, position, plies)]
            rows.append(row)
            theirs, mine, single = (1000 * time for time in row)
            print(f"{position}: gnubg {theirs:.0f} ms for {computed} of {AWAY * AWAY} scores, scores {mine:.1f} ms, "
                  f"single questions {single:.0f} ms", flush=True)
    theirs, mine, single = (1000 * sum(column) / len(rows) for column in zip(*rows))
    print(f"mean: gnubg {theirs:.0f} ms, scores {mine:.1f} ms: {theirs / mine:.1f} times as fast as gnubg, "
          f"{single / mine:.1f} as single questions")


main()
