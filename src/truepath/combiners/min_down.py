"""MinDown: a node is at most as likely as its least likely ancestor.

The smallest change downwards that makes scores coherent: S'[v] is the least score of v and all that lies above. It
trusts the negative answers of general classes, which see more examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.combiners.base import Correction
from truepath.graph import Graph, cap_columns
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.checks import hierarchy_for


class MinDown(Correction):
    """Lower every score to the least among its ancestors.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None means a flat label set, where nothing changes.

    See Also
    --------
    MaxUp : raises ancestors instead.
    TopDown : the same walk, stopping at a threshold.

    Notes
    -----
    O(n_samples * n_edges) time. Sparse scores that are not negative cost only the edges above what is stored.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import MinDown
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> MinDown(hierarchy=h).transform([[0.5, 0.75, 0.25, 0.5, 0.0]]).tolist()
    [[0.5, 0.5, 0.25, 0.5, 0.0]]
    """

    name = "min-down"
    summary = "lower every score to the least among its ancestors"

    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return those of the ancestor that has the least score; see :mod:`truepath.adapters.contributions`."""
        S, hierarchy = parts[0].scores, hierarchy_for(self.hierarchy, parts[0].scores[None, :])
        above = [np.append(v, hierarchy.ancestors(v)) for v in nodes]
        return parts[0].of_others([own[np.argmin(S[own])] for own in above], nodes)

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        return cap_down(S, hierarchy, out=S)

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the lowered scores to an ONNX graph."""
        return cap_columns(graph, parts[0], self._fixed_hierarchy())

    def _correct_rows(self, S: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
        return cap_down(S, hierarchy)
