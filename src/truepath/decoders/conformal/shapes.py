"""How likely each label is to be worth its place in a set: the shapes of sets that ConformalSubtree chooses from.

A *shape* makes of a row's coherent scores one value per label, and the nested sets are those of :mod:`.subtree`:

* ``"ends"``: the score of a label less those of its children, how likely a path ends there;
* ``"usual-ends"``: the same, plus its mean over rows, for labels that the model hardly knows how to tell apart;
* ``"labels"``: the scores themselves, plus a tenth of their mean: where rows have many paths.

A millionth of the mean decides between equal "ends". Means are over the held-out rows and the new one, which keeps the
guarantee (:mod:`.base`: sets never shrink as a mean grows, and the rows that choose the level leave the new one out);
labels do not enter them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.combiners import Isotonic
from truepath.combiners.base import transform_densely
from truepath.decoders.conformal.base import RiskSteps
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks

Floats = NDArray[np.float64]

#: By name: whether scores are those of ends, and how much their mean counts
SHAPES = {"ends": (True, 1e-6), "usual-ends": (True, 1.0), "labels": (False, 0.1)}
#: Worths are multiples of this, so that what is equal but for rounding is equal
GRID = 2.0**-40
#: Sets for these coverages are compared
COMPARED = (0.8, 0.9, 0.95)


class Shape(NamedTuple):
    """A shape with its means: what held-out rows add to the values of each label, and the share a new row adds."""

    name: str
    usual: Floats
    own: float

    @classmethod
    def of(cls, name: str, S: Any, hierarchy: Hierarchy) -> Shape:
        """Return the shape with the means over the rows and one more, which adds its part when it comes."""
        usual, own = np.zeros(hierarchy.n_nodes), SHAPES[name][1] / (S.shape[0] + 1)
        for _, (scores,) in dense_blocks(S):
            usual += np.maximum(_values(name, scores, hierarchy), 0).sum(axis=0)
        return cls(name, own * usual, own)

    def nest(self, S: Any, hierarchy: Hierarchy, *, new: bool) -> Any:
        """Return for each label the highest price at which it is in the best closed set of a held-out or new row."""
        project, own = Isotonic(hierarchy=hierarchy).transform, self.own if new else 0.0

        def nest(rows: NDArray[Any]) -> Floats:
            values = _values(self.name, rows, hierarchy)
            worth = project(values + (self.usual + own * np.maximum(values, 0)))
            return np.asarray(np.rint(worth / GRID) * GRID)

        return transform_densely(nest, S.astype(np.float64, copy=False))  # so that small differences count


def _values(name: str, S: NDArray[Any], hierarchy: Hierarchy) -> Floats:
    return end_scores(S, hierarchy) if SHAPES[name][0] else np.asarray(S, np.float64)


def compare_shapes(S: Any, hierarchy: Hierarchy, weight: Floats, steps_of: Any) -> dict[str, float]:
    """Return by shape the mean logarithm of the size of its sets.

    ``steps_of(Z)`` returns the rows' risk at each level of nested scores.
    """
    nested = ((name, Shape.of(name, S, hierarchy).nest(S, hierarchy, new=False)) for name in SHAPES)
    return {name: _mean_log_size(worth, weight, steps_of) for name, worth in nested}


def _mean_log_size(Z: Any, weight: Floats, steps_of: Any) -> float:
    """Return the logarithm of the mean number of labels and one, averaged over coverages."""
    steps: RiskSteps = steps_of(Z)
    levels = [steps.highest_level(1 - coverage).score for coverage in COMPARED]
    size = np.zeros((Z.shape[0], len(levels)))
    for rows, (scores,) in dense_blocks(Z):
        size[rows] = np.stack([(scores >= level).sum(axis=1) for level in levels], axis=1)
    return float(np.log1p(np.average(size, axis=0, weights=weight)).mean())


def end_scores(S: NDArray[Any], hierarchy: Hierarchy) -> Floats:
    """Return the score of each label less those of its children, at least 0: how likely a path ends there."""
    ends = np.array(S, np.float64)
    for u, v in hierarchy.edges:
        ends[:, u] -= S[:, v]
    return np.maximum(ends, 0.0, out=ends)
