"""Rows in any container: counted, taken by number, told apart, and columns of data frames made plain."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.errors import InputWarning, TruePathError
from truepath.hierarchy.build import is_missing

#: Libraries whose columns are not indexed by position alone
_OF_FRAMES = ("pandas", "polars", "pyarrow")


def plain_rows(X: Any) -> Any:
    """Return a column of pandas, polars or pyarrow as an array, a missing text as ""; anything else as it is.

    A column has an index of its own, which may begin anywhere: its rows could not be taken by number. A data frame in
    which two columns have one name, which would be one column to all that follows, is refused.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_rows(pd.Series(["red fox", None], index=[7, 8])).tolist()
    ['red fox', '']
    """
    if type(X).__module__.split(".")[0] not in _OF_FRAMES or not hasattr(X, "__len__"):
        return X
    if hasattr(X, "columns"):
        _refuse_same_names(list(map(str, getattr(X, "column_names", X.columns))))
        return X
    cells = X.to_pylist() if hasattr(X, "to_pylist") else X.to_list() if hasattr(X, "to_list") else list(X)
    if not all(isinstance(cell, str) or is_missing(cell) for cell in cells):
        return np.asarray(cells)
    texts = np.empty(len(cells), object)
    texts[:] = ["" if is_missing(cell) else cell for cell in cells]
    return texts


def _refuse_same_names(names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TruePathError(
            f"X has two columns called {twice!r}; columns are found by name.", "Rename one, or leave it out."
        )


def count_rows(X: Any) -> int:
    """Return the number of instances of an array, sparse matrix, frame or list; anything else is an error."""
    shape = getattr(X, "shape", None)
    if isinstance(X, str | bytes) or shape == ():
        raise TypeError(f"X must have one entry per row; got the one value {str(X)[:40]!r}. Put it in a list.")
    if shape is not None:
        return int(shape[0])
    if isinstance(X, Mapping):
        raise TypeError("X must have one entry per row; got a dict. For columns by name pass pandas.DataFrame(X).")
    if not hasattr(X, "__len__"):
        way = "call collect() first" if hasattr(X, "collect") else "put its rows in a list"
        raise TypeError(f"X must be rows in memory; got {type(X).__name__}: {way}.")
    return len(X)


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, CSR matrix, data frame or list; ``rows=None`` means all, without a copy."""
    if rows is None:
        return X
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(X, eager_only=True)[rows].to_native()
    X = plain_rows(X)
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in np.asarray(rows).tolist()]


def has_categories(X: Any) -> bool:
    """Say whether X is a data frame with a column of categories or texts.

    Examples
    --------
    >>> import pandas as pd
    >>> has_categories(pd.DataFrame({"size": [1.5, 2.0]}))
    False
    >>> has_categories(pd.DataFrame({"size": [1.5, 2.0], "kind": pd.Categorical(["a", "b"])}))
    True
    """
    if not hasattr(X, "columns"):
        return False
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    kinds = (nw.Categorical, nw.Enum, nw.String, nw.Object)
    return isinstance(frame, nw.DataFrame) and any(dtype in kinds for dtype in frame.schema.values())


def mark_rows(X: Any, weight: NDArray[np.float64] | None = None) -> NDArray[np.uint64]:
    """Return a number for each row, the same for equal rows of equal weight and almost surely another for others.

    The sum of the numbers of several rows, which may overflow, tells sets of rows apart in any order.

    Examples
    --------
    >>> a, b, c = mark_rows([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> bool(a == c), bool(a == b), bool(mark_rows(["a text"])[0] == mark_rows(["a text"])[0])
    (True, False, True)
    """
    marks = _mark(X)
    if weight is not None:
        marks = _mix(marks ^ np.asarray(weight, np.float64).view(np.uint64))
    return marks


def _mark(X: Any) -> NDArray[np.uint64]:
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        return _mark_texts(map(repr, nw.from_native(X, eager_only=True).iter_rows()))
    X = plain_rows(X)
    if not hasattr(X, "dtype") or X.dtype.kind not in "biuf":
        return _mark_texts(map(repr, X))
    factors = _mix(np.arange(np.prod(X.shape[1:]), dtype=np.uint64)) | np.uint64(1)
    if sparse.issparse(X):
        rows = sparse.csr_array(X)
        bits = rows.data.astype(np.float64).view(np.uint64)
        return _mix(sparse.csr_array((bits, rows.indices, rows.indptr), shape=rows.shape) @ factors)
    total = np.zeros(X.shape[0], np.uint64)
    for column, factor in zip(X.reshape(X.shape[0], -1).T, factors):
        total += column.astype(np.float64).view(np.uint64) * factor
    return _mix(total)


def _mark_texts(texts: Any) -> NDArray[np.uint64]:
    return _mix(np.array([crc32(text.encode("utf-8", "surrogatepass")) for text in texts], np.uint64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose every bit depends on all bits of those given (the last steps of splitmix64)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def refuse_complex(X: Any) -> None:
    """Refuse complex numbers: which part of them counts is not known."""
    kinds = list(getattr(X, "dtypes", ())) if hasattr(X, "columns") else [getattr(X, "dtype", None)]
    if any(getattr(kind, "kind", None) == "c" for kind in kinds):
        way = "Give X.real and X.imag as columns of their own, or abs(X)."
        raise ValueError(f"Complex data not supported: X holds complex numbers. {way}")


def warn_about_order(X: Any, y: Any) -> None:
    """Warn if X and y of pandas name the same rows in another order: rows are paired by their places.

    Examples
    --------
    >>> import pandas as pd
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_about_order(pd.DataFrame({"x": [1, 2]}), pd.Series(["a", "b"], index=[1, 0]))
    >>> print(said[0].message)
    the index of y has the rows of X in another order, but rows are paired by their places. If the index ...
    """
    here, there = (value.index if hasattr(value, "iloc") else None for value in (X, y))
    if here is None or there is None or len(here) != len(there) or here.equals(there):
        return
    if here.is_unique and set(here) == set(there):
        warnings.warn(
            "the index of y has the rows of X in another order, but rows are paired by their places. If the index says "
            "which belong together, pass y.loc[X.index]; if not, pass y.to_numpy().",
            InputWarning,
            stacklevel=3,
        )
