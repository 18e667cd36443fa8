"""Whether instances have one path each: what learners that look for one path ask of their labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import drop_ancestors


def is_single_path(Y: Any, hierarchy: Hierarchy) -> bool:
    """Say whether every row is one label with its ancestors, so that one path is all there is to find.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> is_single_path(h.encode([["a/1"], ["b"]]), h), is_single_path(h.encode([["a/1", "b"]]), h)
    (True, False)
    """
    n_ends = np.diff(drop_ancestors(sparse.csr_array(Y), hierarchy).indptr)
    return bool((n_ends == 1).all())
