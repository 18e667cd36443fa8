"""Scores of rows that the learner did not train on: out of fold, or out of bag.

Combiners and decoders are fitted on these. Fitted on scores of the training rows themselves they would learn how well
the learner remembers, not how well it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from truepath.adapters.fitting import fit_learner
from truepath.adapters.inside import final_step, is_of_truepath
from truepath.adapters.labels import take_rows
from truepath.adapters.prepare import copy_unfitted
from truepath.adapters.progress import Progress
from truepath.adapters.scores import node_scores

__all__ = ["HeldOut", "Split", "draws_rows", "out_of_bag", "out_of_fold"]

Split = tuple[NDArray[np.int64], NDArray[np.int64]]


class HeldOut(NamedTuple):
    """Scores of held-out rows, and which rows they are."""

    rows: NDArray[np.int64]
    S: NDArray[Any]


def out_of_fold(
    learners: Sequence[Any],
    X: Any,
    Y: Any,
    weight: Any,
    splits: Sequence[Split],
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[HeldOut]:
    """Score rows by copies of each learner that did not see them.

    Parameters
    ----------
    learners : sequence of unfitted learners
    X, Y, weight
        As in :func:`fit_learner`.
    splits : sequence of pairs (train, held out)
        Row numbers.
    n_jobs : int, optional
    progress : Progress, optional
        Told of every learner and split that is done.

    Returns
    -------
    held_out : list of HeldOut, one per learner
        The rows in the order of the splits.
    """
    jobs = (delayed(_fit_and_score)(learner, X, Y, weight, *split) for learner in learners for split in splits)
    parts: list[NDArray[Any]] = []
    for part in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        parts.append(part)
        if progress is not None:
            progress.step(f"held-out part {len(parts)} of {len(learners) * len(splits)} scored")
    if not parts:
        return []
    rows, n = np.concatenate([held_out for _, held_out in splits]), len(splits)
    return [HeldOut(rows, np.concatenate(parts[k * n : (k + 1) * n])) for k in range(len(learners))]


def _fit_and_score(learner: Any, X: Any, Y: Any, weight: Any, train: Any, held_out: Any) -> NDArray[Any]:
    """Fit a copy on some rows and score others."""
    fitted = fit_learner(copy_unfitted(learner), X, Y, weight, train)
    return node_scores(fitted, take_rows(X, held_out), Y.shape[1])


def draws_rows(learner: Any) -> bool:
    """Say whether a learner of truepath draws rows for its members and can score those left out."""
    last = final_step(learner)
    if not is_of_truepath(last):  # what others keep of rows left out differs in name, shape and meaning
        return False
    params = last.get_params(deep=False)
    return "oob_score" in params and bool(params.get("bootstrap", False))


def out_of_bag(learner: Any, X: Any, Y: Any, weight: Any) -> tuple[HeldOut, Any]:
    """Fit once; every row's score is the mean over the members that were not fitted on it. Return the learner too."""
    fitted = copy_unfitted(learner)
    last = final_step(fitted)
    last.set_params(oob_score=True)
    fit_learner(fitted, X, Y, weight)
    rows = np.flatnonzero(np.isfinite(last.oob_decision_).all(axis=1))
    if rows.size == 0:
        raise ValueError("every row was drawn by every tree; raise n_estimators, or give cv a number of folds.")
    return HeldOut(rows, last.oob_decision_[rows]), fitted
