"""Labels that never vary in training, kept away from classifiers that need two values of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

from truepath.adapters.fitting import fit_learner, raw_scores
from truepath.adapters.inputs import count_rows
from truepath.adapters.prepare import tags_of
from truepath.hierarchy.matrices import as_dense
from truepath.public import Documented
from truepath.records import Record

__all__ = ["VaryingLabels"]


@Record.enter("truepath.adapters")
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
        The score, 0 or 1, of a label that does not vary.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multioutput import MultiOutputClassifier
    >>> from truepath.adapters import VaryingLabels
    >>> model = VaryingLabels(MultiOutputClassifier(LogisticRegression())).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> model.predict_proba([[2.0]])[:, 1].tolist(), model.varying_.tolist()
    ([1.0], [0])
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VaryingLabels:
        """Fit a copy of the classifier to the columns of the 0/1 matrix ``y`` that show both values."""
        Y = as_dense(y).astype(bool)
        self.constant_ = Y.all(axis=0).astype(float)
        self.varying_ = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        inner = tags_of(self.estimator)
        if inner is not None:
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        return tags
