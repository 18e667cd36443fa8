"""Walks along the hierarchy, each written once: upwards, downwards, products downwards, and where a matrix breaks it.

``raise_up`` gives every label at least what its descendants have, ``cap_down`` at most what its ancestors have. For
scores these are the one-sided corrections max-up and min-down; for labels, the closure under ancestors and the largest
closed subset. A label matrix is *closed* when every positive label has all its ancestors; a score matrix is
*coherent* when no score exceeds a parent's. Matrices are dense or CSR, boolean or float; what a sparse matrix does not
store is 0. Dense matrices cost O(n_samples * n_edges), sparse ones the edges above what is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.english import counted
from truepath.hierarchy.matrices import as_bool, as_matrix, by_name, dense_blocks, from_rows, has_negative

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy


def raise_up(S: Any, hierarchy: Hierarchy, *, out: NDArray[Any] | None = None) -> Any:
    """Raise every label to the greatest among its descendants.

    Parameters
    ----------
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
        Scores, or labels: a boolean matrix is closed under ancestors.
    hierarchy : Hierarchy
    out : ndarray, optional
        Where to write the result of a dense matrix; ``out=S`` changes it in place.

    Returns
    -------
    S : ndarray or csr_array, shape (n_samples, n_nodes)
        Of the same form and type.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.hierarchy import raise_up
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> raise_up([[0.5, 0.75, 0.25, 0.0]], h).tolist()
    [[0.75, 0.75, 0.25, 0.0]]
    >>> raise_up([[False, True, False, False]], h).tolist()
    [[True, True, False, False]]
    """
    up, kernels = _up(hierarchy), _kernels.hierarchy
    S = _as_numbers(S, hierarchy)
    if S.dtype == bool:
        walk = partial(_run_walk, kernels.flags.raise_flags, up)
    else:
        walk = partial(_run_walk, kernels.propagate.raise_dense, (hierarchy.child_ptr, hierarchy.child_idx))
    if not sparse.issparse(S):
        return walk(S, out=out)
    S = _as_rows(S, out)
    if has_negative(S):
        return _by_blocks(S, walk)
    indptr, indices = kernels.closure.close_rows(S.indptr, S.indices, *up)
    raised = from_rows(indices, indptr, S.shape)
    if S.dtype != bool:
        rows = S.indptr, S.indices, S.data
        raised.data = kernels.propagate.raise_rows(*rows, raised.indptr, raised.indices, *up)
    return raised


def cap_down(S: Any, hierarchy: Hierarchy, *, threshold: float | None = None, out: NDArray[Any] | None = None) -> Any:
    """Lower every label to the least among its ancestors.

    Parameters
    ----------
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
        Scores, or labels: in a boolean matrix a label without all of its ancestors is dropped.
    hierarchy : Hierarchy
    threshold : float, optional
        Let only parents that are not above it cap their children. By default all parents do.
    out : ndarray, optional
        Where to write the result of a dense matrix; ``out=S`` changes it in place.

    Returns
    -------
    S : ndarray or csr_array, shape (n_samples, n_nodes)
        Of the same form and type.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.hierarchy import cap_down
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> cap_down([[0.5, 0.75, 0.25, 0.0]], h).tolist()
    [[0.5, 0.5, 0.25, 0.0]]
    """
    up, kernels = _up(hierarchy), _kernels.hierarchy
    S = _as_numbers(S, hierarchy)
    if threshold is not None:
        walk = partial(_run_walk, kernels.propagate.cap_below, (*up, float(threshold)))
    else:
        walk = partial(_run_walk, kernels.flags.cap_flags if S.dtype == bool else kernels.propagate.cap_dense, up)
    if not sparse.issparse(S):
        return walk(S, out=out)
    S = _as_rows(S, out)
    if threshold is not None or has_negative(S):
        return _by_blocks(S, walk)
    kernels.propagate.cap_rows(S.indptr, S.indices, _as_kernel_type(S.data), *up)
    S.eliminate_zeros()
    return S


def multiply_down(S: NDArray[Any], hierarchy: Hierarchy, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Multiply every score by the least product of a parent: on a tree, the product along the path from the top."""
    return _run_walk(_kernels.hierarchy.propagate.multiply_down, _up(hierarchy), _as_numbers(S, hierarchy), out)


def mark_below_parents(Y: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
    """Return which rows have all parents of each label; nothing is stored for labels at the top, whose rows are all.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_parents({"a": None, "b": None, "a/1": ["a"], "ab": ["a", "b"]})
    >>> Y = h.encode([["a"], ["ab"], ["b"]], sparse_output=True)
    >>> [h.names[row].tolist() for row in mark_below_parents(Y, h).toarray()]
    [['a/1'], ['a/1', 'ab'], []]
    """
    parents, children = hierarchy.edges.T
    edges = (np.ones(parents.size, np.int32), (parents, children))
    found = sparse.csr_array(Y.astype(np.int32) @ sparse.csr_array(edges, shape=(hierarchy.n_nodes,) * 2))
    found.data = found.data == np.diff(hierarchy.parent_ptr)[found.indices]
    found.eliminate_zeros()
    return found


def find_reachable(v: int, ptr: NDArray[np.int32], idx: NDArray[np.int32]) -> NDArray[np.int64]:
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


class Violation(NamedTuple):
    """Where a matrix first breaks the hierarchy, and in how many rows it does."""

    n_rows: int
    row: int
    child: int
    parent: int

    def describe(self, hierarchy: Hierarchy, relation: str) -> tuple[str, str]:
        """Say in words in how many rows, and where first; ``relation`` is what the child is to the parent there."""
        child, parent = hierarchy.names[self.child], hierarchy.names[self.parent]
        rows = counted(self.n_rows, "row")
        return rows, f"first: row {self.row}, {child!r} {relation} {parent!r}"


def find_unclosed(Y: Any, hierarchy: Hierarchy) -> Violation | None:
    """Return where ``Y`` first has a label without its parent, or None."""
    Y, kernels = as_bool(Y), _kernels.hierarchy.closure
    if sparse.issparse(Y):
        found = kernels.find_unclosed_rows(Y.indptr, Y.indices, *_up(hierarchy))
    else:
        found = kernels.find_unclosed_dense(Y, *_up(hierarchy))
    return Violation(*map(int, found)) if found[0] else None


def find_incoherent(S: Any, hierarchy: Hierarchy, tolerance: float = 0.0) -> Violation | None:
    """Return where ``S`` first has a score above its parent's by more than ``tolerance``, or None."""
    kernels = _kernels.hierarchy.closure
    if sparse.issparse(S):
        S = sparse.csr_array(S)
        found = kernels.find_incoherent_rows(S.indptr, S.indices, S.data, *_up(hierarchy), tolerance)
    else:
        found = kernels.find_incoherent_dense(np.asarray(S), *_up(hierarchy), tolerance)
    return Violation(*map(int, found)) if found[0] else None


def _up(hierarchy: Hierarchy) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the parents of each node, as the kernels take them."""
    return hierarchy.parent_ptr, hierarchy.parent_idx


def _run_walk(
    walk: Callable[..., None], graph: tuple[Any, ...], S: NDArray[Any], out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Run a compiled walk in ``out``, or in a copy; the walks take contiguous rows and change them."""
    in_place = out is not None and out.flags.c_contiguous and out.dtype == S.dtype
    work: Any = out if in_place else np.array(S, order="C")
    if in_place and out is not S:
        np.copyto(work, S)
    walk(_as_kernel_type(work), *graph)
    if out is None or in_place:
        return work
    np.copyto(out, work)
    return out


def _by_blocks(S: sparse.csr_array, walk: Callable[..., NDArray[Any]]) -> sparse.csr_array:
    """Make some rows dense at a time: where values are negative, those not stored count too."""
    blocks = [sparse.csr_array(walk(block, out=block)) for _, (block,) in dense_blocks(S)]
    return sparse.vstack(blocks, format="csr") if blocks else S


def _as_numbers(S: Any, hierarchy: Hierarchy) -> Any:
    """Return an array or csr_array of a type that the compiled walks take, with one column per node."""
    S = as_matrix(by_name(S, hierarchy), hierarchy.n_nodes)
    return S if S.dtype.kind in "biu" or S.dtype in (np.float32, np.float64) else S.astype(np.float64)


def _as_rows(S: sparse.csr_array, out: NDArray[Any] | None) -> sparse.csr_array:
    """Return a copy with sorted rows that stores each cell once and no zeros."""
    if out is not None:
        raise TypeError("out is for dense matrices; a sparse result has cells of its own.")
    S = S.copy()
    S.sum_duplicates()
    S.eliminate_zeros()
    return S


def _as_kernel_type(values: NDArray[Any]) -> NDArray[Any]:
    """View booleans as the numbers 0 and 1: the greatest of them is "or", the least "and"."""
    return values.view(np.uint8) if values.dtype == bool else values


def drop_ancestors(Y: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
    """Keep the labels of a closed CSR matrix that have no labelled child."""
    edges = hierarchy.edges
    up = sparse.csr_array(
        (np.ones(len(edges), np.int32), (edges[:, 1], edges[:, 0])), shape=(hierarchy.n_nodes, hierarchy.n_nodes)
    )
    has_child = as_bool(Y.astype(np.int32) @ up)
    return as_bool(Y.astype(np.int8) - Y.multiply(has_child).astype(np.int8))
