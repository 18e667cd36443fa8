"""BoostedTrees: gradient boosting of trees whose leaves move all labels at once (SketchBoost).

A round grows one tree on all labels together. What makes that cheap is that splits are not searched on the gradients of
thousands of labels but on a sketch of them, a few numbers per row; only the leaves, once the tree stands, are given
their steps for all labels. See :mod:`truepath._kernels.boosted.cells`.

References
----------
L. Iosipoi, A. Vakhrushev. SketchBoost: fast gradient boosted decision tree for multioutput problems. NeurIPS 2022.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.adapters.cost import TableShape
from truepath.adapters.varying import set_constant_scores
from truepath.combiners.projections import export_projection, project_scores, score_part
from truepath.graph import Graph
from truepath.held import holds, numbers, one_of
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.checks import check_weight
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import (
    FitInput,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    fit_made,
    groups_to_learn,
    is_all_known,
    leave_out_weightless,
    mark_training,
    score_weightless,
)
from truepath.learners.boosted.auto import choose_leaves, choose_rate
from truepath.learners.boosted.bins import MOST_BINS
from truepath.learners.boosted.growth import Rules
from truepath.learners.boosted.rounds import RoundSettings
from truepath.learners.boosted.targets import CORRECTIONS
from truepath.learners.boosted.training import (
    CELLS_JUDGED,
    N_PARTS,
    ROUNDS_BETWEEN,
    Boosted,
    CheckedRows,
    Stopping,
    check_memory,
    count_parts,
    grow_trees,
    leave_rows_out,
    refit_leaves,
    score_unseen,
)
from truepath.learners.boosted.trees import sum_steps
from truepath.learners.trees.base import TreesBase, resolve_count
from truepath.learners.trees.columns import code_categories
from truepath.learners.trees.graph import forest_sums
from truepath.learners.trees.grow import class_weights
from truepath.learners.trees.reasons import explain_by_path, explain_by_shapley
from truepath.parameters import SHARE, Range, check_choice, check_flag, check_in, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

#: "auto" tries this many columns in a round, or this share of them if that is more
FEW_COLUMNS, SHARE_OF_COLUMNS = 60, 0.15
#: A share that is not none
SOME = Range(Real, 0, 1, above=True)
#: Numbers of a sketch
MOST_NUMBERS = 7
#: Seconds on one core: to bin an entry of X, and to judge the score of a row left out
SECONDS_TO_BIN, SECONDS_TO_JUDGE = 8e-8, 4e-7
#: In a round: for each label of a row, for each entry of the columns tried, and for each cut
SECONDS_FOR_CELL, SECONDS_FOR_ENTRY, SECONDS_FOR_CUT = 2e-9, 1e-8, 1e-7
#: Within a time there are at least this many rounds, on fewer rows if need be, and so many cells at most
FEWEST_ROUNDS, FEWEST_ROWS, MOST_CELLS = 100, 5_000, 1_000_000_000
#: Numbers that may be "auto"
AUTOMATIC = {"learning_rate": Range(Real, 0, above=True), "max_leaves": Range(Integral, 2)}


@holds(train_on=one_of(*CORRECTIONS), base_=numbers("n_nodes"), constant_=numbers("n_nodes", gaps=True))
class BoostedTrees(TreesBase):
    """Gradient boosting of trees for all labels at once.

    For dense tables of any size: a round costs what reading the labels' probabilities twice costs.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    train_on : {"all", "parents"}, default="all"
        The rows that train a label, as in :class:`~truepath.learners.SparseLinear`: all of them, so that trees
        estimate p(v) and scores are raised to those of the labels below; or those that have all its parents, so that
        trees estimate p(v | parents) and scores are multiplied down the hierarchy.
    max_iter : int, default=500
        The number of rounds; a round is a tree.
    learning_rate : "auto" or float, default="auto"
        What part of a step is taken. "auto": .03 up to 2,500 rows, .06 at 10,000, .2 from 75,000 on; more in fewer
        rounds than 500.
    max_leaves : "auto" or int, default="auto"
        The most leaves of a tree. "auto": 16 up to 2,500 rows, 64 from 10,000 on.
    min_leaf_weight : float, default=5
        The least weight of rows on either side of a split.
    l2 : float, default=0.1
        What is added to the curvature of the loss in a leaf: steps of labels that are rare there become shorter.
    subsample : float, default=0.8
        The share of the rows that splits are searched on, drawn for each round. Steps are those of all rows.
    max_features : "auto", None, "sqrt", "log2", float or int, default="auto"
        How many columns are tried, drawn for each round. "auto": 60, or 15 % if that is more.
    n_sketch : int, default=7
        Numbers per row that stand for the gradients of all labels in the search for splits, 7 at most.
    max_bins : int, default=64
        The most bins of a column, from 2 to 255; missing values have one more.
    w0 : float, default=0.75
        How much labels count in the search for splits: this to the power of their depth, as in
        :class:`~truepath.learners.PCTForest`.
    categorical_features : "all", column numbers, column names or bool mask, optional
        The columns of categories (as numbers), split by sets of values.
    n_iter_no_change : int, optional
        Stop when the AU(PRC) on rows left out has not risen for this many rounds, and keep the best number of rounds;
        it is looked at every 20 rounds. None makes all rounds, on all rows.
    validation_fraction : float, default=0.1
        The share of rows left out for that, by whole ``groups``.
    refit : bool, default=False
        Whether to fit once more, on all rows, with the number of rounds that was best for the rows left out.
    max_rows : int, optional
        Learn from no more rows than this, drawn at random.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Threads, over columns and blocks of labels. The same bits for any number.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    trees_ : list of named tuples of arrays
    base_ : ndarray, shape (n_nodes,)
        The log-odds that rows start from.
    n_iter_ : int
        How many rounds were kept.
    categories_ : dict of int to ndarray
        The values of the nominal columns.
    class_weight_ : ndarray, shape (n_nodes,)
    feature_importances_ : ndarray, shape (n_features,)

    See Also
    --------
    PCTForest : slower, and better on the smallest tables.

    Notes
    -----
    The loss is the log loss of each label by itself, over the rows that train it; labels share the trees. Scores are
    made coherent at the end: raised to those of the labels below (``max-up``), or with ``train_on="parents"``
    multiplied by those above (``path-product``; of several parents, by the least score, as
    :class:`~truepath.learners.SparseLinear` does). Rows without a value go where that gains more.

    A leaf with the gradient sum G and the curvature sum H moves a label's log-odds by
    ``learning_rate * min(4, max(-4, G / (H + l2)))``. Where ``G ** 2 / (H + l2)`` is below .02 the step is left out,
    which makes models several times smaller.

    Time: O(rows * labels) per round for the steps, O(rows * columns tried * log leaves) for the tree. Memory:
    rows x labels in single precision, once, and rows x columns bytes; more than the machine has is refused before
    anything is done. With ``max_rows`` it is that many rows. Sparse X stays sparse.

    Held-out scores (``fit_held_out``) are those of the rows left out for ``n_iter_no_change``, at no further fit: all
    that was chosen by these rows is the number of rounds. Without it they come from five fits on four fifths of the
    rows each; where there are more than 20,000,000 scores, from one such fit, for the rows of one fifth.

    With ``sample_weight`` whole numbers are the same as repeated rows if ``subsample`` is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 10, axis=0)
    >>> Y = np.repeat(h.encode([["a/1"], ["a/2"], ["b/1"]]), 10, axis=0)
    >>> learner = BoostedTrees(hierarchy=h, max_iter=20).fit(X, Y)
    >>> h.decode(learner.predict(X[::10]))
    [('a/1',), ('a/2',), ('b/1',)]
    """

    name = "boosted-trees"
    summary = "gradient boosting of trees for all labels at once, for tables of any size"
    learns_from = "rows and their labels"
    takes_missing = True
    has_scores_in_leaves = False
    approximates = ("update",)

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        train_on: str = "all",
        max_iter: int = 500,
        learning_rate: Any = "auto",
        max_leaves: Any = "auto",
        min_leaf_weight: float = 5,
        l2: float = 0.1,
        subsample: float = 0.8,
        max_features: Any = "auto",
        n_sketch: int = 7,
        max_bins: int = 64,
        w0: float = 0.75,
        categorical_features: Any = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        refit: bool = False,
        max_rows: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.hierarchy = hierarchy
        self.train_on = train_on
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.min_leaf_weight = min_leaf_weight
        self.l2 = l2
        self.subsample = subsample
        self.max_features = max_features
        self.n_sketch = n_sketch
        self.max_bins = max_bins
        self.w0 = w0
        self.categorical_features = categorical_features
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ----------------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Run the rounds.

        Parameters
        ----------
        X : array-like or CSR matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : 0/1 matrix (n_samples, n_nodes), dense or sparse, closed; or label names
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are left out together, with ``n_iter_no_change``.
        """
        self._fit(self._take(X, y, sample_weight, groups))
        return self

    def fit_held_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> NDArray[Any]:
        """Fit, and score training rows by fits on other parts of them; rows that no fit left out are NaN.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in :meth:`fit`. Rows of one group are left out together.

        Returns
        -------
        S : ndarray of float32, shape (n_samples, n_nodes)
        """
        given = self._take(X, y, sample_weight, groups)
        check_memory(given.n_rows, self.hierarchy_.n_nodes)  # of all, in one matrix
        boosted = self._fit(given)
        held_out = np.full((given.n_rows, self.hierarchy_.n_nodes), np.nan, np.float32)
        for rows, margins in score_unseen(given, boosted, self._settings(given), self._stopping()):
            held_out[rows] = self._to_scores(margins)
        checked = check_predict_input(self, X, allow_nan=True)
        return score_weightless(self, held_out, checked, check_weight(sample_weight, checked.shape[0]), groups)

    def _fit(self, given: CheckedRows) -> Boosted:
        """Fit on checked rows; return what the number of rounds was found with."""
        settings, stopping = self._settings(given), self._stopping()
        boosted = last = grow_trees(given, settings, stopping)
        self.n_iter_ = len(boosted.trees)
        if self.refit and boosted.left_out.size:
            last = grow_trees(given, settings, replace(stopping, n_rounds=self.n_iter_, patience=None))
        self.trees_, self.base_ = last.trees, last.base
        return boosted

    def _take(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> CheckedRows:
        """Refuse wrong parameters and return rows to learn from; set what scores depend on."""
        self._check_parameters()
        checked = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        self._find_categories(checked.X)
        return self._prepare(checked, groups)

    def _prepare(self, checked: FitInput, groups: Any) -> CheckedRows:
        """Return the rows to learn from; set what scores depend on beside trees."""
        check_memory(min(checked.X.shape[0], self.max_rows or checked.X.shape[0]), checked.hierarchy.n_nodes)
        self.class_weight_ = class_weights(checked.hierarchy, self.w0)
        self._trained_on = mark_training(checked.X, checked.sample_weight)
        groups = groups_to_learn(groups, checked.X.shape[0], checked.sample_weight)
        X, Y, weight = leave_out_weightless(checked.X, checked.y, checked.sample_weight)
        given = CheckedRows(
            X,
            sparse.csr_array(Y),
            np.ones(X.shape[0]) if weight is None else weight,
            self.class_weight_,
            self.categories_,
            groups,
            int(check_random_state(self.random_state).randint(2**31 - 1)),
            checked.hierarchy if self.train_on == "parents" else None,
        )
        self.constant_ = given.constant()
        return given

    def _check_parameters(self) -> None:
        check_choice(self, "train_on", tuple(CORRECTIONS))
        check_number(self, "max_iter", Integral, 1)
        for name, allowed in AUTOMATIC.items():
            if getattr(self, name) != "auto":
                check_in(name, getattr(self, name), allowed)
        check_number(self, "max_bins", Integral, 2, MOST_BINS)
        check_number(self, "n_sketch", Integral, 1, MOST_NUMBERS)
        for name in ("n_iter_no_change", "max_rows"):
            check_number(self, name, Integral, 1, none=True)
        check_number(self, "min_leaf_weight", Real, 0)
        check_number(self, "l2", Real, 0, above=True)
        for name in ("subsample", "w0"):
            check_in(name, getattr(self, name), SOME)
        check_in("validation_fraction", self.validation_fraction, SHARE)
        check_flag(self, "refit")

    def _settings(self, given: CheckedRows) -> RoundSettings:
        """Resolve the parameters of rounds."""
        n_rows, n_columns = given.X.shape
        learned = self._count_rows(n_rows)
        is_auto = self.learning_rate == "auto"
        return RoundSettings(
            choose_rate(learned, int(self.max_iter)) if is_auto else float(self.learning_rate),
            float(self.l2),
            float(self.subsample),
            self._count_columns(n_columns),
            int(self.n_sketch),
            int(self.max_bins),
            Rules(self._count_leaves(learned), float(self.min_leaf_weight)),
            self.n_jobs,
        )

    def _count_rows(self, n_rows: int) -> int:
        """Return how many rows are learned from, those that are left out included."""
        return min(n_rows, self.max_rows or n_rows)

    def _count_columns(self, n: int) -> int:
        """Return how many columns are tried in a round."""
        if self.max_features == "auto":
            return min(max(FEW_COLUMNS, int(SHARE_OF_COLUMNS * n)), n)
        return resolve_count(self.max_features, n, "max_features")

    def _count_leaves(self, n_rows: int) -> int:
        return choose_leaves(n_rows) if self.max_leaves == "auto" else int(self.max_leaves)

    def _stopping(self) -> Stopping:
        """Return how many rounds there are, and rows."""
        return Stopping(int(self.max_iter), self.n_iter_no_change, float(self.validation_fraction), self.max_rows)

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly."""
        once = self._bin_seconds(shape) + int(self.max_iter) * self._round_seconds(shape, shape.n_rows)
        return 2 * once if self.refit and self.n_iter_no_change is not None else once

    def held_out_seconds(self, shape: TableShape) -> float:
        """Return what a fit and the scores of rows left out take on one core, roughly."""
        n_fits = 0 if self.n_iter_no_change is not None else count_parts(shape.n_rows, shape.n_rows * shape.n_nodes)
        part = shape._replace(n_rows=shape.n_rows - shape.n_rows // N_PARTS)
        return self.fit_seconds(shape) + n_fits * self.fit_seconds(part)

    def _bin_seconds(self, shape: TableShape) -> float:
        return SECONDS_TO_BIN * shape.n_rows * shape.n_columns

    def _round_seconds(self, shape: TableShape, n_rows: int) -> float:
        """Return what a round takes, that on all rows, or some."""
        n_rows, n_tried = self._count_rows(n_rows), self._count_columns(shape.n_columns)
        seconds = SECONDS_FOR_CELL * n_rows * shape.n_nodes + SECONDS_FOR_ENTRY * n_rows * n_tried
        seconds += SECONDS_FOR_CUT * n_tried * int(self.max_bins) * self._count_leaves(n_rows)
        if self.n_iter_no_change is not None:
            n_judged = min(CELLS_JUDGED, self.validation_fraction * shape.n_rows * shape.n_nodes)
            seconds += SECONDS_TO_JUDGE * n_judged / ROUNDS_BETWEEN
        return seconds

    def within(self, seconds: float, shape: TableShape) -> Self:
        """Return an unfitted copy whose fit takes about as long: fewer rounds, and fewer rows where these are too few.

        Parameters
        ----------
        seconds : float
            On one core.
        shape : TableShape
            That of the rows to learn from.
        """
        left = max(seconds - self._bin_seconds(shape), 0.0)
        n_most = self._count_rows(min(shape.n_rows, max(1, MOST_CELLS // shape.n_nodes)))
        n_rounds = int(left / self._round_seconds(shape, n_most))
        if n_rounds < FEWEST_ROUNDS:
            n_most = min(n_most, max(FEWEST_ROWS, n_most * n_rounds // FEWEST_ROUNDS))
            n_rounds = FEWEST_ROUNDS
        max_rows = n_most if n_most < shape.n_rows else self.max_rows
        return clone(self).set_params(max_iter=min(n_rounds, int(self.max_iter)), max_rows=max_rows)

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> Self:
        """Return a learner for a changed hierarchy: the steps of all leaves found again, or trees grown anew.

        Parameters
        ----------
        diff : HierarchyDiff
            From the learner's hierarchy to the new one.
        X : as in ``fit``
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Notes
        -----
        Trees keep their questions where the rows are those of ``fit``, and no label is new or a part of an old one;
        steps are found from the rows that they were found from.
        Otherwise this is a ``fit``: no question was asked about what is new.
        """
        new = copy_for_change(self, diff)
        checked = check_fit_input(new, X, y, allow_nan=True)
        if not is_all_known(self._trained_on, diff, checked.X, checked.y):
            new.fit(X, y).relearned_ = np.arange(diff.new.n_nodes)
            return new
        new.categories_ = self.categories_
        stopping = new._stopping()
        given, _ = leave_rows_out(
            new._prepare(checked, None), replace(stopping, patience=None) if self.refit else stopping
        )
        new.trees_, new.base_ = refit_leaves(self.trees_, given, new._settings(given))
        new.n_iter_ = self.n_iter_
        return new

    # -------------------------------------------------------------------------------------- predicting

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores.

        Parameters
        ----------
        X : array-like or CSR matrix, shape (n_samples, n_features)
            NaN is a missing value; so is a nominal value not seen in training.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
            float32 if X is, else float64.
        """
        X = check_predict_input(self, X, allow_nan=True)
        S = self._to_scores(sum_steps(self.trees_, X, self.categories_, self.base_, self.n_jobs))
        return S.astype(np.float32) if X.dtype == np.float32 else S

    def _to_scores(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores, in the place of log-odds."""
        S = expit(margins, out=margins)
        return project_scores(set_constant_scores(S, self.constant_), self.hierarchy_, CORRECTIONS[self.train_on])

    def contributions(self, x: Any, nodes: Any, *, method: str = "auto") -> Contributions:
        """Return what each feature of one row adds to the scores of some labels.

        Parameters
        ----------
        x : array-like or CSR matrix, shape (1, n_features)
        nodes : sequence of int
        method : {"auto", "shapley", "path"}, default="auto"
            Of the log-odds: Shapley values, exact; or the changes on the row's way down the trees. The sigmoid passes
            them on in proportion.

        Returns
        -------
        found : Contributions
            From the mean log-odds of the training rows.
        """
        if method not in ("auto", "shapley", "path"):
            raise ValueError(f"method must be 'auto', 'shapley' or 'path' for trees; got {method!r}.")
        X = as_dense(check_predict_input(self, x, allow_nan=True))
        row, n_trees = code_categories(X, self.categories_)[0], len(self.trees_)
        explain, said = (explain_by_path, "path") if method == "path" else (explain_by_shapley, "shapley")

        def odds(wanted: Any) -> Contributions:
            values, base = explain(self.trees_, row, np.asarray(wanted), self.hierarchy_.n_nodes)
            columns = np.flatnonzero(values.any(axis=1))
            found = Contributions(wanted, values[columns] * n_trees, base * n_trees + self.base_[wanted], said, columns)
            return found.through(expit, lambda s: expit(s) * expit(-s))

        scores = expit(sum_steps(self.trees_, X, self.categories_, self.base_))[0]
        part = score_part(ScorePart(scores, odds), self.constant_, self.hierarchy_, CORRECTIONS[self.train_on])
        return part.contributions(np.asarray(nodes, np.int64))

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add the scores to an ONNX graph."""
        margins = forest_sums(graph, self.trees_, self.hierarchy_.n_nodes, rows, self.base_)
        scores = graph.fill_columns(graph.add("Sigmoid", margins), self.constant_)
        return graph.like(export_projection(graph, scores, self.hierarchy_, CORRECTIONS[self.train_on]), rows)

    def _trees(self) -> list[Any]:
        check_is_fitted(self, "trees_")
        return self.trees_

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        awkward = made.X.copy()
        awkward[::7, 1], awkward[:, 2] = np.nan, np.arange(len(awkward)) % 3
        for learner, X in ((cls(max_iter=2), made.X), (cls(max_iter=2, categorical_features=[2]), awkward)):
            fit_made(learner, made, X)
        listed = sparse.csr_array(np.where(made.X > 1.5, made.X, 0.0))
        cls(max_iter=2, hierarchy=made.hierarchy).fit(listed, made.Y)
