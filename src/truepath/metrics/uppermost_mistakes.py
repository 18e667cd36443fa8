r"""Losses by what lies above a mistake: the H-loss and the hierarchy-aware Hamming loss.

The H-loss charges a mistake at v only when all ancestors of v are right (Cesa-Bianchi et al.; eq. (1) of Triguero
& Vens)::

    H(y, p) = sum_v c_v [ p_v != y_v and p_u = y_u for every ancestor u of v ]

so what follows from a mistake is not charged twice. Chelmis & Qi do the opposite: a node is also wrong when any
of its ancestors is (eqs. (2) and (3)).

References
----------
N. Cesa-Bianchi, C. Gentile, L. Zaniboni. Incremental algorithms for hierarchical classification. JMLR 7, 2006.

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
from truepath.metrics.inputs import Pair, check_costs, check_label_pair
from truepath.metrics.rows import each_row


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
    costs: str | ArrayLike = "normalized",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean H-loss: mistakes count where everything above them is right.

    Parameters
    ----------
    costs : {"normalized", "uniform"} or array-like of shape (n_nodes,), default="normalized"
        c_v: split among the children from c_root = 1, all 1, or given. The uniform loss meets none of the
        requirements on a hierarchical measure (Triguero & Vens, section 2.1) and favours empty predictions.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. Classes left out are taken as right: they are not charged, and
        mistakes below them still are. Costs stay those of the whole hierarchy.

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
    normalize: bool = True,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the hierarchy-aware Hamming loss: a node is wrong when it or any ancestor is.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes the labels as flat; the loss is then the Hamming loss.
    normalize : bool, default=True
        Whether to divide by the number of cells. False gives the sum of eq. (2).
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. Classes left out are taken as right, as in :func:`h_loss`.

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
    if normalize:
        return pair.mean_over_rows(tainted) / pair.n_counted
    return float(tainted.sum() if pair.weight is None else tainted @ pair.weight)


def walk_rows(pair: Pair, costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for each row the cost of its uppermost mistakes, and how many nodes are at or below a mistake."""
    hierarchy, n_samples = pair.hierarchy, pair.true.shape[0]
    counted = np.zeros(hierarchy.n_nodes, bool)
    counted[slice(None) if pair.nodes is None else pair.nodes] = True
    charged, tainted = np.zeros(n_samples), np.zeros(n_samples, np.int64)
    graph = (counted, np.array(costs, np.float64), hierarchy.parent_ptr, hierarchy.parent_idx)
    if sparse.issparse(pair.true):
        ends = (pair.true.indptr, pair.true.indices, pair.pred.indptr, pair.pred.indices)
        _kernels.metrics.losses.walk_sparse_mistakes(*ends, *graph, charged, tainted)
    else:
        _kernels.metrics.losses.walk_mistakes(pair.true, pair.pred, *graph, charged, tainted)
    return charged, tainted
