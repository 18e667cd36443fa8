"""similar_rows: the training rows that are most like a row, as the learner itself compares rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from truepath.adapters import count_rows
from truepath.hierarchy.matrices import as_dense
from truepath.learners.kernel.multi_label_kernel_ridge import MultiLabelKernelRidge
from truepath.learners.kernel.scaling import apply_scaler
from truepath.learners.reasons.contributions import last_step
from truepath.learners.table_blend import TableBlend
from truepath.learners.trees.base import PCTBase, find_leaves

__all__ = ["SimilarRows", "similar_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SimilarRows:
    """Rows that are like a row, the most similar first.

    Attributes
    ----------
    rows : ndarray of int
        Their numbers.
    likeness : ndarray of float
        How similar they are, at most 1.
    measure : {"shared leaves", "kernel", "cosine"}
        What that means: the share of trees in which both come to the same leaf, the value of the learner's kernel, or
        the cosine of the features, standardised unless they are sparse.
    votes : ndarray of float, shape (n_rows, n_nodes), or None
        For a kernel ridge regression that compares with these very rows, what each adds to each score before it is
        made coherent; over all rows the votes sum to that score.
    """

    rows: NDArray[np.int64]
    likeness: Floats
    measure: str
    votes: Floats | None = None


def similar_rows(model: Any, x: Any, X: Any, n: int = 5) -> SimilarRows:
    """Return the rows of X that are most like one row, as the model's learner compares rows.

    Parameters
    ----------
    model : fitted HierarchicalClassifier, pipeline or learner
    x : one row, as ``predict_proba`` takes it
    X : rows to look among, such as those of ``fit``
    n : int, default=5

    Returns
    -------
    found : SimilarRows

    Notes
    -----
    Trees and forests compare by the leaves that rows come to, a kernel ridge regression by its kernel, a
    :class:`TableBlend` by its first member, and any other learner by the cosine of the features that reach it.

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
    learner = getattr(model, "learner_", model)
    found, one, _ = last_step(learner, x)
    many = last_step(learner, X)[1]
    if isinstance(found, TableBlend):
        one, many = ((as_dense(rows) if found.is_dense_ else rows) for rows in (one, many))
        found = found.stack_.learners_[0]
    likeness, measure, votes = _compare(found, one, many)
    order = np.argsort(-likeness, kind="stable")[: max(0, min(n, count_rows(many)))]
    return SimilarRows(order, likeness[order], measure, None if votes is None else votes[order])


def _compare(learner: Any, x: Any, X: Any) -> tuple[Floats, str, Floats | None]:
    """Return how similar each row is, what that means, and what rows vote for where they do."""
    if isinstance(learner, PCTBase):
        shared = np.zeros(X.shape[0])
        for tree in learner._trees():
            leaf = find_leaves(tree, as_dense(x), learner.categories_)[0]
            shared += find_leaves(tree, X, learner.categories_) == leaf
        return shared / len(learner._trees()), "shared leaves", None
    if isinstance(learner, MultiLabelKernelRidge):
        return _compare_by_kernel(learner, x, X)
    if not sparse.issparse(X):
        mean, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        x, X = (np.nan_to_num((rows - mean) / np.where(spread > 0, spread, 1.0)) for rows in (x, X))  # missing: usual
    return cosine_similarity(x, X)[0].astype(np.float64), "cosine", None


def _compare_by_kernel(learner: MultiLabelKernelRidge, x: Any, X: Any) -> tuple[Floats, str, Floats | None]:
    """Return the values of the kernel, and the votes where these are the rows it was fitted on."""
    regression = learner.regression_
    one, many = (apply_scaler(rows, learner.scaler_, learner.with_gaps_) for rows in (x, X))
    likeness = np.asarray(regression._kernel(regression.gamma_)(one, many), np.float64)[0]
    fitted = regression.X_fit_
    same = not regression.by_landmarks_ and fitted.shape == many.shape and not (abs(fitted - many) > 0).sum()
    return likeness, "kernel", likeness[:, None] * regression.dual_coef_ if same else None
