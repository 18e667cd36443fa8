"""What the decoders of mandatory leaf prediction share: validate, count the leaves, weigh and solve in row blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from truepath import _kernels
from truepath.decoders.base import HeldOutScores, PlainDecoder
from truepath.decoders.leaves.counts import as_metalabeler, asks_for_metalabeler, check_leaf_counts
from truepath.decoders.leaves.weights import NodeWeights
from truepath.held import an_object
from truepath.hierarchy import Hierarchy, raise_up
from truepath.hierarchy.allowed import AllowedSets, find_allowed
from truepath.hierarchy.arcs import arc_pointers, marginals_from_conditional
from truepath.hierarchy.checks import as_probabilities, as_scores
from truepath.hierarchy.matrices import as_dense, row_blocks, stack_sparse

# Rows are taken in blocks of about this many scores: they stay in the processor's cache, and sparse scores are
# never dense all at once.
BLOCK_CELLS = 1 << 15
#: Sparse scores are taken at least this many rows at a time: each block costs a sparse matrix of its own
LEAST_SPARSE_ROWS = 64
#: Rows whose labels are closed together, as the bits of one word
CLOSED_AT_ONCE = 64


class LeafDecoder(PlainDecoder):
    """Base of the decoders whose predictions end in leaves.

    A member has ``hierarchy`` and ``k`` among its parameters and writes :meth:`_weigh` (scores to node weights)
    and :meth:`_search` (an object whose ``decode(weights, k)`` gives the label sets; ``k`` None if unknown).
    """

    k: Any

    def _to_learn(self) -> tuple[str, ...]:
        return ("metalabeler_",) if asks_for_metalabeler(self.k) else ()

    def _learn(self, given: HeldOutScores) -> None:
        """Fit the MetaLabeler that ``k`` asks for."""
        counter = as_metalabeler(self.k)
        if counter is not None:
            counter = clone(counter).set_params(hierarchy=given.hierarchy)
            self.metalabeler_ = counter.fit(given.S, given.y, given.sample_weight)

    def check_loaded(self) -> None:
        """Refuse numbers of leaves from a file that are no numbers of leaves."""
        super().check_loaded()
        if as_metalabeler(self.k) is not None:
            an_object("predict", of=("MetaLabeler",), knows=())(vars(self).get("metalabeler_"), {})
            if self.metalabeler_.n_features_in_ != self.hierarchy_.n_nodes:
                raise ValueError("a MetaLabeler takes other scores")
        elif self.k is not None:
            check_leaf_counts(self.k, np.size(self.k), self.hierarchy_.leaves.size)

    def _weigh(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        raise NotImplementedError

    def _search(self, hierarchy: Hierarchy, k: NDArray[np.int64] | None) -> Any:
        raise NotImplementedError

    def predict(self, S: Any, *, allowed: Any = None) -> Any:
        """Return the label sets.

        Parameters
        ----------
        S : ndarray or CSR of float, shape (n_samples, n_nodes)
            Marginal scores in [0, 1]. Sparse scores are made dense in blocks of rows.
        allowed : names, flags or AllowedLabels, optional
            The labels that may be predicted, all by default. Paths end at the most specific of the possible labels.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed, every path ending in a leaf; dense for dense scores, CSR for sparse ones.
        """
        return self._decode(S, None, allowed)

    def _decode(self, S: Any, conditional: Any, allowed: Any = None) -> Any:
        """Check the scores and return their label sets."""
        return self._decode_with_gaps(S, conditional, allowed)[0]

    def _decode_with_gaps(self, S: Any, conditional: Any, allowed: Any = None) -> tuple[Any, NDArray[np.float64]]:
        """Return the label sets, and what the search says of their gaps to the optimum, if anything.

        A row's labels do not depend on the other rows.
        """
        hierarchy, S, conditional = self._check_input(S, conditional)
        if allowed is not None:
            S = _marginals(conditional, hierarchy) if conditional is not None else S
            return self._decode_allowed(S, hierarchy, find_allowed(allowed, hierarchy, S.shape[0]))
        given = S if S is not None else conditional
        k = self._leaf_counts(S, given.shape[0], hierarchy)
        search = self._search(hierarchy, k)

        def label(rows: slice) -> NDArray[np.bool_]:
            weights = self._weigh_rows(rows, S, conditional, hierarchy)
            return search.decode(weights, None if k is None else k[rows])

        return label_in_blocks(given, hierarchy.n_nodes, label), _gaps(search)

    def _decode_allowed(self, S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> tuple[Any, NDArray[np.float64]]:
        """Return the same among possible labels: the same weights, searched on the graph of what is possible."""
        S = self._restrict(S, hierarchy, sets)
        counts, gaps = self._leaf_counts(S, S.shape[0], hierarchy), np.zeros(S.shape[0])

        def label(rows: NDArray[np.int64], nodes: NDArray[Any], within: Hierarchy) -> Any:
            own = S[rows]
            k = None if counts is None else np.minimum(counts[rows], within.leaves.size)
            search = self._search(within, k)

            def label_block(part: slice) -> NDArray[np.bool_]:
                weights = self._weigh_rows(part, own, None, hierarchy)
                kept = NodeWeights(np.ascontiguousarray(weights.nodes[:, nodes]), weights.root)
                found: NDArray[np.bool_] = search.decode(kept, None if k is None else k[part])
                return found

            Y = label_in_blocks(own, within.n_nodes, label_block)
            gaps[rows] = _gaps(search) if hasattr(search, "gaps") else 0.0
            return Y

        return label_by_set(S, hierarchy, sets, label), gaps

    def weigh_nodes(self, S: Any, conditional: Any = None) -> tuple[Hierarchy, Iterator[NodeWeights]]:
        """Check the scores; return the hierarchy, and the node weights of block after block of rows."""
        hierarchy, S, conditional = self._check_input(S, conditional)
        blocks = _blocks(S if S is not None else conditional)
        return hierarchy, (self._weigh_rows(rows, S, conditional, hierarchy) for rows in blocks)

    def _weigh_rows(self, rows: slice, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        """Return the node weights of some rows; one of the two matrices may be None."""
        S, conditional = (None if M is None else as_dense(M[rows]) for M in (S, conditional))
        return self._weigh(S, conditional, hierarchy)

    def _check_input(self, S: Any, conditional: Any) -> tuple[Hierarchy, Any, Any]:
        """Return the hierarchy and the matrices, checked; ``S`` may be None beside conditional scores."""
        if S is None and conditional is None:
            raise ValueError("S is None; pass marginal scores, or conditional= ones.")
        hierarchy = self._hierarchy_for(S if S is not None else conditional)
        if S is not None:
            S = self._check_scores(S, hierarchy)
        if conditional is not None:
            conditional = check_conditional(conditional, hierarchy)
            if S is not None and S.shape[0] != conditional.shape[0]:
                raise ValueError(f"S has {S.shape[0]} rows, conditional {conditional.shape[0]}.")
        return hierarchy, S, conditional

    def _leaf_counts(self, S: Any, n_samples: int, hierarchy: Hierarchy) -> NDArray[np.int64] | None:
        """Return the number of leaves of each row, or None where the decoder finds it itself."""
        if self.k is None:
            return None
        if as_metalabeler(self.k) is None:
            return check_leaf_counts(self.k, n_samples, hierarchy.leaves.size)
        if S is None:
            raise ValueError("S is None, but the MetaLabeler counts leaves from S; pass both S and conditional.")
        counts: NDArray[np.int64] = self.metalabeler_.predict(S)
        return counts


def check_conditional(conditional: Any, hierarchy: Hierarchy) -> Any:
    """Return conditional scores as a float matrix with one column per arc, in [0, 1]."""
    C = sparse.csr_array(conditional) if sparse.issparse(conditional) else np.asarray(conditional)
    arc_ptr, arc_parent = arc_pointers(hierarchy)
    n_arcs = arc_parent.size
    if C.ndim != 2 or C.shape[1] != n_arcs:
        raise ValueError(
            f"conditional must have one column for each of the {n_arcs} arcs (truepath.hierarchy.arcs.arc_pointers); "
            f"got shape {C.shape}."
        )
    labels = np.repeat(hierarchy.names, np.diff(arc_ptr))
    return as_probabilities(as_scores(C, "conditional", labels=labels), "conditional", labels=labels)


def _gaps(search: Any) -> NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *getattr(search, "gaps", ())])


def _marginals(conditional: Any, hierarchy: Hierarchy) -> Any:
    """Return the marginals that conditional scores mean, dense or sparse as these are."""
    if not sparse.issparse(conditional):
        return marginals_from_conditional(conditional, hierarchy)
    blocks = row_blocks(*conditional.shape)
    parts = (sparse.csr_array(marginals_from_conditional(as_dense(conditional[rows]), hierarchy)) for rows in blocks)
    return stack_sparse(parts, hierarchy.n_nodes, np.float64)


def label_by_set(
    S: Any,
    hierarchy: Hierarchy,
    sets: AllowedSets,
    label: Callable[[NDArray[np.int64], NDArray[Any], Hierarchy], Any],
) -> Any:
    """Return the labels of all rows, those of each set of possible labels on their own graph.

    ``label(rows, nodes, within)`` returns the labels of some rows, one column for each possible label; ``within`` is
    the graph of these. The labels of one set keep their numbers' order, so ties go as they go among all labels.
    """
    n_rows, is_sparse = S.shape[0], sparse.issparse(S)
    Y = np.zeros((0 if is_sparse else n_rows, hierarchy.n_nodes), bool)
    parts, order = [], [np.zeros(0, np.int64)]
    for nodes, rows in sets.groups(n_rows):
        found = label(rows, nodes, _graph_of(hierarchy, nodes.tobytes()))
        if is_sparse:
            parts.append(sparse.csr_array((found.data, nodes[found.indices], found.indptr), (rows.size, Y.shape[1])))
            order.append(rows)
        else:
            Y[np.ix_(rows, nodes)] = found
    return stack_sparse(parts, Y.shape[1])[np.argsort(np.concatenate(order))] if is_sparse else Y


@lru_cache(maxsize=256)  # asked for again by every block of rows
def _graph_of(hierarchy: Hierarchy, nodes: bytes) -> Hierarchy:
    """Return the graph of the possible labels, which have all their parents."""
    return hierarchy.subgraph(np.frombuffer(nodes, np.int64))


def label_in_blocks(given: Any, n_nodes: int, label: Callable[[slice], NDArray[np.bool_]], least_rows: int = 1) -> Any:
    """Return the labels of all rows, made block by block: dense if ``given`` is, CSR if it is sparse."""
    if not sparse.issparse(given):
        parts = [label(rows) for rows in _blocks(given, least_rows)]
        return np.concatenate([np.zeros((0, n_nodes), bool), *parts])
    return stack_sparse((sparse.csr_array(label(rows)) for rows in _blocks(given)), n_nodes)


def _blocks(given: Any, least_rows: int = 1) -> Iterator[slice]:
    n_rows, n_columns = given.shape
    least = LEAST_SPARSE_ROWS if sparse.issparse(given) else least_rows
    return row_blocks(n_rows, n_columns, cells=max(BLOCK_CELLS, least * n_columns))


def best_leaves(S: sparse.csr_array, k: NDArray[np.int64], hierarchy: Hierarchy) -> sparse.csr_array:
    """Return each row's k[i] best leaves with their ancestors, from sparse scores and without a dense row."""
    ends = np.concatenate([[0], np.cumsum(k)])
    found = np.empty(int(ends[-1]), np.int32)
    graph = (hierarchy.leaves, hierarchy.is_leaf)
    _kernels.leaves.sparse_rows.best_leaves(S.indptr, S.indices, S.data, *graph, ends, found)
    chosen = sparse.csr_array((np.ones(found.size, bool), found, ends), shape=(k.size, hierarchy.n_nodes))
    return raise_up(chosen, hierarchy)
