"""Forests of predictive clustering trees (Clus-HMC-Ens): bagging, random forests, extra-randomised trees, subspaces."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.groups import check_groups
from truepath.adapters.parallel import iterate_parallel
from truepath.hierarchy import Hierarchy
from truepath.learners.base import FitInput, fit_made
from truepath.learners.trees.base import PCTBase, mean_scores, resolve_count
from truepath.learners.trees.grow import TrainingData, grow_tree, tree_seed
from truepath.parameters import check_number
from truepath.resampling import count_groups

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

logger = logging.getLogger(__name__)

#: More distinct values than fit in 16 bits: trees then keep 32 bits per cell
MANY_ROWS = (1 << 15) + 50


def _draws_rows(forest: PCTForest) -> bool:
    """Say whether a tree may leave out rows."""
    return bool(forest.bootstrap) or forest.max_samples is not None


class PCTForest(PCTBase):
    """A forest of predictive clustering trees.

    The defaults are a random forest as published (Clus-HMC-Ens); ``max_features=None`` is bagging,
    ``splitter="random"`` with ``bootstrap=False`` extra-randomised trees, ``tree_features=0.5`` random subspaces.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat (plain multi-label forests), or as label paths that make a tree.
    n_estimators : int, default=50
        The number of trees.
    w0, weighting, max_depth, min_leaf_weight, min_impurity_decrease
        As in :class:`PCTree`. ``min_leaf_weight`` counts how often a row was drawn, as CLUS does.
    max_features : None, "sqrt", "log2", "log2+1", float or int, default="sqrt"
        How many features are tried at a node.
    splitter : {"best", "random"}, default="best"
        The best cut of each feature tried, or the best of one random cut each (extra-randomised trees).
    missing, categorical_features
        As in :class:`PCTree`.
    tree_features : None, "sqrt", "log2", "log2+1", float or int, default=None
        How many features, drawn once, a tree may use at all (random subspaces); None: all.
    bootstrap : bool, default=True
        Whether a tree's rows, or groups of rows, are drawn with replacement.
    max_samples : None, float or int, default=None
        How many rows are drawn for a tree; None: as many as there are.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees of the last ``fit`` and adds those that are missing up to ``n_estimators``.
    random_state : int, RandomState or None, default=0
    n_jobs : int, optional
        Workers, over trees in ``fit`` and over rows in ``predict_proba``: threads, unless ``joblib.parallel_config``
        chooses another backend. The same bits for any number and any backend.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    trees_ : list of named tuples of arrays
    class_weight_, categories_, feature_importances_ : see :class:`PCTree`

    Notes
    -----
    Time and memory: as :class:`PCTree`, for each tree. Tree k is drawn from a seed of its own, so forests grown in
    steps (``warm_start``), in one go, or on any number of threads are the same.

    If ``fit`` is interrupted, the trees grown so far are kept; with ``warm_start=True`` the next ``fit`` goes on.

    References
    ----------
    Kocev, D., Vens, C., Struyf, J. & Dzeroski, S. (2013). Tree ensembles for predicting structured outputs. Pattern
    Recognition 46, 817-833.

    Schietgat, L., Vens, C., Struyf, J., Blockeel, H., Kocev, D. & Dzeroski, S. (2010). Predicting gene function using
    hierarchical multi-label decision tree ensembles. BMC Bioinformatics 11, 2.

    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. Machine Learning 63, 3-42.

    See Also
    --------
    PCTree : one tree, to read.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 10, axis=0)
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"]] * 10)[np.argsort(np.arange(30) % 3, kind="stable")]
    >>> forest = PCTForest(hierarchy=h, n_estimators=10, random_state=0).fit(X, Y)
    >>> h.decode(forest.predict(X[::10]))
    [('a/1',), ('a/2',), ('b/1',)]
    """

    name = "pct-forest"
    summary = "forest of predictive clustering trees"
    learns_from = "rows and their labels"

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        n_estimators: int = 50,
        w0: float = 0.75,
        weighting: str = "avg_parent",
        max_depth: int | None = None,
        min_leaf_weight: float = 5,
        min_impurity_decrease: float = 0.0,
        max_features: Any = "sqrt",
        splitter: str = "best",
        missing: str = "surrogate",
        categorical_features: Any = None,
        tree_features: Any = None,
        bootstrap: bool = True,
        max_samples: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.hierarchy = hierarchy
        self.n_estimators = n_estimators
        self.w0 = w0
        self.weighting = weighting
        self.max_depth = max_depth
        self.min_leaf_weight = min_leaf_weight
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.splitter = splitter
        self.missing = missing
        self.categorical_features = categorical_features
        self.tree_features = tree_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or CSR matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : 0/1 matrix (n_samples, n_nodes), dense or sparse, closed; or label names
        sample_weight : array-like, shape (n_samples,), optional
            Multiplies the number of times a row was drawn.
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: trees then draw groups, with all of their rows, instead of rows.
        """
        self._fit(X, y, sample_weight, groups)
        return self

    @available_if(_draws_rows)
    def fit_held_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> np.ndarray:
        """Grow the trees, and score every training row by the trees that were not grown on it, nor on its group.

        Thresholds and combiners are fitted on these scores without a second fit. Not offered where every tree sees
        every row: without ``bootstrap`` and ``max_samples``.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray of float32, shape (n_samples, n_nodes)
            Mean scores; NaN for a row that all trees saw.
        """
        rows = self._fit(X, y, sample_weight, groups).X
        if groups is not None:
            groups = check_groups(groups, rows.shape[0])
            count_groups(groups)
        return mean_scores(
            self.trees_,
            rows,
            self.categories_,
            self.hierarchy_.n_nodes,
            is_wanted=self._drawing(rows.shape[0], rows.shape[1], groups).leaves_out,
            dtype=np.float32,
            n_jobs=self.n_jobs,
        )

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> FitInput:
        """Grow what is missing, and return what was learned from."""
        kept = self._kept_trees()
        given = self._check(X, y, sample_weight)
        data = self._encode(given)
        if not kept:
            self.entropy_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.trees_ = kept
        self._grow(data, check_groups(groups, data.n_rows))
        return given

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        awkward = made.X.copy()
        awkward[::7, 1], awkward[:, 2] = np.nan, np.arange(len(awkward)) % 3
        fit_made(cls(n_estimators=2), made, made.X)
        fit_made(cls(n_estimators=2, categorical_features=[2]), made, awkward)
        fit_made(cls(n_estimators=2, splitter="random"), made, made.X)
        many = np.arange(MANY_ROWS, dtype=float)[:, None]
        cls(n_estimators=1, max_depth=1).fit(many, np.column_stack([many[:, 0] > 9, many[:, 0] > 99]))

    def _kept_trees(self) -> list:
        """Return the trees that ``warm_start`` keeps."""
        check_number(self, "n_estimators", Integral, 1)
        kept = list(getattr(self, "trees_", [])) if self.warm_start else []
        if len(kept) > self.n_estimators:
            raise ValueError(
                f"warm_start=True keeps {len(kept)} trees, but n_estimators is {self.n_estimators}; "
                "raise it, or set warm_start=False."
            )
        return kept

    def _grow(self, data: TrainingData, groups: np.ndarray | None) -> None:
        """Grow what is missing of ``trees_``; each tree is added as it is done, in order."""
        draw = self._drawing(data.n_rows, data.n_features, groups)
        rules = self._rules(draw.n_features, data.row_weight.sum())
        todo = ((k,) for k in range(len(self.trees_), self.n_estimators))
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "prefer": "threads"}
        for tree in iterate_parallel(_grow_one, todo, common=(data, rules, draw), **options):
            self.trees_.append(tree)
            logger.debug("tree %d of %d: %d nodes", len(self.trees_), self.n_estimators, len(tree.link))

    def _drawing(self, n_rows: int, n_features: int, groups: np.ndarray | None) -> Drawing:
        """Resolve what a tree draws."""
        n_drawn = resolve_count(self.max_samples, n_rows, "max_samples")
        n_tree_features = resolve_count(self.tree_features, n_features, "tree_features")
        if groups is not None:  # as many of the groups as of the rows
            n_groups = int(groups.max()) + 1
            n_drawn, n_rows = max(1, round(n_drawn / n_rows * n_groups)), n_groups
        return Drawing(self.entropy_, n_rows, n_drawn, self.bootstrap, n_tree_features, groups)

    def _trees(self) -> list[Any]:
        check_is_fitted(self, "trees_")
        return self.trees_

    def _keep_trees(self, trees: list[Any], other: PCTForest) -> None:
        self.trees_, self.entropy_ = trees, other.entropy_


@dataclass(frozen=True)
class Drawing:
    """What trees draw: rows, and features each may use; tree k the same wherever it is grown.

    With ``groups``, the number of each row's group, ``n_rows`` and ``n_drawn`` count groups: these are drawn.
    """

    entropy: int
    n_rows: int
    n_drawn: int
    bootstrap: bool
    n_features: int
    groups: np.ndarray | None = None

    def rows(self, rng: np.random.Generator) -> np.ndarray:
        """Return how often each row is drawn, alone or with its group."""
        drawn = self._draw(rng)
        return drawn if self.groups is None else drawn[self.groups]

    def _draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return how often each row, or group, is drawn: with replacement (bootstrap) or without."""
        if self.bootstrap:
            return np.bincount(rng.integers(self.n_rows, size=self.n_drawn), minlength=self.n_rows)
        counts = np.zeros(self.n_rows, np.int64)
        counts[rng.permutation(self.n_rows)[: self.n_drawn] if self.n_drawn < self.n_rows else slice(None)] = 1
        return counts

    def leaves_out(self, k: int) -> np.ndarray:
        """Return a mask of the rows that tree k does not see."""
        return self.rows(tree_seed(self.entropy, k)) == 0


def _grow_one(data: TrainingData, rules: Any, draw: Drawing, k: int) -> Any:
    """Grow tree k."""
    rng = tree_seed(draw.entropy, k)
    weight = draw.rows(rng) * data.row_weight
    return grow_tree(data, weight, rules, rng, draw.n_features)
