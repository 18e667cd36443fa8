"""How many leaves each row gets: one number, one per row, learned, or left to the decoder."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.leaves.metalabeler import MetaLabeler

ALLOWED = "k must be None, an int, one int per row, 'metalabeler' or a MetaLabeler"


def asks_for_metalabeler(k: Any) -> bool:
    """Say whether ``k`` is a MetaLabeler or its name."""
    return isinstance(k, MetaLabeler) or (isinstance(k, str) and k == "metalabeler")


def as_metalabeler(k: Any) -> MetaLabeler | None:
    """Return the MetaLabeler that ``k`` asks for (itself or by name), or None."""
    if asks_for_metalabeler(k):
        return MetaLabeler() if isinstance(k, str) else k
    if isinstance(k, str):
        raise ValueError(f"{ALLOWED}; got {k!r}.")
    return None


def check_leaf_counts(k: Any, n_samples: int, n_leaves: int) -> NDArray[np.int64]:
    """Return one count per row, refused outside 1 .. n_leaves."""
    if isinstance(k, bool) or (np.ndim(k) == 0 and not isinstance(k, Integral)):
        raise ValueError(f"{ALLOWED}; got {k!r}.")
    counts = np.asarray(k)
    if counts.ndim and (counts.shape != (n_samples,) or counts.dtype.kind not in "iu"):
        raise ValueError(
            f"k must hold one int for each of the {n_samples} rows; got shape {counts.shape}, type {counts.dtype}."
        )
    if counts.size and not (counts.min() >= 1 and counts.max() <= n_leaves):
        wrong = int(counts.min() if counts.min() < 1 else counts.max())
        raise ValueError(f"k must lie between 1 and the number of leaves, {n_leaves}; got {wrong}.")
    return np.array(np.broadcast_to(counts, n_samples), np.int64)
