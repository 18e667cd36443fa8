"""Made-up problems: the same bits for the same seed, the shape that was asked for, and something to learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from truepath.data import make_hierarchy, make_hmc, make_ontology_like, toy_hierarchy


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
    some = make_hmc(2000, partial=0.5, unlabeled=0.2, missing=0.25, labels_per_sample=1, random_state=0).describe()
    assert some.n_unlabeled == pytest.approx(400, abs=60)
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


def test_an_ontology_has_the_shape_of_the_gene_ontology():
    h = make_ontology_like(6_000, random_state=0)
    n_parents, n_children = np.diff(h.parent_ptr), np.diff(h.child_ptr)
    assert (h.n_nodes, (n_parents == 0).sum(), h.height) == (6_000, 3, 13)
    assert n_parents[n_parents > 0].mean() == pytest.approx(1.9, abs=0.1)
    assert (n_parents > 1).mean() == pytest.approx(0.5, abs=0.1)
    assert h.is_leaf.mean() == pytest.approx(0.5, abs=0.1)
    assert n_children.max() > 50 * n_children.mean()
    assert 4 < h.depth.mean() < 9
    assert np.mean([h.ancestors(v).size for v in range(0, 6_000, 50)]) < 40
    assert h == make_ontology_like(6_000, random_state=0)
    assert h != make_ontology_like(6_000, random_state=1)


def test_an_ontology_can_be_small_or_a_tree():
    for n_nodes in range(1, 40):
        assert make_ontology_like(n_nodes, random_state=n_nodes).n_nodes == n_nodes
    assert make_ontology_like(500, parents_per_node=1, random_state=0).is_tree
    with pytest.raises(ValueError, match="n_nodes must be at least 1"):
        make_ontology_like(0)
    with pytest.raises(ValueError, match="parents_per_node must be at least 1"):
        make_ontology_like(10, parents_per_node=0.5)


def test_large_random_hierarchies_do_not_take_quadratic_time():
    h = make_hierarchy(20_000, depth=12, branching=20, dag=True, random_state=0)  # 100 times as long before
    assert (h.n_nodes, h.height) == (20_000, 12)
