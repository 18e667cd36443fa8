"""Scores in bins, against counting one cell after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from strategies import dags
from truepath.metrics.score_bins import bin_scores


@pytest.mark.parametrize("bins", [4, np.array([0.0, 0.3, 0.5, np.inf])], ids=["equal", "bounds"])
@pytest.mark.parametrize("by", ["label", "row"])
@given(dags(), st.integers(0, 20), st.integers(0, 9))
def test_every_cell_is_counted_once(bins, by, hierarchy, n_rows, seed):
    rng = np.random.default_rng(seed)
    shape = (n_rows, hierarchy.n_nodes)
    Y, S, weight = rng.random(shape) < 0.4, rng.integers(0, 9, shape) / 8, rng.random(n_rows)
    nodes = np.flatnonzero(rng.random(hierarchy.n_nodes) < 0.7)
    bounds = np.array([0.0, 0.25, 0.5, 0.75, np.inf]) if isinstance(bins, int) else bins
    expected = np.zeros((3, n_rows if by == "row" else hierarchy.n_nodes, bounds.size - 1))
    for i in range(n_rows):
        for v in nodes:
            if S[i, v] > 0.1:
                place = max(b for b in range(bounds.size - 1) if bounds[b] <= S[i, v])
                cell = (i if by == "row" else v, place)
                for k, part in enumerate((1.0, Y[i, v], S[i, v])):
                    expected[(k, *cell)] += weight[i] * part
    options = {"min_score": 0.1, "weight": weight, "nodes": nodes, "by": by}
    np.testing.assert_allclose(bin_scores(Y, S, bins, **options), expected, atol=1e-12)
    np.testing.assert_allclose(
        bin_scores(sparse.csr_array(Y), sparse.csr_array(S), bins, **options), expected, atol=1e-12
    )
