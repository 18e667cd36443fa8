"""GlobalNaiveBayes (Silla & Freitas 2009): one naive Bayes model over all nodes of the hierarchy at once.

A training row of class v counts for v and for every ancestor of v, both in the priors P(v) and in the likelihoods
P(x_k | v). All nodes, inner ones too, then compete for an instance: the node with the largest P(v) prod P(x_k | v) is
predicted, with its ancestors.

References
----------
C. N. Silla Jr, A. A. Freitas. A global-model naive Bayes approach to the hierarchical prediction of protein functions.
IEEE International Conference on Data Mining, 2009.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.categories import resolve_categorical
from truepath.held import an_object, each, flag, flags, holds, numbers
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input, leave_out_weightless
from truepath.learners.bayes.naive_bayes_features import CategoricalFeatures, GaussianFeatures
from truepath.learners.single_path import is_single_path
from truepath.parameters import check_choice, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(
    is_exclusive_=flag,
    _always=flags("n_nodes"),
    _never=flags("n_nodes"),
    log_prior_=numbers("n_nodes", least=-np.inf),
    _features=each(an_object("add"), of=list),
)
class GlobalNaiveBayes(HierarchicalLearner):
    """Global-model naive Bayes for Gaussian and categorical features.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    categorical_features : "all", column numbers, column names or bool mask, optional
        The columns that hold categories (as numbers); the others are Gaussian. None: all are Gaussian.
    labels : {"auto", "exclusive", "independent"}, default="auto"
        "exclusive" lets all nodes compete, as in the paper: a row has one most specific label. "independent" sets
        every label against the rows without it, for rows with several. "auto" looks at the training rows.
    smoothing : float, default=1.0
        Added to the counts of categories.
    var_smoothing : float, default=1e-9
        Added to all variances, as a share of the largest variance of a feature.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    is_exclusive_ : bool
    log_prior_ : ndarray, shape (n_nodes,)

    Notes
    -----
    Exclusive scores: the posteriors of all nodes are normalised to add up to 1, and a node's score is the sum over the
    node and its descendants, so scores are coherent on trees and DAGs. This is the paper's plain model; its variant
    that weighs nodes by their usefulness is left out. Missing values are left out, in training and prediction; so are
    categories not seen in training. Labels that all or no training rows have get the scores 1 and 0. Sparse X is made
    dense: a zero is a value like any other here. O(n_samples * n_nodes * n_features) to predict.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.1, 1.0], [1.0, 0.1], [1.1, 1.0], [0.1, 0.1], [0.0, 1.1], [1.1, 0.0], [1.0, 1.1]]
    >>> learner = GlobalNaiveBayes().fit(X, ["a/1", "a/2", "b/1", "b/2"] * 2)
    >>> learner.hierarchy_.decode(learner.predict([[0.05, 1.05], [1.05, 0.05]]))
    [('a/2',), ('b/1',)]
    """

    name = "global-naive-bayes"
    summary = "one naive Bayes model over all nodes at once"
    learns_from = "rows and their labels"
    takes_missing = True

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        categorical_features: Any = None,
        labels: str = "auto",
        smoothing: float = 1.0,
        var_smoothing: float = 1e-9,
    ):
        self.hierarchy = hierarchy
        self.categorical_features = categorical_features
        self.labels = labels
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn priors and likelihoods by counting.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : closed 0/1 matrix (n_samples, n_nodes), dense or sparse, or label names or paths
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, allow_nan=True, dtype=np.float64)
        X, Y = np.ascontiguousarray(as_dense(X)), as_dense(Y)
        X, Y, weight = leave_out_weightless(X, Y, weight)
        weight = np.ones(len(X)) if weight is None else weight
        self.is_exclusive_ = self.labels == "exclusive" or (self.labels == "auto" and is_single_path(Y, hierarchy))
        self._always, self._never = Y.all(axis=0), ~Y.any(axis=0)
        self.log_prior_, self._features = self._count(X, Y, weight)  # counts climb: Y is closed
        if not self.is_exclusive_:
            self._log_prior_rest, self._features_rest = self._count(X, ~Y, weight)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals, shape (n_samples, n_nodes)."""
        X = self._rows(X)
        joint = _log_joint(X, self.log_prior_, self._features)
        if self.is_exclusive_:
            P = np.zeros(joint.shape)
            if not self._never.all():  # a node without rows cannot win
                P[:, ~self._never] = softmax(joint[:, ~self._never], axis=1)
            S = self._sum_below(P)
        else:
            rest = _log_joint(X, self._log_prior_rest, self._features_rest)
            S = np.zeros(joint.shape)
            sure = self._always | self._never
            S[:, ~sure] = expit(joint[:, ~sure] - rest[:, ~sure])
        S[:, self._always], S[:, self._never] = 1.0, 0.0
        return cap_down(S, self.hierarchy_)

    def predict(self, X: Any) -> np.ndarray:
        """Return closed labels: the node of the largest posterior and its ancestors, or all labels above one half."""
        check_is_fitted(self, "hierarchy_")
        if not self.is_exclusive_:
            return super().predict(X)
        joint = _log_joint(self._rows(X), self.log_prior_, self._features)
        Y = np.zeros(joint.shape, bool)
        Y[np.arange(len(Y)), joint.argmax(axis=1)] = True
        return self.hierarchy_.close(Y)

    def check_loaded(self) -> None:
        """Refuse priors and shares from a file that are lacking."""
        if not np.isfinite(self.log_prior_[~self._never]).all():
            raise ValueError("a label with rows has no prior")
        if not self.is_exclusive_:
            held, sizes = vars(self), {"n_nodes": self.hierarchy_.n_nodes, "n_features": self.n_features_in_}
            numbers("n_nodes", least=-np.inf)(held.get("_log_prior_rest"), sizes)
            each(an_object("add"), of=list)(held.get("_features_rest"), sizes)
            if not np.isfinite(self._log_prior_rest[~self._always]).all():
                raise ValueError("a label that some rows lack has no prior of these")

    def _rows(self, X: Any) -> np.ndarray:
        """Return rows to predict as the kernels take them: dense and contiguous."""
        return np.ascontiguousarray(as_dense(check_predict_input(self, X, allow_nan=True, dtype=np.float64)))

    def _sum_below(self, P: np.ndarray) -> np.ndarray:
        """Return for each node the sum over it and its descendants."""
        at_or_below = sparse.csr_array(self.hierarchy_.ancestor_matrix(), dtype=np.float64)
        return np.minimum(np.ascontiguousarray((at_or_below.T @ P.T).T), 1.0)

    def _count(self, X: np.ndarray, members: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, list[Any]]:
        """Return log-priors and fitted features of the rows that belong to each node."""
        with np.errstate(divide="ignore"):  # no rows: the prior is 0
            log_prior = np.log(weight @ members / weight.sum())
        return log_prior, [kind.fit(X, weight, members) for kind in self._kinds(X.shape[1])]

    def _kinds(self, n_features: int) -> list[Any]:
        names = getattr(self, "feature_names_in_", None)
        is_categorical = resolve_categorical(self.categorical_features, n_features, names)
        kinds: list[Any] = [
            GaussianFeatures(np.flatnonzero(~is_categorical), self.var_smoothing),
            CategoricalFeatures(np.flatnonzero(is_categorical), self.smoothing),
        ]
        return [kind for kind in kinds if kind.columns.size]

    def _check_parameters(self) -> None:
        check_choice(self, "labels", ("auto", "exclusive", "independent"))
        check_number(self, "smoothing", Real, 0, above=True)
        check_number(self, "var_smoothing", Real, 0, above=True)


def _log_joint(X: np.ndarray, log_prior: np.ndarray, features: list[Any]) -> np.ndarray:
    """Return log P(v) + sum of log P(x_k | v), shape (n_samples, n_nodes)."""
    S = np.tile(log_prior, (len(X), 1))
    for kind in features:
        kind.add(X, S)
    return S
