"""LevelThresholds: along the row's best path, one threshold per level, and a more general label where it is not met.

What practice calls roll-up: the best label if it is sure enough, else its parent, else its grandparent. Each level has
a threshold of its own, the lowest at which predictions of that level are right as often as wanted on held-out rows.

References
----------
C. J. Clopper, E. S. Pearson. The use of confidence or fiducial limits illustrated in the case of the binomial.
Biometrika 26, 1934.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from truepath.decoders.base import Decoder, HeldOutScores
from truepath.decoders.leaves.base import CLOSED_AT_ONCE, label_in_blocks
from truepath.decoders.leaves.steps import walk_best
from truepath.held import a_number, holds, numbers
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.matrices import as_dense, dense_blocks
from truepath.parameters import SHARE, check_in

Floats = NDArray[np.float64]


@holds(
    precision=a_number(0, 1),
    confidence=a_number(0, 1),
    level_thresholds_=numbers("levels", least=-np.inf, most=np.inf),
    n_rows_=numbers("levels", least=0),
    precision_=numbers("levels", gaps=True),
    interval_=numbers("levels", 2, gaps=True),
)
class LevelThresholds(Decoder):
    """Follow each row's best path down to where predictions would no longer be right often enough.

    Parameters
    ----------
    precision : float, default=0.9
        How often a predicted label of a level has to be right.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    confidence : float, default=0.95
        How sure of that held-out rows have to make us: the lower end of the two-sided interval of this confidence
        (Clopper & Pearson) is at least ``precision``.

    Attributes
    ----------
    level_thresholds_ : ndarray of float, shape (n_levels,)
        What the score of the label at each step of the path has to exceed; infinite where no threshold does.
    n_rows_, precision_ : ndarray of float, shape (n_levels,)
        How many held-out rows reach a label of the level, and how many of these labels are right.
    interval_ : ndarray of float, shape (n_levels, 2)
        The interval of that precision.
    hierarchy_ : Hierarchy

    See Also
    --------
    SureLabels : one level for all labels, and a guarantee on whole label sets.
    StoppingPath : stops by stated costs.

    Notes
    -----
    The path takes the best child at each step, of equals the first; on a DAG a label brings all its ancestors. Only
    rows that pass a level count at the next one. A threshold is the lowest score of a row below which the next rows
    would spoil the interval, so it was chosen on the rows that the interval is of: on new rows the precision
    of a level may be a little below its interval. Weights of rows are ignored. O(n_nodes) per row, and a sort per
    level in ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import LevelThresholds
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = np.repeat([[0.9, 0.8, 0.1, 0.1, 0.1], [0.8, 0.5, 0.3, 0.2, 0.2]], 50, axis=0)
    >>> Y = h.encode([["a/1"]] * 75 + [["a/2"]] * 25)
    >>> decoder = LevelThresholds(0.9, hierarchy=h).fit(S, Y)
    >>> decoder.level_thresholds_.tolist(), decoder.interval_[:, 0].round(2).tolist()
    ([0.0, 0.5], [0.96, 0.93])
    >>> h.decode(decoder.predict(S[[0, 99]]))
    [('a/1',), ('a',)]
    """

    name = "level-thresholds"
    summary = "the best path down to where labels would not be right often enough, by a threshold per level"
    learns_from = "held-out scores and labels"
    has_dag_loops = True

    def __init__(self, precision: float = 0.9, *, hierarchy: Hierarchy | None = None, confidence: float = 0.95):
        self.precision = precision
        self.hierarchy = hierarchy
        self.confidence = confidence

    def _check_parameters(self) -> None:
        check_in("precision", self.precision, SHARE)
        check_in("confidence", self.confidence, SHARE)

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        return cap_down(S, hierarchy)

    def _learn(self, given: HeldOutScores) -> None:
        parts = [
            (_along(scores, steps := walk_best(scores, given.hierarchy)), _along(true, steps))
            for _, (scores, true) in dense_blocks(given.S, given.y)
        ]
        score, is_right = (np.concatenate(matrices) for matrices in zip(*parts))
        found = []
        for level in range(score.shape[1]):
            threshold, n_rows, n_right = self._choose(score[:, level], is_right[:, level] > 0)
            found.append((threshold, n_rows, n_right / n_rows if n_rows else np.nan, *self._interval(n_right, n_rows)))
            score[~(score[:, level] > threshold)] = -1.0  # ends above: does not count further down
        self.level_thresholds_, self.n_rows_, self.precision_, *ends = np.array(found, np.float64).T
        self.interval_ = np.stack(ends, axis=1)

    def _choose(self, score: Floats, is_right: NDArray[np.bool_]) -> tuple[float, int, int]:
        """Return the lowest threshold with a high enough interval, how many rows exceed it and how many are right."""
        order = np.argsort(-score, kind="stable")
        order = order[score[order] > 0]  # no label at this level, or one that never is true
        score, right = score[order], np.cumsum(is_right[order])
        n = np.arange(1, order.size + 1)
        is_last = np.append(score[1:] < score[:-1], True) if order.size else np.zeros(0, bool)
        good = np.flatnonzero(is_last & (self._interval(right, n)[0] >= self.precision))
        if not good.size:
            return np.inf, 0, 0
        place = int(good[-1])
        return (float(score[place + 1]) if place + 1 < score.size else 0.0), place + 1, int(right[place])

    def _interval(self, n_right: Any, n: Any) -> tuple[Any, Any]:
        """Return the ends of the Clopper-Pearson interval of a share; NaN of no rows."""
        tail = (1 - self.confidence) / 2
        n_wrong = np.subtract(n, n_right)
        with np.errstate(invalid="ignore"):
            low = np.where(np.equal(n_right, 0), 0.0, stats.beta.ppf(tail, n_right, n_wrong + 1))
            high = np.where(np.equal(n_wrong, 0), 1.0, stats.beta.isf(tail, np.add(n_right, 1), n_wrong))
        return (low, high) if np.all(n) else (np.where(n, low, np.nan), np.where(n, high, np.nan))

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        def label(rows: slice) -> NDArray[np.bool_]:
            scores = as_dense(S[rows])
            steps = walk_best(scores, hierarchy)
            is_met = np.logical_and.accumulate(_along(scores, steps) > self.level_thresholds_, axis=1) & (steps >= 0)
            Y = np.zeros(scores.shape, bool)
            Y[np.nonzero(is_met)[0], steps[is_met]] = True
            return hierarchy.close(Y)

        return label_in_blocks(S, hierarchy.n_nodes, label, CLOSED_AT_ONCE)


def _along(values: Any, steps: NDArray[np.int64]) -> Floats:
    """Return values along paths, -1 after their ends."""
    found = np.take_along_axis(np.asarray(as_dense(values) if sparse.issparse(values) else values), steps, axis=1)
    return np.where(steps >= 0, found, -1.0)
