"""What every combiner of the registry promises; a new member is tested by existing, wherever it is written."""

from __future__ import annotations

import inspect
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from strategies import hierarchies, label_matrices, score_matrices, trees
from truepath import Hierarchy, combiners
from truepath.combiners import Correction
from truepath.combiners.base import CombinerLike
from truepath.hierarchy.matrices import as_dense
from truepath.records import Record
from truepath.registry import COMBINERS
from variants import variants

NAMES = list(COMBINERS)
OPTIONS = {"kernel-fael": {"gamma": 0.5}}
TREES_ONLY = {member.name for member in COMBINERS.members() if "a tree" in member.needs}
CORRECTIONS = [member.name for member in COMBINERS.members() if issubclass(member, Correction)]
PROJECTIONS = {"max-up", "min-down", "top-down", "isotonic"}
TOY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])

CLASSES = [name for name in combiners.__all__ if isinstance(getattr(combiners, name), type)]

every_combiner = pytest.mark.parametrize("name", NAMES)


def is_ours(member):
    return member.__module__ == "truepath.combiners"


# Members whose choices leave out rows one by one: of two equal rows one stays, and equally good choices may be taken
# in another order where sums round differently
CHOOSES_BY_LEAVING_OUT = {"fael-blend"}


def make(name, hierarchy):
    return COMBINERS[name](hierarchy=hierarchy, **OPTIONS.get(name, {}))


def draw_case(data, name, max_nodes=7):
    """A hierarchy, scores, and the combiner fitted on other scores."""
    h = data.draw((trees if name in TREES_ONLY else hierarchies)(max_nodes=max_nodes))
    Y = data.draw(label_matrices(h, n_rows=5, min_rows=5))
    fitted = make(name, h).fit(data.draw(score_matrices(h, n_rows=5, min_rows=5, coherent=False)), Y)
    return h, fitted, data.draw(score_matrices(h, coherent=False))


def test_all_lists_what_is_exported():
    records = {record.__name__ for record in Record.known}
    exported = {name for name, value in vars(combiners).items() if isinstance(value, type)}
    assert exported - records == set(CLASSES)
    assert list(CLASSES) == sorted(CLASSES, key=lambda name: (not name.isupper(), name))


@every_combiner
def test_names_and_what_is_read_about_them_stand_on_the_class(name):
    member = COMBINERS[name]
    assert member.name == name
    assert member.name == member.name.lower().replace("_", "-")
    assert member.summary
    assert not member.summary.endswith(".")
    assert member.learns_from == ("" if issubclass(member, Correction) else "held-out scores and labels")


@pytest.mark.parametrize("name", [member.name for member in COMBINERS.members() if is_ours(member)])
def test_parameters_are_documented_in_the_order_of_the_signature(name):
    member = COMBINERS[name]
    section = re.search(r"Parameters\n-+\n(.*?)\n\n", inspect.cleandoc(member.__doc__), re.DOTALL)[1]
    lines = re.findall(r"^([a-z]\w*(?:, \w+)*)(?: :|$)", section, re.MULTILINE)
    assert ", ".join(lines).split(", ") == list(inspect.signature(member).parameters)


@pytest.mark.parametrize("variant", [each for member in COMBINERS.members() for each in variants(member)], ids=str)
def test_in_every_variant_scores_are_coherent_and_transform_writes_nothing(variant):
    rng = np.random.default_rng(0)
    Y = TOY.encode([["a/1"], ["a/2"], ["b/1"], ["a"], ["b"], ["a/1", "b"]])
    combiner = clone(variant).set_params(hierarchy=TOY).fit(rng.random(Y.shape), Y)
    assert isinstance(combiner, CombinerLike)
    before = pickle.dumps(combiner)
    assert TOY.is_coherent(combiner.transform(rng.random(Y.shape)))
    assert pickle.dumps(combiner) == before


@pytest.mark.parametrize("name", [name for name in NAMES if "project" in COMBINERS[name]().get_params()])
def test_a_projection_is_any_correction_by_name_or_as_an_object(name):
    rng = np.random.default_rng(0)
    Y = TOY.encode([["a/1"], ["a/2"], ["b/1"], ["a"], ["b"], ["a/1", "b"]])
    S = rng.random(Y.shape)
    for projection in ("top-down", "true-path-rule", combiners.TopDown(0.25)):
        combiner = make(name, TOY).set_params(project=projection)
        assert TOY.is_coherent(clone(combiner).fit(S, Y).transform(S))
    for wrong, words in {"upwards": "one of 'isotonic'", "fael": "one of", combiners.FAEL(): "a correction"}.items():
        with pytest.raises(ValueError, match=f"project must be {words}"):
            make(name, TOY).set_params(project=wrong).fit(S, Y).transform(S)


def test_the_registry_holds_what_is_exported():
    own = {member.__name__ for member in COMBINERS.members() if is_ours(member)}
    combining = {name for name in CLASSES if issubclass(getattr(combiners, name), combiners.Combiner)}
    assert own == combining - {"Combiner", "Correction"}


@every_combiner
@settings(max_examples=15)
@given(data=st.data())
def test_output_is_coherent_and_keeps_shape_and_input(name, data):
    h, combiner, S = draw_case(data, name)
    before = S.copy()
    out = combiner.transform(S)
    assert out.shape == S.shape
    assert out.dtype == S.dtype
    assert combiner.is_coherent
    assert h.is_coherent(out)
    assert (out >= 0).all()
    assert (out <= 1).all()
    np.testing.assert_array_equal(S, before)


@every_combiner
@settings(max_examples=10)
@given(data=st.data())
def test_rows_are_independent(name, data):
    _, combiner, S = draw_case(data, name)
    np.testing.assert_array_equal(combiner.transform(S), np.vstack([combiner.transform(row[None]) for row in S]))
    assert combiner.transform(S[:0]).shape == (0, S.shape[1])


@pytest.mark.parametrize("variant", [each for member in COMBINERS.members() for each in variants(member)], ids=str)
def test_rows_have_the_same_bits_in_every_batch(variant):
    """Rows alone, in small batches and in another order, C- and Fortran-ordered or sparse, in every variant."""
    rng = np.random.default_rng(0)
    h = Hierarchy.from_paths([f"{i}/{j}/{k}" for i in "abc" for j in "def" for k in "ghij"])
    Y = h.close(rng.random((80, h.n_nodes)) < 0.05)
    combiner = clone(variant).set_params(hierarchy=h).fit(np.clip(0.5 * Y + 0.5 * rng.random(Y.shape), 0, 1), Y)
    S = np.where(rng.random((130, h.n_nodes)) < 0.3, 0.0, rng.random((130, h.n_nodes)))
    for form in (np.ascontiguousarray, np.asfortranarray, sparse.csr_array):
        expected = as_dense(combiner.transform(form(S)))
        for size in (1, 2, 3, 7, 130):
            rows = rng.permutation(130)[:size]
            np.testing.assert_array_equal(as_dense(combiner.transform(form(S[rows]))), expected[rows])
        if form is np.asfortranarray:
            np.testing.assert_array_equal(expected, as_dense(combiner.transform(S)))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in CHOOSES_BY_LEAVING_OUT])
@settings(max_examples=10)
@given(data=st.data())
def test_renumbering_changes_nothing(name, data):
    h = data.draw((trees if name in TREES_ONLY else hierarchies)(max_nodes=7))
    Y, S = data.draw(label_matrices(h, n_rows=5, min_rows=5)), data.draw(score_matrices(h, 5, 5, coherent=False))
    named = [(h.names[u], h.names[v]) for u, v in h.edges]
    other = Hierarchy.from_edges(named, nodes=data.draw(st.permutations(h.names.tolist())))
    columns = h.indices(other.names)
    expected = make(name, h).fit(S, Y).transform(S)[:, columns]
    found = make(name, other).fit(S[:, columns], Y[:, columns]).transform(S[:, columns])
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("name", sorted(PROJECTIONS))
@settings(max_examples=15)
@given(data=st.data())
def test_projections_are_idempotent_and_leave_coherent_scores_alone(name, data):
    h, combiner, S = draw_case(data, name)
    once = combiner.transform(S)
    np.testing.assert_array_equal(combiner.transform(once), once)
    coherent = data.draw(score_matrices(h, coherent=True))
    np.testing.assert_array_equal(combiner.transform(coherent), coherent)


@every_combiner
@settings(max_examples=10)
@given(data=st.data())
def test_sparse_equals_dense(name, data):
    _, combiner, S = draw_case(data, name)
    S[S < 0.5] = 0
    for container in (sparse.csr_array, sparse.csr_matrix):
        out = combiner.transform(container(S))
        if isinstance(combiner, Correction):
            assert isinstance(out, sparse.csr_array)
        out = out.toarray() if sparse.issparse(out) else out
        np.testing.assert_allclose(out, combiner.transform(S), atol=1e-12)


@every_combiner
@settings(max_examples=10)
@given(data=st.data())
def test_float32_stays_float32(name, data):
    h, combiner, S = draw_case(data, name)
    out = combiner.transform(S.astype(np.float32))
    assert out.dtype == np.float32
    assert h.is_coherent(out)
    np.testing.assert_allclose(out, combiner.transform(S), atol=1e-6)  # the grid of scores is exact in float32


@every_combiner
def test_scikit_learn_contract(name):
    rng = np.random.default_rng(0)
    Y = TOY.encode([["a/1"], ["a/2"], ["b/1"], ["a"], ["b"], ["a/1", "b"]])
    S = np.round(0.5 * Y + 0.5 * rng.random(Y.shape), 3)
    combiner = make(name, TOY)
    params = combiner.get_params()
    twin = clone(combiner)
    assert twin.get_params().keys() == params.keys()
    assert twin.hierarchy is TOY
    fitted = combiner.fit(S, Y)
    assert fitted is combiner
    assert all(combiner.get_params()[key] is value for key, value in params.items())
    out = combiner.transform(S)
    # BLAS may round by where in memory an array lies
    np.testing.assert_allclose(pickle.loads(pickle.dumps(combiner)).transform(S), out, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(twin.fit_transform(S, Y), out, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(make_pipeline(clone(combiner)).fit(S, Y).transform(S), out, rtol=1e-12, atol=1e-12)
    frame = clone(combiner).set_output(transform="pandas").fit(S, Y).transform(S)
    assert frame.columns.tolist() == TOY.names.tolist()
    np.testing.assert_allclose(frame.to_numpy(), out, rtol=1e-12, atol=1e-12)


@every_combiner
def test_labels_may_be_sparse(name):
    rng, weight = np.random.default_rng(0), np.arange(1.0, 13.0)
    Y = np.tile(TOY.encode([["a/1"], ["a/2"], ["b/1"], ["a"], ["b"], ["a/1", "b"]]), (2, 1))
    S = rng.random(Y.shape)
    dense, from_sparse = (make(name, TOY).fit(S, labels, weight).transform(S) for labels in (Y, sparse.csr_array(Y)))
    np.testing.assert_allclose(from_sparse, dense, rtol=1e-12, atol=1e-12)


@every_combiner
def test_names_of_columns_are_those_of_the_labels(name):
    assert make(name, TOY).get_feature_names_out().tolist() == TOY.names.tolist()
    with pytest.raises(NotFittedError):
        make(name, None).get_feature_names_out()


@every_combiner
def test_what_was_learned_is_asked_for_after_fit(name):
    combiner, S = make(name, TOY), np.zeros((1, TOY.n_nodes))
    asked = {"transform": (S,), "source_weights": (), "votes": (S[0], [0]), "take_sources": ([0],)}
    asked["update"] = (TOY.edit().add("c").diff(),)
    for method, arguments in asked.items():
        if not isinstance(combiner, Correction) and hasattr(combiner, method):
            with pytest.raises(NotFittedError):
                getattr(combiner, method)(*arguments)


@every_combiner
def test_hierarchy_none_means_flat(name):
    S, Y = np.array([[0.2, 0.9], [0.7, 0.1], [0.6, 0.4]]), np.array([[0, 1], [1, 0], [1, 1]])
    combiner = make(name, None).fit(S, Y)
    assert combiner.transform(S).shape == S.shape
    assert combiner.get_feature_names_out().tolist() == ["0", "1"]
    if isinstance(combiner, Correction):
        np.testing.assert_array_equal(combiner.transform(S), S)


@every_combiner
def test_bad_input_is_refused_by_name(name):
    Y, S = TOY.encode([["a/1"], ["b/1"], ["a"]]), np.full((3, 5), 0.5)
    with pytest.raises(ValueError, match=r"S.* has 4 columns but the hierarchy has 5 nodes"):
        make(name, TOY).fit(S[:, :4], Y)
    with pytest.raises(ValueError, match=r"S.* holds NaN or infinity in row 1"):
        make(name, TOY).fit(np.where(np.eye(3, 5, -1), np.nan, S), Y)
    with pytest.raises(TypeError, match=r"must be a truepath.Hierarchy or None; got list"):
        make(name, [1, 2]).fit(S, Y)
    if not issubclass(COMBINERS[name], Correction):
        with pytest.raises(ValueError, match="S has 3 rows but y has 2"):
            make(name, TOY).fit(S, Y[:2])
        with pytest.raises(ValueError, match="'a/1' without 'a'"):
            make(name, TOY).fit(S, np.eye(3, 5, 1))
        with pytest.raises(ValueError, match="requires y to be passed"):
            make(name, TOY).fit(S, None)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in CORRECTIONS and n not in CHOOSES_BY_LEAVING_OUT])
@settings(max_examples=10)
@given(data=st.data())
def test_weights_equal_repetition(name, data):
    h = data.draw((trees if name in TREES_ONLY else hierarchies)(max_nodes=6))
    Y, S = data.draw(label_matrices(h, 5, 5)), data.draw(score_matrices(h, 5, 5, coherent=False))
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(any)))
    weighted = make(name, h).fit(S, Y, sample_weight=times)
    repeated = make(name, h).fit(np.repeat(S, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted.transform(S), repeated.transform(S), atol=1e-7)


# scikit-learn's own checks fit the corrections; fitted combiners need a Y with the columns of S, which they do not give
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": "the message speaks of columns and nodes, not of features",
    "check_all_zero_sample_weights_error": "weights are ignored: nothing is learned",
    "check_sample_weights_shape": "weights are ignored: nothing is learned",
    "check_complex_data": "a TypeError, not a ValueError: scores are real numbers",
    "check_dtype_object": "scores are numbers; objects are not turned into them",
    "check_estimators_empty_data_messages": "no rows is a valid matrix: nothing is learned from it",
}


@pytest.mark.parametrize("name", CORRECTIONS)
def test_scikit_learn_checks(name):
    found = check_estimator(make(name, None), expected_failed_checks=EXPECTED_FAILURES, on_skip=None)
    passed = {check["check_name"] for check in found if check["status"] == "passed"}
    assert not passed & set(EXPECTED_FAILURES), "these no longer fail: take them off the list"
