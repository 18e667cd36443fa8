"""The data of Bi & Kwok (2012), prepared for mandatory leaf prediction and divided into five folds.

The paper removes "examples that contain partial label paths and nodes with fewer than 10 positive examples" and says no
more. Here all splits are joined and nominal columns are one-hot. Labels with fewer than 10 rows are dropped, then rows
without labels or with a path that stops above the leaves. These two steps are repeated until nothing changes, so that
every label has 10 rows and every path is full. In each fold the columns are standardised by the training rows,
and missing values become the mean. Columns of zeros and ones stay as they are (scaled, a rare word would outweigh the
common ones), and a matrix of only such columns stays sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense

MIN_COUNT = 10
N_FOLDS = 5


class Prepared(NamedTuple):
    """A data set where every label has ten rows and every path ends in a leaf."""

    X: Any
    y: Any
    hierarchy: Hierarchy


class Fold(NamedTuple):
    """Training and test rows, scaled."""

    X: Any
    y: Any
    X_test: Any
    Y_test: Any
    hierarchy: Hierarchy


def prepare(name: str, home: Path) -> Prepared:
    """Load a data set and prune it to labels with ten rows and rows with full paths."""
    from truepath.data import load_dataset
    from truepath.data.full_paths import keep_full_paths

    ds = load_dataset(name, home=home, version="topics" if name.startswith("rcv1") else "original").merge()
    ds = ds.one_hot() if ds.categories else ds
    size = None
    while size != (ds.n_samples, ds.hierarchy.n_nodes):
        size = (ds.n_samples, ds.hierarchy.n_nodes)
        ds = keep_full_paths(ds.prune(MIN_COUNT))
    return Prepared(as_dense(ds["all"].X), ds["all"].y, ds.hierarchy)


def deal_folds(data: Prepared, random_state: int, n_folds: int = N_FOLDS) -> Iterator[Fold]:
    """Yield the folds, iteratively stratified."""
    from truepath.data import stratified_folds

    for train, test in stratified_folds(data.y, n_folds, random_state=random_state):
        X, X_test = scale_columns(data.X[train], data.X[test])
        yield Fold(X, data.y[train], X_test, data.y[test], data.hierarchy)


def scale_columns(train: NDArray[Any], test: NDArray[Any]) -> tuple[Any, Any]:
    """Standardise by the training rows what is not 0/1; what is missing becomes 0; 0/1 columns alone become CSR.

    Examples
    --------
    >>> train, test = scale_columns(np.array([[1.0, 0.0], [3.0, 1.0]]), np.array([[np.nan, 1.0]]))
    >>> train.tolist(), test.tolist()
    ([[-1.0, 0.0], [1.0, 1.0]], [[0.0, 1.0]])
    """
    from scipy import sparse
    from sklearn.preprocessing import StandardScaler

    known = np.isfinite(train).any(axis=0)
    train, test = train[:, known], test[:, known]
    is_flag = (np.isnan(train) | (train == 0) | (train == 1)).all(axis=0)
    scaler = StandardScaler().fit(train)
    pair = [np.where(is_flag, Z, scaler.transform(Z)) for Z in (train, test)]
    pair = [np.where(np.isfinite(Z), Z, 0.0) for Z in pair]
    return (sparse.csr_array(pair[0]), sparse.csr_array(pair[1])) if is_flag.all() else (pair[0], pair[1])
