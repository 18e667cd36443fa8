"""One problem per parent: its children, learned from the rows that carry the parent.

The local classifier per parent node of Silla & Freitas (2011), made multi-label, and the training of Bi & Kwok (2012,
section 2.1): p(y_v = 1 | y_u = 1, x) for every arc from u to v, the implicit root included.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from truepath.combiners import PathProduct
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.arcs import arc_pointers, marginals_from_conditional
from truepath.learners.local.base import LabelView, LocalLearner, Problem, whole_or_rows


class PerParent(LocalLearner):
    """One problem per parent node, over its children.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every group. Without ``predict_proba``, the sigmoid or softmax of ``decision_function`` scores.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    policy : {"parents", "siblings"}, default="parents"
        The rows of a group: all that carry the parent (Bi & Kwok), or of these only the rows that carry one of its
        children (Silla & Freitas). The latter leaves out paths that stop at u and estimates p(v | u, some child of u).
    labels : {"auto", "independent", "exclusive", "joint"}, default="auto"
        How the children of one parent are learned: one binary classifier each, one multi-class classifier (no row has
        two of them), or one classifier that takes label sets. "auto" takes the exclusive way for a group whose
        rows allow it, else the joint way if the estimator has it, else the independent one.
    calibrate_each : {None, "sigmoid", "isotonic"}, default=None
        Calibrate every classifier on held-out rows, over three stratified folds.
    estimators : dict, optional
        Other estimators for some groups, by the parent's name; None is the implicit root.
    random_state : int, RandomState or None, default=0
        Gives every ``random_state`` that is left at its default inside a clone a seed of its own; None leaves them.
    n_jobs : int, optional
        Number of joblib workers, for ``fit`` and ``predict_proba``.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    models_ : list
        The fitted local models, one per distinct problem.

    Notes
    -----
    A node with several parents is learned once under each. Every p(v | u) * S[u] estimates p(v), as v implies u; the
    marginal is the smallest of them, so it never exceeds a parent's. In the exclusive way, rows that stop
    at the parent form a class of their own.

    References
    ----------
    Bi, W. & Kwok, J. T. (2012). Mandatory leaf node prediction in hierarchical multilabel classification. NIPS 25.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["b/1"]])
    >>> learner = PerParent(LogisticRegression(C=100), hierarchy=h).fit(X, Y)
    >>> h.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b/1',)]
    >>> learner.predict_conditional_proba(X[:1]).round(2).tolist()
    [[0.97, 0.94, 0.06, 0.03, 1.0]]
    """

    name = "per-parent"
    summary = "one problem per parent node, over its children"
    learns_from = "the rows that carry each parent"
    needs = ("a classifier or pipeline",)

    def __init__(
        self,
        estimator: Any,
        *,
        hierarchy: Hierarchy | None = None,
        policy: str = "parents",
        labels: str = "auto",
        calibrate_each: str | None = None,
        estimators: Mapping[Any, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.policy = policy
        self.labels = labels
        self.calibrate_each = calibrate_each
        self.estimators = estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals, shape (n_samples, n_nodes); see Notes for how."""
        return marginals_from_conditional(self._local_scores(X), self.hierarchy_)

    def _offers_contributions(self) -> bool:
        """On a DAG the scores are those of arcs, which are not passed on."""
        is_tree = not hasattr(self, "hierarchy_") or self.hierarchy_.is_tree
        return is_tree and super()._offers_contributions()

    def _to_marginals(self) -> Any:
        return PathProduct(hierarchy=self.hierarchy_)

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return p(v | u), one column per arc (sorted by child, then parent; on a tree column v is node v)."""
        return self._local_scores(X)

    def _keys(self, hierarchy: Hierarchy) -> Container[Hashable]:
        return {None, *hierarchy.names[~hierarchy.is_leaf].tolist()}

    def _column_names(self) -> np.ndarray:
        return np.repeat(self.hierarchy_.names, np.diff(arc_pointers(self.hierarchy_)[0]))

    def _pose(self, view: LabelView) -> list[Problem]:
        if self.policy not in ("parents", "siblings"):
            raise ValueError(f"policy must be 'parents' or 'siblings'; got {self.policy!r}.")
        return list(pose_arcs(view, with_stops=self.policy == "parents"))


def pose_arcs(view: LabelView, with_stops: bool = True) -> Iterator[Problem]:
    """Yield a problem for the implicit root and for each inner node: its children, on the rows that carry it.

    Without stops, rows that carry none of the children are left out.
    """
    hierarchy = view.hierarchy
    arc_ptr, arc_parent = arc_pointers(hierarchy)
    arc_child = np.repeat(np.arange(hierarchy.n_nodes), np.diff(arc_ptr))
    order = np.argsort(arc_parent, kind="stable")  # by parent, then child
    ends = np.searchsorted(arc_parent[order], np.arange(-1, hierarchy.n_nodes + 1))
    for u, start, stop in zip(range(-1, hierarchy.n_nodes), ends[:-1], ends[1:]):
        arcs = order[start:stop]
        if with_stops:
            mask = np.ones(view.n_samples, bool) if u < 0 else view.rows(u)
        else:
            mask = view.any_of(arc_child[arcs])
        rows = np.flatnonzero(mask)
        if arcs.size and rows.size:
            targets = np.column_stack([view.rows(v)[rows] for v in arc_child[arcs]])
            yield Problem(None if u < 0 else hierarchy.names[u], arcs, whole_or_rows(rows, view.n_samples), targets)
