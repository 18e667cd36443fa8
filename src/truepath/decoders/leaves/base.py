"""What the decoders of mandatory leaf prediction share: validate, count the leaves, weigh and solve in row blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from truepath.decoders.base import Decoder, FitInput, check_fit_input
from truepath.decoders.leaves.counts import as_metalabeler, check_leaf_counts
from truepath.decoders.leaves.weights import NodeWeights
from truepath.hierarchy import Hierarchy, check_scores, resolve_hierarchy
from truepath.hierarchy.arcs import COHERENCE_TOLERANCE, arc_pointers

__all__ = ["BLOCK_CELLS", "LeafDecoder", "check_probabilities", "row_blocks"]

# Rows are taken in blocks of about this many scores: they stay in the processor's cache, and sparse scores are
# never dense all at once.
BLOCK_CELLS = 1 << 15


def row_blocks(n_samples: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows with about BLOCK_CELLS cells each."""
    step = max(1, BLOCK_CELLS // max(1, n_columns))
    for start in range(0, n_samples, step):
        yield slice(start, min(start + step, n_samples))


def check_probabilities(P: Any, name: str) -> Any:
    """Return ``P`` if its values lie in [0, 1], up to rounding."""
    values = P.data if sparse.issparse(P) else P
    if values.size and not (values.min() >= -COHERENCE_TOLERANCE and values.max() <= 1 + COHERENCE_TOLERANCE):
        wrong = values.min() if values.min() < -COHERENCE_TOLERANCE else values.max()
        raise ValueError(f"{name} must hold probabilities in [0, 1]; found {wrong}. Calibrate or rescale it first.")
    return P


class LeafDecoder(Decoder):
    """Base of the decoders whose predictions end in leaves.

    A member has ``hierarchy`` and ``k`` among its parameters and writes :meth:`_weigh` (scores to node weights)
    and :meth:`_search` (an object whose ``decode(weights, k)`` gives the label sets; ``k`` None if unknown).
    """

    @property
    def learns(self) -> bool:
        """Whether ``fit`` learns from scores and labels: the number of leaves, or their price."""
        return self._needs_labels()

    def fit(self, S: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Check, and learn what there is to learn: the number of leaves if ``k`` asks for it.

        Parameters
        ----------
        S : ndarray or CSR of float, shape (n_samples, n_nodes)
            Scores of rows the learner did not train on.
        y : ndarray or CSR of bool, shape (n_samples, n_nodes), optional
            Their closed labels; may be left out when there is nothing to learn.
        sample_weight : array-like, shape (n_samples,), optional
        """
        if y is None and not self._needs_labels():
            super().fit(S)
            given = FitInput(check_scores(S, self.hierarchy_), None, None, self.hierarchy_)
        else:
            given = check_fit_input(self, S, y, sample_weight)
        self._learn(*given)
        return self

    def _needs_labels(self) -> bool:
        """Say whether the parameters ask for something that only labels tell."""
        return as_metalabeler(self.k) is not None

    def _learn(self, S: Any, Y: Any, sample_weight: NDArray[Any] | None, hierarchy: Hierarchy) -> None:
        """Fit the MetaLabeler that ``k`` asks for."""
        counter = as_metalabeler(self.k)
        if counter is not None:
            counter = clone(counter).set_params(hierarchy=hierarchy)
            self.metalabeler_ = counter.fit(S, Y, sample_weight)

    def _weigh(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        raise NotImplementedError

    def _search(self, hierarchy: Hierarchy, k: NDArray[np.int64] | None) -> Any:
        raise NotImplementedError

    def _report(self, search: Any) -> None:
        """Keep what a search has to tell when all rows are done."""

    def predict(self, S: Any) -> Any:
        """Return the label sets.

        Parameters
        ----------
        S : ndarray or CSR of float, shape (n_samples, n_nodes)
            Marginal scores in [0, 1]. Sparse scores are made dense in blocks of rows.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed, every path ending in a leaf; dense for dense scores, CSR for sparse ones.
        """
        return self._decode(S, None)

    def _decode(self, S: Any, conditional: Any) -> Any:
        """Decode block after block; a row's labels do not depend on the other rows."""
        hierarchy, S, conditional = self._check_input(S, conditional)
        given = S if S is not None else conditional
        k = self._leaf_counts(S, given.shape[0], hierarchy)
        search = self._search(hierarchy, k)
        parts = []
        for rows, weights in self._weighted_blocks(S, conditional, hierarchy):
            Y = search.decode(weights, None if k is None else k[rows])
            parts.append(sparse.csr_array(Y) if sparse.issparse(given) else Y)
        self._report(search)
        return _stack(parts, hierarchy.n_nodes, sparse.issparse(given))

    def _weighted_blocks(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> Iterator[tuple[slice, NodeWeights]]:
        """Yield row blocks with their node weights."""
        given = S if S is not None else conditional
        for rows in row_blocks(*given.shape):
            yield rows, self._weigh(_dense_rows(S, rows), _dense_rows(conditional, rows), hierarchy)

    def _check_input(self, S: Any, conditional: Any) -> tuple[Hierarchy, Any, Any]:
        """Return the hierarchy and the matrices, checked; ``S`` may be None beside conditional scores."""
        if S is None and conditional is None:
            raise ValueError("S is None; pass marginal scores, or conditional= ones.")
        hierarchy = getattr(self, "hierarchy_", None)
        if hierarchy is None:
            hierarchy = resolve_hierarchy(self.hierarchy, np.shape(S if S is not None else conditional)[1])
        if S is not None:
            S = self._check_range(check_scores(S, hierarchy))
        if conditional is not None:
            conditional = check_conditional(conditional, hierarchy)
            if S is not None and S.shape[0] != conditional.shape[0]:
                raise ValueError(f"S has {S.shape[0]} rows, conditional {conditional.shape[0]}.")
        return hierarchy, S, conditional

    def _check_range(self, S: Any) -> Any:
        """Return ``S`` if its values are what the decoder can use: probabilities."""
        return check_probabilities(S, "S")

    def _leaf_counts(self, S: Any, n_samples: int, hierarchy: Hierarchy) -> NDArray[np.int64] | None:
        """Return the number of leaves of each row, or None where the decoder finds it itself."""
        if self.k is None:
            return None
        if as_metalabeler(self.k) is None:
            return check_leaf_counts(self.k, n_samples, hierarchy.leaves.size)
        if not hasattr(self, "metalabeler_"):
            raise NotFittedError(f"{type(self).__name__} learns the number of leaves; call fit(S, Y) first.")
        if S is None:
            raise ValueError("S is None, but the MetaLabeler counts leaves from S; pass both S and conditional.")
        return self.metalabeler_.predict(S)


def check_conditional(conditional: Any, hierarchy: Hierarchy) -> Any:
    """Return conditional scores as a float matrix with one column per arc, in [0, 1]."""
    C = sparse.csr_array(conditional) if sparse.issparse(conditional) else np.asarray(conditional)
    n_arcs = arc_pointers(hierarchy)[1].size
    if C.ndim != 2 or C.shape[1] != n_arcs:
        raise ValueError(
            f"conditional must have one column for each of the {n_arcs} arcs (truepath.hierarchy.arcs.arc_pointers); "
            f"got shape {C.shape}."
        )
    if C.dtype.kind not in "biuf" or not np.isfinite(C.data if sparse.issparse(C) else C).all():
        raise ValueError("conditional must hold finite numbers.")
    return check_probabilities(C, "conditional")


def _dense_rows(M: Any, rows: slice) -> Any:
    """Return a block of rows as an array; None stays None."""
    if M is None:
        return None
    return M[rows].toarray() if sparse.issparse(M) else M[rows]


def _stack(parts: list[Any], n_nodes: int, is_sparse: bool) -> Any:
    """Put blocks of label sets below each other."""
    if not parts:
        empty = np.zeros((0, n_nodes), bool)
        return sparse.csr_array(empty) if is_sparse else empty
    return sparse.csr_array(sparse.vstack(parts, format="csr")) if is_sparse else np.concatenate(parts)
