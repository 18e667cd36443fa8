"""Which rows are held out, and scores combined by combiners that did not see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from truepath.adapters import count_rows, draws_rows, final_step
from truepath.data.split import share_rows, stratified_folds
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import already_checked
from truepath.hierarchy.matrices import as_dense

__all__ = ["cross_transform", "fit_part", "make_splits", "resolve_cv"]

#: Folds when nothing is said
N_FOLDS = 5

Rows = NDArray[np.int64]


def resolve_cv(cv: Any, learner: Any) -> Any:
    """Return ``"oob"``, a number of folds, a share of rows, or a splitter."""
    if isinstance(cv, str):
        if cv not in ("auto", "oob"):
            raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
        draws = draws_rows(learner)
        if cv == "oob" and not draws:
            raise ValueError(
                f"cv='oob' needs a learner of truepath that draws its rows and has oob_score, such as PCTForest; "
                f"{type(final_step(learner)).__name__} is not one. Give a number of folds."
            )
        return "oob" if draws else N_FOLDS
    if hasattr(cv, "split"):
        return cv
    if isinstance(cv, (bool, np.bool_)) or not isinstance(cv, (int, float, np.integer, np.floating)):
        raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
    if not (0 < cv < 1 or (cv >= 2 and cv == int(cv))):
        raise ValueError(f"cv must be a number of folds >= 2, or a share between 0 and 1; got {cv!r}.")
    return float(cv) if cv < 1 else int(cv)


def make_splits(cv: Any, X: Any, Y: Any, random_state: Any) -> list[tuple[Rows, Rows]] | None:
    """Return the row numbers (train, held out) of each split; None where rows are scored out of bag."""
    if count_rows(X) < 2:
        raise ValueError("nothing can be held out of n_samples=1; give more rows, or a decoder that learns nothing.")
    return None if isinstance(cv, str) else list(_splits(cv, X, Y, random_state))


def _splits(cv: Any, X: Any, Y: Any, random_state: Any) -> Iterator[tuple[Rows, Rows]]:
    n_samples = count_rows(X)
    if hasattr(cv, "split"):
        found = [(np.asarray(a), np.asarray(b)) for a, b in cv.split(np.zeros((n_samples, 1)), as_dense(Y))]
        if not found or any(a.size == 0 or b.size == 0 for a, b in found):
            raise ValueError("cv gives a split without training or without held-out rows.")
        yield from found
    elif isinstance(cv, float):
        part = share_rows(Y, [1 - cv, cv], random_state)
        if part.min() == part.max():
            raise ValueError(f"cv={cv} of {n_samples} rows leaves one part empty; give more rows.")
        yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)
    else:
        if n_samples < cv:
            raise ValueError(
                f"cv={cv} folds need as many rows; X has n_samples={n_samples}. Give fewer folds, or a "
                "decoder that learns nothing, such as truepath.decoders.Threshold."
            )
        yield from stratified_folds(Y, cv, random_state)


def fit_part(part: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy) -> Any:
    """Fit a combiner or a decoder on scores and labels that were checked, and return it."""
    with already_checked(Y, hierarchy):
        return part.fit(S, Y, sample_weight=weight)


def cross_transform(combiner: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, random_state: Any) -> Any:
    """Return each row's scores combined by a copy of the combiner that was not fitted on it."""
    n_samples = S.shape[0]
    if n_samples < 2 * N_FOLDS:
        return fit_part(clone(combiner), S, Y, weight, hierarchy).transform(S)
    result = np.empty((n_samples, Y.shape[1]), dtype=S.dtype)
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=random_state).split(S):
        part = None if weight is None else weight[train]
        result[test] = fit_part(clone(combiner), S[train], Y[train], part, hierarchy).transform(S[test])
    return result
