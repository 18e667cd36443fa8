"""Jobs of a linear learner: which columns are fitted together, one such job, and the model made of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.learners.linear.label_graph import LabelGraph

__all__ = ["assemble", "fit_columns", "rows_for_fitting", "share_out", "training_sizes"]

#: About so many jobs: more than workers, so that none waits long for another
N_JOBS = 64


def training_sizes(labels: sparse.csc_array, graph: LabelGraph) -> np.ndarray:
    """Return how many rows train each column, at most: those of its home."""
    home = graph.home()
    return np.where(home < 0, labels.shape[0], np.diff(labels.indptr)[home])


def share_out(sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the columns of each job, the largest first, about as many rows in each."""
    order = np.argsort(-sizes, kind="stable")
    done = np.cumsum(sizes[order])
    share = max(int(done[-1]) // N_JOBS, 1) if done.size else 1
    yield from np.split(order, np.flatnonzero(np.diff(done // share)) + 1)


def rows_for_fitting(X: sparse.csr_array) -> tuple[np.ndarray, ...]:
    """Return CSR rows as the kernel takes them: with squared lengths plus one, and each feature's largest value."""
    norm = np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel() + 1.0
    largest = np.zeros(X.shape[1])
    np.maximum.at(largest, X.indices, np.abs(X.data))
    indices = X.indices.view(np.uint32 if X.indices.dtype == np.int32 else np.uint64)  # never counted from the end
    return X.data, indices, X.indptr, norm, largest


def fit_columns(
    rows: tuple[np.ndarray, ...],
    labels: tuple[np.ndarray, ...],
    parents: tuple[np.ndarray, ...],
    cost: np.ndarray,
    settings: tuple[Any, ...],
    columns: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Fit some columns; return them, where the weights of each begin, features, values, intercepts and passes."""
    return columns, *_kernels.linear.node_models.fit_nodes(columns, rows, labels, parents, cost, *settings)


def assemble(fits: list[tuple[np.ndarray, ...]], n_features: int, n_columns: int) -> tuple[Any, np.ndarray, int]:
    """Return the weights by feature (CSR, columns ascending), the intercepts and the most passes taken."""
    intercepts = np.full(n_columns, -np.inf)
    columns, ptrs, features, values, _, passes = zip(*fits)
    for own, found in zip(columns, fits):
        intercepts[own] = found[4]
    column = np.repeat(np.concatenate(columns), np.concatenate([np.diff(ptr) for ptr in ptrs]))
    entries = (np.concatenate(values), (np.concatenate(features), column.astype(np.int32)))
    weights = sparse.csr_array(sparse.coo_array(entries, shape=(n_features, n_columns)))
    weights.sort_indices()
    return weights, intercepts, int(np.concatenate(passes).max(initial=0))
