"""Reasons for scores: what features add in one row, which matter to each label, and which rows are like a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.capabilities import Reached, ask, reach
from truepath.adapters.contributions import Contributions, ask_contributions
from truepath.adapters.likeness import ask_likeness
from truepath.adapters.prepare import find_hierarchy
from truepath.hierarchy import Hierarchy
from truepath.parameters import COUNT, check_in


def contributions(
    learner: Any, x: Any, nodes: ArrayLike, *, method: str = "auto", columns: Sequence[str] = (), baseline: Any = None
) -> Contributions:
    """Return what each feature of one row adds to the scores of some labels.

    Parameters
    ----------
    learner : fitted learner, pipeline that ends in one, or HierarchicalClassifier
        Features are those that reach the learner itself: behind :class:`~truepath.preprocessing.AutoFeatures` they are
        called by the words and columns that they were made of. Of a classifier the scores are the final ones, unless a
        method is named.
    x : one row, as ``predict_proba`` takes it
    nodes : sequence of int
        The labels.
    method : {"auto", "shapley", "path", "margin", "leave-one-out"}, default="auto"
        "auto" is the learner's own way, on the scale of scores (:mod:`truepath.adapters.contributions`). Trees and
        forests also follow the row's way ("path"); :class:`SparseLinear` also gives weights times values before the
        sigmoid ("margin"). "leave-one-out" scores the row again with one feature left out at a time, as
        "auto" does for learners without a way of their own.
    columns : sequence of str, optional
        What the columns of X are called, if X is an array.
    baseline : one row of the features that reach the learner, optional
        What a feature becomes when it is left out, such as the means of the training rows; then a feature that is 0 may
        add something too. By default it becomes a missing value, or 0 where the learner takes none.

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
    known = ("auto", "shapley", "path", "margin", "leave-one-out")
    if method not in known:
        raise ValueError(f"method must be one of {', '.join(map(repr, known))}; got {method!r}.")
    check_is_fitted(learner)
    if method == "auto" and hasattr(learner, "learner_"):
        to_final: Contributions = learner.contributions(x, nodes)
        return to_final
    learner = getattr(learner, "learner_", learner)
    found = ask_contributions(learner, x, nodes, own_features=True, method=method, baseline=baseline)
    return found.named(reach(learner).names(columns))


def top_features(model: Any, n: int = 10, *, by: str = "label") -> dict[str, list[tuple[str, float]]]:
    """Return the n features that speak most for each label, or matter most to each level.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, pipeline or learner
        Whose learner has ``feature_weights``: linear models, trees and forests, kernels that are sums over columns, and
        blends of these.
    n : int, default=10
    by : {"label", "level"}, default="label"
        Whether for each label, or for the labels of each level together.

    Returns
    -------
    found : dict of str to list of (str, float)
        By label, features with their weights (linear models: the largest above 0) or their shares in what splits
        explain of the label (trees), the largest first; of a blend, the weighted mean of its members', see
        :meth:`Stack.feature_weights`. By level ("level 1" is the top), the mean absolute weight over its labels, or
        the share in what splits explain of them.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> from truepath.learners import top_features
    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> top_features(HierarchicalClassifier(decoder="best-path").fit(texts, labels), 1)["animal/cat"][0][0]
    'cat'
    """
    check_in("n", n, COUNT)
    if by not in ("label", "level"):
        raise ValueError(f"by must be 'label' or 'level'; got {by!r}.")
    check_is_fitted(model)
    outer, inner = _walk(model)
    found = Reached(outer.steps + inner.steps, ask(inner.member, "features").member)
    weights = sparse.csc_array(found.member.feature_weights(by=by))
    names = found.names(() if outer.steps or outer.member is inner.member else outer.member.fitted_on_.columns)
    called = [f"x{j}" for j in range(weights.shape[0])] if names is None else list(map(str, names))
    labels = _columns(find_hierarchy(found.member), weights.shape[1], by)
    return {name: _largest(weights, v, called, n) for v, name in enumerate(labels)}


def _walk(model: Any) -> tuple[Reached, Reached]:
    """Return the classifier behind pipelines and searches, and the learner in it; without a classifier, one step."""
    outer = reach(model)
    if hasattr(outer.member, "learner_"):
        return outer, reach(outer.member.learner_)
    return outer, Reached((), outer.member)


def _columns(hierarchy: Hierarchy | None, n: int, by: str) -> list[str]:
    """Return what the columns of weights are about."""
    if by == "level":
        return [f"level {d}" for d in range(1, n + 1)]
    return [str(v) for v in range(n)] if hierarchy is None else hierarchy.names.tolist()


def _largest(weights: sparse.csc_array, v: int, names: list[str], n: int) -> list[tuple[str, float]]:
    """Return the n largest positive entries of a column."""
    entries = slice(weights.indptr[v], weights.indptr[v + 1])
    features, values = weights.indices[entries], weights.data[entries]
    order = np.lexsort((features, -values))[:n]
    return [(names[features[k]], float(values[k])) for k in order if values[k] > 0]


@dataclass(frozen=True)
class SimilarRows:
    """Rows that are like a row, the most similar first.

    Attributes
    ----------
    rows : ndarray of int
        Their numbers.
    likeness : ndarray of float
        How similar they are, at most 1.
    measure : {"shared leaves", "kernel", "cosine"}, or several of these joined by " + "
        What that means: the share of trees in which both come to the same leaf, the value of the learner's kernel, or
        the cosine of the features, standardised unless they are sparse; of a blend, the weighted mean of its members'.
    votes : ndarray of float, shape (n_rows, n_nodes), or None
        For a kernel ridge regression that compares with these very rows, what each adds to each score before it is
        made coherent; over all rows the votes sum to that score.
    """

    rows: NDArray[np.int64]
    likeness: NDArray[np.float64]
    measure: str
    votes: NDArray[np.float64] | None = None


def similar_rows(model: Any, x: Any, X: Any, n: int = 5) -> SimilarRows:
    """Return the rows of X that are most like one row, as the model's learner compares rows.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, pipeline or learner
    x : one row, as ``predict_proba`` takes it, or one text
    X : rows to look among, such as those of ``fit``
    n : int, default=5

    Returns
    -------
    found : SimilarRows

    Notes
    -----
    Trees and forests compare by the leaves that rows come to, a kernel ridge regression by its kernel, a blend by the
    mean of its members that do, each counting as much as in the scores, and any other learner by the cosine of the
    features that reach it.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> from truepath.learners import similar_rows
    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    >>> [texts[i] for i in similar_rows(model, ["the cat"], texts, 2).rows]
    ['the cat sleeps', 'a cat and a dog']
    """
    check_is_fitted(model)
    x = [x] if isinstance(x, str) else x
    outer, inner = _walk(model)
    learner = model if outer.member is inner.member else outer.member.learner_
    if learner is not model:
        x, X = outer.rows(x), outer.rows(X)
    values, measure, votes = ask_likeness(learner, x, X)
    order = np.argsort(-values, kind="stable")[: max(0, n)]
    return SimilarRows(order, values[order], measure, None if votes is None else votes[order])
