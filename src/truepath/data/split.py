"""One part of a data set: the features and the labels of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Split", "stack_splits"]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of a data set.

    Attributes
    ----------
    X : ndarray of float, csr_array of float, or ndarray of str, shape (n_samples, n_features) or (n_samples,)
        Numbers as written; codes of categorical values; NaN where a value is missing. One-dimensional and of strings
        if the only feature is a text.
    y : csr_array of bool, shape (n_samples, n_nodes)
        The labels, closed under ancestors.
    ids : ndarray of str, shape (n_samples,), or None
        Names of the rows, where the file has them.
    n_written : ndarray of int, shape (n_samples,), or None
        How many labels the file gives each row, before ancestors are added. None if not known any more.
    """

    X: Any
    y: sparse.csr_array[Any]
    ids: NDArray[np.object_] | None = None
    n_written: NDArray[np.int64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        sizes = {self.X.shape[0], self.y.shape[0]}
        sizes |= {len(column) for column in (self.ids, self.n_written) if column is not None}
        if len(sizes) != 1:
            raise ValueError(f"X, Y, ids and n_written must have the same number of rows, not {sorted(sizes)}.")

    def __len__(self) -> int:
        return int(self.y.shape[0])

    def __repr__(self) -> str:
        kind = "sparse" if sparse.issparse(self.X) else "dense"
        return f"Split({len(self)} rows, X {kind} {self.X.shape}, Y {self.y.shape})"

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self)

    def take(self, rows: NDArray[np.int64]) -> Split:
        """Give the rows of these numbers (or of this mask) as a split of their own."""
        ids = None if self.ids is None else self.ids[rows]
        written = None if self.n_written is None else self.n_written[rows]
        return Split(self.X[rows], self.y[rows], ids, written)


def stack_splits(parts: Sequence[Split]) -> Split:
    """Put splits below each other, in the order given."""
    any_sparse = any(sparse.issparse(part.X) for part in parts)
    X: Any = sparse.vstack([sparse.csr_array(part.X) for part in parts]) if any_sparse else None
    if X is None:
        X = np.concatenate([part.X for part in parts])
    Y = sparse.csr_array(sparse.vstack([part.y for part in parts], format="csr"), dtype=bool)
    ids = [part.ids for part in parts if part.ids is not None]
    written = [part.n_written for part in parts if part.n_written is not None]
    return Split(
        sparse.csr_array(X) if any_sparse else X,
        Y,
        np.concatenate(ids) if len(ids) == len(parts) else None,
        np.concatenate(written) if len(written) == len(parts) else None,
    )
