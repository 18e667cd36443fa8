"""The path that a row takes from the top: at each step the child that scores best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy


def walk_best(S: NDArray[np.floating], hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the labels of each row's best path, one column per step, -1 after its leaf; of equals the first.

    Examples
    --------
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> walk_best(np.array([[0.6, 0.1, 0.5, 0.4], [0.3, 0.2, 0.1, 0.7]]), h).tolist()
    [[0, 2], [3, -1]]
    """
    steps, step = np.full((len(S), max(hierarchy.height, 1)), -1), np.zeros(len(S), np.int64)
    walkers: dict[int, NDArray[np.int64]] = {-1: np.arange(len(S))}  # the rows that stand at a node
    while walkers:
        u, rows = walkers.popitem()
        below = hierarchy.roots if u < 0 else hierarchy.children(u)
        if below.size:
            best = below[S[np.ix_(rows, below)].argmax(axis=1)]
            steps[rows, step[rows]] = best
            step[rows] += 1
            walkers |= {int(v): np.append(walkers.get(int(v), rows[:0]), rows[best == v]) for v in np.unique(best)}
    return steps
