r"""Losses that charge every mistake, misses and false alarms at their own price: the HMC-loss and the symmetric loss.

Eq. (2) of Triguero & Vens, after Bi & Kwok::

    HMC(y, p) = alpha * sum of c_v over misses (y_v = 1, p_v = 0)  +  beta * sum of c_v over false alarms

with alpha = lambda * beta and alpha + beta = 2, that is beta = 2 / (1 + lambda). Bi & Kwok's eq. (7) is the same
with their alpha as lambda. Symbols: ``miss[v]`` is alpha * c_v, ``alarm[v]`` is beta * c_v.

References
----------
W. Bi, J. T. Kwok. Mandatory leaf node prediction in hierarchical multilabel classification. NIPS 2012.

I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import Pair, check_costs, check_label_pair, check_per_node, count_classes

UNBOUNDED = (0.0, float("inf"))


@register(
    needs="labels",
    label="HMC-loss",
    meaning="cost of all mistakes, misses and false alarms balanced for each label",
    digits=4,
    greater_is_better=False,
    bounds=UNBOUNDED,
    needs_hierarchy=True,
)
def hmc_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    alpha: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    lambda_: str | ArrayLike | None = None,
    costs: str | ArrayLike = "normalized",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean HMC-loss.

    Parameters
    ----------
    alpha, beta : float or array-like of shape (n_nodes,), optional
        The prices of misses and of false alarms, one for all or one per class; both or neither.
    lambda_ : {"per_class", "balanced"}, float or array-like of shape (n_nodes,), optional
        Instead of them: ``beta = 2 / (1 + lambda_)``, ``alpha = 2 - beta``. ``"balanced"`` is the number of negative
        over the number of positive cells of ``y_true`` among the counted classes, one number for all;
        ``"per_class"``, the default, takes that ratio class by class, which is what the published numbers of
        Triguero & Vens use.
    costs : {"normalized", "uniform"} or array-like of shape (n_nodes,), default="normalized"
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. Costs stay those of the whole hierarchy.
    sample_weight : array-like, shape (n_samples,), optional
        Also used in the counts for ``lambda_``.

    See Also
    --------
    h_loss : charges only the uppermost mistakes.
    symmetric_loss : the same with one lambda, in Bi & Kwok's notation.

    Notes
    -----
    A class without positives has lambda = infinity, and the limit is taken: beta = 0, alpha = 2, so false
    alarms there are free. One without negatives has alpha = 0, beta = 2: misses are free. (So a single row costs
    nothing under ``"per_class"``: for few rows give ``alpha=1, beta=1`` or the training set's ratios.)
    The paper's text reads as if one lambda served all classes; with one, its numbers are not reproduced.
    O(n_samples * n_nodes), or what is stored in sparse matrices.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import hmc_loss
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth, predicted = h.encode([["a/1"], ["b"]]), h.encode([["a/2"], ["b"]])
    >>> hmc_loss(truth, predicted, h, alpha=1, beta=1)  # a/1 and a/2, 1/4 each, over two rows
    0.25
    >>> hmc_loss(truth, predicted, h, lambda_=3)  # a miss costs 3/2, a false alarm 1/2
    0.25
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    return _charge(pair, costs, alpha=alpha, beta=beta, lambda_=lambda_)


@register(
    needs="labels",
    label="symmetric loss",
    meaning="cost of all mistakes, with one price for misses and one for false alarms",
    digits=4,
    greater_is_better=False,
    bounds=UNBOUNDED,
    needs_hierarchy=True,
)
def symmetric_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    alpha: str | float = 1.0,
    costs: str | ArrayLike = "normalized",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean hierarchically weighted symmetric loss, Bi & Kwok's eq. (7).

    Parameters
    ----------
    alpha : float or "balanced", default=1.0
        A false alarm at v costs 2 c_v / (1 + alpha), a miss alpha times that. The paper takes the ratio of
        negative to positive labels of the training set: pass that number, or ``"balanced"`` to count it on
        ``y_true``.
    costs : {"normalized", "uniform"} or array-like of shape (n_nodes,), default="normalized"

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import symmetric_loss
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> symmetric_loss(h.encode([["a/1"]]), h.encode([["a/2"]]), h, alpha=3)
    0.5
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    if alpha != "balanced" and (isinstance(alpha, str) or np.ndim(alpha)):
        raise ValueError(f"alpha must be a number or 'balanced'; got {alpha!r}.")
    return _charge(pair, costs, lambda_=alpha)


def mistake_prices(
    positives: NDArray[Any],
    n_rows: float,
    n_nodes: int,
    *,
    nodes: NDArray[np.int64] | None = None,
    alpha: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    lambda_: str | ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what a miss and a false alarm cost in each counted class, before the cost c_v of the class.

    Parameters
    ----------
    positives : ndarray, shape (n_counted,)
        The number (or weight) of the rows that have each counted class.
    n_rows : float
        The number (or weight) of all rows.
    n_nodes : int
        The number of classes in the hierarchy; arrays of prices have one number per class of the hierarchy.
    nodes : ndarray of int, optional
        The counted classes, all by default.
    alpha, beta, lambda_ : optional
        As in :func:`hmc_loss`.

    Returns
    -------
    alpha, beta : ndarray of float64, shape (n_counted,)

    Examples
    --------
    >>> from truepath.metrics.priced_mistakes import mistake_prices
    >>> mistake_prices(np.array([1, 2]), 4, 2)  # lambda_v = 3 and 1
    (array([1.5, 1. ]), array([0.5, 1. ]))
    """
    counted = slice(None) if nodes is None else nodes
    if alpha is not None or beta is not None:
        if alpha is None or beta is None or lambda_ is not None:
            given = "lambda_" if lambda_ is not None else "alpha" if alpha is not None else "beta"
            raise ValueError(f"{given} cannot be used so: give both alpha and beta, or lambda_ alone.")
        return check_per_node(alpha, n_nodes, "alpha")[counted], check_per_node(beta, n_nodes, "beta")[counted]
    lambda_ = "per_class" if lambda_ is None else lambda_
    if isinstance(lambda_, str):
        if lambda_ not in ("per_class", "balanced"):
            raise ValueError(f"lambda_ must be 'per_class', 'balanced', a number or an array; got {lambda_!r}.")
        # 2 / (1 + n_neg / n_pos) = 2 n_pos / (n_pos + n_neg): no division by the number of positives, limit included
        share = positives / n_rows
        beta_v = 2 * (share if lambda_ == "per_class" else np.full(share.shape, share.mean()))
    else:
        beta_v = 2 / (1 + check_per_node(lambda_, n_nodes, "lambda_")[counted])
    return 2 - beta_v, beta_v


def _charge(pair: Pair, costs: str | ArrayLike, **prices: Any) -> float:
    """Return the mean charge of a row, computed from class counts."""
    counts = count_classes(pair)
    n_rows = float(pair.true.shape[0] if pair.weight is None else pair.weight.sum())
    alpha, beta = mistake_prices(counts.true, n_rows, pair.true.shape[1], nodes=pair.nodes, **prices)
    cost = pair.of_counted(check_costs(costs, pair.hierarchy))
    charge = (alpha * cost) @ (counts.true - counts.hits) + (beta * cost) @ (counts.predicted - counts.hits)
    return float(charge / n_rows)
