"""Smaller hierarchies: what hangs where, and what goes along."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy

DAG = Hierarchy(
    ["a", "b", "c", "d", "e"],
    np.array([(0, 2), (1, 2), (2, 3), (0, 4)]),
    {"A": "a", "C": "c", "D": "d"},
    None,
    {"a": "first", "c": "third", "d": "fourth"},
)


def test_what_is_kept_hangs_from_its_nearest_kept_ancestors():
    small = DAG.subgraph(["d", "a", "b"])
    assert small.names.tolist() == ["a", "b", "d"]
    assert small.edges.tolist() == [[0, 2], [1, 2]]
    assert dict(small.aliases) == {"A": "a", "D": "d"}
    assert dict(small.titles) == {"a": "first", "d": "fourth"}
    assert DAG.subgraph([3, 4]).n_edges == 0
    assert Hierarchy.from_paths(["x/y"], sep="/").subgraph([0]).sep == "/"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_labels_as_common_as_asked_for_are_kept(form):
    Y = form(DAG.close(np.eye(5, dtype=bool)[[3, 3, 4, 4, 4]]))
    assert np.asarray(Y.sum(axis=0)).tolist() == [5, 2, 2, 2, 3]
    assert DAG.prune(2, Y) == DAG
    assert DAG.prune(3, Y).names.tolist() == ["a", "e"]
    assert DAG.prune(5, Y).names.tolist() == ["a"]
    with pytest.raises(ValueError, match="min_count=6 leaves no label: the commonest has 5 positives"):
        DAG.prune(6, Y)
