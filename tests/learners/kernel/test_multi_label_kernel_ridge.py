"""Kernel ridge regression of label matrices, against scikit-learn's and against refits without each row."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.kernel_ridge import KernelRidge
from threadpoolctl import threadpool_limits

from truepath import Hierarchy
from truepath.learners import MultiLabelKernelRidge
from truepath.metrics import auprc
from truepath.persistence import load, save
from truepath.resampling import deal_rows, split_folds

DISTANCES = {"rbf": "sqeuclidean", "laplacian": "cityblock"}


@pytest.fixture
def tree() -> Hierarchy:
    return Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2/x", "c"])


def make_rows(h: Hierarchy, n_rows: int = 40, n_features: int = 5, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    leaf = (X[:, :2] @ rng.normal(size=(2, len(h.leaves)))).argmax(axis=1)
    return X, h.encode([[h.names[h.leaves[k]]] for k in leaf])


def raw_scores(X, Y, X_new, kernel: str, gamma: float, alpha: float, weight=None, scale=None):
    """scikit-learn's kernel ridge on kernels written out."""
    m = np.quantile(pdist(X, DISTANCES[kernel]), 0.5, method="inverted_cdf") if scale is None else scale
    K = np.exp(-gamma * cdist(X, X, DISTANCES[kernel]) / m)
    K_new = np.exp(-gamma * cdist(X_new, X, DISTANCES[kernel]) / m)
    model = KernelRidge(alpha=alpha, kernel="precomputed").fit(K, Y.astype(float), sample_weight=weight)
    return model.predict(K_new)


@pytest.mark.parametrize("kernel", DISTANCES)
def test_equals_scikit_learn_on_scaled_columns(tree, kernel):
    X, Y = make_rows(tree)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = MultiLabelKernelRidge(kernel, 0.7, 0.3, hierarchy=tree, project=None).fit(X, Y)
    wanted = np.clip(raw_scores(X, Y, X[:9] + 0.1, kernel, 0.7, 0.3), 0, 1)
    assert_allclose(model.predict_proba(X[:9] + 0.1), wanted, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_scores_equal_refits(tree, weighted):
    X, Y = make_rows(tree)
    weight = np.random.default_rng(1).uniform(0.2, 3, len(X)) if weighted else None
    options = {"normalize": None, "project": None, "hierarchy": tree}
    held_out = MultiLabelKernelRidge("linear", alpha=0.5, **options).fit_held_out(X, Y, weight)
    scale = np.average(np.sum(X * X, axis=1), weights=weight)
    for i in range(0, len(X), 7):
        rest = np.delete(np.arange(len(X)), i)
        other = KernelRidge(alpha=0.5, kernel="precomputed")
        other.fit(X[rest] @ X[rest].T / scale, Y[rest].astype(float), None if weight is None else weight[rest])
        wanted = np.clip(other.predict(X[[i]] @ X[rest].T / scale), 0, 1)
        assert_allclose(held_out[[i]], wanted, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_folds_equal_refits(tree, weighted):
    X, Y = make_rows(tree, 43)
    weight = np.random.default_rng(1).uniform(0.2, 3, len(X)) if weighted else None
    options = {"normalize": None, "project": None, "hierarchy": tree, "n_folds": 5}
    model = MultiLabelKernelRidge("rbf", 1.0, 0.5, **options)
    held_out = model.fit_held_out(X, Y, weight)
    K = np.exp(-cdist(X, X, "sqeuclidean") / model.regression_.scale_)
    for rest, rows in split_folds(deal_rows(len(Y), 5)):
        other = KernelRidge(alpha=0.5, kernel="precomputed")
        other.fit(K[np.ix_(rest, rest)], Y[rest].astype(float), None if weight is None else weight[rest])
        wanted = np.clip(other.predict(K[np.ix_(rows, rest)]), 0, 1)
        assert_allclose(held_out[rows], wanted, atol=1e-9)
    landmarks = MultiLabelKernelRidge("rbf", 1.0, 0.5, max_rows=10, n_landmarks=43, **options)
    assert_allclose(landmarks.fit_held_out(X, Y, weight), held_out, atol=1e-7)


def test_bits_do_not_depend_on_threads_of_blas(tree):
    X, Y = make_rows(tree, 400)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(MultiLabelKernelRidge("rbf", 1.0, 0.5, hierarchy=tree).fit(X, Y).predict_proba(X))
    assert_array_equal(*found)


def test_weights_count_as_equal_rows(tree):
    X, Y = make_rows(tree)
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    repeated = np.repeat(np.arange(len(X)), weight.astype(int))
    options = {"gamma": 1.0, "alpha": 0.4, "hierarchy": tree}
    for kernel in ("rbf", "laplacian", "linear"):
        model = MultiLabelKernelRidge(kernel, **options).fit(X, Y, weight)
        again = MultiLabelKernelRidge(kernel, **options).fit(X[repeated], Y[repeated])
        assert_allclose(model.predict_proba(X), again.predict_proba(X), atol=1e-9)


def test_as_many_landmarks_as_rows_lose_nothing(tree):
    X, Y = make_rows(tree)
    options = {"gamma": 1.0, "alpha": 0.3, "hierarchy": tree}
    exact, all_rows = MultiLabelKernelRidge(**options), MultiLabelKernelRidge(n_landmarks=40, max_rows=10, **options)
    assert_allclose(all_rows.fit_held_out(X, Y), exact.fit_held_out(X, Y), atol=1e-7)
    some = MultiLabelKernelRidge(n_landmarks=10, max_rows=10, **options).fit(X, Y)
    assert_allclose(all_rows.predict_proba(X), exact.predict_proba(X), atol=1e-7)
    assert exact.regression_.approximation_error_ == 0
    assert all_rows.regression_.approximation_error_ < 1e-9 < some.regression_.approximation_error_ < 1
    assert some.regression_.X_fit_.shape[0] == 10


def test_the_search_never_ends_below_its_start_and_reports_exact_areas(tree):
    X, Y = make_rows(tree, 60)
    model = MultiLabelKernelRidge(hierarchy=tree)
    held_out = model.fit_held_out(X, Y)
    best = max(model.regression_.tried_, key=lambda one: one.score)
    gamma, alpha, area = best.details["gamma"], best.details["alpha"], best.score
    assert [one for one in model.regression_.tried_ if one.weight] == [best]
    assert (gamma, alpha) == (model.regression_.gamma_, model.regression_.alpha_)
    assert auprc(Y, held_out) == pytest.approx(area, abs=1e-12)
    fixed = MultiLabelKernelRidge(gamma=gamma, alpha=alpha, hierarchy=tree).fit(X, Y)
    assert_array_equal(fixed.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine", "linear"])
def test_a_row_is_scored_alike_in_any_company(tree, kernel):
    X, Y = make_rows(tree, 500)
    model = MultiLabelKernelRidge(kernel, 1.0, 0.1, hierarchy=tree).fit(X, Y)
    together = model.predict_proba(X)
    assert_array_equal(np.vstack([model.predict_proba(X[:7]), model.predict_proba(X[7:])]), together)
    assert_array_equal(model.predict_proba(X[[450]]), together[[450]])


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine", "linear"])
def test_so_it_is_in_single_precision_with_many_labels(kernel):
    """Rows of float32, and as many of them and of labels as products of float32 would be made of."""
    wide = Hierarchy.flat(40)
    X, Y = make_rows(wide, 1000)
    model = MultiLabelKernelRidge(kernel, 1.0, 0.1, hierarchy=wide).fit(X.astype(np.float32), Y)
    X = X[:200].astype(np.float32)
    together = model.predict_proba(X)
    assert together.dtype == np.float32
    assert_array_equal(np.vstack([model.predict_proba(X[:7]), model.predict_proba(X[7:])]), together)


def test_single_precision_agrees_with_double(tree):
    X, Y = make_rows(tree, 1100)
    single = MultiLabelKernelRidge(gamma=1.0, alpha=0.1, hierarchy=tree).fit(X, Y)
    scores = single.predict_proba(X[:50])
    assert scores.dtype == np.float32
    X = single.scaler_.transform(X)
    wanted = single._to_scores(
        KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / single.regression_.scale_)
        .fit(X, Y.astype(float))
        .predict(X[:50])
    )
    assert_allclose(scores, wanted, atol=1e-4)


def test_missing_values_are_marked_and_put_in_the_middle(tree):
    X, Y = make_rows(tree)
    X[::3, 1] = np.nan
    model = MultiLabelKernelRidge(gamma=1.0, alpha=0.1, hierarchy=tree).fit(X, Y)
    assert model.regression_.X_fit_.shape[1] == X.shape[1] + 1
    X[0, 2] = np.nan  # never missing in training
    assert np.isfinite(model.predict_proba(X)).all()


def test_quantiles_do_not_see_the_size_of_outliers(tree):
    X, Y = make_rows(tree)
    X_far = X.copy()
    X_far[X.argmax(axis=0), np.arange(X.shape[1])] *= 1000
    options = {"gamma": 1.0, "alpha": 0.1, "normalize": "quantile", "hierarchy": tree}
    one, other = (MultiLabelKernelRidge(**options).fit(rows, Y) for rows in (X, X_far))
    assert_allclose(one.predict_proba(X), other.predict_proba(X_far), atol=1e-12)


def test_sparse_rows_score_as_dense_ones(tree):
    X, Y = make_rows(tree)
    X[np.abs(X) < 0.8] = 0
    for kernel in ("cosine", "linear"):
        options = {"kernel": kernel, "alpha": 0.2, "normalize": None, "hierarchy": tree}
        dense = MultiLabelKernelRidge(**options).fit(X, Y)
        thin = MultiLabelKernelRidge(**options).fit(sparse.csr_array(X), sparse.csr_array(Y))
        assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), atol=1e-12)
    with pytest.raises(ValueError, match="Use kernel='cosine'"):
        MultiLabelKernelRidge("rbf", hierarchy=tree).fit(sparse.csr_array(X), Y)


def test_rows_of_weight_zero_are_not_learned_from(tree):
    X, Y = make_rows(tree)
    weight = (np.arange(len(X)) % 4 > 0).astype(float)
    model = MultiLabelKernelRidge(gamma=1.0, alpha=0.1, hierarchy=tree)
    held_out = model.fit_held_out(X, Y, weight)
    assert model.regression_.X_fit_.shape[0] == weight.sum()
    assert held_out.shape == Y.shape
    assert_array_equal(held_out[::4], model.predict_proba(X[::4]))
    with pytest.raises(ValueError, match="zero in every row"):
        model.fit(X, Y, np.zeros(len(X)))


def near_singular_rows(n_rows, n_labels=4):
    """Draw float32 rows in few dimensions, their columns given twice: embeddings often are such."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(n_rows, 3)).astype(np.float32)
    Y = base @ rng.normal(size=(3, n_labels)) + rng.normal(size=(n_rows, n_labels)) > 1
    return np.hstack([base, base]), Y


@pytest.mark.parametrize(("alpha", "n_landmarks"), [(0.3, None), (1e-4, None), (1e-6, None), (1e-2, 1010)])
def test_small_penalties_are_exact_from_1000_rows_on(alpha, n_landmarks):
    """Float32 would be off by .2 at 1e-4, and end in an error at 1e-6."""
    X, Y = near_singular_rows(1040)
    X, new, Y = X[:1010], X[1010:], Y[:1010]
    options = {} if n_landmarks is None else {"max_rows": 500, "n_landmarks": n_landmarks}
    model = MultiLabelKernelRidge("rbf", 0.25, alpha, normalize=None, project=None, **options).fit(X, Y)
    wanted = raw_scores(X.astype(float), Y, new.astype(float), "rbf", 0.25, alpha, scale=model.regression_.scale_)
    assert_allclose(model.predict_proba(new), np.clip(wanted, 0, 1), atol=4e-4)


def test_folds_of_landmarks_are_those_of_refits():
    """One row that outweighs all others: what its part leaves behind is lost in float32, and its system is singular."""
    X, Y = near_singular_rows(1010)
    X[0] *= 1e4
    options = {"normalize": None, "project": None}
    held_out = MultiLabelKernelRidge("linear", alpha=1e-5, n_folds=5, **options).fit_held_out(X, Y)
    X = X.astype(float)
    K = X @ X.T / np.mean(np.sum(X * X, axis=1))
    for rest, part in split_folds(deal_rows(len(X), 5))[:2]:
        wanted = KernelRidge(alpha=1e-5, kernel="precomputed").fit(K[np.ix_(rest, rest)], Y[rest].astype(float))
        assert_allclose(held_out[part], np.clip(wanted.predict(K[np.ix_(part, rest)]), 0, 1), atol=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine", "linear"])
def test_a_penalty_below_rounding_is_no_error(tree, kernel):
    X, Y = make_rows(tree)
    X = np.vstack([X] * 3) + 1e6
    model = MultiLabelKernelRidge(kernel, 1e-6, 1e-300, normalize=None, hierarchy=tree, n_folds=3)
    assert np.isfinite(model.fit_held_out(X, np.vstack([Y] * 3))).all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("normalize", ["standard", "quantile"])
def test_a_column_without_any_value_changes_nothing_whatever_it_holds_later(tree, normalize, dtype, tmp_path):
    X, Y = make_rows(tree)
    empty = np.column_stack([X, np.full(len(X), np.nan)]).astype(dtype)
    model = MultiLabelKernelRidge("rbf", normalize=normalize, hierarchy=tree).fit(empty, Y)
    save(model, path := tmp_path / "model.tp")
    S = load(path).predict_proba(empty)
    without = MultiLabelKernelRidge("rbf", normalize=normalize, hierarchy=tree).fit(X.astype(dtype), Y)
    assert_allclose(S, without.predict_proba(X.astype(dtype)), atol=1e-6)
    marked = np.where(np.isnan(empty), dtype(0), empty)  # a value, and no mark of a gap any more
    later = np.where(np.isnan(empty), dtype(700), empty)
    assert_allclose(model.predict_proba(later), model.predict_proba(marked), atol=1e-6)
