"""Labels that never vary in training: found, scored as what they always were, and kept away from classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

from truepath.adapters.fitting import fit_learner, raw_scores
from truepath.adapters.prepare import tags_of
from truepath.adapters.rows import count_rows
from truepath.held import a_scorer, holds, integers, maybe, numbers
from truepath.hierarchy.matrices import as_dense
from truepath.public import Documented
from truepath.records import Record


def find_constant_labels(Y: Any) -> NDArray[np.float64]:
    """Return for each label of a 0/1 matrix the value that all rows share; NaN for a label that varies.

    Examples
    --------
    >>> find_constant_labels(np.array([[True, False, True], [True, False, False]])).tolist()
    [1.0, 0.0, nan]
    """
    return constant_scores(np.asarray(Y.sum(axis=0)).ravel(), Y.shape[0])


def constant_scores(n_positive: NDArray[Any], n_rows: Any) -> NDArray[np.float64]:
    """Return the same from the number of rows that have each label."""
    return np.where(n_positive == n_rows, 1.0, np.where(n_positive == 0, 0.0, np.nan))


def set_constant_scores(S: NDArray[Any], constant: NDArray[np.float64]) -> NDArray[Any]:
    """Set, in place, the scores of labels that never varied to what they always were."""
    known = np.flatnonzero(np.isfinite(constant))
    S[:, known] = constant[known]
    return S


def check_n_outputs(estimator: Any, n_labels: int) -> None:
    """Refuse a classifier of label sets that says it has another number of labels, or other values than 0 and 1."""
    found = getattr(estimator, "n_outputs_", n_labels)
    classes = getattr(estimator, "classes_", None) if n_labels > 1 else None
    lists = classes if isinstance(classes, list) else []
    is_odd = any(not np.array_equal(values, [0, 1]) for values in lists)
    if found != n_labels or is_odd or len(lists) not in (0, n_labels):
        raise ValueError("a classifier of label sets has other labels")


@Record.enter("truepath.adapters")
@holds(
    constant_=numbers("n_labels", least=0, most=1, gaps=True),
    varying_=integers("v", least=0, below="n_labels"),
    estimator_=maybe(a_scorer),
)
class VaryingLabels(Documented, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """One multi-label classifier for the labels that vary in training; the others score what they always are.

    Parameters
    ----------
    estimator : multi-label classifier
        Such as scikit-learn's ``MultiOutputClassifier``.

    Attributes
    ----------
    estimator_ : the fitted classifier, or None if no label varies
    varying_ : ndarray of int
        The labels it was fitted on.
    constant_ : ndarray of float, shape (n_nodes,)
        The score, 0 or 1, of a label that does not vary; NaN for the others.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multioutput import MultiOutputClassifier
    >>> from truepath.adapters.varying import VaryingLabels
    >>> model = VaryingLabels(MultiOutputClassifier(LogisticRegression())).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> model.predict_proba([[2.0]])[:, 1].tolist(), model.varying_.tolist()
    ([1.0], [0])
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VaryingLabels:
        """Fit a copy of the classifier to the columns of the 0/1 matrix ``y`` that show both values."""
        Y = as_dense(y).astype(bool)
        self.constant_ = find_constant_labels(Y)
        self.varying_ = np.flatnonzero(np.isnan(self.constant_))
        self.estimator_ = None
        if self.varying_.size:
            copy = clone(self.estimator, safe=False)
            self.estimator_ = fit_learner(copy, X, Y[:, self.varying_], sample_weight)
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return one column of scores per label."""
        S = np.tile(self.constant_, (count_rows(X), 1))
        if self.estimator_ is not None:
            S[:, self.varying_] = raw_scores(self.estimator_, X, self.varying_.size)
        return S

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Return the labels as the classifier decides them."""
        Y = np.tile(self.constant_, (count_rows(X), 1)).astype(bool)
        if self.estimator_ is not None:
            Y[:, self.varying_] = as_dense(self.estimator_.predict(X)).reshape(Y.shape[0], -1).astype(bool)
        return Y

    def check_loaded(self) -> None:
        """Refuse labels from a file that are neither constant nor scored."""
        varying = np.flatnonzero(np.isnan(self.constant_))
        if not np.array_equal(self.varying_, varying) or (varying.size > 0) != (self.estimator_ is not None):
            raise ValueError("the labels that vary are not those without a constant score")
        check_n_outputs(self.estimator_, varying.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        inner = tags_of(self.estimator)
        if inner is not None:
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        return tags
