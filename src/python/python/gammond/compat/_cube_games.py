"""Games with a cube that are played many at once, for `gnubg_nn.cubeful_rollout`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _gammond, arrays
from .._engine import Engine
from .._gammond import MatchState, Position

#: What decided a game: no cube was turned, the first double was taken, or passed.
NO_CUBE, TAKEN, PASSED = 0, 1, 2


class CubeGames:
    """Games from a position to their end. Side 0 is on roll first, and `state` is seen by it."""

    def __init__(self, position: Position, games: int, plies: int, state: MatchState, engine: Engine, seed: int) -> None:
        self._plies, self._engine, self._states = plies, engine, (state, state.swapped())
        self._rng, self._console = np.random.default_rng(seed), _gammond.Console(engine)
        self._boards = np.repeat(arrays.from_positions([position]), games, axis=0)
        self._cubes = np.full(games, state.cube)
        #: -1 centred, else the side.
        self._owners = np.full(games, {"centred": -1, "me": 0, "opponent": 1}[state.owner])
        #: float64[games], the value of each game for side 0: twice its match winning chances minus 1; points for money.
        self.values = np.zeros(games)
        #: What decided each game, and the side that doubled first, or won where nobody did.
        self.kinds, self.sides = np.zeros(games, np.int64), np.full(games, -1)
        left, side = np.arange(games), 0
        while len(left):
            left = self._double(left, side)
            left = self._move(left, side)
            side = 1 - side

    def _state(self, side: int, cube: int, owner: int) -> MatchState:
        seen = self._states[side]
        name = "centred" if owner < 0 else "me" if owner == side else "opponent"
        return MatchState(seen.length, seen.score, seen.crawford, cube, name, seen.jacoby, seen.beavers)

    def _groups(self, games: NDArray[np.int64], side: int) -> list[tuple[MatchState, NDArray[np.int64]]]:
        """Returns the games of each cube, with the state seen by `side`."""
        keys = 4 * self._cubes[games] + self._owners[games] + 1
        parts = [games[keys == key] for key in np.unique(keys)]
        return [(self._state(side, int(self._cubes[part[0]]), int(self._owners[part[0]])), part) for part in parts]

    def _end(self, games: NDArray[np.int64], winner: int, state: MatchState, margin: int) -> None:
        """Records that `winner`, who sees `state`, wins these games by `margin` times the cube."""
        prices, chances = self._console.stakes(state)
        value = 1 + sum(prices[0][: margin - 1])
        if state.length:
            value = 2 * min(chances[0] + (value + 1) / 2 * (chances[1] - chances[0]), 1.0) - 1
        else:
            value *= state.cube
        self.values[games] = value if winner == 0 else -value
        undecided = games[self.sides[games] < 0]
        self.sides[undecided] = winner

    def _double(self, games: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        """Lets `side` double and the other side answer; returns the games that go on."""
        going = []
        for state, part in self._groups(games, side):
            if state.double_refusal:
                going.append(part)
                continue
            _, actions = arrays.cube(self._boards[part], state, self._plies, self._engine)
            doubled, passed = part[actions[:, 0]], part[actions[:, 0] & ~actions[:, 1]]
            first = doubled[self.sides[doubled] < 0]
            self.sides[first] = side
            self.kinds[first] = np.where(np.isin(first, passed), PASSED, TAKEN)
            self._end(passed, side, state, 1)
            taken = np.setdiff1d(doubled, passed)
            self._cubes[taken] *= 2
            self._owners[taken] = 1 - side
            going.append(np.setdiff1d(part, passed))
        return np.concatenate(going)

    def _move(self, games: NDArray[np.int64], side: int) -> NDArray[np.int64]:
        """Rolls and plays for `side`; returns the games that go on."""
        going = [games[:0]]
        for state, part in self._groups(games, side):
            dice = self._rng.integers(1, 7, (len(part), 2))
            after, _ = arrays.best(self._boards[part], dice, self._plies, self._engine, state, True)
            self._boards[part] = after
            margins = -arrays.outcomes(after)
            for margin in (1, 2, 3):
                self._end(part[margins == margin], side, state, margin)
            going.append(part[margins == 0])
        return np.concatenate(going)

    def summary(self) -> tuple[float, ...]:
        """Returns the mean value, then for each side the mean value and the share of each kind."""
        found = [float(self.values.mean())]
        for side in (0, 1):
            for kind in (NO_CUBE, TAKEN, PASSED):
                those = self.values[(self.sides == side) & (self.kinds == kind)]
                found += [float(those.mean()) if len(those) else 0.0, len(those) / len(self.values)]
        return tuple(found)
