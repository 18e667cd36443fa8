"""The width and the penalty of a kernel ridge regression, chosen by leave-one-out AU(PRC).

Each width costs one kernel matrix, each penalty one factorisation (one decomposition for all, with landmarks); the
leave-one-out scores are exact.
The search climbs: from the middle of the grid it follows the penalty while the area grows, then tries the widths on
either side of the best, each with its own penalty, and stops where neither is better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Choice(NamedTuple):
    """A width, a penalty and the area they reach."""

    gamma: float
    alpha: float
    area: float


#: Returns, for one width, the function that gives the area of a penalty
AtWidth = Callable[[float], Callable[[float], float]]


def climb(at_width: AtWidth, gammas: Sequence[float], alphas: Sequence[float]) -> tuple[Choice, list[Choice]]:
    """Return the best choice found and all that were tried, in order.

    Examples
    --------
    >>> area = lambda gamma: lambda alpha: -abs(gamma - 2) - abs(alpha - 0.1)
    >>> best, tried = climb(area, [0.5, 1.0, 2.0, 4.0], [0.01, 0.1, 1.0, 10.0])
    >>> best.gamma, best.alpha, len(tried)
    (2.0, 0.1, 10)
    """
    tried: list[Choice] = []

    def best_of_width(k: int, start: int) -> tuple[Choice, int]:
        area_of, areas = at_width(gammas[k]), dict[int, float]()

        def area_at(j: int) -> float:
            if j not in areas:
                areas[j] = area_of(alphas[j])
                tried.append(Choice(gammas[k], alphas[j], areas[j]))
            return areas[j]

        at = _uphill(start, len(alphas), area_at)
        return Choice(gammas[k], alphas[at], area_at(at)), at

    k = (len(gammas) - 1) // 2
    best, at = best_of_width(k, len(alphas) // 2)
    for step in (1, -1):
        start = k
        while 0 <= k + step < len(gammas):
            found, found_at = best_of_width(k + step, at)
            if not found.area > best.area:
                break
            best, at, k = found, found_at, k + step
        if k != start:  # what lies on the other side was beaten
            break
    return best, tried


def _uphill(start: int, size: int, value: Callable[[int], float]) -> int:
    """Return where a walk from ``start`` along a list of ``size`` ends: at the first place no neighbour beats."""
    at = start
    for step in (1, -1):
        while 0 <= at + step < size and value(at + step) > value(at):
            at += step
        if at != start:
            break
    return at
