"""Metrics: the order of rows, the numbering of nodes and the form of matrices never matter; weights repeat rows."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from fuzzing.checks import check, close, refusable
from fuzzing.drawing import draw_hierarchy, draw_labels, draw_scores, renumber, sparsely
from truepath.registry import METRICS

#: Of labels with equal scores the first counts, so the numbering matters where scores tie
TAKES_THE_FIRST = {"precision_at_k", "ndcg_at_k", "r_precision", "psp_at_k"}


def value(metric: Any, Y: Any, P: Any, h: Any, **options: Any) -> float:
    """Return a metric's number."""
    given = (Y, P) if metric.uses_truth else (P,)
    found = metric.function(*given, h, **options)
    return float(found if metric.number is None else metric.number(found))


@check("measures", 60)
def measuring(rng: np.random.Generator) -> None:
    """One random metric on one random case, in six ways."""
    metric = METRICS.members()[int(rng.integers(len(METRICS)))]
    h = draw_hierarchy(rng)
    Y = draw_labels(rng, h)
    P = draw_labels(rng, h, len(Y)) if metric.needs == "labels" else draw_scores(rng, Y.shape)
    found = refusable(lambda: value(metric, Y, P, h))
    low, high = metric.bounds
    assert np.isnan(found) or low - 1e-9 <= found <= high + 1e-9, f"{metric.name} = {found} is out of bounds"
    rows = rng.permutation(len(Y))
    close(value(metric, Y[rows], P[rows], h), found, f"{metric.name}: rows in another order")
    other, old = renumber(rng, h)
    if metric.name in TAKES_THE_FIRST and any(np.unique(row).size < row.size for row in P):
        other, old = h, np.arange(h.n_nodes)
    close(value(metric, Y[:, old], P[:, old], other), found, f"{metric.name}: nodes in another order")
    close(value(metric, sparsely(rng, Y), sparsely(rng, P), h), found, f"{metric.name}: sparse")
    if "sample_weight" in signature(metric.function).parameters:
        times = rng.integers(0, 3, len(Y))
        if times.any():
            again = np.repeat(np.arange(len(Y)), times)
            weighted = refusable(lambda: value(metric, Y, P, h, sample_weight=times.astype(float)))
            close(value(metric, Y[again], P[again], h), weighted, f"{metric.name}: weights")
