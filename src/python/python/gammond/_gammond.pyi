from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, Unpack

from .settings import AnalysisSettings, CubeSettings, PlaySettings, RolloutSettings, SearchSettings, ValueSettings

_T = TypeVar("_T")

def run_program(arguments: Sequence[str]) -> int:
    """Runs the program `gammond` on its arguments, the program's name first. Returns its exit code."""

def parse(text: str) -> Parsed:
    """Parses a position with its match state and roll, in any form."""

@final
class Roll:
    """A roll of two dice. The order of the dice matters for display only."""

    def __new__(cls, first: int, second: int) -> Roll: ...
    @staticmethod
    def parse(text: str) -> Roll:
        """Parses a roll such as `31`."""
    @staticmethod
    def all() -> list[Roll]:
        """Returns all 21 rolls."""
    @property
    def dice(self) -> tuple[int, int]:
        """The two dice, 1 to 6."""
    @property
    def high(self) -> int:
        """The higher die."""
    @property
    def low(self) -> int:
        """The lower die."""
    @property
    def is_double(self) -> bool:
        """True if both dice are equal."""
    @property
    def weight(self) -> int:
        """The number of the 36 throws that give this roll."""
    def __hash__(self) -> int: ...

@final
class Play:
    """A legal play of a roll in a position."""

    @property
    def before(self) -> Position:
        """The position before the play, seen by the player who makes it."""
    @property
    def after(self) -> Position:
        """The position after the play, with the opponent on roll."""
    @property
    def roll(self) -> Roll:
        """The roll that is played."""
    @property
    def steps(self) -> list[tuple[int, int]]:
        """Pairs (from, to) of points: 25 is the bar, 0 is off."""
    @property
    def is_pass(self) -> bool:
        """True if no checker moves."""
    def svg(
        self, state: MatchState | None = None, theme: str | None = None, clockwise: bool = False, dark: bool = False
    ) -> str:
        """Returns the board before the play as an SVG picture with arrows."""
    def png(
        self,
        state: MatchState | None = None,
        theme: str | None = None,
        clockwise: bool = False,
        dark: bool = False,
        width: int | None = None,
    ) -> bytes:
        """Returns the board before the play as a PNG picture, `width` pixels wide."""
    def _repr_svg_(self) -> str: ...
    def _repr_png_(self) -> bytes: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """All checkers, seen by the player on roll. Index 0 to 23 of a side are its points 1 to 24, 24 is its bar."""

    def __new__(cls, me: Sequence[int] | None = None, opponent: Sequence[int] | None = None) -> Position: ...
    @staticmethod
    def parse(text: str) -> Position:
        """Parses a position in any form: Position ID, GNUbg ID, XGID, OGID, key, FIBS board."""
    @property
    def me(self) -> tuple[int, ...]:
        """25 counts of the player on roll: index 0 to 23 its points 1 to 24, 24 its bar."""
    @property
    def opponent(self) -> tuple[int, ...]:
        """25 counts of the opponent, in that side's own numbering."""
    @property
    def pips(self) -> tuple[int, int]:
        """The pip counts of the player on roll and of the opponent."""
    @property
    def off(self) -> tuple[int, int]:
        """The numbers of checkers borne off by the player on roll and by the opponent."""
    @property
    def is_over(self) -> bool:
        """True if a side has borne off all checkers."""
    @property
    def has_contact(self) -> bool:
        """True if the sides can still hit or block each other."""
    @property
    def class_name(self) -> str:
        """The class: contact, crashed, race, a bearoff, or over."""
    def outcome(self, variant: str = "backgammon") -> int | None:
        """Returns the points won (positive) or lost by the player on roll, cube at 1; None while the game goes on."""
    @staticmethod
    def start(variant: str = "backgammon") -> Position:
        """Returns the position at the start of a variant."""
    def swapped(self) -> Position:
        """Returns the position seen by the opponent."""
    def legal_plays(self, roll: Roll | str | tuple[int, int]) -> list[Play]:
        """Returns all plays that lead to different positions; the pass if no checker can move."""
    def play(self, roll: Roll | str | tuple[int, int], text: str) -> Play:
        """Returns the legal play of a roll that a text such as `8/5 6/5` describes."""
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
    def board(self, state: MatchState | None = None, roll: Roll | str | tuple[int, int] | None = None) -> str:
        """Returns the board as text for a screen."""
    def svg(
        self,
        state: MatchState | None = None,
        roll: Roll | str | tuple[int, int] | None = None,
        theme: str | None = None,
        clockwise: bool = False,
        dark: bool = False,
    ) -> str:
        """Returns the board as an SVG picture."""
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
    def _repr_png_(self) -> bytes: ...
    def __hash__(self) -> int: ...

@final
class MatchState:
    """Cube, score, rules and variant, seen by the player on roll. Length 0 is money play."""

    def __new__(
        cls,
        length: int = 0,
        score: tuple[int, int] = (0, 0),
        crawford: bool = False,
        cube: int = 1,
        owner: str = "centred",
        jacoby: bool = True,
        beavers: bool = True,
        variant: str = "backgammon",
    ) -> MatchState: ...
    @property
    def length(self) -> int:
        """The points to win; 0 for money."""
    @property
    def score(self) -> tuple[int, int]:
        """The points of the player on roll and of the opponent."""
    @property
    def crawford(self) -> bool:
        """True in the Crawford game."""
    @property
    def cube(self) -> int:
        """The value of the cube."""
    @property
    def owner(self) -> str:
        """`centred`, `me` or `opponent`."""
    @property
    def jacoby(self) -> bool:
        """True if gammons count only after a double (money)."""
    @property
    def beavers(self) -> bool:
        """True if a double may be beavered (money)."""
    @property
    def variant(self) -> str:
        """`backgammon`, `nackgammon`, `hypergammon`, `hypergammon2` or `hypergammon1`."""
    @property
    def double_refusal(self) -> str | None:
        """The reason why the player on roll may not double: an opponent's, a dead or the largest cube, the Crawford game."""
    def points(self, margin: int) -> int:
        """Returns the points of a game won by 1 (single), 2 (gammon) or 3 (backgammon), with the cube and Jacoby's rule."""
    def swapped(self) -> MatchState:
        """Returns the state seen by the opponent."""
    def __hash__(self) -> int: ...

@final
class Parsed:
    """A parsed text: the position and the optional match state and roll."""

    @property
    def form(self) -> str:
        """The form of the text: `position-id`, `gnubg-id`, `key`, `xgid`, `board`, `ogid`."""
    @property
    def position(self) -> Position:
        """The position, seen by the player on roll."""
    @property
    def state(self) -> MatchState | None:
        """Cube and score; None if the form has none."""
    @property
    def roll(self) -> Roll | None:
        """The roll; None before it."""
    @property
    def warning(self) -> str | None:
        """A note about a text that contradicts itself."""

@final
class Chances:
    """Chances of the player on roll, 0 to 1; backgammons are part of gammons, gammons of wins."""

    @property
    def win(self) -> float:
        """Chance to win, with gammons and backgammons."""
    @property
    def win_gammon(self) -> float:
        """Chance to win a gammon or backgammon."""
    @property
    def win_backgammon(self) -> float:
        """Chance to win a backgammon."""
    @property
    def lose_gammon(self) -> float:
        """Chance to lose a gammon or backgammon."""
    @property
    def lose_backgammon(self) -> float:
        """Chance to lose a backgammon."""
    @property
    def equity(self) -> float:
        """The equity in points without a cube."""
    def to_tuple(self) -> tuple[float, float, float, float, float]:
        """Returns the five chances in this order."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> float: ...

@final
class Evaluation:
    """The value of a position before the roll."""

    @property
    def chances(self) -> Chances:
        """The chances of the player on roll."""
    @property
    def class_name(self) -> str:
        """The class of the position."""
    @property
    def equity(self) -> float:
        """Points of a game at the current cube: cubeful if a cube is in play, else cubeless."""
    @property
    def mwc(self) -> float | None:
        """Match winning chances, 0 to 1; None for money."""
    @property
    def cubeless(self) -> float:
        """Equity without a cube."""
    @property
    def cubeful(self) -> float | None:
        """Equity with the cube; None without one."""
    @property
    def plies(self) -> int:
        """Look-ahead."""

@final
class RankedPlay:
    """A play and its value for the player on roll."""

    @property
    def play(self) -> Play:
        """The play."""
    @property
    def equity(self) -> float:
        """Points of a game at the current cube."""
    @property
    def loss(self) -> float:
        """Equity lost against the best play, 0 or more."""
    @property
    def share(self) -> float | None:
        """With pr or elo the share of the people of this rate who choose it, 0 to 1; None without."""
    @property
    def mwc(self) -> float | None:
        """Match winning chances, 0 to 1; None for money."""
    @property
    def chances(self) -> Chances:
        """The chances of the player who makes it."""
    @property
    def plies(self) -> int:
        """Look-ahead of this play."""

@final
class CubeDecision:
    """A cube decision: equities of the player on roll and the verdict."""

    @property
    def chances(self) -> Chances:
        """The chances of the player on roll."""
    @property
    def cubeless(self) -> float:
        """Equity without a cube."""
    @property
    def no_double(self) -> float:
        """Equity after no double."""
    @property
    def double_take(self) -> float:
        """Equity after a double and a take, at the cube before the double."""
    @property
    def double_pass(self) -> float:
        """Equity after a double and a pass, at the cube before the double."""
    @property
    def equity(self) -> float:
        """Equity of the best action."""
    @property
    def mwc(self) -> float | None:
        """Match winning chances of the best action, 0 to 1; None for money."""
    @property
    def verdict(self) -> str:
        """The verdict in words, such as `Double, take`."""
    @property
    def double(self) -> bool:
        """True if the player on roll may double and should."""
    @property
    def take(self) -> bool:
        """True if the player on roll may double and the opponent should take."""
    @property
    def beaver(self) -> bool:
        """True if the opponent should beaver."""
    @property
    def double_share(self) -> float | None:
        """With pr or elo the share of the people of this rate who double, 0 to 1; None without."""
    @property
    def take_share(self) -> float | None:
        """With pr or elo the share of the people of this rate who take, 0 to 1; None without."""
    @property
    def plies(self) -> int:
        """Look-ahead."""
    def _repr_html_(self) -> str: ...

@final
class RolledOut:
    """The figures of one candidate of a rollout."""

    @property
    def name(self) -> str:
        """`position`, `no double`, `double, take`, or the play."""
    @property
    def play(self) -> Play | None:
        """The play; None for a position and a cube action."""
    @property
    def trials(self) -> int:
        """Number of games."""
    @property
    def chances(self) -> Chances:
        """The chances of the player who is on roll or makes the play."""
    @property
    def chance_errors(self) -> Chances:
        """Standard error of each chance."""
    @property
    def equity(self) -> float:
        """Cubeful equity if the cube is in play, else cubeless."""
    @property
    def error(self) -> float:
        """Standard error of the equity."""
    @property
    def cubeless(self) -> float:
        """Equity without a cube."""
    @property
    def cubeless_error(self) -> float:
        """Standard error of the cubeless equity."""
    @property
    def mwc(self) -> float | None:
        """Match winning chances, 0 to 1; None for money."""

@final
class Rollout:
    """The figures of a rollout, final or so far."""

    @property
    def candidates(self) -> list[RolledOut]:
        """Plays best first; no double before double, take."""
    @property
    def ended(self) -> str:
        """`trials`, `se`, `jsd`, `time` or `stopped`."""
    @property
    def cube(self) -> CubeDecision | None:
        """The cube decision; None for other rollouts."""
    def _repr_html_(self) -> str: ...

@final
class Analysis:
    """The analysis of a match."""

    def json(self, name: str = "match") -> str:
        """Returns the report as JSON."""
    def text(self, name: str = "match", all: bool = False) -> str:
        """Returns the report as text; with `all` every decision."""
    def html(self, name: str = "match") -> str:
        """Returns the report as a page."""
    def csv(self, name: str = "match") -> str:
        """Returns a line for each decision."""
    def sgf(self) -> str:
        """Returns the match with its analysis as gnubg's SGF."""
    @property
    def luck_adjusted(self) -> float:
        """The luck-adjusted result of the first player."""
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
    def length(self) -> int:
        """The points to win; 0 for a money session."""
    @property
    def names(self) -> tuple[str, str]:
        """The names of players 0 and 1."""
    @property
    def faults(self) -> list[str]:
        """The faults of the file, a line each."""
    @property
    def games(self) -> list[dict[str, Any]]:
        """The games: `scores` before each, `crawford`, `settled`, `actions` (player, kind, value), `result`."""
    def add_game(
        self,
        scores: tuple[int, int],
        actions: Sequence[tuple[int, str, Any]],
        result: tuple[int, int] | None = None,
        crawford: bool | None = None,
        settled: bool = False,
    ) -> None:
        """Appends a game of actions (player, kind, value); an entry of `games` as it is: `add_game(**entry)`.

        Values: `play` a `Play` or (roll, steps), `rolled` the roll, `double` and `beaver` the cube, `take` and `pass` None,
        `set-up` (position, cube, owner). `result` is (winner, points).
        """
    def to_mat(self) -> str:
        """Returns the match as Jellyfish's `.mat`."""
    def to_sgf(self) -> str:
        """Returns the match as gnubg's `.sgf`."""
    def to_ogxm(self) -> bytes:
        """Returns the match as OGXM."""
    def __len__(self) -> int: ...

class Engine:
    """The compiled part of `gammond.Engine`."""

    def __new__(
        cls,
        nets: str | PathLike[str] | None = None,
        plies: int | None = None,
        bearoff: str | PathLike[str] | None = None,
        met: str | PathLike[str] | None = None,
        threads: int = 0,
        cache_mb: int = 16,
        **settings: Unpack[SearchSettings],
    ) -> Self: ...
    @property
    def net_name(self) -> str:
        """The name of the nets."""
    @property
    def plies(self) -> int:
        """Default look-ahead."""
    @property
    def threads(self) -> int:
        """Number of compute threads."""
    @property
    def bearoff_databases(self) -> list[str]:
        """The bearoff databases of the folder `bearoff`."""
    def clear_cache(self) -> None:
        """Empties the cache of evaluations."""
    def _ask(self, request: str) -> str:
        """Answers a request of the line protocol; both are JSON."""
    def evaluate(
        self,
        position: Position | str,
        state: MatchState | None = None,
        plies: int | None = None,
        **settings: Unpack[ValueSettings],
    ) -> Evaluation:
        """Evaluates a position before the roll. Without `state` it is that of the text, or money play."""
    def best_plays(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int] | None = None,
        state: MatchState | None = None,
        plies: int | None = None,
        **settings: Unpack[PlaySettings],
    ) -> Sequence[RankedPlay]:
        """Returns the legal plays of a roll, best first. Without `roll` and `state` they are those of the text."""
    def cube(
        self,
        position: Position | str,
        state: MatchState | None = None,
        plies: int | None = None,
        **settings: Unpack[CubeSettings],
    ) -> CubeDecision:
        """Evaluates a double of the player on roll, and its answer. Without `state` it is that of the text."""
    def rollout(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int] | None = None,
        state: MatchState | None = None,
        *,
        plays: Sequence[Play] | None = None,
        cube: bool = False,
        progress: Callable[[Rollout], object] | None = None,
        **settings: Unpack[RolloutSettings],
    ) -> Rollout:
        """Rolls out a position, the `top` (3) or the given plays of a roll, or a cube decision: 1296 games each.

        Without `roll` and `state` they are those of the text of the position.
        `progress` is called with the figures so far after each round of games; an exception in it, like Ctrl-C, ends
        the rollout and is raised. `plays` are plays of this position, and of `roll` where there is one. The settings
        are those of `rollout` in the line protocol, with the same defaults; those of the engine are not used.
        """
    def analyse(
        self, match: Match, plies: int | None = None, **settings: Unpack[AnalysisSettings]
    ) -> Analysis:
        """Analyses a match: the loss of each decision and the luck of each roll."""
    def evaluate_boards(
        self,
        boards: NDArray[np.int8],
        plies: int | None = None,
        state: MatchState | None = None,
        **settings: Unpack[SearchSettings],
    ) -> NDArray[np.float32]:
        """Returns the chances of int8[N, 26] boards: float32[N, 5]."""
    def best_boards(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[Any],
        plies: int | None = None,
        state: MatchState | None = None,
        cubeful: bool = False,
        **settings: Unpack[SearchSettings],
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """Returns the boards after the best plays of int8[N, 26] boards and [N, 2] dice: int8[N, 26], and float32[N] equities."""
    def cube_boards(
        self,
        boards: NDArray[np.int8],
        state: MatchState | None = None,
        plies: int | None = None,
        **settings: Unpack[SearchSettings],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Returns float64[N, 3] equities of no double, take, pass, and bool[N, 2], true to double and to take."""

@final
class PlayedGame:
    """A game at one moment, for `gammond.Game`; acts return the game after them."""

    def __new__(cls, state: MatchState) -> PlayedGame: ...
    @property
    def position(self) -> Position:
        """The position, seen by `player`."""
    @property
    def state(self) -> MatchState:
        """Cube and score, seen by `player`; before a double that is not answered."""
    @property
    def player(self) -> int:
        """The player on roll, or the winner of a game that is over."""
    @property
    def actor(self) -> int:
        """The player who acts next."""
    @property
    def dice(self) -> Roll | None:
        """The roll that is to be played."""
    @property
    def opening(self) -> bool:
        """True before the first roll."""
    @property
    def turns(self) -> int:
        """How often the cube was turned without an answer: 1 is a double, 2 a beaver."""
    @property
    def resigned(self) -> int | None:
        """The margin by which a player has offered to resign."""
    @property
    def stake(self) -> int:
        """The value of the cube, with the beavers before the last turn."""
    @property
    def result(self) -> tuple[int, int] | None:
        """Winner and points."""
    @property
    def may_double(self) -> bool:
        """True if the player on roll may double now."""
    def opened(self, roll: Roll) -> PlayedGame:
        """Makes the first roll, which decides who begins."""
    def rolled(self, roll: Roll) -> PlayedGame:
        """Makes a roll that is set: the player on roll does not change."""
    def played(self, after: Position) -> PlayedGame:
        """Makes a play, by the position after it."""
    def doubled(self) -> PlayedGame:
        """Doubles."""
    def beavered(self) -> PlayedGame:
        """Doubles in answer to a double."""
    def taken(self) -> PlayedGame:
        """Takes."""
    def passed(self) -> PlayedGame:
        """Passes."""
    def resigns(self, margin: int) -> PlayedGame:
        """Offers to lose 1, 2 or 3 times the cube."""
    def accepted(self) -> PlayedGame:
        """Accepts the resignation."""
    def declined(self) -> PlayedGame:
        """Declines the resignation."""

@final
class MatchScore:
    """The score of a match between its games, for `gammond.MatchPlay`."""

    def __new__(cls, length: int) -> MatchScore: ...
    @property
    def points(self) -> tuple[int, int]:
        """The points of both players."""
    @property
    def crawford(self) -> bool:
        """True if the next game is the Crawford game."""
    @property
    def winner(self) -> int | None:
        """The player who has won the match."""
    def state(self) -> MatchState:
        """Returns the state at the beginning of the next game, seen by player 0."""
    def add(self, player: int, points: int) -> MatchScore:
        """Returns the score after a game that `player` has won by these points."""

class Games:
    """Games for `gammond.env.VectorEnv`, each with its own dice."""

    def __new__(
        cls,
        n: int,
        opponent: str | None = None,
        match_length: int = 0,
        cube: bool = False,
        seed: int = 0,
        variant: str = "backgammon",
        start: str | None = None,
    ) -> Games: ...
    def reset(self, seed: int | None = None, start: str | None = None) -> None:
        """Restarts all games; without a seed, with new dice; without a start, as before."""
    def boards(self) -> NDArray[np.int8]:
        """Returns int8[n, 26], seen by the player to act."""
    def players(self) -> NDArray[np.uint8]:
        """Returns uint8[n], the player to act."""
    def phases(self) -> NDArray[np.uint8]:
        """Returns uint8[n]: 0 an afterstate, 1 roll or double, 2 pass or take."""
    def counts(self) -> NDArray[np.int64]:
        """Returns int64[n], the number of actions."""
    def dice(self) -> NDArray[np.uint8]:
        """Returns uint8[n, 2]; 0 and 0 before the roll."""
    def states(self) -> NDArray[np.int32]:
        """Returns int32[n, 6]: length, own score, other score, cube, owner (1 own, 0 centred, -1 other), Crawford."""
    def afterstates(self) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """Returns int8[M, 26], the boards after each action, and int64[n + 1], the first of each game."""
    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Performs int64[n] actions. Returns float32[n] rewards, and bool[n], true if the episode ended."""
    def __len__(self) -> int: ...

def afterstates(boards: NDArray[np.int8], dice: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Returns the boards after every legal play, the opponent on roll, and the offset of each board's first.

    int8[M, 26] and int64[N + 1]. If no checker can move, the only one is the swapped board; a finished game has none.
    """

def class_of(boards: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Returns the class of each board as gnubg numbers it: uint8[N]."""

def pips(boards: NDArray[np.int8]) -> NDArray[np.int32]:
    """Returns the pip counts of the player on roll and of the opponent: int32[N, 2]."""

def outcomes(boards: NDArray[np.int8], variant: str = "backgammon") -> NDArray[np.int8]:
    """Returns the points that the player on roll has won or lost: int8[N], 0 while the game goes on."""

def swapped(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Returns the boards seen by the other player: int8[N, 26]."""

def features(boards: NDArray[np.int8], name: str) -> NDArray[np.float32]:
    """Returns net inputs: float32[N, K]. `tesauro` (198), `base` (364), `handcrafted` (40), a representation of
    the program's `lab`, or those of gnubg's nets: `gnubg-base` (200), `gnubg-contact`, `gnubg-crashed` (250), `gnubg-race`
    (214), and with `-1.00` at the end those of its weights 1.00."""

def gnubg_corrected(boards: NDArray[np.int8], outputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the outputs of gnubg's nets, float32[N, 5], after the removal of impossible results."""

def from_positions(positions: Sequence[Position]) -> NDArray[np.int8]:
    """Returns the rows of positions: int8[N, 26]."""

def to_positions(boards: NDArray[np.int8]) -> list[Position]:
    """Returns the positions of rows."""

@final
class Player:
    """A player by its spec of the program: `pubeval`, `random`, `gammond:plies=1`, a net of the lab."""

    def __new__(cls, spec: str) -> Player: ...
    @property
    def name(self) -> str:
        """The name of the player."""
    def play(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int],
        state: MatchState | None = None,
        seed: int = 0,
    ) -> Play:
        """Returns the play that it chooses; `seed` is for random choices."""

def pubeval(position: Position | str, race: bool | None = None) -> float:
    """Returns PubEval's score of a position after a play, the opponent on roll."""

def bearoff_rolls(position: Position | str) -> tuple[list[float], list[float]] | None:
    """Returns the chances to bear off all checkers in exactly 0, 1, 2 ... rolls, and those for the first checker."""

@final
class StopToken:
    """Ends the searches and rollouts of a call from another thread."""

    def __new__(cls) -> StopToken: ...
    def call(self, call: Callable[[], _T]) -> _T:
        """Makes a call whose searches and rollouts end soon after `trigger`."""
    def trigger(self) -> None:
        """Ends the work of the call; a call that comes later ends at once."""
    @property
    def triggered(self) -> bool:
        """True after `trigger`."""

@final
class Console:
    """A session of gnubg's text console."""

    def __new__(cls, engine: Engine) -> Console: ...
    def line(self, text: str) -> tuple[str, str, bool]:
        """Runs a command. Returns standard output, standard error, and true if the session is over."""
    def stakes(self, state: MatchState) -> tuple[list[list[float]], list[float]]:
        """Returns gammon and backgammon prices of both sides, and the match winning chances after a plain loss and win."""
    def analysis(self) -> dict[str, Any] | None:
        """Returns the analysis of the match: `context`, `marks` and `games`, or None without one."""
    def statistics(self) -> list[list[dict[str, Any]]]:
        """Returns the statistics of both players of each game, followed by those of the match."""

def match_id_fields(text: str) -> dict[str, Any]:
    """Returns the fields of a Match ID."""
def match_equities(engine: Engine, points: int) -> list[list[float]]:
    """Returns match winning chances before the Crawford game by the points that both sides need, 1 to `points`."""
def trailer_equities(engine: Engine, points: int) -> list[float]:
    """Returns the trailer's chances after the Crawford game by the points that the trailer needs, 1 to `points`."""
def to_mwc(engine: Engine, state: MatchState, equity: float) -> float:
    """Returns the match winning chances of an equity."""
def to_equity(engine: Engine, state: MatchState, mwc: float) -> float:
    """Returns the equity of match winning chances."""
