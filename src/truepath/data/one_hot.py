"""Categorical columns as 0/1 columns. Only the declared values count, so nothing is learned from the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from truepath.data.dataset import Dataset


def one_hot(ds: Dataset, drop_binary: bool | None = None) -> Dataset:
    """Replace every categorical column by 0/1 columns named ``attribute=value``, in place of the old one.

    Parameters
    ----------
    ds : Dataset
    drop_binary : bool, optional
        Whether an attribute of two values becomes one column, 1 for the second value, instead of two. By default
        for sparse ``X`` only.

    Returns
    -------
    ds : Dataset
        With numeric columns only; the others keep their order and values, NaN included.

    Notes
    -----
    A missing value becomes zeros in all columns of its attribute; where two values became one column it
    stays NaN, because a zero would mean "the first value". Sparse data stay sparse, but every attribute of three or
    more values adds one stored entry per row.

    Examples
    --------
    >>> from truepath.data import Dataset, Split, toy_hierarchy
    >>> h = toy_hierarchy()
    >>> part = Split(np.array([[0.5, 2], [1.5, np.nan]]), h.encode([["a"], ["b"]]))
    >>> ds = Dataset("d", h, {"all": part}, ["size", "colour"], {1: ("red", "green", "blue")})
    >>> ds.one_hot().feature_names
    ('size', 'colour=red', 'colour=green', 'colour=blue')
    >>> ds.one_hot()["all"].X
    array([[0.5, 0. , 0. , 1. ],
           [1.5, 0. , 0. , 0. ]])
    """
    if not ds.categories:
        return ds
    if drop_binary is None:
        drop_binary = any(sparse.issparse(split.X) for split in ds.splits.values())
    plan = [_plan(ds, j, drop_binary) for j in range(ds.n_features)]
    names = [name for _, columns in plan for name, _ in columns]
    splits = {name: replace(split, X=_encode(split.X, plan)) for name, split in ds.splits.items()}
    return replace(ds, splits=splits, feature_names=names, categories={})


_Plan = tuple[int, list[tuple[str, "float | None"]]]  # a column, and the name and code of each column it becomes


def _plan(ds: Dataset, j: int, drop_binary: bool) -> _Plan:
    name, values = ds.feature_names[j], ds.categories.get(j, ())
    if not values:
        return j, [(name, None)]
    if len(values) == 2 and drop_binary:
        return j, [(f"{name}={values[1]}", None)]  # codes 0 and 1 are the column
    return j, [(f"{name}={value}", float(code)) for code, value in enumerate(values)]


def _encode(X: Any, plan: list[_Plan]) -> Any:
    if not sparse.issparse(X):
        return _encode_dense(X, plan)
    by_column = sparse.csc_array(X)
    columns = [column for j, targets in plan for column in _sparse_columns(by_column[:, [j]], targets)]
    encoded = sparse.csr_array(sparse.hstack(columns, format="csr"))
    encoded.sort_indices()
    return encoded


def _encode_dense(X: NDArray[np.float64], plan: list[_Plan]) -> NDArray[np.float64]:
    columns = [X[:, j] if code is None else X[:, j] == code for j, targets in plan for _, code in targets]
    return np.column_stack(columns).astype(np.float64)


def _sparse_columns(column: Any, targets: list[tuple[str, float | None]]) -> list[Any]:
    if targets[0][1] is None:
        return [column]
    codes = column.toarray()  # one column at a time: an absent entry means the first value
    return [sparse.csc_array((codes == code).astype(np.float64)) for _, code in targets]
