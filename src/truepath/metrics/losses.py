r"""Losses that know the hierarchy: the H-loss, the hierarchy-aware Hamming loss, the HMC-loss, the symmetric loss.

The H-loss charges a mistake at v only when all ancestors of v are right (Cesa-Bianchi et al.; eq. (1) of Triguero
& Vens)::

    H(y, p) = sum_v c_v [ p_v != y_v and p_u = y_u for every ancestor u of v ]

so what follows from a mistake is not charged twice. Chelmis & Qi do the opposite: a node is also wrong when any
of its ancestors is (eqs. (2) and (3)). The HMC-loss charges every mistake, misses and false alarms at their own
price (eq. (2) of Triguero & Vens, after Bi & Kwok)::

    HMC(y, p) = alpha * sum of c_v over misses (y_v = 1, p_v = 0)  +  beta * sum of c_v over false alarms

with alpha = lambda * beta and alpha + beta = 2, that is beta = 2 / (1 + lambda). Bi & Kwok's eq. (7) is the same
with their alpha as lambda. Symbols: ``miss[v]`` is alpha * c_v, ``alarm[v]`` is beta * c_v.

References
----------
N. Cesa-Bianchi, C. Gentile, L. Zaniboni. Incremental algorithms for hierarchical classification. JMLR 7, 2006.

W. Bi, J. T. Kwok. Mandatory leaf node prediction in hierarchical multilabel classification. NIPS 2012.

I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016.

C. Chelmis, W. Qi. Hierarchical multiclass AdaBoost. IEEE Big Data 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import Pair, check_costs, check_label_pair, check_per_node, count_classes
from truepath.metrics.rows import each_row

__all__ = ["h_loss", "hierarchical_hamming_loss", "hmc_loss", "mistake_prices", "symmetric_loss"]


@register(
    needs="labels",
    label="H-loss",
    meaning="cost of each row's uppermost mistakes; a mistake near the top costs more",
    digits=4,
    greater_is_better=False,
    bounds=(0.0, 1.0),
    needs_hierarchy=True,
    row_terms=each_row,
)
def h_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    costs: str | ArrayLike = "normalised",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean H-loss: mistakes count where everything above them is right.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    costs : {"normalised", "uniform"} or array-like of shape (n_nodes,), default="normalised"
        c_v: split among the children from c_root = 1, all 1, or given. The uniform loss meets none of the
        requirements on a hierarchical measure (Triguero & Vens, section 2.1) and favours empty predictions.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. Classes left out are taken as right: they are not charged, and
        mistakes below them still are. Costs stay those of the whole hierarchy.
    sample_weight : array-like, shape (n_samples,), optional

    Returns
    -------
    loss : float
        At most 1 with normalised costs: no charged node of a row is an ancestor of another.

    See Also
    --------
    hmc_loss : charges every mistake.

    Notes
    -----
    On a DAG all ancestors must be right, through every parent. O(n_samples * (nodes + edges)).

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import h_loss
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth = h.encode([["a/1"]])
    >>> h_loss(truth, h.encode([["a/2"]]), h)  # a is right: a/1 and a/2 cost 1/4 each
    0.5
    >>> h_loss(truth, h.encode([["b/1"]]), h)  # a and b cost 1/2 each, nothing below counts
    1.0
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    charged, _ = walk_rows(pair, check_costs(costs, pair.hierarchy))
    return pair.mean_over_rows(charged)


@register(
    needs="labels",
    label="hierarchical Hamming loss",
    meaning="share of labels that are wrong or lie below a wrong one",
    digits=4,
    greater_is_better=False,
    needs_hierarchy=True,
    row_terms=each_row,
)
def hierarchical_hamming_loss(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    normalise: bool = True,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the hierarchy-aware Hamming loss: a node is wrong when it or any ancestor is.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        None takes the labels as flat; the loss is then the Hamming loss.
    normalise : bool, default=True
        Whether to divide by the number of cells. False gives the sum of eq. (2).
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. Classes left out are taken as right, as in :func:`h_loss`.
    sample_weight : array-like, shape (n_samples,), optional

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import hierarchical_hamming_loss
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> hierarchical_hamming_loss(h.encode([["a"]]), h.encode([["b"]]), h)  # every node is at or below a mistake
    1.0
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    _, tainted = walk_rows(pair, np.zeros(pair.true.shape[1]))
    if normalise:
        return pair.mean_over_rows(tainted) / pair.n_counted
    return float(tainted.sum() if pair.weight is None else tainted @ pair.weight)


def walk_rows(pair: Pair, costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for each row the cost of its uppermost mistakes, and how many nodes are at or below a mistake."""
    hierarchy, n_samples = pair.hierarchy, pair.true.shape[0]
    counted = np.ones(hierarchy.n_nodes, bool)
    if pair.nodes is not None:
        counted[:] = False
        counted[pair.nodes] = True
    charged, tainted = np.zeros(n_samples), np.zeros(n_samples, np.int64)
    graph = (counted, np.array(costs, np.float64), hierarchy.parent_ptr, hierarchy.parent_idx)
    if sparse.issparse(pair.true):
        ends = (pair.true.indptr, pair.true.indices, pair.pred.indptr, pair.pred.indices)
        _kernels.metrics.losses.walk_sparse_mistakes(*ends, *graph, charged, tainted)
    else:
        _kernels.metrics.losses.walk_mistakes(pair.true, pair.pred, *graph, charged, tainted)
    return charged, tainted


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
    costs: str | ArrayLike = "normalised",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean HMC-loss.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    alpha, beta : float or array-like of shape (n_nodes,), optional
        The prices of misses and of false alarms, one for all or one per class; both or neither.
    lambda_ : {"per_class", "balanced"}, float or array-like of shape (n_nodes,), optional
        Instead of them: ``beta = 2 / (1 + lambda_)``, ``alpha = 2 - beta``. ``"balanced"`` is the number of negative
        over the number of positive cells of ``y_true`` among the counted classes, one number for all;
        ``"per_class"``, the default, takes that ratio class by class, which is what the published numbers of
        Triguero & Vens use.
    costs : {"normalised", "uniform"} or array-like of shape (n_nodes,), default="normalised"
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
    costs: str | ArrayLike = "normalised",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean hierarchically weighted symmetric loss, Bi & Kwok's eq. (7).

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    alpha : float or "balanced", default=1.0
        A false alarm at v costs 2 c_v / (1 + alpha), a miss alpha times that. The paper takes the ratio of
        negative to positive labels of the training set: pass that number, or ``"balanced"`` to count it on
        ``y_true``.
    costs : {"normalised", "uniform"} or array-like of shape (n_nodes,), default="normalised"
    nodes : sequence of names or numbers, optional
        The classes counted, all by default.
    sample_weight : array-like, shape (n_samples,), optional

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
    >>> from truepath.metrics.losses import mistake_prices
    >>> mistake_prices(np.array([1, 2]), 4, 2)  # lambda_v = 3 and 1
    (array([1.5, 1. ]), array([0.5, 1. ]))
    """
    counted = slice(None) if nodes is None else nodes
    if alpha is not None or beta is not None:
        if alpha is None or beta is None or lambda_ is not None:
            raise ValueError("give both alpha and beta, or lambda_ alone.")
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
    cost = check_costs(costs, pair.hierarchy)[slice(None) if pair.nodes is None else pair.nodes]
    charge = (alpha * cost) @ (counts.true - counts.hits) + (beta * cost) @ (counts.predicted - counts.hits)
    return float(charge / n_rows)
