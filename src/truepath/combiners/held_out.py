"""Scores combined by a combiner that did not learn from the row: by folds, or as the combiner itself has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from truepath.adapters.fitting import fit_part, part_groups, scores_own_rows
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import already_checked
from truepath.hierarchy.matrices import as_dense
from truepath.resampling import cross_fit, deal_folds, split_folds

N_FOLDS = 5


def cross_transform(
    combiner: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, random_state: Any, groups: Any = None
) -> Any:
    """Return each row's scores combined by a copy of the combiner that was not fitted on it, nor on its group.

    ``S`` is one score matrix, or a list of several.
    """
    if Y.shape[0] < 2 * N_FOLDS:
        return fit_part(clone(combiner), S, Y, weight, hierarchy, groups).transform(S)

    def fit_and_score(train: np.ndarray, held_out: np.ndarray) -> Any:
        part = None if weight is None else weight[train]
        within = None if groups is None else groups[train]
        fitted = fit_part(clone(combiner), _take(S, train), Y[train], part, hierarchy, within)
        return as_dense(fitted.transform(_take(S, held_out)))

    return cross_fit(split_folds(deal_folds(Y, N_FOLDS, random_state, groups)), fit_and_score)


def _take(S: Any, rows: np.ndarray) -> Any:
    """Return some rows of one score matrix or of each of several."""
    return [part[rows] for part in S] if isinstance(S, list) else S[rows]


def fit_and_cross_transform(
    combiner: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, random_state: Any, groups: Any = None
) -> tuple[Any, Any]:
    """Return the combiner fitted on all rows, and each row's scores by one that did not learn from it."""
    if scores_own_rows(combiner, groups):
        with already_checked(Y, hierarchy):
            held_out = combiner.fit_held_out(S, Y, sample_weight=weight, **part_groups(combiner, groups))
        return combiner, held_out
    held_out = cross_transform(combiner, S, Y, weight, hierarchy, random_state, groups)
    return fit_part(combiner, S, Y, weight, hierarchy, groups), held_out
