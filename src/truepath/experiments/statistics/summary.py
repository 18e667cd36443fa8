"""A comparison in words and numbers, as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truepath.experiments.statistics.format_table import align_columns

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison

HEADER = ("method", "mean rank", "mean", "wins", "ties", "losses")


def summarize(comparison: MethodComparison) -> str:
    """Return the comparison as text: ranks, tests, groups, remarks."""
    arrow = "higher" if comparison.greater_is_better else "lower"
    n = len(comparison.datasets)
    title = f"{comparison.measure or 'value'} ({arrow} is better), {n} data set{'s' if n > 1 else ''}"
    lines = [title, "", *align_columns([HEADER, *rank_rows_of(comparison)]), "", *tests_of(comparison)]
    return "\n".join([*lines, *(f"Note: {remark}" for remark in comparison.remarks)])


def rank_rows_of(comparison: MethodComparison) -> list[tuple[str, ...]]:
    """Return one row per method, best first: mean rank, mean value, wins, ties and losses over all pairs."""
    off = ~np.eye(len(comparison.methods), dtype=bool)
    ties = np.where(off, comparison.ties, 0).sum(axis=1)
    means = comparison.values.mean(axis=0)
    return [
        (
            name,
            f"{comparison.mean_ranks[j]:.2f}",
            f"{means[j]:.4f}",
            str(comparison.wins[j].sum()),
            str(ties[j]),
            str(comparison.wins[:, j].sum()),
        )
        for j, name in enumerate(comparison.methods)
    ]


def tests_of(comparison: MethodComparison) -> list[str]:
    """Return one line per test, and below it one line per pair that differs."""
    lines = []
    if (found := comparison.friedman) is not None:
        lines.append(
            f"Friedman: chi2 = {found.chi2:.3f}, p = {found.p_value:.3g}; Iman-Davenport: "
            f"F({found.degrees[0]}, {found.degrees[1]}) = {found.f:.3f}, p = {found.f_p_value:.3g}"
        )
    for test in comparison.tests:
        pairs = _different(comparison, test)
        lines.append(f"{_title(comparison, test)}: {'' if pairs else 'no two methods differ'}".rstrip())
        lines += [f"  {pair}" for pair in pairs]
    return lines


def _title(comparison: MethodComparison, test: str) -> str:
    """Name a test of pairs with its level."""
    if test == "nemenyi":
        return f"Nemenyi at {comparison.alpha:g}, critical difference {comparison.critical_difference:.3f}"
    return f"Wilcoxon{' with Holm' if len(comparison.methods) > 2 else ''} at {comparison.alpha:g}"


def _different(comparison: MethodComparison, test: str) -> list[str]:
    """List the pairs that differ, with p-values and how often each of the two is better."""
    p_values, names = comparison.p_values(test), comparison.methods
    wins, ties = comparison.wins, comparison.ties
    return [
        f"{names[i]} and {names[j]} differ: p = {p_values[i, j]:.3g}; {wins[i, j]} wins, {ties[i, j]} ties, "
        f"{wins[j, i]} losses"
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if p_values[i, j] < comparison.alpha
    ]
