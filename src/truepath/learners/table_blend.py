"""TableBlend: what is best for tables within a budget of time, found on held-out rows.

Forests, kernel ridge regressions, boosted trees, linear models of texts and, where PyTorch is installed and time
allows, ensembles of networks score the rows that they did not see; :class:`truepath.combiners.FAELBlend` learns from
these scores and weighs all of it. The better a member is on held-out rows, the more it counts; one that does not help
counts nothing.

What is tried follows from the numbers of rows, columns and labels alone: members are added in the order of ``MEMBERS``
until the seconds that they are expected to take on one core, together, pass the budget. Large tables get boosted trees
first, which take as many rounds as the time that others leave permits, at least a third of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.capabilities import offers
from truepath.adapters.contributions import Contributions
from truepath.adapters.cost import TableShape, check_budget
from truepath.adapters.fitting import fit_held_out, fit_learner
from truepath.adapters.groups import check_groups
from truepath.adapters.likeness import Likeness, ask_likeness
from truepath.combiners import FAELBlend, GreedyBlend
from truepath.combiners.held_out import N_FOLDS
from truepath.graph import Graph
from truepath.held import an_object, flag, holds, integer
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    fit_made,
    is_all_known,
    mark_training,
)
from truepath.learners.boosted.boosted_trees import BoostedTrees
from truepath.learners.boosted.training import MOST_SCORES
from truepath.learners.kernel.multi_label_kernel_ridge import MultiLabelKernelRidge
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.network.backend import has_torch
from truepath.learners.network.coherent_network import CoherentNetwork
from truepath.learners.stack import Stack, held_out_seconds
from truepath.learners.trees.forest import PCTForest
from truepath.metrics.tried import Tried

# Up to this many cells, sparse X of which this share is set is made dense
CELLS_TO_MAKE_DENSE = 50_000_000
SHARE_TO_MAKE_DENSE = 0.1
# Extra-randomised trees try a third of the features at a node, but no more than this; or the root, if that is more
MOST_FEATURES_TRIED = 64
# FAEL learns from the scores of at least this many rows, if they are worth its time: after three members, two if sparse
ROWS_FOR_FAEL = 50
FAEL = "FAEL"
# Beyond this many rows a kernel compares with some of them only
MOST_EXACT_ROWS, N_LANDMARKS = 11_000, 3000
# Beyond this many scores of held-out rows there is one member: each has as many
MOST_HELD_OUT = 200_000_000
# Networks, forests on sparse rows, and boosted trees on tables that are not large, are for budgets from as many seconds
SECONDS_FOR_MORE = 120.0
# The share of the time that boosted trees have at least, and of the rows that they leave out; of these, no more than
SHARE_OF_BOOSTED, SHARE_LEFT_OUT, MOST_LEFT_OUT = 1 / 3, 0.1, 20_000
# Boosted trees stop after this many rounds, or if that many have not helped
MOST_ROUNDS, ROUNDS_WITHOUT_GAIN = 2000, 100
# They are tried from this many rows on; on tables that are not large with so many rounds
ROWS_TO_BOOST, ROUNDS_OF_SMALL_TABLE = 900, 700
# Members are left out again if that costs no more AU(PRC) than this on held-out rows: each takes time with every row
MAX_LOSS = 3e-4
# Trees of a forest, up to this many rows, and beyond
ROWS_OF_SMALL_TABLE, N_TREES, N_TREES_OF_LARGE = 5000, 200, 100


def count_trees(shape: TableShape) -> int:
    """Return how many trees a forest has."""
    return N_TREES if shape.n_rows <= ROWS_OF_SMALL_TABLE else N_TREES_OF_LARGE


def count_features(shape: TableShape) -> int:
    """Return how many features an extra-randomised tree tries at a node."""
    return max(1, min(shape.n_columns // 3, max(MOST_FEATURES_TRIED, int(shape.n_columns**0.5))))


def _can_hold_texts(shape: TableShape) -> bool:
    """Say whether linear models and cosines can be tried: sparse, and no missing value, which only trees can take."""
    return shape.is_sparse and not shape.has_missing


@dataclass(frozen=True)
class Candidate:
    """A learner that may be tried.

    Attributes
    ----------
    name : str
    make : callable
        ``make(shape, seed)`` returns the unfitted learner.
    fits : callable
        ``fits(shape)``: whether the learner makes sense for such data.
    """

    name: str
    make: Callable[[TableShape, int], Any]
    fits: Callable[[TableShape], bool]

    def seconds(self, shape: TableShape) -> float:
        """Return what a fit and the scores of held-out rows take on one core, roughly."""
        return held_out_seconds(self.make(shape, 0), shape)


def _linear(shape: TableShape, seed: int) -> Any:
    linear = SparseLinear(random_state=seed)
    return linear if shape.is_sparse else make_pipeline(SimpleImputer(keep_empty_features=True), Normalizer(), linear)


def _kernel(name: str, normalize: str = "standard") -> Callable[[TableShape, int], Any]:
    """Return what makes a kernel ridge regression."""
    return lambda shape, seed: MultiLabelKernelRidge(
        name,
        normalize=normalize,
        n_folds=N_FOLDS,
        max_rows=MOST_EXACT_ROWS,
        n_landmarks=N_LANDMARKS,
        random_state=seed,
    )


def _forest(shape: TableShape, seed: int) -> PCTForest:
    return PCTForest(n_estimators=count_trees(shape), min_leaf_weight=2, random_state=seed)


def _extra_trees(shape: TableShape, seed: int) -> PCTForest:
    return _forest(shape, seed).set_params(splitter="random", max_features=count_features(shape))


def _is_dense(shape: TableShape) -> bool:
    return not shape.is_sparse


def _boosted(shape: TableShape, seed: int) -> BoostedTrees:
    """Return boosted trees: on large tables ones that leave out some rows, to stop by and to be weighed by."""
    if not _is_large(shape):  # every row gets held-out scores, by folds
        return BoostedTrees(max_iter=ROUNDS_OF_SMALL_TABLE, random_state=seed)
    share = min(SHARE_LEFT_OUT, MOST_LEFT_OUT / shape.n_rows)
    return BoostedTrees(
        max_iter=MOST_ROUNDS, n_iter_no_change=ROUNDS_WITHOUT_GAIN, validation_fraction=share, random_state=seed
    )


def _is_large(shape: TableShape) -> bool:
    """Say whether a table is beyond what exact kernels are made for."""
    return not shape.is_sparse and shape.n_rows > MOST_EXACT_ROWS


def _can_boost(shape: TableShape) -> bool:
    """Say whether boosted trees can be tried: small tables need few enough scores for folds to score every row."""
    is_middling = shape.n_rows >= ROWS_TO_BOOST and shape.n_rows * shape.n_nodes <= MOST_SCORES
    return _is_large(shape) or (not shape.is_sparse and is_middling)


def _network(width: int = 512, **options: Any) -> Callable[[TableShape, int], Any]:
    """Return what makes an ensemble of networks."""
    return lambda shape, seed: CoherentNetwork((width, width), random_state=seed, **options)


def _can_train(shape: TableShape) -> bool:
    return has_torch()


# Networks take the longest
NETWORKS = ("network", "network, wide", "network, piecewise")
# Forests on sparse rows take long, to fit and to predict
FORESTS = {"forest", "extra trees"}
# What is tried first on embeddings: forests are weak there
OF_EMBEDDINGS = {"linear", "kernel ridge, rbf"}
BOOSTED = "boosted trees"
# What is tried beside boosted trees, and beside those of embeddings, before these have all their rounds
BESIDE_BOOSTED, BESIDE_BOOSTED_OF_EMBEDDINGS = ("kernel ridge, rbf", "forest"), ("kernel ridge, rbf", "linear")

#: The learners that may be tried, in this order, the first always
MEMBERS: dict[str, Candidate] = {
    member.name: member
    for member in (
        Candidate("linear", _linear, lambda shape: _can_hold_texts(shape) or shape.is_embedding),
        Candidate("kernel ridge, cosine", _kernel("cosine"), _can_hold_texts),
        Candidate("forest", _forest, lambda shape: True),
        Candidate("kernel ridge, rbf", _kernel("rbf"), _is_dense),
        Candidate("kernel ridge, laplacian", _kernel("laplacian"), _is_dense),
        Candidate("extra trees", _extra_trees, lambda shape: shape.n_columns > 1),
        Candidate("kernel ridge, rbf of ranks", _kernel("rbf", "quantile"), _is_dense),
        Candidate(BOOSTED, _boosted, _can_boost),
        Candidate("network", _network(), _can_train),
        Candidate("network, wide", _network(width=1024), _can_train),
        Candidate("network, piecewise", _network(n_pieces=8), _can_train),
    )
}


@holds(is_dense_=flag, stack_=an_object("predict_proba"), _trained_on=integer(-1))
class TableBlend(HierarchicalLearner):
    """Blend forests, kernel ridge regressions, boosted trees, linear models and networks, as a budget of time allows.

    Parameters
    ----------
    budget : {"seconds", "minutes"} or float, optional
        How long to take, in seconds on one core: ``"seconds"`` is 90, ``"minutes"`` 600. What is expected to take more
        is not tried; the first member (a forest; another one for large tables, sparse rows and embeddings) always is.
        It is a rule about sizes, not a clock: the same data give the same model on any machine. None takes that of
        the :class:`~truepath.HierarchicalClassifier` around it, and ``"seconds"`` without one.
    hierarchy : Hierarchy, optional
    members : sequence of str, optional
        Names of ``MEMBERS`` to try, whatever they cost; None lets the budget decide.
    network : bool, default=True
        Whether networks may be among them. They are tried where PyTorch is installed and the budget is two minutes or
        more.
    keep_held_out : bool, default=False
        Whether to keep ``held_out_scores_``, those of every member as ``stack_.member_scores_``, and the members that
        count nothing.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Members are fitted in parallel; the result does not depend on it.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    stack_ : Stack
        The members that count, fitted on all rows, and the combiner.
    tried_ : list of :class:`~truepath.metrics.Tried`
        With the AU(PRC) on held-out rows: every member, and linear and kernel FAEL where they were fitted.
    max_features_ : int
        How many features the extra-randomised trees tried at a node.
    held_out_scores_ : ndarray, shape (n_samples, n_nodes)
        The scores of each training row by what did not learn from it. Only with ``keep_held_out=True``.

    Notes
    -----
    The seconds expected of a forest grow with the rows times the features tried at a node, and with the labels that are
    set; those of a kernel with the cube of the rows (at most 3,000 of them while width and penalty are chosen) and with
    rows times nodes. Beyond 11,000 rows it compares with 3,000 of them. FAEL is left out if it would pass the budget,
    or below 50 rows. With "seconds", 2,500 rows get everything but boosted trees and networks, with 500 labels or
    4,000; 10,000 rows a forest and one kernel. With "minutes", 2,500 rows of 80 columns and 500 labels get two
    networks; one, two and all three are expected to be done after 200, 400 and 690 s there, and after 710, 1,350 and
    2,270 s with 4,100 labels.

    Members that hardly count are left out again, those first without which held-out rows lose least, while the AU(PRC)
    of the blend falls by no more than .0003; so do those that FAEL stands on. Prediction, files and updates then take
    less. ``tried_`` still lists them.

    Dense tables of 900 to 11,000 rows get 700 rounds of boosted trees from a budget of two minutes on; they are fitted
    on five parts of the rows too, for scores of all rows, which may not be more than 20,000,000.

    Dense tables of more than 11,000 rows get boosted trees: up to 2,000 rounds, as many as a third of the budget
    permits, or all that other members leave. These are a kernel and a forest (a linear model of embeddings), each if it
    fits into the other two thirds, and what fits beside all 2,000 rounds; FAEL, which needs scores of all rows, is not
    tried. A tenth of the rows, 20,000 at most, is left out of the rounds: they stop when these rows are scored no
    better for 100 rounds, and the same rows weigh the members. Where the time is not enough for 100 rounds they learn
    from some of the rows, and never from more than 1,000,000,000 rows times labels. Beyond 200,000,000 scores of
    held-out rows there is no other member.

    A tree of the forest tries the root of the number of features at a node, an extra-randomised one a third, but no
    more than 64 or the root, whichever is more.

    Sparse X is made dense if at least a tenth of it is set. Otherwise linear models and a kernel ridge regression are
    blended, whose kernel compares rows by their cosine, and forests are tried from a budget of two minutes on: on eight
    sets of texts the blend was .02 to .06 in AU(PRC) above the linear models alone, and forests added up to .025 on
    seven and took most of the time (``benchmarks/bench_words.py``).

    Dense rows of 64 columns and more, float32 or of length 1, are taken as embeddings of texts or images: a linear
    model of rows of length 1 is tried too; it and a kernel come first, the quicker before the other, then forests.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.learners import TableBlend
    >>> ds = load_dataset("toy")
    >>> model = TableBlend(hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    >>> [one.name for one in model.tried_][:2]
    ['forest', 'kernel ridge, rbf']
    """

    name = "table-blend"
    summary = "forests, kernel, linear models and networks, weighed on held-out rows, with FAEL on top"
    learns_from = "rows and their labels, each row held out once"
    takes_missing = True
    stack_: Stack

    def __init__(
        self,
        budget: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        members: Any = None,
        network: bool = True,
        keep_held_out: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.budget = budget
        self.hierarchy = hierarchy
        self.members = members
        self.network = network
        self.keep_held_out = keep_held_out
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> TableBlend:
        """Fit the members that the budget allows, and weigh them on held-out rows.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.
        """
        stack, X, Y, weight = self._begin(X, y, sample_weight)
        self.stack_ = fit_learner(stack, X, Y, weight, groups=check_groups(groups, Y.shape[0]))
        self._end()
        return self

    def fit_held_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> NDArray[Any]:
        """Fit, and score each training row by members and a combiner that did not learn from it.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
            NaN for rows that all trees of a forest saw.
        """
        stack, X, Y, weight = self._begin(X, y, sample_weight)
        held_out, self.stack_ = fit_held_out(stack, X, Y, weight, check_groups(groups, Y.shape[0]))
        self._end()
        S = np.full(Y.shape, np.nan, held_out.S.dtype)
        S[held_out.rows] = held_out.S
        return S

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[Stack, Any, Any, Any]:
        """Return the stack of the members that the budget allows, and what it is fitted on."""
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        self._trained_on = mark_training(X, weight)
        self.is_dense_ = not sparse.issparse(X) or _is_better_dense(X)
        X = self._as_fitted(X)
        shape = TableShape.of(X, Y)
        names, with_fael = self._plan(shape)
        self.max_features_ = count_features(shape)
        random = check_random_state(self.random_state)
        learners = [(name, MEMBERS[name].make(shape, random.randint(1 << 31))) for name in names]
        if _is_large(shape):
            left = self._left_for_boosted(names, shape)
            learners = [(name, one.within(left, shape) if name == BOOSTED else one) for name, one in learners]
        combiner = FAELBlend(max_loss=MAX_LOSS) if with_fael else GreedyBlend(max_loss=MAX_LOSS)
        options: dict[str, Any] = {"keep_held_out": self.keep_held_out, "on_failure": "warn", "n_jobs": self.n_jobs}
        return Stack(learners, combiner=combiner, hierarchy=hierarchy, **options), X, Y, weight

    def _end(self) -> None:
        """Say what was tried, and keep what is to be kept."""
        stack: Any = self.stack_
        combiner = stack.combiner_
        if self.keep_held_out:
            self.held_out_scores_ = stack.__dict__.pop("held_out_scores_")
        weights = combiner.weights_.mean(axis=0).tolist()
        members = zip([stack.learners[k] for k in stack.kept_], stack.areas_, weights, stack.seconds_)
        found = [Tried(name, area, "auprc", weight, seconds) for (name, _), area, weight, seconds in members]
        self.tried_ = [*found, *getattr(combiner, "tried_", [])]
        if not self.keep_held_out:
            stack.drop_idle()

    def _plan(self, shape: TableShape) -> tuple[list[str], bool]:
        budget = self._budget()
        if shape.n_rows == 1:  # no tree can leave it out
            return ["kernel ridge, cosine" if shape.is_sparse else "kernel ridge, rbf"], False
        if self.members is None:
            return plan_blend(shape, budget, with_network=self.network)
        unknown = [name for name in self.members if name not in MEMBERS]
        if unknown or not len(self.members):
            raise ValueError(f"members must be some of {', '.join(map(repr, MEMBERS))}; got {self.members!r}.")
        is_left_out = BOOSTED in self.members and _is_large(shape)  # most rows have no held-out scores
        return list(self.members), shape.n_rows >= ROWS_FOR_FAEL and not is_left_out

    def _left_for_boosted(self, names: list[str], shape: TableShape) -> float:
        """Return the seconds that boosted trees have beside other members."""
        budget, others = self._budget(), sum(MEMBERS[name].seconds(shape) for name in names if name != BOOSTED)
        return max(budget - others, SHARE_OF_BOOSTED * budget)

    def _budget(self) -> float:
        return check_budget("seconds" if self.budget is None else self.budget)

    @available_if(lambda blend: hasattr(blend, "stack_") and offers(blend.stack_, "more rows"))
    def partial_fit(self, X: Any, y: Any) -> TableBlend:
        """Learn from more rows, without the old ones; offered once fitted, where all members can.

        Kernels and forests need all rows: give ``fit`` the old ones too.

        Parameters
        ----------
        X, y : as in :meth:`fit`
            The new rows alone.
        """
        X, Y, _, _ = check_fit_input(self, X, y, allow_nan=True, again=True)
        self.stack_.partial_fit(self._as_fitted(X), Y)
        self._trained_on = -1  # the rows of several calls are not told apart
        return self

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        fit_made(cls(), made, made.X)

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly: no more than the budget, unless one member alone does."""
        names, with_fael = self._plan(shape)
        flexible = BOOSTED in names and _is_large(shape)
        seconds = sum(MEMBERS[name].seconds(shape) for name in names if not (flexible and name == BOOSTED))
        if flexible:
            seconds += min(MEMBERS[BOOSTED].seconds(shape), self._left_for_boosted(names, shape))
        return seconds + (FAELBlend().fit_seconds(shape, len(names)) if with_fael else 0.0)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, shape (n_samples, n_nodes)."""
        rows = self._rows(X)
        return self.stack_.predict_proba(rows)

    def _rows(self, X: Any) -> Any:
        """Return checked rows as the members take them."""
        check_is_fitted(self, "stack_")
        X = check_predict_input(self, X, allow_nan=True)
        return self._as_fitted(X)

    # --------------------------------------------------------------------------------------- explaining

    def contributions(self, x: Any, nodes: Any) -> Contributions:
        """Return what each feature of one row adds to the scores of some labels, see :meth:`Stack.contributions`."""
        return self.stack_.contributions(self._rows(x), nodes)

    @available_if(lambda self: not hasattr(self, "stack_") or offers(self.stack_, "features"))
    def feature_weights(self, by: str = "label") -> Any:
        """Return which features matter to labels or levels, see :meth:`Stack.feature_weights`."""
        check_is_fitted(self, "stack_")
        return self.stack_.feature_weights(by=by)

    def likeness(self, x: Any, X: Any) -> Likeness:
        """Return how similar each row of X is to one row, see :meth:`Stack.likeness`."""
        return ask_likeness(self.stack_, self._rows(x), self._rows(X))

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add all members and their combiner to an ONNX graph, whose rows are dense."""
        return self.stack_.export_scores(graph, rows)

    def _as_fitted(self, X: Any) -> Any:
        """Return rows dense or sparse, as the members take them."""
        if sparse.issparse(X) != self.is_dense_:
            return X
        return as_dense(X) if self.is_dense_ else sparse.csr_array(X)

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> TableBlend:
        """Return a blend for a changed hierarchy: members updated and weights kept, or all fitted anew.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the blend to the new one.
        X : as in :meth:`fit`
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Notes
        -----
        Where the rows are those of the fit, and no label is new or a part of an old one, weights stay: labels that were
        moved, merged, renamed or removed are weighed like the others. Linear and kernel members then are those that a
        fit with the same settings gives; trees keep their questions, and FAEL keeps to the labels that did not change:
        see the members and :class:`~truepath.combiners.FAELBlend`. Otherwise this is a ``fit``, with the same options:
        neither the weights nor FAEL know of what is new.
        """
        new = copy_for_change(self, diff)
        X, Y, _, _ = check_fit_input(new, X, y, allow_nan=True)
        if not is_all_known(self._trained_on, diff, X, Y):
            new.fit(X, Y).relearned_ = np.arange(diff.new.n_nodes)
            return new
        new._trained_on = self._trained_on
        new.is_dense_, new.max_features_, new.tried_ = self.is_dense_, self.max_features_, self.tried_
        new.stack_ = self.stack_.update(diff, new._as_fitted(X), Y)
        return new

    @property
    def approximates(self) -> tuple[str, ...]:
        """The capabilities that it does not answer exactly: those of a member."""
        return self.stack_.approximates if hasattr(self, "stack_") else ()


def plan_blend(shape: TableShape, budget: float, *, with_network: bool = True) -> tuple[list[str], bool]:
    """Return the names of the members to try, and whether FAEL is learned from them.

    Examples
    --------
    >>> plan_blend(TableShape(2500, 80, 500, 22_000), 90)[1], plan_blend(TableShape(60_000, 2000, 1200, 100_000), 90)
    (True, (['boosted trees'], False))
    """
    left_out = set(NETWORKS) if not with_network or budget < SECONDS_FOR_MORE else set()
    if _can_hold_texts(shape) and budget < SECONDS_FOR_MORE:
        left_out |= FORESTS
    if not _is_large(shape) and budget < SECONDS_FOR_MORE:
        left_out.add(BOOSTED)
    possible = [member for member in MEMBERS.values() if member.fits(shape) and member.name not in left_out]
    if _is_large(shape):
        return _plan_large(shape, budget, possible), False
    if shape.is_embedding:  # these first, the quicker before the other; the rest as it was
        possible.sort(key=lambda member: member.seconds(shape) if member.name in OF_EMBEDDINGS else np.inf)
    steps = [(member.name, member.seconds(shape)) for member in possible]
    if shape.n_rows >= ROWS_FOR_FAEL:
        steps.insert(2 if shape.is_sparse else 3, (FAEL, FAELBlend().fit_seconds(shape, len(possible))))
    totals = np.cumsum([seconds for _, seconds in steps])
    n_tried = max(1, int(np.searchsorted(totals, budget, side="right")))
    if shape.n_rows * shape.n_nodes > MOST_HELD_OUT:
        n_tried = 1
    names = [name for name, _ in steps[:n_tried]]
    return [name for name in names if name != FAEL], FAEL in names


def _plan_large(shape: TableShape, budget: float, possible: list[Candidate]) -> list[str]:
    """Return boosted trees, and what fits into the time that they need not have."""
    if shape.n_rows * shape.n_nodes > MOST_HELD_OUT:
        return [BOOSTED]
    first = BESIDE_BOOSTED_OF_EMBEDDINGS if shape.is_embedding else BESIDE_BOOSTED
    chosen: dict[str, float] = {}
    _add_members(chosen, [MEMBERS[name] for name in first], shape, (1.0 - SHARE_OF_BOOSTED) * budget)
    _add_members(chosen, possible, shape, budget - MEMBERS[BOOSTED].seconds(shape))
    return [BOOSTED, *chosen]


def _add_members(chosen: dict[str, float], members: list[Candidate], shape: TableShape, most: float) -> None:
    """In place: add each member that is not there yet, if all together then take no more than so many seconds."""
    for member in members:
        seconds = member.seconds(shape)
        if member.name not in (BOOSTED, *chosen) and sum(chosen.values()) + seconds <= most:
            chosen[member.name] = seconds


def _is_better_dense(X: Any) -> bool:
    cells = X.shape[0] * X.shape[1]
    return bool(cells <= CELLS_TO_MAKE_DENSE and X.nnz >= SHARE_TO_MAKE_DENSE * cells)
