"""The kernels with array bounds checked, in a process and a cache of their own."""

import subprocess
import sys

import pytest

WORK = """
import numpy as np
from truepath import Hierarchy
from truepath.decoders import MAS, MASR, ExactLeafMAP
from truepath.papers.bi2012.agreement import nested_agreement
rng = np.random.default_rng(0)
for n_nodes, n_parents in [(1, 1), (2, 1), (40, 1), (300, 1), (2, 2), (30, 3), (60, 3)]:
    above = [[]] + [sorted(set(rng.integers(0, v, rng.integers(0, n_parents + 1)).tolist())) for v in range(1, n_nodes)]
    h = Hierarchy.from_parents(above)
    S = rng.random((4, n_nodes))
    for v in range(n_nodes):
        S[:, v] *= S[:, h.parents(v)].min(axis=1, initial=1)
    k = rng.integers(1, h.leaves.size + 1, 4)
    for counts in (None, 1, h.leaves.size, k):
        for decoder in (MAS(counts, hierarchy=h), MASR(2.0, counts, hierarchy=h), ExactLeafMAP(k=counts, hierarchy=h)):
            decoder.predict(S)
            decoder.predict(S.astype(np.float32))
    MAS(hierarchy=h).predict_path(S)
    nested_agreement(S, h, 3)
print("within bounds")
"""


@pytest.mark.slow
def test_kernels_stay_within_their_arrays(bounds_checked):
    done = subprocess.run([sys.executable, "-c", WORK], env=bounds_checked, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "within bounds" in done.stdout
