"""The learner for users who did not choose one: linear for words, a forest for tables."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from truepath.learners import BinaryRelevance, PCTForest
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.columns import is_frame

__all__ = ["default_learner", "forest_learner", "linear_learner"]

#: Inverse strength of the penalty on words weighted by TF-IDF
C_OF_WORDS = 10.0


def default_learner(X: Any, random_state: Any = None) -> Pipeline:
    """Return the unfitted learner that suits X: words get a linear model, all else a forest."""
    is_text = not hasattr(X, "shape") and len(X) > 0 and isinstance(next(iter(X)), str)
    is_text = is_text or (hasattr(X, "ndim") and X.ndim == 1 and not is_frame(X))
    return linear_learner() if is_text or sparse.issparse(X) else forest_learner(random_state)


def linear_learner() -> Pipeline:
    """Return logistic regression for every label on TF-IDF weights, scores made coherent."""
    model = BinaryRelevance(LogisticRegression(C=C_OF_WORDS, max_iter=300))
    return Pipeline([("features", AutoFeatures(scale=True)), ("learner", model)])


def forest_learner(random_state: Any = None) -> Pipeline:
    """Return 100 extra-randomised predictive clustering trees, missing values and all."""
    forest = PCTForest(
        n_estimators=100,
        splitter="random",
        bootstrap=False,
        max_features=1 / 3,
        min_leaf_weight=2,
        random_state=random_state,
    )
    return Pipeline([("features", AutoFeatures(impute=False)), ("learner", forest)])
