r"""ConformalSubtree: the fewest labels that hold the one true path with a chosen probability.

Where every row is one path, ``f_v``, the score of v less those of its children, is the probability that the path ends
at v. For a price per label, the best closed set makes ``sum over v in C of (f_v - price)`` greatest. The sets for all
prices are nested, and one computation finds them: C = {v : g_v >= price}, where g is the coherent vector nearest to f
(isotonic regression and parametric maximum closure are one problem). So g takes the place of the scores, and the price
is chosen as in :class:`ConformalSet`: an unlikely leaf that would need three new labels waits longer than one beside a
likely leaf.

References
----------
Hochbaum, D. S. & Queyranne, M. (2003). Minimizing a convex cost closure set. SIAM J. Discrete Math. 16.
Mortier, T. et al. (2025). Conformal prediction in hierarchical classification. arXiv 2501.19038.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.combiners import Isotonic
from truepath.combiners.base import transform_densely
from truepath.decoders.conformal.label_set import ConformalSet
from truepath.hierarchy import Hierarchy, cap_down

__all__ = ["ConformalSubtree", "end_scores"]


class ConformalSubtree(ConformalSet):
    """Hold the true path with the probability ``coverage``, in as few labels as the scores allow.

    Parameters
    ----------
    coverage : float, default=0.9
        The probability that a set holds the true path. It may be changed after ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    steps_ : list of RiskSteps
        The prices at which held-out rows are missed.

    See Also
    --------
    ConformalSet : for rows with several paths.
    SureLabels : one path that stops where it is unsure.

    Notes
    -----
    Made for rows of one path each; for others coverage holds too, but sets are larger than need be. If scores are
    probabilities, no other rule that covers as much has a smaller expected number of labels. O(n_nodes log n_nodes) per
    row of a tree; sparse scores are made dense.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import ConformalSubtree
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.5, 0.4, 0.1, 0.1], [0.6, 0.5, 0.1, 0.4, 0.4], [0.5, 0.3, 0.2, 0.5, 0.5]]
    >>> decoder = ConformalSubtree(0.7, hierarchy=h).fit(S, h.encode([["a/1"], ["a/1"], ["b/1"]]))
    >>> h.decode(decoder.predict(S))
    [('a/1', 'a/2'), ('a/1',), ('b/1',)]
    """

    name = "conformal-subtree"
    summary = "the true path with a chosen probability, in as few labels as can be"
    per = "row"

    def __init__(self, coverage: float = 0.9, *, hierarchy: Hierarchy | None = None):
        self.coverage = coverage
        self.hierarchy = hierarchy

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        project = Isotonic(hierarchy=hierarchy).transform
        return transform_densely(lambda rows: project(end_scores(rows, hierarchy)), cap_down(S, hierarchy))


def end_scores(S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return the score of each label less those of its children, at least 0: how likely a path ends there."""
    ends = np.array(S, np.float64)
    for u, v in hierarchy.edges:
        ends[:, u] -= S[:, v]
    return np.maximum(ends, 0.0, out=ends)
