r"""The tests behind a comparison of methods over several data sets, as Demšar (2006) recommends them.

``ranks[i, j]`` is r_i^j, the rank of method j on data set i (1 is best, ties share the mean), N the number of data sets
and k that of methods, R_j the mean ranks. Friedman's statistic (section 3.2.2) is divided by :math:`1 - \sum_i \sum_t
(t^3 - t) / (N (k^3 - k))`, t the sizes of the ties on data set i, which Demšar leaves out; without ties that is 1.
From the corrected one Iman & Davenport's

.. math:: F_F = \frac{(N - 1)\chi^2_F}{N(k - 1) - \chi^2_F},

which then is the F of a two-way analysis of variance of the ranks; Nemenyi's critical difference
:math:`CD = q_\alpha \sqrt{k(k + 1) / 6N}` with its p-values, and Wilcoxon's signed ranks for each pair with Holm's
correction.

References
----------
J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

#: Values nearer than this are ties: means over folds differ in the last bits by the order of summation
TIE = 1e-12


@dataclass(frozen=True)
class Friedman:
    """Do the methods differ at all?

    Attributes
    ----------
    chi2, p_value : float
        Friedman's statistic corrected for ties, as :func:`scipy.stats.friedmanchisquare`, and its p-value with k - 1
        degrees; 0 and 1 if all methods are tied on all data sets.
    f, f_p_value : float
        Iman and Davenport's statistic from ``chi2``, less conservative, and its p-value.
    degrees : tuple of int
        (k - 1, (k - 1)(N - 1)).
    """

    chi2: float
    p_value: float
    f: float
    f_p_value: float
    degrees: tuple[int, int]


def rank_rows(values: Matrix, greater_is_better: bool) -> Matrix:
    """Return the ranks within each row, 1 for the best, ties sharing their mean rank.

    Examples
    --------
    >>> rank_rows(np.array([[0.9, 0.7, 0.9]]), greater_is_better=True)
    array([[1.5, 3. , 1.5]])
    """
    from scipy.stats import rankdata

    values = -values if greater_is_better else values
    order = np.argsort(values, axis=1)
    steps = np.diff(np.take_along_axis(values, order, axis=1), axis=1) > TIE
    places = np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))  # the same number for values that are ties
    level = np.empty_like(places)
    np.put_along_axis(level, order, places, axis=1)
    ranks: Matrix = rankdata(level, axis=1)
    return ranks


def friedman(ranks: Matrix) -> Friedman:
    """Test whether all methods perform alike.

    Examples
    --------
    >>> found = friedman(np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]]))
    >>> round(found.chi2, 3), round(found.p_value, 4)
    (6.5, 0.0388)
    """
    from scipy.stats import chi2 as chi2_distribution
    from scipy.stats import f as f_distribution

    N, k = ranks.shape
    R = ranks.mean(axis=0)
    spread = 12 * N / (k * (k + 1)) * (np.sum(R**2) - k * (k + 1) ** 2 / 4)
    untied = 1 - sum(float(np.sum(t**3 - t)) for t in map(_tie_sizes, ranks)) / (N * (k**3 - k))
    chi2 = float(max(spread, 0.0) / untied) if untied > 0 else 0.0
    room = N * (k - 1) - chi2  # zero if all data sets rank the methods alike
    f = (N - 1) * chi2 / room if room > 1e-9 else float("inf")
    degrees = (k - 1, (k - 1) * (N - 1))
    p_value, f_p_value = float(chi2_distribution.sf(chi2, k - 1)), float(f_distribution.sf(f, *degrees))
    return Friedman(chi2, p_value, f, f_p_value, degrees)


def _tie_sizes(row: Matrix) -> NDArray[np.int64]:
    sizes: NDArray[np.int64] = np.unique(row, return_counts=True)[1]
    return sizes


def critical_difference(n_methods: int, n_datasets: int, alpha: float) -> float:
    """Return the smallest difference of mean ranks at which two methods differ (Nemenyi).

    Examples
    --------
    >>> round(critical_difference(4, 14, 0.05), 2)  # the example of Demšar's section 3.2.2
    1.25
    """
    from scipy.stats import studentized_range

    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def nemenyi(ranks: Matrix) -> Matrix:
    """Return Nemenyi's p-value of each pair of methods; 1 on the diagonal.

    Examples
    --------
    >>> nemenyi(np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]])).round(4)
    array([[1.    , 0.1805, 0.0356],
           [0.1805, 1.    , 0.7593],
           [0.0356, 0.7593, 1.    ]])
    """
    from scipy.stats import studentized_range

    N, k = ranks.shape
    R = ranks.mean(axis=0)
    pairs = np.triu_indices(k, 1)
    q = np.abs(R[pairs[0]] - R[pairs[1]]) / np.sqrt(k * (k + 1) / (6 * N))
    p_values = np.ones((k, k))
    p_values[pairs] = p_values.T[pairs] = studentized_range.sf(q * np.sqrt(2), k, np.inf)
    return p_values


def wilcoxon_pairs(values: Matrix) -> Matrix:
    """Return Wilcoxon's two-sided signed-rank p-value of each pair of columns; 1 on the diagonal.

    Zero differences are split between both sides, as Demšar does.
    """
    k = values.shape[1]
    p_values = np.ones((k, k))
    for i in range(k):
        for j in range(i):
            p_values[i, j] = p_values[j, i] = signed_rank_test(values[:, i] - values[:, j])
    return p_values


def signed_rank_test(difference: Matrix, zeros: Literal["zsplit", "wilcox"] = "zsplit") -> float:
    """Return Wilcoxon's two-sided signed-rank p-value of differences.

    Zeros are split between both sides, or left out (``"wilcox"``). P-values are exact up to 50 data sets without ties
    and zeros, otherwise from the normal approximation.

    Examples
    --------
    >>> signed_rank_test(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    0.0625
    """
    from scipy.stats import wilcoxon

    difference = np.where(np.abs(difference) < TIE, 0.0, difference)
    # Two methods that never differ cannot be distinguished by any test
    return float(wilcoxon(difference, zero_method=zeros).pvalue) if difference.any() else 1.0


def adjust_holm(p_values: Matrix) -> Matrix:
    """Return a symmetric matrix of p-values each corrected for the number of pairs (Holm's step-down).

    Examples
    --------
    >>> p = np.array([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> adjust_holm(p)[0]
    array([1.  , 0.03, 0.06])
    """
    pairs = np.triu_indices(len(p_values), 1)
    order = np.argsort(p_values[pairs], kind="stable")
    m = order.size
    stepped = np.maximum.accumulate(p_values[pairs][order] * (m - np.arange(m)))
    adjusted = np.ones_like(p_values)
    corrected = np.empty(m)
    corrected[order] = np.minimum(stepped, 1.0)
    adjusted[pairs] = corrected
    adjusted.T[pairs] = corrected
    return adjusted
