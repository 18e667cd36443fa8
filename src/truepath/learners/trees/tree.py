"""Predictive clustering trees for label hierarchies (CLUS-HMC): one tree over the whole label vector.

A node is split where the weighted variance of its rows' label vectors falls most, Var = sum over labels v of
w_v Var(y_v) with w_v = w0 ** depth(v): agreeing near the top of the hierarchy matters more than deep down. A leaf
predicts, for each label, the share of its rows that have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import encode_labels
from truepath.adapters.groups import check_groups
from truepath.hierarchy import Hierarchy
from truepath.learners.base import FitInput, check_predict_input
from truepath.learners.trees.base import PCTBase
from truepath.learners.trees.export import ReadableTree
from truepath.learners.trees.grow import grow_tree, tree_seed
from truepath.learners.trees.leaves import find_leaves
from truepath.learners.trees.pruning import prune_tree
from truepath.resampling import share_rows

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


class PCTree(ReadableTree, PCTBase):
    """A predictive clustering tree.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat (plain multi-label trees), or as label paths that make a tree.
    w0 : float, default=0.75
        Class weights fall by this factor from level to level.
    weighting : {"avg_parent", "sum_parent", "min", "max", "uniform"}, default="avg_parent"
        How the weights of several parents are combined; "uniform" weighs all classes 1.
    max_depth : int, optional
        The longest way from the root to a leaf; None sets no limit.
    min_leaf_weight : float, default=5
        The least weight of rows on either side of a split.
    min_impurity_decrease : float, default=0
        The least decrease of weighted variance of a split, as a share of all rows: N_t / N times the decrease.
    significance : float, optional
        Split only where an F-test finds the decrease significant at this level; None: no test.
    max_features : None, "sqrt", "log2", "log2+1", float or int, default=None
        How many features, drawn again for every node, are tried there; None tries all.
    splitter : {"best", "random"}, default="best"
        The best cut of each feature tried, or the best of one random cut each.
    missing : {"surrogate", "learned", "fractional"}, default="surrogate"
        Where a row without value goes: where another feature sends it; to the side that lowers the variance more,
        learned for every split; or both ways, its weight shared out as that of the rows whose value is known, in
        growing as in prediction (CLUS).
    categorical_features : "all", column numbers, column names or bool mask, optional
        The columns of categories (as numbers), split by sets of values.
    validation_fraction : float, optional
        Keep this share of the rows aside in ``fit``, and prune with them.
    random_state : int, RandomState or None, default=0
        Needed only with ``max_features``, ``splitter="random"`` or ``validation_fraction``.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    tree_ : named tuple of arrays
    class_weight_ : ndarray, shape (n_nodes,)
    categories_ : dict of int to ndarray
        The values of the nominal columns.
    feature_importances_ : ndarray, shape (n_features,)

    Notes
    -----
    Growing costs O(rows x own labels x features tried) per level of the tree, whatever the number of classes; memory is
    O(features x rows + labels of all rows). Splits are exact: a cut lies halfway between neighbouring values, and a
    tie goes to the smaller feature. A split of no gain is made if the node is not pure, as in scikit-learn.

    A split is chosen on the rows whose value is known (with ``missing="learned"``, on all). A row without value goes
    the way of a surrogate, the cut of another feature drawn at the node that agrees best with the split (with random
    cuts, one of the first eighth of these features, 8 at least); without one, or where training had none missing, with
    the larger side.

    The values of a nominal feature are ordered along the first principal direction of their mean label vectors, and
    that order is cut: the best of all subsets for one label, a heuristic for more. (CLUS adds values greedily.)

    The F-test has F = (SS - SS_l - SS_r) / ((SS_l + SS_r) / (n - 2)) with 1 and n - 2 degrees of freedom, SS the
    weighted sum of squares of a node and n its weight.

    References
    ----------
    Vens, C., Struyf, J., Schietgat, L., Dzeroski, S. & Blockeel, H. (2008). Decision trees for hierarchical
    multi-label classification. Machine Learning 73, 185-214.

    See Also
    --------
    PCTForest : many of them, far more accurate.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["b"]])
    >>> tree = PCTree(hierarchy=h, min_leaf_weight=1).fit(X, Y)
    >>> h.decode(tree.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b',)]
    >>> print(tree.export_text(feature_names=["x", "y"]))
    x <= 0.5
    |   yes: y <= 0.5
    |   |   yes: weight 1: a 1.00, a/1 1.00
    |   |   no: weight 1: a 1.00, a/2 1.00
    |   no: y <= 0.5
    |   |   yes: weight 1: b 1.00, b/1 1.00
    |   |   no: weight 1: b 1.00
    """

    name = "pct"
    summary = "one readable predictive clustering tree over all labels"
    learns_from = "rows and their labels"

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        w0: float = 0.75,
        weighting: str = "avg_parent",
        max_depth: int | None = None,
        min_leaf_weight: float = 5,
        min_impurity_decrease: float = 0.0,
        significance: float | None = None,
        max_features: Any = None,
        splitter: str = "best",
        missing: str = "surrogate",
        categorical_features: Any = None,
        validation_fraction: float | None = None,
        random_state: Any = 0,
    ):
        self.hierarchy = hierarchy
        self.w0 = w0
        self.weighting = weighting
        self.max_depth = max_depth
        self.min_leaf_weight = min_leaf_weight
        self.min_impurity_decrease = min_impurity_decrease
        self.significance = significance
        self.max_features = max_features
        self.splitter = splitter
        self.missing = missing
        self.categorical_features = categorical_features
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the tree, and prune it if a part is kept for validation.

        Parameters
        ----------
        X : array-like or CSR matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : 0/1 matrix (n_samples, n_nodes), dense or sparse, closed; or label names
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: whole groups are kept for validation.
        """
        given = self._check(X, y, sample_weight)
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        held_out = self._hold_out(given, entropy, check_groups(groups, given.X.shape[0]))
        data = self._encode(given if held_out is None else _rows(given, ~held_out))
        rules = self._rules(data.n_features, data.row_weight.sum())
        self.tree_ = grow_tree(data, data.row_weight, rules, tree_seed(entropy, 0))
        if held_out is not None:
            self.prune(given.X[held_out], given.y[held_out])
        return self

    def prune(self, X: Any, y: Any) -> Self:
        """Cut back, in place, what does not help these rows (reduced-error pruning by weighted squared error).

        Parameters
        ----------
        X, Y : as in :meth:`fit`
            Rows that the tree was not grown on.
        """
        leaves = self.apply(X)
        labels = sparse.csr_array(encode_labels(y, self.hierarchy_))
        self.tree_ = prune_tree(self.tree_, leaves, labels, self.class_weight_)
        return self

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf that each row reaches."""
        X = check_predict_input(self, X, allow_nan=True)
        return find_leaves(self.tree_, X, self.categories_)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        check_is_fitted(self, "tree_")
        return (len(self.tree_.link) + 1) // 2

    def _trees(self) -> list[Any]:
        check_is_fitted(self, "tree_")
        return [self.tree_]

    def _keep_trees(self, trees: list[Any], other: PCTree) -> None:
        self.tree_ = trees[0]

    def _hold_out(self, given: FitInput, entropy: int, groups: np.ndarray | None) -> np.ndarray | None:
        """Return a mask of the rows kept for validation, or None."""
        if self.validation_fraction is None:
            return None
        n_rows = given.X.shape[0]
        n_held = int(np.ceil(self.validation_fraction * n_rows)) if 0 < self.validation_fraction < 1 else n_rows
        if n_held >= n_rows:
            raise ValueError(
                f"validation_fraction must lie between 0 and 1 and leave rows to grow on; got "
                f"{self.validation_fraction!r} of {n_rows} rows."
            )
        if groups is not None:
            share = float(self.validation_fraction)
            return share_rows(given.y, [1 - share, share], entropy, groups) == 1
        mask = np.zeros(n_rows, bool)
        mask[tree_seed(entropy, 1).permutation(n_rows)[:n_held]] = True
        return mask


def _rows(given: FitInput, mask: np.ndarray) -> FitInput:
    """Return the rows marked."""
    weight = None if given.sample_weight is None else given.sample_weight[mask]
    return FitInput(given.X[mask], given.y[mask], weight, given.hierarchy)
