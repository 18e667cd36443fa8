"""What a predictive clustering tree and a forest of them share: parameters, checks, and scores.

A score is the mean of the label vectors of the leaves that a row reaches. Every leaf holds, per label, the share of
its rows that have the label; a parent has at least the rows of its child. Rounding keeps order, and so does adding in
the same order: the mean over trees is coherent to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.adapters.categories import resolve_categorical
from truepath.adapters.contributions import Contributions
from truepath.adapters.cost import TableShape
from truepath.adapters.likeness import Likeness
from truepath.adapters.parallel import iterate_parallel
from truepath.graph import Graph
from truepath.held import holds, integer, mapping, numbers
from truepath.hierarchy import HierarchyDiff
from truepath.hierarchy.matrices import as_dense, row_blocks
from truepath.learners.base import (
    FitInput,
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    is_all_known,
    mark_training,
)
from truepath.learners.trees.columns import code_categories, encode_columns, find_categories
from truepath.learners.trees.graph import forest_scores
from truepath.learners.trees.grow import TrainingData, class_weights, critical_f
from truepath.learners.trees.importance import feature_importances
from truepath.learners.trees.leaves import count_again, find_leaves
from truepath.learners.trees.reasons import explain_by_path, explain_by_shapley
from truepath.learners.trees.soundness import check_tree
from truepath.parameters import check_choice, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

#: No limit on depth
DEEPEST = 1 << 40
#: What becomes of rows with a missing value, in the order of the kernel's numbers
MISSING_RULES = ("learned", "fractional", "surrogate")


def resolve_count(value: Any, n: int, name: str) -> int:
    """Return a number of things out of n, from None (all), "sqrt", "log2", "log2+1", a share or a number.

    Examples
    --------
    >>> [resolve_count(value, 77, "max_features") for value in (None, "sqrt", "log2", "log2+1", 0.5, 10)]
    [77, 8, 6, 7, 38, 10]
    """
    if value is None:
        return n
    if isinstance(value, str) and value in ("sqrt", "log2", "log2+1"):
        count = int(np.sqrt(n)) if value == "sqrt" else int(np.log2(n)) + (value == "log2+1")
        return min(max(1, count), n)
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1:
        return min(int(value), n)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1:
        return max(1, int(float(value) * n))
    raise ValueError(
        f"{name} must be None, 'sqrt', 'log2', 'log2+1', a share in (0, 1] as a float, or a number from 1; "
        f"got {value!r}."
    )


@holds(class_weight_=numbers("n_nodes"), categories_=mapping(numbers(None), integer(0)), _trained_on=integer(-1))
class TreesBase(HierarchicalLearner):
    """What all learners made of trees share: which features they ask for, which rows come to the same leaves."""

    #: Whether leaves hold scores, coherent by themselves, or steps that are added up
    has_scores_in_leaves = True

    def feature_weights(self, by: str = "label") -> np.ndarray:
        """Return the shares of features in what splits explain of each label, or of the labels of each level.

        Parameters
        ----------
        by : {"label", "level"}, default="label"

        Returns
        -------
        weights : ndarray, shape (n_features, n_nodes) or (n_features, height)
        """
        return self.importances(by="class" if by == "label" else by)

    def likeness(self, x: Any, X: Any) -> Likeness:
        """Return the share of trees in which each row of X comes to the same leaf as one row."""
        one, many = (check_predict_input(self, rows, allow_nan=True) for rows in (x, X))
        trees, shared = self._trees(), np.zeros(many.shape[0])
        for tree in trees:
            shared += find_leaves(tree, many, self.categories_) == find_leaves(tree, one, self.categories_)[0]
        return Likeness(shared / len(trees), "shared leaves")

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each feature in the decrease of weighted variance, shape (n_features,)."""
        return self.importances()

    def importances(self, by: str | None = None) -> np.ndarray:
        """Return feature importances: the mean decrease of weighted variance by splits on each feature.

        Parameters
        ----------
        by : {None, "level", "class"}, default=None
            Overall, split by depth of the class, or for every class. A column sums to 1, or is 0 if no split ever
            helped the class.

        Returns
        -------
        ndarray, shape (n_features,), (n_features, height) or (n_features, n_nodes)
        """
        trees = self._trees()
        return feature_importances(trees, self.n_features_in_, self.hierarchy_, self.class_weight_, by=by)

    def _trees(self) -> list[Any]:
        """Return the grown trees."""
        raise NotImplementedError

    def check_loaded(self) -> None:
        """Refuse trees from a file whose links lead outside: the kernels follow them unchecked."""
        if not self._trees():
            raise ValueError("a forest has no trees")
        for tree in self._trees():
            check_tree(
                tree, self.n_features_in_, self.hierarchy_, self.categories_, is_coherent=self.has_scores_in_leaves
            )

    def _find_categories(self, X: Any) -> None:
        """Set ``categories_``, the values of the nominal columns."""
        is_nominal = resolve_categorical(
            self.categorical_features, X.shape[1], getattr(self, "feature_names_in_", None)
        )
        self.categories_ = find_categories(X, is_nominal)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class PCTBase(TreesBase):
    """The common part of :class:`PCTree` and :class:`PCTForest`."""

    approximates = ("update",)
    max_features: Any
    significance: float | None = None  # the trees of a forest are not tested

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the scores: for each label, the mean share of training rows that have it in the leaves reached.

        Parameters
        ----------
        X : array-like or CSR matrix, shape (n_samples, n_features)
            NaN is a missing value; so is a nominal value not seen in training.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
            Coherent: no label scores above a parent. float32 if X is, else float64.
        """
        X = check_predict_input(self, X, allow_nan=True)
        n_jobs = getattr(self, "n_jobs", None)
        return mean_scores(self._trees(), X, self.categories_, self.hierarchy_.n_nodes, n_jobs=n_jobs)

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly."""
        n_tried = resolve_count(self.max_features, shape.n_columns, "max_features")
        per_level = shape.n_rows * (4.7e-7 + 1e-8 * n_tried) + 1.2e-8 * shape.n_set
        dense = getattr(self, "n_estimators", 1) * float(np.log2(max(shape.n_rows, 2))) * per_level
        return 3.0 * dense if shape.is_sparse else dense

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> Self:
        """Return a learner for a changed hierarchy: the labels of all leaves counted again, or trees grown anew.

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
        Trees keep their questions where the rows are those that they were grown on, and no label is new or a part of an
        old one: labels that were moved, merged, renamed or removed are told apart by the same questions. All rows count
        once, drawn by a tree or not. Otherwise this is a ``fit``: no question was asked about what is new.
        """
        new = copy_for_change(self, diff)
        given = new._check(X, y, None)
        if not is_all_known(self._trained_on, diff, given.X, given.y):
            new.fit(X, y).relearned_ = np.arange(diff.new.n_nodes)
            return new
        new.categories_ = self.categories_
        Y = sparse.csr_array(given.y, dtype=np.float64)
        new._keep_trees([count_again(tree, given.X, Y, self.categories_) for tree in self._trees()], self)
        return new

    def _keep_trees(self, trees: list[Any], other: Any) -> None:
        """Keep trees that were grown by another learner of the class."""
        raise NotImplementedError

    def contributions(self, x: Any, nodes: Any, *, method: str = "auto") -> Contributions:
        """Return what each feature of one row adds to the scores of some labels.

        Parameters
        ----------
        x : array-like or CSR matrix, shape (1, n_features)
        nodes : sequence of int
        method : {"auto", "shapley", "path"}, default="auto"
            Shapley values, exact; or the changes of the scores on the row's way down the trees.

        Returns
        -------
        found : Contributions
            From the mean scores of the training rows.
        """
        if method not in ("auto", "shapley", "path"):
            raise ValueError(f"method must be 'auto', 'shapley' or 'path' for trees; got {method!r}.")
        X, wanted = as_dense(check_predict_input(self, x, allow_nan=True)), np.asarray(nodes, np.int64)
        row = code_categories(X, self.categories_)[0]
        explain = explain_by_path if method == "path" else explain_by_shapley
        values, base = explain(self._trees(), row, wanted, self.hierarchy_.n_nodes)
        columns = np.flatnonzero(values.any(axis=1))
        return Contributions(wanted, values[columns], base, "path" if method == "path" else "shapley", columns)

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add the scores to an ONNX graph, to the same bits."""
        return forest_scores(graph, self._trees(), self.hierarchy_.n_nodes, rows)

    def _check(self, X: Any, Y: Any, sample_weight: Any) -> FitInput:
        """Check the input of fit; set ``hierarchy_`` and ``class_weight_``."""
        given = check_fit_input(self, X, Y, sample_weight, allow_nan=True)
        self.class_weight_ = class_weights(given.hierarchy, self.w0, self.weighting)
        self._trained_on = mark_training(given.X, given.sample_weight)
        return given

    def _encode(self, given: FitInput) -> TrainingData:
        """Code the columns and set ``categories_``."""
        self._find_categories(given.X)
        columns = encode_columns(given.X, self.categories_, n_jobs=getattr(self, "n_jobs", None))
        return TrainingData.from_arrays(columns, given.y, self.class_weight_, given.sample_weight)

    def _rules(self, n_features: int, total_weight: float) -> Any:
        """Resolve the parameters of growth."""
        check_number(self, "min_leaf_weight", Real, 0)
        check_number(self, "min_impurity_decrease", Real, 0)
        check_number(self, "max_depth", Real, 0, none=True)
        check_number(self, "significance", Real, 0, 1, above=True, none=True)
        check_choice(self, "splitter", ("best", "random"))
        check_choice(self, "missing", MISSING_RULES)
        return _kernels.trees.build.Rules(
            max_depth=DEEPEST if self.max_depth is None else int(self.max_depth),
            min_leaf_weight=float(self.min_leaf_weight),
            min_gain=float(self.min_impurity_decrease),
            max_features=resolve_count(self.max_features, n_features, "max_features"),
            is_random=self.splitter == "random",
            missing=MISSING_RULES.index(self.missing),
            f_critical=critical_f(self.significance, total_weight),
        )


def mean_scores(
    trees: Sequence[Any],
    X: Any,
    categories: dict[int, np.ndarray],
    n_nodes: int,
    *,
    is_wanted: Callable[[int], np.ndarray] | None = None,
    dtype: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return the mean label vectors of the rows of X over the trees.

    Parameters
    ----------
    trees : sequence of Tree
    X : ndarray or CSR matrix, shape (n_samples, n_features)
        CSR rows are made dense a block at a time.
    categories : dict of int to ndarray
        The values of the nominal columns.
    n_nodes : int
    is_wanted : callable, optional
        ``is_wanted(k)`` is a mask of the rows that tree k may score; rows without any tree become NaN.
    dtype : type, optional
        Of the scores: float32 if X is, else float64, unless given. Sums are float64.
    n_jobs : int, optional
        Workers, threads unless another backend is chosen, over blocks of rows: the sums are the same for any number.

    Returns
    -------
    S : ndarray, shape (n_samples, n_nodes)
    """
    n_rows = X.shape[0]
    dtype = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
    masks = None if is_wanted is None else [is_wanted(k) for k in range(len(trees))]
    blocks = list(row_blocks(n_rows, max(n_nodes, X.shape[1])))
    cases = ((X[block], None if masks is None else [mask[block] for mask in masks]) for block in blocks)
    common = (trees, categories, n_nodes, dtype)
    S = np.empty((n_rows, n_nodes), dtype)
    parts = iterate_parallel(_score_block, cases, common=common, n_jobs=n_jobs, prefer="threads")
    for block, part in zip(blocks, parts):
        S[block] = part
    return S


def _score_block(
    trees: Sequence[Any],
    categories: dict[int, np.ndarray],
    n_nodes: int,
    dtype: Any,
    X: Any,
    masks: list[np.ndarray] | None,
) -> np.ndarray:
    """Return the scores of one block of rows."""
    X = code_categories(as_dense(X), categories)
    sums = np.zeros((len(X), n_nodes))
    everyone = np.ones(len(X), bool)
    counts = np.zeros(len(X))
    for k, tree in enumerate(trees):
        wanted = everyone if masks is None else masks[k]
        _kernels.trees.tree.add_leaves(tree, X, wanted, sums)
        counts += wanted
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: no tree may score the row
        np.divide(sums, counts[:, None], out=sums)
    np.minimum(sums, 1.0, out=sums)  # the parts of a row sent both ways may add up to 1 + 1 ulp
    return sums.astype(dtype, copy=False)
