"""contributions: what each feature of one row adds to the scores of some labels, for any fitted learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline

from truepath.adapters import node_scores
from truepath.hierarchy.matrices import as_dense
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.reasons.trees import explain_by_path, explain_by_shapley
from truepath.learners.trees.base import PCTBase

__all__ = ["Contributions", "contributions", "last_step", "names_after"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contributions:
    """What the features of one row add to the scores of some labels.

    Attributes
    ----------
    nodes : ndarray of int
        The labels.
    values : ndarray of float, shape (n_features, n_labels)
    base : ndarray of float, shape (n_labels,)
        What the values start from: base plus the sum of the values is ``output``, except for "leave-one-out".
    output : ndarray of float, shape (n_labels,)
        The score, or for "linear" the margin: the score before the sigmoid, given the label's parents where it was
        trained on their rows.
    features : ndarray of str, shape (n_features,)
        Words, columns, or columns with a value.
    method : {"linear", "shapley", "path", "leave-one-out"}
        How they were found. "leave-one-out" is the change of the score when one feature is taken away.
    """

    nodes: NDArray[np.int64]
    values: Floats
    base: Floats
    output: Floats
    features: NDArray[np.object_]
    method: str

    def of(self, node: int, n: int = 5) -> list[tuple[str, float]]:
        """Return the n features that matter most to a label, the largest first, without those that add nothing."""
        values = self.values[:, int(np.flatnonzero(self.nodes == node)[0])]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        return [(str(self.features[j]), float(values[j])) for j in order if values[j] != 0]


def contributions(
    learner: Any, x: Any, nodes: ArrayLike, *, method: str = "auto", columns: Sequence[str] = ()
) -> Contributions:
    """Return what each feature of one row adds to the scores of some labels.

    Parameters
    ----------
    learner : fitted learner, or pipeline that ends in one
        Features are those that reach the learner itself: behind :class:`~truepath.preprocessing.AutoFeatures` they are
        called by the words and columns that they were made of.
    x : one row, as ``predict_proba`` takes it
    nodes : sequence of int
        The labels.
    method : {"auto", "shapley", "path", "leave-one-out"}, default="auto"
        "auto" is exact: the products of weights and values for :class:`SparseLinear`, Shapley values for
        :class:`PCTree` and :class:`PCTForest`; "path" follows the row's way through their trees instead. Any other
        learner is asked again with one feature after the other taken away.
    columns : sequence of str, optional
        What the columns of X are called, if X is an array.

    Returns
    -------
    found : Contributions

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.learners import PCTree, contributions
    >>> h = Hierarchy.from_paths(["a", "b"])
    >>> tree = PCTree(hierarchy=h, min_leaf_weight=1).fit([[0.0, 5.0], [1.0, 5.0]], h.encode([["a"], ["b"]]))
    >>> found = contributions(tree, [[1.0, 5.0]], [0, 1])
    >>> found.of(1), float(found.base[1])
    ([('x0', 0.5)], 0.5)
    """
    if method not in ("auto", "shapley", "path", "leave-one-out"):
        raise ValueError(f"method must be 'auto', 'shapley', 'path' or 'leave-one-out'; got {method!r}.")
    learner, x, features = last_step(learner, x, columns)
    wanted = np.asarray(nodes, np.int64)
    if isinstance(learner, PCTBase) and method != "leave-one-out":
        explain = explain_by_path if method == "path" else explain_by_shapley
        values, base = explain(learner, x, wanted)
        return Contributions(wanted, values, base, base + values.sum(axis=0), features, explain.__name__[11:])
    if isinstance(learner, SparseLinear) and method == "auto":
        weights = sparse.csc_array(learner.coef_)[:, wanted].toarray().astype(np.float64)
        values, base = as_dense(x)[0][:, None] * weights, learner.intercept_[wanted].astype(np.float64)
        return Contributions(wanted, values, base, base + values.sum(axis=0), features, "linear")
    if method in ("shapley", "path"):
        raise ValueError(f"method={method!r} is for predictive clustering trees and forests of them.")
    return _leave_out(learner, x, wanted, features)


def last_step(learner: Any, x: Any, columns: Sequence[str] = ()) -> tuple[Any, Any, NDArray[np.object_]]:
    """Return the learner at the end of pipelines, the row that reaches it, and what its features are called."""
    names: Any = None
    while isinstance(learner, Pipeline):
        if len(learner.steps) > 1:
            names = names_after(learner[:-1], columns)
            x = learner[:-1].transform(x)
        learner = learner.steps[-1][1]
    names = getattr(learner, "feature_names_in_", None) if names is None else names
    x = x if sparse.issparse(x) else np.asarray(x)
    if names is None or len(names) != x.shape[1]:
        names = [f"x{j}" for j in range(x.shape[1])]
    return learner, x, np.asarray(names, dtype=object)


def names_after(steps: Pipeline, columns: Sequence[str] = ()) -> Any:
    """Return the names of what some steps make of columns, or None; a data frame's own names come first."""
    if not hasattr(steps[-1], "get_feature_names_out"):
        return None
    has_names = hasattr(steps[0], "feature_names_in_") or len(columns) != getattr(steps[0], "n_features_in_", -1)
    return steps.get_feature_names_out(None if has_names else np.asarray(columns, dtype=object))


def _leave_out(learner: Any, x: Any, nodes: NDArray[np.int64], features: NDArray[np.object_]) -> Contributions:
    """Return how much scores fall when a feature is taken away: set to 0 in sparse rows, else to missing, or to 0."""
    row = as_dense(x).astype(np.float64)
    present = np.flatnonzero(row[0] != 0)
    without = np.repeat(row, present.size + 1, axis=0)
    tags = getattr(learner, "__sklearn_tags__", None)
    gone = np.nan if not sparse.issparse(x) and tags is not None and tags().input_tags.allow_nan else 0.0
    without[np.arange(present.size), present] = gone
    S = node_scores(learner, sparse.csr_array(without) if sparse.issparse(x) else without)[:, nodes].astype(np.float64)
    values = np.zeros((row.shape[1], nodes.size))
    values[present] = S[-1] - S[:-1]
    return Contributions(nodes, values, S[-1] - values.sum(axis=0), S[-1], features, "leave-one-out")
