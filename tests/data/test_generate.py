"""Made-up problems: the same bits for the same seed, the shape that was asked for, and something to learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from truepath.data import make_hierarchy, make_hmc, toy_hierarchy


def test_same_seed_same_bits():
    one, two = (make_hmc(dag=True, missing=0.1, random_state=7) for _ in range(2))
    assert one.hierarchy == two.hierarchy
    for name in one:
        assert one[name].X.tobytes() == two[name].X.tobytes()
        assert one[name].y.tobytes() == two[name].y.tobytes()
    assert make_hmc(random_state=8).train.X.tobytes() != make_hmc(random_state=9).train.X.tobytes()
    states = [np.random.RandomState(0) for _ in range(2)]
    assert make_hmc(random_state=states[0]).train.X.tobytes() == make_hmc(random_state=states[1]).train.X.tobytes()


@settings(max_examples=40)
@given(
    st.integers(1, 60),
    st.integers(1, 6),
    st.integers(1, 5),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 2**32 - 1),
)
def test_shapes_and_closedness(n_nodes, depth, branching, dag, partial, seed):
    ds = make_hmc(30, 3, n_nodes, depth=depth, branching=branching, dag=dag, partial=partial, random_state=seed)
    h = ds.hierarchy
    assert h.n_nodes == n_nodes
    assert h.height == min(depth, n_nodes)
    assert {name: len(split) for name, split in ds.splits.items()} == {"train": 18, "valid": 6, "test": 6}
    assert all(h.is_closed(split.y) for split in ds.splits.values())
    assert all(split.y.any() and split.y.sum(axis=1).min() >= 1 for split in ds.splits.values())
    if dag == 0:
        assert h.is_tree


def test_options_do_what_they_say():
    full = make_hmc(2000, partial=0.0, random_state=0).describe()
    assert full.partial_percent == 0
    assert full.labels_written == pytest.approx(1.5, abs=0.1)
    some = make_hmc(2000, partial=0.5, unlabelled=0.2, missing=0.25, labels_per_sample=1, random_state=0).describe()
    assert some.n_unlabelled == pytest.approx(400, abs=60)
    assert some.missing_percent == pytest.approx(25, abs=1)
    assert some.partial_percent == pytest.approx(40, abs=5)
    thin = make_hmc(sparse=True, random_state=0)
    assert sparse.issparse(thin.train.X)
    assert thin.merge()["all"].X.nnz == pytest.approx(0.1 * 500 * 20, rel=0.02)
    assert make_hmc(dag=1.0, n_nodes=40, random_state=0).describe().n_multi_parent > 10
    assert make_hmc(hierarchy=toy_hierarchy(), random_state=0).hierarchy == toy_hierarchy()


def test_features_depend_on_labels():
    ds = make_hmc(600, noise=0.5, labels_per_sample=1, n_nodes=15, random_state=0)
    train, test = ds.train, ds.test
    nearest = np.argmin(((test.X[:, None] - train.X[None]) ** 2).sum(axis=-1), axis=1)
    agreement = (train.y[nearest] & test.y).sum() / test.y.sum()
    assert agreement > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"depth": 0}, "depth must be"),
        ({"sparse": 2.0}, "sparse must be between 0 and 1"),
        ({"partial": 1.5}, "partial must be between 0 and 1"),
        ({"labels_per_sample": 0.5}, "labels_per_sample must be at least 1"),
        ({"fractions": (0.5, 0.5)}, "three shares"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        make_hmc(**options)


def test_grown_hierarchies_respect_branching():
    h = make_hierarchy(50, depth=5, branching=2, random_state=0)
    assert max(len(h.children(v)) for v in range(50)) <= 2
