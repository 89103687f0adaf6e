"""gnubg's numbers of bearoff positions: those of one to fifteen checkers on six points, by the number of checkers and then
by their points in rising order. The empty position is 0."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

POINTS, CHECKERS = 6, 15


def position(number: int) -> tuple[int, ...]:
    """Returns the checkers on the six home points of a number."""
    most = comb(POINTS + CHECKERS, POINTS)
    if not 1 <= number < most:
        raise ValueError(f"bearoff id outside of range [1,{most})")
    checkers = 0
    while number >= (same := comb(POINTS - 1 + checkers, checkers)):
        number, checkers = number - same, checkers + 1
    counts, point = [0] * POINTS, 0
    while checkers:
        # Positions whose next checker is on this point.
        here = comb(POINTS - point + checkers - 2, checkers - 1)
        if number < here:
            counts[point] += 1
            checkers -= 1
        else:
            number, point = number - here, point + 1
    return tuple(counts)


def number(counts: Sequence[int]) -> int:
    """Returns the number of the checkers on the six home points."""
    if len(counts) != POINTS or min(counts) < 0 or sum(counts) > CHECKERS:
        raise ValueError(f"counts: {list(counts)}, expected six with at most {CHECKERS} checkers")
    checkers, lowest = sum(counts), 0
    found = sum(comb(POINTS - 1 + fewer, fewer) for fewer in range(checkers))
    for point, count in enumerate(counts):
        if count:
            # Positions whose next checker is on a lower point.
            found += sum(comb(POINTS - lower + checkers - 2, checkers - 1) for lower in range(lowest, point))
            checkers, lowest = checkers - count, point
    return found
