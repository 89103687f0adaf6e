from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

def run_program(arguments: Sequence[str]) -> int:
    """Runs the program `gammond` on its arguments, the program's name first. Returns its exit code."""

def parse(text: str) -> Parsed:
    """Parses a position with its match state and roll, in any form."""

@final
class Roll:
    """A roll of two dice. The order of the dice matters for display only."""

    def __new__(cls, first: int, second: int) -> Roll: ...
    @staticmethod
    def parse(text: str) -> Roll: ...
    @staticmethod
    def all() -> list[Roll]: ...
    @property
    def dice(self) -> tuple[int, int]: ...
    @property
    def high(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def is_double(self) -> bool: ...
    @property
    def weight(self) -> int:
        """The number of the 36 throws that give this roll."""
    def __hash__(self) -> int: ...

@final
class Play:
    """A legal play of a roll in a position."""

    @property
    def before(self) -> Position: ...
    @property
    def after(self) -> Position:
        """The position after the play, with the opponent on roll."""
    @property
    def roll(self) -> Roll: ...
    @property
    def steps(self) -> list[tuple[int, int]]:
        """Pairs (from, to) of points: 25 is the bar, 0 is off."""
    @property
    def is_pass(self) -> bool: ...
    def svg(
        self, state: MatchState | None = None, theme: str | None = None, clockwise: bool = False, dark: bool = False
    ) -> str: ...
    def png(
        self,
        state: MatchState | None = None,
        theme: str | None = None,
        clockwise: bool = False,
        dark: bool = False,
        width: int | None = None,
    ) -> bytes: ...
    def _repr_svg_(self) -> str: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """All checkers, seen by the player on roll. Index 0 to 23 of a side are its points 1 to 24, 24 is its bar."""

    def __new__(cls, me: Sequence[int] | None = None, opponent: Sequence[int] | None = None) -> Position: ...
    @staticmethod
    def parse(text: str) -> Position: ...
    @property
    def me(self) -> tuple[int, ...]: ...
    @property
    def opponent(self) -> tuple[int, ...]: ...
    @property
    def pips(self) -> tuple[int, int]: ...
    @property
    def off(self) -> tuple[int, int]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def has_contact(self) -> bool: ...
    @property
    def class_name(self) -> str: ...
    def outcome(self) -> int | None:
        """Returns the points won (positive) or lost by the player on roll, cube at 1; None while the game goes on."""
    def swapped(self) -> Position: ...
    def legal_plays(self, roll: Roll | str | tuple[int, int]) -> list[Play]:
        """Returns all plays that lead to different positions; the pass if no checker can move."""
    def play(self, roll: Roll | str | tuple[int, int], text: str) -> Play: ...
    def steps_text(self, steps: Sequence[tuple[int, int]]) -> str:
        """Returns the text of steps (from, to) of points, 25 the bar and 0 off, legal or not."""
    def apply(self, play: Play) -> Position:
        """Returns the position after a play of this position, with the opponent on roll."""
    def to_text(
        self,
        form: str = "position-id",
        state: MatchState | None = None,
        roll: Roll | str | tuple[int, int] | None = None,
    ) -> str:
        """Returns the position as `position-id`, `gnubg-id`, `key`, `xgid`, `board` (FIBS) or `ogid`."""
    def board(self, state: MatchState | None = None, roll: Roll | str | tuple[int, int] | None = None) -> str: ...
    def svg(
        self,
        state: MatchState | None = None,
        roll: Roll | str | tuple[int, int] | None = None,
        theme: str | None = None,
        clockwise: bool = False,
        dark: bool = False,
    ) -> str: ...
    def png(
        self,
        state: MatchState | None = None,
        roll: Roll | str | tuple[int, int] | None = None,
        theme: str | None = None,
        clockwise: bool = False,
        dark: bool = False,
        width: int | None = None,
    ) -> bytes:
        """Returns a PNG picture, by default of two pixels for each unit of the SVG picture."""
    def _repr_svg_(self) -> str: ...
    def __hash__(self) -> int: ...

@final
class MatchState:
    """Cube, score and rules, seen by the player on roll. Length 0 is money play."""

    def __new__(
        cls,
        length: int = 0,
        score: tuple[int, int] = (0, 0),
        crawford: bool = False,
        cube: int = 1,
        owner: str = "centred",
        jacoby: bool = True,
        beavers: bool = True,
    ) -> MatchState: ...
    @property
    def length(self) -> int: ...
    @property
    def score(self) -> tuple[int, int]: ...
    @property
    def crawford(self) -> bool: ...
    @property
    def cube(self) -> int: ...
    @property
    def owner(self) -> str: ...
    @property
    def jacoby(self) -> bool: ...
    @property
    def beavers(self) -> bool: ...
    def swapped(self) -> MatchState: ...
    def __hash__(self) -> int: ...

@final
class Parsed:
    """A parsed text: the position and the optional match state and roll."""

    @property
    def form(self) -> str: ...
    @property
    def position(self) -> Position: ...
    @property
    def state(self) -> MatchState | None: ...
    @property
    def roll(self) -> Roll | None: ...
    @property
    def warning(self) -> str | None: ...

@final
class Chances:
    """Chances of the player on roll, 0 to 1; backgammons are part of gammons, gammons of wins."""

    @property
    def win(self) -> float: ...
    @property
    def win_gammon(self) -> float: ...
    @property
    def win_backgammon(self) -> float: ...
    @property
    def lose_gammon(self) -> float: ...
    @property
    def lose_backgammon(self) -> float: ...
    @property
    def equity(self) -> float:
        """The equity in points without a cube."""
    def to_tuple(self) -> tuple[float, float, float, float, float]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> float: ...

@final
class Evaluation:
    """The value of a position before the roll."""

    @property
    def chances(self) -> Chances: ...
    @property
    def class_name(self) -> str: ...
    @property
    def equity(self) -> float: ...
    @property
    def mwc(self) -> float | None: ...
    @property
    def cubeless(self) -> float: ...
    @property
    def cubeful(self) -> float | None: ...
    @property
    def plies(self) -> int: ...

@final
class RankedPlay:
    """A play and its value for the player on roll."""

    @property
    def play(self) -> Play: ...
    @property
    def equity(self) -> float: ...
    @property
    def loss(self) -> float: ...
    @property
    def mwc(self) -> float | None: ...
    @property
    def chances(self) -> Chances: ...
    @property
    def plies(self) -> int: ...

@final
class CubeDecision:
    """A cube decision: equities of the player on roll and the verdict."""

    @property
    def chances(self) -> Chances: ...
    @property
    def cubeless(self) -> float: ...
    @property
    def no_double(self) -> float: ...
    @property
    def double_take(self) -> float: ...
    @property
    def double_pass(self) -> float: ...
    @property
    def equity(self) -> float: ...
    @property
    def mwc(self) -> float | None: ...
    @property
    def verdict(self) -> str: ...
    @property
    def double(self) -> bool: ...
    @property
    def take(self) -> bool: ...
    @property
    def beaver(self) -> bool: ...
    @property
    def plies(self) -> int: ...
    def _repr_html_(self) -> str: ...

@final
class RolledOut:
    """The figures of one candidate of a rollout."""

    @property
    def name(self) -> str: ...
    @property
    def play(self) -> Play | None: ...
    @property
    def trials(self) -> int: ...
    @property
    def chances(self) -> Chances: ...
    @property
    def chance_errors(self) -> Chances: ...
    @property
    def equity(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def cubeless(self) -> float: ...
    @property
    def cubeless_error(self) -> float: ...
    @property
    def mwc(self) -> float | None: ...

@final
class Rollout:
    """The figures of a rollout, final or so far."""

    @property
    def candidates(self) -> list[RolledOut]: ...
    @property
    def ended(self) -> str: ...
    @property
    def cube(self) -> CubeDecision | None: ...
    def _repr_html_(self) -> str: ...

@final
class Analysis:
    """The analysis of a match."""

    def json(self, name: str = "match") -> str: ...
    def text(self, name: str = "match", all: bool = False) -> str: ...
    def html(self, name: str = "match") -> str: ...
    def csv(self, name: str = "match") -> str: ...
    def sgf(self) -> str: ...
    @property
    def luck_adjusted(self) -> float: ...
    def _repr_html_(self) -> str: ...

@final
class Match:
    """A match or a money session, with the faults of its file."""

    def __new__(cls, length: int = 0, names: tuple[str, str] = ("Player 1", "Player 2")) -> Match: ...
    @staticmethod
    def read(source: str | PathLike[str] | bytes) -> list[Match]:
        """Reads all matches of a file (a path, or its bytes) and detects the format."""
    def add(self, game: Any) -> None:
        """Appends a `Game` with all its actions."""
    @property
    def length(self) -> int: ...
    @property
    def names(self) -> tuple[str, str]: ...
    @property
    def faults(self) -> list[str]: ...
    @property
    def games(self) -> list[dict[str, Any]]: ...
    def add_game(
        self,
        scores: tuple[int, int],
        actions: Sequence[tuple[int, str, Any]],
        result: tuple[int, int] | None = None,
        crawford: bool | None = None,
    ) -> None: ...
    def to_mat(self) -> str: ...
    def to_sgf(self) -> str: ...
    def to_ogxm(self) -> bytes: ...
    def __len__(self) -> int: ...

class Engine:
    def __new__(
        cls,
        nets: str | PathLike[str] | None = None,
        plies: int = 0,
        bearoff: str | PathLike[str] | None = None,
        met: str | PathLike[str] | None = None,
        threads: int = 0,
        cache_mb: int = 16,
    ) -> Self: ...
    @property
    def net_name(self) -> str: ...
    @property
    def plies(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def bearoff_databases(self) -> list[str]: ...
    def clear_cache(self) -> None: ...
    def evaluate(
        self,
        position: Position | str,
        state: MatchState | None = None,
        plies: int | None = None,
        cubeful: bool = True,
        prune: bool = True,
    ) -> Evaluation:
        """Evaluates a position before the roll."""
    def best_plays(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int],
        state: MatchState | None = None,
        plies: int | None = None,
        top: int | None = None,
        cubeful: bool = True,
        level: str | None = None,
        filter: str | None = None,
        prune: bool = True,
    ) -> Sequence[RankedPlay]: ...
    def cube(
        self, position: Position | str, state: MatchState | None = None, plies: int | None = None
    ) -> CubeDecision:
        """Evaluates a double of the player on roll, and its answer."""
    def rollout(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int] | None = None,
        state: MatchState | None = None,
        trials: int = 1296,
        seed: int = 1,
        plies: int = 0,
        cube_plies: int | None = None,
        top: int = 3,
        plays: Sequence[Play] | None = None,
        cube: bool = False,
        cubeful: bool = True,
        variance_reduction: bool = True,
        truncate: str | int | None = None,
        error: float | None = None,
        lead: float | None = None,
        time_ms: int | None = None,
        progress: Callable[[Rollout], object] | None = None,
    ) -> Rollout:
        """Rolls out a position, the `top` or the given plays of a roll, or a cube decision.

        `progress` is called with the figures so far after each round of games; an exception in it, like Ctrl-C, ends
        the rollout and is raised. `truncate` is `never`, `table` (default), `race` or a number of turns.
        """
    def analyse(self, match: Match, plies: int | None = None) -> Analysis:
        """Analyses a match: the loss of each decision and the luck of each roll."""
    def evaluate_boards(
        self, boards: NDArray[np.int8], plies: int | None = None, state: MatchState | None = None
    ) -> NDArray[np.float32]: ...
    def best_boards(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[Any],
        plies: int | None = None,
        state: MatchState | None = None,
        cubeful: bool = False,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]: ...
    def cube_boards(
        self, boards: NDArray[np.int8], state: MatchState | None = None, plies: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...

@final
class Games:
    def __new__(
        cls, n: int, opponent: str | None = None, match_length: int = 0, cube: bool = False, seed: int = 0
    ) -> Games: ...
    def reset(self, seed: int | None = None) -> None: ...
    def boards(self) -> NDArray[np.int8]: ...
    def players(self) -> NDArray[np.uint8]: ...
    def phases(self) -> NDArray[np.uint8]: ...
    def counts(self) -> NDArray[np.int64]: ...
    def dice(self) -> NDArray[np.uint8]: ...
    def states(self) -> NDArray[np.int32]: ...
    def afterstates(self) -> tuple[NDArray[np.int8], NDArray[np.int64]]: ...
    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]: ...
    def __len__(self) -> int: ...

def afterstates(boards: NDArray[np.int8], dice: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Returns the boards after every legal play, the opponent on roll, and the offset of each board's first.

    int8[M, 26] and int64[N + 1]. If no checker can move, the only one is the swapped board; a finished game has none.
    """

def class_of(boards: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Returns the class of each board as gnubg numbers it: uint8[N]."""

def pips(boards: NDArray[np.int8]) -> NDArray[np.int32]:
    """Returns the pip counts of the player on roll and of the opponent: int32[N, 2]."""

def outcomes(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Returns the points that the player on roll has won or lost: int8[N], 0 while the game goes on."""

def swapped(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Returns the boards seen by the other player: int8[N, 26]."""

def features(boards: NDArray[np.int8], name: str) -> NDArray[np.float32]:
    """Returns net inputs: float32[N, K]. `tesauro` (198), `base` (364), `handcrafted` (40), or a representation of
    the program's `lab`."""

def from_positions(positions: Sequence[Position]) -> NDArray[np.int8]:
    """Returns the rows of positions: int8[N, 26]."""

def to_positions(boards: NDArray[np.int8]) -> list[Position]:
    """Returns the positions of rows."""

@final
class Player:
    """A player by its spec of the program: `pubeval`, `random`, `gammond:plies=1`, a net of the lab."""

    def __new__(cls, spec: str) -> Player: ...
    @property
    def name(self) -> str: ...
    def play(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int],
        state: MatchState | None = None,
        seed: int = 0,
    ) -> Play: ...

def pubeval(position: Position | str, race: bool | None = None) -> float:
    """Returns PubEval's score of a position after a play, the opponent on roll."""

def bearoff_rolls(position: Position | str) -> tuple[list[float], list[float]] | None:
    """Returns the chances to bear off all checkers in exactly 0, 1, 2 ... rolls, and those for the first checker."""

@final
class Console:
    def __new__(cls, engine: Engine) -> Console: ...
    def line(self, text: str) -> tuple[str, str, bool]: ...
    def stakes(self, state: MatchState) -> tuple[list[list[float]], list[float]]: ...

def match_id_fields(text: str) -> dict[str, Any]: ...
def match_equities(engine: Engine, points: int) -> list[list[float]]: ...
def to_mwc(engine: Engine, state: MatchState, equity: float) -> float: ...
def to_equity(engine: Engine, state: MatchState, mwc: float) -> float: ...
