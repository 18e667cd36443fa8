"""How likely each label is to be worth its place in a set: the shapes of sets that ConformalSubtree chooses from.

A *shape* makes of a row's coherent scores one value per label, and the nested sets are those of :mod:`.subtree`:

* ``"ends"``: the score of a label less those of its children, how likely a path ends there;
* ``"usual-ends"``: the same, plus its mean over rows, for labels that the model hardly knows how to tell apart;
* ``"labels"``: the scores themselves, plus a tenth of their mean: where rows have many paths.

Means are over scores of rows that do not choose the level afterwards; labels do not enter them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.combiners import Isotonic
from truepath.combiners.base import transform_densely
from truepath.decoders.conformal.base import TIE_SCALE, RiskSteps
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks

Floats = NDArray[np.float64]

#: By name: whether scores are those of ends, and how much their mean counts
SHAPES = {"ends": (True, TIE_SCALE), "usual-ends": (True, 1.0), "labels": (False, 0.1)}
#: Sets for these coverages are compared
COMPARED = (0.8, 0.9, 0.95)


class Shape(NamedTuple):
    """A shape with the means that it adds."""

    name: str
    usual: Floats

    @classmethod
    def of(cls, name: str, S: Any, hierarchy: Hierarchy) -> Shape:
        """Return the shape with the means of some rows' scores."""
        usual = np.zeros(hierarchy.n_nodes)
        for _, (scores,) in dense_blocks(S):
            usual += _values(name, scores, hierarchy).sum(axis=0)
        return cls(name, usual / max(S.shape[0], 1))

    def nest(self, S: Any, hierarchy: Hierarchy) -> Any:
        """Return for each label the highest price at which it is in the best closed set."""
        project, added = Isotonic(hierarchy=hierarchy).transform, SHAPES[self.name][1] * self.usual
        exact = S.astype(np.float64, copy=False)  # so that small differences count
        return transform_densely(lambda rows: project(_values(self.name, rows, hierarchy) + added), exact)


def _values(name: str, S: NDArray[Any], hierarchy: Hierarchy) -> Floats:
    return end_scores(S, hierarchy) if SHAPES[name][0] else np.asarray(S, np.float64)


def choose_shape(S: Any, hierarchy: Hierarchy, weight: Floats, steps_of: Any) -> tuple[Shape, dict[str, float]]:
    """Return the shape whose sets are smallest, and the mean logarithm of the size for each.

    ``steps_of(Z)`` returns the rows' risk at each level of nested scores.
    """
    shapes = [Shape.of(name, S, hierarchy) for name in SHAPES]
    sizes = {shape.name: _mean_log_size(shape.nest(S, hierarchy), weight, steps_of) for shape in shapes}
    return min(shapes, key=lambda shape: sizes[shape.name]), sizes


def _mean_log_size(Z: Any, weight: Floats, steps_of: Any) -> float:
    """Return the logarithm of the mean number of labels and one, averaged over coverages."""
    steps: RiskSteps = steps_of(Z)
    levels = [steps.highest_level(1 - coverage) for coverage in COMPARED]
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
