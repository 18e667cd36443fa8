"""MaxUp: a node is at least as likely as its likeliest descendant.

The smallest change upwards that makes scores coherent: S'[u] is the greatest score of u and all that lies below. It
trusts the positive answers of specific classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.combiners.base import Correction, check_non_negative
from truepath.graph import Graph, raise_columns
from truepath.hierarchy import Hierarchy, raise_up
from truepath.hierarchy.checks import hierarchy_for


class MaxUp(Correction):
    """Raise every score to the greatest among its descendants.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None means a flat label set, where nothing changes.

    See Also
    --------
    MinDown : lowers descendants instead.
    Isotonic : lies between the two.

    Notes
    -----
    O(n_samples * n_edges) time. Sparse scores (which must not be negative) cost only the edges above what is stored.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import MaxUp
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> MaxUp(hierarchy=h).transform([[0.5, 0.75, 0.25, 0.5, 0.0]]).tolist()
    [[0.75, 0.75, 0.25, 0.5, 0.0]]
    """

    name = "max-up"
    summary = "raise every score to the greatest among its descendants"

    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return those of the descendant that has the greatest score; see :mod:`truepath.adapters.contributions`."""
        S, hierarchy = parts[0].scores, hierarchy_for(self.hierarchy, parts[0].scores[None, :])
        below = [np.append(v, hierarchy.descendants(v)) for v in nodes]
        return parts[0].of_others([own[np.argmax(S[own])] for own in below], nodes)

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        return raise_up(S, hierarchy, out=S)

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the raised scores to an ONNX graph."""
        return raise_columns(graph, parts[0], self._fixed_hierarchy())

    def _correct_rows(self, S: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
        check_non_negative(S, "in a sparse matrix what is not stored counts as 0, which would be greater")
        return raise_up(S, hierarchy)
