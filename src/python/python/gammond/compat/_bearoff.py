"""gnubg's numbers of bearoff positions: those of the checkers on some points, by the number of checkers and then by their
points in rising order. The empty position is 0."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

POINTS, CHECKERS = 6, 15


def count(points: int, checkers: int) -> int:
    """Returns the number of positions of at most `checkers` checkers."""
    if not (1 <= points <= 25 and 1 <= checkers <= CHECKERS):
        raise ValueError(f"bearoff: {points} points and {checkers} checkers, expected 1 to 25 and 1 to {CHECKERS}")
    return comb(points + checkers, points)


def position(number: int, points: int = POINTS, checkers: int = CHECKERS) -> tuple[int, ...]:
    """Returns the checkers on the points of a number."""
    most = count(points, checkers)
    if not 1 <= number < most:
        raise ValueError(f"bearoff id outside of range [1,{most})")
    left = 0
    while number >= (same := comb(points - 1 + left, left)):
        number, left = number - same, left + 1
    counts, point = [0] * points, 0
    while left:
        # Positions whose next checker is on this point.
        here = comb(points - point + left - 2, left - 1)
        if number < here:
            counts[point] += 1
            left -= 1
        else:
            number, point = number - here, point + 1
    return tuple(counts)


def number(counts: Sequence[int], checkers: int = CHECKERS) -> int:
    """Returns the number of the checkers on the points."""
    points = len(counts)
    count(points, checkers)
    if min(counts) < 0 or sum(counts) > checkers:
        raise ValueError(f"counts: {list(counts)}, expected {points} with at most {checkers} checkers")
    left, lowest = sum(counts), 0
    found = sum(comb(points - 1 + fewer, fewer) for fewer in range(left))
    for point, here in enumerate(counts):
        if here:
            # Positions whose next checker is on a lower point.
            found += sum(comb(points - lower + left - 2, left - 1) for lower in range(lowest, point))
            left, lowest = left - here, point
    return found
