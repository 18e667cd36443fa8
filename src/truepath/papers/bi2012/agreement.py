"""How often the greedy finds the optimum, and how often the optima are nested: the paper's Figure 3, for any data.

MAS is exact under the nested approximation property: the best set of k leaves contains the best set of k - 1. Both
can be checked row by row, since :class:`~truepath.decoders.ExactLeafMAP` knows the optimum for every k.

References
----------
W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012,
Section 4.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.leaves.dag_optimum import DagOptimum
from truepath.decoders.leaves.exact import ExactLeafMAP
from truepath.decoders.leaves.greedy import GreedySearch
from truepath.decoders.leaves.tree_optimum import TreeOptimum
from truepath.hierarchy import Hierarchy

# Two sums of weights this near, relative to the larger of 1 and the sum, are the same value.
VALUE_TOLERANCE = 1e-9


class NestedAgreement(NamedTuple):
    """Shares of rows, one number for each k.

    Attributes
    ----------
    k : ndarray of int, shape (k_max,)
        1 .. k_max.
    reached : ndarray of float, shape (k_max,)
        Where the greedy's set of k leaves is as good as the best.
    nested : ndarray of float, shape (k_max,)
        Where the best set of k leaves found contains the best set of k - 1 (1 for k = 1).
    shortfall : ndarray of float, shape (k_max,)
        Mean of the best value less the greedy's.
    n_proved : ndarray of int, shape (k_max,)
        The rows counted: those whose optimum is proved (all of them, on trees; for ``nested``, that of k - 1 too).
    """

    k: NDArray[np.int64]
    reached: NDArray[np.float64]
    nested: NDArray[np.float64]
    shortfall: NDArray[np.float64]
    n_proved: NDArray[np.int64]


def nested_agreement(
    S: Any,
    hierarchy: Hierarchy,
    k_max: int = 10,
    *,
    weights: str = "map",
    alpha: float = 1.0,
    conditional: Any = None,
    time_limit: float = 10.0,
) -> NestedAgreement:
    """Return, for each number of leaves, the share of rows where greedy and exact agree.

    Parameters
    ----------
    S : ndarray or CSR of float, shape (n_samples, n_nodes), or None
        Coherent marginals; None if ``conditional`` is given.
    hierarchy : Hierarchy
    k_max : int, default=10
        The largest number of leaves; fewer if the hierarchy has fewer.
    weights : {"map", "risk"}, default="map"
        Whose weights: MAS's or MASR's.
    alpha : float, default=1.0
        With ``weights="risk"``, as for :class:`MASR`.
    conditional : ndarray of float, shape (n_samples, n_arcs), optional
        As for :meth:`MAS.predict`.
    time_limit : float, default=10.0
        On DAGs, seconds for each row and k. Rows whose optimum is not proved in time are left out of the shares.

    Returns
    -------
    agreement : NestedAgreement

    Notes
    -----
    Agreement is equal value, up to 1e-9: a row with several best sets agrees with any of them. ``nested`` looks at one
    best set for each k and so can miss a nested choice among equally good ones; ``reached`` cannot.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.papers.bi2012.agreement import nested_agreement
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> C = [[0.3, 0.7, 0.7, 0.4], [0.9, 0.8, 0.3, 0.2]]
    >>> found = nested_agreement(None, h, k_max=3, conditional=C)
    >>> found.reached.tolist(), found.nested.tolist()
    ([1.0, 0.5, 1.0], [1.0, 0.5, 1.0])
    """
    decoder = ExactLeafMAP(weights, alpha=alpha, time_limit=time_limit, hierarchy=hierarchy)
    hierarchy, blocks = decoder.weigh_nodes(S, conditional)
    k_max = min(k_max, hierarchy.leaves.size)
    greedy = GreedySearch(hierarchy)
    optimum: Any = TreeOptimum(hierarchy, k_max) if hierarchy.is_tree else DagOptimum(hierarchy, time_limit)
    parts = [_compare(block, greedy, optimum, k_max) for block in blocks]
    if not parts:
        raise ValueError("S has no rows; agreement is a share of rows.")
    return _summarize(*(np.concatenate(matrices) for matrices in zip(*parts)))


def _compare(weights: Any, greedy: GreedySearch, optimum: Any, k_max: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return, by row and k: best value less the greedy's, whether the best sets are nested, whether all is proved."""
    path = greedy.path(weights, np.full(weights.root.size, k_max))
    Y, value, gap = optimum.solve_all(weights, k_max)
    is_nested = np.ones(value.shape, bool)
    is_nested[:, 1:] = (Y[:, 1:] | ~Y[:, :-1]).all(axis=2)
    short = value - path.values
    short[short <= VALUE_TOLERANCE * np.maximum(1.0, np.abs(value))] = 0.0
    return short, is_nested, gap == 0


def _summarize(short: NDArray, is_nested: NDArray, is_proved: NDArray) -> NestedAgreement:
    """Average over the proved rows; NaN where there is none."""
    both = is_proved.copy()
    both[:, 1:] &= is_proved[:, :-1]
    n_proved = is_proved.sum(axis=0)
    with np.errstate(invalid="ignore"):
        reached = (is_proved & (short == 0)).sum(axis=0) / n_proved
        nested = (both & is_nested).sum(axis=0) / both.sum(axis=0)
        shortfall = np.where(is_proved, short, 0.0).sum(axis=0) / n_proved
    return NestedAgreement(np.arange(1, short.shape[1] + 1), reached, nested, shortfall, n_proved)
