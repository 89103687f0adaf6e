"""Games and matches played move by move, with undo."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from ._gammond import Match, MatchState, Play, Position, Roll

if TYPE_CHECKING:
    from ._engine import Engine


class _Moment(NamedTuple):
    position: Position
    state: MatchState
    player: int
    roll: Roll | None
    doubled: bool
    winner: int | None
    points: int


def _roll(dice: Roll | str | tuple[int, int]) -> Roll:
    if isinstance(dice, Roll):
        return dice
    if isinstance(dice, str):
        return Roll.parse(dice)
    if not isinstance(dice, (tuple, list)) or len(dice) != 2:
        raise TypeError(f"dice: {dice!r:.40}, expected a Roll, two dice or a text such as 31")
    return Roll(*dice)


class Game:
    """One money game or game of a match, with cube and undo. Players are 0 and 1.

    `position` and `state` are seen by the player on roll, `player`; after the last play that is its winner.
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
        """Rolls, or sets the dice.

        The first roll of a game decides who begins: player 0 if its first die is larger. With dice that are set, the
        player on roll does not change.
        """
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
            rolled = _roll(dice)
            player = self.player
        state = self.state if player == self.player else self.state.swapped()
        self._do(None, self._now._replace(roll=rolled, player=player, state=state))
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
            won = self.state.points(abs(points))
            # The player on roll stays the winner, so the position is seen by the winner too.
            self._do(action, self._now._replace(position=after.swapped(), roll=None, winner=self.player, points=won))
        else:
            self._do(action, _Moment(after, self.state.swapped(), 1 - self.player, None, False, None, 0))

    @property
    def is_doubled(self) -> bool:
        """True if a double waits for its answer."""
        return self._now.doubled

    def _no_double(self) -> str | None:
        """Returns the reason why the player on roll may not double."""
        if self._now.roll is not None or not self.actions:
            return "doubles come before the roll, not at the first turn"
        return "a double waits for its answer" if self._now.doubled else self.state.double_refusal

    def double(self) -> None:
        """Offers the cube at twice its value."""
        reason = self._no_double()
        self._want(reason is None, reason or "")
        state = self.state
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

    def act(self, engine: Engine, plies: int | None = None) -> str:
        """Performs the next action as an engine advises, and returns its name: `roll`, `play`, `double`, `take` or `pass`."""
        self._want(True, "")
        if self._now.doubled:
            takes = engine.cube(self.position, self.state, plies).take
            (self.take if takes else self.pass_)()
            return "take" if takes else "pass"
        if self._now.roll is not None:
            self.play(engine.best_plays(self.position, self._now.roll, self.state, plies, top=1)[0].play)
            return "play"
        if self._no_double() is None and engine.cube(self.position, self.state, plies).double:
            self.double()
            return "double"
        self.roll()
        return "roll"

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

    def _repr_png_(self) -> bytes:
        return self.position.png(self.state, self._now.roll)

    def __repr__(self) -> str:
        return f"<Game: player {self.player} on roll, {self.position}, {self.result or 'not over'}>"


class MatchPlay:
    """A match to `length` points played game by game, or a money session (`length` 0), with the Crawford rule.

    `game` is the game in progress; `next_game` starts the one after it.

    >>> match = MatchPlay(3, ("Anna", "Ben"), seed=1)
    >>> match.game.roll("31").dice
    (3, 1)
    >>> match.game.play("8/5 6/5")
    >>> match.score, match.winner
    ((0, 0), None)
    """

    def __init__(self, length: int = 0, names: tuple[str, str] = ("Player 1", "Player 2"), seed: int | None = None) -> None:
        self._empty = length, names
        Match(length, names)
        self._chance = random.Random(seed)
        #: The games, the last one in progress.
        self.games: list[Game] = []
        self._before: list[tuple[tuple[int, int], bool]] = []
        self._had_crawford = False
        self._start((0, 0))

    def _start(self, score: tuple[int, int]) -> None:
        length = self.length
        # In a match to one point both players need one.
        one_away = (score[0] == length - 1) != (score[1] == length - 1)
        crawford = bool(length) and not self._had_crawford and one_away
        self._had_crawford |= crawford
        self._before.append((score, crawford))
        self.games.append(Game(MatchState(length, score if length else (0, 0), crawford), self._chance.getrandbits(64)))

    @property
    def length(self) -> int:
        """The points to win; 0 for a money session."""
        return self._empty[0]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the players."""
        return self._empty[1]

    @property
    def game(self) -> Game:
        """The game in progress, or the last one."""
        return self.games[-1]

    @property
    def score(self) -> tuple[int, int]:
        """The points of both players, with those of a game that is over."""
        first, second = self._before[-1][0]
        if self.game.result is None:
            return first, second
        winner, points = self.game.result
        return (first + points, second) if winner == 0 else (first, second + points)

    @property
    def winner(self) -> int | None:
        """The number of the player who won the match; None while it goes on, and for a money session."""
        score = self.score
        return None if not self.length or max(score) < self.length else int(score[1] >= self.length)

    @property
    def is_over(self) -> bool:
        """True if a player has won the match."""
        return self.winner is not None

    def next_game(self) -> Game:
        """Starts the next game once the last one is over."""
        if self.is_over:
            raise ValueError("match: it is over")
        if not self.game.is_over:
            raise ValueError("match: the game is not over")
        self._start(self.score)
        return self.game

    def act(self, engine: Engine, plies: int | None = None) -> str:
        """Performs the next action as an engine advises, see `Game.act`; starts the next game where one is over."""
        return (self.next_game() if self.game.is_over else self.game).act(engine, plies)

    def to_match(self) -> Match:
        """Returns the record of all games, also of the one in progress, to be written to a file or analysed."""
        found = Match(self.length, self.names)
        for (score, crawford), game in zip(self._before, self.games):
            found.add_game(score, game.actions, game.result, crawford if self.length else None)
        return found

    def _repr_svg_(self) -> str:
        return self.game._repr_svg_()

    def _repr_png_(self) -> bytes:
        return self.game._repr_png_()

    def __repr__(self) -> str:
        kind = f"to {self.length}" if self.length else "money session"
        return f"<MatchPlay {self.names[0]!r} and {self.names[1]!r}, {kind}, {self.score[0]}-{self.score[1]}>"
