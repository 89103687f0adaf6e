"""The gnubg side of tools/decision_loss.py --cube: run by `gnubg -t -q -p`.

Reads GAMMOND_DECISIONS: a JSON object with `items` (Position ID, owner of the cube) and `plies`; money without
Jacoby and beavers, the owner on roll. Prints what gnubg would do: for each whether to double and whether to take.
"""
import json
import os

import gnubg

task = json.loads(open(os.environ["GAMMOND_DECISIONS"]).read())
gnubg.command("set threads 1")
gnubg.command("set jacoby off")
gnubg.command("new session")
context = gnubg.evalcontext(1, task["plies"], 1, 1, 0.0)
found = []
for ident, owner in task["items"]:
    turned = owner != "center"
    cube = gnubg.cubeinfo(2 if turned else 1, 1 if turned else -1, 1, 0, (0, 0), 0)
    answer = gnubg.cfevaluate(gnubg.positionfromid(ident), cube, context)
    optimal, none, take, drop = answer[:4]
    found.append((min(take, drop) >= none, take <= drop))
print("DOUBLES " + json.dumps(found))
