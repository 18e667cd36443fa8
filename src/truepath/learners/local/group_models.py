"""How a group of labels that share their training rows is learned: apart, as exclusive classes, or jointly.

``IndependentLabels`` fits one binary classifier per label. ``ExclusiveLabels`` fits one multi-class classifier whose
classes are the labels (and "none of them", where some row has none): right when no row has two. ``JointLabels`` hands
the whole 0/1 matrix to a classifier that takes label sets by nature (forests, neighbours, networks).
``resolve_model("auto", ...)`` takes the exclusive model when the rows allow it, else the joint one when the estimator
does (scikit-learn's ``multi_label`` tag) and no calibration is asked, else the independent one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from truepath.adapters import VaryingLabels, class_scores, tags_of
from truepath.learners.local.calibration import fit_classifier, seed_model
from truepath.records import Record

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

__all__ = ["MODELS", "ExclusiveLabels", "IndependentLabels", "JointLabels", "resolve_model"]


class IndependentLabels(Record, home="truepath.learners"):
    """One binary classifier for each label."""

    def fit(self, estimator: Any, X: Any, targets: np.ndarray, weight: np.ndarray | None, **options: Any) -> Self:
        """Fit a clone of the estimator to each column of ``targets``; equal columns are fitted once."""
        fitted: dict[bytes, object] = {}
        for j in range(targets.shape[1]):
            key = targets[:, j].tobytes()
            if key not in fitted:
                fitted[key] = fit_classifier(estimator, X, targets[:, j].astype(np.int64), weight, **options)
        self.models_ = [fitted[targets[:, j].tobytes()] for j in range(targets.shape[1])]
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return one column of probabilities per label."""
        known = {id(model): class_scores(model, X, 2)[:, 1] for model in self.models_}
        return np.column_stack([known[id(model)] for model in self.models_])


class ExclusiveLabels(Record, home="truepath.learners"):
    """One multi-class classifier for labels of which a row has at most one."""

    def fit(self, estimator: Any, X: Any, targets: np.ndarray, weight: np.ndarray | None, **options: Any) -> Self:
        """Fit a clone to the number of each row's label, the last class standing for none."""
        self.n_labels_ = targets.shape[1]
        classes = np.where(targets.any(axis=1), targets.argmax(axis=1), self.n_labels_)
        self.model_ = fit_classifier(estimator, X, classes, weight, **options)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return one column of probabilities per label, adding up to at most one."""
        return class_scores(self.model_, X, self.n_labels_ + 1)[:, :-1]


class JointLabels(Record, home="truepath.learners"):
    """One multi-label classifier for all labels that vary; the others are constant."""

    def fit(
        self,
        estimator: Any,
        X: Any,
        targets: np.ndarray,
        weight: np.ndarray | None,
        *,
        calibrate: str | None = None,
        seed: int | None = None,
    ) -> Self:
        """Fit a clone to the columns that show both values."""
        if calibrate is not None:
            raise ValueError("calibrate is not offered for labels learned jointly; use labels='independent'.")
        self.model_ = VaryingLabels(seed_model(clone(estimator), seed)).fit(X, targets, weight)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """Return one column of probabilities per label."""
        return self.model_.predict_proba(X)


MODELS = {"independent": IndependentLabels, "exclusive": ExclusiveLabels, "joint": JointLabels}


def resolve_model(labels: str, estimator: Any, targets: np.ndarray, calibrate: str | None) -> type:
    """Return the model class for a group: the one named, or for "auto" the one the rows and the estimator allow."""
    if labels == "auto":
        if targets.shape[1] == 1:
            return IndependentLabels
        if not (np.count_nonzero(targets, axis=1) > 1).any():
            return ExclusiveLabels
        joint = calibrate is None and _takes_label_sets(estimator)
        return JointLabels if joint else IndependentLabels
    if labels not in MODELS:
        raise ValueError(f"labels must be 'auto', 'independent', 'exclusive' or 'joint'; got {labels!r}.")
    if labels == "exclusive" and (np.count_nonzero(targets, axis=1) > 1).any():
        raise ValueError("labels='exclusive' but some rows have several labels of one group; use labels='auto'.")
    if labels == "joint" and not _takes_label_sets(estimator):
        raise ValueError(
            f"labels='joint' needs a classifier that takes label sets; {type(estimator).__name__} does not. "
            "Use labels='auto'."
        )
    return MODELS[labels]


def _takes_label_sets(estimator: Any) -> bool:
    tags = tags_of(estimator)
    classifies = tags is not None and tags.classifier_tags is not None
    return classifies and tags.classifier_tags.multi_label and hasattr(estimator, "predict_proba")
