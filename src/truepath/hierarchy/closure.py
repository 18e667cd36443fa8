"""The true-path rule on matrices: find where one breaks it.

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
from truepath.hierarchy.matrices import as_bool

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["Violation", "find_incoherent", "find_unclosed", "reach"]


class Violation(NamedTuple):
    """Where a matrix first breaks the hierarchy, and in how many rows it does."""

    n_rows: int
    row: int
    child: int
    parent: int

    def describe(self, hierarchy: Hierarchy, relation: str) -> tuple[str, str]:
        """Say in words in how many rows, and where first; ``relation`` is what the child is to the parent there."""
        child, parent = hierarchy.names[self.child], hierarchy.names[self.parent]
        rows = f"{self.n_rows} row" if self.n_rows == 1 else f"{self.n_rows} rows"
        return rows, f"first: row {self.row}, {child!r} {relation} {parent!r}"


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
