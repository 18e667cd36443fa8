r"""MeanOfPaths: a node's score averaged with those above it.

On a tree S'[v] is the mean score of the nodes on the path from the top to v: rare, noisy nodes lean on their
well-trained ancestors. On a DAG every path from the top to v counts, node by node. With N_v the number of paths to v,
T_v the sum of scores over all of them and L_v the sum of their lengths::

    N_v = sum_u N_u (1 at the top),   T_v = sum_u T_u + N_v s_v,   L_v = sum_u L_u + N_v,   S'[v] = T_v / L_v

with sums over the parents u of v. Means are not coherent by themselves, so a projection follows.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from truepath.combiners.base import Correction
from truepath.combiners.projections import Projection, check_projection, project_scores
from truepath.hierarchy import Hierarchy

__all__ = ["MeanOfPaths"]


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
    linear and needs one pass. It is a sparse matrix with one entry per ancestor pair: O(n_samples * ancestor pairs).

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

    def _correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        check_projection(self.project)
        means = (_path_means(hierarchy) @ S.T).T
        return project_scores(means, hierarchy, self.project, clip=False)


def _path_means(hierarchy: Hierarchy) -> sparse.csr_array:
    """Return the matrix whose row v weighs the ancestors of v and v itself by the paths they are on."""
    n_nodes = hierarchy.n_nodes
    rows: list[dict[int, float]] = []
    n_paths: list[float] = []
    for v in range(n_nodes):  # row v counts, for each ancestor, on how many paths to v it lies
        parents = hierarchy.parents(v).tolist()
        n_paths.append(sum(n_paths[u] for u in parents) if parents else 1.0)
        row = {v: n_paths[v]}
        for u in parents:
            for w, count in rows[u].items():
                row[w] = row.get(w, 0.0) + count
        rows.append(row)
    indices = np.fromiter((w for row in rows for w in row), np.int32)
    counts = np.fromiter((count for row in rows for count in row.values()), np.float64)
    sizes = np.array([len(row) for row in rows])
    totals = np.add.reduceat(counts, np.r_[0, np.cumsum(sizes)[:-1]])
    indptr = np.r_[0, np.cumsum(sizes)].astype(np.int32)
    return sparse.csr_array((counts / np.repeat(totals, sizes), indices, indptr), shape=(n_nodes, n_nodes))
