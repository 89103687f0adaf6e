"""Prints 60,000 short races in which a side has a last checker or a few outside its home, as Position IDs: starts of
games for race-8. `stragglers.py 3000 "stragglers 2"` prints the 3,000 that it was measured on.
"""
import base64
import random
import sys


def position_id(on_roll, opponent):
    bits, at = 0, 0
    for side in (opponent, on_roll):
        for count in side:
            bits |= ((1 << count) - 1) << at
            at += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode()[:14]


def side(rng, outside):
    """The checkers of one side, and how many of them are outside."""
    board = [0] * 25
    count = min(rng.randint(1, 15), rng.randint(1, 15))
    stray = min(count, rng.choice((1, 1, 1, 2, 2, 3))) if outside else 0
    top = rng.choice((9, 12, 12, 18))
    for _ in range(stray):
        board[rng.randint(6, top - 1)] += 1
    deep = rng.randint(1, 6)
    for _ in range(count - stray):
        board[rng.randint(0, deep - 1) if rng.random() < 0.7 else rng.randint(0, 5)] += 1
    return board, stray


def last(board):
    return max(point for point, count in enumerate(board) if count)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    rng = random.Random(sys.argv[2] if len(sys.argv) > 2 else "stragglers 1")
    made = set()
    while len(made) < count:
        which = rng.random()
        (mine, my_strays), (theirs, their_strays) = side(rng, which < 0.7), side(rng, which > 0.5)
        if my_strays + their_strays and last(mine) + last(theirs) <= 22:
            made.add(position_id(mine, theirs))
    print("\n".join(sorted(made)))


main()
