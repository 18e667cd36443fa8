"""The tree projection against its plain self, and every kernel with bounds checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from places import SOURCES, TESTS
from strategies import score_matrices, trees
from truepath._kernels.combiners.isotonic import dag, tree
from truepath._kernels.hierarchy import distances, flags, propagate

DOWN = {"cap_dense": (), "cap_below": (0.5,), "top_down": (0.5,), "multiply_down": ()}
UP = {
    "raise_dense": (),
    "average_positive": (0.5,),
    "average_greater": (),
    "weigh_positive": (0.5, 0.25),
    "weigh_greater": (0.25,),
}


def run_everything(h, S):
    """Call every kernel once and return what it made."""
    made = {}
    for name, options in DOWN.items():
        made[name] = S.copy()
        getattr(propagate, name)(made[name], h.parent_ptr, h.parent_idx, *options)
    for name, options in UP.items():
        made[name] = S.copy()
        getattr(propagate, name)(made[name], h.child_ptr, h.child_idx, *options)
    made["add_paths"] = S.copy()
    propagate.add_paths(made["add_paths"], h.parent_ptr, h.parent_idx, np.full(h.n_edges, 0.5))
    for name in ("raise_flags", "cap_flags"):
        made[name] = (S > 0.5).view(np.uint8)
        getattr(flags, name)(made[name], h.parent_ptr, h.parent_idx)
    made["gather_evidence"] = S.copy()
    prior = np.linspace(0.1, 0.9, h.n_nodes)
    evidence = (np.log(prior / (1 - prior)), np.log1p(-prior))
    propagate.gather_evidence(made["gather_evidence"], h.child_ptr, h.child_idx, *evidence)
    made["project_dag"] = S.copy()
    edge = np.lexsort((h.edges[:, 1], h.edges[:, 0])).astype(np.int32)
    dag.project_dag(made["project_dag"], h.parent_ptr, h.parent_idx, h.child_ptr, h.child_idx, edge)
    if h.is_tree:
        parent = np.full(h.n_nodes, -1, np.int32)
        parent[h.edges[:, 1]] = h.edges[:, 0]
        made["project_tree"] = S.copy()
        tree.project_tree(made["project_tree"], parent)
    above = h.ancestor_matrix()
    made["distances"] = distances.ancestor_distances(above.indptr, above.indices, h.parent_ptr, h.parent_idx)
    return made


@settings(max_examples=15)
@given(data=st.data())
def test_the_tree_projection_agrees_with_its_plain_self(data):
    h = data.draw(trees(max_nodes=8))
    S = data.draw(score_matrices(h, coherent=False))
    parent = np.full(h.n_nodes, -1, np.int32)
    parent[h.edges[:, 1]] = h.edges[:, 0]
    compiled, plain = S.copy(), S.copy()
    tree.project_tree(compiled, parent)
    tree.project_tree.py_func(plain, parent)
    np.testing.assert_array_equal(compiled, plain)


CHECKED = """
import numpy as np
from test_walks import run_everything
from truepath import Hierarchy
from truepath._kernels.hierarchy.propagate import cap_rows, raise_rows
from scipy import sparse
rng = np.random.default_rng(0)
for trial in range(40):
    n = int(rng.integers(1, 40))
    most = int(rng.integers(1, 5))
    parents = [rng.choice(v, min(v, rng.integers(0, most + 1)), replace=False).tolist() or [-1] for v in range(n)]
    h = Hierarchy.from_parents(parents)
    S = np.round(rng.random((3, n)), 1 + trial % 3)
    run_everything(h, S)
    thin = sparse.csr_array(np.where(S > 0.7, S, 0))
    closed = h.close(thin.astype(bool))
    raise_rows(thin.indptr, thin.indices, thin.data, closed.indptr, closed.indices, h.parent_ptr, h.parent_idx)
    cap_rows(thin.indptr, thin.indices, thin.data, h.parent_ptr, h.parent_idx)
print("checked")
"""


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays(bounds_checked):
    path = os.pathsep.join([str(SOURCES), str(TESTS), str(Path(__file__).parent)])
    env = {**bounds_checked, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", CHECKED], env=env, capture_output=True, text=True, timeout=600)
    assert done.stdout == "checked\n", done.stderr
