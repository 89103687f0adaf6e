"""Games and matches played move by move, with undo."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from ._gammond import Match, MatchScore, MatchState, Play, PlayedGame, Position, Roll

if TYPE_CHECKING:
    from ._engine import Engine


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
        self._past: list[PlayedGame] = []
        #: The number of actions before each of them.
        self._counts: list[int] = []
        self._now = PlayedGame(state or MatchState())

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
    def actor(self) -> int:
        """The number of the player who acts next: the one on roll, or the one who answers a double or a resignation."""
        return self._now.actor

    @property
    def dice(self) -> Roll | None:
        """The roll to play; None before the roll."""
        return self._now.dice

    @property
    def is_over(self) -> bool:
        """True if a player has won."""
        return self._now.result is not None

    @property
    def result(self) -> tuple[int, int] | None:
        """The winner and the points; None while the game goes on."""
        return self._now.result

    def _do(self, now: PlayedGame, *action: tuple[int, str, Any]) -> None:
        self._past.append(self._now)
        self._counts.append(len(self.actions))
        self._now = now
        self.actions.extend(action)

    def roll(self, dice: Roll | str | tuple[int, int] | None = None) -> Roll:
        """Rolls, or sets the dice.

        The first roll of a game decides who begins: player 0 if its first die is larger. With dice that are set, the
        player on roll does not change.
        """
        rolled = Roll(self._chance.randint(1, 6), self._chance.randint(1, 6)) if dice is None else _roll(dice)
        if dice is not None or not self._now.opening:
            self._do(self._now.rolled(rolled))
            return rolled
        while rolled.dice[0] == rolled.dice[1]:
            rolled = Roll(self._chance.randint(1, 6), self._chance.randint(1, 6))
        self._do(self._now.opened(rolled))
        return rolled

    def _dice(self) -> Roll:
        if self.dice is None:
            raise ValueError("game: it is over" if self.is_over else "game: the dice are not rolled")
        return self.dice

    def legal_plays(self) -> list[Play]:
        """Returns the legal plays of the dice."""
        return self.position.legal_plays(self._dice())

    def play(self, play: Play | str) -> None:
        """Plays the roll and passes the turn to the other player."""
        dice = self._dice()
        made = self.position.play(dice, play) if isinstance(play, str) else play
        if made.roll != dice:
            raise ValueError(f"play: it is one of {made.roll}, the dice are {dice}")
        self._do(self._now.played(self.position.apply(made)), (self.player, "play", made))

    @property
    def is_doubled(self) -> bool:
        """True if a double waits for its answer."""
        return self._now.turns > 0

    def double(self) -> None:
        """Offers the cube at twice its value."""
        self._do(self._now.doubled(), (self.player, "double", 2 * self.state.cube))

    def beaver(self) -> None:
        """Takes a double of a money game and doubles at once; the other player answers. A raccoon answers a beaver so."""
        self._do(self._now.beavered(), (self.actor, "beaver", 4 * self._now.stake))

    def take(self) -> None:
        """Takes the double, or the beaver."""
        self._do(self._now.taken(), (self.actor, "take", None))

    def pass_(self) -> None:
        """Passes the double: the other player wins the cube's value."""
        self._do(self._now.passed(), (self.actor, "pass", None))

    @property
    def resigned(self) -> int | None:
        """The margin of a resignation that waits for its answer: 1, 2 for a gammon, 3 for a backgammon."""
        return self._now.resigned

    def resign(self, margin: int = 1) -> None:
        """Offers to lose 1, 2 or 3 times the cube, for the player who acts next; the other player answers."""
        self._do(self._now.resigns(margin))

    def accept(self) -> None:
        """Accepts the resignation."""
        self._do(self._now.accepted())

    def decline(self) -> None:
        """Declines the resignation: the game goes on."""
        self._do(self._now.declined())

    def act(self, engine: Engine, plies: int | None = None) -> str:
        """Performs the next action as an engine advises, and returns its name: `roll`, `play`, `double`, `take` or `pass`.

        The engine takes every beaver. A resignation is not its to answer.
        """
        if self.is_doubled:
            takes = self._now.turns > 1 or engine.cube(self.position, self.state, plies).take
            (self.take if takes else self.pass_)()
            return "take" if takes else "pass"
        if self.dice is not None:
            self.play(engine.best_plays(self.position, self.dice, self.state, plies, top=1)[0].play)
            return "play"
        if self._now.may_double and engine.cube(self.position, self.state, plies).double:
            self.double()
            return "double"
        self.roll()
        return "roll"

    def undo(self) -> None:
        """Undoes the last roll, play, cube action, resignation or answer to one."""
        if not self._past:
            raise ValueError("game: there is nothing to undo")
        self._now = self._past.pop()
        del self.actions[self._counts.pop() :]

    def record(self) -> tuple[tuple[int, int], list[tuple[int, str, Any]], tuple[int, int] | None, bool | None]:
        """Returns the scores before the game, its actions, its result and its Crawford flag, for `Match.add`."""
        first = self.state if self.player == 0 else self.state.swapped()
        return first.score, self.actions, self.result, first.crawford if first.length else None

    def _repr_svg_(self) -> str:
        return self.position.svg(self.state, self.dice)

    def _repr_png_(self) -> bytes:
        return self.position.png(self.state, self.dice)

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
        #: The score before each of them.
        self._before: list[MatchScore] = []
        self._start(MatchScore(length))

    def _start(self, score: MatchScore) -> None:
        self._before.append(score)
        self.games.append(Game(score.state(), self._chance.getrandbits(64)))

    @property
    def _after(self) -> MatchScore:
        before, result = self._before[-1], self.game.result
        return before if result is None else before.add(*result)

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
        return self._after.points

    @property
    def winner(self) -> int | None:
        """The number of the player who won the match; None while it goes on, and for a money session."""
        return self._after.winner

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
        self._start(self._after)
        return self.game

    def act(self, engine: Engine, plies: int | None = None) -> str:
        """Performs the next action as an engine advises, see `Game.act`; starts the next game where one is over."""
        return (self.next_game() if self.game.is_over else self.game).act(engine, plies)

    def to_match(self) -> Match:
        """Returns the record of all games, also of the one in progress, to be written to a file or analysed."""
        found = Match(self.length, self.names)
        for score, game in zip(self._before, self.games):
            found.add_game(score.points, game.actions, game.result, score.crawford if self.length else None)
        return found

    def _repr_svg_(self) -> str:
        return self.game._repr_svg_()

    def _repr_png_(self) -> bytes:
        return self.game._repr_png_()

    def __repr__(self) -> str:
        kind = f"to {self.length}" if self.length else "money session"
        return f"<MatchPlay {self.names[0]!r} and {self.names[1]!r}, {kind}, {self.score[0]}-{self.score[1]}>"
