"""The answers of a boosted learner after each of its rounds, as scikit-learn's ``staged_`` methods give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from truepath import _kernels
from truepath.adapters import encode_labels
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import check_predict_input
from truepath.learners.boosting.rounds import hierarchical_loss

__all__ = ["StagedAnswers", "dense_rows", "signs"]


class StagedAnswers:
    """Mixed into a learner that yields its rounds and turns margins into scores and labels."""

    hierarchy_: Hierarchy

    @property
    def _enforce_at_prediction(self) -> bool:
        """Whether the losses reported are of predictions made consistent."""
        raise NotImplementedError

    def _rounds(self, X: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
        """Yield (alpha_t, h_t) for dense rows."""
        raise NotImplementedError

    def _calibrate(self, margins: np.ndarray) -> np.ndarray:
        """Return coherent marginals."""
        raise NotImplementedError

    def _decide(self, margins: np.ndarray) -> np.ndarray:
        """Return closed labels."""
        raise NotImplementedError

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the margins after each round, consistent or not."""
        X = check_predict_input(self, X, allow_nan=True, dtype=np.float64)
        margins = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        for alpha, votes in self._rounds(dense_rows(X)):
            _kernels.boosting.stump_votes.add_votes(margins, alpha, votes)
            yield margins.copy()

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the coherent marginals after each round."""
        for margins in self.staged_decision_function(X):
            yield self._calibrate(margins)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the labels after each round."""
        for margins in self.staged_decision_function(X):
            yield self._decide(margins)

    def staged_score(self, X: Any, y: Any) -> Iterator[float]:
        """Yield, after each round, the share of rows whose label set is predicted exactly."""
        truth = as_dense(encode_labels(y, self.hierarchy_))
        for found in self.staged_predict(X):
            yield float((found == truth).all(axis=1).mean())

    def staged_loss(self, X: Any, y: Any) -> Iterator[float]:
        """Yield, after each round, the hierarchy-aware Hamming loss of the labels of positive margin."""
        y = signs(encode_labels(y, self.hierarchy_))
        for margins in self.staged_decision_function(X):
            yield hierarchical_loss(margins, y, self.hierarchy_, self._enforce_at_prediction)


def signs(Y: Any) -> np.ndarray:
    """Return labels as +1 and -1."""
    return np.where(as_dense(Y), 1, -1).astype(np.int8)


def dense_rows(X: Any) -> np.ndarray:
    """Return rows as the kernels take them: dense and contiguous."""
    return np.ascontiguousarray(as_dense(X))
