"""Many rows of many labels are dealt out by their rarest label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import truepath.resampling.folds as module
from truepath.resampling import share_rows


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 0)
    rng = np.random.default_rng(0)
    return rng.random((4000, 30)) < np.geomspace(0.003, 0.5, 30)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_every_label_keeps_its_share(many, form):
    parts = share_rows(form(many), [0.8, 0.2], random_state=0)
    assert np.mean(parts == 1) == pytest.approx(0.2, abs=0.001)
    held, all_rows = many[parts == 1].sum(axis=0), many.sum(axis=0)
    assert (np.abs(held - 0.2 * all_rows) <= 2 + 0.05 * all_rows).all()


def test_the_seed_decides(many):
    one, same, other = (share_rows(many, [1 / 3] * 3, random_state=seed) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert np.bincount(one, minlength=3).min() > 1300


def test_rows_without_labels_are_shared_too(many):
    parts = share_rows(np.zeros_like(many), [0.5, 0.5], random_state=0)
    assert abs(np.bincount(parts)[0] - 2000) <= 2
