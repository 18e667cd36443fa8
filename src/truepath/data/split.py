"""One part of a data set: the features and the labels of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Split", "stack_rows", "stack_splits"]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of a data set.

    Attributes
    ----------
    X : ndarray of float, csr_array of float, or ndarray of str, shape (n_samples, n_features) or (n_samples,)
        Numbers as written; codes of categorical values; NaN where a value is missing. One-dimensional and of strings
        if the only feature is a text.
    y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
        The labels, closed under ancestors. Data sets that are read or made have arrays while those take less than
        256 MB.
    ids : ndarray of str, shape (n_samples,), or None
        Names of the rows, where the file has them.
    n_written : ndarray of int, shape (n_samples,), or None
        How many labels the file gives each row, before ancestors are added. None if not known any more.
    """

    X: Any
    y: Any
    ids: NDArray[np.object_] | None = None
    n_written: NDArray[np.int64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        sizes = {self.X.shape[0], self.y.shape[0]}
        sizes |= {len(column) for column in (self.ids, self.n_written) if column is not None}
        if len(sizes) != 1:
            raise ValueError(f"X, y, ids and n_written must have the same number of rows, not {sorted(sizes)}.")

    def __len__(self) -> int:
        return int(self.y.shape[0])

    def __repr__(self) -> str:
        kind = "sparse" if sparse.issparse(self.X) else "dense"
        return f"Split({len(self)} rows, X {kind} {self.X.shape}, y {self.y.shape})"

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self)

    def take(self, rows: NDArray[np.int64]) -> Split:
        """Give the rows of these numbers (or of this mask) as a split of their own."""
        ids = None if self.ids is None else self.ids[rows]
        written = None if self.n_written is None else self.n_written[rows]
        return Split(self.X[rows], self.y[rows], ids, written)


def stack_rows(matrices: Sequence[Any]) -> Any:
    """Put matrices below each other: an array if all are, else CSR."""
    if not any(sparse.issparse(matrix) for matrix in matrices):
        return np.concatenate(matrices)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(matrix) for matrix in matrices], format="csr"))


def stack_splits(parts: Sequence[Split]) -> Split:
    """Put splits below each other, in the order given."""
    ids = [part.ids for part in parts if part.ids is not None]
    written = [part.n_written for part in parts if part.n_written is not None]
    return Split(
        stack_rows([part.X for part in parts]),
        stack_rows([part.y for part in parts]),
        np.concatenate(ids) if len(ids) == len(parts) else None,
        np.concatenate(written) if len(written) == len(parts) else None,
    )
