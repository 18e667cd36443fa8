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
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from truepath.adapters import count_rows, take_rows
from truepath.combiners import HierarchicalFAEL
from truepath.hierarchy import Hierarchy
from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input

__all__ = ["Stack"]


class Stack(MetaEstimatorMixin, HierarchicalLearner):
    """Combine several learners, and score matrices made elsewhere, by a combiner fitted on out-of-fold scores.

    Parameters
    ----------
    learners : sequence of estimators, or of pairs (name, estimator)
        Each with ``fit(X, Y)`` and ``predict_proba(X)`` returning a matrix (n_samples, n_nodes). One whose
        ``hierarchy`` is None gets this one's.
    hierarchy : Hierarchy, optional
    combiner : combiner that takes several score matrices, optional
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
    Costs (folds + 1) fits a learner. Scores that come from elsewhere are given to ``fit`` and ``predict_proba`` as
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
    ...     def fit(self, X, Y):
    ...         return super().fit(X, Y.toarray().astype(float))
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
        learners: Sequence[Any],
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
        held_out = self._out_of_fold(learners, X, Y, weight)
        self.combiner_ = combiner.fit([*held_out, *scores], Y, sample_weight=weight)
        jobs = (delayed(_fit)(learner, X, Y, weight, None) for learner in learners)
        self.learners_ = Parallel(n_jobs=self.n_jobs)(jobs)
        self.n_scores_ = len(scores)
        return self

    def _make_combiner(self, hierarchy: Hierarchy, n_sources: int) -> Any:
        combiner = HierarchicalFAEL("gcv") if self.combiner is None else clone(self.combiner)
        if n_sources > 1 and not getattr(combiner, "accepts_many", False):
            raise ValueError(
                f"combiner {type(combiner).__name__} takes one score matrix, not {n_sources}. "
                "Use Blend or one of the FAEL family."
            )
        return combiner if combiner.hierarchy is not None else combiner.set_params(hierarchy=hierarchy)

    def _out_of_fold(self, learners: list[Any], X: Any, Y: Any, weight: Any) -> list[np.ndarray]:
        """Return one score matrix a learner, each row scored by a copy that did not see it."""
        splitter = KFold(self.cv, shuffle=True, random_state=self.random_state) if isinstance(self.cv, int) else self.cv
        folds = list(splitter.split(np.zeros((count_rows(X), 1)))) if learners else []
        jobs = (delayed(_fit_score)(learner, X, Y, weight, *fold) for learner in learners for fold in folds)
        parts = Parallel(n_jobs=self.n_jobs)(jobs)
        matrices = []
        for j in range(len(learners)):
            S = np.full(Y.shape, np.nan)
            for (_, held_out), part in zip(folds, parts[j * len(folds) : (j + 1) * len(folds)]):
                S[held_out] = part
            if np.isnan(S).any():
                raise ValueError(
                    "cv leaves rows that are never held out, or a learner scores NaN; every row needs scores."
                )
            matrices.append(S)
        return matrices

    def predict_proba(self, X: Any, *, scores: Sequence[Any] = ()) -> np.ndarray:
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
        jobs = (delayed(_score)(learner, X, self.hierarchy_.n_nodes) for learner in self.learners_)
        return self.combiner_.transform([*Parallel(n_jobs=self.n_jobs)(jobs), *scores])


def _prepare(entry: Any, hierarchy: Hierarchy) -> Any:
    """Return a clone of a learner (or of the second of a pair), with the hierarchy if it lacks one."""
    learner = clone(entry[1] if isinstance(entry, tuple) else entry)
    params = learner.get_params(deep=False)
    return learner.set_params(hierarchy=hierarchy) if params.get("hierarchy", 0) is None else learner


def _fit(learner: Any, X: Any, Y: Any, weight: np.ndarray | None, rows: np.ndarray | None) -> Any:
    """Fit a learner on some rows, with weights if it takes them."""
    options = {}
    if weight is not None and has_fit_parameter(learner, "sample_weight"):
        options["sample_weight"] = take_rows(weight, rows)
    return learner.fit(take_rows(X, rows), take_rows(Y, rows), **options)


def _fit_score(learner: Any, X: Any, Y: Any, weight: Any, train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """Fit a copy on one part and score the other."""
    fitted = _fit(clone(learner), X, Y, weight, train)
    return _score(fitted, take_rows(X, held_out), Y.shape[1])


def _score(learner: Any, X: Any, n_nodes: int) -> np.ndarray:
    """Return a learner's scores, refusing what is no score matrix."""
    S = learner.predict_proba(X)
    if np.ndim(S) != 2 or np.shape(S)[1] != n_nodes:
        raise ValueError(
            f"{type(learner).__name__}.predict_proba returned the shape {np.shape(S)}, not (n_samples, {n_nodes}). "
            "Wrap it in a learner of truepath.learners, such as BinaryRelevance."
        )
    return np.asarray(S, np.float64)
