"""Which score is reliable: the threshold that is best for each aspect on held-out proteins, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.cafa.evaluation.curves import make_curve
from truepath.cafa.evaluation.evaluate import find_thresholds
from truepath.cafa.evaluation.matrices import to_matrices
from truepath.cafa.ontology.ontology import Ontology
from truepath.hierarchy import raise_up
from truepath.metrics.sweep import sweep_scores
from truepath.resampling import check_resampling, count_draws, draw_bootstraps, interval_of


@dataclass(frozen=True)
class Cutoff:
    """The best threshold of an aspect, and what it reaches, with the ends of bootstrap intervals.

    Attributes
    ----------
    threshold, low, high : float
    f, f_low, f_high : float
        Fmax on the proteins given.
    precision, recall : float
        At the threshold.
    n_targets : int
    """

    threshold: float
    low: float
    high: float
    f: float
    f_low: float
    f_high: float
    precision: float
    recall: float
    n_targets: int


def find_cutoffs(
    truth: Any,
    predictions: Any,
    ontology: Ontology,
    *,
    thresholds: str | float | ArrayLike = 0.01,
    n_resamples: int = 200,
    confidence: float = 0.95,
    random_state: int | None = 0,
) -> dict[str, Cutoff]:
    """Find the threshold with the best F for each aspect, with bootstrap intervals over proteins.

    Parameters
    ----------
    truth, predictions, ontology, thresholds
        As in :func:`evaluate_predictions`; proteins that the predictions were not trained on.
    n_resamples : int, default=200
    confidence : float, default=0.95
    random_state : int or None, default=0

    Returns
    -------
    cutoffs : dict of str to Cutoff
        By aspect; aspects without truth or without predictions are left out.
    """
    check_resampling(n_resamples, confidence)
    found = to_matrices(truth, predictions, None, ontology, None)
    scores = sparse.csr_array(raise_up(found.scores, ontology.hierarchy))
    rng, cutoffs = np.random.default_rng(random_state), {}
    for aspect, nodes in ontology.aspects.items():
        mass = ontology.flags(aspect)
        rows = np.flatnonzero(found.true @ mass > 0)
        cuts = find_thresholds(thresholds, scores, nodes)
        best = partial(_best, aspect, found.true[rows], scores[rows], mass, cuts)
        everyone = best(np.ones(rows.size)) if rows.size else None
        if everyone is None:
            continue
        drawn = draw_bootstraps(rows.size, n_resamples, rng)
        draws = [best(count_draws(some, rows.size)) for some in drawn]
        known = [draw for draw in draws if draw is not None] or [everyone]
        low, high = interval_of([draw["threshold"] for draw in known], confidence)
        best_threshold, f = everyone["threshold"], everyone["f"]
        f_ends = interval_of([draw["f"] for draw in known], confidence, around=f, bounds=(0.0, 1.0))
        cutoffs[aspect] = Cutoff(
            best_threshold, min(low, best_threshold), max(high, best_threshold), f, *f_ends,
            everyone["precision"], everyone["recall"], int(rows.size),
        )  # fmt: skip
    return cutoffs


def _best(
    aspect: str,
    true: sparse.csr_array,
    scores: sparse.csr_array,
    mass: NDArray[np.float64],
    cuts: NDArray[Any],
    weight: NDArray[np.float64],
) -> dict[str, float] | None:
    """Return the quantities at the best threshold for weighted rows; None if nothing is predicted."""
    sums = sweep_scores(true, scores, mass, cuts, scored=weight, weight=weight)
    total = float(weight @ (true @ mass))
    return make_curve(aspect, int(weight.sum()), total, cuts, sums, "cafa").best("f") or None
