"""Where everything goes in a critical-difference diagram; drawing is done elsewhere.

The axis runs from rank 1, the best, at the left to the worst at the right. Below it come the bars that join methods
which do not differ, each on a level where it touches no other. Below these are the names, the better half at the left
and the worse half at the right, one row each, so that names never overlap, whatever their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison


@dataclass(frozen=True)
class Stem:
    """A method: its mean rank, the row of its name, and the side of the axis it is on."""

    name: str
    rank: float
    row: int
    left: bool


@dataclass(frozen=True)
class Bar:
    """Methods that do not differ: from one mean rank to another, on a level below the axis."""

    first: float
    last: float
    level: int


@dataclass(frozen=True)
class Layout:
    """A diagram in units of ranks across, from 1 to ``high``, and rows down."""

    high: int
    stems: tuple[Stem, ...]
    bars: tuple[Bar, ...]
    critical_difference: float | None
    caption: str

    @property
    def n_levels(self) -> int:
        """How many levels of bars there are."""
        return max((bar.level for bar in self.bars), default=-1) + 1

    @property
    def n_rows(self) -> int:
        """How many rows of names there are."""
        return max(stem.row for stem in self.stems) + 1

    @property
    def ticks(self) -> list[int]:
        """The ranks to print, at most about ten."""
        step = max(1, math.ceil((self.high - 1) / 10))
        return list(range(1, self.high + 1, step))


def lay_out(comparison: MethodComparison, test: str | None = None) -> Layout:
    """Place the methods and the bars of a comparison; see :meth:`MethodComparison.cliques` for ``test``."""
    ranks = comparison.mean_ranks.tolist()
    half = (len(ranks) + 1) // 2
    stems = [
        # The outermost name of each side is the topmost: stems bend outwards and do not cross
        Stem(name, ranks[j], j if j < half else len(ranks) - 1 - j, j < half)
        for j, name in enumerate(comparison.methods)
    ]
    test = test or (comparison.tests[0] if comparison.tests else None)
    place = dict(zip(comparison.methods, ranks))
    spans = [(place[group[0]], place[group[-1]]) for group in comparison.cliques(test)]
    distance = comparison.critical_difference if test == "nemenyi" else None
    caption = _caption(comparison, test)
    return Layout(max(2, len(ranks)), tuple(stems), _stack(spans, len(ranks)), distance, caption)


def _stack(spans: list[tuple[float, float]], n_methods: int) -> tuple[Bar, ...]:
    """Give each bar the first level where it overlaps no other bar."""
    gap = 0.02 * n_methods
    ends: list[float] = []
    bars = []
    for first, last in sorted(spans):
        level = next((k for k, end in enumerate(ends) if end + gap < first), len(ends))
        ends[level : level + 1] = [last]
        bars.append(Bar(first, last, level))
    return tuple(bars)


def _caption(comparison: MethodComparison, test: str | None) -> str:
    n = len(comparison.datasets)
    over = f"mean rank over {n} data set{'s' if n > 1 else ''} (1 is best)"
    what = f"{comparison.measure}: {over}" if comparison.measure else over
    if test is None:
        return f"{what}; too few to test"
    name = "Nemenyi" if test == "nemenyi" else "Wilcoxon with Holm" if len(comparison.methods) > 2 else "Wilcoxon"
    return f"{what}; a bar joins methods that do not differ ({name}, {comparison.alpha:g})"
