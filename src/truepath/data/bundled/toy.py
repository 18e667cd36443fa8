"""The five-node hierarchy of the documentation's examples, and twelve rows labelled with it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.readers.base import make_dataset, split_of_labels
from truepath.data.split import Split
from truepath.hierarchy import Hierarchy


def toy_hierarchy() -> Hierarchy:
    """Return the tree ``a -> a/1, a/2`` and ``b -> b/1``.

    Examples
    --------
    >>> toy_hierarchy().names.tolist()
    ['a', 'b', 'a/1', 'a/2', 'b/1']
    """
    names = ["a", "b", "a/1", "a/2", "b/1"]
    return Hierarchy.from_edges([("a", "a/1"), ("a", "a/2"), ("b", "b/1")], nodes=names, sep="/")


def toy_dataset() -> Dataset:
    """Return twelve points of the plane: ``a/1`` lies left, ``a/2`` right, ``b`` up, and ``b/1`` far up."""
    hierarchy = toy_hierarchy()
    train = _part(
        hierarchy,
        [(-2, 0), (2, 0), (-1, 1), (1, 2), (-2, 3), (0, 1), (2, 3), (-1, -1)],
        ["a/1", "a/2", "a/1 b", "a/2 b/1", "a/1 b/1", "b", "a/2 b/1", "a/1"],
    )
    test = _part(hierarchy, [(-2, 1), (2, -1), (0, 3), (1, 1)], ["a/1 b", "a/2", "b/1", "a/2 b"])
    return make_dataset("toy", hierarchy, {"train": train, "test": test}, ["x", "y"])


def _part(hierarchy: Hierarchy, points: list[tuple[int, int]], labels: list[str]) -> Split:
    written = np.zeros((len(points), hierarchy.n_nodes), bool)
    for i, names in enumerate(labels):
        written[i, hierarchy.indices(names.split())] = True
    return split_of_labels(np.array(points, float), sparse.csr_array(written), hierarchy)
