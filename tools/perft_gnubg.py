"""Perft counts by GNU Backgammon itself, used as a black box: `tests/data/perft/*.txt`.

    PERFT_IN=list.txt PERFT_OUT=counts.txt gnubg -t -q -p tools/perft_gnubg.py </dev/null

The list has lines `POSITIONID DEPTH`; the counts get lines `POSITIONID DEPTH COUNT`. What is
counted: rules PERFT-01 to PERFT-03 of protocol-specs/play-notation.md. Plays are listed by
gnubg's `hint` and made by its `move`, so nothing of gammond takes part.
"""

import os

import gnubg

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def ready(position, roll):
    gnubg.command("set board " + position)
    gnubg.command("set turn 1")
    gnubg.command("set dice %d %d" % roll)


def plays(position, roll):
    """gnubg's texts of all plays; none for a dance."""
    ready(position, roll)
    return [hint["move"] for hint in (gnubg.hint(4000) or {}).get("hint", [])]


def over(position):
    return any(sum(side) == 0 for side in gnubg.positionfromid(position))


def after(position, roll, play):
    """The Position ID after the play, the opponent on roll."""
    ready(position, roll)
    before = [list(side) for side in gnubg.positionfromid(position)]
    opponent, me = before
    for start, end in gnubg.parsemove(play):
        me[start - 1] -= 1
        if end > 0:
            me[end - 1] += 1
            hit = opponent[24 - end]
            opponent[24 - end] = 0
            opponent[24] += hit
    return gnubg.positionid((me, opponent))


def perft(position, depth):
    if depth == 0:
        return 1
    if over(position):
        return 0
    count = 0
    for roll in ROLLS:
        found = plays(position, roll)
        if depth == 1:
            count += max(len(found), 1)
        elif not found:
            me, opponent = gnubg.positionfromid(position)[::-1]
            count += perft(gnubg.positionid((me, opponent)), depth - 1)
        else:
            for play in found:
                count += perft(after(position, roll, play), depth - 1)
    return count


for words in [
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set player 0 human",
    "set player 1 human",
    "set evaluation chequer eval plies 0",
    "set display off",
    "new session",
]:
    gnubg.command(words)

with open(os.environ["PERFT_IN"]) as wanted, open(os.environ["PERFT_OUT"], "w") as out:
    for line in wanted:
        position, depth = line.split()[:2]
        out.write("%s %s %d\n" % (position, depth, perft(position, int(depth))))
        out.flush()
