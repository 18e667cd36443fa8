"""Structure learning: kernels against plain twins, and what the paper says of trees and splits."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

import oracles_cutset as oracles
from learners_room import make_rows
from truepath import _kernels
from truepath.errors import TruePathError
from truepath.learners import (
    BayesianChain,
    ChowLiuTree,
    CutsetNetwork,
    RestrictedCutsetNetwork,
)
from truepath.learners.cutset.growth import FLOOR, Growth, Strength, grow
from truepath.learners.cutset.structure import LeafTree, list_leaves


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
    model = ChowLiuTree(prior_weight=0.7).fit(X, Y)
    tree = model.network_
    states = np.hstack([Y.astype(int), model._coder.encode(X)])
    information = oracles.chow_liu_weight(states, tree.n_states, 0.7, FLOOR)
    best = -minimum_spanning_tree(sparse.csr_array(-information - 1e-3)).sum() - 1e-3 * (len(information) - 1)
    assert sum(information[u, v] for u, v in tree.edges()) == pytest.approx(best, abs=1e-9)


def test_algorithm_1_equals_the_label_tree_with_features_attached():
    X, Y = make_rows(60, 4, 6, 3)
    tree = ChowLiuTree(restricted=True, prior_weight=0.5).fit(X, Y).network_
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
    model = RestrictedCutsetNetwork(
        min_split_fraction=0.9, min_features=0, criterion="likelihood", prior_weight=1e-6
    ).fit(X, Y)
    gains = []
    for f in range(4):  # one network per state, with all other features
        total = 0.0
        for value in np.unique(X[:, f]):
            rows = X[:, f] == value
            tree = ChowLiuTree(restricted=True, prior_weight=1e-6).fit(np.delete(X[rows], f, axis=1), Y[rows])
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


@pytest.mark.slow
def test_kernels_stay_within_bounds(bounds_checked):
    script = (
        "import numpy as np\n"
        "from truepath.learners import CutsetNetwork, RestrictedCutsetNetwork, TreeAugmentedML\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.integers(0, 3, (130, 6)).astype(float); Y = rng.random((130, 4)) < .4\n"
        "free = dict(min_split_fraction=0.0, min_features=0, criterion='likelihood', max_depth=2)\n"
        "for model in (CutsetNetwork(split_labels=True, **free), RestrictedCutsetNetwork(**free), TreeAugmentedML()):\n"
        "    model.fit(X, Y); X[0, 0] = np.nan; model.predict(X); model.predict_proba(X); X[0, 0] = 0\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=bounds_checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("strength", [Strength(per_row=0.03), Strength(fixed=2.0)], ids=["scaled", "fixed"])
def test_the_search_scores_what_is_grown(strength):
    X, Y = make_rows(90, 3, 5, 4)
    states = np.hstack([Y, X]).astype(np.int16)
    limits = {"is_restricted": True, "min_samples": 0, "min_features": 0, "max_depth": 1, "penalty": -np.inf}
    grown = []
    for f in range(3, 8):  # only one feature may be split on: the likelihood of the network as it is grown
        only = Growth(3, states.max(axis=0) + 1, is_splittable=np.arange(8) == f, strength=strength, **limits)
        grown.append(grow(states, only).log_likelihood)
    free = Growth(3, states.max(axis=0) + 1, is_splittable=np.arange(8) >= 3, strength=strength, **limits)
    found = grow(states, free)
    assert found.variable == 3 + int(np.argmax(grown))
    assert found.log_likelihood == pytest.approx(max(grown), rel=1e-12)


def test_a_slice_gets_its_share_of_the_prior():
    X, Y = make_rows(200, 3, 5, 4)
    options = {"min_split_fraction": 0.0, "min_features": 0, "max_depth": 1, "criterion": "likelihood"}
    scaled = RestrictedCutsetNetwork(prior_weight=3.0, **options).fit(X, Y).network_
    for child in scaled.children:
        fixed = (
            RestrictedCutsetNetwork(prior="fixed", prior_weight=3.0 * child.n_samples / 200, **options)
            .fit(X, Y)
            .network_
        )
        (twin,) = (other for other in fixed.children if other.n_samples == child.n_samples)
        assert fixed.variable == scaled.variable
        np.testing.assert_allclose(twin.factors, child.factors, rtol=1e-12)


@pytest.mark.parametrize(("n_rows", "rows"), [(60, 1), (199, 1), (270, 2)])
def test_the_prior_weighs_a_row_for_every_hundred(n_rows, rows):
    X, Y = make_rows(n_rows, 3, 5, 4)
    for cls in (RestrictedCutsetNetwork, ChowLiuTree):
        assert cls().fit(X, Y).log_likelihood_ == cls(prior_weight=rows).fit(X, Y).log_likelihood_
    half = RestrictedCutsetNetwork(prior="fixed", prior_weight=0.5).fit(X, Y)
    assert RestrictedCutsetNetwork(prior="fixed").fit(X, Y).log_likelihood_ == half.log_likelihood_


@pytest.mark.parametrize("learner", [ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork, BayesianChain])
def test_more_pairs_than_fit_in_memory_are_refused(learner):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (6, 4)), rng.random((6, 12_000)) < 0.5
    with pytest.raises(TruePathError, match=r"counts of all pairs of labels .* 100,000,000 at most.*Keep fewer labels"):
        learner().fit(X, Y)
