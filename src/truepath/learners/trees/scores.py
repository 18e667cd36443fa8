"""Scores from trees: the mean of the label vectors of the leaves that a row reaches.

Every leaf holds, per label, the share of its rows that have the label; a parent has at least the rows of its child.
Rounding keeps order, and so does adding in the same order: the mean over trees is coherent to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from truepath import _kernels
from truepath.hierarchy.matrices import as_dense, dense_blocks, row_blocks
from truepath.learners.trees.columns import code_categories

__all__ = ["find_leaves", "mean_scores"]


def mean_scores(
    trees: Sequence[Any],
    X: Any,
    categories: dict[int, np.ndarray],
    n_nodes: int,
    *,
    is_wanted: Callable[[int], np.ndarray] | None = None,
    dtype: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return the mean label vectors of the rows of X over the trees.

    Parameters
    ----------
    trees : sequence of Tree
    X : ndarray or CSR matrix, shape (n_samples, n_features)
        CSR rows are made dense a block at a time.
    categories : dict of int to ndarray
        The values of the nominal columns.
    n_nodes : int
    is_wanted : callable, optional
        ``is_wanted(k)`` is a mask of the rows that tree k may score; rows without any tree become NaN.
    dtype : type, optional
        Of the scores: float32 if X is, else float64, unless given. Sums are float64.
    n_jobs : int, optional
        Threads over blocks of rows: the sums are the same for any number.

    Returns
    -------
    S : ndarray, shape (n_samples, n_nodes)
    """
    n_rows = X.shape[0]
    dtype = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
    S = np.empty((n_rows, n_nodes), dtype)
    masks = None if is_wanted is None else [is_wanted(k) for k in range(len(trees))]
    blocks = row_blocks(n_rows, max(n_nodes, X.shape[1]))
    jobs = (delayed(_score_block)(trees, X[block], categories, masks, block, S[block]) for block in blocks)
    Parallel(n_jobs=n_jobs, prefer="threads")(jobs)
    return S


def _score_block(
    trees: Sequence[Any],
    X: Any,
    categories: dict[int, np.ndarray],
    masks: list[np.ndarray] | None,
    block: slice,
    out: np.ndarray,
) -> None:
    """Write the scores of one block of rows."""
    X = code_categories(as_dense(X), categories)
    sums = np.zeros(out.shape)
    everyone = np.ones(len(X), bool)
    counts = np.zeros(len(X))
    for k, tree in enumerate(trees):
        wanted = everyone if masks is None else masks[k][block]
        _kernels.trees.tree.add_leaves(tree, X, wanted, sums)
        counts += wanted
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: no tree may score the row
        np.divide(sums, counts[:, None], out=sums)
    np.minimum(sums, 1.0, out=out, casting="same_kind")  # the parts of a row sent both ways may add up to 1 + 1 ulp


def find_leaves(tree: Any, X: Any, categories: dict[int, np.ndarray]) -> np.ndarray:
    """Return the leaf, as a node number of the tree, of each row of X."""
    leaves = np.empty(X.shape[0], np.int32)
    for rows, (block,) in dense_blocks(X):
        _kernels.trees.tree.apply_tree(tree, code_categories(block, categories), leaves[rows])
    return leaves
