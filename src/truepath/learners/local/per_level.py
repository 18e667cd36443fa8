"""One problem per level: all nodes of the same depth, learned from all rows (Silla & Freitas 2011, section 4.3)."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping
from typing import Any

import numpy as np

from truepath.combiners import MinDown
from truepath.hierarchy import Hierarchy
from truepath.learners.local.base import LabelView, LocalLearner, Problem


class PerLevel(LocalLearner):
    """One problem per level of the hierarchy.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every level.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    labels : {"auto", "independent", "exclusive", "joint"}, default="auto"
        How the labels of one level are learned; see :class:`PerParent`.
    calibrate_each : {None, "sigmoid", "isotonic"}, default=None
        Calibrate every classifier on held-out rows, over three stratified folds.
    estimators : dict, optional
        Other estimators for some levels, by depth: 1 is the top.
    random_state : int, RandomState or None, default=0
        Gives every ``random_state`` that is left at its default inside a clone a seed of its own; None leaves them.
    n_jobs : int, optional
        Number of joblib workers, for ``fit`` and ``predict_proba``.

    Notes
    -----
    Levels are learned without regard to each other; a marginal is then capped by those of its ancestors. On a DAG
    the level of a node is its longest distance from the root. Rows without a label on a level are negative for
    all its labels (in the exclusive way, a class of their own).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> learner = PerLevel(DecisionTreeClassifier(random_state=0)).fit(X, ["a/1", "a/2", "b/1", "b"])
    >>> learner.hierarchy_.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b',)]
    """

    name = "per-level"
    summary = "one problem per level of the hierarchy"
    learns_from = "rows and their labels"
    needs = ("a classifier or pipeline",)

    def __init__(
        self,
        estimator: Any,
        *,
        hierarchy: Hierarchy | None = None,
        labels: str = "auto",
        calibrate_each: str | None = None,
        estimators: Mapping[Any, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.labels = labels
        self.calibrate_each = calibrate_each
        self.estimators = estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _to_marginals(self) -> Any:
        return MinDown(hierarchy=self.hierarchy_)

    def _keys(self, hierarchy: Hierarchy) -> Container[Hashable]:
        return range(1, hierarchy.height + 1)

    def _pose(self, view: LabelView) -> list[Problem]:
        return [
            Problem(depth, nodes, None, np.column_stack([view.rows(v) for v in nodes]))
            for depth, nodes in enumerate(view.hierarchy.levels, start=1)
        ]
