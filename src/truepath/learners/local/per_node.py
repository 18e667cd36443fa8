"""One binary classifier per node, trained on the rows a policy chooses.

The local classifier per node of Silla & Freitas (2011). See :mod:`truepath.learners.local.policies` for the policies
and :mod:`truepath.combiners` for how their scores become marginals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truepath.combiners import MaxUp, MinDown, PathProduct
from truepath.hierarchy import Hierarchy
from truepath.learners.local.base import LabelView, OnePerLabel, Problem, whole_or_rows
from truepath.learners.local.policies import Policy, resolve_policy

_CORRECTIONS = {"conditional": PathProduct, "marginal": MinDown, "stop": MaxUp}


class PerNode(OnePerLabel):
    """One binary classifier per node.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every node. Without ``predict_proba``, the sigmoid of ``decision_function`` is the score.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    policy : str or Policy, default="siblings"
        Which rows are positive and negative: "siblings", "exclusive_siblings", "parents", "inclusive",
        "less_inclusive", "exclusive", "less_exclusive".
    calibrate_each : {None, "sigmoid", "isotonic"}, default=None
        Calibrate every classifier on held-out rows, over three stratified folds.
    estimators : dict, optional
        Other estimators for some nodes, by node name.
    random_state : int, RandomState or None, default=0
        Gives every ``random_state`` that is left at its default inside a clone a seed of its own; None leaves them.
    n_jobs : int, optional
        Number of joblib workers, for ``fit`` and ``predict_proba``.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    models_ : list
        The fitted local models; nodes with the same rows and targets share one.

    Notes
    -----
    Scores. With ``siblings``, ``exclusive_siblings`` and ``parents`` a classifier estimates p(v | parents), and the
    marginal is S[v] = q_v * min over parents u of S[u]: the product along the path on trees. With ``inclusive`` and
    ``less_inclusive`` it estimates p(v), capped by the parents' marginals. With the exclusive policies it
    estimates that v is most specific, and every label counts at least as much as those below it.

    A node whose training rows show one value only gets the constant 0 or 1; one without any rows gets 0.

    References
    ----------
    Silla, C. N. & Freitas, A. A. (2011). A survey of hierarchical classification across different application
    domains. Data Mining and Knowledge Discovery 22, 31-72.

    See Also
    --------
    PerParent : one problem per group of siblings.
    BinaryRelevance : one classifier per label, the hierarchy unused in training.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["b"]])
    >>> learner = PerNode(LogisticRegression(C=100), hierarchy=h).fit(X, Y)
    >>> h.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b/1',)]
    """

    name = "per-node"
    summary = "one binary classifier per node, on rows that a policy chooses"
    learns_from = "the rows that the policy chooses for each node"
    needs = ("a classifier or pipeline",)

    def __init__(
        self,
        estimator: Any,
        *,
        hierarchy: Hierarchy | None = None,
        policy: str | Policy = "siblings",
        calibrate_each: str | None = None,
        estimators: Mapping[Any, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.policy = policy
        self.calibrate_each = calibrate_each
        self.estimators = estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _to_marginals(self) -> Any:
        return _CORRECTIONS[resolve_policy(self.policy).estimates](hierarchy=self.hierarchy_)

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return p(v | u), one column per arc (sorted by child, then parent; on a tree column v is node v).

        On trees with a sibling policy these are the classifiers' own scores; otherwise ratios of the marginals.
        """
        if resolve_policy(self.policy).estimates == "conditional" and self.hierarchy_.is_tree:
            return self._local_scores(X)
        return super().predict_conditional_proba(X)

    def _pose(self, view: LabelView) -> list[Problem]:
        policy = resolve_policy(self.policy)
        problems = []
        for v, name in enumerate(view.hierarchy.names.tolist()):
            rows, positive = policy.select(view, v)
            if rows.size:
                problems.append(Problem(name, [v], whole_or_rows(rows, view.n_samples), positive[:, None]))
        return problems
