"""The path that stops where going on does not pay: against all labels of small hierarchies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.decoders import StoppingPath


@given(st.data(), st.sampled_from([0.0, 0.5, 1.0, 4.0]), st.sampled_from(["labels", "costs"]), st.booleans())
@settings(max_examples=40)
def test_no_path_has_more_utility(data, wrong_cost, worth, allow_none):
    h = data.draw(hierarchies(max_nodes=7))
    S = data.draw(score_matrices(h, n_rows=3))
    found = StoppingPath(wrong_cost, hierarchy=h, worth=worth, allow_none=allow_none).predict(S)
    weight = np.ones(h.n_nodes) if worth == "labels" else h.costs
    for s, y in zip(S, found):
        gain = weight * (s - wrong_cost * (1 - s))
        paths = [[v, *map(int, h.ancestors(v))] for v in range(h.n_nodes)]
        best = max(gain[path].sum() for path in paths)
        if allow_none and best <= 0:
            assert not y.any()
        else:
            assert gain[y].sum() == pytest.approx(best)
            assert sorted(np.flatnonzero(y)) in [sorted(path) for path in paths]


@pytest.mark.parametrize("options", [{"worth": "much"}, {"wrong_cost": -1}])
def test_what_is_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        StoppingPath(hierarchy=Hierarchy.flat(2), **options).predict([[0.5, 0.5]])
