"""Every metric equals its brute-force twin on random trees and DAGs, with weights and chosen nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import oracles_metrics as oracle
from strategies import dags, label_matrices, score_matrices, trees
from truepath import metrics

EXACT = pytest.approx


@st.composite
def cases(draw, scores=False, closed=True):
    """Draw (hierarchy, truth, prediction, nodes or None, weights or None)."""
    hierarchy = draw(st.one_of(trees(max_nodes=7), dags(max_nodes=7)))
    n_rows = draw(st.integers(1, 4))
    T = draw(label_matrices(hierarchy, n_rows, min_rows=n_rows))
    P = draw(score_matrices(hierarchy, n_rows, min_rows=n_rows, coherent=closed))
    P = P if scores else P > draw(st.sampled_from([0.25, 0.5]))
    nodes = draw(st.none() | st.lists(st.integers(0, hierarchy.n_nodes - 1), min_size=1, unique=True))
    weight = draw(st.none() | st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any))
    return hierarchy, T, P, nodes, weight


def full(case):
    """The arguments as the twins take them: nodes and weights written out."""
    hierarchy, T, P, nodes, weight = case
    nodes = list(range(hierarchy.n_nodes)) if nodes is None else sorted(nodes)
    return T, P, hierarchy, nodes, [1] * len(T) if weight is None else weight


def found(function, case, **options):
    hierarchy, T, P, nodes, weight = case
    return function(T, P, hierarchy, nodes=nodes, sample_weight=weight, **options)


LABELS = {
    "h_loss": [{}, {"costs": "uniform"}],
    "hierarchical_hamming_loss": [{}],
    "hmc_loss": [{}, {"lambda_": "balanced"}, {"lambda_": 3.0}, {"lambda_": 0.5, "costs": "uniform"}],
    "symmetric_loss": [{}, {"alpha": 4.0}],
    "hamming_score": [{}],
    "exact_match": [{}],
    "jaccard_score": [{}, {"zero_division": 1.0}, {"zero_division": np.nan}],
    "level_accuracy": [{}, {"rows": "labeled"}],
}
SCORES = {
    "precision_at_k": [{"k": 1}, {"k": 1, "out_of": "attainable"}, {"k": 3}, {"k": 3, "out_of": "attainable"}],
    "ndcg_at_k": [{"k": 1}, {"k": 3}],
    "r_precision": [{}],
    "psp_at_k": [{"k": 1}, {"k": 3}],
    "auprc": [
        {"average": average, "method": method}
        for average in ("pooled", "macro", "weighted")
        for method in ("average_precision", "davis_goadrich")
    ],
    "fmax": [{}, {"thresholds": "grid"}],
    "wfmax": [{}, {"thresholds": "grid"}],
    "smin": [{}, {"thresholds": "grid"}],
}


def table(entries):
    return [pytest.param(name, options, id=f"{name}-{options}") for name in entries for options in entries[name]]


@pytest.mark.parametrize(("name", "options"), table(LABELS))
@given(case=cases(closed=False))
@settings(max_examples=15)
def test_labels(name, options, case):
    expected = getattr(oracle, name)(*full(case), **options)
    assert found(getattr(metrics, name), case, **options) == EXACT(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("name", "options"), table(SCORES))
@given(case=cases(scores=True, closed=False))
@settings(max_examples=15)
def test_scores(name, options, case):
    expected = getattr(oracle, name)(*full(case), **options)
    assert found(getattr(metrics, name), case, **options) == EXACT(expected, abs=1e-12, nan_ok=True)
    hierarchy, T, S, nodes, weight = case
    thin = (hierarchy, sparse.csr_array(T), sparse.csr_array(S), nodes, weight)
    assert found(getattr(metrics, name), thin, **options) == EXACT(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("average", ["micro", "macro", "samples", "levels"])
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@given(case=cases(closed=False))
@settings(max_examples=15)
def test_precision_recall_f1(average, zero_division, case):
    options = {"average": average, "zero_division": zero_division}
    expected = oracle.precision_recall_f1(*full(case), **options)
    result = found(metrics.hierarchical_precision_recall_f1, case, **options)
    assert tuple(result) == EXACT(expected, nan_ok=True)
    assert found(metrics.hierarchical_precision, case, **options) == EXACT(expected[0], nan_ok=True)
    assert found(metrics.hierarchical_recall, case, **options) == EXACT(expected[1], nan_ok=True)
    assert found(metrics.hierarchical_f1, case, **options) == EXACT(expected[2], nan_ok=True)


@given(case=cases(closed=False))
@settings(max_examples=15)
def test_plain_f1_adds_no_ancestors(case):
    for function, average in ((metrics.micro_f1, "micro"), (metrics.macro_f1, "macro")):
        expected = oracle.precision_recall_f1(*full(case), average=average, close=False)[2]
        assert found(function, case) == EXACT(expected)


@given(case=cases(closed=False))
@settings(max_examples=15)
def test_shares(case):
    hierarchy, _, P, nodes, weight = case
    options = {"nodes": nodes, "sample_weight": weight}
    assert metrics.unlabeled_share(P, hierarchy, **options) == EXACT(oracle.unlabeled_share(*full(case)))
    assert metrics.incoherent_share(P, hierarchy, **options) == EXACT(oracle.incoherent_share(*full(case)))


@given(case=cases(scores=True, closed=False))
@settings(max_examples=15)
def test_incoherent_scores(case):
    hierarchy, _, S, nodes, weight = case
    expected = oracle.incoherent_share(*full(case))
    for scores in (S, sparse.csr_array(S)):
        result = metrics.incoherent_share(scores, hierarchy, nodes=nodes, sample_weight=weight)
        assert result == EXACT(expected)
        assert (result == 0) or nodes is not None or not hierarchy.is_coherent(S)


@given(case=cases())
@settings(max_examples=15)
def test_information_content(case):
    hierarchy, T, _, _, weight = case
    expected = oracle.information_content(T, hierarchy, full(case)[-1])
    for Y in (T, sparse.csr_array(T)):
        content = metrics.information_content(Y, hierarchy, sample_weight=weight)
        assert content.tolist() == EXACT(expected, abs=1e-12)


@given(case=cases(closed=False))
@settings(max_examples=15)
def test_symmetric_loss_is_hmc_loss_with_one_lambda(case):
    for value in (0.5, 3.0, "balanced"):
        assert found(metrics.symmetric_loss, case, alpha=value) == EXACT(found(metrics.hmc_loss, case, lambda_=value))


@given(case=cases(scores=True))
@settings(max_examples=15)
def test_curve_points_are_those_of_the_twin(case):
    T, S, _, nodes, weight = full(case)
    cells = [(float(S[i, v]), bool(T[i, v]), weight[i]) for i in range(len(T)) for v in nodes]
    assume(any(y and w for _, y, w in cells))
    curve = found(metrics.precision_recall_curve, case)
    points = oracle.curve_points(cells)[:0:-1]  # rising thresholds, without the first (0, 0)
    assert curve.thresholds.tolist() == sorted({s for s, _, _ in cells})
    assert curve.recall.tolist() == EXACT([tp / points[0][0] for tp, _ in points] + [0.0])
    assert curve.precision.tolist() == EXACT([tp / (tp + fp) if tp + fp else 0.0 for tp, fp in points] + [1.0])
