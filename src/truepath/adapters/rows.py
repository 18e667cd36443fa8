"""Rows of anything that holds instances: arrays, sparse matrices, data frames, lists."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["count_rows", "take_rows"]


def count_rows(X: Any) -> int:
    """Return the number of instances of an array, sparse matrix, frame or list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, CSR matrix, data frame or list; ``rows=None`` means all, without a copy."""
    if rows is None:
        return X
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(X, eager_only=True)[rows].to_native()
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in np.asarray(rows).tolist()]
