"""Promises of conformal decoders, checked on rows with known labels, against counts by hand and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy, metrics
from truepath.decoders import ConformalRisk, ConformalSet, ConformalSubtree, Promise, SureLabels
from truepath.registry import DECODERS

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
TRUE = H.encode([["a/1"], ["a/1", "b"], ["b/1"], []], sparse_output=False)
SETS = H.encode([["a/1", "a/2"], ["a/1"], ["b"], []], sparse_output=False)


@pytest.mark.parametrize(
    ("kind", "reached"),
    [
        ("row", 2 / 4),
        ("level", 4 / 6),  # of two levels with true labels each: both, the second alone, the first alone
        ("label", 5 / 7),
        ("sure", 3 / 4),
        ("miss-rate", (0 + 1 / 3 + 1 / 2 + 0) / 4),
    ],
)
def test_shares_by_hand(kind, reached):
    kept = Promise(kind, 0.5).check(TRUE, SETS, H)
    assert kept.reached == pytest.approx(reached)
    assert kept.sizes == (6 / 4, 1.5, 3)


@given(hierarchies(), st.data())
def test_levels_are_counted_as_a_loop_does(hierarchy, data):
    true = data.draw(label_matrices(hierarchy, n_rows=5, min_rows=5))
    sets = data.draw(label_matrices(hierarchy, n_rows=5, min_rows=5))
    pairs = [(i, level) for i in range(5) for level in set(hierarchy.depth[true[i]].tolist())]
    held = [not (true[i] & ~sets[i])[hierarchy.depth == level].any() for i, level in pairs]
    kept = Promise("level", 0.5).check(true, sets, hierarchy)
    assert kept.reached == pytest.approx(np.mean(held) if held else np.nan, nan_ok=True)
    if hierarchy.is_tree:
        missed = Promise("h-loss", 0.5).check(true, true & sets, hierarchy)
        assert missed.reached == pytest.approx(metrics.h_loss(true, true & sets, hierarchy))


def test_the_verdict():
    Y = np.ones((100, 1), bool)
    for found, said in ((95, "kept"), (90, "kept"), (86, "as far as 100 rows can tell"), (70, "not kept")):
        kept = Promise("row", 0.9).check(Y, np.arange(100)[:, None] < found, None)
        assert kept.verdict.startswith(said) or said in kept.verdict
        assert f"{found:.1f}% on 100 rows" in str(kept)
    assert Promise("miss-rate", 0.2).check(Y, np.arange(100)[:, None] < 85, None).verdict == "kept"
    assert "as far as" in Promise("miss-rate", 0.1).check(Y, np.arange(100)[:, None] < 85, None).verdict
    assert "not kept" in Promise("miss-rate", 0.01).check(Y, np.arange(100)[:, None] < 85, None).verdict


def test_what_nobody_promises_is_refused():
    with pytest.raises(ValueError, match="kind must be one of 'row'"):
        Promise("all", 0.9)
    with pytest.raises(ValueError, match="target must be a number between 0 and 1"):
        Promise("row", 90)


@given(hierarchies(), st.data())
def test_decoders_keep_what_they_promise_on_their_own_rows(hierarchy, data):
    """The rows that chose the level are covered at least as promised; the guarantee is for new rows beside them."""
    true = data.draw(label_matrices(hierarchy, n_rows=12, min_rows=12))
    S = data.draw(score_matrices(hierarchy, n_rows=12, min_rows=12))
    members = [ConformalSet(0.7, per=per, hierarchy=hierarchy) for per in ("row", "level", "label")]
    members += [ConformalSubtree(0.7, hierarchy=hierarchy), SureLabels(0.7, hierarchy=hierarchy)]
    members += [ConformalRisk(0.3, loss, hierarchy=hierarchy) for loss in ("miss-rate", "miss-cost", "h-loss")]
    for decoder in members:
        kept = decoder.promise.check(true, decoder.fit(S, true).predict(S), hierarchy)
        assert np.isnan(kept.reached) or kept.verdict == "kept", (decoder, kept)


def test_members_with_a_target_say_what_they_promise():
    having = [one for one in DECODERS.members() if {"coverage", "risk"} & set(one().get_params())]
    assert len(having) == 4
    assert [one.name for one in having if not isinstance(one().promise, Promise)] == []
