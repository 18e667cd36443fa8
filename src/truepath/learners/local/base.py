"""What all local learners share: pose problems over groups of labels, fit them in parallel, collect their scores.

A :class:`Problem` is a group of labels learned from the same rows: one node, the children of one parent, or a level.
Problems with the same rows and the same targets are fitted once. Seeds belong to problems, not to workers, and each
problem is fitted by itself with one BLAS thread, so the bits are the same for any ``n_jobs``.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.capabilities import ask
from truepath.adapters.contributions import (
    Contributions,
    ScorePart,
    combine_contributions,
    constant_part,
    side_by_side,
)
from truepath.adapters.fitting import check_learner_scores
from truepath.adapters.parallel import run_parallel, single_blas_thread
from truepath.adapters.prepare import innermost
from truepath.adapters.rows import count_rows, has_categories, mark_rows, take_rows
from truepath.graph import Graph
from truepath.held import an_object, apart, each, either, holds, integer, integers, mapping, marks, maybe, unfitted
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.arcs import conditional_from_marginals
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    leave_out_weightless,
    spawn_seeds,
    weights_by,
)
from truepath.learners.local.exporting import place_columns
from truepath.learners.local.group_models import check_estimator_kind, resolve_model

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


class LabelView:
    """A closed label matrix seen by column: which instances carry a label, and for which it is most specific."""

    def __init__(self, Y: Any, hierarchy: Hierarchy):
        self.y: Any = Y.tocsc() if sparse.issparse(Y) else np.asfortranarray(Y)
        self.hierarchy = hierarchy
        self.n_samples = Y.shape[0]

    def rows(self, v: int) -> np.ndarray:
        """Return a mask of the instances that carry v."""
        if not sparse.issparse(self.y):
            return self.y[:, v]
        mask = np.zeros(self.n_samples, bool)
        mask[self.y.indices[self.y.indptr[v] : self.y.indptr[v + 1]]] = True
        return mask

    def any_of(self, nodes: Iterable[int]) -> np.ndarray:
        """Return a mask of the instances that carry one of the nodes."""
        return reduce(np.logical_or, map(self.rows, nodes), np.zeros(self.n_samples, bool))

    def exact(self, v: int) -> np.ndarray:
        """Return a mask of the instances for which v is a most specific label."""
        return self.rows(v) & ~self.any_of(self.hierarchy.children(v))

    def any_exact(self, nodes: Iterable[int]) -> np.ndarray:
        """Return a mask of the instances for which one of the nodes is a most specific label."""
        return reduce(np.logical_or, map(self.exact, nodes), np.zeros(self.n_samples, bool))


def find_siblings(hierarchy: Hierarchy, v: int) -> np.ndarray:
    """Return the nodes that share a parent with v, without v; top-level nodes share the implicit root."""
    parents = hierarchy.parents(v)
    shared = [hierarchy.children(u) for u in parents] if parents.size else [hierarchy.roots]
    return np.setdiff1d(np.concatenate(shared), [v])


class Problem(NamedTuple):
    """A group of labels to be learned from the same rows."""

    key: Hashable  # what ``estimators`` calls it
    columns: np.ndarray | list[int]  # where its scores go
    rows: np.ndarray | None  # numbers of its training rows; None for all
    targets: np.ndarray  # bool, (its rows, its columns)


class EstimatorLearner(MetaEstimatorMixin, HierarchicalLearner):
    """Base of the learners made of a classifier of others, ``estimator``: they take the X that it takes."""

    estimator: Any

    def input_checks(self, X: Any) -> dict[str, bool]:
        """Return how X is checked: NaN is allowed where all classifiers take it.

        Pipelines check X themselves, and so do classifiers given a data frame with columns that are no numbers: those
        that know categories take them from the types of the columns.
        """
        others = (getattr(self, "estimators", None) or {}).values()
        if any(isinstance(estimator, Pipeline) for estimator in (self.estimator, *others)) or has_categories(X):
            return {"pass_through": True}
        return {"allow_nan": all(get_tags(estimator).input_tags.allow_nan for estimator in (self, *others))}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            own = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = own.sparse, own.allow_nan
        return tags


@holds(
    estimators=maybe(mapping(unfitted)),
    estimator=maybe(unfitted),
    _model_of=each(integer(0), "problems", of=list),
    _columns=each(either(each(integer(0), of=list), integers(None, least=0)), "problems", of=list),
    models_=each(apart(an_object("scores", knows=("n_features",))), of=list),
)
class LocalLearner(EstimatorLearner):
    """Base of the learners that fit local classifiers across the hierarchy.

    A subclass says which problems there are (``_pose``), which names ``estimators`` may use (``_keys``), which label
    each column of the local scores is about (``_column_names``), and which combiner makes marginals of them
    (``_to_marginals``).
    """

    labels: str = "independent"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the local classifiers.

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
        overrides = self._check_estimators(hierarchy, weight is not None)
        X, Y, weight = leave_out_weightless(X, Y, weight)
        problems = self._pose(LabelView(Y, hierarchy))
        distinct, self._model_of = _drop_repeated(problems, overrides)
        self.models_ = self._fit_models(X, weight, distinct, overrides)
        self._columns = [p.columns for p in problems]
        self._keep_marks(X, weight, problems)
        return self

    def _keep_marks(self, X: Any, weight: np.ndarray | None, problems: list[Problem]) -> None:
        """Keep what tells later whether the rows of a problem are others; nothing, unless a subclass does."""

    def _fit_models(
        self, X: Any, weight: np.ndarray | None, problems: list[Problem], overrides: Mapping[Hashable, Any]
    ) -> list[Any]:
        """Fit a model for each problem."""
        seeds = spawn_seeds(self.random_state, len(problems))
        cases = ((overrides.get(p.key, self.estimator), p, seed) for p, seed in zip(problems, seeds))
        common = (X, weight, self.labels, self.calibrate_each)
        return run_parallel(_fit_problem, cases, common=common, n_jobs=self.n_jobs)

    def _local_scores(self, X: Any) -> np.ndarray:
        """Return the local classifiers' scores, (n_samples, n_columns); columns without a problem are 0."""
        X = check_predict_input(self, X, **self.input_checks(X))
        cases = ((model,) for model in self.models_)
        with single_blas_thread():  # set once for all threads
            scores = run_parallel(_score, cases, common=(X,), n_jobs=self.n_jobs, prefer="threads")
        names = self._column_names()
        S = np.zeros((count_rows(X), len(names)))
        for columns, which in zip(self._columns, self._model_of):
            S[:, columns] = scores[which]
        whose = type(self if self.estimators else innermost(self.estimator)).__name__
        return check_learner_scores(S, whose, names)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals, shape (n_samples, n_nodes)."""
        S = self._local_scores(X)
        return self._to_marginals().correct(S, self.hierarchy_)

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return p(v | u), one column per arc (sorted by child, then parent): ratios of the marginals."""
        return conditional_from_marginals(self.predict_proba(X), self.hierarchy_)

    def _offers_contributions(self) -> bool:
        """Say whether all local classifiers are linear, as far as is known."""
        return all(model.is_linear for model in getattr(self, "models_", ()))

    @available_if(lambda self: self._offers_contributions())
    def contributions(self, x: Any, nodes: Any) -> Contributions:
        """Return what each feature of one row adds to the scores of some labels, where local classifiers are linear.

        Parameters
        ----------
        x : one row, as in ``fit``
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            From a row of zeros.
        """
        S = self._local_scores(x)[0]
        X = check_predict_input(self, x, **self.input_checks(x))
        place = {int(c): (k, j) for k, columns in enumerate(self._columns) for j, c in enumerate(columns)}
        told = cache(lambda k: self.models_[self._model_of[k]].contributions(X))

        def local(wanted: Any) -> Contributions:
            known = [(*place[int(c)], int(c)) for c in wanted if int(c) in place]
            parts = [told(k).take([j], named=[c]) for k, j, c in known]
            others = np.array([c for c in wanted if int(c) not in place], np.int64)  # columns without a problem are 0
            return side_by_side([*parts, *([constant_part(S).contributions(others)] if others.size else [])]).take(
                wanted
            )

        return combine_contributions(self._to_marginals(), [ScorePart(S, local)], nodes)

    @available_if(lambda self: self._offers_contributions())
    def feature_weights(self, by: str = "label") -> np.ndarray:
        """Return the weights of features in the margin of each label's classifier, where these are linear.

        Parameters
        ----------
        by : {"label", "level"}, default="label"
            "level" takes the mean absolute weight over the labels of each level.

        Returns
        -------
        weights : ndarray, shape (n_features, n_nodes) or (n_features, height)
        """
        check_is_fitted(self, "models_")
        weights = np.zeros((self.n_features_in_, self.hierarchy_.n_nodes))
        for columns, which in zip(self._columns, self._model_of):
            weights[:, columns] = self.models_[which].weights(self.n_features_in_)
        return np.asarray(weights_by(weights, self.hierarchy_, by))

    @available_if(lambda self: self._offers_contributions())
    def export_scores(self, graph: Graph, rows: Any) -> str:
        """Add the scores to an ONNX graph, where local classifiers are linear."""
        parts = [self.models_[which].export(graph, rows) for which in self._model_of]
        together = parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)
        local = place_columns(graph, together, np.concatenate(self._columns), len(self._column_names()))
        return str(ask(self._to_marginals(), "export").member.export_scores(graph, [local]))

    def check_loaded(self) -> None:
        """Refuse models from a file that score other columns than there are."""
        n_columns = len(self._column_names())
        self._to_marginals()
        for columns, which in zip(self._columns, self._model_of):
            is_there = which < len(self.models_) and self.models_[which].n_labels == len(columns)
            if not is_there or not all(0 <= c < n_columns for c in columns):
                raise ValueError(f"a model of a {type(self).__name__} scores columns that do not exist")

    def _to_marginals(self) -> Any:
        """Return the combiner that makes marginals of the local scores."""
        raise NotImplementedError

    def _check_estimators(self, hierarchy: Hierarchy, has_weight: bool) -> Mapping[Hashable, Any]:
        overrides = dict(self.estimators or {})
        unknown = [key for key in overrides if key not in self._keys(hierarchy)]
        if unknown:
            raise ValueError(f"estimators names {unknown[:3]}, which {type(self).__name__} does not learn.")
        check_estimator_kind(self.estimator, self.calibrate_each, has_weight)
        for key, estimator in overrides.items():
            check_estimator_kind(estimator, self.calibrate_each, has_weight, f"estimators[{key!r}]")
        return overrides

    def _keys(self, hierarchy: Hierarchy) -> Container[Hashable]:
        return hierarchy

    def _column_names(self) -> np.ndarray:
        """Return the label that each column of local scores is about."""
        return self.hierarchy_.names

    def _pose(self, view: LabelView) -> list[Problem]:
        raise NotImplementedError


@holds(_trained_on=marks("problems", 2))
class OnePerLabel(LocalLearner):
    """Base of the learners with one problem per label, which can go over to a changed hierarchy label by label."""

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> Self:
        """Return a learner for a changed hierarchy: what other rows train is fitted, the rest is taken over.

        Parameters
        ----------
        diff : HierarchyDiff
            From the learner's hierarchy to the new one.
        X : as in ``fit``
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.
        """
        new = copy_for_change(self, diff)
        new.set_params(estimators=_rename_keys(new.estimators, diff))
        X, Y, _, hierarchy = check_fit_input(new, X, y, None, **new.input_checks(X))
        overrides = new._check_estimators(hierarchy, False)
        problems = new._pose(LabelView(Y, hierarchy))
        new._keep_marks(X, None, problems)
        known = {
            (int(columns[0]), *mark): self.models_[which]
            for columns, which, mark in zip(self._columns, self._model_of, self._trained_on.tolist())
        }
        keys = [(int(diff.origin[p.columns[0]]), *mark) for p, mark in zip(problems, new._trained_on.tolist())]
        todo = [p for p, key in zip(problems, keys) if key not in known]
        fits = iter(new._fit_models(X, None, todo, overrides))
        new.models_ = [known[key] if key in known else next(fits) for key in keys]
        new._columns, new._model_of = [p.columns for p in problems], list(range(len(problems)))
        new.relearned_ = np.array([p.columns[0] for p in todo], np.int64)
        return new

    def _keep_marks(self, X: Any, weight: np.ndarray | None, problems: list[Problem]) -> None:
        """Keep a number for the rows of each problem, and one for those of them that have the label."""
        marks = mark_rows(X, weight)
        self._trained_on = np.zeros((len(problems), 2), np.uint64)
        for k, problem in enumerate(problems):
            own = marks if problem.rows is None else marks[problem.rows]
            self._trained_on[k] = own.sum(), own[problem.targets[:, 0]].sum()


def _rename_keys(estimators: Mapping[Any, Any] | None, diff: HierarchyDiff) -> dict[Any, Any] | None:
    """Return estimators by the names that their labels have become; those of labels that are gone are left out."""
    if estimators is None:
        return None
    now = {str(old): str(diff.new.names[v]) for old, v in zip(diff.old.names, diff.became) if v >= 0}
    return {now[name]: estimator for name, estimator in estimators.items() if name in now}


def _fit_problem(
    X: Any,
    weight: np.ndarray | None,
    labels: str,
    calibrate: str | None,
    estimator: Any,
    problem: Problem,
    seed: int | None,
) -> Any:
    """Fit one problem on its rows."""
    rows, targets = problem.rows, problem.targets
    model = resolve_model(labels, estimator, targets, calibrate)()
    own_weight = weight if rows is None or weight is None else weight[rows]
    with single_blas_thread():
        return model.fit(estimator, take_rows(X, rows), targets, own_weight, calibrate=calibrate, seed=seed)


def _score(X: Any, model: Any) -> np.ndarray:
    """Return the scores of one local model."""
    with single_blas_thread():
        return model.scores(X)


def _drop_repeated(problems: list[Problem], overrides: Mapping[Hashable, Any]) -> tuple[list[Problem], list[int]]:
    """Return the distinct problems, and for each problem which of them it equals."""
    number: dict[Hashable, int] = {}
    distinct: list[Problem] = []
    which: list[int] = []
    for p in problems:
        rows = b"" if p.rows is None else p.rows.tobytes()
        own = p.key if p.key in overrides else ()  # an estimator of its own is a problem of its own
        key = (own, rows, p.targets.shape, p.targets.tobytes())
        if key not in number:
            number[key] = len(distinct)
            distinct.append(p)
        which.append(number[key])
    return distinct, which


def whole_or_rows(rows: np.ndarray, n_samples: int) -> np.ndarray | None:
    """Return row numbers, or None when they are all the rows (then nothing needs copying)."""
    return None if rows.size == n_samples else rows
