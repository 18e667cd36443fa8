"""Which methods differ over several data sets: ranks, wins, and the tests that Demšar (2006) recommends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import TruePathError
from truepath.experiments.statistics.scores import Scores, read_results
from truepath.experiments.statistics.significance import (
    TIE,
    Friedman,
    adjust_holm,
    critical_difference,
    friedman,
    nemenyi,
    rank_rows,
    wilcoxon_pairs,
)
from truepath.files.strict_json import json_values
from truepath.parameters import SHARE, check_in

Matrix = NDArray[np.float64]

#: Above this number of data sets Friedman's statistic is close to its limit distribution (Demšar 2006, section 3.2.2)
ENOUGH = 10


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods compared over data sets by one measure; methods come in the order of their mean ranks.

    Attributes
    ----------
    measure : str
    greater_is_better : bool
    alpha : float
    methods, datasets : tuple of str
    values, ranks : ndarray, shape (n_datasets, n_methods)
        Means over seeds and folds, and their ranks (1 is best, ties share the mean).
    mean_ranks : ndarray, shape (n_methods,)
    wins, ties : ndarray of int, shape (n_methods, n_methods)
        ``wins[i, j]``: on how many data sets method i is better than j; losses are ``wins[j, i]``.
    friedman : Friedman or None
        None for two methods, or a single data set.
    critical_difference : float or None
        Nemenyi's, for mean ranks.
    nemenyi, wilcoxon, wilcoxon_holm : ndarray of p-values, shape (n_methods, n_methods), or None
        One per pair of methods; ``wilcoxon_holm`` is corrected for the number of pairs.
    remarks : tuple of str
        What was left out, and what the tests cannot show.
    """

    measure: str
    greater_is_better: bool
    alpha: float
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Matrix
    ranks: Matrix
    mean_ranks: Matrix
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    friedman: Friedman | None
    critical_difference: float | None
    nemenyi: Matrix | None
    wilcoxon: Matrix | None
    wilcoxon_holm: Matrix | None
    remarks: tuple[str, ...]

    @property
    def tests(self) -> tuple[str, ...]:
        """The available tests of pairs: ``"nemenyi"``, ``"wilcoxon"``."""
        return tuple(self._p_values)

    def p_values(self, test: str | None = None) -> Matrix:
        """Return the p-values of a test of pairs: ``"nemenyi"`` (the default where there is one) or ``"wilcoxon"``."""
        test = test or (self.tests[0] if self.tests else "wilcoxon")
        if test not in ("nemenyi", "wilcoxon"):
            raise ValueError(f"test must be 'nemenyi' or 'wilcoxon'; got {test!r}.")
        if test not in self._p_values:
            what = f"{len(self.methods)} methods on {len(self.datasets)} data set(s)"
            raise TruePathError(f"there is no {test} test of {what}; there is {', '.join(self.tests) or 'none'}.")
        return self._p_values[test]

    @property
    def _p_values(self) -> dict[str, Matrix]:
        found = {"nemenyi": self.nemenyi, "wilcoxon": self.wilcoxon_holm}
        return {test: p_values for test, p_values in found.items() if p_values is not None}

    def cliques(self, test: str | None = None) -> tuple[tuple[str, ...], ...]:
        """Return the largest groups of methods, neighbours by mean rank, of which no two differ significantly."""
        alike = self.p_values(test) >= self.alpha if self.tests else np.ones((len(self.methods),) * 2, bool)
        groups: list[tuple[int, int]] = []
        for first in range(len(self.methods)):
            last = first
            while last + 1 < len(self.methods) and alike[first : last + 2, first : last + 2].all():
                last += 1
            if last > first and (not groups or last > groups[-1][1]):
                groups.append((first, last))
        return tuple(self.methods[first : last + 1] for first, last in groups)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in a form that JSON can hold: None for NaN."""
        found: dict[str, Any] = json_values({**asdict(self), "cliques": self.cliques()})
        return found

    def __str__(self) -> str:
        from truepath.experiments.statistics.summary import summarize

        return summarize(self)


def compare(
    table: Any,
    measure: str | None = None,
    *,
    alpha: float = 0.05,
    greater_is_better: bool | None = None,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    missing: str = "drop",
) -> MethodComparison:
    """Compare methods over several data sets.

    Parameters
    ----------
    table : path, ExperimentResult, data frame, mapping of columns, or array
        Results: a tidy table with the columns ``dataset``, ``method``, ``value`` and perhaps ``measure``, ``seed``,
        ``fold`` (a CSV file, the folder of an experiment, a pandas, polars or pyarrow frame), or a wide one with
        one row per data set and one column per method.
    measure : str, optional
        Which measure; needed if the table has several.
    alpha : float, default=0.05
        Significance level.
    greater_is_better : bool, optional
        By default that of the metric of this name.
    methods, datasets : sequence of str, optional
        Compare these only; for an array, their names.
    missing : {"drop", "error"}, default="drop"
        What to do with data sets on which a method has no value: leave them out with a remark, or refuse.

    Returns
    -------
    comparison : MethodComparison

    Notes
    -----
    Values are averaged over seeds and folds before they are ranked: runs on one data set are not independent, so the
    number of data sets is the sample size (Demšar 2006, section 3). Only runs that all methods finished are averaged.

    With two methods there is Wilcoxon's test only. Friedman's statistic is corrected for ties, which Demšar's formula
    is not, and the Iman-Davenport statistic is computed from it. Nemenyi's test and Holm's
    correction keep the probability of any false difference below ``alpha``; Wilcoxon with Holm uses the sizes of the
    differences and usually finds more.

    References
    ----------
    .. [1] J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.experiments import compare
    >>> loss = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.1, 0.1, 0.2], [0.3, 0.4, 0.6]])
    >>> found = compare(loss, "h_loss", methods=["a", "b", "c"])
    >>> found.mean_ranks.tolist(), round(found.friedman.p_value, 3)
    ([1.125, 1.875, 3.0], 0.022)
    >>> found.cliques()
    (('a', 'b'), ('b', 'c'))
    """
    check_in("alpha", alpha, SHARE)
    if missing not in ("drop", "error"):
        raise ValueError(f"missing must be 'drop' or 'error', not {missing!r}.")
    given = read_results(table, measure, greater_is_better=greater_is_better, methods=methods, datasets=datasets)
    scores, remarks = given.paired()
    if remarks and missing == "error":
        raise TruePathError(f"table: {remarks[0]}", "Pass missing='drop' to compare on what is there.")
    if len(scores.methods) < 2 or not scores.datasets:
        raise TruePathError(
            f"table: {len(scores.methods)} method(s) with values on {len(scores.datasets)} common data set(s); "
            f"comparing needs two methods and a data set that both finished. {' '.join(remarks[:3])}".rstrip()
        )
    return _compare(scores, alpha, remarks)


def _compare(scores: Scores, alpha: float, remarks: tuple[str, ...]) -> MethodComparison:
    values = scores.summary()[0]
    ranks = rank_rows(values, scores.greater_is_better)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    values, ranks = values[:, order], ranks[:, order]
    better = (values[:, :, None] - values[:, None, :]) * (1 if scores.greater_is_better else -1)
    N, k = values.shape
    many, several = N > 1, N > 1 and k > 2
    wilcoxon = wilcoxon_pairs(values) if many else None
    found = friedman(ranks) if several else None
    distance = critical_difference(k, N, alpha) if several else None
    return MethodComparison(
        scores.measure,
        scores.greater_is_better,
        alpha,
        tuple(scores.methods[j] for j in order),
        scores.datasets,
        values,
        ranks,
        ranks.mean(axis=0),
        (better > TIE).sum(axis=0),
        (np.abs(better) <= TIE).sum(axis=0),
        found,
        distance,
        nemenyi(ranks) if several else None,
        wilcoxon,
        None if wilcoxon is None else adjust_holm(wilcoxon),
        (*remarks, *_limits(N, k, alpha, found, distance)),
    )


def _limits(N: int, k: int, alpha: float, found: Friedman | None, distance: float | None) -> list[str]:
    """Return remarks on what a small number of data sets cannot show."""
    if N == 1:
        return ["One data set only: ranks describe it, and nothing can be tested."]
    remarks = []
    least, pairs = 2.0 ** (1 - N), k * (k - 1) // 2
    if least * pairs >= alpha:
        corrected = f" times {pairs} pairs" if pairs > 1 else ""
        remarks.append(
            f"Wilcoxon's test has no power here: with {N} data sets its smallest p-value is {least:.3g}{corrected}, "
            f"not below {alpha:g}."
        )
    if distance is not None and distance >= k - 1:
        remarks.append(
            f"Nemenyi's test has no power here: the critical difference {distance:.2f} exceeds the largest "
            f"difference of mean ranks, {k - 1}."
        )
    if found is not None and N <= ENOUGH:
        remarks.append(f"With {N} data sets the p-values of Friedman and Nemenyi are rough; use more than {ENOUGH}.")
    if found is not None and found.f_p_value >= alpha:
        remarks.append(f"Friedman's test finds no difference at {alpha:g}; tests of pairs are shown for information.")
    return remarks
