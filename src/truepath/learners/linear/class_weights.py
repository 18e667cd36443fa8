"""What rows without and with a label count when it is learned, by what both sides weigh.

A penalty pulls the margins of a label with few rows further towards zero than those of one with many, so that rare
labels score too low. Let B_v and A_v be the weights of the training rows without and with v. Under a power gamma a row
of a side that weighs s counts::

    (B_v + A_v) s^-gamma / (B_v^(1 - gamma) + A_v^(1 - gamma))

so that all rows together count what they weigh. With gamma = 1 both sides count the same ("balanced"), with 1/2 as the
square roots of what they weigh ("sqrt").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.learners.linear.label_graph import LabelGraph

Floats = NDArray[np.float64]

POWERS = {"sqrt": 0.5, "balanced": 1.0}


class Sides(NamedTuple):
    """What the training rows without and with each column weigh."""

    below: Floats
    above: Floats

    @classmethod
    def of(cls, labels: sparse.csc_array, graph: LabelGraph, weight: Floats | None, *, conditional: bool) -> Sides:
        """Weigh rows; ``conditional`` says that those of its parents train a column, else all do."""
        own = np.ones(labels.shape[0]) if weight is None else weight
        above = np.asarray(labels.T.astype(np.float64) @ own)
        every = np.full(graph.n_columns, own.sum())
        if conditional:
            home = graph.home()
            every = np.where(home < 0, every, above[home])
            several = np.flatnonzero(np.diff(graph.parent_ptr) > 1)
            every[several] = own @ carry_parents(labels, graph, several)
        return cls(np.maximum(every - above, 0.0), above)

    def more(self, other: Sides) -> Sides:
        """Return what both weigh together."""
        return Sides(self.below + other.below, self.above + other.above)

    def factors(self, class_weight: str | Mapping[int, float] | None) -> Floats:
        """Return what a row without (0) and with (1) each column counts, shape (n_columns, 2)."""
        if not isinstance(class_weight, str):
            given = {} if class_weight is None else class_weight
            return np.tile([float(given.get(0, 1.0)), float(given.get(1, 1.0))], (self.below.size, 1))
        power, weigh = POWERS[class_weight], np.column_stack(self)
        weigh[weigh.min(axis=1) <= 0] = 1.0  # a column that lacks a side is not fitted
        one = weigh.sum(axis=1) / (weigh ** (1 - power)).sum(axis=1)
        return np.asarray(one[:, None] * weigh**-power)


def carry_parents(labels: sparse.csc_array, graph: LabelGraph, columns: Any) -> sparse.csc_array:
    """Return, one column for each of some that have parents, the rows that carry all of these."""
    child, parent = graph.edges()
    links = sparse.csc_array((np.ones(child.size, np.int32), (parent, child)), shape=(graph.n_columns,) * 2)
    counts = sparse.csc_array(labels.astype(np.int32) @ links[:, columns])
    n_parents = np.repeat(np.diff(graph.parent_ptr)[columns], np.diff(counts.indptr))
    counts.data = (counts.data == n_parents).astype(np.int32)
    return counts
