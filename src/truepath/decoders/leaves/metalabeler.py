"""MetaLabeler: learn from X, or from scores, how many labels a row has.

The number of labels is a class like any other: a multinomial model is trained on (meta-features, number of
labels) and its most probable number says how many of the best leaves to keep. The meta-features may be the
features themselves or a learner's scores; whatever matrix is given is used as it is.

References
----------
L. Tang, S. Rajan and V. K. Narayanan, "Large scale multi-label classification via MetaLabeler", WWW 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from truepath.adapters.fitting import weight_argument
from truepath.held import a_hierarchy, classifier, holds, integers, maybe, size, unfitted
from truepath.hierarchy import Hierarchy, check_labels, resolve_hierarchy
from truepath.hierarchy.checks import check_weight
from truepath.hierarchy.matrices import by_name
from truepath.hierarchy.propagation import drop_ancestors
from truepath.public import Documented


def count_path_ends(Y: Any, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return how many most specific labels each row of a closed matrix has: its leaves, if all paths are full.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> count_path_ends(h.encode([["a/1", "a/2"], ["a", "b"], []]), h).tolist()
    [2, 2, 0]
    """
    return np.diff(drop_ancestors(sparse.csr_array(Y), hierarchy).indptr).astype(np.int64)


@holds(
    hierarchy=maybe(a_hierarchy),
    n_features_in_=size("n_features"),
    counts_=integers(None, least=0),
    estimator=maybe(unfitted),
    estimator_=maybe(classifier(None)),
)
class MetaLabeler(Documented, MetaEstimatorMixin, BaseEstimator):
    """Predict the number of leaves of each row from features or scores.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Its classes are the numbers. Multinomial logistic regression by default.
    hierarchy : Hierarchy, optional
        Needed when ``fit`` is given labels; None means a flat label set.

    Attributes
    ----------
    estimator_ : classifier, or None
        None if all training rows have the same number.
    counts_ : ndarray of int
        The numbers seen, ascending.

    See Also
    --------
    MAS, TopLeaves : take a MetaLabeler, or ``"metalabeler"``, as ``k``.

    Notes
    -----
    A row's number is that of its most specific labels, which are its leaves when no path stops early, and between
    1 and the number of leaves of the hierarchy. Sample weights are refused if the
    estimator's ``fit`` does not take them.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["a/1", "b"], ["a/2", "b"]])
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> MetaLabeler(hierarchy=h).fit(X, Y).predict([[0.2], [4.0]]).tolist()
    [1, 2]
    """

    def __init__(self, estimator: Any = None, *, hierarchy: Hierarchy | None = None):
        self.estimator = estimator
        self.hierarchy = hierarchy

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MetaLabeler:
        """Learn the numbers of leaves.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            Features, or scores.
        y : label matrix (n_samples, n_nodes), or array of int (n_samples,)
            Closed labels, counted here, or the numbers themselves.
        sample_weight : array-like, shape (n_samples,), optional
            Needs an estimator whose ``fit`` takes it; of a pipeline, the last step's.
        """
        X = self._check(X, reset=True)
        counts = self._count(y)
        if counts.size != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows but y has {counts.size}; they must describe the same instances.")
        weighted = weight_argument(self._estimator(), check_weight(sample_weight, X.shape[0]))
        self.counts_ = np.unique(counts)
        self.estimator_ = None
        if self.counts_.size > 1:  # a single class needs no model, and most estimators refuse it
            self.estimator_ = clone(self._estimator()).fit(X, counts, **weighted)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the number of leaves of each row."""
        check_is_fitted(self, "counts_")
        X = self._check(X, reset=False)
        if self.estimator_ is None:
            return np.full(X.shape[0], self.counts_[0], np.int64)
        return np.asarray(self.estimator_.predict(X), np.int64)

    def _estimator(self) -> Any:
        return LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator

    def _check(self, X: Any, reset: bool) -> Any:
        """Return a matrix of numbers; NaN only where the estimator takes it."""
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        return validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=finite)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._estimator())
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.input_tags.sparse, inner.input_tags.allow_nan
        tags.target_tags.required = True
        return tags

    def _count(self, Y: Any) -> NDArray[np.int64]:
        """Return the numbers given, or counted from labels, at least 1."""
        if Y is None:
            raise ValueError("requires y to be passed, but the target y is None: the labels, or their numbers.")
        Y = by_name(Y, self.hierarchy, "y")
        Y = Y if sparse.issparse(Y) else np.asarray(Y)
        if Y.ndim == 1:
            if Y.size == 0 or Y.dtype.kind not in "iuf" or not ((Y >= 0) & (Y == np.floor(Y))).all():
                raise ValueError("y must be a label matrix, or one whole number >= 0 for each row (at least one row).")
            return np.maximum(Y, 1).astype(np.int64)
        hierarchy = resolve_hierarchy(self.hierarchy, Y.shape[1])
        counts = count_path_ends(check_labels(Y, hierarchy), hierarchy)
        return np.clip(counts, 1, hierarchy.leaves.size)
