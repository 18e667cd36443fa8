"""What holds for every metric in the registry: a new one is tested by being registered."""

from __future__ import annotations

import pickle
import re
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy, metrics

NAMES = metrics.list_metrics()
FEW = settings(max_examples=6)


def options_for(metric, hierarchy):
    """Settings under which a perfect prediction is worth the best value, whatever rows and classes are empty."""
    options = {}
    if metric.takes("zero_division"):
        options["zero_division"] = 1.0
    if metric.takes("out_of"):
        options["out_of"] = "attainable"
    if metric.takes("propensities"):
        options["k"] = hierarchy.n_nodes  # of tied labels the first count, not the rarest
    if metric.takes("ic"):
        options["ic"] = np.arange(1.0, hierarchy.n_nodes + 1)[np.argsort(np.argsort(hierarchy.names.astype(str)))]
    return options


@st.composite
def cases(draw, max_nodes=7):
    """Draw (hierarchy, truth without empty rows, labels, scores), predictions not always closed or coherent."""
    hierarchy = draw(hierarchies(max_nodes=max_nodes))
    n_rows = draw(st.integers(1, 4))
    T = draw(label_matrices(hierarchy, n_rows, min_rows=n_rows))
    T[~T.any(axis=1), hierarchy.roots[0]] = True
    S = draw(score_matrices(hierarchy, n_rows, min_rows=n_rows, coherent=draw(st.booleans())))
    return hierarchy, T, S > 0.5, S


def measure(name, hierarchy, T, P, S, **more):
    metric = metrics.get_metric(name)
    predicted = P if metric.needs == "labels" else S
    return metric(T, predicted, hierarchy, **options_for(metric, hierarchy), **more)


def close(value):
    return pytest.approx(value, abs=1e-11, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
@FEW
def test_a_perfect_prediction_is_best_and_bounds_hold(name, case):
    hierarchy, T, P, S = case
    metric = metrics.get_metric(name)
    assert measure(name, hierarchy, T, T, T.astype(float)) == close(metric.best)
    value = measure(name, hierarchy, T, P, S)
    assert type(value) is float
    assert metric.bounds[0] - 1e-12 <= value <= metric.bounds[1] + 1e-12


@pytest.mark.parametrize("name", NAMES)
@given(case=cases(), data=st.data())
@FEW
def test_row_order_does_not_matter(name, case, data):
    hierarchy, T, P, S = case
    order = data.draw(st.permutations(range(len(T))))
    assert measure(name, hierarchy, T[order], P[order], S[order]) == close(measure(name, hierarchy, T, P, S))


@pytest.mark.parametrize("name", NAMES)
@given(case=cases(), data=st.data())
@FEW
def test_numbering_of_nodes_does_not_matter(name, case, data):
    hierarchy, T, P, S = case
    S = 0.99 * S + 1e-6 * np.arange(1, S.size + 1).reshape(S.shape)  # without ties, which go to the smaller number
    names = hierarchy.names
    edges = [(names[u], names[v]) for u, v in hierarchy.edges]
    other = Hierarchy.from_edges(edges, nodes=data.draw(st.permutations(names.tolist())))
    columns = hierarchy.indices(other.names)
    renumbered = measure(name, other, T[:, columns], P[:, columns], S[:, columns])
    assert renumbered == close(measure(name, hierarchy, T, P, S))


@pytest.mark.parametrize("name", NAMES)
@given(case=cases(), data=st.data())
@FEW
def test_whole_weights_are_repetitions(name, case, data):
    hierarchy, T, P, S = case
    weight = data.draw(st.lists(st.integers(0, 3), min_size=len(T), max_size=len(T)).filter(any))
    repeated = [np.repeat(M, weight, axis=0) for M in (T, P, S)]
    weighted = measure(name, hierarchy, T, P, S, sample_weight=weight)
    assert weighted == close(measure(name, hierarchy, *repeated))


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
@FEW
def test_dense_sparse_and_number_types_agree(name, case):
    hierarchy, T, P, S = case
    value = measure(name, hierarchy, T, P, S)
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        assert measure(name, hierarchy, kind(T), kind(P), kind(S)) == close(value)
    assert measure(name, hierarchy, sparse.csr_array(T), P, S) == close(value)
    assert measure(name, hierarchy, T, sparse.csr_array(P), sparse.csr_array(S)) == close(value)
    assert measure(name, hierarchy, T.astype(int).tolist(), P.astype(float), S.astype(np.float32)) == close(value)
    assert measure(name, hierarchy, np.asfortranarray(T), np.asfortranarray(P), np.asfortranarray(S)) == close(value)


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
@FEW
def test_an_empty_prediction_is_measured(name, case):
    hierarchy, T, P, S = case
    metric = metrics.get_metric(name)
    value = measure(name, hierarchy, T, np.zeros_like(P), np.zeros_like(S))
    assert metric.bounds[0] <= value <= metric.bounds[1]
    thin = sparse.csr_array(P.shape)
    assert measure(name, hierarchy, T, thin.astype(bool), thin) == close(value)


@pytest.mark.parametrize("name", NAMES)
@given(case=cases(), data=st.data())
@FEW
def test_nodes_by_name_by_number_and_by_mask(name, case, data):
    hierarchy, T, P, S = case
    chosen = data.draw(st.lists(st.integers(0, hierarchy.n_nodes - 1), min_size=1, unique=True))
    T[:, chosen[0]] = True  # a curve needs a positive
    T = hierarchy.close(T)
    value = measure(name, hierarchy, T, P, S, nodes=chosen)
    mask = np.isin(np.arange(hierarchy.n_nodes), chosen)
    for nodes in (hierarchy.names[chosen], hierarchy.names[chosen].tolist(), np.array(chosen), mask):
        assert measure(name, hierarchy, T, P, S, nodes=nodes) == close(value)
    everything = measure(name, hierarchy, T, P, S, nodes=range(hierarchy.n_nodes))
    assert everything == close(measure(name, hierarchy, T, P, S))
    if not metrics.get_metric(name).needs_hierarchy:
        sub = sorted(chosen)
        assert measure(name, Hierarchy.flat(len(sub)), T[:, sub], P[:, sub], S[:, sub]) == close(value)


@pytest.mark.parametrize("name", NAMES)
def test_one_node_and_one_row(name):
    hierarchy, one, zero = Hierarchy.flat(["a"]), np.ones((1, 1)), np.zeros((1, 1))
    metric = metrics.get_metric(name)
    assert measure(name, hierarchy, one, one, one) == metric.best
    value = measure(name, hierarchy, one, zero, zero)
    assert metric.bounds[0] <= value <= metric.bounds[1]


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_left_as_they_were(name):
    rng = np.random.default_rng(0)
    hierarchy = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    T = hierarchy.close(rng.random((6, 5)) < 0.3)
    T[:, 0] = True
    S = rng.random((6, 5))
    given_matrices = [T, S > 0.5, S]
    copies = [M.copy() for M in given_matrices]
    for M in given_matrices:
        M.flags.writeable = False
    measure(name, hierarchy, *given_matrices)
    assert all((M == copy).all() for M, copy in zip(given_matrices, copies))


@pytest.mark.parametrize("name", NAMES)
def test_without_a_hierarchy_labels_are_flat(name):
    rng = np.random.default_rng(1)
    T, S = rng.random((5, 4)) < 0.5, rng.random((5, 4))
    flat = Hierarchy.flat(4)
    metric = metrics.get_metric(name)
    predicted = S > 0.5 if metric.needs == "labels" else S
    assert metric(T, predicted) == close(metric(T, predicted, flat))


@pytest.mark.parametrize("name", NAMES)
def test_errors_name_the_argument(name):
    metric = metrics.get_metric(name)
    hierarchy = Hierarchy.from_paths(["a/1", "b"])
    right = np.ones((2, 3))
    with pytest.raises(ValueError, match="columns"):
        metric(np.ones((2, 2)), np.ones((2, 2)), hierarchy)
    with pytest.raises(ValueError, match="dimension"):
        metric(np.ones(3), np.ones(3), hierarchy)
    with pytest.raises(ValueError, match="at least one row"):
        metric(np.ones((0, 3)), np.ones((0, 3)), hierarchy)
    with pytest.raises(ValueError, match="sample_weight"):
        metric(right, right, hierarchy, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="sample_weight"):
        metric(right, right, hierarchy, sample_weight=[1, -1])
    with pytest.raises(ValueError, match="nodes"):
        metric(right, right, hierarchy, nodes=[])
    with pytest.raises(ValueError, match="nodes"):
        metric(right, right, hierarchy, nodes=[7])
    with pytest.raises(ValueError, match="'nowhere'"):
        metric(right, right, hierarchy, nodes=["nowhere"])
    with pytest.raises(TypeError, match="Hierarchy"):
        metric(right, right, ["a", "b"])
    if metric.uses_truth:
        with pytest.raises(ValueError, match="same shape"):
            metric(right, np.ones((3, 3)), hierarchy)
        with pytest.raises(ValueError, match="y_true must hold only 0 and 1"):
            metric(2 * right, right, hierarchy)
    if metric.needs == "scores":
        with pytest.raises(ValueError, match="NaN"):
            metric(right, right * np.nan, hierarchy)


def test_registry_and_exports_agree():
    from inspect import isfunction

    exported = {name for name in metrics.__all__ if isfunction(getattr(metrics, name))}
    tools = {"bootstrap_interval", "cafa_curve", "evaluate", "get_metric", "get_scorer", "information_content"}
    assert exported - tools - {"by_level", "label_propensities", "list_metrics", "register"} == set(NAMES)
    assert set(metrics.list_metrics("labels")) | set(metrics.list_metrics("scores")) == set(NAMES)
    for name in NAMES:
        metric = metrics.get_metric(name)
        assert pickle.loads(pickle.dumps(metric)) is metric
        assert metric.function is getattr(metrics, name)
        assert metric.takes("nodes")
        assert metric.takes("sample_weight")


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match="'h_loss'"):
        metrics.get_metric("hloss")


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_described(name):
    function = metrics.get_metric(name).function
    section = re.search(r"Parameters\n-{10}\n(.*?)(?:\n\n[A-Z][A-Za-z ]+\n---|\Z)", function.__doc__, re.DOTALL)[1]
    entries = [line.partition(" : ")[0].split(", ") for line in re.findall(r"^\S.*", section, re.MULTILINE)]
    assert [name for names in entries for name in names] == list(signature(function).parameters)
