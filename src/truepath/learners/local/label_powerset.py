"""HMC-LP: label powerset level by level (Cerri, de Carvalho & Freitas 2011).

On each level of a tree, the set of an instance's labels on that level is one class ("meta-label") of a multi-class
problem. A whole label set is a path through the levels' meta-labels, so the label sets seen in training form a tree of
their own. The class scores of a level, restricted to the meta-labels seen after the path so far and scaled to add up
to one, are the path's next step: p(set) is the product along it. The prediction is the most probable of the
label sets seen. It is always closed, and ends in leaves if the training rows do.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truepath.adapters.fitting import check_learner_scores, class_scores
from truepath.adapters.parallel import run_parallel, single_blas_thread
from truepath.adapters.prepare import innermost
from truepath.adapters.rows import count_rows
from truepath.errors import HierarchyError
from truepath.held import an_object, apart, classifier, each, flags, holds, integers
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import check_fit_input, check_predict_input, leave_out_weightless, spawn_seeds
from truepath.learners.local.base import EstimatorLearner
from truepath.learners.local.group_models import check_estimator_kind, fit_classifier
from truepath.records import Record
from truepath.ridge.rows import multiply_rows

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(
    models_=each(an_object(knows=("n_features",)), "levels", of=list),
    _steps=each(apart(an_object(of=("PowersetStep",))), "levels", of=list),
    label_sets_=flags(None, "n_nodes"),
)
class HMCLabelPowerset(EstimatorLearner):
    """Label powerset on each level of a tree.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Multi-class; cloned for every level.
    hierarchy : Hierarchy, optional
        A tree. None takes Y as flat, or as label paths that make a tree.
    random_state : int, RandomState or None, default=0
        Gives every ``random_state`` that is left at its default inside a clone a seed of its own; None leaves them.
    n_jobs : int, optional
        Number of joblib workers, over levels.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    label_sets_ : ndarray of bool, shape (n_sets, n_nodes)
        The distinct label sets of the training rows.
    models_ : list
        The fitted classifier of each level.

    Notes
    -----
    Cerri et al. combine the levels' predictions without saying what happens when two levels contradict each other; here
    they cannot. Where a level gives no score to any meta-label that can follow, all of these are equally likely. Time
    and memory of a prediction: O(n_samples * n_sets * height).

    References
    ----------
    Cerri, R., de Carvalho, A. C. P. L. F. & Freitas, A. A. (2011). Adapting non-hierarchical multilabel classification
    methods for hierarchical multilabel classification. Intelligent Data Analysis 15, 861-887.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> learner = HMCLabelPowerset(LogisticRegression(C=100)).fit(X, [["a/1"], ["a/2"], ["b"], ["a/1", "b"]])
    >>> learner.hierarchy_.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b',), ('a/1', 'b')]
    """

    name = "hmc-lp"
    summary = "one multi-class problem per level, whose classes are sets of labels"
    learns_from = "rows and their labels"
    needs = ("a tree", "a classifier or pipeline")

    def __init__(
        self, estimator: Any, *, hierarchy: Hierarchy | None = None, random_state: Any = 0, n_jobs: int | None = None
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit one multi-class classifier per level.

        Parameters
        ----------
        X : array-like, sparse matrix or, for pipelines, anything they take; shape (n_samples, n_features)
        y : closed 0/1 matrix (n_samples, n_nodes), dense or sparse, or label names or paths
        sample_weight : array-like of shape (n_samples,), optional
            Needs an estimator whose ``fit`` takes it. Rows of weight zero are left out altogether.

        Returns
        -------
        self
        """
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, **self.input_checks(X))
        check_estimator_kind(self.estimator, None, weight is not None)
        _refuse_dag(hierarchy)
        X, Y, weight = leave_out_weightless(X, as_dense(Y), weight)
        codes = [np.unique(Y[:, nodes], axis=0, return_inverse=True)[1].ravel() for nodes in hierarchy.levels]
        seeds = spawn_seeds(self.random_state, len(codes))
        common = (self.estimator, X, weight)
        self.models_ = run_parallel(_fit_level, zip(codes, seeds), common=common, n_jobs=self.n_jobs)
        self._steps, of_row = _tree_of_sets(codes)
        first = np.unique(of_row, return_index=True)[1]
        self.label_sets_ = Y[first]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals: the probability of all label sets that hold the label."""
        P = self._set_scores(X)
        S = multiply_rows(P, self.label_sets_.astype(np.float64))
        return cap_down(np.minimum(S, 1.0), self.hierarchy_)  # the sets add up to 1, but for rounding

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable of the label sets seen in training, shape (n_samples, n_nodes)."""
        best = self._set_scores(X).argmax(axis=1)
        return self.label_sets_[best]

    def _set_scores(self, X: Any) -> np.ndarray:
        """Return the probability of each label set seen in training, (n_samples, n_sets)."""
        X = check_predict_input(self, X, **self.input_checks(X))
        P, whose = np.ones((count_rows(X), 1)), type(innermost(self.estimator)).__name__
        with single_blas_thread():
            for k, (model, step) in enumerate(zip(self.models_, self._steps)):
                scores = class_scores(model, X, int(step.code.max()) + 1)
                P = step.follow(P, check_learner_scores(scores, f"{whose} on level {k + 1}", self._meta_labels(k)))
        return P

    def check_loaded(self) -> None:
        """Refuse label sets from a file that do not follow from each other."""
        n_sets, levels = 1, self.hierarchy_.levels
        for k, (model, step) in enumerate(zip(self.models_, self._steps)):
            follows = np.array_equal(np.unique(step.parent), np.arange(n_sets)) and (np.diff(step.parent) >= 0).all()
            if not follows or k >= len(levels) or int(step.code.max()) + 1 != len(self._meta_labels(k)):
                raise ValueError("a step of the label sets does not follow the one before")
            classifier(int(step.code.max()) + 1)(model, {"n_features": self.n_features_in_})
            n_sets = step.parent.size
        if n_sets != len(self.label_sets_) or len(self.models_) != len(levels):
            raise ValueError("the label sets do not follow from the steps")
        if not self.hierarchy_.is_closed(self.label_sets_):
            raise ValueError("the label sets are not closed")

    def _meta_labels(self, level: int) -> list[str]:
        """Return the meta-labels of a level as texts: the names of their labels."""
        nodes = self.hierarchy_.levels[level]
        sets = np.unique(self.label_sets_[:, nodes], axis=0)
        return [" + ".join(self.hierarchy_.names[nodes[labels]]) or "no label" for labels in sets]


@Record.enter("truepath.learners")
@holds(parent=integers("k", least=0), code=integers("k", least=0))
class PowersetStep(NamedTuple):
    """The label sets up to one level: which shorter one each extends, and by which meta-label; sorted by the former."""

    parent: np.ndarray
    code: np.ndarray

    def follow(self, P: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return p(longer set) = p(shorter) * p(meta-label | shorter), scaled over what can follow."""
        own = scores[:, self.code]
        starts = np.flatnonzero(np.diff(self.parent, prepend=-1))
        total = np.add.reduceat(own, starts, axis=1)[:, self.parent]
        equal = 1.0 / np.bincount(self.parent)[self.parent]
        share = np.where(total > 0, np.divide(own, total, out=np.zeros_like(own), where=total > 0), equal)
        return P[:, self.parent] * share


def _tree_of_sets(codes: list[np.ndarray]) -> tuple[list[PowersetStep], np.ndarray]:
    """Return the steps of the tree of label sets, and for each row the number of its set."""
    steps, of_row = [], np.zeros(codes[0].size, np.int64)
    for code in codes:
        pairs, of_row = np.unique(np.column_stack([of_row, code]), axis=0, return_inverse=True)
        of_row = of_row.ravel()
        steps.append(PowersetStep(pairs[:, 0], pairs[:, 1]))
    return steps, of_row


def _fit_level(estimator: Any, X: Any, weight: np.ndarray | None, code: np.ndarray, seed: int | None) -> Any:
    """Fit one level; many distinct label sets are normal here, not a regression problem by mistake."""
    with single_blas_thread(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        return fit_classifier(estimator, X, code, weight, seed=seed)


def _refuse_dag(hierarchy: Hierarchy) -> None:
    if hierarchy.is_tree:
        return
    v = int(np.flatnonzero(np.diff(hierarchy.parent_ptr) > 1)[0])
    parents = ", ".join(repr(hierarchy.names[u]) for u in hierarchy.parents(v)[:3])
    raise HierarchyError(
        f"HMCLabelPowerset needs a tree, where levels are well defined; {hierarchy.names[v]!r} has several parents "
        f"({parents}). Use PerParent, PerNode or SiblingLasso on DAGs."
    )
