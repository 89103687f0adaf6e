"""Games played move by move, with undo."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from ._gammond import MatchState, Play, Position, Roll


class _Moment(NamedTuple):
    position: Position
    state: MatchState
    player: int
    roll: Roll | None
    doubled: bool
    winner: int | None
    points: int


class Game:
    """One money game or game of a match, with cube and undo. Players are 0 and 1.

    `position` and `state` are seen by the player on roll, `player`.
    """

    def __init__(self, state: MatchState | None = None, seed: int | None = None) -> None:
        self._chance = random.Random(seed)
        self.actions: list[tuple[int, str, Any]] = []
        self._past: list[_Moment] = []
        self._now = _Moment(Position(), state or MatchState(), 0, None, False, None, 0)

    @property
    def position(self) -> Position:
        """The position, seen by the player on roll."""
        return self._now.position

    @property
    def state(self) -> MatchState:
        """Cube and score, seen by the player on roll."""
        return self._now.state

    @property
    def player(self) -> int:
        """The number of the player on roll: 0 or 1."""
        return self._now.player

    @property
    def dice(self) -> Roll | None:
        """The roll to play; None before the roll."""
        return self._now.roll

    @property
    def is_over(self) -> bool:
        """True if a player has won."""
        return self._now.winner is not None

    @property
    def result(self) -> tuple[int, int] | None:
        """The winner and the points; None while the game goes on."""
        return None if self._now.winner is None else (self._now.winner, self._now.points)

    def _do(self, action: tuple[int, str, Any] | None, now: _Moment) -> None:
        self._past.append(self._now)
        self._now = now
        if action is not None:
            self.actions.append(action)

    def _want(self, good: bool, reason: str) -> None:
        if self.is_over:
            raise ValueError("game: it is over")
        if not good:
            raise ValueError(f"game: {reason}")

    def roll(self, dice: Roll | str | tuple[int, int] | None = None) -> Roll:
        """Rolls, or sets the dice. In the first roll of a game, a larger first die means that player 0 begins."""
        self._want(self._now.roll is None, "the dice are rolled already")
        self._want(not self._now.doubled, "a double waits for its answer")
        first = not self.actions
        if dice is None:
            numbers = self._chance.randint(1, 6), self._chance.randint(1, 6)
            while first and numbers[0] == numbers[1]:
                numbers = self._chance.randint(1, 6), self._chance.randint(1, 6)
            rolled = Roll(*numbers)
            player = int(numbers[0] < numbers[1]) if first else self.player
        else:
            rolled = dice if isinstance(dice, Roll) else Roll.parse(dice) if isinstance(dice, str) else Roll(*dice)
            player = self.player
        self._do(None, self._now._replace(roll=rolled, player=player))
        return rolled

    def legal_plays(self) -> list[Play]:
        """Returns the legal plays of the dice."""
        if self._now.roll is None:
            raise ValueError("game: the dice are not rolled")
        return self.position.legal_plays(self._now.roll)

    def play(self, play: Play | str) -> None:
        """Plays the roll and passes the turn to the other player."""
        self._want(self._now.roll is not None, "the dice are not rolled")
        assert self._now.roll is not None
        made = self.position.play(self._now.roll, play) if isinstance(play, str) else play
        if made.roll != self._now.roll:
            raise ValueError(f"play: it is one of {made.roll}, the dice are {self._now.roll}")
        after = self.position.apply(made)
        action = (self.player, "play", made)
        points = after.outcome()
        if points is not None:
            jacoby = self.state.length == 0 and self.state.jacoby and self.state.owner == "centred"
            won = (1 if jacoby else abs(points)) * self.state.cube
            self._do(action, self._now._replace(position=after, roll=None, winner=self.player, points=won))
        else:
            self._do(action, _Moment(after, self.state.swapped(), 1 - self.player, None, False, None, 0))

    def double(self) -> None:
        """Offers the cube at twice its value."""
        state = self.state
        self._want(self._now.roll is None and bool(self.actions), "doubles come before the roll, not at the first turn")
        self._want(state.owner != "opponent", "the opponent owns the cube")
        self._want(not state.crawford, "there is no double in the Crawford game")
        self._want(not self._now.doubled, "a double waits for its answer")
        self._do((self.player, "double", 2 * state.cube), self._now._replace(doubled=True))

    def take(self) -> None:
        """Takes the double of the player on roll."""
        self._want(self._now.doubled, "there is no double")
        state = self.state
        taken = MatchState(
            state.length, state.score, state.crawford, 2 * state.cube, "opponent", state.jacoby, state.beavers
        )
        self._do((1 - self.player, "take", None), self._now._replace(state=taken, doubled=False))

    def pass_(self) -> None:
        """Passes the double: the player on roll wins the cube's value."""
        self._want(self._now.doubled, "there is no double")
        action = (1 - self.player, "pass", None)
        now = self._now._replace(doubled=False, winner=self.player, points=self.state.cube)
        self._do(action, now)

    def undo(self) -> None:
        """Undoes the last roll, play or cube action."""
        if not self._past:
            raise ValueError("game: there is nothing to undo")
        recorded = self._now.roll is None or self._now.doubled
        self._now = self._past.pop()
        if recorded and self.actions:
            self.actions.pop()

    def record(self) -> tuple[tuple[int, int], list[tuple[int, str, Any]], tuple[int, int] | None, bool | None]:
        """Returns the scores before the game, its actions, its result and its Crawford flag, for `Match.add`."""
        first = self.state if self.player == 0 else self.state.swapped()
        return first.score, self.actions, self.result, first.crawford if first.length else None

    def _repr_svg_(self) -> str:
        return self.position.svg(self.state, self._now.roll)

    def __repr__(self) -> str:
        return f"<Game: player {self.player} on roll, {self.position}, {self.result or 'not over'}>"
