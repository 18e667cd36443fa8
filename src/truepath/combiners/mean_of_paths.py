r"""MeanOfPaths: a node's score averaged with those above it.

On a tree S'[v] is the mean score of the nodes on the path from the top to v: rare, noisy nodes lean on their
well-trained ancestors. On a DAG every path from the top to v counts, node by node. With N_v the number of paths to v,
T_v the sum of scores over all of them and L_v the sum of their lengths::

    N_v = sum_u N_u (1 at the top),   T_v = sum_u T_u + N_v s_v,   L_v = sum_u L_u + N_v,   S'[v] = T_v / L_v

with sums over the parents u of v. Means are not coherent by themselves, so a projection follows.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from truepath import _kernels
from truepath.combiners.base import Correction
from truepath.combiners.projections import Projection, project_scores, projection
from truepath.held import holds
from truepath.hierarchy import Hierarchy


@holds(project=projection)
class MeanOfPaths(Correction):
    """Average every score over the paths from the top, then project.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
    project : str, combiner or None, default="isotonic"
        The correction that makes the means coherent, such as ``"max-up"``; None returns them as they are.

    Notes
    -----
    The literature has no single definition for DAGs; the mean over all nodes of all paths is ours, chosen because it is
    linear and needs one pass. O(n_samples * n_edges), and the projection.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import MeanOfPaths
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> MeanOfPaths(hierarchy=h).transform([[0.5, 0.25, 0.0, 1.0, 0.5]]).tolist()
    [[0.5, 0.375, 0.25, 1.0, 0.75]]
    """

    name = "mean-of-paths"
    summary = "average every score over the paths from the top, then project"

    def __init__(self, *, hierarchy: Hierarchy | None = None, project: Projection = "isotonic"):
        self.hierarchy = hierarchy
        self.project = project

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        share = _path_shares(hierarchy)
        graph = (hierarchy.parent_ptr, hierarchy.parent_idx, share)
        length = np.ones((1, hierarchy.n_nodes))
        for M in (S, length):
            _kernels.hierarchy.propagate.add_paths(M, *graph)
        S /= length
        return project_scores(S, hierarchy, self.project, clip=False)


def _path_shares(hierarchy: Hierarchy) -> np.ndarray:
    """Return for each edge the share of the paths to its child that come through it."""
    log_paths = np.zeros(hierarchy.n_nodes)  # their numbers can be too large for a float
    share = np.ones(hierarchy.n_edges)
    ends = hierarchy.parent_ptr.tolist()
    for v, (first, last) in enumerate(pairwise(ends)):  # parents come first
        above = log_paths[hierarchy.parent_idx[first:last]]
        if above.size == 1:
            log_paths[v] = above[0]
        elif above.size > 1:
            log_paths[v] = np.logaddexp.reduce(above)
            share[first:last] = np.exp(above - log_paths[v])
    return share
