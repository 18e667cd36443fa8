"""BestPath: the one root-to-leaf path that scores best, for problems where every instance belongs to one leaf.

Hierarchical *multiclass* data (Chelmis & Qi 2021) have a single path per instance. Thresholds leave some rows without
any label and others with two half-paths; the best leaf, with all its ancestors, is always a whole answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.base import PlainDecoder
from truepath.decoders.leaves.base import CLOSED_AT_ONCE, best_leaves, label_in_blocks
from truepath.decoders.thresholds.threshold import apply_thresholds
from truepath.graph import Graph, cap_columns
from truepath.held import a_number, flag, holds, one_of
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.allowed import AllowedSets
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import NUMBER, check_choice, check_flag, check_in


@holds(single_path=flag, by=one_of("leaf", "mean"), threshold=a_number())
class BestPath(PlainDecoder):
    """Keep each row's best leaf, ancestors added.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None means a flat label set: the best label.
    single_path : bool, default=True
        False adds the best path to all labels scored above ``threshold``, for multi-path data where no row should
        come out empty.
    by : {"leaf", "mean"}, default="leaf"
        What makes a leaf the best: its own score, right for marginals; or the mean score of the leaf and all its
        ancestors, better for margins of labels that were learned apart, where an ancestor's margin is evidence of its
        own.
    threshold : float, default=0.5
        For ``single_path=False``: a label counts if its score and those of all its ancestors lie above. Use 0
        for margins.

    Attributes
    ----------
    hierarchy_ : Hierarchy

    See Also
    --------
    TopLeaves : the k best leaves.
    MAS : weighs the ancestors as the likelihood does.

    Notes
    -----
    Scores need not be coherent or probabilities: margins work too. On a DAG a leaf's "path" is all its ancestors. Ties
    go to the smaller node number. O(n_nodes) per row by leaf, O(edges of the ancestor closure of the leaves) by mean.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import BestPath
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.3, 0.2, 0.4, 0.4]]  # a, a/1, a/2, b, b/1
    >>> h.decode(BestPath(hierarchy=h).predict(S))
    [('b/1',)]
    >>> h.decode(BestPath(hierarchy=h, by="mean").predict(S))
    [('a/1',)]
    >>> h.decode(BestPath(hierarchy=h, single_path=False).predict(S))
    [('a', 'b/1')]
    """

    name = "best-path"
    summary = "the one leaf that scores best, with its ancestors"

    def __init__(
        self, *, hierarchy: Hierarchy | None = None, single_path: bool = True, by: str = "leaf", threshold: float = 0.5
    ):
        self.hierarchy = hierarchy
        self.single_path = single_path
        self.by = by
        self.threshold = threshold

    @property
    def is_single_path(self) -> bool:  # type: ignore[override]
        """Whether a row has one path of labels: yes, unless others are added."""
        return self.single_path

    def export_labels(self, graph: Graph, scores: str) -> str:
        """Add the labels to an ONNX graph."""
        hierarchy = self.hierarchy_
        weigher = self._weigher(hierarchy)
        if weigher is None:
            of_leaf = graph.columns(scores, hierarchy.leaves)
        else:
            of_leaf = graph.add("MatMul", graph.double(scores), graph.matrix(sparse.csr_array(weigher.T)))
        best = graph.add("ArgMax", of_leaf, axis=1, keepdims=0)  # the first of equals
        path = hierarchy.ancestor_matrix()[hierarchy.leaves]
        labels = graph.cast(graph.add("Gather", graph.constant(as_dense(path).astype(np.uint8)), best, axis=0), "BOOL")
        if self.single_path:
            return labels
        above = graph.add("Greater", graph.double(scores), graph.constant(float(self.threshold)))
        kept = graph.cast(cap_columns(graph, graph.double(above), hierarchy), "BOOL")
        return graph.add("Or", labels, kept)

    def _check_parameters(self) -> None:
        check_flag(self, "single_path")
        check_choice(self, "by", ("leaf", "mean"))
        check_in("threshold", self.threshold, NUMBER)

    def _label_allowed(self, S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> Any:
        """Return the best of the labels where paths can end: the most specific of the possible ones."""
        S = self._restrict(S, hierarchy, sets)
        weigher = _mean_of_path(hierarchy, np.arange(hierarchy.n_nodes)) if self.by == "mean" else None

        def label(rows: slice) -> NDArray[np.bool_]:
            distinct, which = sets.distinct(rows, S.shape[0])
            block, ends = as_dense(S[rows]), as_dense(sets.ends[distinct])
            of_end = np.where(ends[which], block if weigher is None else (weigher @ block.T).T, -np.inf)
            Y = np.zeros(block.shape, bool)
            Y[np.arange(len(block)), of_end.argmax(axis=1)] = True  # argmax: the first of equals
            Y = hierarchy.close(Y)
            return Y if self.single_path else Y | cap_down(block > self.threshold, hierarchy)

        return sets.keep_possible(label_in_blocks(S, hierarchy.n_nodes, label, CLOSED_AT_ONCE))

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        weigher = self._weigher(hierarchy)
        if sparse.issparse(S) and weigher is None and (self.single_path or self.threshold >= 0):
            return self._label_sparse(S, hierarchy)
        return label_in_blocks(
            S,
            hierarchy.n_nodes,
            lambda rows: self._label_block(as_dense(S[rows]), weigher, hierarchy),
            CLOSED_AT_ONCE,
        )

    def _label_sparse(self, S: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
        """Label sparse scores by their stored cells alone."""
        Y = best_leaves(S, np.ones(S.shape[0], np.int64), hierarchy)
        if self.single_path:
            return Y
        above = apply_thresholds(S, np.full(hierarchy.n_nodes, float(self.threshold)))
        return sparse.csr_array(Y + cap_down(above, hierarchy))

    def _weigher(self, hierarchy: Hierarchy) -> sparse.csr_array | None:
        """Return the matrix that turns node scores into leaf scores; None if the leaf's own score counts."""
        return _mean_of_path(hierarchy, hierarchy.leaves) if self.by == "mean" else None

    def _label_block(self, S: NDArray[Any], weigher: Any, hierarchy: Hierarchy) -> NDArray[np.bool_]:
        of_leaf = S[:, hierarchy.leaves] if weigher is None else (weigher @ S.T).T
        Y = np.zeros(S.shape, bool)
        Y[np.arange(len(S)), hierarchy.leaves[of_leaf.argmax(axis=1)]] = True  # argmax: the first of equals
        Y = hierarchy.close(Y)
        return Y if self.single_path else Y | cap_down(S > self.threshold, hierarchy)  # where all ancestors are above


def _mean_of_path(hierarchy: Hierarchy, ends: NDArray[Any]) -> sparse.csr_array:
    """Return the matrix that averages node scores over some labels and their ancestors, (n_ends, n_nodes)."""
    paths = sparse.csr_array(hierarchy.ancestor_matrix()[ends], dtype=np.float64)
    return sparse.csr_array(sparse.diags_array(1 / paths.sum(axis=1)) @ paths)
