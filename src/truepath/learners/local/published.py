"""Named combinations that papers compare with: HBR, and flat binary relevance with a MetaLabeler.

``HBR``: a classifier at every node, trained where the parents are positive, and decisions taken top-down at one half
(H-SVM of Cesa-Bianchi et al. 2006 with another base learner; Bi & Kwok 2012 use the multitask lasso).
``BRMetaLabeler``: flat binary relevance over the leaves, of which the best k are kept, k predicted from X by a
MetaLabeler (Tang et al. 2009): mandatory leaf prediction without the hierarchy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from truepath.decoders import MetaLabeler, TopLeaves
from truepath.held import an_object, holds
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.arcs import arc_pointers
from truepath.hierarchy.checks import already_checked
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HALF, HierarchicalLearner, check_fit_input
from truepath.learners.linear.sibling_lasso import SiblingLasso
from truepath.learners.local.base import EstimatorLearner
from truepath.learners.local.binary_relevance import BinaryRelevance
from truepath.learners.local.per_node import PerNode

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(learner_=an_object("predict_proba"))
class _AroundLearner(EstimatorLearner):
    """Keeps a fitted learner in ``learner_`` and returns its scores."""

    def _adopt(self, learner: Any, X: Any, y: Any, sample_weight: Any) -> Any:
        """Check the input as the learner does, and fit it; return the checked labels."""
        _, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, **learner.input_checks(X))
        with already_checked(Y, hierarchy):
            self.learner_ = learner.set_params(hierarchy=hierarchy).fit(X, Y, weight)
        return Y

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the learner's coherent marginals, shape (n_samples, n_nodes)."""
        check_is_fitted(self, "learner_")
        return self.learner_.predict_proba(X)

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return the learner's p(v | u), one column per arc."""
        check_is_fitted(self, "learner_")
        return self.learner_.predict_conditional_proba(X)


class HBR(_AroundLearner):
    """Hierarchical binary relevance: local classifiers, decided top-down at one half.

    Parameters
    ----------
    estimator : scikit-learn classifier, learner or None, default=None
        A classifier is wrapped in :class:`PerNode` with ``policy="parents"``; a learner of this package that has
        ``predict_conditional_proba`` is taken as it is; None is :class:`SiblingLasso`.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    n_jobs : int, optional
        Number of joblib workers.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    learner_ : the fitted learner

    Notes
    -----
    A label is predicted when all its parents are and p(v | u) exceeds one half for each parent u. That is not the
    same as a marginal above one half: a path of several likely steps may have a small product. For mandatory
    leaves, decode ``predict_proba`` with ``TopLeaves(k="metalabeler")`` as Bi & Kwok do.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> hbr = HBR(LogisticRegression(C=100)).fit(X, [["a/1"], ["a/2"], ["b"], ["b"]])
    >>> hbr.hierarchy_.decode(hbr.predict(X))
    [('a/1',), ('a/2',), ('b',), ('b',)]
    """

    name = "hbr"
    summary = "local classifiers, decided top-down at one half"
    learns_from = "the rows that carry the parents of each node"

    def __init__(self, estimator: Any = None, *, hierarchy: Hierarchy | None = None, n_jobs: int | None = None):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the local classifiers; parameters as for :meth:`PerNode.fit`."""
        self._adopt(self._learner(), X, y, sample_weight)
        return self

    def _learner(self) -> Any:
        if self.estimator is None:
            return SiblingLasso(n_jobs=self.n_jobs)
        if isinstance(self.estimator, HierarchicalLearner):
            if not hasattr(self.estimator, "predict_conditional_proba"):
                raise TypeError(f"estimator {type(self.estimator).__name__} has no predict_conditional_proba.")
            return clone(self.estimator).set_params(n_jobs=self.n_jobs)
        return PerNode(self.estimator, policy="parents", n_jobs=self.n_jobs)

    def predict(self, X: Any) -> np.ndarray:
        """Return the closed label sets decided top-down, shape (n_samples, n_nodes)."""
        likely = self.predict_conditional_proba(X) > HALF
        arc_ptr, _ = arc_pointers(self.hierarchy_)
        Y = np.logical_and.reduceat(likely, arc_ptr[:-1], axis=1)
        return cap_down(Y, self.hierarchy_, out=Y)


@holds(metalabeler_=an_object("predict"))
class BRMetaLabeler(_AroundLearner):
    """Flat binary relevance over the leaves, of which a MetaLabeler says how many to keep.

    Parameters
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every leaf.
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    metalabeler : classifier, optional
        Learns the number of leaves from X; a clone of ``estimator`` by default.
    random_state : int, RandomState or None, default=0
        As for :class:`BinaryRelevance`.
    n_jobs : int, optional
        Number of joblib workers.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    learner_ : BinaryRelevance
    metalabeler_ : MetaLabeler

    Notes
    -----
    Every prediction ends in leaves and has at least one. The number of labels of a training row is that of its
    most specific labels.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> flat = BRMetaLabeler(LogisticRegression(C=100)).fit(X, [["a/1"], ["a/2"], ["b"], ["b"]])
    >>> flat.hierarchy_.decode(flat.predict(X))
    [('a/1',), ('a/2',), ('b',), ('b',)]
    """

    name = "br-metalabeler"
    summary = "one classifier per leaf, and how many leaves to keep predicted for each row"
    learns_from = "rows and their labels"
    needs = ("a classifier or pipeline",)

    def __init__(
        self,
        estimator: Any,
        *,
        hierarchy: Hierarchy | None = None,
        metalabeler: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.metalabeler = metalabeler
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the leaves' classifiers and the MetaLabeler; parameters as for :meth:`BinaryRelevance.fit`."""
        options: dict[str, Any] = {"leaves_only": True, "random_state": self.random_state, "n_jobs": self.n_jobs}
        Y = self._adopt(BinaryRelevance(self.estimator, **options), X, y, sample_weight)
        counter = self.estimator if self.metalabeler is None else self.metalabeler
        with already_checked(Y, self.hierarchy_):
            self.metalabeler_ = MetaLabeler(counter, hierarchy=self.hierarchy_).fit(X, Y, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the k best leaves of each row with their ancestors, shape (n_samples, n_nodes)."""
        S = self.predict_proba(X)
        Y = TopLeaves(k=self.metalabeler_.predict(X), hierarchy=self.hierarchy_).predict(S)
        return as_dense(Y)
