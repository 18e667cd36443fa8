"""top_features: the words or columns that matter most to each label, over all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from truepath.errors import TruePathError
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.trees.base import PCTBase

__all__ = ["top_features"]


def top_features(model: Any, n: int = 10) -> dict[str, list[tuple[str, float]]]:
    """Return the n features that speak most for each label.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, pipeline or learner
        Whose learner is a :class:`SparseLinear`, :class:`PCTree` or :class:`PCTForest`.
    n : int, default=10

    Returns
    -------
    found : dict of str to list of (str, float)
        By label, features with their weights (linear models: the largest above 0) or their shares in what splits
        explain of the label (trees), the largest first.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> from truepath.learners import top_features
    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> top_features(HierarchicalClassifier(decoder="best-path").fit(texts, labels), 1)["animal/cat"][0][0]
    'cat'
    """
    learner, names = getattr(model, "learner_", model), None
    while isinstance(learner, Pipeline):
        if len(learner.steps) > 1 and hasattr(learner[-2], "get_feature_names_out"):
            names = learner[:-1].get_feature_names_out()
        learner = learner.steps[-1][1]
    if isinstance(learner, SparseLinear):
        weights = sparse.csc_array(learner.coef_)
    elif isinstance(learner, PCTBase):
        weights = sparse.csc_array(learner.importances(by="class"))
    else:
        raise TruePathError(
            f"{type(learner).__name__} has no weights or importances for each label.",
            "truepath.learners.contributions explains a row by any learner.",
        )
    names = getattr(learner, "feature_names_in_", None) if names is None else names
    called = [f"x{j}" for j in range(weights.shape[0])] if names is None else list(map(str, names))
    labels = learner.hierarchy_.names.tolist()
    return {name: _largest(weights, v, called, n) for v, name in enumerate(labels)}


def _largest(weights: sparse.csc_array, v: int, names: list[str], n: int) -> list[tuple[str, float]]:
    """Return the n largest positive entries of a column."""
    entries = slice(weights.indptr[v], weights.indptr[v + 1])
    features, values = weights.indices[entries], weights.data[entries]
    order = np.lexsort((features, -values))[:n]
    return [(names[features[k]], float(values[k])) for k in order if values[k] > 0]
