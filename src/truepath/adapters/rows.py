"""Rows in any container: counted, taken by number, and columns of data frames made plain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truepath.hierarchy.build import is_missing

#: Libraries whose columns are not indexed by position alone
_OF_FRAMES = ("pandas", "polars", "pyarrow")


def plain_rows(X: Any) -> Any:
    """Return a column of pandas, polars or pyarrow as an array, a missing text as ""; anything else as it is.

    A column has an index of its own, which may begin anywhere: its rows could not be taken by number.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_rows(pd.Series(["red fox", None], index=[7, 8])).tolist()
    ['red fox', '']
    """
    is_column = type(X).__module__.split(".")[0] in _OF_FRAMES and not hasattr(X, "columns") and hasattr(X, "__len__")
    if not is_column:
        return X
    cells = X.to_pylist() if hasattr(X, "to_pylist") else X.to_list() if hasattr(X, "to_list") else list(X)
    if not all(isinstance(cell, str) or is_missing(cell) for cell in cells):
        return np.asarray(cells)
    texts = np.empty(len(cells), object)
    texts[:] = ["" if is_missing(cell) else cell for cell in cells]
    return texts


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


def refuse_complex(X: Any) -> None:
    """Refuse complex numbers: which part of them counts is not known."""
    kinds = list(getattr(X, "dtypes", ())) if hasattr(X, "columns") else [getattr(X, "dtype", None)]
    if any(getattr(kind, "kind", None) == "c" for kind in kinds):
        way = "Give X.real and X.imag as columns of their own, or abs(X)."
        raise ValueError(f"Complex data not supported: X holds complex numbers. {way}")
