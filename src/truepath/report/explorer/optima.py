"""Where the best thresholds lie on the rows shown: one for all labels, and one per label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.hierarchy import Hierarchy

__all__ = ["Optima", "find_optima"]


class Optima(NamedTuple):
    """Thresholds that are best on these rows: one by micro-F1, one by H-loss, one per label by micro-F1."""

    f1: float
    h_loss: float
    per_label: NDArray[np.float64]


def find_optima(truth: Any, S: Any, hierarchy: Hierarchy) -> Optima:
    """Fit the decoders on coherent scores."""
    f1, h_loss = (SingleThreshold(name, hierarchy=hierarchy).fit(S, truth) for name in ("micro_f1", "h_loss"))
    many = MultiThreshold("micro_f1", hierarchy=hierarchy).fit(S, truth)
    return Optima(float(f1.threshold_), float(h_loss.threshold_), np.asarray(many.thresholds_, np.float64))
