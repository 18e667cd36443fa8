"""TableBlend: what is best for tables within a budget of time, found on held-out rows.

Forests, kernel ridge regressions, linear models of words and, where PyTorch is installed and time allows, ensembles of
networks score the rows that they did not see; :class:`truepath.combiners.FAELBlend` learns from these scores and weighs
all of it. The better a member is on held-out rows, the more it counts; one that does not help counts nothing.

What is tried follows from the numbers of rows, columns and labels alone: members are added in the order of ``MEMBERS``
until the seconds that they are expected to take on one core, together, pass the budget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import fit_learner
from truepath.adapters.inputs import is_embedding
from truepath.combiners import FAELBlend, GreedyBlend
from truepath.combiners.held_out import N_FOLDS
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input
from truepath.learners.kernel.multi_label_kernel_ridge import MultiLabelKernelRidge
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.network.backend import has_torch
from truepath.learners.network.coherent_network import CoherentNetwork
from truepath.learners.stack import Stack
from truepath.learners.trees.forest import PCTForest

__all__ = ["BUDGETS", "MEMBERS", "NETWORKS", "TableBlend", "TableShape", "check_budget", "plan_blend"]

#: Seconds on one core, by name
BUDGETS = {"seconds": 90.0, "minutes": 600.0}
# Up to this many cells, sparse X of which this share is set is made dense
CELLS_TO_MAKE_DENSE = 50_000_000
SHARE_TO_MAKE_DENSE = 0.1
# Extra-randomised trees try a third of the features at a node, but no more than this; or the root, if that is more
MOST_FEATURES_TRIED = 64
# FAEL learns from the scores of at least this many rows, if they are worth its time: after three members, two if sparse
ROWS_FOR_FAEL = 50
FAEL = "FAEL"
# Width and penalty of a kernel are found in about this many steps, on so many rows
STEPS_OF_KERNEL, ROWS_TO_CHOOSE = 12, 3000
CELLS_JUDGED = 4_000_000
# Beyond so many rows a kernel compares with some of them only
MOST_EXACT_ROWS, N_LANDMARKS = 11_000, 3000
# Beyond so many scores of held-out rows there is one member: each has as many
MOST_HELD_OUT = 200_000_000
# Networks, and forests of words, are for budgets from this many seconds on
SECONDS_FOR_MORE = 120.0
# An epoch of a network takes so long per row and weight of one of its members
SECONDS_PER_WEIGHT = 1.1e-9


# Trees of a forest, up to this many rows, and beyond
ROWS_OF_SMALL_TABLE, N_TREES, N_TREES_OF_LARGE = 5000, 200, 100


class TableShape(NamedTuple):
    """What the time of a fit depends on."""

    n_rows: int
    n_columns: int
    n_nodes: int
    n_set: int
    is_sparse: bool = False
    has_missing: bool = False
    is_embedding: bool = False

    @property
    def has_words(self) -> bool:
        """Whether linear models and cosines can be tried: sparse, and no missing value, which only trees can take."""
        return self.is_sparse and not self.has_missing

    @property
    def n_trees(self) -> int:
        """How many trees a forest has."""
        return N_TREES if self.n_rows <= ROWS_OF_SMALL_TABLE else N_TREES_OF_LARGE

    @property
    def features_tried(self) -> int:
        """How many features an extra-randomised tree tries at a node."""
        return max(1, min(self.n_columns // 3, max(MOST_FEATURES_TRIED, int(self.n_columns**0.5))))


@dataclass(frozen=True)
class Candidate:
    """A learner that may be tried.

    Attributes
    ----------
    name : str
    make : callable
        ``make(shape, seed)`` returns the unfitted learner.
    seconds : callable
        ``seconds(shape)``: what a fit and the scores of held-out rows take on one core, roughly.
    fits : callable
        ``fits(shape)``: whether the learner makes sense for such data.
    """

    name: str
    make: Callable[[TableShape, int], Any]
    seconds: Callable[[TableShape], float]
    fits: Callable[[TableShape], bool]


def _seconds_of_trees(shape: TableShape, n_features: float) -> float:
    per_level = shape.n_rows * (4.7e-7 + 1e-8 * n_features) + 1.2e-8 * shape.n_set
    dense = float(shape.n_trees * np.log2(max(shape.n_rows, 2)) * per_level)
    return 3.0 * dense if shape.is_sparse else dense


def _linear(shape: TableShape, seed: int) -> Any:
    linear = SparseLinear(random_state=seed)
    return linear if shape.is_sparse else make_pipeline(SimpleImputer(keep_empty_features=True), Normalizer(), linear)


def _seconds_of_linear(shape: TableShape) -> float:
    per_label = 1e-6 if shape.is_sparse else 1.2e-8 * shape.n_columns
    return (N_FOLDS + 1) * per_label * (shape.n_rows + shape.n_set) * float(np.log2(shape.n_nodes + 1))


def _seconds_of_kernel(n_rows: int, n_columns: int, n_nodes: int, per_distance: float) -> float:
    if n_rows > MOST_EXACT_ROWS:
        return 30.0 + n_rows * N_LANDMARKS * (4e-11 * N_LANDMARKS + per_distance * n_columns)
    chosen_on = min(n_rows, ROWS_TO_CHOOSE)
    solving = STEPS_OF_KERNEL * chosen_on**3 + (2.0 * n_rows**3 if n_rows > chosen_on else 0.0)
    judging = STEPS_OF_KERNEL * min(chosen_on * n_nodes, CELLS_JUDGED)
    return 1.6e-11 * solving + 7e-8 * judging + per_distance * n_rows**2 * n_columns


def seconds_of_fael(shape: TableShape, n_members: int) -> float:
    """Return what linear and kernel FAEL and both blends take, roughly."""
    regressions = 2 * _seconds_of_kernel(shape.n_rows, shape.n_nodes, shape.n_nodes, 5e-11)
    return regressions + 20 * (2 * n_members + 2) * 2.5e-8 * min(shape.n_rows * shape.n_nodes, CELLS_JUDGED)


def _kernel(name: str, normalize: str, per_distance: float, *, sparse_x: bool = False) -> tuple[Any, Any, Any]:
    """Return what a member needs besides its name."""
    return (
        lambda shape, seed: MultiLabelKernelRidge(
            name,
            normalize=normalize,
            n_folds=N_FOLDS,
            max_rows=MOST_EXACT_ROWS,
            n_landmarks=N_LANDMARKS,
            random_state=seed,
        ),
        lambda shape: _seconds_of_kernel(shape.n_rows, shape.n_columns, shape.n_nodes, per_distance),
        lambda shape: shape.has_words if sparse_x else not shape.is_sparse,
    )


def _forest(shape: TableShape, seed: int) -> PCTForest:
    return PCTForest(n_estimators=shape.n_trees, min_leaf_weight=2, random_state=seed)


def _extra_trees(shape: TableShape, seed: int) -> PCTForest:
    tried = shape.features_tried
    return PCTForest(
        n_estimators=shape.n_trees, splitter="random", max_features=tried, min_leaf_weight=2, random_state=seed
    )


def _network(n_epochs: int, width: int = 512, inputs_per_column: int = 1, **options: Any) -> tuple[Any, Any, Any]:
    """Return what a network needs besides its name.

    ``n_epochs`` is what training took on average on sets of 1,000 to 2,500 rows, epochs that leave out a fifth of the
    rows counted as four fifths. Labels that are easy to tell apart take up to four times as many.
    """

    def seconds(shape: TableShape) -> float:
        n_weights = width * (inputs_per_column * shape.n_columns + width + shape.n_nodes)
        return n_epochs * SECONDS_PER_WEIGHT * shape.n_rows * n_weights

    return (
        lambda shape, seed: CoherentNetwork((width, width), random_state=seed, **options),
        seconds,
        lambda shape: has_torch(),
    )


_NETWORKS = (
    Candidate("network", *_network(78)),
    Candidate("network, wide", *_network(44, width=1024)),
    Candidate("network, piecewise", *_network(124, inputs_per_column=8, encoding="piecewise", n_bins=8)),
)
#: The names of the networks
NETWORKS = tuple(member.name for member in _NETWORKS)

# Those of words take long, to fit and to ask
FORESTS = {"forest", "extra trees"}
# What is tried first on embeddings: forests are weak there
OF_EMBEDDINGS = {"linear", "kernel ridge, rbf"}

#: The learners that may be tried, in this order, the first always
MEMBERS: dict[str, Candidate] = {
    member.name: member
    for member in (
        Candidate("linear", _linear, _seconds_of_linear, lambda shape: shape.has_words or shape.is_embedding),
        Candidate("kernel ridge, cosine", *_kernel("cosine", "standard", 5e-11, sparse_x=True)),
        Candidate("forest", _forest, lambda shape: _seconds_of_trees(shape, shape.n_columns**0.5), lambda shape: True),
        Candidate("kernel ridge, rbf", *_kernel("rbf", "standard", 5e-11)),
        Candidate("kernel ridge, laplacian", *_kernel("laplacian", "standard", 1.1e-9)),
        Candidate(
            "extra trees",
            _extra_trees,
            lambda shape: _seconds_of_trees(shape, shape.features_tried),
            lambda shape: shape.n_columns > 1,
        ),
        Candidate("kernel ridge, rbf of ranks", *_kernel("rbf", "quantile", 5e-11)),
        *_NETWORKS,
    )
}


class TableBlend(HierarchicalLearner):
    """Blend forests, kernel ridge regressions, linear models and networks, as many as a budget of time allows.

    Parameters
    ----------
    budget : {"seconds", "minutes"} or float, optional
        How long to take, in seconds on one core: ``"seconds"`` is 90, ``"minutes"`` 600. What is expected to take more
        is not tried; the first member (a forest; for words and embeddings others) always is. It is a
        rule about sizes, not a clock: the same data give the same model on any machine. None takes that of the
        :class:`~truepath.HierarchicalClassifier` around it, and ``"seconds"`` without one.
    hierarchy : Hierarchy, optional
    members : sequence of str, optional
        Names of ``MEMBERS`` to try, whatever they cost; None lets the budget decide.
    network : bool, default=True
        Whether networks may be among them. They are tried where PyTorch is installed and the budget is two minutes or
        more.
    keep_held_out : bool or "learners", default=False
        Whether to keep ``held_out_decision_``; ``"learners"`` keeps every member's held-out scores as well, in
        ``stack_``.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Members are fitted in parallel; the result does not depend on it.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    stack_ : Stack
        The members, fitted on all rows, and the combiner.
    tried_ : list of tuple (name, AU(PRC) on held-out rows, weight, seconds)
        Every member, and linear and kernel FAEL where they were fitted.
    max_features_ : int
        How many features the extra-randomised trees tried at a node.
    held_out_decision_ : ndarray, shape (n_samples, n_nodes)
        The scores of each training row by what did not learn from it. Only with ``keep_held_out``.

    Notes
    -----
    The seconds expected of a forest grow with the rows times the features tried at a node, and with the labels that are
    set; those of a kernel with the cube of the rows (at most 3,000 of them while width and penalty are chosen) and with
    rows times nodes. Beyond 11,000 rows it compares with 3,000 of them. FAEL is left out if it would pass the budget,
    or below 50 rows. With "seconds", 2,500 rows get everything but networks, with 500 labels or 4,000; 10,000 to 35,000
    rows a forest and one kernel, more rows the forest alone. With "minutes", 2,500 rows of 80 columns and 500 labels
    get two networks; one, two and all three are expected to be done after 160, 360 and 640 s there, and after 600,
    1,240 and 2,150 s with 4,100 labels.

    A tree of the forest tries the root of the number of features at a node, an extra-randomised one a third, but no
    more than 64 or the root, whichever is more.

    Sparse X is made dense if at least a tenth of it is set. Otherwise linear models and a kernel ridge regression are
    blended, whose kernel compares rows by their cosine, and forests are tried from a budget of two minutes on: on eight
    sets of words the blend was .02 to .06 in AU(PRC) above the linear models alone, and forests added up to .025 on
    seven and took most of the time (``benchmarks/bench_words.py``).

    Dense float32 rows of 64 columns and more are taken as embeddings, of texts or images by some encoder: a linear
    model of rows of length 1 is tried too; it and a kernel come first, the quicker before the other, then forests.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.learners import TableBlend
    >>> ds = load_dataset("toy")
    >>> model = TableBlend(hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    >>> [name for name, *_ in model.tried_][:2]
    ['forest', 'kernel ridge, rbf']
    """

    name = "table-blend"
    summary = "forests, kernel, linear models and networks, weighed on held-out rows, with FAEL on top"
    learns_from = "rows and their labels, each row held out once"

    def __init__(
        self,
        budget: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        members: Any = None,
        network: bool = True,
        keep_held_out: bool | str = False,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TableBlend:
        """Fit the members that the budget allows, and weigh them on held-out rows.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
        """
        seconds = check_budget("seconds" if self.budget is None else self.budget)
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        self.is_dense_ = not sparse.issparse(X) or _is_better_dense(X)
        X = as_dense(X) if self.is_dense_ else X
        n_set = Y.nnz if sparse.issparse(Y) else int(np.count_nonzero(Y))
        has_missing = not self.is_dense_ and bool(np.isnan(X.data).any())
        n_rows, n_columns = X.shape
        flags = (not self.is_dense_, has_missing, is_embedding(X))
        shape = TableShape(n_rows, n_columns, Y.shape[1], n_set, *flags)
        names, with_fael = self._plan(shape, seconds)
        self.max_features_ = shape.features_tried
        random = check_random_state(self.random_state)
        learners = [(name, MEMBERS[name].make(shape, random.randint(1 << 31))) for name in names]
        combiner = FAELBlend() if with_fael else GreedyBlend()
        options: dict[str, Any] = {"keep_held_out": self.keep_held_out, "n_jobs": self.n_jobs}
        self.stack_ = fit_learner(Stack(learners, combiner=combiner, hierarchy=hierarchy, **options), X, Y, weight)
        if self.keep_held_out:
            self.held_out_decision_ = self.stack_.__dict__.pop("held_out_decision_")
        self.tried_ = self._list_tried(names)
        return self

    def _plan(self, shape: TableShape, budget: float) -> tuple[list[str], bool]:
        if shape.n_rows == 1:  # no tree can leave it out
            return ["kernel ridge, cosine" if shape.is_sparse else "kernel ridge, rbf"], False
        if self.members is None:
            return plan_blend(shape, budget, with_network=self.network)
        unknown = [name for name in self.members if name not in MEMBERS]
        if unknown or not len(self.members):
            raise ValueError(f"members must be some of {', '.join(map(repr, MEMBERS))}; got {self.members!r}.")
        return list(self.members), shape.n_rows >= ROWS_FOR_FAEL

    def _list_tried(self, names: list[str]) -> list[tuple[str, float, float, float]]:
        stack, combiner = self.stack_, self.stack_.combiner_
        weights = combiner.weights_.mean(axis=0).tolist()
        found = list(zip(names, stack.areas_, weights, stack.seconds_))
        if isinstance(combiner, FAELBlend):
            voices = {"linear": combiner.linear_, "kernel": combiner.kernel_}
            for (kind, voice), weight in zip(voices.items(), weights[len(names) :]):
                area = max((area for *_, area in voice.tried_), default=float("nan"))
                found.append((f"{kind} FAEL", area, weight, combiner.seconds_[kind]))
        return found

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, shape (n_samples, n_nodes)."""
        check_is_fitted(self, "stack_")
        X = check_predict_input(self, X, allow_nan=True)
        if sparse.issparse(X) == self.is_dense_:
            X = as_dense(X) if self.is_dense_ else sparse.csr_array(X)
        S: NDArray[Any] = self.stack_.predict_proba(X)
        return S

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def check_budget(budget: Any) -> float:
    """Return the seconds that a budget means.

    Examples
    --------
    >>> check_budget("minutes"), check_budget(5)
    (600.0, 5.0)
    """
    if isinstance(budget, str) and budget in BUDGETS:
        return BUDGETS[budget]
    if isinstance(budget, Real) and not isinstance(budget, bool) and float(budget) > 0:
        return float(budget)
    raise ValueError(f"budget must be one of {', '.join(map(repr, BUDGETS))} or a number of seconds; got {budget!r}.")


def plan_blend(shape: TableShape, budget: float, *, with_network: bool = True) -> tuple[list[str], bool]:
    """Return the names of the members to try, and whether FAEL is learned from them.

    Examples
    --------
    >>> plan_blend(TableShape(2500, 80, 500, 22_000), 90)[1], plan_blend(TableShape(60_000, 2000, 1200, 100_000), 90)
    (True, (['forest'], False))
    """
    left_out = set(NETWORKS) if not with_network or budget < SECONDS_FOR_MORE else set()
    if shape.has_words and budget < SECONDS_FOR_MORE:
        left_out |= FORESTS
    possible = [member for member in MEMBERS.values() if member.fits(shape) and member.name not in left_out]
    if shape.is_embedding:  # these first, the quicker before the other; the rest as it was
        possible.sort(key=lambda member: member.seconds(shape) if member.name in OF_EMBEDDINGS else np.inf)
    steps = [(member.name, member.seconds(shape)) for member in possible]
    if shape.n_rows >= ROWS_FOR_FAEL:
        steps.insert(2 if shape.is_sparse else 3, (FAEL, seconds_of_fael(shape, len(possible))))
    totals = np.cumsum([seconds for _, seconds in steps])
    n_tried = max(1, int(np.searchsorted(totals, budget, side="right")))
    if shape.n_rows * shape.n_nodes > MOST_HELD_OUT:
        n_tried = 1
    names = [name for name, _ in steps[:n_tried]]
    return [name for name in names if name != FAEL], FAEL in names


def _is_better_dense(X: Any) -> bool:
    cells = X.shape[0] * X.shape[1]
    return bool(cells <= CELLS_TO_MAKE_DENSE and X.nnz >= SHARE_TO_MAKE_DENSE * cells)
