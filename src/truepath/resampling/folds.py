"""Rows dealt into parts and folds, shuffled by ``random_state`` and with each label's share in every part.

Two ways to keep the shares of labels:

* *Iterative stratification* (Sechidis, Tsoumakas and Vlahavas, *On the Stratification of Multi-Label Data*, ECML PKDD
  2011), for the parts that people see: :func:`share_rows`. The rows of the rarest label
  left are assigned first, each to the part that lacks that label most. The ``iterative-stratification`` package does
  the work; here the labels are prepared for it. Labels are closed under ancestors, so a part that has its share of a
  label has at least that much of the label's ancestors.
* *Dealing by the rarest label*, for folds within a fit: :func:`deal_folds`, and :func:`share_rows` of many cells. Rows
  in the order of their rarest label, at random among equals, are dealt out like cards. That takes time in proportion
  to the labels set: 0.01 s for 2,500 rows of 500 labels and 0.05 s for 15,000 of 1,300, where iterative stratification
  takes 0.3 and 6 s and comes three times as close to equal shares.

Rows in the order that they were given are never taken for folds: data are often sorted, or periodic. Rows that belong
together stay together where ``groups`` says so (:mod:`truepath.resampling.groups`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.resampling.groups import count_groups, deal_groups

if TYPE_CHECKING:
    from numpy.random import RandomState

#: Rows times labels beyond which rows are dealt out by their rarest label
MOST_CELLS = 20_000_000

GOLDEN_RATIO = (5**0.5 - 1) / 2

Rows = NDArray[np.int64]


def deal_rows(n_rows: int, n_folds: int, random_state: Any = 0, groups: Rows | None = None) -> Rows:
    """Return the fold of each row, dealt at random; folds differ in size by one at most.

    Rows of one of the ``groups`` are in one fold; there are no more folds than groups then.

    Examples
    --------
    >>> np.bincount(deal_rows(7, 3)).tolist()
    [3, 2, 2]
    """
    from sklearn.utils import check_random_state

    if groups is not None:
        return _deal_groups(groups, n_folds, np.zeros(n_rows, np.int64), random_state)
    folds = np.empty(n_rows, np.int64)
    folds[check_random_state(random_state).permutation(n_rows)] = np.arange(n_rows) % n_folds
    return folds


def deal_folds(Y: Any, n_folds: int, random_state: Any = 0, groups: Rows | None = None) -> Rows:
    """Return the fold of each row, dealt at random and by labels; folds differ in size by one at most.

    Parameters
    ----------
    Y : ndarray or sparse array of bool, shape (n_samples, n_labels)
    n_folds : int
    random_state : int, RandomState or None, default=0
    groups : ndarray of int, optional
        As :func:`truepath.adapters.groups.check_groups` returns them: rows of one group are in one fold. There are no
        more folds than groups, and they may differ in size.

    Returns
    -------
    folds : ndarray of int, shape (n_samples,)
        Rows with the same rarest label are spread as evenly as they can be. Labels of fewer rows than folds are not
        looked at. O(labels set).

    Examples
    --------
    >>> Y = np.tile(np.eye(3, dtype=bool), (4, 1))  # in periodic order
    >>> folds = deal_folds(Y, 3)
    >>> [Y[folds == k].sum(axis=0).tolist() for k in range(3)]
    [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
    """
    from sklearn.utils import check_random_state

    if groups is not None:
        return _deal_groups(groups, n_folds, _rarest_labels(Y, n_folds), random_state)
    folds = np.empty(Y.shape[0], np.int64)
    order = _by_rarest_label(Y, n_folds, check_random_state(random_state))
    folds[order] = np.arange(order.size) % n_folds
    return folds


def split_folds(folds: Rows) -> list[tuple[Rows, Rows]]:
    """Return the row numbers (train, held out) of each fold.

    Examples
    --------
    >>> [(train.tolist(), held_out.tolist()) for train, held_out in split_folds(np.array([0, 1, 0]))]
    [([1], [0, 2]), ([0, 2], [1])]
    """
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(int(folds.max()) + 1)]


def cross_fit(splits: Iterable[tuple[Rows, Rows]], fit_and_score: Callable[[Rows, Rows], NDArray[Any]]) -> NDArray[Any]:
    """Return each row's scores by what was fitted on the other folds.

    Parameters
    ----------
    splits : iterable of pairs (train, held out)
        Row numbers, as :func:`split_folds` returns them: each row is held out once.
    fit_and_score : callable
        ``fit_and_score(train, held_out)`` returns the scores of the rows held out.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [6.0]])
    >>> splits = split_folds(np.array([0, 1, 2]))
    >>> cross_fit(splits, lambda train, held_out: np.tile(values[train].mean(), (1, 1))).ravel().tolist()
    [4.0, 3.5, 1.5]
    """
    rows, parts = zip(*((held_out, fit_and_score(train, held_out)) for train, held_out in splits))
    scores = np.concatenate(parts)
    result = np.empty_like(scores)
    result[np.concatenate(rows)] = scores
    return result


def draw_some(n_rows: int, n_wanted: int, random_state: Any = 0, groups: Rows | None = None) -> Rows:
    """Return ``n_wanted`` row numbers drawn without replacement, in order; all of them if there are no more.

    With ``groups`` whole ones are drawn, one after the other while they fit.

    Examples
    --------
    >>> draw_some(3, 5).tolist(), draw_some(1000, 3).size
    ([0, 1, 2], 3)
    """
    from sklearn.utils import check_random_state

    if n_rows <= n_wanted:
        return np.arange(n_rows)
    if groups is not None:
        of_row = np.unique(groups, return_inverse=True)[1]
        order = check_random_state(random_state).permutation(int(of_row.max()) + 1)
        drawn = order[np.cumsum(np.bincount(of_row)[order]) <= n_wanted]
        return np.flatnonzero(np.isin(of_row, drawn))
    return np.sort(check_random_state(random_state).permutation(n_rows)[:n_wanted])


def share_rows(
    Y: ArrayLike | sparse.sparray,
    fractions: Sequence[float],
    random_state: int | RandomState | None = None,
    groups: Rows | None = None,
) -> NDArray[np.int64]:
    """Return the part that each row of ``Y`` is assigned to.

    Parameters
    ----------
    Y : ndarray or sparse array of bool, shape (n_samples, n_nodes)
    fractions : sequence of float
        The share of each part, adding up to 1.
    random_state : int, RandomState or None
        Ties are broken at random.
    groups : ndarray of int, optional
        As :func:`truepath.adapters.groups.check_groups` returns them: rows of one group are in one part.

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
    if groups is not None:
        if count_groups(groups) < len(fractions):
            raise ValueError(f"groups holds {count_groups(groups)} groups, which cannot fill {len(fractions)} parts.")
        return deal_groups(groups, fractions, _rarest_labels(Y, len(fractions)), generator)
    if np.prod(np.shape(Y), dtype=float) > MOST_CELLS:
        return _deal_out(Y, np.asarray(fractions, float), generator)
    labels = _informative_labels(Y, len(fractions))
    order = generator.permutation(labels.shape[0])  # the algorithm itself goes through the rows in order
    parts = np.empty(labels.shape[0], np.int64)
    parts[order] = IterativeStratification(labels[order], np.asarray(fractions, float), generator)
    return parts


def _deal_groups(groups: Rows, n_folds: int, rarest: Rows, random_state: Any) -> Rows:
    """Deal groups into as many folds, or as many as there are groups."""
    from sklearn.utils import check_random_state

    n_folds = min(n_folds, count_groups(groups))
    return deal_groups(groups, [1 / n_folds] * n_folds, rarest, check_random_state(random_state))


def _by_rarest_label(Y: Any, least: int, generator: RandomState) -> Rows:
    """Return the rows in the order of their rarest label, of those that ``least`` rows have; at random among equals."""
    return np.lexsort((generator.permutation(Y.shape[0]), _rarest_labels(Y, least)))


def _rarest_labels(Y: Any, least: int) -> Rows:
    """Return the rank of each row's rarest label, of those that ``least`` rows have; 0 is the rarest of all."""
    Y = sparse.csr_array(Y, dtype=bool)
    counts = np.bincount(Y.indices[Y.data], minlength=Y.shape[1])
    by_count = np.lexsort((np.arange(counts.size), counts))
    by_count = by_count[counts[by_count] >= least]
    rank = np.full(Y.shape[1], Y.shape[1])
    rank[by_count] = np.arange(by_count.size)
    rarest = np.full(Y.shape[0], Y.shape[1])
    has_labels = np.diff(Y.indptr) > 0
    if has_labels.any():
        ranks = np.where(Y.data, rank[Y.indices], Y.shape[1])
        rarest[has_labels] = np.minimum.reduceat(ranks, Y.indptr[:-1][has_labels])
    return rarest


def _deal_out(Y: Any, fractions: NDArray[np.float64], generator: RandomState) -> Rows:
    """Deal out rows in the order of their rarest label to parts of given shares."""
    order = _by_rarest_label(Y, fractions.size, generator)
    # multiples of the golden ratio: every run of neighbours is shared as evenly as a run of its length can be
    places = (generator.random_sample() + np.arange(Y.shape[0]) * GOLDEN_RATIO) % 1.0
    parts = np.empty(Y.shape[0], np.int64)
    parts[order] = np.minimum(np.searchsorted(np.cumsum(fractions), places, side="right"), fractions.size - 1)
    return parts


def _informative_labels(Y: Any, n_parts: int) -> NDArray[np.bool_]:
    """Keep one of each group of equal label columns, and none that cannot or need not be balanced."""
    Y = sparse.csc_array(Y, dtype=bool)
    counts = np.diff(Y.indptr)
    Y = Y[:, np.flatnonzero((counts >= n_parts) & (counts < Y.shape[0]))]
    first: dict[bytes, int] = {}
    for v in range(Y.shape[1]):
        first.setdefault(np.sort(Y.indices[Y.indptr[v] : Y.indptr[v + 1]]).tobytes(), v)
    dense: NDArray[np.bool_] = Y[:, list(first.values())].toarray()
    return dense if dense.shape[1] else np.zeros((Y.shape[0], 1), bool)
