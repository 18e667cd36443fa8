"""The true-path rule on matrices: add missing ancestors, or find where a matrix breaks the rule.

A label matrix ``Y`` is *closed* when every positive label has all its ancestors; a score matrix ``S`` is
*coherent* when no score exceeds a parent's. Dense matrices cost O(n_samples * n_edges), sparse ones only the
edges above the labels that are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["Violation", "as_bool", "close_upwards", "find_incoherent", "find_unclosed", "reach"]


class Violation(NamedTuple):
    """Where a matrix first breaks the hierarchy, and in how many rows it does."""

    n_rows: int
    row: int
    child: int
    parent: int


def reach(v: int, ptr: NDArray[np.int32], idx: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the nodes that can be reached from ``v`` along the edges ``ptr, idx``, ascending, without ``v``."""
    found: set[int] = set()
    stack = [v]
    while stack:
        u = stack.pop()
        for w in idx[ptr[u] : ptr[u + 1]].tolist():
            if w not in found:
                found.add(w)
                stack.append(w)
    return np.array(sorted(found), np.int64)


def as_bool(Y: Any) -> Any:
    """Return a label matrix as a C-ordered boolean array or a boolean ``csr_array`` in canonical form."""
    if sparse.issparse(Y):
        Y = sparse.csr_array(Y, dtype=bool, copy=False)
        if not Y.has_canonical_format:
            Y = Y.copy()
            Y.sum_duplicates()
        if not Y.data.all():
            Y = Y.copy()
            Y.eliminate_zeros()
        return Y
    return np.ascontiguousarray(Y, dtype=bool)


def close_upwards(Y: Any, hierarchy: Hierarchy) -> Any:
    """Return a copy of ``Y`` with every ancestor of each positive label marked."""
    Y = as_bool(Y)
    kernels = _kernels.hierarchy.closure
    if not sparse.issparse(Y):
        closed = Y.copy()
        kernels.close_dense(closed, hierarchy.parent_ptr, hierarchy.parent_idx)
        return closed
    indptr, indices = kernels.close_rows(Y.indptr, Y.indices, hierarchy.parent_ptr, hierarchy.parent_idx)
    if indices.size <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)  # one index type, or scipy copies the other
    closed = sparse.csr_array((np.ones(indices.size, bool), indices, indptr), shape=Y.shape)
    closed.has_canonical_format = True
    return closed


def find_unclosed(Y: Any, hierarchy: Hierarchy) -> Violation | None:
    """Return where ``Y`` first has a label without its parent, or None."""
    Y = as_bool(Y)
    if sparse.issparse(Y):
        found = _kernels.hierarchy.closure.find_unclosed_rows(
            Y.indptr, Y.indices, hierarchy.parent_ptr, hierarchy.parent_idx
        )
    else:
        found = _kernels.hierarchy.closure.find_unclosed_dense(Y, hierarchy.parent_ptr, hierarchy.parent_idx)
    return Violation(*map(int, found)) if found[0] else None


def find_incoherent(S: Any, hierarchy: Hierarchy, tolerance: float = 0.0) -> Violation | None:
    """Return where ``S`` first has a score above its parent's by more than ``tolerance``, or None."""
    kernels, up = _kernels.hierarchy.closure, (hierarchy.parent_ptr, hierarchy.parent_idx)
    if sparse.issparse(S):
        S = sparse.csr_array(S)
        found = kernels.find_incoherent_rows(S.indptr, S.indices, S.data, *up, tolerance)
    else:
        found = kernels.find_incoherent_dense(np.asarray(S), *up, tolerance)
    return Violation(*map(int, found)) if found[0] else None
