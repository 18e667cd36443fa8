"""The rows that train a label: all of them, or those that have all its parents.

Trained on all rows, trees estimate p(v); on the rows of the parents, p(v | parents). Scores are then products down the
hierarchy, s_v = p(v | parents) min_u s_u over the parents u of v: on a tree the product along the path. With several
parents the least takes the place of the probability that a row has them all, which is never greater.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import mark_below_parents

#: How scores of labels become coherent ones, by the rows that trained them
CORRECTIONS = {"all": "max-up", "parents": "path-product"}


class TrainedOn(NamedTuple):
    """The rows that each label is trained on: all of them (``is_any``), or those marked in ``some``."""

    is_any: NDArray[np.bool_]  # (n_nodes,)
    some: sparse.csc_array  # (n_rows, n_nodes)

    @classmethod
    def all_of(cls, Y: sparse.csr_array) -> TrainedOn:
        """All rows train all labels."""
        return cls(np.ones(Y.shape[1], bool), sparse.csc_array(Y.shape, dtype=bool))

    @classmethod
    def of_parents(cls, Y: sparse.csr_array, hierarchy: Hierarchy) -> TrainedOn:
        """The rows that have all parents of a label train it."""
        return cls(np.diff(hierarchy.parent_ptr) == 0, sparse.csc_array(mark_below_parents(Y, hierarchy)))

    def weigh(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of the rows of each label."""
        return np.where(self.is_any, weight.sum(), self.some.T @ weight)

    def fill(self, P: NDArray[np.float32], labels: slice, values: NDArray[np.float64]) -> None:
        """Set each column of ``P``, which is zero, to the value of its label in the rows that train it."""
        P[:, : values.size] = np.where(self.is_any[labels], values, 0.0)
        some = self.some[:, labels].tocoo()
        P[some.row, some.col] = values[some.col]
