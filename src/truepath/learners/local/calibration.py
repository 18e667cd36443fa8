"""From any scikit-learn classifier to probabilities: its own, its margin's sigmoid, or calibrated on held-out rows.

Calibration (``calibrate="sigmoid" | "isotonic"``) is scikit-learn's :class:`CalibratedClassifierCV` with
``ensemble=False``: scores of rows the model has not seen, collected over stratified folds, fit the calibrator; the
model itself is then fitted on all rows. A label with fewer than two instances of either value cannot be held out
and stays uncalibrated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from truepath.adapters import check_learner, count_rows, takes_weight, weight_argument
from truepath.records import Record

__all__ = [
    "ConstantScores",
    "check_estimator_kind",
    "fit_classifier",
    "seed_model",
]

#: Folds over which held-out scores are collected
N_FOLDS = 3
METHODS = (None, "sigmoid", "isotonic")


class ConstantScores(Record, home="truepath.learners"):
    """Stands in for a classifier where the training rows show one class only (or there are none)."""

    def __init__(self, value: Any):
        self.classes_ = np.array([value])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probability one for the only class."""
        return np.ones((count_rows(X), 1))


def check_estimator_kind(estimator: Any, calibrate: str | None, has_weight: bool, name: str = "estimator") -> None:
    """Refuse what cannot score, cannot weigh though weights came, or a calibration that does not exist."""
    if calibrate not in METHODS:
        raise ValueError(f"calibrate must be None, 'sigmoid' or 'isotonic'; got {calibrate!r}.")
    check_learner(estimator, name)
    if has_weight and not takes_weight(estimator):
        raise ValueError(
            f"sample_weight was given but fit of {name} {type(estimator).__name__} does not take it. "
            "Leave the weights out or choose another estimator."
        )
    if has_weight and calibrate and isinstance(estimator, Pipeline):
        raise ValueError(
            "sample_weight cannot reach the last step of a pipeline inside calibration; leave out the weights or "
            "calibrate, or put the pipeline outside: make_pipeline(..., PerNode(...))."
        )


def fit_classifier(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    weight: np.ndarray | None = None,
    *,
    calibrate: str | None = None,
    seed: int | None = None,
) -> Any:
    """Return a fitted clone, calibrated if asked; a constant where y shows one class.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
    X : array, CSR matrix, frame or list
    y : ndarray of int
    weight : ndarray, optional
    calibrate : {None, "sigmoid", "isotonic"}
    seed : int, optional
        Given to every ``random_state`` of the clone, nested ones included.
    """
    classes, counts = np.unique(y, return_counts=True)
    if classes.size <= 1:
        return ConstantScores(classes[0] if classes.size else 0)
    model = seed_model(clone(estimator), seed)
    if calibrate is not None and counts.min() >= 2:
        folds = StratifiedKFold(min(N_FOLDS, counts.min()))
        model = CalibratedClassifierCV(model, method=calibrate, cv=folds, ensemble=False)
    return model.fit(X, y, **weight_argument(model, weight))


def seed_model(model: Any, seed: int | None) -> Any:
    """Give every ``random_state`` of an unfitted model, nested ones included, the seed; None changes nothing."""
    if seed is not None:
        keys = [key for key in model.get_params(deep=True) if key.split("__")[-1] == "random_state"]
        model.set_params(**dict.fromkeys(keys, int(seed)))
    return model
