"""Every decision of gammond in recorded matches, beside what GNU Backgammon decides itself there.

    gammond serve --listen 127.0.0.1:4322 --nets /usr/lib/gnubg/gnubg.wd
    ../shared/tools/gnubg_vs_external.py 127.0.0.1:4322 --match-length 7 --matches 100 --engine-player 1 \
        --gnubg-plies 0 --wire-log wire.txt
    WIRE=wire.txt SEAT=1 gnubg -t -q -p tools/match_decisions_gnubg.py </dev/null

Score, cube owner and seat are taken from the names in the lines and from SEAT, not from the rules that gammond
reads them by, so that a slip of orientation would show. Both must use the same weights, without look-ahead.
Prints how many decisions agree, and those that do not with gnubg's equities. Ties and last digits do differ.
"""
import os
import re

gnubg.command("set threads 1")
static = gnubg.evalcontext(1, 0, 1, 0, 0.0)
sign = 1 if os.environ["SEAT"] == "1" else -1
counts, different = {}, []


def after(me, opponent, steps):
    me, opponent = list(me), list(opponent)
    for source, to in sorted(steps, reverse=True):
        me[source] -= 1
        if to >= 0:
            if opponent[23 - to] == 1:
                opponent[23 - to] = 0
                opponent[24] += 1
            me[to] += 1
    return tuple(opponent), tuple(me)


def steps_of(reply):
    index = lambda text: 24 if text == "bar" else -1 if text == "off" else int(text) - 1
    chains = ([index(point) for point in part.split("/")] for part in reply.split())
    return [step for chain in chains for step in zip(chain, chain[1:])]


def decide(question, reply):
    """(kind, whether both decide the same, what gnubg says)"""
    fields = question.split(":")
    score = dict(zip(fields[1:3], map(int, fields[4:6])))
    points, dice = [int(f) for f in fields[6:32]], (int(fields[33]), int(fields[34]))
    high = [max(count, 0) for count in points[1:25]] + [abs(points[25])]
    low = [max(-points[25 - i], 0) for i in range(1, 25)] + [abs(points[0])]
    me, opponent = (tuple(high), tuple(low)) if sign > 0 else (tuple(low), tuple(high))
    mine, theirs = (fields[38], fields[39]) if sign > 0 else (fields[39], fields[38])
    owner = -1 if mine == theirs else int(mine == "1")

    def cube(on_roll):
        # We are gnubg's player 1 here.
        return gnubg.cubeinfo(int(fields[37]), owner, on_roll, int(fields[3]), (score["gnubg"], score["engine"]),
                              int(fields[52] == "0"))

    if reply.startswith("resign"):
        return "resignation", True, None
    if fields[40] == "1":
        found = gnubg.cfevaluate((me, opponent), cube(0), static)
        return "take", reply == ("take" if found[2] <= found[3] else "drop"), found
    if dice == (0, 0):
        found = gnubg.cfevaluate((opponent, me), cube(1), static)
        double = re.match("(?i)double|redouble|optional", found[5]) is not None
        return "double", reply == ("double" if double else "roll"), found
    found = gnubg.findbestmove((opponent, me), cube(1), static, dice) or ()
    theirs = [(found[i] - 1, found[i + 1] - 1) for i in range(0, len(found), 2)]
    boards = [after(me, opponent, steps) for steps in (theirs, steps_of(reply))]
    if boards[0] == boards[1]:
        return "play", True, None
    return "play", False, (found, [gnubg.evaluate(board[::-1], cube(0), static)[5] for board in boards])


with open(os.environ["WIRE"]) as lines:
    for line in lines:
        _, arrow, text = line.rstrip("\n").split(" ", 2)
        if arrow == ">":
            question = text
            continue
        kind, same, found = decide(question, text.strip())
        counts[kind, same] = counts.get((kind, same), 0) + 1
        if not same:
            different.append((kind, question, text, found))
for item in different:
    print(item)
for (kind, same), count in sorted(counts.items()):
    print(f"{kind}: {count} {'the same' if same else 'DIFFERENT'}")
