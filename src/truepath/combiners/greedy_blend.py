"""GreedyBlend: several learners' scores into one, weights by forward selection with replacement.

Caruana et al.'s ensemble selection for score matrices. The blend starts empty; at every step the source is added, once
more if it is in already, that makes the AU(PRC) of the held-out cells greatest. The counts of the best prefix are the
weights. Few steps and a measure of ranks keep it from fitting noise as least squares can.

Sources that hardly count cost as much as others wherever the blend is used. With ``max_loss`` those are left out again
without which the AU(PRC) is nearly the same, one after the other.

References
----------
R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes. Ensemble selection from libraries of models. ICML 2004.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.combiners.blend import Blend, weighted_sum
from truepath.combiners.projections import Projection
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import auprc
from truepath.parameters import check_number
from truepath.resampling import deal_folds, draw_some, split_folds

# The search ends after this many steps in a row without a gain
PATIENCE = 4


class GreedyBlend(Blend):
    """Average several score matrices with weights chosen greedily for AU(PRC).

    Parameters
    ----------
    groups : {"global", "level", "auto"} or array-like of int, shape (n_nodes,), default="global"
        Which nodes share weights, as in :class:`Blend`. ``"auto"`` takes one set per level if that is better on halves
        of the rows that the weights were not chosen on, and one for all nodes otherwise.
    hierarchy : Hierarchy, optional
    n_steps : int, default=30
        The most sources added, repetitions counted.
    max_cells : int, default=4_000_000
        Beyond this many cells a random part of the rows decides.
    max_loss : float, default=0.0
        Sources are left out again, those first whose loss costs least, while the AU(PRC) stays within this much of the
        best; 0 leaves the weights as they were chosen.
    project : str, combiner or None, default="max-up"
        The correction that makes the blend coherent.
    random_state : int, RandomState or None, default=0
        Draws the rows, where they are too many.

    Attributes
    ----------
    weights_ : ndarray, shape (n_groups, n_sources)
        Each row adds up to 1.
    area_ : float
        The AU(PRC) of the blend on the rows that decided.
    groups_ : ndarray of int, shape (n_nodes,)

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import GreedyBlend
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]])
    >>> good, noise = 0.8 * Y, np.full(Y.shape, 0.5)
    >>> GreedyBlend(hierarchy=h).fit([good, noise], Y).weights_.tolist()
    [[1.0, 0.0]]
    """

    name = "greedy-blend"
    summary = "average several learners' scores with weights chosen step by step for AU(PRC)"

    def __init__(
        self,
        groups: Any = "global",
        *,
        hierarchy: Hierarchy | None = None,
        n_steps: int = 30,
        max_cells: int = 4_000_000,
        max_loss: float = 0.0,
        project: Projection = "max-up",
        random_state: Any = 0,
    ):
        super().__init__(groups, hierarchy=hierarchy, project=project)
        self.n_steps = n_steps
        self.max_cells = max_cells
        self.max_loss = max_loss
        self.random_state = random_state

    def fit(
        self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, made_of: NDArray[np.bool_] | None = None
    ) -> GreedyBlend:
        """Fit the weights.

        Parameters
        ----------
        S, y, sample_weight : as in :meth:`Blend.fit`
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: ``"auto"`` then judges by halves that share no group of rows.
        made_of : ndarray of bool, shape (n_sources, n_sources), optional
            Which sources each one is made of: while it counts, leaving these out saves nothing, and is not done.
        """
        check_number(self, "max_loss", Real, 0)
        self._fit(S, y, sample_weight, groups, made_of=made_of)
        return self

    def _group(self, hierarchy: Hierarchy) -> np.ndarray:
        if isinstance(self.groups, str) and self.groups == "auto":
            return hierarchy.depth - 1  # given up in _find_weights if it does not pay
        return super()._group(hierarchy)

    def _find_weights(
        self,
        parts: list[Any],
        Y: Any,
        weight: np.ndarray,
        groups: np.ndarray,
        row_groups: np.ndarray | None,
        made_of: NDArray[np.bool_] | None = None,
    ) -> np.ndarray:
        rows = self._draw_rows(*Y.shape)
        cells = Cells([as_dense(part[rows]).astype(np.float32) for part in parts], as_dense(Y[rows]) > 0, weight[rows])
        if isinstance(self.groups, str) and self.groups == "auto":
            halves = split_folds(deal_folds(cells.Y, 2, groups=None if row_groups is None else row_groups[rows]))[0]
            if not _groups_help(cells, halves, groups, self.n_steps):
                self.groups_ = groups = np.zeros_like(groups)
        weights = _select_by_group(cells, groups, self.n_steps)
        if self.max_loss:
            weights = _leave_out(cells, weights, groups, self.max_loss, made_of)
        self.area_ = cells.area(weights[groups])
        return weights

    def _draw_rows(self, n_rows: int, n_nodes: int) -> np.ndarray:
        return draw_some(n_rows, max(2, self.max_cells // max(n_nodes, 1)), self.random_state)


class Cells:
    """The scores of several sources and the truth, of some rows and nodes."""

    def __init__(self, parts: list[np.ndarray], Y: np.ndarray, weight: np.ndarray):
        self.parts, self.Y, self.weight = parts, Y, weight

    def take(self, rows: Any, nodes: Any) -> Cells:
        """Return some rows and nodes."""
        return Cells([part[rows][:, nodes] for part in self.parts], self.Y[rows][:, nodes], self.weight[rows])

    def area(self, weights: np.ndarray) -> float:
        """Return the AU(PRC) of a blend by weights of shape (n_nodes, n_sources)."""
        return self.area_of(weighted_sum(self.parts, weights, np.float32))

    def area_of(self, S: np.ndarray) -> float:
        """Return the AU(PRC) of scores; NaN without positives."""
        return float(auprc(self.Y, S, sample_weight=None if (self.weight == 1).all() else self.weight))


def _select_by_group(cells: Cells, groups: np.ndarray, n_steps: int) -> np.ndarray:
    """Return the weights of every group, each chosen on its own nodes."""
    n_groups = int(groups.max()) + 1
    if n_groups == 1:
        return select(cells, n_steps)[None]
    return np.array([select(cells.take(slice(None), groups == g), n_steps) for g in range(n_groups)])


def select(cells: Cells, n_steps: int) -> np.ndarray:
    """Return the weights of the best prefix of a greedy selection; equal ones where nothing is positive."""
    n_sources = len(cells.parts)
    if not cells.Y.any() or n_sources == 1:
        return np.full(n_sources, 1 / n_sources)
    counts, total = np.zeros(n_sources), np.zeros_like(cells.parts[0])
    best, weights, n_without_gain = -np.inf, counts, 0
    for step in range(1, n_steps + 1):
        areas = [cells.area_of(total + part) for part in cells.parts]
        chosen = int(np.argmax(areas))
        counts[chosen] += 1
        total += cells.parts[chosen]
        n_without_gain += 1
        if areas[chosen] > best:
            best, weights, n_without_gain = areas[chosen], counts / step, 0
        if n_without_gain == PATIENCE:
            break
    return weights


def _leave_out(
    cells: Cells, weights: np.ndarray, groups: np.ndarray, max_loss: float, made_of: NDArray[np.bool_] | None
) -> np.ndarray:
    """Return weights without the sources that hardly count: one after the other, while the area is not much less."""
    least = cells.area(weights[groups]) - max_loss
    while True:
        n_needed = _count_needed(weights, made_of)
        fewer = [_without(weights, k) for k in np.flatnonzero(weights.any(axis=0)).tolist()]
        fewer = [some for some in fewer if some.any() and _count_needed(some, made_of) < n_needed]
        areas = [cells.area(some[groups]) for some in fewer]
        if not max(areas, default=-np.inf) >= least:
            return weights
        weights = fewer[int(np.argmax(areas))]


def _count_needed(weights: np.ndarray, made_of: NDArray[np.bool_] | None) -> int:
    """Return how many sources count, or are what those that count are made of."""
    counts = weights.any(axis=0)
    return int((counts if made_of is None else counts | made_of[counts].any(axis=0)).sum())


def _without(weights: np.ndarray, k: int) -> np.ndarray:
    """Return weights without a source; a group of nodes that had no other takes the mean of the other groups'."""
    rest = weights.copy()
    rest[:, k] = 0.0
    rest[~rest.any(axis=1)] = rest.mean(axis=0)
    total = rest.sum(axis=1, keepdims=True)
    return rest / np.where(total > 0, total, 1.0)


def _groups_help(cells: Cells, halves: tuple[np.ndarray, np.ndarray], groups: np.ndarray, n_steps: int) -> bool:
    """Say whether weights by group, chosen on one half of the rows, beat common ones on the other half, and back."""
    everywhere = slice(None)
    gain = 0.0
    for fitted, judged in (halves, halves[::-1]):
        seen, unseen = cells.take(fitted, everywhere), cells.take(judged, everywhere)
        if not unseen.Y.any():
            return False
        common = _select_by_group(seen, np.zeros_like(groups), n_steps)
        own = _select_by_group(seen, groups, n_steps)
        gain += unseen.area(own[groups]) - unseen.area(np.repeat(common, groups.size, axis=0))
    return gain > 0
