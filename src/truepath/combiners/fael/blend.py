r"""FAELBlend: FAEL on top of a blend of strong learners, and blended in itself.

Zhang, Shah & Kakadiaris learn the final score of every node from the local scores of all nodes. Here the local scores
are those of a blend B of several learners, chosen greedily on held-out rows (:class:`GreedyBlend`)::

    linear FAEL    f(b) = b (B'B + alpha I)^-1 B'Y                      eq. (2)
    kernel FAEL    f(b) = k(b, B) (K(B, B) + alpha I)^-1 Y,  RBF        eq. (5)

Both choose width and penalty by the AU(PRC) of rows left out, a fifth at a time, and these scores stand beside the
learners' own in a second greedy blend, which is the result. The learners' scores should come from folds too: from
leave-one-out scores a row's labels are missing in its own scores alone, and FAEL would learn that. FAEL alone can lose
against what it stands on where labels are few, and still help there as one part of a blend.

References
----------
L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label
classification. BMVC 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.contributions import Contributions, ScorePart, add_sloped
from truepath.adapters.cost import TableShape
from truepath.adapters.groups import check_groups
from truepath.adapters.varying import find_constant_labels, set_constant_scores
from truepath.combiners.base import Combiner
from truepath.combiners.greedy_blend import GreedyBlend
from truepath.combiners.held_out import N_FOLDS
from truepath.combiners.projections import (
    Projection,
    check_projection,
    export_projection,
    project_scores,
    projection,
    score_part,
)
from truepath.combiners.sources import check_held_out, check_sources, float_type
from truepath.dates import seconds_since
from truepath.graph import Graph
from truepath.held import an_object, flags, holds, integer, maybe, numbers, sparse_numbers
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.metrics.tried import Tried
from truepath.ridge import KernelRegression

# By kernel: widths in units of the median distance, penalties in units of the mean of b'b
GRIDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "linear": ((1.0,), (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)),
    "rbf": ((0.25, 0.5, 1.0, 2.0, 4.0), (0.1, 0.3, 1.0, 3.0, 10.0)),
}

# The attributes that hold linear and kernel FAEL
KINDS = ("linear_", "kernel_")
# Blends are judged by no more scores than this
CELLS_JUDGED = 4_000_000


@holds(
    n_sources_=integer(1),
    blend_=an_object("transform"),
    final_=an_object("transform"),
    weights_=numbers(None, "w"),
    constant_=numbers("n_nodes", least=0, most=1, gaps=True),
    is_scored_=flags("n_nodes"),
    project=projection,
)
class FAELBlend(Combiner):
    """Blend several learners, learn all nodes' scores from the blend's, and blend the result in.

    Parameters
    ----------
    groups : {"global", "level", "auto"} or array-like of int, default="global"
        Which nodes share blending weights, see :class:`GreedyBlend`.
    hierarchy : Hierarchy, optional
    max_rows, n_landmarks : int, default=8000 and 3000
        Beyond ``max_rows`` rows the kernel is approximated, on ``n_landmarks`` rows drawn at random.
    max_loss : float, default=0.0
        How much AU(PRC) on held-out rows each of both blends may lose by doing without sources, see
        :class:`GreedyBlend`.
    project : str, combiner or None, default="max-up"
        The correction that makes scores coherent.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    blend_ : GreedyBlend
        Of the sources alone; what FAEL stands on.
    linear_, kernel_ : KernelRegression or None
        Linear and kernel FAEL, with what they tried; None where ``take_sources`` left out one that counts nothing.
    final_ : GreedyBlend
        Of the sources, linear FAEL and kernel FAEL, in this order.
    weights_ : ndarray
        Those of ``final_``.
    seconds_ : dict of str to float
        How long ``"linear"`` and ``"kernel"`` FAEL took.
    tried_ : list of :class:`~truepath.metrics.Tried`
        Linear and kernel FAEL, with the AU(PRC) of rows left out and their mean weight in the final blend.
    constant_ : ndarray, shape (n_nodes,)
        What FAEL scores labels that no row or every row has; NaN for the others.
    reads_ : csr_array, shape (n_nodes, n_read), or None
        After an update, what makes the scores that FAEL reads of those of the blend.
    is_scored_ : ndarray of bool, shape (n_nodes,)
        The labels that FAEL scores: all, until an update.

    Notes
    -----
    ``S`` is a list of score matrices. Time O(n^3 + n^2 n_nodes) for each width of the kernel tried.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import FAELBlend
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]] * 5)
    >>> rng = np.random.default_rng(0)
    >>> S = [np.clip(Y + rng.normal(0, 0.4, Y.shape), 0, 1) for _ in range(2)]
    >>> model = FAELBlend(hierarchy=h).fit(S, Y)
    >>> model.weights_.shape, h.is_coherent(model.transform(S))
    ((1, 4), True)
    """

    name = "fael-blend"
    summary = "a blend of several learners, with linear and kernel FAEL learned from it and blended in"
    learns_from = "held-out scores and labels"
    needs = ("several learners' scores",)
    accepts_many = True
    approximates = ("contributions", "update")  # kernel FAEL is not a sum

    def __init__(
        self,
        groups: Any = "global",
        *,
        hierarchy: Hierarchy | None = None,
        max_rows: int = 8000,
        n_landmarks: int = 3000,
        max_loss: float = 0.0,
        project: Projection = "max-up",
        random_state: Any = 0,
    ):
        self.groups = groups
        self.hierarchy = hierarchy
        self.max_rows = max_rows
        self.n_landmarks = n_landmarks
        self.max_loss = max_loss
        self.project = project
        self.random_state = random_state

    def fit(self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> FAELBlend:
        """Fit the blend, both forms of FAEL on it, and the final blend.

        Parameters
        ----------
        S : list of array-like or sparse matrices, each of shape (n_samples, n_nodes)
            Scores of rows the learners did not train on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are left out together. Not to be confused with the groups of
            nodes that share weights.
        """
        self._fit(S, y, sample_weight, groups)
        return self

    def fit_held_out(self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> np.ndarray:
        """Fit, and return the final scores of the training rows, FAEL's part of each by the other rows alone.

        Parameters
        ----------
        S, y, sample_weight, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
        """
        sources = self._fit(S, y, sample_weight, groups)
        return self.final_.transform(sources)

    def _fit(self, S: Any, y: Any, sample_weight: Any, groups: Any) -> list[Any]:
        """Fit all parts; return what the final blend was fitted on."""
        check_projection(self.project)
        parts, Y, weight, self.hierarchy_ = check_held_out(self.hierarchy, S, y, sample_weight)
        self.n_features_in_, self.n_sources_ = self.hierarchy_.n_nodes, len(parts)
        groups = check_groups(groups, Y.shape[0])
        self.blend_ = self._make_blend().fit(parts, Y, weight, groups=groups)
        B, used = self.blend_.transform(parts), np.flatnonzero(weight)
        self.constant_ = find_constant_labels(Y[used])
        self.reads_, self.is_scored_ = None, np.ones(Y.shape[1], bool)
        regressions = []
        self.seconds_: dict[str, float] = {}
        for kernel in GRIDS:
            start, kind = perf_counter(), "linear" if kernel == "linear" else "kernel"
            regression = self._make_regression(kernel)
            given = (B[used], Y[used], weight[used], self._to_scores)
            together = None if groups is None else groups[used]
            held_out = regression.fit_held_out(*given, random_state=self.random_state, groups=together)
            setattr(self, f"{kind}_", regression)
            self.seconds_[kind] = seconds_since(start)
            if used.size < len(B):
                held_out, held_out[used] = self._score(regression, B), held_out
            regressions.append(held_out)
        made_of = np.zeros((len(parts) + len(regressions), len(parts) + len(regressions)), bool)
        made_of[len(parts) :, : len(parts)] = self.blend_.weights_.any(axis=0)
        self.final_ = self._make_blend().fit([*parts, *regressions], Y, weight, groups=groups, made_of=made_of)
        self.weights_ = self.final_.weights_
        self.tried_: list[Tried] = []
        for kind, share in zip(self.seconds_, self.weights_.mean(axis=0)[self.n_sources_ :].tolist()):
            area = max((one.score for one in getattr(self, f"{kind}_").tried_), default=np.nan)
            self.tried_.append(Tried(f"{kind} FAEL", float(area), "auprc", share, self.seconds_[kind]))
        return [*parts, *regressions]

    def _make_blend(self) -> GreedyBlend:
        return GreedyBlend(
            self.groups,
            hierarchy=self.hierarchy_,
            max_loss=self.max_loss,
            project=self.project,
            random_state=self.random_state,
        )

    def _make_regression(self, kernel: str) -> KernelRegression:
        return KernelRegression(
            kernel, *GRIDS[kernel], max_rows=self.max_rows, n_landmarks=self.n_landmarks, n_folds=N_FOLDS
        )

    def _to_scores(self, values: np.ndarray) -> np.ndarray:
        np.clip(values, 0.0, 1.0, out=values)
        return project_scores(set_constant_scores(values, self.constant_), self.hierarchy_, self.project)

    def fit_seconds(self, shape: TableShape, n_sources: int) -> float:
        """Return what linear and kernel FAEL and both blends of some sources take on one core, roughly."""
        regressions = 2 * self._make_regression("rbf").fit_seconds(shape.n_rows, shape.n_nodes, shape.n_nodes)
        return regressions + 20 * (2 * n_sources + 2) * 2.5e-8 * min(shape.n_rows * shape.n_nodes, CELLS_JUDGED)

    def _score(self, regression: KernelRegression, B: np.ndarray) -> np.ndarray:
        """Return the scores of one form of FAEL; labels that it does not score are scored as in the blend."""
        values = regression.predict(B if self.reads_ is None else B @ self.reads_)
        values[:, ~self.is_scored_] = B[:, ~self.is_scored_]
        return self._to_scores(values)

    def update(self, diff: HierarchyDiff) -> FAELBlend:
        """Return the combiner for a changed hierarchy: the same weights, FAEL for the labels whose rows are the same.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the combiner to the new one.

        Notes
        -----
        FAEL reads the scores of the labels that it was fitted with. A merged label lends each of its old ones an equal
        part of its score, a split one counts as the sum of its parts, a removed one as 0, a new one not at all. New
        labels, and those whose rows changed, have no FAEL score and take that of the blend, until the next ``fit``.
        """
        check_is_fitted(self, "final_")
        new = clone(self).set_params(hierarchy=diff.new)
        new.hierarchy_, new.n_features_in_, new.n_sources_ = diff.new, diff.new.n_nodes, self.n_sources_
        new.blend_, new.final_ = self.blend_.update(diff), self.final_.update(diff)
        new.weights_, new.seconds_, new.tried_ = new.final_.weights_, self.seconds_, self.tried_
        new.reads_ = _read_changed(diff) if self.reads_ is None else sparse.csr_array(_read_changed(diff) @ self.reads_)
        origin = np.where(diff.relabeled, -1, diff.origin)
        new.is_scored_ = (origin >= 0) & self.is_scored_[origin]
        new.constant_ = np.where(new.is_scored_, self.constant_[origin], np.nan)
        for kind, (regression, _) in zip(KINDS, self._regressions()):
            setattr(new, kind, None if regression is None else regression.take(origin))
        return new

    def take_sources(self, places: Sequence[int]) -> FAELBlend:
        """Return the combiner of some of its sources, in this order, without forms of FAEL that count nothing.

        Parameters
        ----------
        places : sequence of int
            Those left out should be ones that count nothing, see ``source_weights``.
        """
        check_is_fitted(self, "final_")
        new = copy(self)
        new.n_sources_, new.blend_ = len(places), self.blend_.take_sources(places)
        new.final_ = self.final_.take_sources([*places, self.n_sources_, self.n_sources_ + 1])
        new.weights_ = new.final_.weights_
        for kind, (_, counts) in zip(KINDS, self._regressions()):
            if not counts:
                setattr(new, kind, None)
        return new

    def transform(self, S: Any) -> np.ndarray:
        """Return the final scores, dense, in the float type of the scores.

        Parameters
        ----------
        S : list of array-like or sparse matrices, as many as in ``fit``
        """
        check_is_fitted(self, "final_")
        parts = check_sources(S, self.hierarchy_, self.n_sources_)
        B = self.blend_.transform(parts)
        regressions = [self._score(regression, B) if counts else B for regression, counts in self._regressions()]
        return self.final_.transform([*parts, *regressions]).astype(float_type(parts), copy=False)

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the blend, FAEL on it and the final blend to an ONNX graph."""
        B = self.blend_.export_scores(graph, parts)
        regressions = [
            self._export_regression(graph, regression, B) if counts else B for regression, counts in self._regressions()
        ]
        return graph.like(self.final_.export_scores(graph, [*parts, *regressions]), *parts)

    def _export_regression(self, graph: Graph, regression: KernelRegression, B: str) -> str:
        """Add what :meth:`_score` returns."""
        read = B if self.reads_ is None else graph.add("MatMul", graph.double(B), graph.matrix(self.reads_))
        values = regression.export_values(graph, read)
        if not self.is_scored_.all():
            of_blend = graph.cast(B, graph.kind(values))
            values = graph.add("Where", graph.constant(self.is_scored_[None, :]), values, of_blend)
        values = graph.fill_columns(graph.clip(values, 0.0, 1.0), self.constant_)
        return export_projection(graph, values, self.hierarchy_, self.project)

    def _regressions(self) -> list[tuple[Any, bool]]:
        """Return linear and kernel FAEL, each with whether it counts at all: one that does not needs no work."""
        weights = self.weights_[:, self.n_sources_ :].T
        return [(getattr(self, kind), bool(weight.any())) for kind, weight in zip(KINDS, weights)]

    def check_loaded(self) -> None:
        """Refuse blends and regressions from a file that are not those of the sources."""
        n_nodes, sizes = self.hierarchy_.n_nodes, {"n_nodes": self.hierarchy_.n_nodes}
        for kind in KINDS:
            maybe(an_object("predict", of=("KernelRegression",)))(vars(self).get(kind), sizes)
        maybe(sparse_numbers("csr", "n_nodes", "reads"))(vars(self).get("reads_"), sizes)
        told = self._regressions()
        if any(regression is None and counts for regression, counts in told):
            raise ValueError("a regression that counts is missing")
        if {one.X_fit_.shape[1] for one, _ in told if one is not None} - {sizes.get("reads", n_nodes)}:
            raise ValueError("a regression reads other scores")
        counts = (self.blend_.weights_.shape[1], self.final_.weights_.shape[1], self.weights_.shape[1])
        if counts != (self.n_sources_, self.n_sources_ + 2, self.n_sources_ + 2):
            raise ValueError("a blend has other sources")

    def source_weights(self) -> np.ndarray:
        """Return what each score matrix counts in the score of each label, by itself and in what FAEL stands on."""
        check_is_fitted(self, "final_")
        weights = self.final_.source_weights()
        own, regressions = weights[:, : self.n_sources_], weights[:, self.n_sources_ :]
        return np.asarray(own + regressions.sum(axis=1, keepdims=True) * self.blend_.source_weights())

    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return the weighted sums of the contributions of the parts and of both forms of FAEL, projected.

        Linear FAEL passes contributions on by its weights, kernel FAEL by its mean slopes from the base to the scores.

        Parameters
        ----------
        parts : sequence of ScorePart, as many as score matrices in ``fit``
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            See :mod:`truepath.adapters.contributions`.
        """
        check_is_fitted(self, "final_")
        parts = [part.kept() for part in parts]
        B = self.blend_.transform([part.scores[None, :] for part in parts])[0]
        blend = ScorePart(B, lambda wanted: self.blend_.contributions(parts, wanted)).kept()
        regressions = [
            self._regression_part(regression, blend) if counts else blend for regression, counts in self._regressions()
        ]
        return self.final_.contributions([*parts, *regressions], nodes)

    def _regression_part(self, regression: KernelRegression, blend: ScorePart) -> ScorePart:
        """Return what one form of FAEL makes of the blend, with its contributions; see ``_score``."""
        reads = sparse.eye_array(blend.scores.size, format="csr") if self.reads_ is None else self.reads_
        raw = regression.predict((blend.scores @ reads)[None, :])[0].astype(np.float64)
        raw[~self.is_scored_] = blend.scores[~self.is_scored_]

        def slope(wanted: Any) -> Contributions:
            told, unscored = blend.everything(), ~self.is_scored_[wanted]
            slopes = reads @ regression.mean_slopes(told.base @ reads, blend.scores @ reads, wanted)
            slopes[:, unscored] = told.nodes[:, None] == wanted[unscored]
            found = add_sloped([told], slopes, wanted, raw[wanted])
            return found if regression.is_sum else replace(found, method=f"{found.method} + slopes")

        return score_part(ScorePart(raw, slope), self.constant_, self.hierarchy_, self.project)


def _read_changed(diff: HierarchyDiff) -> sparse.csr_array:
    """Return the matrix that makes scores of the old labels of those of the new ones, shape (n_new, n_old)."""
    carried = sparse.csr_array(diff.label_map().T, dtype=np.float64)
    several = np.maximum(np.diff(carried.indptr), 1)
    pairs = [(part, old) for old, parts in diff.split.items() for part in parts]
    rows, columns = diff.new.indices([part for part, _ in pairs]), diff.old.indices([old for _, old in pairs])
    parts = sparse.csr_array((np.ones(len(pairs)), (rows, columns)), shape=carried.shape)
    return sparse.csr_array(sparse.diags_array(1.0 / several) @ carried + parts)
