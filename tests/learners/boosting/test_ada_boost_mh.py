"""AdaBoostMH and HAdaBoostMH against Algorithm 1 in plain NumPy, and what the options do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from oracles_boosting import algorithm_1, best_stump, clip_by_rule_7, costs_by_parents, stump_votes
from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.data import make_hmc
from truepath.hierarchy import cap_down
from truepath.learners import AdaBoostMH, HAdaBoostMH
from truepath.learners.boosting.rounds import boost, start_weights
from truepath.learners.boosting.stumps import TreeLearner
from truepath.metrics import hierarchical_hamming_loss

TREE = Hierarchy.from_paths(["a/1", "a/2", "a/3", "b/1", "b/2", "c"])
DAG = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("c", "e"), ("d", "e")])
LABELS = st.sampled_from(["independent", "joint"])


def make_data(hierarchy, n_samples=60, n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    S = X @ rng.normal(size=(n_features, hierarchy.n_nodes)) + rng.normal(size=(n_samples, hierarchy.n_nodes))
    return X, hierarchy.close(S > 0.8)


def make_paths(n_samples=200, seed=0):
    """Rows with one path each, and features that determine it."""
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, TREE.leaves.size, n_samples)
    Y = np.zeros((n_samples, TREE.n_nodes), bool)
    Y[np.arange(n_samples), TREE.leaves[leaf]] = True
    X = rng.normal(size=(TREE.leaves.size, 5))[leaf] + 0.5 * rng.normal(size=(n_samples, 5))
    return X, TREE.close(Y)


@settings(max_examples=40)
@given(st.data())
def test_rounds_follow_algorithm_1(data):
    """Weights, r_t, alpha_t, Z_t and margins of every round, and the bound on the training loss."""
    h = data.draw(hierarchies(max_nodes=6))
    Y = data.draw(label_matrices(h, n_rows=14, min_rows=2))
    X = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(len(Y), 3)).round(1)
    constraint = data.draw(st.sampled_from(["train", "predict", "both", None]))
    votes, labels = data.draw(st.sampled_from(["discrete", "real"])), data.draw(LABELS)
    rate = data.draw(st.sampled_from([1.0, 0.3]))
    options = {"n_estimators": 6, "votes": votes, "labels": labels, "learning_rate": rate}
    learner = (
        AdaBoostMH(hierarchy=h, **options)
        if constraint is None
        else HAdaBoostMH(hierarchy=h, constraint=constraint, **options)
    )
    learner.fit(X, Y)
    costs = np.ones(h.n_nodes) if constraint is None else costs_by_parents(h)
    clip = constraint in ("train", "both")

    def weak(t, w):
        return learner.hypotheses_[t].votes(X)

    rounds = list(algorithm_1(Y, h, costs, weak, learner.n_estimators_, clip, rate, votes == "real"))
    first, bound = rounds[0][0], 1.0
    for t, (_, r, alpha, Z, margins) in enumerate(rounds):
        np.testing.assert_allclose([learner.edges_[t], learner.alphas_[t]], [r, alpha], rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(learner.normalizers_[t], Z, rtol=1e-9)
        bound *= Z
        wrong = (margins > 0) != Y
        assert (first * wrong).sum() <= bound + 1e-12
        if constraint != "train":
            margins = cap(margins, h)
        if np.abs(margins).min() > 1e-9:  # where votes cancel, rounding decides the sign
            assert learner.training_loss_[t] == pytest.approx(hierarchical_hamming_loss(Y, margins > 0, h))
    staged = list(learner.staged_decision_function(X))
    np.testing.assert_allclose(staged, [margins for *_, margins in rounds], rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(st.data())
def test_whole_algorithm_with_its_own_stumps(data):
    """The transcription finds its stumps by trying every cut; nothing comes from the library."""
    h = data.draw(hierarchies(max_nodes=5))
    Y = data.draw(label_matrices(h, n_rows=12, min_rows=2))
    X = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(len(Y), 2)).round(1)
    X[np.random.default_rng(1).random(X.shape) < data.draw(st.sampled_from([0.0, 0.2]))] = np.nan
    constraint, labels = data.draw(st.sampled_from(["train", "predict"])), data.draw(LABELS)
    learner = HAdaBoostMH(
        hierarchy=h, constraint=constraint, labels=labels, n_estimators=4, max_depth=1, max_bins=None
    ).fit(X, Y)
    y = np.where(Y, 1, -1)

    def weak(t, w):
        return stump_votes(X, w, y, best_stump(X, w, y, "edge", labels == "joint"))

    rounds = algorithm_1(Y, h, costs_by_parents(h), weak, learner.n_estimators_, constraint == "train")
    for t, (_, r, alpha, Z, _) in enumerate(rounds):
        found = [learner.edges_[t], learner.alphas_[t], learner.normalizers_[t]]
        np.testing.assert_allclose(found, [r, alpha, Z], rtol=1e-6, atol=1e-9)


class Recording:
    """A weak learner that remembers the weights it was given."""

    def __init__(self, weak):
        self.weak, self.seen, self.votes = weak, [], []

    def train(self, w):
        self.seen.append(w.copy())
        hypothesis, votes = self.weak.train(w)
        self.votes.append(votes.copy())
        return hypothesis, votes


@settings(max_examples=30)
@given(st.data())
def test_weights_of_every_round(data):
    """The weights w_t(i, j) themselves, cell by cell."""
    h = data.draw(hierarchies(max_nodes=6))
    Y = data.draw(label_matrices(h, n_rows=12, min_rows=2))
    X = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(len(Y), 3)).round(1)
    clip, shared = data.draw(st.booleans()), data.draw(st.booleans())
    y = np.where(Y, 1, -1).astype(np.int8)
    weak = Recording(TreeLearner(X, y, shared=shared, votes="discrete", criterion="edge"))
    options = {"n_rounds": 5, "learning_rate": 1.0, "real": False, "clip": clip, "enforce": True}
    history = boost(weak, y, start_weights(len(Y), h.costs, None), h, **options)
    rounds = algorithm_1(Y, h, costs_by_parents(h), lambda t, w: weak.votes[t], len(history.hypotheses), clip)
    for seen, (w, *_) in zip(weak.seen, rounds):
        np.testing.assert_allclose(seen, w, rtol=1e-7, atol=1e-14)


def cap(margins, hierarchy):
    margins = margins.copy()
    for u, v in hierarchy.edges:
        margins[:, v] = np.minimum(margins[:, v], margins[:, u])
    return margins


@settings(max_examples=40)
@given(st.data())
def test_rule_7_on_real_votes(data):
    h = data.draw(hierarchies(max_nodes=6))
    votes = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(5, h.n_nodes))
    for given_votes in (votes, np.sign(votes)):
        clipped = cap_down(given_votes, h, threshold=0.0)
        np.testing.assert_array_equal(clipped, clip_by_rule_7(given_votes, h))
        assert h.is_closed(clipped > 0)


@settings(max_examples=30)
@given(st.data())
def test_predictions_respect_any_hierarchy(data):
    """DAGs and several paths per row, which the paper leaves to future work."""
    h = data.draw(hierarchies(max_nodes=7))
    Y = data.draw(label_matrices(h, n_rows=10, min_rows=2))
    X = np.random.default_rng(0).normal(size=(len(Y), 3))
    options = {
        "constraint": data.draw(st.sampled_from(["train", "predict", "both"])),
        "votes": data.draw(st.sampled_from(["discrete", "real"])),
        "labels": data.draw(LABELS),
        "single_path": data.draw(st.sampled_from([True, False, "auto"])),
    }
    learner = HAdaBoostMH(hierarchy=h, n_estimators=5, **options).fit(X, sparse.csr_array(Y))
    assert h.is_coherent(learner.predict_proba(X))
    assert h.is_closed(learner.predict(X))
    if options["constraint"] != "train":
        assert h.is_coherent(learner.decision_function(X))


def test_literal_rule_makes_the_votes_consistent_by_themselves():
    X, Y = make_paths()
    learner = HAdaBoostMH(hierarchy=TREE, constraint="train", n_estimators=30).fit(X, Y)
    if (learner.alphas_ >= 0).all():
        assert TREE.is_coherent(learner.decision_function(X))


def test_weights_fall_with_depth():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    w = start_weights(2, h.costs, None)
    np.testing.assert_allclose(w[0] * 2 * h.costs.sum(), [0.5, 0.25, 0.25, 0.5])
    np.testing.assert_allclose(w.sum(), 1.0)


@pytest.mark.parametrize("cls", [AdaBoostMH, HAdaBoostMH])
@pytest.mark.parametrize("votes", ["discrete", "real"])
def test_stages_end_in_the_whole(cls, votes):
    X, Y = make_paths()
    learner = cls(hierarchy=TREE, n_estimators=12, votes=votes).fit(X, Y)
    assert (list(learner.staged_predict_proba(X))[-1] == learner.predict_proba(X)).all()
    assert (list(learner.staged_predict(X))[-1] == learner.predict(X)).all()
    assert list(learner.staged_score(X, Y))[-1] == learner.score(X, Y)
    np.testing.assert_allclose(list(learner.staged_loss(X, Y)), learner.training_loss_)
    assert learner.score(X, Y) > 0.8
    assert (np.diff(np.cumprod(learner.normalizers_)) <= 1e-12).all()


def test_first_rounds_do_not_depend_on_later_ones():
    X, Y = make_data(DAG)
    few, many = (HAdaBoostMH(hierarchy=DAG, n_estimators=n).fit(X, Y) for n in (3, 8))
    assert (few.predict_proba(X) == list(many.staged_predict_proba(X))[2]).all()


def test_early_stopping_keeps_the_best_round():
    X, Y = make_data(TREE, n_samples=150)
    learner = HAdaBoostMH(
        hierarchy=TREE, n_estimators=200, n_iter_no_change=5, validation_fraction=0.3, random_state=0
    ).fit(X, Y)
    assert learner.n_estimators_ < 200
    assert learner.validation_loss_.argmin() == learner.n_estimators_ - 1
    assert learner.validation_loss_.size <= learner.n_estimators_ + 5
    assert learner.n_estimators_ == learner.alphas_.size == len(learner.hypotheses_)


def test_shrinkage_slows_the_training():
    X, Y = make_data(TREE, n_samples=150)
    slow, fast = (HAdaBoostMH(hierarchy=TREE, n_estimators=10, learning_rate=rate).fit(X, Y) for rate in (0.1, 1.0))
    assert np.prod(slow.normalizers_) > np.prod(fast.normalizers_)


def test_deeper_trees_learn_what_stumps_cannot():
    X = np.random.default_rng(0).normal(size=(300, 2))
    Y = ((X[:, 0] > 0) ^ (X[:, 1] > 0))[:, None]
    stump, tree = (AdaBoostMH(n_estimators=20, max_depth=d, single_path=False).fit(X, Y) for d in (1, 3))
    assert stump.score(X, Y) < 0.75
    assert tree.score(X, Y) > 0.95
    threads = AdaBoostMH(n_estimators=20, max_depth=3, n_jobs=2).fit(X, Y)
    assert (tree.predict_proba(X) == threads.predict_proba(X)).all()


@pytest.mark.parametrize("depth", [1, 2])
def test_gini_trees_are_those_of_scikit_learn(depth):
    """A round with scikit-learn's tree per class, and one of ours, leave the same numbers behind."""
    X, Y = make_data(TREE, n_samples=120)
    ours = HAdaBoostMH(hierarchy=TREE, n_estimators=6, criterion="gini", max_depth=depth, max_bins=None).fit(X, Y)
    tree = DecisionTreeClassifier(max_depth=depth)
    theirs = HAdaBoostMH(hierarchy=TREE, n_estimators=6, estimator=tree, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.edges_, theirs.edges_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("votes", ["discrete", "real"])
def test_any_classifier_with_weights_will_do(votes):
    X, Y = make_paths()
    make = lambda n_jobs: HAdaBoostMH(  # noqa: E731
        hierarchy=TREE, estimator=LogisticRegression(C=0.01), votes=votes, n_estimators=3, n_jobs=n_jobs
    )
    learner = make(None).fit(X, Y)
    assert learner.score(X, Y) > 0.6
    assert (learner.predict_proba(X) == make(2).fit(X, Y).predict_proba(X)).all()
    weak = DecisionTreeClassifier(max_depth=2, max_features=1)
    same = [HAdaBoostMH(weak, hierarchy=TREE, n_estimators=3, random_state=0) for _ in range(2)]
    two = [learner.fit(X, Y).predict_proba(X) for learner in same]
    assert (two[0] == two[1]).all()


@pytest.mark.parametrize("labels", ["independent", "joint"])
def test_missing_values_have_a_side(labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[:50, 0] = np.nan
    Y = np.arange(100)[:, None] < 50  # missing is all there is to know
    learner = AdaBoostMH(n_estimators=5, labels=labels, single_path=False).fit(X, Y)
    assert learner.score(X, Y) == 1.0
    assert learner.n_estimators_ == 1


def test_missing_only_later_goes_with_most_rows():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    learner = AdaBoostMH(n_estimators=1, max_depth=1, single_path=False).fit(X, [[1], [0], [0], [0]])
    assert not learner.predict([[np.nan]])[0, 0]
    learner.fit(X, [[1], [1], [1], [0]])
    assert learner.predict([[np.nan]])[0, 0]


def test_single_paths_are_noticed():
    X, Y = make_paths()
    assert HAdaBoostMH(hierarchy=TREE, n_estimators=3).fit(X, Y).single_path_
    found = HAdaBoostMH(hierarchy=TREE, n_estimators=3).fit(X, Y).predict(X)
    assert (found[:, TREE.leaves].sum(axis=1) == 1).all()
    X, Y = make_data(TREE)
    assert not HAdaBoostMH(hierarchy=TREE, n_estimators=3).fit(X, Y).single_path_


def test_generated_dag_data():
    ds = make_hmc(n_samples=200, n_features=10, n_nodes=30, random_state=0)
    X, Y, h = ds.train.X, ds.train.y, ds.hierarchy
    learner = HAdaBoostMH(hierarchy=h, n_estimators=40).fit(X, Y)
    before = hierarchical_hamming_loss(Y, np.zeros_like(Y), h)
    assert learner.training_loss_[-1] < before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraint": "sometimes"}, "constraint must be one of 'predict', 'train', 'both'; got 'sometimes'"),
        ({"votes": "loud"}, "votes must be one of"),
        ({"criterion": "entropy"}, "criterion must be one of"),
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1"),
        ({"learning_rate": 0.0}, "learning_rate must be a number greater than 0"),
        ({"max_depth": 8}, "max_depth must be an integer from 1 to 7"),
        ({"max_bins": 1}, "max_bins must be None or an integer >= 2"),
        ({"single_path": "maybe"}, "single_path must be one of"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be"),
        ({"estimator": "tree"}, "estimator must be 'stump' or a scikit-learn classifier"),
    ],
)
def test_errors_name_the_parameter(options, message):
    X, Y = make_data(TREE)
    with pytest.raises(ValueError, match=message):
        HAdaBoostMH(hierarchy=TREE, **options).fit(X, Y)


def test_weak_learners_must_fit_in():
    X, Y = make_data(TREE)
    with pytest.raises(TypeError, match="KNeighborsClassifier does not take sample_weight"):
        HAdaBoostMH(hierarchy=TREE, estimator=KNeighborsClassifier()).fit(X, Y)
    with pytest.raises(TypeError, match="Perceptron has no predict_proba"):
        HAdaBoostMH(hierarchy=TREE, estimator=Perceptron(), votes="real").fit(X, Y)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        HAdaBoostMH(hierarchy=TREE).fit(X, Y)
