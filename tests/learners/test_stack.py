"""Stack: out-of-fold honesty, score matrices from elsewhere, and the same bits for any n_jobs."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import PredefinedSplit

from truepath import HierarchicalClassifier, Hierarchy
from truepath.combiners import FAEL, Blend, FAELBlend, GreedyBlend, HierarchicalFAEL, MaxUp
from truepath.decoders import SingleThreshold
from truepath.learners import MultiLabelKernelRidge, PCTForest, Stack
from truepath.resampling import deal_folds, split_folds

TOY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


class Linear(BaseEstimator):
    """Least squares on the labels: the smallest learner that scores nodes."""

    def __init__(self, power=1, hierarchy=None):
        self.power = power
        self.hierarchy = hierarchy

    def fit(self, X, Y, sample_weight=None):
        Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
        root = np.sqrt(np.ones(len(X)) if sample_weight is None else sample_weight)[:, None]
        self.coef_ = np.linalg.lstsq(root * self._features(X), root * Y.astype(float), rcond=None)[0]
        return self

    def _features(self, X):
        return np.column_stack([np.ones(len(X)), np.asarray(X) ** self.power])

    def predict_proba(self, X):
        return np.clip(self._features(X) @ self.coef_, 0, 1)


class Memory(BaseEstimator):
    """Remembers its training rows perfectly and knows nothing else."""

    def fit(self, X, Y):
        Y = Y.toarray() if sparse.issparse(Y) else Y
        self.seen_ = {tuple(x): y for x, y in zip(X, Y.astype(float))}
        return self

    def predict_proba(self, X):
        return np.array([self.seen_.get(tuple(x), np.zeros(5)) for x in X])


FITTED = []


class Noted(Linear):
    """Writes down when it is fitted."""

    def fit(self, X, Y, sample_weight=None):
        FITTED.append(self.power)
        return super().fit(X, Y, sample_weight)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = TOY.close(X @ rng.normal(size=(4, 5)) > 1.0)
    return X, Y


def out_of_fold(learner, X, Y, n_folds=5):
    S = np.empty(Y.shape)
    for train, held_out in split_folds(deal_folds(Y, n_folds)):
        S[held_out] = clone(learner).fit(X[train], Y[train]).predict_proba(X[held_out])
    return S


@pytest.mark.parametrize("combiner", [Blend(), FAEL(0.5), HierarchicalFAEL(), None])
def test_stack_is_the_combiner_on_out_of_fold_scores(rows, combiner):
    X, Y = rows
    learners = [Linear(), ("squares", Linear(2))]
    stack = Stack(learners, combiner=combiner, hierarchy=TOY).fit(X, Y)
    expected = clone(combiner or HierarchicalFAEL("gcv")).set_params(hierarchy=TOY)
    expected.fit([out_of_fold(Linear(power), X, Y) for power in (1, 2)], Y)
    new = [Linear(power).fit(X, Y).predict_proba(X) for power in (1, 2)]
    np.testing.assert_allclose(stack.predict_proba(X), expected.transform(new), atol=1e-10)
    assert TOY.is_closed(stack.predict(X))
    assert all(learner.hierarchy is TOY for learner in stack.learners_)


def test_a_learner_that_only_remembers_gets_no_weight(rows):
    X, Y = rows
    stack = Stack([Memory(), Linear()], combiner=Blend(), hierarchy=TOY).fit(X, Y)
    assert stack.combiner_.weights_[0, 0] == 0
    assert stack.combiner_.weights_[0, 1] > 0.5


def test_scores_from_elsewhere(rows):
    X, Y = rows
    S = np.clip(Y * 0.7 + 0.1, 0, 1)
    both = Stack([Linear()], combiner=Blend(), hierarchy=TOY).fit(X, Y, scores=[S])
    assert both.combiner_.weights_.shape == (1, 2)
    assert both.predict_proba(X, scores=[S]).shape == Y.shape
    alone = Stack([], combiner=FAEL(), hierarchy=TOY).fit(X, Y, scores=[S])
    np.testing.assert_allclose(
        alone.predict_proba(X, scores=[S]), FAEL(hierarchy=TOY).fit(S, Y).transform(S), atol=1e-12
    )
    with pytest.raises(ValueError, match="scores holds 0 matrices but fit was given 1"):
        both.predict_proba(X)


def test_same_bits_for_any_n_jobs_and_weights_reach_learners(rows):
    X, Y = rows
    weight = np.random.default_rng(1).random(len(X))
    with parallel_config(backend="threading"):  # the learners above cannot be imported by another process
        one, two = (
            Stack([Linear(), Linear(3)], combiner=Blend("level"), n_jobs=n, hierarchy=TOY)
            .fit(X, sparse.csr_array(Y), weight)
            .predict_proba(X)
            for n in (1, 2)
        )
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(
        one, Stack([Linear(), Linear(3)], combiner=Blend("level"), hierarchy=TOY).fit(X, Y).predict_proba(X)
    )


def test_what_cannot_be_stacked_is_refused(rows):
    X, Y = rows
    with pytest.raises(ValueError, match="nothing to combine"):
        Stack([], hierarchy=TOY).fit(X, Y)
    with pytest.raises(ValueError, match="combiner MaxUp takes one score matrix, not 2"):
        Stack([Linear(), Linear(2)], combiner=MaxUp(), hierarchy=TOY).fit(X, Y)
    with pytest.raises(ValueError, match=r"Wide.predict_proba returned the shape \(12, 7\)"):
        Stack([Wide()], hierarchy=TOY).fit(X, Y)


def test_a_validation_part_fits_the_combiner(rows):
    X, Y = rows
    stack = Stack([Linear()], combiner=FAEL(), cv=PredefinedSplit([0] * 30 + [-1] * 30), hierarchy=TOY).fit(X, Y)
    S = Linear().fit(X[30:], Y[30:]).predict_proba(X[:30])
    by_hand = FAEL(hierarchy=TOY).fit(S, Y[:30])
    new = stack.learners_[0].predict_proba(X)
    np.testing.assert_allclose(stack.predict_proba(X), by_hand.transform(new), atol=1e-12)


def test_learners_that_count_nothing_can_be_dropped(rows):
    X, Y = rows
    nothing = np.zeros(Y.shape)
    learners = [PCTForest(n_estimators=30, random_state=0), Linear(), MultiLabelKernelRidge(gamma=1.0, alpha=0.5)]
    stack = Stack(learners, combiner=GreedyBlend(max_loss=0.5), hierarchy=TOY).fit(X, Y, scores=[nothing])
    S, weights = stack.predict_proba(X, scores=[nothing]), stack.combiner_.weights_[0]
    counting = np.flatnonzero(weights[:3]).tolist()
    assert len(counting) == 1
    assert stack.drop_idle().kept_ == counting
    assert [len(each) for each in (stack.learners_, stack.areas_, stack.seconds_)] == [1, 1, 1]
    np.testing.assert_array_equal(stack.predict_proba(X, scores=[nothing]), S)
    all_count = Stack(learners, combiner=HierarchicalFAEL(1.0), hierarchy=TOY).fit(X, Y)
    assert len(all_count.drop_idle().learners_) == 3


def test_learners_that_score_rows_they_did_not_see_are_fitted_once(rows):
    X, Y = rows
    forest = PCTForest(n_estimators=30, hierarchy=TOY, random_state=0)
    kernel = MultiLabelKernelRidge(gamma=1.0, alpha=0.5, hierarchy=TOY)
    stack = Stack([forest, kernel], combiner=GreedyBlend(), keep_held_out=True, hierarchy=TOY).fit(X, Y)
    whole, alone = clone(forest), clone(kernel)
    members = [whole.fit_held_out(X, Y), alone.fit_held_out(X, Y)]
    by_hand = GreedyBlend(hierarchy=TOY).fit(members, Y)
    np.testing.assert_array_equal(stack.combiner_.weights_, by_hand.weights_)
    np.testing.assert_array_equal(stack.learners_[0].predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(stack.member_scores_, members)
    assert stack.held_out_scores_.shape == Y.shape
    assert TOY.is_coherent(stack.held_out_scores_)


def test_held_out_scores_of_a_stack_serve_the_decoder(rows):
    X, Y = rows
    stack = Stack([PCTForest(n_estimators=30, random_state=0), MultiLabelKernelRidge()], combiner=FAELBlend())
    model = HierarchicalClassifier(stack, hierarchy=TOY).fit(X, Y)
    held_out = clone(stack).set_params(hierarchy=TOY).fit_held_out(X, Y)
    by_hand = SingleThreshold(hierarchy=TOY).fit(held_out, Y)
    assert model.decoder_.threshold_ == by_hand.threshold_
    assert model.n_held_out_ == len(X)


class Wide(Linear):
    def predict_proba(self, X):
        return np.zeros((len(X), 7))


# ------------------------------------------------------------------------------------------------------- Blend


def test_blend_weights_minimise_the_squared_error_over_what_is_not_negative():
    rng = np.random.default_rng(2)
    Y = TOY.close(rng.random((50, 5)) < 0.3)
    S = [np.clip(Y * rng.random() + rng.random(Y.shape), 0, 1) for _ in range(3)]
    for groups, columns in (
        ("global", [slice(None)]),
        ("level", [[0, 3], [1, 2, 4]]),
        (np.array([7, 7, 3, 3, 3]), [[2, 3, 4], [0, 1]]),
    ):
        blend = Blend(groups, hierarchy=TOY).fit(S, sparse.csr_array(Y))
        for w, block in zip(blend.weights_, columns):
            A = np.column_stack([part[:, block].ravel() for part in S])
            gradient = A.T @ (A @ w - Y[:, block].ravel())
            assert (w >= 0).all()
            assert (gradient >= -1e-8).all()  # no coordinate wants to grow,
            np.testing.assert_allclose(gradient * w, 0, atol=1e-8)  # and none in use wants to move
    assert Blend("node", hierarchy=TOY).fit(S, Y).weights_.shape == (5, 3)
    for groups in ("leaf", [0, 1], [0.5] * 5):
        with pytest.raises(ValueError, match="groups must"):
            Blend(groups, hierarchy=TOY).fit(S, Y)
    with pytest.raises(ValueError, match="2 score matrices but fit was given 3"):
        blend.transform(S[:2])


def test_the_last_learner_is_fitted_on_all_rows_first_and_all_stay_in_place(rows):
    FITTED.clear()
    X, Y = rows
    stack = Stack([Noted(1), Noted(2), Noted(3)], cv=2, combiner=GreedyBlend(), hierarchy=TOY).fit(X, Y)
    assert FITTED[-3:] == [3, 2, 1]
    assert [learner.power for learner in stack.learners_] == [1, 2, 3]
    assert len(stack.seconds_) == len(stack.areas_) == 3


class Failing(Linear):
    """Learns once, or never."""

    def __init__(self, fails="always", hierarchy=None):
        super().__init__(1, hierarchy)
        self.fails = fails

    def fit(self, X, Y, sample_weight=None):
        if self.fails == "always" or len(X) == N_ROWS:
            raise np.linalg.LinAlgError("no solution")
        return super().fit(X, Y, sample_weight)


N_ROWS = 30


@pytest.fixture
def in_threads():
    with parallel_config("threading"):
        yield


@pytest.mark.parametrize("fails", ["always", "on all rows"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_learner_that_fails_is_left_out_with_a_warning_where_that_is_asked_for(fails, n_jobs, in_threads):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(N_ROWS, 3)), TOY.close(rng.random((N_ROWS, TOY.n_nodes)) < 0.3)
    forest = PCTForest(n_estimators=8, random_state=0)
    options = {"hierarchy": TOY, "combiner": Blend(), "n_jobs": n_jobs}
    members = [("line", Linear()), ("broken", Failing(fails)), ("forest", forest)]
    said = r"'broken' could not be fitted and is left out \(LinAlgError: no solution\)"
    with pytest.warns(RuntimeWarning, match=said):
        stack = Stack(members, on_failure="warn", **options).fit(X, Y)
    other = Stack([members[0], members[2]], **options).fit(X, Y)
    assert stack.kept_ == [0, 2]
    assert len(stack.areas_) == len(stack.seconds_) == len(stack.learners_) == 2
    np.testing.assert_array_equal(stack.predict_proba(X), other.predict_proba(X))
    for broken in (members, [("broken", Failing(fails))]):
        on_failure = "raise" if broken is members else "warn"
        with pytest.raises(np.linalg.LinAlgError, match="no solution"):
            Stack(broken, on_failure=on_failure, **options).fit(X, Y)


def test_the_default_survives_a_member_that_fails(monkeypatch):
    def fail(self, *args, **options):
        raise np.linalg.LinAlgError("no solution")

    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), TOY.close(rng.random((60, TOY.n_nodes)) < 0.3)
    monkeypatch.setattr(MultiLabelKernelRidge, "fit_held_out", fail)
    with pytest.warns(RuntimeWarning) as said:
        model = HierarchicalClassifier(hierarchy=TOY).fit(X, Y)
    assert any("'kernel ridge, rbf' could not be fitted" in str(one.message) for one in said)
    assert not any(one.name.startswith("kernel ridge") for one in model.tried_)
    assert model.predict(X).shape == Y.shape
