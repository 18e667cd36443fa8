"""One threshold per level along the best path: against a search over all thresholds, and on new rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy
from truepath.decoders import LevelThresholds


def best_path(s, h):
    path, below = [], h.roots
    while below.size:
        path.append(int(below[np.argmax(s[below])]))
        below = h.children(path[-1])
    return path


@given(st.data(), st.sampled_from([0.3, 0.6]), st.sampled_from([0.5, 0.9]))
@settings(max_examples=60, deadline=None)
def test_thresholds_are_the_lowest_that_hold(data, precision, confidence):
    h = data.draw(hierarchies(max_nodes=6))
    S = data.draw(score_matrices(h, n_rows=12, min_rows=12))
    Y = data.draw(label_matrices(h, n_rows=12, min_rows=12))
    decoder = LevelThresholds(precision, hierarchy=h, confidence=confidence).fit(S, Y)
    paths = [best_path(s, h) for s in S]
    reached = list(range(12))
    for level, (threshold, n) in enumerate(zip(decoder.level_thresholds_, decoder.n_rows_)):
        seen = [(S[i, paths[i][level]], Y[i, paths[i][level]], i) for i in reached if len(paths[i]) > level]

        def holds(t, seen=seen):
            right = [y for s, y, _ in seen if s > t]
            interval = binomtest(sum(right), len(right)).proportion_ci(confidence) if right else None
            return interval is not None and interval.low >= precision

        allowed = [t for t in {0.0, *(s for s, *_ in seen)} if holds(t)]
        assert threshold == (min(allowed) if allowed else np.inf)
        reached = [i for s, _, i in seen if s > threshold]
        assert n == len(reached)
    found = decoder.predict(S)
    assert h.is_closed(found)
    for i, (s, y) in enumerate(zip(S, found)):
        ends = [v for v, t in zip(paths[i], decoder.level_thresholds_) if s[v] > t]
        met = [
            all(s[v] > t for v, t in zip(paths[i][: k + 1], decoder.level_thresholds_)) for k in range(len(paths[i]))
        ]
        assert y[paths[i]].tolist() == met
        assert not any(met) or paths[i][sum(met) - 1] in ends


def test_precision_is_met_on_new_rows():
    rng = np.random.default_rng(0)
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    p = rng.dirichlet(np.full(4, 0.15), 4000)
    S = np.zeros((4000, 6))
    S[:, h.leaves] = p
    S = S @ h.ancestor_matrix().toarray()
    label = np.array([rng.choice(h.leaves, p=row) for row in p])
    Y = h.close(np.eye(6, dtype=bool)[label])
    decoder = LevelThresholds(0.9, hierarchy=h).fit(S[:2000], Y[:2000])
    found = decoder.predict(S[2000:])
    for level in (1, 2):
        at = found[:, h.depth == level]
        assert (at & Y[2000:, h.depth == level]).sum() / at.sum() > 0.88
    assert 0 < decoder.n_rows_[1] < decoder.n_rows_[0] <= 2000


@pytest.mark.parametrize("options", [{"precision": 1.0}, {"confidence": 0}])
def test_what_is_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        LevelThresholds(hierarchy=Hierarchy.flat(2), **options).fit([[0.5, 0.5]], [[1, 0]])
