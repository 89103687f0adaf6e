#!/usr/bin/env python3
"""Lets PureTD (MIT, its published weights) play in duels: `gammond duel gammond 'pipe:tools/puretd_player.py FILE.pt'`.

Needs the Python package `gammond`. Reads `POSITIONID DIE DIE` lines and answers each with the Position ID after the best
play by the net's static values, the opponent on roll. FILE is `cubeless_prob5_512_512_256_128.pt` or
`cubeless_money_512_512_256.pt`. `--check` prints the values of four positions instead.
"""
import sys
import zipfile

import numpy as np
from gammond import Position, arrays

#: Sizes of the layers by the number of arrays in a file. Its pickle is not read.
SHAPES = {10: (196, 512, 512, 256, 128, 5), 8: (196, 512, 512, 256, 1)}


class Net:
    def __init__(self, file):
        with zipfile.ZipFile(file) as archive:
            parts = [name for name in archive.namelist() if "/data/" in name]
            folder = parts[0].split("/")[0]
            raw = [np.frombuffer(archive.read(f"{folder}/data/{n}"), "<f4") for n in range(len(parts))]
        if len(raw) not in SHAPES:
            sys.exit(f"{file}: {len(raw)} arrays, want one of {list(SHAPES)}")
        sizes = SHAPES[len(raw)]
        self.layers = [
            (raw[2 * n].reshape(sizes[n + 1], sizes[n]).T, raw[2 * n + 1]) for n in range(len(sizes) - 1)
        ]

    def outputs(self, boards):
        # The inputs are gym-backgammon's with the player on roll as white, without the turn.
        values = arrays.to_gym_backgammon(boards)[:, :196]
        for number, (weights, bias) in enumerate(self.layers):
            values = values @ weights + bias
            if number + 1 < len(self.layers):
                values = np.maximum(values, 0)
        return values

    def chances(self, boards):
        # Logits of races pass -88, where exp overflows in float32.
        p = 1 / (1 + np.exp(-np.clip(self.outputs(boards), -80, 80)))
        p[:, 1] = np.minimum(p[:, 1], p[:, 0])
        p[:, 3] = np.minimum(p[:, 3], 1 - p[:, 0])
        p[:, 2] = np.minimum(p[:, 2], p[:, 1])
        p[:, 4] = np.minimum(p[:, 4], p[:, 3])
        return p

    def equities(self, boards):
        """Cubeless equities of the player on roll; games that are over are worth their points."""
        if self.layers[-1][1].size == 5:
            found = arrays.equity(self.chances(boards))
        else:
            found = self.outputs(boards)[:, 0]
        points = arrays.outcomes(boards)
        return np.where(points == 0, found, points)


def main():
    net = Net(sys.argv[1])
    if sys.argv[2:] == ["--check"]:
        for text in ("4HPwATDgc/ABMA", "sGfwATDgc/ABMA", "4HPMAQaMZ/ABMA", "29sCBATXeQ8AAA"):
            board = arrays.from_positions([Position.parse(text)])
            print(text, net.equities(board), net.chances(board) if net.layers[-1][1].size == 5 else "")
        return
    for line in sys.stdin:
        position, first, second = line.split()
        board = arrays.from_positions([Position.parse(position)])
        after, _ = arrays.afterstates(board, np.array([[int(first), int(second)]], np.int8))
        best = int(np.argmin(net.equities(after)))
        print(arrays.to_positions(after[best : best + 1])[0], flush=True)


if __name__ == "__main__":
    main()
