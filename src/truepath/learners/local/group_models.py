"""How a group of labels that share their training rows is learned: apart, as exclusive classes, or jointly.

``IndependentLabels`` fits one binary classifier per label. ``ExclusiveLabels`` fits one multi-class classifier whose
classes are the labels (and "none of them", where some row has none): right when no row has two. ``JointLabels`` hands
the whole 0/1 matrix to a classifier that takes label sets by nature (forests, neighbours, networks).
``resolve_model("auto", ...)`` takes the exclusive model when the rows allow it, else the joint one when the estimator
does (scikit-learn's ``multi_label`` tag) and ``calibrate_each`` is None, else the independent one. Probabilities are
the classifier's own, its margin's sigmoid, or calibrated (``calibrate_each="sigmoid" | "isotonic"``) by scikit-learn's
:class:`CalibratedClassifierCV` with ``ensemble=False``: scores of rows the model has not seen, collected over
stratified folds, fit the calibrator; the model itself is then fitted on all rows. A label with fewer than two
instances of either value cannot be held out and stays uncalibrated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from truepath.adapters.contributions import Contributions, side_by_side
from truepath.adapters.fitting import class_scores, takes_weight, weight_argument
from truepath.adapters.prepare import check_learner, seed_parts, tags_of
from truepath.adapters.rows import count_rows
from truepath.adapters.varying import VaryingLabels
from truepath.graph import Graph
from truepath.held import an_object, classifier, each, holds, integers, size
from truepath.learners.local.exporting import export_classes
from truepath.learners.local.reasons import is_linear, linear_contributions, linear_weights
from truepath.records import Record

if TYPE_CHECKING:
    from typing import Self

#: Folds over which held-out scores are collected
N_FOLDS = 3

METHODS = (None, "sigmoid", "isotonic")


@holds(classes_=integers(1, least=0))
class ConstantScores(Record, home="truepath.learners"):
    """Stands in for a classifier where the training rows show one class only (or there are none)."""

    def __init__(self, value: Any):
        self.classes_ = np.array([value])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probability one for the only class."""
        return np.ones((count_rows(X), 1))


def check_estimator_kind(estimator: Any, calibrate: str | None, has_weight: bool, name: str = "estimator") -> None:
    """Refuse an estimator that cannot score or take the given weights, and an unknown calibration."""
    if calibrate not in METHODS:
        raise ValueError(f"calibrate_each must be None, 'sigmoid' or 'isotonic'; got {calibrate!r}.")
    check_learner(estimator, name)
    if has_weight and not takes_weight(estimator):
        raise ValueError(
            f"sample_weight was given but fit of {name} {type(estimator).__name__} does not take it. "
            "Leave the weights out or choose another estimator."
        )
    if has_weight and calibrate and isinstance(estimator, Pipeline):
        raise ValueError(
            "sample_weight cannot reach the last step of a pipeline inside calibration; leave out the weights or "
            "calibrate_each, or put the pipeline outside: make_pipeline(..., PerNode(...))."
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
        Given to every ``random_state`` of the clone that is left at its default, nested ones included.
    """
    classes, counts = np.unique(y, return_counts=True)
    if classes.size <= 1:
        return ConstantScores(classes[0] if classes.size else 0)
    model = _clone_seeded(estimator, seed)
    if calibrate is not None and counts.min() >= 2:
        folds = StratifiedKFold(min(N_FOLDS, counts.min()), shuffle=True, random_state=0 if seed is None else seed)
        model = CalibratedClassifierCV(model, method=calibrate, cv=folds, ensemble=False)
    return model.fit(X, y, **weight_argument(model, weight))


def _clone_seeded(estimator: Any, seed: int | None) -> Any:
    return clone(estimator) if seed is None else seed_parts(clone(estimator), seed)


class _LabelsAsClasses(Record):
    """Labels that are classes of classifiers: their scores, and what these say where they are linear."""

    def _parts(self) -> list[tuple[Any, int, list[int]]]:
        """Return the classifiers, each with the number of its classes and those of them that are labels, in order."""
        raise NotImplementedError

    def scores(self, X: Any) -> np.ndarray:
        """Return one column of probabilities per label."""
        known = {id(model): class_scores(model, X, n)[:, labels] for model, n, labels in self._parts()}
        return np.column_stack([known[id(model)] for model, *_ in self._parts()])

    @property
    def is_linear(self) -> bool:
        """Whether all scores are functions of linear margins."""
        return all(is_linear(model) for model, *_ in self._parts())

    def export(self, graph: Graph, rows: Any) -> str:
        """Add one column of probabilities per label to an ONNX graph, where all classifiers are linear."""
        parts = [graph.columns(export_classes(graph, model, rows, n), labels) for model, n, labels in self._parts()]
        return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)

    def contributions(self, x: Any) -> Contributions:
        """Return what the columns of one row add to the score of each label."""
        found = side_by_side([linear_contributions(model, x, n).take(labels) for model, n, labels in self._parts()])
        return replace(found, nodes=np.arange(found.nodes.size))

    def weights(self, n_columns: int) -> np.ndarray:
        """Return the weights of columns in each label's margin, (n_columns, n_labels)."""
        parts = [linear_weights(model, n, n_columns)[:, labels] for model, n, labels in self._parts()]
        return np.column_stack(parts)


@holds(models_=each(classifier(2), "n_labels", of=list))
class IndependentLabels(_LabelsAsClasses, home="truepath.learners"):
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

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.models_)

    def _parts(self) -> list[tuple[Any, int, list[int]]]:
        return [(model, 2, [1]) for model in self.models_]


@holds(n_labels_=size("n_labels"), model_=classifier("n_labels+1"))
class ExclusiveLabels(_LabelsAsClasses, home="truepath.learners"):
    """One multi-class classifier for labels of which a row has at most one."""

    def fit(self, estimator: Any, X: Any, targets: np.ndarray, weight: np.ndarray | None, **options: Any) -> Self:
        """Fit a clone to the number of each row's label, the last class standing for none."""
        self.n_labels_ = targets.shape[1]
        classes = np.where(targets.any(axis=1), targets.argmax(axis=1), self.n_labels_)
        self.model_ = fit_classifier(estimator, X, classes, weight, **options)
        return self

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return int(self.n_labels_)

    def _parts(self) -> list[tuple[Any, int, list[int]]]:
        return [(self.model_, self.n_labels_ + 1, list(range(self.n_labels_)))]


@holds(model_=an_object("predict_proba", of=("VaryingLabels",), knows=("n_features",)))
class JointLabels(Record, home="truepath.learners"):
    """One multi-label classifier for all labels that vary; the others are constant."""

    is_linear = False

    def fit(self, estimator: Any, X: Any, targets: np.ndarray, weight: np.ndarray | None, **options: Any) -> Self:
        """Fit a clone to the columns that show both values."""
        self.model_ = VaryingLabels(_clone_seeded(estimator, options.get("seed"))).fit(X, targets, weight)
        return self

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return int(self.model_.constant_.size)

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
    if labels == "joint" and calibrate is not None:
        raise ValueError("calibrate_each is not offered for labels learned jointly; use labels='independent'.")
    return MODELS[labels]


def _takes_label_sets(estimator: Any) -> bool:
    tags = tags_of(estimator)
    classifies = tags is not None and tags.classifier_tags is not None
    return classifies and tags.classifier_tags.multi_label and hasattr(estimator, "predict_proba")
