"""Backgammon: rules, notation, a strong engine, rollouts, arrays and fast environments.

Positions are seen by the player on roll, called *me*; the other side is the *opponent*.

>>> import gammond
>>> [str(play) for play in gammond.Position().legal_plays("31")][:2]
['24/23 24/21', '24/20']
"""

from ._gammond import MatchState, Play, Position, Roll

__all__ = ["MatchState", "Play", "Position", "Roll"]
