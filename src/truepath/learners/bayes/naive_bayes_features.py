"""The two kinds of features of naive Bayes: Gaussian and categorical. Each learns from any grouping of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truepath import _kernels
from truepath.adapters.categories import find_places
from truepath.held import each, holds, integers, numbers
from truepath.records import Record

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(
    columns=integers("k", least=0, below="n_features"),
    center_=numbers("n_features"),
    mean_=numbers("n_nodes", "k"),
    precision_=numbers("n_nodes", "k"),
    constant_=numbers("n_nodes", "k"),
)
class GaussianFeatures(Record, home="truepath.learners"):
    """Mean and variance of every feature in every node; missing values are left out.

    Parameters
    ----------
    columns : ndarray of int
    smoothing : float
        Added to all variances, as a share of the largest variance of a feature.
    """

    def __init__(self, columns: np.ndarray, smoothing: float):
        self.columns, self.smoothing = columns, smoothing

    def fit(self, X: np.ndarray, weights: np.ndarray, members: np.ndarray) -> Self:
        """Learn from the rows that belong to each node: `members` is (n_samples, n_nodes)."""
        shape = (members.shape[1], self.columns.size)
        everyone = np.ones((len(X), 1), bool)
        count, total, squares = self._sums(X, weights, everyone, np.zeros(X.shape[1]))
        self.center_ = np.zeros(X.shape[1])  # sums of squares about the mean: no cancellation
        self.center_[self.columns] = np.divide(total[0], count[0], out=np.zeros(shape[1]), where=count[0] > 0)
        count, total, squares = self._sums(X, weights, everyone, self.center_)
        spread = np.divide(squares[0], count[0], out=np.zeros(shape[1]), where=count[0] > 0)
        least = self.smoothing * spread.max(initial=0.0)
        count, total, squares = self._sums(X, weights, members, self.center_)
        self.mean_ = np.divide(total, count, out=np.zeros(shape), where=count > 0)
        variance = np.divide(squares, count, out=np.ones(shape), where=count > 0) - self.mean_**2
        variance = np.maximum(variance, 0.0) + (least if least > 0 else 1.0)  # all features constant: any will do
        self.precision_ = 1 / variance
        self.constant_ = 0.5 * np.log(self.precision_ / (2 * np.pi))
        return self

    def _sums(self, X: np.ndarray, weights: np.ndarray, members: np.ndarray, center: np.ndarray) -> np.ndarray:
        sums = np.zeros((3, members.shape[1], self.columns.size))
        _kernels.bayes.naive_bayes.sum_gaussian(X - center, self.columns, weights, members, *sums)
        return sums

    def add(self, X: np.ndarray, S: np.ndarray) -> None:
        """Add the log-likelihoods to S, (n_samples, n_nodes)."""
        table = (self.mean_, self.precision_, self.constant_)
        _kernels.bayes.naive_bayes.add_gaussian(X - self.center_, self.columns, *table, S)


@holds(
    columns=integers("k", least=0, below="n_features"),
    categories_=each(numbers(None), "k", of=list),
    offsets_=integers("k+1", least=0),
    log_share_=numbers("c", "n_nodes"),
)
class CategoricalFeatures(Record, home="truepath.learners"):
    """Shares of every category in every node, smoothed; missing values and unseen categories are left out.

    Parameters
    ----------
    columns : ndarray of int
    smoothing : float
        Added to every count (Laplace: 1).
    """

    def __init__(self, columns: np.ndarray, smoothing: float):
        self.columns, self.smoothing = columns, smoothing

    def fit(self, X: np.ndarray, weights: np.ndarray, members: np.ndarray) -> Self:
        """Learn from the rows that belong to each node."""
        self.categories_ = [np.unique(X[~np.isnan(X[:, f]), f]) for f in self.columns]
        sizes = np.array([known.size for known in self.categories_], np.int64)
        self.offsets_ = np.concatenate([[0], np.cumsum(sizes)])
        counts = np.zeros((self.offsets_[-1], members.shape[1]))
        _kernels.bayes.naive_bayes.count_categories(self._encode(X), weights, members, self.offsets_, counts)
        per_feature = np.repeat(np.arange(sizes.size), sizes)
        totals = np.zeros((sizes.size, members.shape[1]))
        np.add.at(totals, per_feature, counts)
        self.log_share_ = (
            np.log(counts + self.smoothing) - np.log(totals + self.smoothing * sizes[:, None])[per_feature]
        )
        return self

    def check_loaded(self) -> None:
        """Refuse tables from a file that are not those of the categories."""
        ends = np.cumsum([0, *(known.size for known in self.categories_)])
        is_sorted = all((np.diff(known) > 0).all() for known in self.categories_)
        if not np.array_equal(self.offsets_, ends) or len(self.log_share_) != ends[-1] or not is_sorted:
            raise ValueError("the shares of categories do not fit the categories")

    def _encode(self, X: np.ndarray) -> np.ndarray:
        """Return each value's place among the known categories, or -1."""
        codes = np.empty((len(X), self.columns.size), np.int64)
        for k, (f, known) in enumerate(zip(self.columns, self.categories_)):
            codes[:, k] = find_places(known, X[:, f])
        return codes

    def add(self, X: np.ndarray, S: np.ndarray) -> None:
        """Add the log-likelihoods to S, (n_samples, n_nodes)."""
        _kernels.bayes.naive_bayes.add_categories(self._encode(X), self.offsets_, self.log_share_, S)
