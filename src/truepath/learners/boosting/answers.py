"""The answers of a boosted learner: margins, scores and labels, after all of its rounds or after each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from truepath import _kernels
from truepath.adapters import encode_labels
from truepath.decoders import BestPath
from truepath.hierarchy import cap_down
from truepath.hierarchy.matrices import as_dense, row_blocks
from truepath.learners.base import HierarchicalLearner, check_predict_input
from truepath.learners.boosting.rounds import hierarchical_loss


class BoostedLearner(HierarchicalLearner):
    """A learner whose fitted rounds vote; scikit-learn's ``staged_`` methods answer after each of them."""

    constraint = "predict"  # where the hierarchy is enforced; HAdaBoostMH makes it a parameter
    alphas_: np.ndarray
    hypotheses_: list[Any]
    single_path_: bool | str
    _always: np.ndarray  # labels that all training rows have
    _never: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margins sum over t of alpha_t h_t(x, v), eq. (12) before the sign, shape (n_samples, n_nodes)."""
        return self._sum_votes(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals, sigmoid(2 margin) capped by the parents', shape (n_samples, n_nodes)."""
        return self._calibrate(self._sum_votes(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return closed labels, shape (n_samples, n_nodes): the best path, or every label of positive margin.

        See ``single_path``. A label counts only if all its ancestors do.
        """
        return self._decide(self._sum_votes(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the margins after each round, consistent or not."""
        X = check_predict_input(self, X, allow_nan=True, dtype=np.float64)
        margins = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        for alpha, votes in self._rounds(X):
            _kernels.boosting.stump_votes.add_votes(margins, alpha, votes)
            yield margins.copy()

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the coherent marginals after each round."""
        yield from map(self._calibrate, self.staged_decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yield the labels after each round."""
        yield from map(self._decide, self.staged_decision_function(X))

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

    @property
    def _clip_in_training(self) -> bool:
        return self.constraint != "predict"

    @property
    def _enforce_at_prediction(self) -> bool:
        return self.constraint != "train"

    def _rounds(self, X: Any) -> Iterator[tuple[float, np.ndarray]]:
        """Yield (alpha_t, h_t) for rows, clipped as in training."""
        X = dense_rows(X)
        for alpha, hypothesis in zip(self.alphas_, self.hypotheses_):
            votes = hypothesis.votes(X)
            if self._clip_in_training:
                cap_down(votes, self.hierarchy_, threshold=0.0, out=votes)  # eq. (7)
            yield alpha, votes

    def _sum_votes(self, X: Any) -> np.ndarray:
        """Return the margins of eq. (12), a block of rows at a time."""
        X = check_predict_input(self, X, allow_nan=True, dtype=np.float64)
        margins = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        for rows in row_blocks(X.shape[0], max(X.shape[1], self.hierarchy_.n_nodes)):
            for alpha, votes in self._rounds(X[rows]):
                _kernels.boosting.stump_votes.add_votes(margins[rows], alpha, votes)
        return margins

    def _calibrate(self, margins: np.ndarray) -> np.ndarray:
        S = expit(2 * margins)
        S[:, self._always], S[:, self._never] = 1.0, 0.0
        return cap_down(S, self.hierarchy_)

    def _decide(self, margins: np.ndarray) -> np.ndarray:
        if self.single_path_:
            return BestPath(hierarchy=self.hierarchy_, by="mean").fit(margins).predict(margins)
        return cap_down(margins, self.hierarchy_) > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def signs(Y: Any) -> np.ndarray:
    """Return labels as +1 and -1."""
    return np.where(as_dense(Y), 1, -1).astype(np.int8)


def dense_rows(X: Any) -> np.ndarray:
    """Return rows as the kernels take them: dense and contiguous."""
    return np.ascontiguousarray(as_dense(X))
