"""Scores from trees: the mean of the label vectors of the leaves that a row reaches.

Every leaf holds, per label, the share of its rows that have the label; a parent has at least the rows of its child.
Rounding keeps order, and so does adding in the same order: the mean over trees is coherent to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from truepath import _kernels
from truepath.learners.trees.columns import code_categories

__all__ = ["find_leaves", "mean_scores", "row_blocks"]

#: Scores and dense rows are worked on in blocks of about this many numbers
CELLS_AT_A_TIME = 1 << 20


def row_blocks(n_rows: int, width: int) -> list[slice]:
    """Return slices of rows whose matrices of ``width`` columns stay small."""
    step = max(1, CELLS_AT_A_TIME // max(width, 1))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def mean_scores(trees: Sequence[Any], X, categories, n_nodes: int, *, is_wanted=None, dtype=None, n_jobs=None):
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


def _score_block(trees, X, categories, masks, block: slice, out: np.ndarray) -> None:
    """Write the scores of one block of rows."""
    X = code_categories(X.toarray() if sparse.issparse(X) else X, categories)
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


def find_leaves(tree, X, categories) -> np.ndarray:
    """Return the leaf, as a node number of the tree, of each row of X."""
    leaves = np.empty(X.shape[0], np.int32)
    for block, rows in _dense_blocks(X, categories):
        _kernels.trees.tree.apply_tree(tree, rows, leaves[block])
    return leaves


def _dense_blocks(X, categories) -> Iterator[tuple[slice, np.ndarray]]:
    for block in row_blocks(*X.shape):
        rows = X[block]
        yield block, code_categories(rows.toarray() if sparse.issparse(rows) else rows, categories)
