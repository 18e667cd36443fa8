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
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import (
    HeldOut,
    Learner,
    Progress,
    check_learner,
    count_rows,
    fit_learner,
    fit_part,
    node_scores,
    out_of_fold,
    own_held_out,
    prepare,
    scores_own_rows,
    tracked,
)
from truepath.adapters.parallel import iterate_parallel, run_parallel
from truepath.adapters.progress import CallbackSupportMixin, with_callbacks
from truepath.combiners import HierarchicalFAEL
from truepath.combiners.held_out import N_FOLDS, fit_and_cross_transform
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input
from truepath.metrics import auprc
from truepath.registry import COMBINERS

__all__ = ["Stack"]

# The AU(PRC) of a learner is that of no more held-out scores than this
CELLS_JUDGED = 4_000_000


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
    cv : "auto", int or splitter, default="auto"
        The number of folds (rows shuffled by ``random_state``), or an object with ``split(X)``. ``"auto"`` fits
        learners once that score rows they did not see on their own (forests that draw their rows, kernel ridge
        regression, networks), and the others on 5 folds.
    keep_held_out : bool or "learners", default=False
        Whether to keep ``held_out_decision_``; ``"learners"`` keeps every learner's held-out scores as well.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Fits of learners and folds run in parallel; the result does not depend on it.

    Attributes
    ----------
    learners_ : list of estimators fitted on all rows
    combiner_ : combiner fitted on the held-out scores
    areas_ : list of float
        The AU(PRC) of each learner's held-out scores, of at most four million of them.
    seconds_ : list of float
        How long each learner's fit on all rows took.
    held_out_decision_ : ndarray, shape (n_samples, n_nodes)
        Each training row's scores by learners and a combiner that did not learn from it; NaN for a row that all trees
        of a forest saw. Only with ``keep_held_out``.
    held_out_scores_ : list of ndarray, each (n_rows, n_nodes)
        What the combiner was fitted on. Only with ``keep_held_out="learners"``.
    held_out_rows_ : ndarray of int, shape (n_rows,)
        The training rows that these scores are of.

    Notes
    -----
    Costs (folds + 1) fits for each learner that is not fitted once, see ``cv``. Scores that come from elsewhere are
    given to ``fit`` and ``predict_proba`` as ``scores``: those of the training rows must be held-out ones too. The
    combiner is fitted on the rows that are held out for every learner.

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
        cv: Any = "auto",
        keep_held_out: bool | str = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.learners = learners
        self.hierarchy = hierarchy
        self.combiner = combiner
        self.cv = cv
        self.keep_held_out = keep_held_out
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
        own = [self._is_auto and scores_own_rows(learner) for learner in learners]
        splits = self._splits(X) if not all(own) else []
        with tracked(self, 1 + sum(1 if once else len(splits) + 1 for once in own)) as progress:
            held_out, self.learners_ = self._score_rows(learners, own, X, Y, weight, splits, progress)
            rows, sources = _common_rows(held_out, Y.shape[0])
            sources += [as_dense(S)[rows] for S in scores]
            self.areas_ = [_area(Y, source, rows) for source in sources[: len(learners)]]
            self._combine(combiner, sources, Y, weight, rows)
            if self.keep_held_out == "learners":
                self.held_out_rows_, self.held_out_scores_ = rows, sources
            progress.step("combiner fitted")
        self.n_scores_ = len(scores)
        return self

    def _score_rows(
        self, learners: list[Any], own: list[bool], X: Any, Y: Any, weight: Any, splits: Any, progress: Progress
    ) -> tuple[list[HeldOut], list[Any]]:
        """Return each learner's scores of rows it did not see, and the learners fitted on all rows.

        The last learner is handed out first: those that take long tend to stand at the end, and would be left over.
        """
        by_folds = [learner for learner, once in zip(learners, own) if not once]
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "progress": progress, "hierarchy": self.hierarchy_}
        folds = iter(out_of_fold(by_folds, X, Y, weight, splits, **options))
        cases, fits = list(zip(learners, own))[::-1], list[Any]()
        for fit in iterate_parallel(_fit, cases, common=(X, Y, weight), n_jobs=self.n_jobs, one_by_one=True):
            fits.insert(0, fit)
            progress.step(f"learner {len(fits)} of {len(learners)} fitted on all rows")
        self.seconds_: list[float] = [seconds for *_, seconds in fits]
        return [next(folds) if part is None else part for part, *_ in fits], [learner for _, learner, _ in fits]

    def _combine(self, combiner: Any, sources: list[Any], Y: Any, weight: Any, rows: NDArray[np.int64]) -> None:
        """Fit the combiner on the rows that all learners scored."""
        labels, h = Y[rows], self.hierarchy_
        part = None if weight is None else weight[rows]
        if not self.keep_held_out:
            self.combiner_ = fit_part(combiner, sources, labels, part, h)
            return
        self.combiner_, S = fit_and_cross_transform(combiner, sources, labels, part, h, self.random_state)
        self.held_out_decision_ = np.full(Y.shape, np.nan, S.dtype)
        self.held_out_decision_[rows] = S

    def _make_combiner(self, hierarchy: Hierarchy, n_sources: int) -> Any:
        combiner = HierarchicalFAEL("gcv") if self.combiner is None else clone(COMBINERS.resolve(self.combiner))
        if n_sources > 1 and not getattr(combiner, "accepts_many", False):
            raise ValueError(
                f"combiner {type(combiner).__name__} takes one score matrix, not {n_sources}. "
                "Use Blend or one of the FAEL family."
            )
        return combiner if combiner.hierarchy is not None else combiner.set_params(hierarchy=hierarchy)

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "auto"

    def _splits(self, X: Any) -> list[Any]:
        """Return the row numbers (train, held out) of each fold."""
        cv = N_FOLDS if self._is_auto else self.cv
        splitter = KFold(cv, shuffle=True, random_state=self.random_state) if isinstance(cv, int) else cv
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


def _fit(X: Any, Y: Any, weight: Any, learner: Any, once: bool) -> tuple[HeldOut | None, Any, float]:
    """Return a learner fitted on all rows, how long it took and, if once is all, its scores of rows it did not see."""
    start = perf_counter()
    held_out, fitted = own_held_out(learner, X, Y, weight) if once else (None, fit_learner(learner, X, Y, weight))
    return held_out, fitted, perf_counter() - start


def _area(Y: Any, S: NDArray[Any], rows: NDArray[np.int64]) -> float:
    """Return the AU(PRC) of scores of some rows, by every second, third, ... of them where they are many."""
    some = slice(None, None, -(-S.size // CELLS_JUDGED) or 1)
    truth = Y[rows[some]]
    return float(auprc(truth, S[some])) if truth.sum() else float("nan")


def _score(X: Any, hierarchy: Hierarchy, learner: Any) -> NDArray[Any]:
    return node_scores(learner, X, hierarchy.n_nodes, hierarchy=hierarchy)


def _common_rows(held_out: list[HeldOut], n_rows: int) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Return the rows that every learner scored, and its scores of them."""
    is_scored = np.ones(n_rows, bool)
    for part in held_out:
        is_scored &= np.bincount(part.rows, minlength=n_rows) > 0
    rows = np.flatnonzero(is_scored)
    if rows.size == 0:
        raise ValueError("no row was held out for every learner; raise n_estimators of the forests, or give cv folds.")
    sources = []
    for part in held_out:
        place = np.empty(n_rows, np.int64)
        place[part.rows] = np.arange(part.rows.size)
        sources.append(part.S[place[rows]])
    return rows, sources
