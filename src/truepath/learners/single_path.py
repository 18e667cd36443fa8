"""Whether instances have one path each, and dense matrices: what global learners ask of their input."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy

__all__ = ["as_dense", "is_single_path"]


def is_single_path(Y: np.ndarray, hierarchy: Hierarchy) -> bool:
    """Say whether every row is one label with its ancestors, so that one path is all there is to find.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> is_single_path(h.encode([["a/1"], ["b"]]), h), is_single_path(h.encode([["a/1", "b"]]), h)
    (True, False)
    """
    is_specific = Y.copy()
    for parent, child in hierarchy.edges:
        is_specific[:, parent] &= ~Y[:, child]
    return bool((is_specific.sum(axis=1) == 1).all())


def as_dense(M) -> np.ndarray:
    """Return a sparse matrix as an array, an array with contiguous rows."""
    return M.toarray() if sparse.issparse(M) else np.ascontiguousarray(M)
