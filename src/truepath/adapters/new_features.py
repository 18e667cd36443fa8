"""Features that a fitted pipeline does not know: words, categories or columns that fitting it on other rows would add.

A step before a learner is fitted once more on the rows, and the names of its columns are compared with those it had. A
new column matters to a label if enough of the label's rows have it: a tenth, and two unless the label itself has
changed. A single word that old rows had too, now frequent enough for the vocabulary, is not a reason to begin anew.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from truepath.adapters.capabilities import reach
from truepath.errors import LeftOutWarning
from truepath.hierarchy import HierarchyDiff

#: A new column matters if this share of a label's rows has it
SHARE_OF_ROWS = 0.1


def find_new_features(estimator: Any, diff: HierarchyDiff, X: Any, Y: Any) -> list[str]:
    """Return the names of columns that matter to a label and that the fitted steps before a learner do not make.

    Parameters
    ----------
    estimator : fitted learner, pipeline or search
        A member that has learners of its own tells by its method ``new_features(diff, X, Y)``.
    diff : HierarchyDiff
        To the hierarchy of ``Y``; labels in ``diff.touched`` need one row with the column, others two.
    X : rows, as the estimator takes them
    Y : label matrix, shape (n_samples, n_new)

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from truepath import Hierarchy
    >>> from truepath.learners import SparseLinear
    >>> h = Hierarchy.flat(["a", "b"])
    >>> model = make_pipeline(CountVectorizer(), SparseLinear(hierarchy=h)).fit(["red", "blue"], [["a"], ["b"]])
    >>> diff = h.edit().add("c").diff()
    >>> find_new_features(model, diff, ["red", "blue", "green"], diff.new.encode([["a"], ["b"], ["c"]]))
    ['green']
    """
    found = reach(estimator)
    for step in found.steps:
        names = _new_columns(step, diff, X, Y)
        if names:
            return names
        X = step.transform(X)
    told = getattr(found.member, "new_features", None)
    return [] if told is None else list(told(diff, X, Y))


def _new_columns(step: Any, diff: HierarchyDiff, X: Any, Y: Any) -> list[str]:
    """Return the new columns of one step, fitted again."""
    known = _names(step)
    if known is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # it was given when the step was fitted
        again = clone(step).fit(X, Y)
    names = _names(again)
    if names is None:
        return []
    is_new = ~np.isin(names, known)
    if not is_new.any():
        return []
    has = sparse.csr_array(again.transform(X)[:, np.flatnonzero(is_new)] != 0, dtype=np.int32)
    labels = sparse.csr_array(Y, dtype=np.int32)
    least = np.full(diff.new.n_nodes, 2.0)
    least[diff.touched] = 1.0
    counts = sparse.coo_array(has.T @ labels)
    matters = counts.data >= np.maximum(SHARE_OF_ROWS * labels.sum(axis=0), least)[counts.col]
    return names[is_new][np.unique(counts.row[matters])].tolist()


def _names(step: Any) -> Any:
    """Return the names of the columns that a fitted step makes, or None if it, or a part of it, has none."""
    try:
        return np.asarray(step.get_feature_names_out(), object).astype(str)
    except (AttributeError, ValueError):
        return None
