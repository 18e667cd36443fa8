"""top_features: the words or columns that matter most to each label, over all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from truepath.errors import TruePathError
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.reasons.contributions import names_after
from truepath.learners.trees.base import PCTBase

__all__ = ["top_features"]


def top_features(model: Any, n: int = 10, *, by: str = "label") -> dict[str, list[tuple[str, float]]]:
    """Return the n features that speak most for each label, or matter most to each level.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, pipeline or learner
        Whose learner is a :class:`SparseLinear`, :class:`PCTree` or :class:`PCTForest`, or blends some of these: then
        the first is read.
    n : int, default=10
    by : {"label", "level"}, default="label"
        Whether for each label, or for the labels of each level together.

    Returns
    -------
    found : dict of str to list of (str, float)
        By label, features with their weights (linear models: the largest above 0) or their shares in what splits
        explain of the label (trees), the largest first. By level ("level 1" is the top), the mean absolute weight
        over its labels, or the share in what splits explain of them.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> from truepath.learners import top_features
    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> top_features(HierarchicalClassifier(decoder="best-path").fit(texts, labels), 1)["animal/cat"][0][0]
    'cat'
    """
    if by not in ("label", "level"):
        raise ValueError(f"by must be 'label' or 'level'; got {by!r}.")
    learner, names = getattr(model, "learner_", model), None
    columns = model.fitted_on_.columns if hasattr(model, "fitted_on_") else ()
    while isinstance(learner, Pipeline):
        if len(learner.steps) > 1:
            names = names_after(learner[:-1], columns)
        learner = learner.steps[-1][1]
    learner = _readable(learner)
    if isinstance(learner, SparseLinear):
        weights = sparse.csc_array(learner.coef_ if by == "label" else _mean_by_level(learner))
    elif isinstance(learner, PCTBase):
        weights = sparse.csc_array(learner.importances(by="class" if by == "label" else "level"))
    else:
        raise TruePathError(
            f"{type(learner).__name__} has no weights or importances for each label.",
            "truepath.learners.contributions explains a row by any learner.",
        )
    names = getattr(learner, "feature_names_in_", None) if names is None else names
    called = [f"x{j}" for j in range(weights.shape[0])] if names is None else list(map(str, names))
    labels = learner.hierarchy_.names.tolist()
    labels = labels if by == "label" else [f"level {d}" for d in range(1, learner.hierarchy_.height + 1)]
    return {name: _largest(weights, v, called, n) for v, name in enumerate(labels)}


def _readable(learner: Any) -> Any:
    """Return the first member of a blend that has weights or importances; any other learner as it is."""
    members = getattr(getattr(learner, "stack_", learner), "learners_", None) or [learner]
    return next((member for member in members if isinstance(member, (SparseLinear, PCTBase))), learner)


def _largest(weights: sparse.csc_array, v: int, names: list[str], n: int) -> list[tuple[str, float]]:
    """Return the n largest positive entries of a column."""
    entries = slice(weights.indptr[v], weights.indptr[v + 1])
    features, values = weights.indices[entries], weights.data[entries]
    order = np.lexsort((features, -values))[:n]
    return [(names[features[k]], float(values[k])) for k in order if values[k] > 0]


def _mean_by_level(learner: SparseLinear) -> sparse.csc_array:
    """Return the mean absolute weight of each feature over the labels of each level."""
    depth = learner.hierarchy_.depth
    share = 1.0 / np.bincount(depth - 1)[depth - 1]
    groups = sparse.csc_array((share, (np.arange(depth.size), depth - 1)))
    return sparse.csc_array(abs(learner.coef_).astype(np.float64) @ groups)
