"""One part of a data set: the features and labels of its rows; and splitting rows so that labels keep their shares.

Iterative stratification (Sechidis, Tsoumakas and Vlahavas, *On the Stratification of Multi-Label Data*, ECML PKDD
2011): the rows of the rarest label left are assigned first, each to the part that lacks that label most. The
work is done by the ``iterative-stratification`` package; here the labels are prepared for it. Labels are closed
under ancestors, so a part that has its share of a label has at least that much of the label's ancestors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

if TYPE_CHECKING:
    from numpy.random import RandomState

__all__ = ["Split", "share_rows", "stack_rows", "stack_splits", "stratified_folds"]

#: Rows times labels beyond which rows are dealt out by their rarest label
MOST_CELLS = 20_000_000

GOLDEN_RATIO = (5**0.5 - 1) / 2


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
        """Return the rows with these numbers (or of this mask) as a new split."""
        ids = None if self.ids is None else self.ids[rows]
        written = None if self.n_written is None else self.n_written[rows]
        return Split(self.X[rows], self.y[rows], ids, written)


def stack_rows(matrices: Sequence[Any]) -> Any:
    """Put matrices below each other: an array if all are arrays, otherwise CSR."""
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


def share_rows(
    Y: ArrayLike | sparse.sparray, fractions: Sequence[float], random_state: int | RandomState | None = None
) -> NDArray[np.int64]:
    """Return the part that each row of ``Y`` is assigned to.

    Parameters
    ----------
    Y : ndarray or sparse array of bool, shape (n_samples, n_nodes)
    fractions : sequence of float
        The share of each part, adding up to 1.
    random_state : int, RandomState or None
        Ties are broken at random.

    Returns
    -------
    parts : ndarray of int, shape (n_samples,)

    Notes
    -----
    Labels with fewer rows than there are parts cannot be in every part, labels of all rows always are, and of
    labels with the same rows one is enough: these are not used. Rows without labels are divided evenly.
    Time is O(n_samples * labels * rounds), at most one round per label. Where rows times labels exceed 20 million, the
    rows are dealt out by their rarest label instead, in time proportional to the labels set: every part gets its share
    of each group of rows with the same rarest label.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat(np.eye(2, dtype=bool), 4, axis=0)
    >>> parts = share_rows(Y, [0.5, 0.5], random_state=0)
    >>> [Y[parts == k].sum(axis=0).tolist() for k in (0, 1)]
    [[2, 2], [2, 2]]
    """
    from iterstrat.ml_stratifiers import IterativeStratification
    from sklearn.utils import check_random_state

    generator = check_random_state(random_state)
    if np.prod(np.shape(Y), dtype=float) > MOST_CELLS:
        return _deal_out(sparse.csr_array(Y), np.asarray(fractions, float), generator)
    labels = _telling_labels(Y, len(fractions))
    order = generator.permutation(labels.shape[0])  # the algorithm itself goes through the rows in order
    parts = np.empty(labels.shape[0], np.int64)
    parts[order] = IterativeStratification(labels[order], np.asarray(fractions, float), generator)
    return parts


def _deal_out(Y: sparse.csr_array, fractions: NDArray[np.float64], generator: RandomState) -> NDArray[np.int64]:
    """Deal out rows in the order of their rarest label, at random among those that share it."""
    counts = np.bincount(Y.indices, minlength=Y.shape[1])
    rank = np.empty(Y.shape[1], np.int64)
    rank[np.lexsort((np.arange(counts.size), counts))] = np.arange(counts.size)
    rarest = np.full(Y.shape[0], Y.shape[1])
    has_labels = np.diff(Y.indptr) > 0
    rarest[has_labels] = np.minimum.reduceat(rank[Y.indices], Y.indptr[:-1][has_labels])
    order = np.lexsort((generator.permutation(Y.shape[0]), rarest))
    # multiples of the golden ratio: every run of neighbours is shared as evenly as a run of its length can be
    places = (generator.random_sample() + np.arange(Y.shape[0]) * GOLDEN_RATIO) % 1.0
    parts = np.empty(Y.shape[0], np.int64)
    parts[order] = np.minimum(np.searchsorted(np.cumsum(fractions), places, side="right"), fractions.size - 1)
    return parts


def _telling_labels(Y: Any, n_parts: int) -> NDArray[np.bool_]:
    """Keep one of each group of equal label columns, and none that cannot or need not be balanced."""
    Y = sparse.csc_array(Y, dtype=bool)
    counts = np.diff(Y.indptr)
    Y = Y[:, np.flatnonzero((counts >= n_parts) & (counts < Y.shape[0]))]
    first: dict[bytes, int] = {}
    for v in range(Y.shape[1]):
        first.setdefault(np.sort(Y.indices[Y.indptr[v] : Y.indptr[v + 1]]).tobytes(), v)
    dense: NDArray[np.bool_] = Y[:, list(first.values())].toarray()
    return dense if dense.shape[1] else np.zeros((Y.shape[0], 1), bool)


def stratified_folds(
    y: ArrayLike | sparse.sparray, n_splits: int = 5, random_state: int | RandomState | None = None
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
    if not 2 <= n_splits <= n_samples:
        raise ValueError(f"n_splits must be between 2 and the number of rows ({n_samples}), not {n_splits}.")
    parts = share_rows(y, [1 / n_splits] * n_splits, random_state)
    return ((np.flatnonzero(parts != k), np.flatnonzero(parts == k)) for k in range(n_splits))
