"""Scores of rows the learner did not train on: out of fold, out of bag, or of a part held out.

Combiners and decoders are fitted on these. Fitted on scores of the training rows themselves they would learn how well
the learner remembers, not how well it knows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import KFold

from truepath.adapters import count_rows, take_rows
from truepath.classifier.parts import final_step, fit_learner, node_scores
from truepath.data.stratify import share_rows, stratified_folds

__all__ = ["HeldOut", "cross_transform", "hold_out", "resolve_cv"]

logger = logging.getLogger(__name__)

#: Folds when nothing is said
N_FOLDS = 5


class HeldOut(NamedTuple):
    """Scores of held-out rows, and which rows they are."""

    rows: np.ndarray
    S: np.ndarray


def resolve_cv(cv: Any, learner: Any) -> Any:
    """Return ``"oob"``, a number of folds, a share of rows, or a splitter."""
    if isinstance(cv, str):
        if cv not in ("auto", "oob"):
            raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
        has_bag = _has_bag(learner)
        if cv == "oob" and not has_bag:
            raise ValueError(
                f"cv='oob' needs a learner that draws its rows and has oob_score, such as PCTForest; "
                f"{type(final_step(learner)).__name__} has not. Give a number of folds."
            )
        return "oob" if has_bag else N_FOLDS
    if hasattr(cv, "split"):
        return cv
    if isinstance(cv, (bool, np.bool_)) or not isinstance(cv, (int, float, np.integer, np.floating)):
        raise ValueError(f"cv must be 'auto', 'oob', a number or a splitter; got {cv!r}.")
    if not (0 < cv < 1 or (cv >= 2 and cv == int(cv))):
        raise ValueError(f"cv must be a number of folds >= 2, or a share between 0 and 1; got {cv!r}.")
    return float(cv) if cv < 1 else int(cv)


def _has_bag(learner: Any) -> bool:
    params = final_step(learner).get_params(deep=False)
    return "oob_score" in params and bool(params.get("bootstrap", False))


def hold_out(
    learner: Any, X: Any, Y: Any, weight: Any, *, cv: Any, random_state: Any, n_jobs: int | None
) -> tuple[HeldOut, Any]:
    """Score rows that copies of the learner did not see; return the scores and, if one was fitted on all rows, it."""
    if count_rows(X) < 2:
        raise ValueError("nothing can be held out of n_samples=1; give more rows, or a decoder that learns nothing.")
    if cv == "oob":
        return _out_of_bag(learner, X, Y, weight)
    splits = list(_splits(cv, X, Y, random_state))
    jobs = (delayed(_fit_and_score)(learner, X, Y, weight, train, test) for train, test in splits)
    scored = []
    for done in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        scored.append(done)
        logger.info("held-out part %d of %d scored", len(scored), len(splits))
    return HeldOut(np.concatenate([test for _, test in splits]), np.concatenate(scored)), None


def _splits(cv: Any, X: Any, Y: Any, random_state: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the row numbers (train, held out)."""
    n_samples = count_rows(X)
    if hasattr(cv, "split"):
        found = [(np.asarray(a), np.asarray(b)) for a, b in cv.split(np.zeros((n_samples, 1)), _dense(Y))]
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


def _dense(Y: Any) -> Any:
    return Y.toarray() if hasattr(Y, "toarray") else Y


def _fit_and_score(learner: Any, X: Any, Y: Any, weight: Any, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Fit a copy on some rows and score others."""
    fitted = fit_learner(clone(learner), X, Y, weight, train)
    return node_scores(fitted, take_rows(X, test), Y.shape[1])


def _out_of_bag(learner: Any, X: Any, Y: Any, weight: Any) -> tuple[HeldOut, Any]:
    """Fit once; every row's score is the mean over the trees that were not grown on it."""
    fitted = clone(learner)
    final_step(fitted).set_params(oob_score=True)
    fit_learner(fitted, X, Y, weight, None)
    S = final_step(fitted).oob_decision_
    rows = np.flatnonzero(np.isfinite(S).all(axis=1))
    if rows.size == 0:
        raise ValueError("every row was drawn by every tree; raise n_estimators, or give cv a number of folds.")
    return HeldOut(rows, S[rows]), fitted


def cross_transform(combiner: Any, S: Any, Y: Any, weight: Any, random_state: Any) -> Any:
    """Return each row's scores combined by a copy of the combiner that was not fitted on it."""
    n_samples = S.shape[0]
    if n_samples < 2 * N_FOLDS:
        return clone(combiner).fit(S, Y, sample_weight=weight).transform(S)
    result = np.empty((n_samples, Y.shape[1]), dtype=S.dtype)
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=random_state).split(S):
        part = None if weight is None else weight[train]
        copy = clone(combiner).fit(S[train], Y[train], sample_weight=part)
        result[test] = copy.transform(S[test])
    return result
