"""Node weights for mandatory leaf prediction: coarse ones drawn by hypothesis, any by a seed."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from truepath.decoders.leaves.weights import NodeWeights


@st.composite
def coarse_weights(draw, hierarchy):
    """Weights that are quarters: sums are exact, and ties abound."""
    quarters = st.lists(st.integers(-8, 8), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes)
    return NodeWeights(np.array([draw(quarters)]) / 4, np.array([draw(st.integers(-8, 0)) / 4]))


def random_weights(hierarchy, seed, n_rows=1):
    rng = np.random.default_rng(seed)
    return NodeWeights(rng.normal(-0.3, 1.0, (n_rows, hierarchy.n_nodes)), rng.normal(size=n_rows))
