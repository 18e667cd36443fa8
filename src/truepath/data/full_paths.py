"""Rows where every label path ends in a leaf: what mandatory leaf prediction learns from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import drop_ancestors

if TYPE_CHECKING:
    from truepath.data.dataset import Dataset


def has_full_paths(y: Any, hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """Return for each row whether it has labels and all of its paths end in leaves.

    Parameters
    ----------
    y : ndarray or CSR of bool, shape (n_samples, n_nodes)
        Closed labels.
    hierarchy : Hierarchy

    Examples
    --------
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> has_full_paths(h.encode([["a/1", "b"], ["a", "b"], []]), h).tolist()
    [True, False, False]
    """
    ends = drop_ancestors(sparse.csr_array(y), hierarchy)
    n_ends = np.diff(ends.indptr)
    n_leaves = np.asarray(ends.astype(np.int64) @ hierarchy.is_leaf.astype(np.int64))
    return (n_ends > 0) & (n_ends == n_leaves)


def keep_full_paths(dataset: Dataset) -> Dataset:
    """Drop, in every split, the rows with a path that stops above the leaves, and those without labels.

    The labels stay as they are. Pruning rare labels turns inner nodes into leaves, so it matters which comes first;
    the caller chooses the order.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    Dataset

    See Also
    --------
    Dataset.prune : drops rare labels.

    Examples
    --------
    >>> from truepath.data import load_dataset
    >>> ds = load_dataset("toy")
    >>> full = keep_full_paths(ds)
    >>> full.n_samples <= ds.n_samples, bool(has_full_paths(full.train.y, full.hierarchy).all())
    (True, True)
    >>> first_rows = keep_full_paths(ds).prune(2)      # or the other way round:
    >>> first_labels = keep_full_paths(ds.prune(2))
    """
    splits = {
        name: split.take(np.flatnonzero(has_full_paths(split.y, dataset.hierarchy)))
        for name, split in dataset.splits.items()
    }
    return replace(dataset, splits=splits)
