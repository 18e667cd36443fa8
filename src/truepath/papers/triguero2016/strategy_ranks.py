"""The statistics of Triguero & Vens over data sets: Wilcoxon tests (Table 5) and Friedman ranks (Table 7).

They are computed twice: from the printed Tables 3 and 4, which must give the printed Tables 5 and 7, and from our own
results on the available data sets, beside the printed values of the same data sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.experiments.statistics.significance import rank_rows, signed_rank_test
from truepath.papers.base import Comparison, Settings, load_published
from truepath.papers.triguero2016.forest_results import ALGORITHM_3, PRINTED_NAMES, judge_strategies
from truepath.registry import METRICS

STRATEGIES = ("EM(STS)", "EM(MTS)", "CD(STS)", "CD(MTS)", "LC(STS)")
PARTS = {"valid": "Table 3", "test": "Table 4"}
RANK_TOLERANCE = 0.5  # of mean ranks over six data sets: three of them may differ by one place
P_TOLERANCE = 5e-5  # half a unit of the last digit in print

P_FROM_PRINT = "Table 5, from the printed Tables 3 and 4"
RANKS_FROM_PRINT = "Table 7, from the printed Tables 3 and 4"

Values = dict[str, dict[str, float]]  # by data set, then by strategy


def mean_ranks(values: Values, greater_is_better: bool) -> dict[str, float]:
    """Return the mean rank of each strategy over data sets, 1 being the best; ties share their ranks.

    Examples
    --------
    >>> mean_ranks({"a": {"x": 0.9, "y": 0.1}, "b": {"x": 0.5, "y": 0.5}}, greater_is_better=True)
    {'x': 1.25, 'y': 1.75}
    """
    strategies = list(next(iter(values.values())))
    ranks = rank_rows(_table(values, strategies), greater_is_better).mean(axis=0)
    return dict(zip(strategies, ranks.tolist()))


def wilcoxon_p(values: Values, scheme: str) -> float:
    """Return the p-value of the signed-rank test between one threshold and many, for scheme EM or CD.

    The paper leaves out data sets on which the two do not differ.
    """
    single, multiple = _table(values, [f"{scheme}(STS)", f"{scheme}(MTS)"]).T
    return signed_rank_test(multiple - single, zeros="wilcox")


def _table(values: Values, strategies: list[str]) -> NDArray[np.float64]:
    return np.array([[row[strategy] for strategy in strategies] for row in values.values()])


def compare_published_statistics(settings: Settings) -> list[Comparison]:
    """Compute Tables 5 and 7 from the printed Tables 3 and 4."""
    published = load_published("triguero2016")
    return [*_printed_p_values(published), *_printed_ranks(published)]


def _printed_p_values(published: dict[str, Any]) -> Iterator[Comparison]:
    for scheme in ("EM", "CD"):
        for part, table in PARTS.items():
            for measure, shown in PRINTED_NAMES.items():
                printed = published["Table 5"][scheme][part][measure]
                p = wilcoxon_p(published[table][measure], scheme)
                is_bound = isinstance(printed, str)  # ">=0.2"
                value, reason = (None, f"Printed as {printed}.") if is_bound else (printed, "")
                about = ("all ten", f"{scheme}, MTS against STS, {part}", f"p, {shown}")
                yield Comparison(P_FROM_PRINT, *about, value, p, P_TOLERANCE, False, reason)


def _printed_ranks(published: dict[str, Any]) -> Iterator[Comparison]:
    for part, table in PARTS.items():
        for measure, shown in PRINTED_NAMES.items():
            ranks = mean_ranks(published[table][measure], METRICS[measure].greater_is_better)
            for strategy, rank in ranks.items():
                printed, about = published["Table 7"][part][measure][strategy], f"rank, {shown}, {part}"
                yield Comparison(RANKS_FROM_PRINT, "all ten", strategy, about, printed, rank, P_TOLERANCE, False)


def compare_own_statistics(names: tuple[str, ...], settings: Settings) -> list[Comparison]:
    """Compute mean ranks from our results, beside those of the printed values on the same data sets."""
    published = load_published("triguero2016")
    judged = {name: judge_strategies(name, settings) for name in names}
    results = {name: found.get("flat", found["true"]) for name, found in judged.items()}  # as in the paper's reading
    found = []
    for part, table in PARTS.items():
        for measure, shown in PRINTED_NAMES.items():
            is_up = METRICS[measure].greater_is_better
            ours = mean_ranks({name: _by_strategy(rows, measure, part) for name, rows in results.items()}, is_up)
            theirs = mean_ranks({name: published[table][measure][name] for name in names}, is_up)
            for strategy in STRATEGIES:
                made = (theirs[strategy], ours[strategy], RANK_TOLERANCE, False, _why_rank(measure, strategy))
                measure_shown = f"rank, {shown}, {part}"
                found.append(Comparison("Table 7, on the data sets at hand", "all six", strategy, measure_shown, *made))
    return found


def _why_rank(measure: str, strategy: str) -> str:
    """Return why a mean rank differs."""
    if measure == "h_loss" and strategy == "EM(MTS)":
        return ALGORITHM_3
    return "Other forests: strategies that lie close together change places on some data sets."


def _by_strategy(rows: list[Any], measure: str, part: str) -> dict[str, float]:
    """Return the values of the paper's five strategies."""
    found = {row.strategy: getattr(row, part) for row in rows if row.measure == measure}
    return {strategy: found[strategy] for strategy in STRATEGIES}
