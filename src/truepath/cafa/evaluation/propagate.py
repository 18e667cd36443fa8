"""Scores passed on to ancestors: the greatest below (max), or only where none is given (fill)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy, raise_up

#: Cells propagated at a time; their ancestors are several times as many
CELLS = 1 << 22


def propagate(scores: sparse.csr_array, hierarchy: Hierarchy, prop: str) -> sparse.csr_array:
    """Pass scores on to ancestors.

    Parameters
    ----------
    scores : csr_array, shape (n_targets, n_nodes)
    hierarchy : Hierarchy
    prop : {"max", "fill"}
        ``"max"``: every term gets the greatest score of its descendants and itself. ``"fill"``: a term with a score of
        its own keeps it, others get the greatest that their children end up with.
    """
    if prop == "max":
        return raise_up(scores, hierarchy)
    if prop != "fill":
        raise ValueError(f"prop must be 'max' or 'fill'; got {prop!r}.")
    return fill_up(scores, hierarchy)


def fill_up(scores: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
    """Give terms without a score the greatest that their children end up with."""
    scores = sparse.csr_array(scores, copy=True)
    scores.sum_duplicates()
    scores.eliminate_zeros()
    filled = hierarchy.close(scores != 0).astype(scores.dtype)
    filled.sort_indices()
    filled.data[:] = 0
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr)), scores.indices
    place = _places(filled, *rows)
    filled.data[place] = scores.data
    own = np.zeros(filled.data.size, bool)
    own[place] = True
    graph = hierarchy.parent_ptr, hierarchy.parent_idx
    _kernels.cafa.rows.fill_rows(filled.indptr, filled.indices, filled.data, *graph, own)
    return filled


def _places(matrix: sparse.csr_array, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return where stored cells are in the data of a sorted matrix."""
    width = matrix.shape[1]
    keys = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) * width + matrix.indices
    return np.searchsorted(keys, rows.astype(np.int64) * width + columns)


def propagated_blocks(
    scores: sparse.csr_array, hierarchy: Hierarchy, prop: str
) -> Iterator[tuple[slice, sparse.csr_array]]:
    """Yield some rows at a time, their scores propagated."""
    at = 0
    while at < scores.shape[0]:
        stop = int(np.searchsorted(scores.indptr, scores.indptr[at] + CELLS, side="right")) - 1
        rows = slice(at, max(stop, at + 1))
        yield rows, propagate(scores[rows], hierarchy, prop)
        at = rows.stop
