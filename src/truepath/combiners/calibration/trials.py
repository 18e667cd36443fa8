"""What each family of maps reaches on rows that did not fit it: how ``Calibrator("auto")`` chooses."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.combiners.calibration.bins import ScoreBins, SiblingGroups, count_scores
from truepath.combiners.calibration.maps import FAMILIES, fit_maps, make_coherent, make_family, map_scores
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import auprc
from truepath.metrics.tried import Tried
from truepath.resampling import deal_folds, draw_some, split_folds

Floats = NDArray[np.float64]

#: How strongly maps may be pooled
POOLINGS = (20.0, 200.0, np.inf)
#: Folds of the rows, if there are this many rows; with fewer it is one sigmoid for all labels
N_FOLDS = 2
LEAST_ROWS = 50
#: No more cells than this are looked at
CELLS_TO_CHOOSE_BY = 1 << 22
#: How much AU(PRC) a map may cost on rows that did not fit it
AUPRC_TO_LOSE = 0.0005


class Outcome(NamedTuple):
    """A family of maps, how strongly they are pooled, and what they reached on rows that did not fit them."""

    method: str | None
    pooling: float
    brier: float
    auprc: float

    def as_tried(self, is_best: bool) -> Tried:
        """Return the public record."""
        details = {"pooling": self.pooling, "auprc": self.auprc}
        return Tried(self.method or "as they are", self.brier, "brier_score", float(is_best), details=details)


def try_maps(
    S: Any,
    Y: Any,
    weight: Any,
    siblings: SiblingGroups,
    hierarchy: Hierarchy,
    pooling: float | None,
    random_state: Any = 0,
    groups: Any = None,
) -> list[Outcome]:
    """Return what the families reach, each with every pooling that may be chosen; first the scores as they are."""
    if S.shape[0] < LEAST_ROWS:
        return [Outcome("sigmoid", np.inf if pooling is None else float(pooling), 0.0, 0.0)]
    rows = draw_some(S.shape[0], max(LEAST_ROWS, CELLS_TO_CHOOSE_BY // S.shape[1]), random_state)
    weight = np.ones(S.shape[0]) if weight is None else weight
    poolings = POOLINGS if pooling is None else (float(pooling),)
    S, Y, weight = as_dense(S[rows]).astype(np.float64), as_dense(Y[rows]), weight[rows]
    groups = None if groups is None else groups[rows]
    folds = [part for _, part in split_folds(deal_folds(Y, N_FOLDS, random_state, groups))]
    counts = [count_scores(S[part], Y[part], weight[part]) for part in folds]
    found = [_measure(None, np.inf, make_coherent(S.copy(), hierarchy), Y, weight)]
    for method, strength in product(FAMILIES, poolings):
        mapped = np.empty_like(S)
        for f, part in enumerate(folds):
            bins = _sum_bins([count for g, count in enumerate(counts) if g != f])
            family = make_family(method, bins.x)
            mapped[part] = map_scores(family, fit_maps(family, bins, siblings, strength), S[part], hierarchy)
        found.append(_measure(method, strength, mapped, Y, weight))
    return found


def _measure(method: str | None, pooling: float, S: Floats, Y: NDArray[np.bool_], weight: Floats) -> Outcome:
    """Return what scores reach."""
    brier = float(np.average(((S - Y) ** 2).mean(axis=1), weights=weight))
    area = float(auprc(Y, S, sample_weight=weight)) if Y.any() else 0.0
    return Outcome(method, pooling, brier, area)


def best_outcome(found: list[Outcome]) -> Outcome:
    """Return the least Brier score among those whose AU(PRC) is not below that of the first, the scores as they are."""
    allowed = [one for one in found if one.auprc >= found[0].auprc - AUPRC_TO_LOSE]
    return min(allowed, key=lambda one: one.brier)


def _sum_bins(counts: list[ScoreBins]) -> ScoreBins:
    weight = np.stack([count.n.sum(axis=0) + 1e-9 for count in counts])
    x = np.average(np.stack([count.x for count in counts]), axis=0, weights=weight)
    n, k = (np.sum([getattr(count, part) for count in counts], axis=0) for part in ("n", "k"))
    return ScoreBins(n, k, x)
