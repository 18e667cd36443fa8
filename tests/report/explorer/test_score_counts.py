"""What the page says about any threshold is what the metrics say about the labels it gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices, score_matrices, trees
from truepath import Hierarchy, metrics
from truepath.combiners import MaxUp
from truepath.report.explorer.score_counts import as_coherent, choose_thresholds, count_at_thresholds, positions


def exceeding(table, g):
    """Return the rows of each label above the thresholds that ``g`` names, one per label."""
    return np.array([table[v, k + 1 :].sum() for v, k in enumerate(np.broadcast_to(g, table.shape[0]))])


def h_loss_of(counts, truth, hierarchy, g):
    """Sum the H-loss from counts, as the page's script does."""
    support, charged = truth.sum(axis=0), np.zeros(hierarchy.n_nodes)
    hits, near, alarms = (exceeding(table, g) for table in (counts.true, counts.near, counts.false))
    for v in range(hierarchy.n_nodes):
        parents = hierarchy.parents(v)
        if parents.size == 0:
            charged[v] = support[v] - hits[v] + alarms[v]
        else:
            charged[v] = counts.reached[v, max(g[u] for u in parents) + 1 :].sum() - hits[v] + near[v]
    return charged @ hierarchy.costs / truth.shape[0]


@settings(max_examples=40)
@given(hierarchies(), st.data())
def test_every_threshold_counts_what_it_predicts(hierarchy, data):
    truth = data.draw(label_matrices(hierarchy, min_rows=1))
    S, _ = as_coherent(data.draw(score_matrices(hierarchy, n_rows=truth.shape[0], min_rows=truth.shape[0])), hierarchy)
    grid = choose_thresholds(truth, S, np.array([0.3]))
    counts = count_at_thresholds(truth, S, hierarchy, grid)
    for g in {0, grid.size // 3, int(np.searchsorted(grid, 0.3)), grid.size - 1}:
        labels = grid[g] < S
        assert exceeding(counts.true, g).tolist() == (labels & truth).sum(axis=0).tolist()
        assert exceeding(counts.false, g).tolist() == (labels & ~truth).sum(axis=0).tolist()
        one = np.full(hierarchy.n_nodes, g)
        assert h_loss_of(counts, truth, hierarchy, one) == pytest.approx(metrics.h_loss(truth, labels, hierarchy))


@settings(max_examples=40)
@given(trees(), st.data())
def test_on_trees_the_h_loss_is_exact_for_one_threshold_per_label(hierarchy, data):
    truth = data.draw(label_matrices(hierarchy, min_rows=1))
    S, _ = as_coherent(data.draw(score_matrices(hierarchy, n_rows=truth.shape[0], min_rows=truth.shape[0])), hierarchy)
    grid = choose_thresholds(truth, S, np.zeros(0))
    g = data.draw(st.lists(st.integers(0, grid.size - 1), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes))
    for v in range(hierarchy.n_nodes):  # parents first: thresholds never fall from parent to child
        g[v] = max([g[v], *(g[u] for u in hierarchy.parents(v))])
    wanted = metrics.h_loss(truth, grid[g] < S, hierarchy)
    assert h_loss_of(count_at_thresholds(truth, S, hierarchy, grid), truth, hierarchy, g) == pytest.approx(wanted)


def test_incoherent_scores_are_raised():
    h = Hierarchy.from_paths(["a/x"])
    S = np.array([[0.2, 0.7]])
    raised, said = as_coherent(S, h)
    assert said
    assert raised.tolist() == MaxUp(hierarchy=h).transform(S).tolist()
    assert as_coherent(raised, h) == (raised, False)


def test_more_labels_have_fewer_thresholds():
    for n_nodes, most in ((500, 203), (4125, 103), (20_000, 53)):
        truth = np.eye(3, n_nodes, dtype=bool)
        grid = choose_thresholds(truth, truth * 0.123456, np.array([0.5, np.inf]))
        assert grid.size <= most
        assert np.diff(grid).min() > 0
        assert {0.0, 1.0, 0.5, 0.123456} <= set(grid.tolist())


def test_thresholds_are_found_on_the_grid():
    from .test_packing import unpack

    grid = np.array([0.0, 0.5, 1.0])
    assert unpack(positions(grid, np.array([-np.inf, -1, 0.1, 0.5, 0.8, np.inf]))) == [0, 1, 1, 2, 3, 3]
