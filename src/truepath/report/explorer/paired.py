"""Two methods on the same rows: differences of their measures, and for each label the rows that only one gets right."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.metrics.inputs import find_mistakes
from truepath.report.explorer.packing import pack_numbers
from truepath.report.measures import By, paired_difference
from truepath.report.run import Run

#: More methods are not compared pair by pair
MOST_METHODS = 8


def pair_table(run: Run, measured: Mapping[int, By]) -> list[dict[str, Any]]:
    """Return the comparison of each pair of methods; ``measured`` is by depth, 0 for all labels."""
    if len(run.results) > MOST_METHODS:
        return []
    wrong = [find_mistakes(run.y_true, result.y_pred) for result in run.results]
    return [_compare_two(run, a, b, measured, wrong) for a, b in combinations(range(len(run.results)), 2)]


def _compare_two(run: Run, a: int, b: int, measured: Mapping[int, By], wrong: list[Any]) -> dict[str, Any]:
    """Compare two methods: second minus first, at each depth; and the labels."""
    first, second = run.results[a].name, run.results[b].name
    differences = {
        str(depth): {
            name: _numbers(paired_difference(by[second][name], by[first][name]))
            for name in by[first]
            if name in by[second]
        }
        for depth, by in measured.items()
    }
    repaired, broken = count_one_sided(wrong[a], wrong[b])
    packed = {"repaired": pack_numbers(repaired), "broken": pack_numbers(broken)}
    return {"first": a, "second": b, "measures": differences, **packed}


def count_one_sided(first: Any, second: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each label, the rows where only the first method is wrong, and where only the second is."""
    of_first, of_second, of_both = (
        np.asarray(M.sum(axis=0), np.int64).ravel() for M in (first, second, first.multiply(second))
    )
    return of_first - of_both, of_second - of_both


def _numbers(values: tuple[float, ...]) -> list[float | None]:
    return [None if value != value else round(float(value), 6) for value in values]
