"""Compiled kernels equal their plain Python selves, and stay within their arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from strategies import hierarchies, label_matrices
from truepath import _kernels
from truepath.metrics import sweep


def plain(module):
    """The kernels of a module as plain Python, those they call included."""
    from types import FunctionType

    kernels = {name: getattr(module, name).py_func for name in dir(module) if hasattr(getattr(module, name), "py_func")}
    world = {**vars(module), **kernels}
    for name, function in kernels.items():
        world[name] = FunctionType(function.__code__, world, name)
    return world


@given(data=st.data(), hierarchy=hierarchies())
@settings(max_examples=25)
def test_walks(data, hierarchy):
    T = data.draw(label_matrices(hierarchy, 3, min_rows=3))
    P = data.draw(label_matrices(hierarchy, 3, min_rows=3))
    counted = np.array(data.draw(st.lists(st.booleans(), min_size=T.shape[1], max_size=T.shape[1])))
    graph = (counted, np.array(hierarchy.costs), hierarchy.parent_ptr, hierarchy.parent_idx)
    thin, other = sparse.csr_array(T), sparse.csr_array(P)
    module = _kernels.metrics.losses
    results = []
    for functions in (vars(module), plain(module)):
        for name, ends in (
            ("walk_mistakes", (T, P)),
            ("walk_sparse_mistakes", (thin.indptr, thin.indices, other.indptr, other.indices)),
        ):
            charged, tainted = np.zeros(3), np.zeros(3, np.int64)
            functions[name](*ends, *graph, charged, tainted)
            results.append((charged.tolist(), tainted.tolist()))
    assert all(result == results[0] for result in results)


@given(points=st.sets(st.integers(0, 9)), scores=st.lists(st.integers(0, 9)))
@settings(max_examples=25)
def test_bins(points, scores):
    points = np.array(sorted(points), float)
    scores = np.array(scores, float) / 2
    weight = np.arange(1.0, scores.size + 1)
    results = []
    for functions in (vars(_kernels.metrics.ranking), plain(_kernels.metrics.ranking)):
        tied, between = np.zeros(points.size), np.zeros(points.size + 1)
        functions["bin_scores"](points, scores, weight, tied, between)
        results.append((tied.tolist(), between.tolist()))
        assert tied.sum() + between.sum() == weight.sum()
    assert results[0] == results[1]


@given(n_rows=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_sweeps(n_rows, seed):
    rng = np.random.default_rng(seed)
    scores = sparse.csr_array(np.round(rng.random((n_rows, 5)), 1) * (rng.random((n_rows, 5)) < 0.7))
    true = sparse.csr_array(rng.random((n_rows, 5)) < 0.4)
    mass, thresholds = rng.integers(0, 3, 5).astype(float), np.unique(np.round(rng.random(4) + 0.05, 1))
    weight, scored = rng.random(n_rows), rng.integers(0, 2, n_rows).astype(float)
    results = []
    for functions in (vars(_kernels.metrics.ranking), plain(_kernels.metrics.ranking)):
        out = np.zeros((thresholds.size, 5))
        found = scores.indptr, scores.indices, scores.data, true.indptr, true.indices
        functions["sweep_rows"](*found, mass, thresholds, scored, weight, out)
        results.append(out)
    np.testing.assert_allclose(results[0], results[1], atol=1e-14)
    for k, threshold in enumerate(thresholds):
        hit = ((scores.toarray() >= threshold) & true.toarray()) @ mass
        predicted, everything = (scores.toarray() >= threshold) @ mass, true.toarray() @ mass
        recalls = np.divide(hit, everything, out=np.zeros(n_rows), where=everything > 0)
        precisions = np.divide(hit, predicted, out=np.zeros(n_rows), where=predicted > 0)
        wanted = scored @ precisions, scored @ (predicted > 0), scored @ recalls, weight @ hit, weight @ predicted
        np.testing.assert_allclose(results[0][k:].sum(axis=0), wanted, atol=1e-12)
    with pytest.MonkeyPatch.context() as patch:  # in the order of the scores, whatever their number
        patch.setattr(sweep, "MANY", 0)
        found = sweep.sweep_scores(true, scores, mass, thresholds, scored=scored, weight=weight)
    np.testing.assert_allclose(found, np.cumsum(results[0][::-1], axis=0)[::-1], atol=1e-12)
