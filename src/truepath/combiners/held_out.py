"""Scores combined by a combiner that did not learn from the row: by folds, or as the combiner itself keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from truepath.adapters.fitting import fit_part
from truepath.combiners.sources import list_sources
from truepath.hierarchy import Hierarchy

__all__ = ["cross_transform", "fit_and_cross_transform"]

N_FOLDS = 5


def cross_transform(combiner: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, random_state: Any) -> Any:
    """Return each row's scores combined by a copy of the combiner that was not fitted on it.

    ``S`` is one score matrix, or a list of several.
    """
    n_samples = Y.shape[0]
    if n_samples < 2 * N_FOLDS:
        return fit_part(clone(combiner), S, Y, weight, hierarchy).transform(S)
    result = np.empty((n_samples, Y.shape[1]), dtype=np.result_type(*(part.dtype for part in list_sources(S))))
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=random_state).split(np.zeros((n_samples, 1))):
        part = None if weight is None else weight[train]
        fitted = fit_part(clone(combiner), _take(S, train), Y[train], part, hierarchy)
        result[test] = fitted.transform(_take(S, test))
    return result


def _take(S: Any, rows: np.ndarray) -> Any:
    """Return some rows of one score matrix or of each of several."""
    return [part[rows] for part in S] if isinstance(S, list) else S[rows]


def fit_and_cross_transform(
    combiner: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, random_state: Any
) -> tuple[Any, Any]:
    """Return the combiner fitted on all rows, and each row's scores by one that did not learn from it."""
    if "keep_held_out" not in combiner.get_params(deep=False):
        held_out = cross_transform(combiner, S, Y, weight, hierarchy, random_state)
        return fit_part(combiner, S, Y, weight, hierarchy), held_out
    before = combiner.keep_held_out
    fitted = fit_part(combiner.set_params(keep_held_out=True), S, Y, weight, hierarchy)
    held_out = fitted.held_out_
    if not before:
        fitted.set_params(keep_held_out=False)
        del fitted.held_out_
    return fitted, held_out
