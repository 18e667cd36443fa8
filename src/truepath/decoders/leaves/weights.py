"""Node weights for mandatory leaf prediction: what a label set is worth is the sum of its nodes' weights.

Symbols, as in Bi & Kwok: p_i is p(y_i = 1 | y_parent(i) = 1, x), on a DAG p_ij for each parent j; w_i the weight of
node i, w_0 that of the implicit root; c_i the node's cost (:attr:`truepath.Hierarchy.costs`), alpha the importance
of a false negative against a false positive.

* *Posterior* weights, eq. (6), Proposition 4 on DAGs: sum over i in Omega of w_i, w_0 included, is the log of the
  joint posterior (1); on DAGs of the composite likelihood (9), up to its constant.
* *Risk* weights, Proposition 3: the sum is a constant less the expected loss (7).

References
----------
W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.arcs import arc_pointers, conditional_from_marginals

# Conditional probabilities are held in [CLIP, 1 - CLIP]: eq. (6) is infinite at 0 and 1.
CLIP = 1e-6


class NodeWeights(NamedTuple):
    """Weights of the nodes, shape (n_samples, n_nodes), and of the implicit root, shape (n_samples,); float64."""

    nodes: NDArray[np.float64]
    root: NDArray[np.float64]


def posterior_weights(S: Any, hierarchy: Hierarchy, conditional: Any = None) -> NodeWeights:
    """Return w_i of eq. (6), or of Proposition 4 on a DAG.

    Parameters
    ----------
    S : ndarray of float, shape (n_samples, n_nodes), or None
        Coherent marginals; p_ij is then S[i] / S[j]. Not looked at when ``conditional`` is given.
    hierarchy : Hierarchy
    conditional : ndarray of float, shape (n_samples, n_arcs), optional
        The p_ij themselves, one column per arc (see :func:`truepath.hierarchy.arcs.arc_pointers`); on a tree column
        v belongs to node v.

    Notes
    -----
    Probabilities are clipped to [1e-6, 1 - 1e-6] (``CLIP``). Below a parent scored 0, p_ij counts as 0.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> w = posterior_weights(np.array([[0.8, 0.4, 0.2, 0.5]]), h)
    >>> both = w.root + w.nodes[0, [0, 1]].sum()         # the set {a, a/1}
    >>> np.exp(both).round(3), round(0.8 * 0.5 * (1 - 0.25) * (1 - 0.5), 3)
    (array([0.15]), 0.15)
    """
    P = conditional_from_marginals(np.asarray(S, np.float64), hierarchy) if conditional is None else conditional
    log_on = np.clip(P, CLIP, 1 - CLIP, dtype=np.float64)
    log_off = np.subtract(1.0, log_on)
    np.log(log_off, out=log_off)
    np.log(log_on, out=log_on)
    weights = NodeWeights(np.empty((len(log_on), hierarchy.n_nodes)), np.empty(len(log_on)))
    _kernels.leaves.weights.gather_weights(log_on, log_off, *arc_pointers(hierarchy), *weights)
    return weights


def risk_weights(S: Any, hierarchy: Hierarchy, alpha: float) -> NodeWeights:
    """Return w_i = (c+_i + c-_i) p(y_i = 1 | x) - c+_i of Proposition 3; the root, never mistaken, weighs 0.

    Parameters
    ----------
    S : ndarray of float, shape (n_samples, n_nodes)
        Marginals p(y_i = 1 | x).
    hierarchy : Hierarchy
    alpha : float
        c+_i = 2 c_i / (1 + alpha) for a false positive, c-_i = 2 alpha c_i / (1 + alpha) for a false negative.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> risk_weights(np.array([[0.8, 0.4, 0.2, 0.5]]), h, alpha=1.0).nodes.round(2).tolist()
    [[0.3, -0.05, -0.15, 0.0]]
    """
    false_positive = 2 * hierarchy.costs / (1 + alpha)
    false_negative = alpha * false_positive
    nodes = np.multiply(S, false_positive + false_negative, dtype=np.float64)
    nodes -= false_positive
    return NodeWeights(nodes, np.zeros(len(nodes)))


def balanced_alpha(Y: Any, sample_weight: NDArray[Any] | None = None) -> float:
    """Return the ratio of the numbers of negative and positive labels in ``Y`` (dense or CSR, bool).

    Examples
    --------
    >>> balanced_alpha(np.array([[True, False, False], [True, True, False]]))
    1.0
    """
    per_row = np.asarray(Y.sum(axis=1), np.float64).ravel() if sparse.issparse(Y) else Y.sum(axis=1, dtype=np.float64)
    weight = np.ones(Y.shape[0]) if sample_weight is None else sample_weight
    positive = float(weight @ per_row)
    if positive == 0:
        raise ValueError("alpha='balanced' divides by the number of positive labels, and Y has none; give a number.")
    return (float(weight.sum()) * Y.shape[1] - positive) / positive
