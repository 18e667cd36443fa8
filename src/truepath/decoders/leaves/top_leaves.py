"""TopLeaves: the k leaves with the largest scores, and their ancestors.

What flat methods do for mandatory leaf prediction: the hierarchy is only there to add the ancestors.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from truepath.decoders.leaves.base import CLOSED_AT_ONCE, LeafDecoder, best_leaves, label_by_set, label_in_blocks
from truepath.graph import Graph, close_columns
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.allowed import find_allowed


class TopLeaves(LeafDecoder):
    """Keep each row's k best-scored leaves, ancestors added.

    Parameters
    ----------
    k : int, array of int, "metalabeler" or MetaLabeler, default=1
        The number of leaves; an array holds one per row; a :class:`MetaLabeler` (or its name) is fitted on the
        scores by ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    metalabeler_ : MetaLabeler
        Fitted, when ``k`` asks for one.

    See Also
    --------
    MAS : weighs the ancestors too, and can find k itself.

    Notes
    -----
    Scores need not be probabilities or coherent. Ties go to the smaller node number. O(n_leaves log n_leaves) per row;
    for sparse scores, O(stored log stored) and the ancestors of what is chosen.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import TopLeaves
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> h.decode(TopLeaves(k=2, hierarchy=h).predict([[0.9, 0.8, 0.1, 0.6, 0.5]]))
    [('a/1', 'b/1')]
    """

    name = "top-leaves"
    summary = "the k leaves that score best, with their ancestors"
    learns_from = "held-out scores and labels if k is 'metalabeler'"

    def __init__(self, k: Any = 1, *, hierarchy: Hierarchy | None = None):
        self.k = k
        self.hierarchy = hierarchy

    @available_if(lambda self: isinstance(self.k, Integral))
    def export_labels(self, graph: Graph, scores: str) -> str:
        """Add the labels to an ONNX graph, where k is a number."""
        leaves = self.hierarchy_.leaves
        k = min(int(self.k), leaves.size)
        best = graph.largest(graph.columns(scores, leaves), k)
        at = graph.add("Gather", graph.constant(leaves, np.int64), best)
        marks = graph.add("Mul", graph.double(scores), graph.constant(0.0))
        ones = graph.double(graph.add("Equal", at, at))
        marked = graph.add("ScatterElements", marks, at, ones, axis=1)
        return close_columns(graph, graph.cast(marked, "BOOL"), self.hierarchy_)

    def check_loaded(self) -> None:
        """Refuse a file that does not say how many leaves."""
        super().check_loaded()
        if self.k is None:
            raise ValueError("k of a TopLeaves is None")

    def _leaf_counts(self, S: Any, n_samples: int, hierarchy: Hierarchy) -> NDArray[np.int64]:
        counts = super()._leaf_counts(S, n_samples, hierarchy)
        if counts is None:
            raise ValueError("k is None, but leaf scores alone do not say how many to keep; use MAS, or give k.")
        return counts

    def _decode(self, S: Any, conditional: Any, allowed: Any = None) -> Any:
        hierarchy, S, _ = self._check_input(S, conditional)
        if allowed is None:
            return self._label_counted(S, hierarchy, self._leaf_counts(S, S.shape[0], hierarchy))
        sets = find_allowed(allowed, hierarchy, S.shape[0])
        S = self._restrict(S, hierarchy, sets)
        k = self._leaf_counts(S, S.shape[0], hierarchy)
        label = lambda rows, nodes, within: self._label_counted(S[rows][:, nodes], within, k[rows])  # noqa: E731
        return label_by_set(S, hierarchy, sets, label)

    def _label_counted(self, S: Any, hierarchy: Hierarchy, k: NDArray[np.int64]) -> Any:
        """Return the label sets of each row's k best leaves."""
        k = np.minimum(k, hierarchy.leaves.size)
        if sparse.issparse(S):
            return best_leaves(S, k, hierarchy)
        return label_in_blocks(
            S, hierarchy.n_nodes, lambda rows: _label_best(S[rows], k[rows], hierarchy), CLOSED_AT_ONCE
        )


def _label_best(S: NDArray[Any], k: NDArray[np.int64], hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """Return the label sets of each row's k[i] best leaves."""
    leaves, Y = hierarchy.leaves, np.zeros(S.shape, bool)
    for i, count in enumerate(np.minimum(k, leaves.size).tolist()):
        if count > 0:
            Y[i, leaves[_best(S[i, leaves], count)]] = True
    return hierarchy.close(Y)


def _best(scores: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Return the places of the k best scores, the first of equals; not in order, which takes linear time."""
    last = np.partition(scores, scores.size - k)[scores.size - k]
    above, equal = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
    return np.concatenate([above, equal[: k - above.size]])
