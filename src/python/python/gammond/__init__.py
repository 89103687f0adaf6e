"""Backgammon: rules, notation, a strong engine, rollouts, arrays and fast environments.

Positions are seen by the player on roll, called *me*; the other side is the *opponent*. Equities are points of a game
at the current cube, chances are numbers from 0 to 1.

>>> import gammond
>>> engine = gammond.Engine(threads=1)
>>> str(engine.best_plays("4HPwATDgc/ABMA", "31")[0].play)
'8/5 6/5'
"""

from . import arrays
from ._engine import Engine, Ranking
from ._gammond import (
    Analysis,
    Chances,
    CubeDecision,
    Evaluation,
    Match,
    MatchState,
    Parsed,
    Play,
    Player,
    Position,
    RankedPlay,
    RolledOut,
    Roll,
    Rollout,
    parse,
)
from ._play import Game, MatchPlay

__all__ = [
    "Analysis",
    "Chances",
    "CubeDecision",
    "Engine",
    "Evaluation",
    "Game",
    "Match",
    "MatchPlay",
    "MatchState",
    "Parsed",
    "Play",
    "Player",
    "Position",
    "RankedPlay",
    "Ranking",
    "RolledOut",
    "Roll",
    "Rollout",
    "arrays",
    "parse",
]
