"""From checked data to one tree: what is prepared once for all trees, what each tree draws, and the kernel call.

Class weights of predictive clustering trees: a class deep in the hierarchy counts less than one near its top.

On a tree w_v = w0 ** depth(v). In a DAG a node has several depths, and the weight follows its parents' instead
(Vens et al., 2008, section 4.2): w_v = w0 * f(w_u over the parents u), with f the average by default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath._kernels.trees.arrays import FEATURE, LEAF_STOP, Tree
from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy

#: How the weights of several parents become one
WEIGHTINGS: dict[str, Callable[..., Any]] = {"avg_parent": np.mean, "sum_parent": np.sum, "min": np.min, "max": np.max}
#: Sides may be lighter than the least weight by this share: sums of broken weights are rounded
WEIGHT_SLACK = 1e-9
#: Times the rows of a tree that the copies of rows that go both ways may take
MOST_ROOM = 1 << 10
MOST_ROWS_REORDERED = 1 << 14


@dataclass(frozen=True)
class TrainingData:
    """What all trees share, read-only: coded columns, labels in CSR form, class weights, row weights."""

    columns: Any
    indptr: np.ndarray
    indices: np.ndarray
    class_weight: np.ndarray
    row_weight: np.ndarray

    @classmethod
    def from_arrays(cls, columns: Any, Y: Any, class_weight: np.ndarray, row_weight: np.ndarray | None) -> TrainingData:
        """Take a closed label matrix, dense or sparse; None weighs every row 1."""
        Y = sparse.csr_array(Y)
        Y.sort_indices()
        weight = np.ones(Y.shape[0]) if row_weight is None else row_weight
        return cls(columns, Y.indptr.astype(np.int64), Y.indices.astype(np.int32), class_weight, weight)

    @property
    def n_rows(self) -> int:
        """The number of rows, of weight 0 too."""
        return self.row_weight.size

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.columns.info)


def class_weights(hierarchy: Hierarchy, w0: float = 0.75, weighting: str = "avg_parent") -> np.ndarray:
    """Return the weight of each class in the variance of a node.

    Parameters
    ----------
    hierarchy : Hierarchy
    w0 : float, default=0.75
        The factor from level to level, above 0.
    weighting : {"avg_parent", "sum_parent", "min", "max", "uniform"}, default="avg_parent"
        How the weights of several parents are combined; "uniform" gives every class the weight 1.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)

    References
    ----------
    Vens, C., Struyf, J., Schietgat, L., Dzeroski, S. & Blockeel, H. (2008). Decision trees for hierarchical
    multi-label classification. Machine Learning 73, 185-214.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> class_weights(h, 0.5)
    array([0.5  , 0.5  , 0.25 , 0.1875])
    >>> class_weights(h, 0.5, "min")
    array([0.5  , 0.5  , 0.25 , 0.125])
    """
    if not (np.isfinite(w0) and w0 > 0):
        raise ValueError(f"w0 must be a number above 0; got {w0!r}. The published setting is 0.75.")
    if weighting == "uniform":
        return np.ones(hierarchy.n_nodes)
    if weighting not in WEIGHTINGS:
        known = ", ".join(map(repr, [*WEIGHTINGS, "uniform"]))
        raise ValueError(f"weighting must be one of {known}; got {weighting!r}.")
    combine = WEIGHTINGS[weighting]
    weight = np.empty(hierarchy.n_nodes)
    for v in range(hierarchy.n_nodes):  # parents come before children
        above = hierarchy.parents(v)
        weight[v] = w0 * (combine(weight[above]) if above.size else 1.0)
    return weight


def critical_f(significance: float | None, total_weight: float) -> np.ndarray:
    """Return, for a node of weight n, the F statistic that a split must reach; zeros without a test.

    Two groups against one have 1 and n - 2 degrees of freedom. Weights above the table's end use its last entry.
    """
    if significance is None:
        return np.zeros(1)
    from scipy.stats import f

    degrees = np.maximum(np.arange(min(int(total_weight), 10_000) + 1) - 2, 1)
    return f.isf(significance, 1, degrees)


def tree_seed(entropy: int, k: int) -> np.random.Generator:
    """Return the generator of tree k: the same whatever was grown before, beside or after it."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(k,)))


def grow_tree(
    data: TrainingData, weight: np.ndarray, rules: Any, rng: np.random.Generator, n_features: int | None = None
) -> Tree:
    """Grow one tree on the rows of positive weight, from all features or a random subset of ``n_features``.

    ``rules`` are those of the kernel, the least gain as a share of the weight of all rows.
    """
    features = _draw_features(rng, data.n_features, n_features)
    state = rng.integers(2**64, dtype=np.uint64, size=1)
    goes_both_ways = rules.missing == _kernels.trees.part.SHARE_OUT
    room = 1 if goes_both_ways else 0
    while (grown := _try_to_grow(data, weight, rules, features.copy(), state.copy(), room)) is None:
        room *= 2  # rows that go both ways take room that cannot be known before
        if room > MOST_ROOM:
            raise TruePathError(
                f"a tree whose rows with missing values go both ways takes more than {MOST_ROOM} times its rows.",
                "Raise min_leaf_weight, or choose missing='surrogate' or 'learned'.",
            )
    return grown


def _try_to_grow(
    data: TrainingData, weight: np.ndarray, rules: Any, features: np.ndarray, state: np.ndarray, room: int
) -> Tree | None:
    """Grow a tree with room for ``room`` times the rows beside the rows themselves; None if that is too little."""
    build, space = _kernels.trees.build, _kernels.trees.space
    n_labels = data.class_weight.size
    rows = _order_rows(data, np.flatnonzero(weight > 0).astype(np.int32), rules)
    n_categories = _count_categories(data.columns.info)
    n_listed = int(np.diff(data.indptr)[rows].sum())
    n_packed = n_listed + _kernels.trees.labels.PAD * rows.size
    n_copies, n_entries = room * rows.size, room * n_packed
    tree = space.make_tree((1 + room) * _count_leaves(rows.size, weight, rules), (1 + room) * n_listed, n_categories)
    sizes = build.build_tree(
        data.columns,
        space.make_lists(data.indptr, data.indices, weight, data.class_weight, n_copies, n_entries),
        space.make_buffers(rows.size),
        space.make_random(rows.size, n_packed) if rules.is_random else None,
        space.make_awkward(n_labels, n_categories) if _is_awkward(data.columns.info, rules) else None,
        tree,
        space.make_seats(rows, data.n_rows, n_copies),
        data.indptr,
        data.indices,
        rows.size,
        features,
        rules._replace(
            min_leaf_weight=rules.min_leaf_weight * (1.0 - WEIGHT_SLACK), min_gain=rules.min_gain * weight.sum()
        ),
        state,
    )
    return None if sizes[0] == _kernels.trees.seats.NO_ROOM else _trim(tree, n_labels, *sizes)


def _order_rows(data: TrainingData, rows: np.ndarray, rules: Any) -> np.ndarray:
    """Return the rows by the number of their labels where random cuts are tried: loops of equal length run best.

    Sparse columns want them ascending, and so do columns that are larger than a cache.
    """
    fields = _kernels.trees.columns
    has_ranks = (data.columns.info[:, fields.DENSE_START] >= 0) | (data.columns.info[:, fields.IS_DENSE] == 1)
    if not rules.is_random or rows.size > MOST_ROWS_REORDERED or not has_ranks.all():
        return rows
    return rows[np.argsort(np.diff(data.indptr)[rows], kind="stable")]


def _count_leaves(n_rows: int, weight: np.ndarray, rules: Any) -> int:
    """Return the most leaves that a tree can have."""
    heaviest = n_rows if rules.min_leaf_weight == 0 else weight.sum() / rules.min_leaf_weight + 1
    return max(1, int(min(n_rows, heaviest)))


def _draw_features(rng: np.random.Generator, n_features: int, n_drawn: int | None) -> np.ndarray:
    """Return the columns a tree may use, ascending."""
    if n_drawn is None or n_drawn >= n_features:
        return np.arange(n_features)
    return np.sort(rng.permutation(n_features)[:n_drawn])


def _is_awkward(info: np.ndarray, rules: Any) -> bool:
    """Return whether a column is nominal or lacks values: the kernels for that take as long again to compile."""
    fields = _kernels.trees.columns
    goes_both_ways = rules.missing == _kernels.trees.part.SHARE_OUT
    return goes_both_ways or bool(info[:, [fields.IS_NOMINAL, fields.HAS_MISSING]].any())


def _count_categories(info: np.ndarray) -> int:
    """Return the largest number of values of a nominal column."""
    fields = _kernels.trees.columns
    return int(info[info[:, fields.IS_NOMINAL] == 1, fields.N_VALUES].max(initial=0))


def _trim(tree: Any, n_labels: int, n_nodes: int, n_words: int, n_values: int) -> Any:
    """Return copies of the parts in use, each leaf's labels ascending."""
    link = tree.link[:n_nodes].copy()
    stop = np.sort(link[link[:, FEATURE] < 0, LEAF_STOP])
    written = (tree.leaf_value[:n_values], tree.leaf_label[:n_values], np.append(0, stop))  # leaf after leaf
    leaves = sparse.csr_array(written, shape=(stop.size, n_labels), copy=True)
    leaves.sort_indices()
    number, categories = tree.number[:n_nodes].copy(), tree.categories[:n_words].copy()
    return type(tree)(link, number, categories, leaves.indices.astype(np.int32, copy=False), leaves.data)
