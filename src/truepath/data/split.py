"""One part of a data set: the features and labels of its rows; and folds of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.resampling import share_rows, split_folds

if TYPE_CHECKING:
    from numpy.random import RandomState


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
        How many labels the file gives each row, before ancestors are added. None if no longer known.
    groups : ndarray of str, shape (n_samples,), or None
        What each row belongs to, where the file says so: rows of one group stay together when rows are divided.
    """

    X: Any
    y: Any
    ids: NDArray[np.object_] | None = None
    n_written: NDArray[np.int64] | None = field(default=None, repr=False)
    groups: NDArray[np.object_] | None = None

    def __post_init__(self) -> None:
        sizes = {self.X.shape[0], self.y.shape[0]}
        sizes |= {len(column) for column in (self.ids, self.n_written, self.groups) if column is not None}
        if len(sizes) != 1:
            raise ValueError(f"X, y, ids, n_written and groups must have the same number of rows, not {sorted(sizes)}.")

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
        """Return the rows with these numbers (or of this mask) as a new split."""
        columns: tuple[Any, ...] = (self.ids, self.n_written, self.groups)
        others = (None if column is None else column[rows] for column in columns)
        return Split(self.X[rows], self.y[rows], *others)


def stack_rows(matrices: Sequence[Any]) -> Any:
    """Put matrices below each other: an array if all are arrays, otherwise CSR."""
    if not any(sparse.issparse(matrix) for matrix in matrices):
        return np.concatenate(matrices)
    return sparse.csr_array(sparse.vstack([sparse.csr_array(matrix) for matrix in matrices], format="csr"))


def stack_splits(parts: Sequence[Split]) -> Split:
    """Put splits below each other, in the order given."""
    X, y = stack_rows([part.X for part in parts]), stack_rows([part.y for part in parts])
    return Split(X, y, *(_stack_columns(parts, name) for name in ("ids", "n_written", "groups")))


def _stack_columns(parts: Sequence[Split], name: str) -> Any:
    """Put a column of all splits below each other; None if one of them does not have it."""
    found = [column for part in parts if (column := getattr(part, name)) is not None]
    return np.concatenate(found) if len(found) == len(parts) else None


def stratified_folds(
    y: ArrayLike | sparse.sparray,
    n_splits: int = 5,
    random_state: int | RandomState | None = None,
    *,
    groups: Any = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the row numbers (train, test) of each fold of a stratified cross-validation.

    Parameters
    ----------
    y : ndarray or sparse array of bool, shape (n_samples, n_nodes)
        The labels; closed or not.
    n_splits : int, default=5
        The number of folds.
    random_state : int, RandomState or None
        An int makes the folds repeatable.
    groups : array-like, shape (n_samples,), optional
        Rows of one group are in one fold: the same patient, the same document.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat(np.eye(2, dtype=bool), 4, axis=0)
    >>> for train, test in stratified_folds(Y, 2, random_state=0):
    ...     print(len(train), Y[test].sum(axis=0).tolist())
    4 [2, 2]
    4 [2, 2]
    """
    n_samples = np.shape(y)[0]
    from truepath.adapters.groups import check_groups, check_number_of_groups  # brings scikit-learn

    groups = check_groups(groups, n_samples)
    if not 2 <= n_splits <= n_samples:
        raise ValueError(f"n_splits must be between 2 and the number of rows ({n_samples}), not {n_splits}.")
    check_number_of_groups(groups, n_splits, "n_splits")
    return iter(split_folds(share_rows(y, [1 / n_splits] * n_splits, random_state, groups)))
