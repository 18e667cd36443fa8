"""Thresholds that go on learning: held-out rows that come bit by bit, of which a fair sample is kept.

No objective can be made best from thresholds alone, so rows are kept: all while they are few, then a sample in which
every row that ever came has the same chance. Each row gets a random number, and those with the smallest stay.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.base import HeldOutScores

#: The most rows that are kept, and the most cells
MOST_ROWS = 20_000
MOST_CELLS = 1 << 24


class KeptRows(NamedTuple):
    """A sample of held-out rows: scores, labels, weights, the numbers that decide who stays, and how many rows came."""

    S: Any
    y: Any
    weight: NDArray[np.float64]
    number: NDArray[np.float64]
    n_seen: int


def keep_rows(before: KeptRows | None, given: HeldOutScores) -> KeptRows:
    """Return the sample after more rows; the same rows in the same portions give the same sample."""
    n_seen = 0 if before is None else before.n_seen
    n_rows = given.S.shape[0]
    number = np.random.default_rng(n_seen).random(n_rows)
    found = KeptRows(given.S, given.y, given.weight, number, n_seen + n_rows)
    if before is not None:
        S, y, weight, number = (_stack(*pair) for pair in zip(before[:4], found[:4]))
        found = KeptRows(S, y, weight, number, found.n_seen)
    most = max(1, min(MOST_ROWS, MOST_CELLS // max(given.S.shape[1], 1)))
    if found.number.size <= most:
        return found
    stay = np.sort(np.argpartition(found.number, most)[:most])
    return KeptRows(found.S[stay], found.y[stay], found.weight[stay], found.number[stay], found.n_seen)


def _stack(first: Any, second: Any) -> Any:
    """Put rows of matrices, or of vectors, below each other: sparse where any are."""
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.csr_array(sparse.vstack([sparse.csr_array(first), sparse.csr_array(second)]))
    return np.concatenate([np.asarray(first), np.asarray(second)])
