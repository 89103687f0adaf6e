"""The gnubg side of tools/search_speed.py: run by `gnubg -t -q -p`, CPU seconds per decision.

Reads what to do from GAMMOND_SPEED: a JSON object with `items` (GNUbg ID and dice), `kind`
(play or cube) and `plies`. The cache is emptied before every decision.
"""
import json
import os
import time

import gnubg

task = json.loads(open(os.environ["GAMMOND_SPEED"]).read())
gnubg.command("set threads 1")
gnubg.command("set output matchpc off")
context = gnubg.evalcontext(1, task["plies"], 1, 1, 0.0)
prepared = []
gnubg.command("new game")
for ident, dice in task["items"]:
    gnubg.command("set gnubgid " + ident)
    prepared.append((gnubg.board(), gnubg.cubeinfo(), tuple(dice)))
spent = 0.0
for board, cube, dice in prepared:
    gnubg.command("clear cache")
    start = time.process_time()
    if task["kind"] == "play":
        gnubg.findbestmove(board, cube, context, dice)
    else:
        gnubg.cfevaluate(board, cube, context)
    spent += time.process_time() - start
print("SPENT", spent / len(prepared))
