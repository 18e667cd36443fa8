"""Thresholds learn from rows that come bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.decoders.base import HeldOutScores
from truepath.decoders.thresholds import more_rows
from truepath.persistence import load, save

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def draw(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    S = np.sort(rng.random((n_rows, 3)), axis=1)[:, [2, 1, 0, 2, 1]]
    return S, H.close(S > rng.uniform(0.3, 0.7, S.shape))


@pytest.mark.parametrize("decoder", [SingleThreshold(hierarchy=H), MultiThreshold(hierarchy=H)], ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_portions_are_as_good_as_all_rows(decoder, form):
    S, Y = draw(90)
    weight = np.arange(90.0) % 3 + 1
    for start in range(0, 90, 30):
        rows = slice(start, start + 30)
        assert decoder.partial_fit(form(S[rows]), Y[rows], weight[rows]) is decoder
    parts = decoder.thresholds_
    assert decoder._kept[-1] == 90
    np.testing.assert_array_equal(parts, decoder.fit(form(S), Y, weight).thresholds_)
    assert not hasattr(decoder, "_kept")  # fit begins from nothing


def test_it_goes_on_after_saving(tmp_path):
    S, Y = draw(60)
    save(SingleThreshold(hierarchy=H).partial_fit(S[:30], Y[:30]), tmp_path / "d.tp")
    decoder = load(tmp_path / "d.tp").partial_fit(S[30:], Y[30:])
    assert decoder.threshold_ == SingleThreshold(hierarchy=H).fit(S, Y).threshold_


def test_of_many_rows_a_fair_sample_is_kept(monkeypatch):
    monkeypatch.setattr(more_rows, "MOST_ROWS", 40)
    decoder, counts = SingleThreshold(hierarchy=H), np.zeros(5)
    for k in range(5):
        S, Y = draw(100, seed=k)
        S[:, 1] = S[:, 2] = k / 10  # tells portions apart
        Y[:, 1:3] = False
        decoder.partial_fit(np.maximum(S, 0.5 * (np.arange(5) % 3 == 0)), Y)
    kept = more_rows.KeptRows(*decoder._kept)
    assert (kept.n_seen, kept.S.shape) == (500, (40, 5))
    counts = np.bincount(np.rint(kept.S[:, 1] * 10).astype(int), minlength=5)
    assert counts.min() >= 2
    assert counts.max() <= 18


@pytest.mark.parametrize(("most", "n_rows"), [(100, 20), (104, 20), (4, 1)])
def test_of_wide_matrices_as_many_rows_are_kept_as_their_cells_allow(most, n_rows, monkeypatch):
    monkeypatch.setattr(more_rows, "MOST_CELLS", most)
    decoder = SingleThreshold(hierarchy=H)
    for seed in range(2):
        decoder.partial_fit(*draw(30, seed))
        assert more_rows.KeptRows(*decoder._kept).S.shape == (n_rows, 5)
    one = more_rows.keep_rows(
        None, HeldOutScores(np.ones((9, 1)), np.ones((9, 1), bool), np.ones(9), Hierarchy.flat(1))
    )
    assert one.S.shape == (min(most, 9), 1)
