"""Types of the settings that methods of `Engine` take as keyword arguments.

Made from the table in `engine/query/options.rs`: ``GAMMOND_REWRITE=1 cargo test --test it python_has_the_table``.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class SearchSettings(TypedDict, total=False):
    """Settings of every search: those of `Engine` itself, and of its methods for boards."""

    #: a small rollout after two plies, in the place of plies: roller, roller+, roller++ or off
    level: Literal["roller", "roller+", "roller++", "off"] | None
    #: plays searched more deeply: auto, swift, tiny, narrow, normal, large or huge
    filter: Literal["auto", "swift", "tiny", "narrow", "normal", "large", "huge"] | None
    #: small nets choose replies inside a search: on or off
    prune: bool | None
    #: standard deviation of noise: 0 to 1
    noise: float | None
    #: milliseconds to deepen: 0 to 600000, 0 for none
    time: int | None


class ValueSettings(SearchSettings, total=False):
    """Settings of `Engine.evaluate`."""

    #: take the cube into account: on or off
    cubeful: bool | None


class CubeSettings(ValueSettings, total=False):
    """Settings of `Engine.cube`."""

    #: error rate (PR) of the people whose choices are played: 0.5 to 40, or off
    pr: float | Literal["off"] | None
    #: rating of the people whose choices are played, by FIBS's formula: 1000 to 2030, or off
    elo: int | Literal["off"] | None
    #: seed of a rollout, and of the choices of people: 0 to 18446744073709551615
    seed: int | None


class PlaySettings(CubeSettings, total=False):
    """Settings of `Engine.best_plays`."""

    #: plays to report: 0 to 65535, 0 for all
    top: int | None


class AnalysisSettings(SearchSettings, total=False):
    """Settings of `Engine.analyse`."""

    #: Jacoby rule (money): on or off
    jacoby: bool | None
    #: beavers (money): on or off
    beavers: bool | None


class RolloutSettings(ValueSettings, total=False):
    """Settings of `Engine.rollout`."""

    #: look-ahead in gnubg's numbering: 0 to 4
    plies: int | None
    #: plays to report: 0 to 65535, 0 for all
    top: int | None
    #: games of a rollout: 1 to 16777216
    trials: int | None
    #: where a rollout's games are cut off: 1 to 1000, race, table or never
    truncate: int | Literal["race", "table", "never"] | None
    #: look-ahead for the cube in a rollout: 0 to 4
    cubeplies: int | None
    #: look-ahead of the other side in a rollout: 0 to 4
    otherplies: int | None
    #: look-ahead of the other side for the cube in a rollout: 0 to 4
    othercubeplies: int | None
    #: plays that the other side looks at more deeply in a rollout: auto, swift, tiny, narrow, normal, large or huge
    otherfilter: Literal["auto", "swift", "tiny", "narrow", "normal", "large", "huge"] | None
    #: look-ahead where a rollout's game is cut off: 0 to 4
    leafplies: int | None
    #: one-sided rollouts of the races where a rollout's games are cut off: 1 to 12960, or off
    osr: int | Literal["off"] | None
    #: another look-ahead from a turn on in a rollout: TURN:PLIES, such as 5:0, or off
    late: tuple[int, int] | Literal["off"] | None
    #: take the luck of the dice out of a rollout: on or off
    vr: bool | None
    #: standard error at which a rollout ends: a number above 0, at most 1000, or off
    se: float | Literal["off"] | None
    #: joint standard errors after which a candidate is left alone: a number above 0, at most 1000, or off
    jsd: float | Literal["off"] | None
    #: seed of a rollout, and of the choices of people: 0 to 18446744073709551615
    seed: int | None
    #: `cubeplies`
    cube_plies: int | None
    #: `se`
    error: float | Literal["off"] | None
    #: `jsd`
    lead: float | Literal["off"] | None
    #: `time`
    time_ms: int | None
    #: `vr`
    variance_reduction: bool | None
