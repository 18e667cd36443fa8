"""Weak hypotheses of boosting as small trees: one tree for all classes with a vote per class, or a tree per class.

A round's search looks at the weighted label sums of all classes at once; deeper trees are grown level by level by the
same search, the cells (row, class) outside the node counting nothing. A leaf votes +1 or -1 (*discrete*: the sign of
its weighted labels) or half the logarithm of the odds (*real*, Schapire & Singer 1999, eq. (9)).

Criteria, with ``P`` and ``N`` a class's positive and negative weight in a leaf:

* ``"edge"``: the sum of |P - N|, which maximises r_t, eq. (9) of Chelmis & Qi, for discrete votes;
* ``"z"``: minus the sum of sqrt(P N), which minimises Z_t for real votes;
* ``"gini"``: the sum of (P - N)^2 / (P + N), what scikit-learn's decision stump maximises.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from truepath import _kernels
from truepath.adapters.parallel import count_workers, run_parallel
from truepath.held import flags, holds, integers, numbers
from truepath.learners.boosting.feature_bins import FeatureBins, bin_features
from truepath.records import Record

#: In the order of the kernel's numbers
CRITERIA = ("edge", "z", "gini")
#: Weights that differ relatively by less tie: after a round many leaves of its tree are balanced but for rounding
TIE = 2.0**-36
#: A tree of this depth has 255 inner nodes, what fits a cell's place in it
MAX_DEPTH = 7


@Record.enter("truepath.learners")
@holds(
    feature=integers("t", "c", below="n_features"),
    threshold=numbers("t", "c", least=-np.inf, most=np.inf),
    missing_left=flags("t", "c"),
    leaf_votes=numbers("t+1", "n_nodes"),
)
class Trees(NamedTuple):
    """The trees of one round: one column per class, or one column for all; inner nodes in heap order."""

    feature: np.ndarray  # (n_inner, n_columns) int32; -1 sends all rows left
    threshold: np.ndarray  # (n_inner, n_columns) float64
    missing_left: np.ndarray  # (n_inner, n_columns) bool
    leaf_votes: np.ndarray  # (n_inner + 1, n_classes) float64

    def check(self, n_features: int, n_classes: int) -> None:
        """Raise ValueError unless the tables fit together and ask features that exist."""
        shape = self.feature.shape
        if not (
            self.feature.dtype.kind == "i"
            and len(shape) == 2
            and shape[0] in [2**depth - 1 for depth in range(1, MAX_DEPTH + 1)]
            and shape[1] in (1, n_classes)
            and self.threshold.shape == self.missing_left.shape == shape
            and self.leaf_votes.shape == (shape[0] + 1, n_classes)
            and self.feature.max() < n_features
        ):
            raise ValueError("the trees of a round do not fit together")

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Return h_t for rows of raw features, shape (n_samples, n_classes)."""
        votes = np.empty((X.shape[0], self.leaf_votes.shape[1]))
        _kernels.boosting.stump_votes.walk(X, *self, votes)
        return votes


class TreeLearner:
    """Trains one round's trees on weights over (row, class) cells; rows were binned once.

    Parameters
    ----------
    X : ndarray or sparse array, shape (n_samples, n_features)
    y : ndarray of int8, shape (n_samples, n_classes)
        Labels as +1 and -1.
    shared : bool
        Whether all classes share the tree.
    votes : {"discrete", "real"}
    criterion : {"edge", "z", "gini"}
    max_depth : int
    max_bins : int or None
    n_jobs : int or None
        Threads over features, under any backend; the result does not depend on it.
    """

    def __init__(
        self,
        X: Any,
        y: np.ndarray,
        *,
        shared: bool,
        votes: str,
        criterion: str,
        max_depth: int = 1,
        max_bins: int | None = 255,
        n_jobs: int | None = None,
    ):
        self.binned: FeatureBins = bin_features(X, max_bins)
        self.y = y
        self.shared, self.real, self.max_depth = shared, votes == "real", max_depth
        self.criterion = CRITERIA.index(criterion)
        self.channels = 1 if criterion == "edge" else 2
        self.n_jobs = n_jobs

    def train(self, w: np.ndarray) -> tuple[Trees, np.ndarray]:
        """Return the round's trees and their votes on the training rows."""
        n_samples, n_classes = w.shape
        n_inner, n_columns = 2**self.max_depth - 1, 1 if self.shared else n_classes
        place = np.zeros((n_samples, n_columns), np.uint8)
        feature = np.empty((n_inner, n_columns), np.int32)
        threshold = np.empty((n_inner, n_columns))
        missing_left = np.empty((n_inner, n_columns), bool)
        for node in range(n_inner):
            cut = self.find_cuts(w, place, node)
            feature[node], threshold[node], missing_left[node] = self._read_cuts(cut)
            self._descend(place, node, cut, feature[node], missing_left[node])
        leaf_votes = self._vote(w, place, n_inner)
        votes = np.empty(w.shape, np.float64 if self.real else np.int8)  # rounds are bound by memory: a byte will do
        _kernels.boosting.stump_votes.read_votes(place, n_inner, leaf_votes.astype(votes.dtype), votes)
        return Trees(feature, threshold, missing_left, leaf_votes), votes

    def find_cuts(self, w: np.ndarray, place: np.ndarray, node: int) -> np.ndarray:
        """Return the best cut of every class (or of all together, one entry), coded as in the kernel."""
        n_bundles = self.binned.bundle_ptr.size - 1
        n_jobs = min(count_workers(self.n_jobs, shared_memory=True), n_bundles)
        edges = np.linspace(0, n_bundles, n_jobs + 1).astype(np.int64)
        if n_jobs == 1:
            parts = [self._search(w, place, node, edges)]
        else:  # in threads: a round is too short to send its weights away
            runs = ((edges[k : k + 2],) for k in range(n_jobs))
            parts = run_parallel(self._search, runs, common=(w, place, node), n_jobs=n_jobs, shared_memory=True)
        best, cut, gathered = map(np.array, zip(*parts))
        if not self.shared:  # a later part holds later features: ties stay with the first
            return cut[best.argmax(axis=0), np.arange(w.shape[1])]
        codes = np.flatnonzero(_is_cut(self.binned))
        gains = np.append(gathered.sum(axis=0)[codes], best[0].sum())  # every code is of one part; last: no cut
        lifted = gains * _kernels.boosting.stump_search.SPLIT
        rounded = lifted - (lifted - gains)  # ties as in the kernel
        winner = int(np.argmax(rounded))
        return np.array([codes[winner] if rounded[winner] > rounded[-1] else -1])

    def _search(
        self, w: np.ndarray, place: np.ndarray, node: int, bundles: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the best gains of some bundles, their cuts, and for one tree the gains of all classes by cut."""
        n_classes, n_cuts = w.shape[1], 2 * int(self.binned.bin_ptr[-1])
        best, cut = np.empty(n_classes), np.full(n_classes, -1)
        gathered = np.zeros(n_cuts if self.shared else 0)
        _kernels.boosting.stump_search.search_cuts(
            w, self.y, place, node, bundles, self.channels, self.criterion, *self.binned.tables, best, cut, gathered
        )
        return best, cut, gathered

    def _read_cuts(self, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return feature, threshold and the side of missing values of coded cuts."""
        binned, bins = self.binned, cut // 2
        feature = np.where(cut < 0, -1, np.searchsorted(binned.bin_ptr, bins, side="right") - 1).astype(np.int32)
        upper = binned.upper[bins]
        # after the last value only missing values are left: every value goes left
        threshold = np.where(np.isnan(upper), np.inf, upper)
        seen = binned.has_missing[feature]
        return feature, threshold, np.where(seen, cut % 2 == 1, binned.mostly_left[bins])

    def _descend(
        self, place: np.ndarray, node: int, cut: np.ndarray, feature: np.ndarray, missing_left: np.ndarray
    ) -> None:
        binned = self.binned
        cut_bin = cut // 2 - binned.bin_ptr[feature]
        missing_bin = np.where(binned.has_missing[feature], np.diff(binned.bin_ptr)[feature] - 1, -1)
        _kernels.boosting.stump_votes.descend(binned.bins, place, feature, cut_bin, missing_bin, missing_left, node)

    def _vote(self, w: np.ndarray, place: np.ndarray, n_inner: int) -> np.ndarray:
        """Return the votes of the leaves, (n_leaves, n_classes)."""
        positive, negative = np.zeros((2, n_inner + 1, w.shape[1]))
        _kernels.boosting.stump_votes.sum_leaves(w, self.y, place, n_inner, positive, negative)
        if not self.real:
            return np.where(positive - negative > TIE * (positive + negative), 1.0, -1.0)
        # Schapire & Singer smooth by 1/(n m), the first weight of a cell; here its class's mean weight
        smooth = np.maximum(w.mean(axis=0), np.finfo(float).tiny)
        return 0.5 * np.log((positive + smooth) / (negative + smooth))


def _is_cut(binned: FeatureBins) -> np.ndarray:
    """Mark the codes that are cuts: after any bin but a feature's last, missing left only before its last value."""
    is_cut = np.zeros((binned.upper.size, 2), bool)
    is_cut[:, 0] = True
    is_cut[binned.bin_ptr[1:] - 1] = False
    values = ~np.isnan(binned.upper)
    is_cut[:, 1] = values & np.repeat(binned.has_missing, np.diff(binned.bin_ptr))
    return is_cut.ravel()
