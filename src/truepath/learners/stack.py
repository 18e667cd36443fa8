r"""Stack: several learners' scores into one, combined honestly.

Wolpert's stacked generalisation for score matrices. Every learner scores the training rows out of fold (each row by a
copy that did not see it), a combiner is fitted on those scores side by side, and the learners are fitted again on all
rows. What the combiner learns is therefore how the learners do on new rows, not how well they remember old ones.

References
----------
D. H. Wolpert. Stacked generalization. Neural Networks 5, 1992.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import Learner, node_scores
from truepath.adapters.capabilities import ask, learn_more_rows, offers, reach, refusal, update_learner
from truepath.adapters.contributions import (
    Contributions,
    combine_contributions,
    constant_part,
    keeps_columns,
    part_of,
)
from truepath.adapters.cost import TableShape
from truepath.adapters.exporting import export_inputs, export_scores
from truepath.adapters.fitting import HeldOut, fit_held_out, fit_learner, fit_part, out_of_fold, scores_own_rows
from truepath.adapters.groups import check_groups, check_number_of_groups
from truepath.adapters.likeness import Likeness, ask_likeness
from truepath.adapters.new_features import find_new_features
from truepath.adapters.parallel import iterate_parallel, run_parallel
from truepath.adapters.prepare import check_learner, prepare
from truepath.adapters.progress import CallbackSupportMixin, Progress, tracked, with_callbacks
from truepath.adapters.rows import count_rows
from truepath.combiners import HierarchicalFAEL
from truepath.combiners.held_out import N_FOLDS, fit_and_cross_transform
from truepath.dates import seconds_since
from truepath.errors import TruePathError
from truepath.graph import Graph
from truepath.held import a_scorer, an_object, each, holds, integer
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    weights_by,
)
from truepath.metrics import auprc
from truepath.parameters import check_choice
from truepath.registry import COMBINERS
from truepath.resampling import deal_folds, draw_some, split_folds

# The AU(PRC) of a learner is that of no more held-out scores than this
CELLS_JUDGED = 4_000_000


@holds(
    learners_=each(a_scorer, "learners", of=list),
    combiner_=an_object("transform", knows=("n_nodes",)),
    n_scores_=integer(0),
    kept_=each(integer(0), "learners", of=list),
)
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
    keep_held_out : bool, default=False
        Whether to keep ``held_out_scores_`` and ``member_scores_``.
    on_failure : {"raise", "warn"}, default="raise"
        What becomes of a learner whose fit raises an error: the stack's fit raises it too, or goes on without the
        learner, with a warning that names it. If all fail, the first error is raised.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Fits of learners and folds run in parallel; the result does not depend on it.

    Attributes
    ----------
    learners_ : list of estimators fitted on all rows
    kept_ : list of int
        The places in ``learners`` of those in ``learners_``: all, unless some failed or were dropped.
    combiner_ : combiner fitted on the held-out scores
    areas_ : list of float
        The AU(PRC) of each learner's held-out scores, of at most four million of them.
    seconds_ : list of float
        How long each learner's fit on all rows took.
    held_out_scores_ : ndarray, shape (n_samples, n_nodes)
        Each training row's scores by learners and a combiner that did not learn from it; NaN for a row that all trees
        of a forest saw. Only with ``keep_held_out=True``.
    member_scores_ : list of ndarray, each (n_rows, n_nodes)
        What the combiner was fitted on: the scores of each learner, of the rows that have held-out scores. Only with
        ``keep_held_out=True``.

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
    >>> class Neighbors(KNeighborsRegressor):  # any model that scores nodes will do
    ...     def predict_proba(self, X):
    ...         return self.predict(X)
    ...     def fit(self, X, y):
    ...         return super().fit(X, y.astype(float))
    >>> ds = load_dataset("toy")
    >>> stack = Stack([Neighbors(1), Neighbors(3)], combiner=Blend(), cv=4, hierarchy=ds.hierarchy)
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
        keep_held_out: bool = False,
        on_failure: str = "raise",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.learners = learners
        self.hierarchy = hierarchy
        self.combiner = combiner
        self.cv = cv
        self.keep_held_out = keep_held_out
        self.on_failure = on_failure
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, scores: Sequence[Any] = (), groups: Any = None
    ) -> Stack:
        """Score the rows out of fold, fit the combiner, refit the learners.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame, shape (n_samples, n_features)
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
            Passed to the combiner, and to the learners that take it.
        scores : sequence of score matrices, each (n_samples, n_nodes)
            Held-out scores of these rows by other models.
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.
        """
        self._fit(X, y, sample_weight, scores, groups, held_out=self.keep_held_out)
        return self

    @with_callbacks
    def fit_held_out(
        self, X: Any, y: Any, sample_weight: Any = None, *, scores: Sequence[Any] = (), groups: Any = None
    ) -> NDArray[Any]:
        """Fit, and score each training row by learners and a combiner that did not learn from it.

        Parameters
        ----------
        X, y, sample_weight, scores, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
            NaN for rows that some learner could not leave out, such as those that all trees of a forest saw.
        """
        return self._fit(X, y, sample_weight, scores, groups, held_out=True)

    def _fit(self, X: Any, y: Any, sample_weight: Any, scores: Sequence[Any], groups: Any, *, held_out: bool) -> Any:
        """Fit everything; return the scores of training rows by learners that did not see them, or None."""
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, pass_through=True)
        check_choice(self, "on_failure", ("raise", "warn"))
        groups = check_groups(groups, Y.shape[0])
        learners = [_prepare(entry, hierarchy) for entry in self.learners]
        if not learners and not len(scores):
            raise ValueError("Stack has nothing to combine: give at least one learner, or score matrices as scores=.")
        combiner = self._make_combiner(hierarchy, len(learners) + len(scores))
        own = [self.cv == "auto" and scores_own_rows(learner, groups) for learner in learners]
        splits = self._splits(X, Y, groups) if not all(own) else []
        with tracked(self, 1 + sum(1 if once else len(splits) + 1 for once in own)) as progress:
            found, self.learners_ = self._score_rows(learners, own, X, Y, weight, groups, splits, progress)
            rows, sources = _common_rows(found, Y.shape[0])
            sources += [as_dense(S)[rows] for S in scores]
            self.areas_ = [_area(Y, source, rows) for source in sources[: len(self.learners_)]]
            S = self._combine(combiner, sources, Y, weight, groups, rows, held_out)
            if self.keep_held_out:
                self.held_out_scores_, self.member_scores_ = S, sources
            progress.step("combiner fitted")
        self.n_scores_ = len(scores)
        return S

    def _score_rows(
        self,
        learners: list[Any],
        own: list[bool],
        X: Any,
        Y: Any,
        weight: Any,
        groups: Any,
        splits: Any,
        progress: Progress,
    ) -> tuple[list[HeldOut], list[Any]]:
        """Return each learner's scores of rows it did not see, and the learners fitted on all rows.

        The last learner is handed out first: those that take long tend to stand at the end, and would be left over.
        """
        by_folds = [k for k, once in enumerate(own) if not once]
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "progress": progress, "hierarchy": self.hierarchy_}
        forgiven = Exception if self.on_failure == "warn" else ()
        together = [[k] for k in by_folds] if forgiven else [by_folds]
        scored: dict[int, HeldOut | Exception] = {}
        for some in together:
            try:
                members = [learners[k] for k in some]
                scored.update(zip(some, out_of_fold(members, X, Y, weight, splits, groups=groups, **options)))
            except forgiven as problem:
                scored[some[0]] = problem
        cases, fits = list(zip(learners, own))[::-1], list[Any]()
        common = (X, Y, weight, groups, forgiven)
        for fit in iterate_parallel(_fit, cases, common=common, n_jobs=self.n_jobs, one_by_one=True):
            fits.insert(0, fit)
            name = _name_of(self.learners[len(learners) - len(fits)])
            progress.step(f"{name} fitted on all rows ({len(fits)} of {len(learners)} learners)")
        parts = [scored[k] if held_out is None else held_out for k, (held_out, *_) in enumerate(fits)]
        survivors = self._survivors(parts)
        self.kept_ = list(survivors)
        self.seconds_: list[float] = [fits[k][2] for k in self.kept_]
        return list(survivors.values()), [fits[k][1] for k in self.kept_]

    def _survivors(self, parts: list[HeldOut | Exception]) -> dict[int, HeldOut]:
        """Return what the learners that could be fitted scored, by their places; warn about the others."""
        failed = {k: part for k, part in enumerate(parts) if isinstance(part, Exception)}
        if parts and len(failed) == len(parts):
            raise failed[0]
        for k, problem in failed.items():
            said = f"{_name_of(self.learners[k])} could not be fitted and is left out"
            warnings.warn(f"{said} ({type(problem).__name__}: {problem}).", RuntimeWarning, stacklevel=2)
        return {k: part for k, part in enumerate(parts) if not isinstance(part, Exception)}

    def _combine(
        self,
        combiner: Any,
        sources: list[Any],
        Y: Any,
        weight: Any,
        groups: Any,
        rows: NDArray[np.int64],
        held_out: bool,
    ) -> Any:
        """Fit the combiner on the rows that all learners scored; return held-out scores of all rows, if wanted."""
        labels, h = Y[rows], self.hierarchy_
        part, groups = (None if values is None else values[rows] for values in (weight, groups))
        if not held_out:
            self.combiner_ = fit_part(combiner, sources, labels, part, h, groups)
            return None
        self.combiner_, known = fit_and_cross_transform(combiner, sources, labels, part, h, self.random_state, groups)
        S = np.full(Y.shape, np.nan, known.dtype)
        S[rows] = known
        return S

    def drop_idle(self) -> Stack:
        """In place: forget the learners that count nothing in the score of any label, one at least excepted.

        Where the combiner has ``source_weights`` and ``take_sources``. The scores stay the same, and come sooner.
        """
        check_is_fitted(self, "combiner_")
        if not hasattr(self.combiner_, "take_sources"):
            return self
        n_learners = len(self.learners_)
        counting = np.flatnonzero(self._source_weights()[:, :n_learners].any(axis=0)).tolist() or [0]
        self.combiner_ = self.combiner_.take_sources([*counting, *range(n_learners, n_learners + self.n_scores_)])
        for name in ("learners_", "kept_", "areas_", "seconds_"):
            setattr(self, name, [getattr(self, name)[k] for k in counting])
        return self

    @available_if(lambda self: all(offers(learner, "more rows") for learner in self._members()))
    def partial_fit(self, X: Any, y: Any) -> Stack:
        """Learn from more rows, without the old ones: every learner by its own ``partial_fit``; the first call fits.

        Offered where all learners do. The combiner stays: its weights are about learners, not about rows.

        Parameters
        ----------
        X, y : as in :meth:`fit`
            The new rows alone.
        """
        if not hasattr(self, "combiner_"):
            return self.fit(X, y)
        if self.n_scores_:
            raise refusal(self, "more rows", "it combines scores made elsewhere.")
        X, Y, _, _ = check_fit_input(self, X, y, None, pass_through=True, again=True)
        for learner in self.learners_:
            learn_more_rows(learner, X, Y)
        return self

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly: the learners with scores of held-out rows, and the combiner.

        Combiners that do not say what they cost are taken to be quick.
        """
        learners = [_learner_of(entry) for entry in self.learners]
        combiner = HierarchicalFAEL("gcv") if self.combiner is None else COMBINERS.resolve(self.combiner)
        own = combiner.fit_seconds(shape, len(learners)) if offers(combiner, "cost") else 0.0
        return own + sum(held_out_seconds(learner, shape) for learner in learners)

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> Stack:
        """Return a stack for a changed hierarchy: its learners and its combiner updated, each by its own ``update``.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the stack to the new one.
        X : as in :meth:`fit`
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.
        """
        new = copy_for_change(self, diff)
        if self.n_scores_:
            raise refusal(self, "update", "it combines scores made elsewhere, which do not follow the change.")
        for learner in self.learners_:
            ask(learner, "update")
        new.combiner_ = ask(self.combiner_, "update").member.update(diff)
        X, Y, _, _ = check_fit_input(new, X, y, None, pass_through=True)
        unknown = self.new_features(diff, X, Y)
        if unknown:
            raise TruePathError(
                f"the rows have features that the learners do not know: {', '.join(unknown[:5])}.",
                "Fit the stack anew on all rows.",
            )
        new.learners_ = [update_learner(learner, diff, X, Y) for learner in self.learners_]
        new.areas_, new.seconds_, new.kept_, new.n_scores_ = self.areas_, self.seconds_, self.kept_, 0
        return new

    def new_features(self, diff: HierarchyDiff, X: Any, Y: Any) -> list[str]:
        """Return the features of rows that pipelines among the learners do not know; see :meth:`update`."""
        several = (find_new_features(learner, diff, X, Y) for learner in self.learners_)
        return list(dict.fromkeys(name for names in several for name in names))

    def _make_combiner(self, hierarchy: Hierarchy, n_sources: int) -> Any:
        combiner = HierarchicalFAEL("gcv") if self.combiner is None else clone(COMBINERS.resolve(self.combiner))
        if n_sources > 1 and not getattr(combiner, "accepts_many", False):
            raise ValueError(
                f"combiner {type(combiner).__name__} takes one score matrix, not {n_sources}. "
                "Use Blend or one of the FAEL family."
            )
        return combiner if combiner.hierarchy is not None else combiner.set_params(hierarchy=hierarchy)

    def _splits(self, X: Any, Y: Any, groups: Any) -> list[Any]:
        """Return the row numbers (train, held out) of each fold."""
        cv = N_FOLDS if self.cv == "auto" else self.cv
        if not isinstance(cv, int):
            rows = np.zeros((count_rows(X), 1))
            return list(cv.split(rows) if groups is None else cv.split(rows, None, groups))
        if self.cv != "auto":
            check_number_of_groups(groups, cv, "cv")
        if not 2 <= cv <= Y.shape[0]:
            raise ValueError(f"cv must be from 2 to the number of rows, {Y.shape[0]}; got {cv!r}.")
        return split_folds(deal_folds(Y, cv, self.random_state, groups))

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

    def export_inputs(self, graph: Graph) -> Any:
        """Add the inputs that the first learner takes to an ONNX graph; the others take the same rows."""
        return export_inputs(graph, self.learners_[0])

    @available_if(lambda self: not getattr(self, "n_scores_", 0))
    def export_scores(self, graph: Graph, rows: Any) -> str:
        """Add all learners and the combiner to an ONNX graph; not where scores come from elsewhere."""
        parts = [export_scores(graph, learner, rows) for learner in self.learners_]
        return str(ask(self.combiner_, "export").member.export_scores(graph, parts))

    # --------------------------------------------------------------------------------------- explaining

    @property
    def approximates(self) -> tuple[str, ...]:
        """The capabilities that it does not answer exactly: those of a learner, or of the combiner.

        For a member without contributions, features are left out one at a time, which is not exact either.
        """
        if not hasattr(self, "combiner_"):
            return ()
        parts = [*self.learners_, self.combiner_]
        found = {name for part in parts for name in getattr(reach(part).member, "approximates", ())}
        return tuple(sorted(found | ({"contributions"} if self._leaves_out() else set())))

    def _leaves_out(self) -> bool:
        """Say whether features, or scores, are left out for some member's contributions."""
        able = self._able("contributions")
        return len(able) < len(self.learners_) or not offers(self.combiner_, "contributions")

    def contributions(self, x: Any, nodes: Any, *, scores: Sequence[Any] = ()) -> Contributions:
        """Return what each feature of one row adds to the scores of some labels, as the combiner passes it on.

        Parameters
        ----------
        x : one row, as in ``fit``
        nodes : sequence of int
        scores : sequence of score matrices, each (1, n_nodes)
            The other models' scores of the row, as given to ``predict_proba``; no feature adds to these.

        Returns
        -------
        found : Contributions
        """
        check_is_fitted(self, "combiner_")
        X = check_predict_input(self, x, pass_through=True)
        own = [_score(X, self.hierarchy_, learner)[0] for learner in self.learners_]
        parts = [part_of(learner, X, S) for learner, S in zip(self.learners_, own)]
        parts += [constant_part(as_dense(S)[0]) for S in scores]
        return combine_contributions(self.combiner_, parts, nodes)

    @available_if(lambda self: bool(self._able("features")))
    def feature_weights(self, by: str = "label") -> Any:
        """Return which features matter: the mean of the members' weights, each counting as much as in the scores.

        Parameters
        ----------
        by : {"label", "level"}, default="label"

        Returns
        -------
        weights : ndarray or sparse matrix, shape (n_features, n_nodes) or (n_features, height)

        Notes
        -----
        Weights of linear models and shares of splits are not on one scale. So each column of a member's matrix is
        divided by the sum of its absolute values first. Members without weights are left out; where all that count
        are such, the others count the same.
        """
        check_is_fitted(self, "combiner_")
        able = self._able("features")
        share = weights_by(self._source_weights().T, self.hierarchy_, by).T
        share = np.where(share[:, able].any(axis=1, keepdims=True), share, 1.0)  # those that count have no weights
        total: Any = 0
        for k in able:
            weights = reach(self.learners_[k]).member.feature_weights(by=by)
            size = np.asarray(abs(weights).sum(axis=0)).ravel()
            scale = share[:, k] / np.where(size > 0, size, 1.0)
            total = total + (weights @ sparse.diags_array(scale) if sparse.issparse(weights) else weights * scale)
        return total

    @available_if(lambda self: bool(self._able("likeness")))
    def likeness(self, x: Any, X: Any) -> Likeness:
        """Return the mean likeness by the members that compare rows, each counting as much as in the scores."""
        check_is_fitted(self, "combiner_")
        able = self._able("likeness")
        share = self._source_weights().mean(axis=0)[able]
        share = share / share.sum() if share.sum() > 0 else np.full(len(able), 1 / len(able))
        told = [(ask_likeness(self.learners_[k], x, X), weight) for k, weight in zip(able, share) if weight > 0]
        if len(told) == 1:
            return told[0][0]
        values = np.sum([one.values * weight for one, weight in told], axis=0)
        return Likeness(values, " + ".join(dict.fromkeys(one.measure for one, _ in told)))

    def _members(self) -> list[Any]:
        """Return the fitted learners, or those to be fitted."""
        return getattr(self, "learners_", [_learner_of(entry) for entry in self.learners])

    def _able(self, capability: str) -> list[int]:
        """Return the places of the members that have a capability, and are given the columns as they are."""
        n_columns = getattr(self, "n_features_in_", 1)
        return [
            k
            for k, learner in enumerate(self._members())
            if offers(learner, capability)
            and (capability == "likeness" or not hasattr(self, "learners_") or keeps_columns(learner, n_columns))
        ]

    def _source_weights(self) -> NDArray[np.float64]:
        """Return what each member counts in each label's score, by the combiner; the same if it does not say."""
        if hasattr(self.combiner_, "source_weights"):
            return np.asarray(self.combiner_.source_weights())
        return np.ones((self.hierarchy_.n_nodes, len(self.learners_)))


def _learner_of(entry: Any) -> Any:
    """Return a learner, or the second of a pair."""
    return entry[1] if isinstance(entry, tuple) else entry


def held_out_seconds(learner: Any, shape: TableShape) -> float:
    """Return what a fit and the scores of held-out rows take on one core, roughly: by folds, or at once."""
    member = ask(learner, "cost").member
    if not scores_own_rows(learner):
        return float((N_FOLDS + 1) * member.fit_seconds(shape))
    return float(getattr(member, "held_out_seconds", member.fit_seconds)(shape))


def _name_of(entry: Any) -> str:
    """Return what a learner is called in messages: the name it was given, or its class."""
    return repr(entry[0]) if isinstance(entry, tuple) else type(reach(entry).member).__name__


def _prepare(entry: Any, hierarchy: Hierarchy) -> Any:
    """Return a learner (or the second of a pair) ready to be fitted."""
    learner = _learner_of(entry)
    check_learner(learner, "a learner of Stack")
    return prepare(learner, hierarchy)


def _fit(
    X: Any, Y: Any, weight: Any, groups: Any, forgiven: Any, learner: Any, once: bool
) -> tuple[HeldOut | Exception | None, Any, float]:
    """Return a learner fitted on all rows, how long it took and, if once is all, its scores of rows it did not see.

    An error that is ``forgiven`` stands in the place of the scores.
    """
    start, held_out = perf_counter(), None
    try:
        if once:
            held_out, fitted = fit_held_out(learner, X, Y, weight, groups)
        else:
            fitted = fit_learner(learner, X, Y, weight, groups=groups)
    except forgiven as problem:
        return problem, learner, seconds_since(start)
    return held_out, fitted, seconds_since(start)


def _area(Y: Any, S: NDArray[Any], rows: NDArray[np.int64]) -> float:
    """Return the AU(PRC) of scores of some rows, by some of them where they are many."""
    some = draw_some(S.shape[0], CELLS_JUDGED // S.shape[1])
    truth = Y[rows[some]]
    return float(auprc(truth, S[some])) if truth.sum() else float("nan")


def _score(X: Any, hierarchy: Hierarchy, learner: Any) -> NDArray[Any]:
    return node_scores(learner, X, hierarchy.n_nodes, hierarchy=hierarchy)


def _common_rows(held_out: list[HeldOut], n_rows: int) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Return the rows that every learner scored, and its scores of them."""
    places = np.full((len(held_out), n_rows), -1)
    for place, part in zip(places, held_out):
        place[part.rows] = np.arange(part.rows.size)
    rows = np.flatnonzero((places >= 0).all(axis=0))
    if rows.size == 0:
        raise ValueError("no row was held out for every learner; raise n_estimators of the forests, or give cv folds.")
    return rows, [part.S[place[rows]] for place, part in zip(places, held_out)]
