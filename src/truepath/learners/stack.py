r"""Stack: several learners' scores into one, combined honestly.

Wolpert's stacked generalisation for score matrices. Every learner scores the training rows out of fold (each row by a
copy that did not see it), a combiner is fitted on those scores side by side, and the learners are fitted again on all
rows. What the combiner learns is therefore how the learners do on new rows, not how well they remember old ones.

References
----------
D. H. Wolpert. Stacked generalization. Neural Networks 5, 1992.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import (
    HeldOut,
    Learner,
    check_learner,
    count_rows,
    fit_learner,
    node_scores,
    out_of_fold,
    prepare,
    tracked,
)
from truepath.adapters.parallel import iterate_parallel, run_parallel
from truepath.adapters.progress import CallbackSupportMixin, with_callbacks
from truepath.combiners import HierarchicalFAEL
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import already_checked
from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input
from truepath.registry import COMBINERS

__all__ = ["Stack"]


class Stack(CallbackSupportMixin, MetaEstimatorMixin, HierarchicalLearner):
    """Combine several learners, and score matrices made elsewhere, by a combiner fitted on out-of-fold scores.

    Parameters
    ----------
    learners : sequence of learners, or of pairs (name, learner)
        Each with ``fit(X, Y)`` and ``predict_proba(X)``: learners of this module, classifiers, pipelines and searches
        of scikit-learn, or objects of your own. A classifier for one label at a time is fitted once per label. One
        whose ``hierarchy`` is None gets this one's.
    hierarchy : Hierarchy, optional
    combiner : combiner that takes several score matrices, or its name, optional
        ``HierarchicalFAEL("gcv")`` unless given; :class:`truepath.combiners.Blend` is the careful choice when rows are
        few.
    cv : int or splitter, default=5
        The number of folds (rows shuffled by ``random_state``), or an object with ``split(X)``.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Fits of learners and folds run in parallel; the result does not depend on it.

    Attributes
    ----------
    learners_ : list of estimators fitted on all rows
    combiner_ : combiner fitted on the out-of-fold scores

    Notes
    -----
    Costs (folds + 1) fits per learner. Scores that come from elsewhere are given to ``fit`` and ``predict_proba`` as
    ``scores``: those of the training rows must be held-out ones too.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from truepath import load_dataset
    >>> from truepath.combiners import Blend
    >>> from truepath.learners import Stack
    >>> class Neighbours(KNeighborsRegressor):  # any model that scores nodes will do
    ...     def predict_proba(self, X):
    ...         return self.predict(X)
    ...     def fit(self, X, y):
    ...         return super().fit(X, y.astype(float))
    >>> ds = load_dataset("toy")
    >>> stack = Stack([Neighbours(1), Neighbours(3)], combiner=Blend(), cv=4, hierarchy=ds.hierarchy)
    >>> S = stack.fit(ds.train.X, ds.train.y).predict_proba(ds.test.X)
    >>> S.shape, ds.hierarchy.is_coherent(S)
    ((4, 5), True)
    """

    name = "stack"
    summary = "several learners, combined by a combiner fitted on out-of-fold scores"
    learns_from = "rows and their labels, each row held out once"
    needs = ("learners",)

    def __init__(
        self,
        learners: Sequence[Learner | tuple[str, Learner]],
        *,
        hierarchy: Hierarchy | None = None,
        combiner: Any = None,
        cv: Any = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.learners = learners
        self.hierarchy = hierarchy
        self.combiner = combiner
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, scores: Sequence[Any] = ()) -> Stack:
        """Score the rows out of fold, fit the combiner, refit the learners.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame, shape (n_samples, n_features)
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
            Passed to the combiner, and to the learners that take it.
        scores : sequence of score matrices, each (n_samples, n_nodes)
            Held-out scores of these rows by other models.
        """
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, pass_through=True)
        learners = [_prepare(entry, hierarchy) for entry in self.learners]
        if not learners and not len(scores):
            raise ValueError("Stack has nothing to combine: give at least one learner, or score matrices as scores=.")
        combiner = self._make_combiner(hierarchy, len(learners) + len(scores))
        splits = self._splits(X) if learners else []
        with tracked(self, len(learners) * (len(splits) + 1) + 1) as progress:
            held_out = out_of_fold(
                learners, X, Y, weight, splits, hierarchy=hierarchy, n_jobs=self.n_jobs, progress=progress
            )
            sources = [*(_in_order(part, Y.shape) for part in held_out), *scores]
            with already_checked(Y, hierarchy):
                self.combiner_ = combiner.fit(sources, Y, sample_weight=weight)
            progress.step("combiner fitted")
            self.learners_ = []
            cases = ((learner,) for learner in learners)
            for fitted in iterate_parallel(_fit, cases, common=(X, Y, weight), n_jobs=self.n_jobs):
                self.learners_.append(fitted)
                progress.step(f"learner {len(self.learners_)} of {len(learners)} fitted on all rows")
        self.n_scores_ = len(scores)
        return self

    def _make_combiner(self, hierarchy: Hierarchy, n_sources: int) -> Any:
        combiner = HierarchicalFAEL("gcv") if self.combiner is None else clone(COMBINERS.resolve(self.combiner))
        if n_sources > 1 and not getattr(combiner, "accepts_many", False):
            raise ValueError(
                f"combiner {type(combiner).__name__} takes one score matrix, not {n_sources}. "
                "Use Blend or one of the FAEL family."
            )
        return combiner if combiner.hierarchy is not None else combiner.set_params(hierarchy=hierarchy)

    def _splits(self, X: Any) -> list[Any]:
        """Return the row numbers (train, held out) of each fold."""
        splitter = KFold(self.cv, shuffle=True, random_state=self.random_state) if isinstance(self.cv, int) else self.cv
        return list(splitter.split(np.zeros((count_rows(X), 1))))

    def predict_proba(self, X: Any, *, scores: Sequence[Any] = ()) -> NDArray[Any]:
        """Return the combined scores.

        Parameters
        ----------
        X : as in ``fit``
        scores : sequence of score matrices
            The other models' scores of these rows, as many and in the order given to ``fit``.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
        """
        check_is_fitted(self, "combiner_")
        X = check_predict_input(self, X, pass_through=True)
        if len(scores) != self.n_scores_:
            raise ValueError(f"scores holds {len(scores)} matrices but fit was given {self.n_scores_}.")
        cases = ((learner,) for learner in self.learners_)
        own = run_parallel(_score, cases, common=(X, self.hierarchy_), n_jobs=self.n_jobs)
        combined: NDArray[Any] = self.combiner_.transform([*own, *scores])
        return combined


def _prepare(entry: Any, hierarchy: Hierarchy) -> Any:
    """Return a learner (or the second of a pair) ready to be fitted."""
    learner = entry[1] if isinstance(entry, tuple) else entry
    check_learner(learner, "a learner of Stack")
    return prepare(learner, hierarchy)


def _fit(X: Any, Y: Any, weight: Any, learner: Any) -> Any:
    return fit_learner(learner, X, Y, weight)


def _score(X: Any, hierarchy: Hierarchy, learner: Any) -> NDArray[np.float64]:
    return np.asarray(node_scores(learner, X, hierarchy.n_nodes, hierarchy=hierarchy), np.float64)


def _in_order(held_out: HeldOut, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return held-out scores in the order of the rows; every row needs some."""
    S = np.full(shape, np.nan)
    S[held_out.rows] = held_out.S
    if np.isnan(S).any():
        raise ValueError("cv leaves rows that are never held out, or a learner scores NaN; every row needs scores.")
    return S
