"""Grown trees as records like those of forests, whose leaves hold steps of log-odds, and the sums of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath._kernels.trees.arrays import (
    CATEGORY_START,
    FEATURE,
    GAIN,
    IS_STRAIGHT,
    LEAF_START,
    LEAF_STOP,
    LEFT,
    N_LINKS,
    N_NUMBERS,
    RIGHT,
    SHARE,
    SURROGATE,
    THRESHOLD,
    WEIGHT,
    Tree,
)
from truepath.adapters.parallel import iterate_parallel
from truepath.hierarchy.matrices import as_dense, row_blocks
from truepath.learners.boosted.bins import BinnedTable, Column
from truepath.learners.boosted.rounds import Round
from truepath.learners.trees.columns import code_categories

#: A threshold that no value lies below: what is missing is split from all values
LOWEST = -np.finfo(np.float64).max


def keep_tree(table: BinnedTable, grown: Round, weight: NDArray[np.float64]) -> Tree:
    """Return a grown tree and its steps as a record that needs no bins."""
    tree, n_places = grown.tree, grown.tree.column.size
    link, number = np.zeros((n_places, N_LINKS), np.int32), np.zeros((n_places, N_NUMBERS))
    link[:, [CATEGORY_START, SURROGATE]], link[:, IS_STRAIGHT] = -1, 1
    link[:, FEATURE], link[:, LEFT], link[:, RIGHT] = tree.column, tree.left, tree.right
    number[:, GAIN] = tree.gain
    number[:, WEIGHT] = np.bincount(tree.leaf_of, weight, minlength=n_places)
    words: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    for t in np.flatnonzero(tree.column >= 0)[::-1]:  # children before parents
        column, is_left = table.columns[tree.column[t]], tree.is_left[t]
        number[t, WEIGHT] = number[tree.left[t], WEIGHT] + number[tree.right[t], WEIGHT]
        number[t, SHARE] = float(is_left[0])
        if column.bin_of is None:
            n_left = np.count_nonzero(is_left[1 : column.n_bins])
            number[t, THRESHOLD] = column.cuts[n_left - 1] if n_left else LOWEST
        else:
            link[t, CATEGORY_START] = sum(part.size for part in words)
            words.append(_pack(column, is_left))
    return put_steps(Tree(link, number, np.concatenate(words), np.empty(0), np.empty(0)), grown.steps)


def _pack(column: Column, is_left: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return the values of a nominal column that go left as bits."""
    assert column.bin_of is not None
    bits = np.zeros(-(-column.bin_of.size // 64) * 64, np.uint8)
    bits[: column.bin_of.size] = is_left[column.bin_of]
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


def put_steps(tree: Tree, steps: NDArray[np.float32]) -> Tree:
    """Return the tree with these steps in its leaves; ``steps`` has a row for each of its nodes."""
    is_leaf = tree.link[:, FEATURE] < 0
    kept = sparse.csr_array(np.where(is_leaf[:, None], steps, np.float32(0.0)))
    link = tree.link.copy()
    link[:, LEAF_START], link[:, LEAF_STOP] = kept.indptr[:-1], kept.indptr[1:]
    return tree._replace(link=link, leaf_label=kept.indices.astype(np.int32), leaf_value=kept.data)


def sum_steps(
    trees: Sequence[Tree],
    X: Any,
    categories: dict[int, NDArray[Any]],
    base: NDArray[np.float64],
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the log-odds of rows: the base, and the steps of the leaves that they reach, tree after tree.

    Parameters
    ----------
    trees : sequence of Tree
    X : ndarray or CSR matrix, shape (n_samples, n_features)
        CSR rows are made dense a block at a time.
    categories : dict of int to ndarray
        The values of the nominal columns.
    base : ndarray, shape (n_nodes,)
    n_jobs : int, optional
        Workers over blocks of rows: the sums are the same for any number.
    """
    blocks = list(row_blocks(X.shape[0], max(base.size, X.shape[1])))
    S = np.empty((X.shape[0], base.size))
    cases = ((X[block],) for block in blocks)
    parts = iterate_parallel(_sum_block, cases, common=(trees, categories, base), n_jobs=n_jobs, prefer="threads")
    for block, part in zip(blocks, parts):
        S[block] = part
    return S


def _sum_block(
    trees: Sequence[Tree], categories: dict[int, NDArray[Any]], base: NDArray[np.float64], X: Any
) -> NDArray[np.float64]:
    rows = code_categories(as_dense(X), categories)
    sums, everyone = np.tile(base, (len(rows), 1)), np.ones(len(rows), bool)
    for tree in trees:
        _kernels.trees.tree.add_leaves(tree, rows, everyone, sums)
    return sums
