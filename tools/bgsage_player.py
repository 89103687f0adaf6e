#!/usr/bin/env python3
"""Lets `bgsage` (PyPI) play in duels: `gammond duel gammond 'pipe:tools/bgsage_player.py'`.

Reads `POSITIONID DIE DIE` lines, answers each with the Position ID after bgsage's cubeless money play
without Jacoby, the opponent on roll. The first argument is bgsage's level (`1ply` is its static play).
"""
import base64
import os
import subprocess
import sys

if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, "python:bgsage"],
                   env=dict(os.environ, PYTHON=sys.executable)):
    sys.exit(3)
import bgsage


def decode(text):
    """Board of the player on roll: 1..24 points, 25 his bar, 0 the other's bar (positive too)."""
    key = int.from_bytes(base64.b64decode(text + "=="), "little")
    board, bit = [0] * 26, 0
    # The player who is not on roll comes first.
    for side in (0, 1):
        for point in range(25):
            count = 0
            while key >> bit & 1:
                count, bit = count + 1, bit + 1
            bit += 1
            if side == 1:
                board[point + 1] += count
            else:
                board[24 - point if point < 24 else 0] += count if point == 24 else -count
    return board


def encode(board):
    """Position ID of the board's owner as the player *not* on roll: the play has been made."""
    bits, key = 0, 0
    for side in (1, 0):
        for point in range(25):
            if side == 1:
                count = max(board[point + 1], 0)
            else:
                count = max(-board[24 - point], 0) if point < 24 else board[0]
            key |= ((1 << count) - 1) << bits
            bits += count + 1
    return base64.b64encode(key.to_bytes(10, "little")).decode().rstrip("=")


def chosen(moves):
    """The best play's board. bgsage also lists bearing off the last checker with one die where both can be
    played by hitting first; only the latter is legal, and worth as much."""
    best = list(moves[0].board)
    if any(count > 0 for count in best[1:]):
        return best
    finished = [list(m.board) for m in moves if not any(count > 0 for count in m.board[1:])]
    return max(finished, key=lambda board: board[0])


def main():
    level = sys.argv[1] if len(sys.argv) > 1 else "1ply"
    analyzer = bgsage.create_analyzer(level, cubeful=False)
    for line in sys.stdin:
        position, first, second = line.split()
        board = decode(position)
        moves = analyzer.checker_play(board, int(first), int(second), jacoby=False).moves
        print(encode(chosen(moves) if moves else board), flush=True)


if __name__ == "__main__":
    main()
