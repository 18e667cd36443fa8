"""Dealing rows out so that every label keeps its share in every part.

Iterative stratification (Sechidis, Tsoumakas and Vlahavas, *On the Stratification of Multi-Label Data*, ECML PKDD
2011): the rarest label that has rows left is dealt out first, each row to the part that misses that label most. The
work is done by the ``iterative-stratification`` package; here the labels are prepared for it. Labels are closed
under ancestors, so a part that has its share of a label has at least that much of the label's ancestors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

if TYPE_CHECKING:
    from numpy.random import RandomState

__all__ = ["share_rows", "stratified_folds"]


def share_rows(
    Y: ArrayLike | sparse.sparray, fractions: Sequence[float], random_state: int | RandomState | None = None
) -> NDArray[np.int64]:
    """Say for every row of ``Y`` which part it falls to.

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
    Labels with fewer rows than there are parts cannot be in every part, labels of all rows are so anyway, and of
    labels with the same rows one is enough: these do not take part. Rows without labels are dealt out evenly.
    Time is O(n_samples * labels * rounds), at most one round per label.

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

    labels = _telling_labels(Y, len(fractions))
    generator = check_random_state(random_state)
    order = generator.permutation(labels.shape[0])  # the algorithm itself goes through the rows in order
    parts = np.empty(labels.shape[0], np.int64)
    parts[order] = IterativeStratification(labels[order], np.asarray(fractions, float), generator)
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
