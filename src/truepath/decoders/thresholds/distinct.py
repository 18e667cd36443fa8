"""All distinct scores of a matrix, and where any score stands among them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels

__all__ = ["DistinctScores", "find_distinct", "index_distinct"]

MOST_BUCKETS = 1 << 20


class DistinctScores(NamedTuple):
    """Distinct scores, ascending, with buckets of equal width that make looking one up a matter of few steps."""

    value: NDArray[Any]
    scale: float
    starts: NDArray[np.int32]

    def swap_for_ranks(self, values: NDArray[Any]) -> NDArray[np.int32]:
        """Return the position of each of ``values`` among the distinct ones; 32-bit values are overwritten by it."""
        ranks = values.view(np.int32) if values.itemsize == 4 else np.empty(values.size, np.int32)
        _kernels.thresholds.curves.rank_all(values, *self, ranks)
        return ranks

    def swap_back(self, ranks: NDArray[np.int32], values: NDArray[Any]) -> None:
        """Undo :meth:`swap_for_ranks`, a piece at a time."""
        step = 1 << 16
        for start in range(0, ranks.size if values.itemsize == 4 else 0, step):
            values[start : start + step] = self.value[ranks[start : start + step]]


def find_distinct(S: Any) -> DistinctScores:
    """Sort all scores of a matrix and drop repeats; absent sparse scores are 0."""
    if sparse.issparse(S):
        zero = np.zeros(1 if S.nnz < S.shape[0] * S.shape[1] else 0, S.dtype)
        return index_distinct(np.concatenate([S.data, zero]))
    return index_distinct(S)


def index_distinct(values: NDArray[Any]) -> DistinctScores:
    """Do the same for any array of scores."""
    kernels = _kernels.thresholds.curves
    ordered = np.sort(values, axis=None)
    ordered.resize(kernels.drop_repeats(ordered), refcheck=False)
    n_buckets = max(1, min(MOST_BUCKETS, ordered.size // 4))
    width = float(ordered[-1]) - float(ordered[0])
    scale = n_buckets / width if width > 0 and np.isfinite(n_buckets / width) else 0.0
    starts = np.empty(n_buckets + 1, np.int32)
    kernels.make_buckets(ordered, scale, starts)
    return DistinctScores(ordered, scale, starts)
