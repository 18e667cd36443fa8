"""Information content of labels: how surprising a label is once all its parents are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_labels, weight_or_ones
from truepath.hierarchy.propagation import mark_below_parents
from truepath.metrics.inputs import check_rows


def information_content(
    y: Any,
    hierarchy: Hierarchy,
    *,
    sample_weight: ArrayLike | None = None,
    unseen: float = 0.0,
) -> NDArray[np.float64]:
    """Return ic(v) = -log2 p(v | all parents of v) in bits, counted in a label matrix.

    Parameters
    ----------
    y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        Closed under ancestors; usually the training labels.
    hierarchy : Hierarchy
    sample_weight : array-like, shape (n_samples,), optional
    unseen : float, default=0.0
        The content of a label that no row has, whose estimate would be infinite. 0 makes measures that weight by
        information ignore it.

    Returns
    -------
    ic : ndarray of float64, shape (n_nodes,)

    References
    ----------
    W. T. Clark, P. Radivojac. Information-theoretic evaluation of predicted ontological annotations.
    Bioinformatics 29, 2013.

    Notes
    -----
    A top-level label has only the implicit root above it, which every row has. The sum of ic over a closed set is
    that set's information content.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import information_content
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> information_content(h.encode([["a/1"], ["a/2"], ["a/2", "b/1"], ["a"]]), h).tolist()
    [0.0, 2.0, 1.0, 2.0, 0.0]
    """
    Y = check_labels(y, hierarchy)
    check_rows(Y, hierarchy, "Y")
    weight = weight_or_ones(sample_weight, Y.shape[0])
    n_with = np.asarray(sparse.csr_array(Y).T @ weight, np.float64)
    n_above = _count_with_parents(sparse.csr_array(Y), hierarchy, weight)
    content = np.full(hierarchy.n_nodes, float(unseen))
    seen = n_with > 0
    content[seen] = np.maximum(np.log2(n_above[seen] / n_with[seen]), 0.0)  # weights may round below 0
    return content


def _count_with_parents(Y: sparse.csr_array, hierarchy: Hierarchy, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each label the weight of the rows that have all of its parents."""
    n_above = mark_below_parents(Y, hierarchy).T @ weight
    return np.where(np.diff(hierarchy.parent_ptr) == 0, weight.sum(), n_above)
