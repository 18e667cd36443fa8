"""What row weights do to training rows: those that weigh nothing are left out, whole weights repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.adapters import take_rows

__all__ = ["leave_out_weightless", "repeat_by_weight"]


def leave_out_weightless(X: Any, Y: Any, weight: np.ndarray | None) -> tuple[Any, Any, np.ndarray | None]:
    """Return rows, labels and weights without the rows of weight zero; the same objects where there are none.

    Examples
    --------
    >>> X, Y, weight = leave_out_weightless(["one", "two"], np.eye(2), np.array([0.0, 3.0]))
    >>> X, Y.tolist(), weight.tolist()
    (['two'], [[0.0, 1.0]], [3.0])
    """
    if weight is None or weight.all():
        return X, Y, weight
    kept = np.flatnonzero(weight)
    return take_rows(X, kept), Y[kept], weight[kept]


def repeat_by_weight(X: Any, Y: Any, weight: np.ndarray | None) -> tuple[Any, Any]:
    """Return rows and labels, each as often as its weight says; anything but whole numbers is an error.

    Examples
    --------
    >>> repeat_by_weight(["one", "two"], np.array([1, 2]), np.array([0.0, 3.0]))
    (['two', 'two', 'two'], array([2, 2, 2]))
    """
    if weight is None:
        return X, Y
    is_broken = weight != np.floor(weight)
    if is_broken.any():
        row = int(np.flatnonzero(is_broken)[0])
        raise ValueError(
            f"sample_weight must be whole numbers (bit-set counts repeat rows); row {row} has {weight[row]}. "
            "Resample the rows by weight instead."
        )
    rows = np.repeat(np.arange(weight.size), weight.astype(np.int64))
    return take_rows(X, rows), take_rows(Y, rows)
