"""What each family of maps reaches on rows that did not fit it: how ``Calibrator("auto")`` chooses."""

from __future__ import annotations

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

__all__ = ["Outcome", "best_outcome", "try_maps"]

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
    groups: SiblingGroups,
    hierarchy: Hierarchy,
    pooling: float | None,
    random_state: Any = 0,
) -> list[Outcome]:
    """Return what the families reach, each with every pooling that may be chosen; first the scores as they are."""
    if S.shape[0] < LEAST_ROWS:
        return [Outcome("sigmoid", np.inf if pooling is None else float(pooling), 0.0, 0.0)]
    rows = draw_some(S.shape[0], max(LEAST_ROWS, CELLS_TO_CHOOSE_BY // S.shape[1]), random_state)
    weight = np.ones(S.shape[0]) if weight is None else weight
    poolings = POOLINGS if pooling is None else (float(pooling),)
    given = _Given(as_dense(S[rows]).astype(np.float64), as_dense(Y[rows]), weight[rows], hierarchy)
    folds = [part for _, part in split_folds(deal_folds(given.Y, N_FOLDS, random_state))]
    return given.try_out([(method, strength) for method in FAMILIES for strength in poolings], groups, folds)


class _Given(NamedTuple):
    """Dense scores and labels to choose by."""

    S: Floats
    Y: NDArray[np.bool_]
    weight: Floats
    hierarchy: Hierarchy

    def try_out(self, candidates: list[tuple[str, float]], groups: Any, folds: list[Any]) -> list[Outcome]:
        """Return what each candidate reaches on folds that did not fit it, the scores as they are first."""
        counts = [count_scores(self.S[rows], self.Y[rows], self.weight[rows]) for rows in folds]
        found = [self.measure(None, np.inf, make_coherent(self.S.copy(), self.hierarchy))]
        for method, pooling in candidates:
            mapped = np.empty_like(self.S)
            for f, rows in enumerate(folds):
                bins = _sum_bins([count for g, count in enumerate(counts) if g != f])
                family = make_family(method, bins.x)
                maps = fit_maps(family, bins, groups, pooling)
                mapped[rows] = map_scores(family, maps, self.S[rows], self.hierarchy)
            found.append(self.measure(method, pooling, mapped))
        return found

    def measure(self, method: str | None, pooling: float, S: Floats) -> Outcome:
        """Return the measures of scores."""
        brier = float(np.average(((S - self.Y) ** 2).mean(axis=1), weights=self.weight))
        area = float(auprc(self.Y, S, sample_weight=self.weight)) if self.Y.any() else 0.0
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
