"""Groups of the children of wide nodes: how they are made, and that they are no more than nodes nobody sees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse

from learners_room import as_plain_hierarchy, make_data
from oracles_learners import halve_plainly
from truepath import Hierarchy
from truepath._kernels.linear.label_halves import halve_sets
from truepath.learners import SparseLinear
from truepath.learners.linear.label_graph import LabelGraph
from truepath.persistence import load, save

EXACT = {"loss": "log", "tol": 1e-10, "max_iter": 5000, "min_weight": 0.0, "C": 1.0, "train_on": "parents"}
FLAT = Hierarchy.from_edges([(None, f"{i:02}") for i in range(37)])
#: One wide node at the top, one below it, and a child of that one and of another
WIDE = Hierarchy.from_edges(
    [(None, f"t{i}") for i in range(7)] + [("t1", f"c{i}") for i in range(9)] + [("t2", "c3"), ("c3", "d")]
)


@pytest.mark.parametrize("hierarchy", [FLAT, WIDE])
@pytest.mark.parametrize("max_children", [2, 5])
def test_groups_are_nodes_that_nobody_sees(hierarchy, max_children):
    X, Y = make_data(hierarchy, n_samples=90)
    learner = SparseLinear(hierarchy=hierarchy, max_children=max_children, **EXACT).fit(X, Y)
    seen, place = as_plain_hierarchy(learner)
    assert seen.n_nodes > hierarchy.n_nodes
    assert max(np.diff(seen.child_ptr).max(), np.sum(np.diff(seen.parent_ptr) == 0)) <= max_children
    Z = np.zeros((len(X), seen.n_nodes), bool)
    Z[:, place] = Y
    plain = SparseLinear(hierarchy=seen, max_children=None, **EXACT).fit(X, seen.close(Z))
    np.testing.assert_allclose(learner.predict_proba(X), plain.predict_proba(X)[:, place], atol=1e-6)


@pytest.mark.parametrize("hierarchy", [FLAT, WIDE])
def test_the_best_labels_are_found_through_groups(hierarchy):
    X, Y = make_data(hierarchy, n_samples=60)
    learner = SparseLinear(hierarchy=hierarchy, max_children=3, C=1.0, train_on="parents").fit(X, Y)
    S, top = learner.predict_proba(X), learner.predict_top(X, 4)
    assert top.shape == S.shape
    np.testing.assert_allclose(np.sort(top.toarray(), axis=1)[:, -4:], np.sort(S, axis=1)[:, -4:], rtol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 10, 25])
def test_halves_are_those_of_the_plain_twin(n):
    rng = np.random.default_rng(n)
    V = rng.random((n, 6)) * (rng.random((n, 6)) < 0.6)
    V[:, 0] += 0.1
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    rows = sparse.csr_array(V)
    half = halve_sets((rows.data, rows.indices, rows.indptr), 6, np.arange(n), np.array([0, n]), np.array([3]), 5)
    assert half.sum() == n // 2
    starts = itertools.permutations(range(n), 2)  # which two the kernel drew is its own affair
    assert any(np.array_equal(half, halve_plainly(V, first, second)) for first, second in starts)


def test_labels_of_similar_rows_are_grouped_together():
    Y = np.kron(np.eye(8, dtype=bool), np.ones((6, 1), bool))
    X = np.kron(np.eye(4), np.ones((12, 1))) + 0.01 * np.random.default_rng(0).random((48, 4))
    learner = SparseLinear(max_children=2, train_on="parents").fit(X, Y)
    graph = LabelGraph(*learner._graph)
    home = {int(v): int(u) for u, v in zip(graph.home(), graph.node_of) if v >= 0}
    assert all(home[v] == home[v + 1] for v in (0, 2, 4, 6))


def test_the_same_bits_for_any_number_of_threads():
    X, Y = make_data(FLAT, n_samples=200)
    one, two = (SparseLinear(hierarchy=FLAT, max_children=4, train_on="parents", n_jobs=n).fit(X, Y) for n in (1, 2))
    assert all((a == b).all() for a, b in zip(one._graph, two._graph))
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_saved_with_its_groups(tmp_path):
    X, Y = make_data(WIDE)
    learner = SparseLinear(hierarchy=WIDE, max_children=3, train_on="parents").fit(X, Y)
    save(learner, tmp_path / "model.truepath")
    again = load(tmp_path / "model.truepath")
    assert (again.predict_top(X, 3) != learner.predict_top(X, 3)).nnz == 0
    assert again.coef_.shape == (X.shape[1], WIDE.n_nodes)


def test_without_rows_or_labels_to_compare():
    X, Y = make_data(FLAT, n_samples=40)
    Y[:, 5:] = False
    learner = SparseLinear(hierarchy=FLAT, max_children=4, train_on="parents").fit(X, Y)
    assert (learner.predict_proba(X)[:, 5:] == 0).all()


@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize("options", [{"train_on": "all"}, {"train_on": "parents"}, {"max_children": 2}], ids=str)
def test_of_equal_scores_the_smaller_number_is_best(options, leaves):
    rng = np.random.default_rng(0)
    for hierarchy in (FLAT, WIDE):
        Y = hierarchy.close((rng.random((40, 2)) < 0.4)[:, rng.integers(0, 2, hierarchy.n_nodes)])  # equal columns
        X = rng.integers(0, 2, (40, 3)).astype(float)
        learner = SparseLinear(hierarchy=hierarchy, **{"train_on": "parents", **options}).fit(X, Y)
        S, counted = learner.predict_proba(X), hierarchy.leaves if leaves else np.arange(hierarchy.n_nodes)
        for k in (1, 2, 5):
            top = learner.predict_top(X, k, leaves=leaves)
            for i, s in enumerate(S):
                best = [v for v in sorted(counted, key=lambda v: (-s[v], v)) if s[v] > 0][:k]
                assert top[[i]].indices.tolist() == sorted(best)


def test_margins_and_weights_count_the_groups_of_a_label():
    """A word that all labels of a group share speaks for each of them, though it does not tell them apart."""
    rng = np.random.default_rng(0)
    label = np.arange(160) % 16
    X = np.hstack([np.eye(4)[label // 4], np.eye(16)[label]]) * rng.uniform(0.5, 1, (160, 1))
    learner = SparseLinear(train_on="parents", loss="log", max_children=4, C=10.0).fit(X, np.eye(16, dtype=bool)[label])
    graph = LabelGraph(*learner._graph)
    assert (graph.node_of < 0).any()
    W, intercepts = learner._weights.toarray().astype(float), learner._intercepts
    found, weights = learner.contributions(X[:1], np.arange(16), method="margin"), learner.feature_weights()
    for v in range(16):
        above = graph.above(np.flatnonzero(graph.node_of == v))  # a flat hierarchy: what lies above are groups
        np.testing.assert_allclose(weights[:, [v]].toarray()[:, 0], W[:, above].sum(axis=1), atol=1e-5)
        np.testing.assert_allclose(found.output[v], X[0] @ W[:, above].sum(axis=1) + intercepts[above].sum(), atol=1e-5)
