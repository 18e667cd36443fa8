"""What holds for every learner of the registry."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import truepath.learners
from learners_room import (
    HIERARCHIES,
    LEARNERS,
    TREE,
    WEIGHT_IS_NOT_REPETITION,
    cases,
    make,
    make_data,
    trees_only,
)
from truepath import Hierarchy
from truepath.errors import ConstraintError, HierarchyError
from truepath.hierarchy import checks


def test_all_is_what_is_exported():
    assert all(hasattr(truepath.learners, name) for name in truepath.learners.__all__)
    assert LEARNERS, "there are no learners"


@pytest.mark.parametrize(("name", "kind"), cases())
def test_shapes_and_coherence(name, kind):
    h = HIERARCHIES[kind]
    X, Y = make_data(h)
    learner = make(name, h).fit(X, Y)
    S, found = learner.predict_proba(X), learner.predict(X)
    assert S.shape == found.shape == Y.shape
    assert found.dtype == bool
    assert ((S >= 0) & (S <= 1)).all()
    assert h.is_coherent(S)
    assert h.is_closed(found)
    assert learner.hierarchy_ == h
    assert learner.n_features_in_ == X.shape[1]
    if hasattr(learner, "predict_conditional_proba"):
        P = learner.predict_conditional_proba(X)
        assert P.shape == (len(X), h.n_edges + h.roots.size)
        assert ((P >= 0) & (P <= 1)).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_learns(name):
    """Better than the most frequent label set on its own training rows."""
    X, Y = make_data(TREE, n_samples=150)
    learner = make(name, TREE).fit(X, Y)
    base_rate = max(np.unique(Y, axis=0, return_counts=True)[1]) / len(Y)
    assert learner.score(X, Y) > base_rate


WITH_ALL_BUT_TREES_SLOW = [pytest.param(*case, marks=pytest.mark.slow if case[1] != "tree" else ()) for case in cases()]


@pytest.mark.parametrize(("name", "kind"), WITH_ALL_BUT_TREES_SLOW)
def test_same_bits_for_any_n_jobs(name, kind):
    h = HIERARCHIES[kind]
    X, Y = make_data(h)
    one, two = (make(name, h, n_jobs=n, random_state=3).fit(X, Y).predict_proba(X) for n in (1, 2))
    assert (one == two).all()


def check_batches(learner, X, rtol=0.0):
    """Rows alone, in small batches and in another order, C- and Fortran-ordered or sparse, have the same bits."""
    rng, whole = np.random.default_rng(1), learner.predict_proba(X)
    for form in (np.ascontiguousarray, np.asfortranarray, sparse.csr_array):
        S = learner.predict_proba(form(X))
        if form is not sparse.csr_array:
            np.testing.assert_allclose(S, whole, rtol=rtol, atol=rtol)
        for size in (1, 2, 3, 7, len(X)):
            rows = rng.permutation(len(X))[:size]
            np.testing.assert_allclose(learner.predict_proba(form(X[rows])), S[rows], rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_do_not_depend_on_the_batch(name):
    """To the last bit; where a classifier of scikit-learn multiplies, as logistic regression does, to rounding."""
    X, Y = make_data(TREE, n_features=11)
    X[np.abs(X) < 0.5] = 0
    learner = make(name, TREE)
    check_batches(learner.fit(X, Y), X, 1e-13 if hasattr(learner, "estimator") else 0.0)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine"])
def test_rows_of_kernels_do_not_depend_on_the_batch(kernel):
    X, Y = make_data(TREE, n_features=300)
    learner = truepath.learners.MultiLabelKernelRidge(kernel, 1.0, 0.1, hierarchy=TREE).fit(X, Y)
    check_batches(learner, X)


@pytest.mark.parametrize("combiner", ["fael", "hierarchical-fael", "kernel-fael"])
def test_rows_of_a_stack_do_not_depend_on_the_batch(combiner):
    X, Y = make_data(TREE)
    learners = [make("pct"), make("sparse-linear")]
    check_batches(truepath.learners.Stack(learners, combiner=combiner, cv=2, hierarchy=TREE).fit(X, Y), X)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in WEIGHT_IS_NOT_REPETITION])
def test_weights_are_repetitions(name):
    X, Y = make_data(TREE, n_samples=40)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    weighted = make(name, TREE).fit(X, Y, sample_weight=weight.astype(float)).predict_proba(X)
    np.testing.assert_allclose(weighted, make(name, TREE).fit(X[repeated], Y[repeated]).predict_proba(X), atol=2e-5)


@pytest.mark.parametrize("name", LEARNERS)
def test_sparse_is_dense(name):
    X, Y = make_data(TREE)
    X[np.abs(X) < 0.7] = 0
    dense = make(name, TREE).fit(X, Y).predict_proba(X)
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        found = make(name, TREE).fit(kind(X), sparse.csr_array(Y)).predict_proba(kind(X))
        np.testing.assert_allclose(found, dense, atol=1e-6)


@pytest.mark.parametrize("name", LEARNERS)
def test_labels_with_one_value_are_constant(name):
    X, Y = make_data(TREE)
    Y = Y.copy()
    Y[:, TREE.indices(["c"])] = True
    Y[:, TREE.indices(["b", "b/1", "b/2"])] = False
    S = make(name, TREE).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(S[:, TREE.index("c")], 1.0, atol=1e-12)
    np.testing.assert_allclose(S[:, TREE.indices(["b", "b/1", "b/2"])], 0.0, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_label_without_a_positive_does_not_outscore_one_with_some(name, form):
    """Rows unlike any seen in training score nothing for a label that no training row has."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((50, 6)) < 0.97, 0.0, rng.integers(0, 3, (50, 6)))
    X[0] = 2.0
    Y = TREE.close(rng.random((50, TREE.n_nodes)) < 0.3)
    Y[:, TREE.indices(["b", "b/1", "b/2"])] = False
    S = make(name, TREE).fit(X, form(Y)).predict_proba(np.full((2, 6), [[2.0], [1.0]]))
    assert S.min() >= 0
    assert S.max() <= 1
    assert (S[:, TREE.indices(["b", "b/1", "b/2"])] == 0).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_labels_may_be_paths(name):
    X, Y = make_data(TREE)
    paths = TREE.decode(Y)
    by_path = make(name).fit(X, paths)
    h = by_path.hierarchy_
    expected = make(name, h).fit(X, h.encode(paths)).predict_proba(X)
    assert (by_path.predict_proba(X) == expected).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_clone_pickle_and_untouched_parameters(name):
    X, Y = make_data(TREE)
    X_before, Y_before = X.copy(), Y.copy()
    learner = make(name, TREE)
    before = {key: repr(value) for key, value in learner.get_params().items()}
    learner.fit(X, Y)
    assert {key: repr(value) for key, value in learner.get_params().items()} == before
    assert (X_before == X).all()
    assert (Y_before == Y).all()
    S = learner.predict_proba(X)
    assert (pickle.loads(pickle.dumps(learner)).predict_proba(X) == S).all()
    again = clone(learner)
    assert not hasattr(again, "hierarchy_")
    assert (again.fit(X, Y).predict_proba(X) == S).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_float32_is_taken(name):
    X, Y = make_data(TREE)
    X = X.astype(np.float32)
    S = make(name, TREE).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(S, make(name, TREE).fit(X.astype(float), Y).predict_proba(X.astype(float)), atol=1e-2)


@pytest.mark.parametrize("name", LEARNERS)
def test_errors_name_the_argument(name):
    X, Y = make_data(TREE)
    with pytest.raises(NotFittedError):
        make(name, TREE).predict_proba(X)
    with pytest.raises(ConstraintError, match="row 0, 'a/1' without 'a'"):
        make(name, TREE).fit(X[:1], [[0, 1, 0, 0, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"y has 3 columns but the hierarchy has 8"):
        make(name, TREE).fit(X, Y[:, :3])
    with pytest.raises(ValueError, match="X has 60 rows but y has 10"):
        make(name, TREE).fit(X, Y[:10])
    with pytest.raises(TypeError, match=r"hierarchy must be a truepath\.Hierarchy"):
        make(name, [("a", "b")]).fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight must have the shape"):
        make(name, TREE).fit(X, Y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="row 2 has -1"):
        make(name, TREE).fit(X, Y, sample_weight=np.where(np.arange(60) == 2, -1, 1))
    with pytest.raises(ValueError, match="zero in every row"):
        make(name, TREE).fit(X, Y, sample_weight=np.zeros(60))
    fitted = make(name, TREE).fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict_proba(X[:, :2])
    with pytest.raises(ValueError, match="target y is None"):
        make(name, TREE).fit(X, None)


@pytest.mark.parametrize("name", trees_only())
def test_trees_only_says_so(name):
    h = HIERARCHIES["dag"]
    with pytest.raises(HierarchyError, match="needs a tree"):
        make(name, h).fit(*make_data(h))


@pytest.mark.parametrize("name", LEARNERS)
def test_one_row(name):
    h = Hierarchy.from_paths(["a/1", "b"])
    S = make(name, h).fit([[0.5]], h.encode([["a/1"]])).predict_proba([[0.1], [0.9]])
    np.testing.assert_allclose(S, [[1, 1, 0], [1, 1, 0]], atol=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_labels_are_checked_once(name, monkeypatch):
    checked = []
    look = checks.find_unclosed
    monkeypatch.setattr(checks, "find_unclosed", lambda Y, h: checked.append(h) or look(Y, h))
    X, Y = make_data(TREE)
    make(name, TREE).fit(X, Y)
    assert sum(h is TREE for h in checked) == 1
