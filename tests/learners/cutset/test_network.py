"""Structure learning: kernels against plain twins, and what the paper says of trees and splits."""

import os
import pickle
import subprocess
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import oracles_cutset as oracles
from truepath import Hierarchy, _kernels
from truepath.learners import (
    BaggedCutsetNetworks,
    BayesianChain,
    ChowLiuTree,
    CutsetNetwork,
    NaiveBayesML,
    RestrictedCutsetNetwork,
    TreeAugmentedML,
    plot_cutset_network,
)
from truepath.learners.cutset.growth import FLOOR
from truepath.learners.cutset.structure import LeafTree, list_leaves

ESTIMATORS = [
    BaggedCutsetNetworks(n_estimators=2, random_state=0),
    BayesianChain(),
    ChowLiuTree(),
    CutsetNetwork(),
    NaiveBayesML(),
    NaiveBayesML(labels="chain"),
    RestrictedCutsetNetwork(),
    TreeAugmentedML(),
    TreeAugmentedML(labels="chain"),
]
NOT_ZERO_ONE = "the check's target is not a 0/1 label matrix (values 1 and 2, strings, or several classes)"
ONE_CLASS = "labels with one value are constants here, not errors, and Y has one column a label"
BOOLEAN = "the check wants integers back; label matrices are boolean"
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": NOT_ZERO_ONE,
    "check_estimators_dtypes": NOT_ZERO_ONE,
    "check_sample_weights_pandas_series": NOT_ZERO_ONE,
    "check_sample_weights_not_an_array": NOT_ZERO_ONE,
    "check_sample_weights_shape": NOT_ZERO_ONE,
    "check_sample_weights_not_overwritten": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_dense_data": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_sparse_data": NOT_ZERO_ONE,
    "check_estimator_sparse_array": NOT_ZERO_ONE,
    "check_estimator_sparse_matrix": NOT_ZERO_ONE,
    "check_classifier_data_not_an_array": NOT_ZERO_ONE,
    "check_classifiers_one_label": ONE_CLASS,
    "check_classifiers_one_label_sample_weights": ONE_CLASS,
    "check_classifiers_classes": NOT_ZERO_ONE,
    "check_classifier_multioutput": BOOLEAN,
    "check_classifiers_train": NOT_ZERO_ONE,
    "check_classifiers_regression_target": "refused, but by naming the value that is neither 0 nor 1",
    "check_classifiers_multilabel_output_format_predict": BOOLEAN,
    "check_classifier_not_supporting_multiclass": "refused, but by naming the value that is neither 0 nor 1",
    "check_fit2d_1feature": NOT_ZERO_ONE,
    "check_estimators_pickle": "the check trains on NaN, which is unobserved evidence in queries only",
}


def make_rows(n_rows=70, n_labels=3, n_features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, n_features)).astype(float)
    return X, (X[:, :n_labels] + rng.random((n_rows, n_labels)) > 1.4)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 200), st.integers(1, 9), st.data())
def test_pair_counts_equal_the_matrix_product(seed, n_rows, n_columns, data):
    n_first = data.draw(st.integers(0, n_columns))
    rng = np.random.default_rng(seed)
    Z, mask = rng.integers(0, 2, (n_rows, n_columns), dtype=np.uint8), rng.integers(0, 2, (n_rows, 1), dtype=np.uint8)
    kernels = _kernels.cutset.pair_counts
    bits, words = kernels.pack_columns(Z), kernels.pack_columns(mask)[0]
    counts = np.zeros((n_first, n_columns), np.int32)
    kernels.count_pairs(bits, words, n_first, counts)
    np.testing.assert_array_equal(counts, oracles.count_pairs(Z, mask.ravel(), n_first))
    np.testing.assert_array_equal(kernels.count_columns(bits, words), Z[mask.ravel() == 1].sum(axis=0))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
def test_chow_liu_tree_has_the_largest_information(seed, n_labels, n_features):
    X, Y = make_rows(40, n_labels, max(n_labels, n_features), seed)
    model = ChowLiuTree(alpha=0.7).fit(X, Y)
    tree = model.network_
    states = np.hstack([Y.astype(int), model._coder.encode(X)])
    information = oracles.chow_liu_weight(states, tree.n_states, 0.7, FLOOR)
    best = -minimum_spanning_tree(sparse.csr_array(-information - 1e-3)).sum() - 1e-3 * (len(information) - 1)
    assert sum(information[u, v] for u, v in tree.edges()) == pytest.approx(best, abs=1e-9)


def test_algorithm_1_equals_the_label_tree_with_features_attached():
    X, Y = make_rows(60, 4, 6, 3)
    tree = ChowLiuTree(restricted=True).fit(X, Y).network_
    states = np.hstack([Y.astype(int), X.astype(int)])
    information = oracles.chow_liu_weight(states, tree.n_states, 0.5, FLOOR)
    top = information.max()
    information[4:, 4:] = 0  # lines 6 and 7 of Algorithm 1
    information[:4, :4] += top
    np.fill_diagonal(information, 0)
    spanning = minimum_spanning_tree(sparse.csr_array(-information)).tocoo()
    literal = {frozenset(edge) for edge in zip(spanning.row.tolist(), spanning.col.tolist())}
    assert {frozenset(edge) for edge in tree.edges().tolist()} == literal


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.booleans())
def test_log_likelihood_is_that_of_the_rows(seed, restricted):
    X, Y = make_rows(seed=seed)
    cls = RestrictedCutsetNetwork if restricted else CutsetNetwork
    model = cls(min_split_fraction=0.0, min_features=0, criterion="likelihood", max_depth=2).fit(X, Y)
    assert model.log_likelihood_ == pytest.approx(model.joint_log_proba(X, Y).sum())


def test_a_split_is_the_best_of_all_candidates():
    X, Y = make_rows(80, 3, 4, 1)
    model = RestrictedCutsetNetwork(min_split_fraction=0.9, min_features=0, criterion="likelihood", alpha=1e-6).fit(
        X, Y
    )
    gains = []
    for f in range(4):  # one network a state, with all other features
        total = 0.0
        for value in np.unique(X[:, f]):
            rows = X[:, f] == value
            tree = ChowLiuTree(restricted=True, alpha=1e-6).fit(np.delete(X[rows], f, axis=1), Y[rows])
            total += tree.log_likelihood_ + rows.sum() * np.log(rows.mean())
        gains.append(total)
    assert model.network_.variable - 3 == int(np.argmax(gains))
    assert model.log_likelihood_ == pytest.approx(max(gains), rel=1e-4)


def test_limits_are_kept():
    X, Y = make_rows(200, 3, 6, 2)
    free = {"min_split_fraction": 0.0, "criterion": "likelihood", "min_features": 0}
    assert RestrictedCutsetNetwork(max_depth=1, **free).fit(X, Y).n_or_nodes_ == 1
    assert isinstance(RestrictedCutsetNetwork(min_samples=200).fit(X, Y).network_, LeafTree)
    assert isinstance(RestrictedCutsetNetwork(min_features=6).fit(X, Y).network_, LeafTree)
    deep = RestrictedCutsetNetwork(**free).fit(X, Y)
    charged = RestrictedCutsetNetwork(**{**free, "criterion": "bic"}).fit(X, Y)
    assert charged.n_or_nodes_ <= deep.n_or_nodes_
    assert all(leaf.path[0][0] >= 3 for leaf in list_leaves(deep.network_))  # features only
    by_fraction = RestrictedCutsetNetwork(min_split_fraction=0.5, criterion="likelihood").fit(X, Y)
    assert by_fraction.n_or_nodes_ <= 2


def test_weights_are_repetitions():
    X, Y = make_rows(30)
    weight = np.arange(30) % 3
    once = RestrictedCutsetNetwork().fit(X, Y, sample_weight=weight)
    again = RestrictedCutsetNetwork().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert once.log_likelihood_ == pytest.approx(again.log_likelihood_)
    X[0] = 9  # a value of a row that weighs nothing is unknown
    assert RestrictedCutsetNetwork().fit(X, Y, sample_weight=weight).log_likelihood_ == once.log_likelihood_
    with pytest.raises(ValueError, match="whole numbers"):
        RestrictedCutsetNetwork().fit(X, Y, sample_weight=np.full(30, 0.5))


@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_common_behaviour(model):
    hierarchy = Hierarchy.from_parents([-1, 0, 0])
    X, Y = make_rows()
    Y = hierarchy.close(Y)
    fitted = clone(model).set_params(hierarchy=hierarchy).fit(sparse.csr_array(X), sparse.csr_array(Y))
    S = fitted.predict_proba(X)
    assert hierarchy.is_coherent(S)
    assert ((S >= 0) & (S <= 1)).all()
    assert hierarchy.is_closed(fitted.predict(X))
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
    missing = X.copy()
    missing[0, 0] = np.nan
    assert np.isfinite(fitted.predict_proba(missing)).all()
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(missing, Y)
    with pytest.raises(ValueError, match="LAIM"):
        RestrictedCutsetNetwork(max_states=2).fit(X, Y)


def test_mixture_averages_its_members():
    X, Y = make_rows()
    bag = BaggedCutsetNetworks(n_estimators=3, random_state=1).fit(X, Y)
    joint = np.exp([member.joint_log_proba(X, Y) for member in bag.estimators_]).mean(axis=0)
    np.testing.assert_allclose(bag.joint_log_proba(X, Y), np.log(joint))
    sets = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    listed = np.array([np.exp(bag.joint_log_proba(np.tile(x, (8, 1)), sets)) for x in X[:3]])
    np.testing.assert_allclose(bag.predict_marginals(X[:3]), listed @ sets / listed.sum(axis=1)[:, None], atol=1e-10)
    again = BaggedCutsetNetworks(n_estimators=3, random_state=1, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(bag.predict_proba(X), again.predict_proba(X))
    drawn_X, drawn_Y = bag.sample(7, random_state=0)
    assert drawn_X.shape == (7, 5)
    assert drawn_Y.shape == (7, 3)


def test_naive_bayes_is_literal():
    X, Y = make_rows(40, 1, 3)
    S = NaiveBayesML().fit(X, Y).predict_proba(X[:5])
    for i in range(5):
        odds = []
        for value in (False, True):
            rows = X[Y[:, 0] == value]
            p = (len(rows) + 1) / (len(X) + 2)
            for j in range(3):
                p *= ((rows[:, j] == X[i, j]).sum() + 1) / (len(rows) + 3)
            odds.append(p)
        assert S[i, 0] == pytest.approx(odds[1] / sum(odds))


def test_drawing():
    mpl.use("Agg")
    X, Y = make_rows()
    model = RestrictedCutsetNetwork(min_split_fraction=0.0, criterion="likelihood", max_depth=1, min_features=0).fit(
        X, Y
    )
    texts = {text.get_text() for text in plot_cutset_network(model).texts}
    assert any(text.startswith("leaf 0") for text in texts)
    assert "leaf: x" in plot_cutset_network(model, leaf=1).get_title()
    with pytest.raises(ValueError, match="leaf must be between"):
        plot_cutset_network(model, leaf=9)
    mpl.pyplot.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_scikit_learn_contract(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(model, expected_failed_checks=EXPECTED_FAILURES, on_skip=None, on_fail=None)
    assert not {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert sum(result["status"] == "passed" for result in results) >= 35


@pytest.mark.slow
def test_kernels_stay_within_bounds(tmp_path):
    script = (
        "import numpy as np\n"
        "from truepath.learners import CutsetNetwork, RestrictedCutsetNetwork, TreeAugmentedML\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.integers(0, 3, (130, 6)).astype(float); Y = rng.random((130, 4)) < .4\n"
        "free = dict(min_split_fraction=0.0, min_features=0, criterion='likelihood', max_depth=2)\n"
        "for model in (CutsetNetwork(split_labels=True, **free), RestrictedCutsetNetwork(**free), TreeAugmentedML()):\n"
        "    model.fit(X, Y); X[0, 0] = np.nan; model.predict(X); model.predict_proba(X); X[0, 0] = 0\n"
    )
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
