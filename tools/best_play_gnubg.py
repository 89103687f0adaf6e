"""What GNU Backgammon needs for a best play without look-ahead, one thread, CPU time.

    DECISIONS=FILE gnubg -t -q -p tools/best_play_gnubg.py </dev/null

FILE has lines `POSITIONID DIE DIE PLAYS` (PLAYS: how many legal plays there are). Each call from Python costs
some time of its own, so the time is split by least squares into a part for each call and a part for each play.
"""
import os
import time

gnubg.command("set threads 1")
gnubg.command("new session")
cube = gnubg.cubeinfo()
static = gnubg.evalcontext(0, 0, 1, 0, 0.0)
with open(os.environ["DECISIONS"]) as lines:
    decisions = [line.split() for line in lines]
items = [(gnubg.positionfromid(d[0]), (int(d[1]), int(d[2])), int(d[3])) for d in decisions]
items = [item for item in items if item[2] > 1]
for _ in range(3):
    gnubg.command("clear cache")
    points = []
    for board, dice, plays in items:
        start = time.process_time()
        gnubg.findbestmove(board, cube, static, dice)
        points.append((plays, (time.process_time() - start) * 1e6))
    count = len(points)
    mean_plays = sum(plays for plays, _ in points) / count
    mean_time = sum(spent for _, spent in points) / count
    slope = sum((plays - mean_plays) * (spent - mean_time) for plays, spent in points)
    slope /= sum((plays - mean_plays) ** 2 for plays, _ in points)
    print(f"{count} decisions of {mean_plays:.1f} plays: {mean_time:.0f} us each, of it "
          f"{slope:.2f} us a play and {mean_time - slope * mean_plays:.0f} us a call")
