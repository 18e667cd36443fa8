"""Scores counted in bins: all that calibration looks at, whether it is measured, drawn or learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy.matrices import dense_blocks

Floats = NDArray[np.float64]


def bin_scores(
    Y: Any,
    S: Any,
    bins: int | Floats,
    *,
    min_score: float = 0.0,
    weight: Any = None,
    nodes: Any = None,
    by: str = "label",
) -> Floats:
    """Return, for each label or row and each bin, the weight of its scores, of those that are true, and their sum.

    Parameters
    ----------
    Y : ndarray or sparse array of bool, shape (n_samples, n_nodes)
    S : ndarray or sparse array of float in [0, 1], shape (n_samples, n_nodes)
    bins : int or ndarray
        How many bins of equal width from 0 to 1; or the bounds of the bins, each of which belongs to the bin above it.
    min_score : float, default=0.0
        Only scores above this are counted.
    weight : ndarray, shape (n_samples,), optional
        How much each row counts.
    nodes : ndarray of int, optional
        The labels that are counted; all unless given.
    by : {"label", "row"}, default="label"

    Returns
    -------
    counts : ndarray, shape (3, n_nodes or n_samples, n_bins)

    Examples
    --------
    >>> Y, S = np.array([[True], [False]]), np.array([[0.75], [0.5]])
    >>> bin_scores(Y, S, 2)[:, 0].tolist()
    [[0.0, 2.0], [0.0, 1.0], [0.0, 1.25]]
    """
    n_bins = bins if isinstance(bins, int) else bins.size - 1
    n_groups = Y.shape[0] if by == "row" else Y.shape[1]
    is_counted = np.zeros(Y.shape[1], bool)
    is_counted[slice(None) if nodes is None else nodes] = True
    counts = np.zeros((3, n_groups * n_bins))
    for rows, (true, scores) in dense_blocks(Y, S):
        i, v = np.nonzero((scores > min_score) & is_counted)
        values = scores[i, v].astype(np.float64)
        own = np.ones(i.size) if weight is None else np.asarray(weight)[rows][i]
        group = rows.start + i if by == "row" else v
        place = group * n_bins + _bin_of(values, bins)
        for k, part in enumerate((own, own * true[i, v], own * values)):
            counts[k] += np.bincount(place, part, counts.shape[1])
    return counts.reshape(3, n_groups, n_bins)


def _bin_of(values: Floats, bins: int | Floats) -> NDArray[np.int64]:
    """Return the bin of each score."""
    if isinstance(bins, int):
        return np.minimum((values * bins).astype(np.int64), bins - 1)
    return np.searchsorted(bins, values, side="right") - 1
