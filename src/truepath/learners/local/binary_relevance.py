"""Binary relevance: one classifier per label on all rows, the flat method (Tsoumakas et al. 2010)."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping
from typing import Any

from truepath.combiners import MaxUp, MinDown
from truepath.hierarchy import Hierarchy
from truepath.learners.local.base import LabelView, OnePerLabel, Problem


class BinaryRelevance(OnePerLabel):
    """One binary classifier per label, trained on all rows; the hierarchy only makes the scores coherent.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every label.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    leaves_only : bool, default=False
        Learn the leaves only; an inner node then scores as its best leaf. Otherwise every label is learned, and capped
        by its ancestors.
    calibrate_each : {None, "sigmoid", "isotonic"}, default=None
        Calibrate every classifier on held-out rows, over three stratified folds.
    estimators : dict, optional
        Other estimators for some labels, by name.
    random_state : int, RandomState or None, default=0
        Gives every ``random_state`` that is left at its default inside a clone a seed of its own; None leaves them.
    n_jobs : int, optional
        Number of joblib workers, for ``fit`` and ``predict_proba``.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> BinaryRelevance(LogisticRegression(C=100)).fit(X, Y).predict(X).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """

    name = "binary-relevance"
    summary = "one classifier per label on all rows"
    learns_from = "rows and their labels"
    needs = ("a classifier or pipeline",)

    def __init__(
        self,
        estimator: Any,
        *,
        hierarchy: Hierarchy | None = None,
        leaves_only: bool = False,
        calibrate_each: str | None = None,
        estimators: Mapping[Any, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.leaves_only = leaves_only
        self.calibrate_each = calibrate_each
        self.estimators = estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _to_marginals(self) -> Any:
        return (MaxUp if self.leaves_only else MinDown)(hierarchy=self.hierarchy_)

    def _keys(self, hierarchy: Hierarchy) -> Container[Hashable]:
        return hierarchy.names[hierarchy.leaves].tolist() if self.leaves_only else hierarchy

    def _pose(self, view: LabelView) -> list[Problem]:
        hierarchy = view.hierarchy
        nodes = hierarchy.leaves if self.leaves_only else range(hierarchy.n_nodes)
        return [Problem(hierarchy.names[v], [v], None, view.rows(v)[:, None]) for v in nodes]
