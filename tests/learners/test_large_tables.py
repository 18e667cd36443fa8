"""The default on large tables: boosted trees among its members, with all that a default model can do."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

from truepath import HierarchicalClassifier
from truepath.adapters.cost import TableShape
from truepath.data import make_hmc
from truepath.errors import TruePathError
from truepath.learners import BoostedTrees, TableBlend, table_blend
from truepath.learners.boosted import training
from truepath.learners.table_blend import MEMBERS, plan_blend
from truepath.metrics import auprc

LARGE = TableShape(60_000, 200, 1200, 500_000)


MEMBERS_TRIED = ["boosted trees", "kernel ridge, rbf"]


@pytest.fixture
def few_rounds(monkeypatch):
    """Few rounds, and tables that are large from a hundred rows on."""
    monkeypatch.setattr(table_blend, "MOST_ROUNDS", 20)
    monkeypatch.setattr(table_blend, "MOST_EXACT_ROWS", 100)


@pytest.fixture(scope="module")
def data():
    return make_hmc(n_samples=400, n_features=8, random_state=0).merge().split((0.7, 0.3), random_state=0)


@pytest.mark.parametrize(
    ("shape", "budget", "names"),
    [
        (TableShape(12_000, 80, 96, 36_000), 90, ["boosted trees", "kernel ridge, rbf", "forest"]),
        (TableShape(74_000, 256, 2055, 600_000), 90, ["boosted trees", "kernel ridge, rbf"]),
        (TableShape(300_000, 100, 300, 2_700_000), 90, ["boosted trees"]),
        (TableShape(1_000_000, 100, 300, 9_000_000), 600, ["boosted trees"]),
        (TableShape(100_000, 50, 3000, 300_000), 600, ["boosted trees"]),  # many scores to hold
    ],
)
def test_large_tables_get_boosted_trees(shape, budget, names):
    assert plan_blend(shape, budget, with_network=False) == (names, False)


@pytest.mark.parametrize("n_rows", [20_000, 200_000, 2_000_000, 50_000_000])
@pytest.mark.parametrize("n_labels", [3, 300, 10_000])
def test_they_keep_to_the_budget_whatever_the_size(n_rows, n_labels):
    shape = TableShape(n_rows, 50, n_labels, 5 * n_rows)
    for budget in (90, 600):
        binned = BoostedTrees()._bin_seconds(shape)
        assert TableBlend(budget).fit_seconds(shape) <= max(budget, binned) * 1.1
        learner = MEMBERS["boosted trees"].make(shape, 0).within(budget, shape)
        assert learner.max_iter >= 100
        assert min(n_rows, learner.max_rows or n_rows) * n_labels <= 1_000_000_000


def test_more_time_means_more_rounds_and_more_rows():
    learner, huge = MEMBERS["boosted trees"].make(LARGE, 0), LARGE._replace(n_rows=3_000_000)
    rounds = [learner.within(seconds, LARGE).max_iter for seconds in (50, 100, 200, 1e6)]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] == learner.max_iter
    rows = [learner.within(seconds, huge).max_rows for seconds in (0, 60, 200)]
    assert rows == sorted(set(rows))


@pytest.mark.usefixtures("few_rounds")
def test_they_are_blended_by_rows_that_they_left_out(data):
    train, test, h = data.train, data.test, data.hierarchy
    model = TableBlend(members=MEMBERS_TRIED, hierarchy=h, keep_held_out=True).fit(train.X, train.y)
    assert [one.name for one in model.tried_][:2] == MEMBERS_TRIED
    assert sum(one.weight for one in model.tried_) == pytest.approx(1)
    known = np.isfinite(model.held_out_scores_[:, 0])
    assert 0 < known.sum() <= 0.2 * len(train.X)
    best = max(auprc(train.y[known], S[np.isfinite(S[:, 0])]) for S in model.stack_.member_scores_)
    assert auprc(train.y[known], model.held_out_scores_[known]) >= best - 0.05
    assert h.is_coherent(model.predict_proba(test.X))


@pytest.mark.usefixtures("few_rounds")
def test_everything_a_default_model_does(data, tmp_path):
    train, test, h = data.train, data.test, data.hierarchy
    X = np.array(train.X)
    X[::9, 2] = np.nan
    model = HierarchicalClassifier(TableBlend(members=MEMBERS_TRIED), hierarchy=h).fit(X, train.y)
    assert model.tried_[0].name == "boosted trees"
    assert model.n_held_out_ > 0
    S = model.predict_proba(test.X)
    model.save(tmp_path / "model.tpm")
    np.testing.assert_array_equal(HierarchicalClassifier.load(tmp_path / "model.tpm").predict_proba(test.X), S)
    nodes = np.arange(h.n_nodes)
    np.testing.assert_allclose(model.contributions(test.X[:1], nodes).output, S[0], atol=1e-7)
    diff = h.edit().rename(h.names[0], "another").diff()
    updated = model.update(diff, X, diff.transfer(train.y)).predict_proba(test.X)
    np.testing.assert_allclose(updated[:, diff.new.index("another")], S[:, 0], atol=1e-6)


@pytest.mark.usefixtures("few_rounds")
def test_the_scores_of_a_file_are_those_of_the_model(data):
    pytest.importorskip("onnx", reason="onnx is not installed")
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from truepath.export import to_onnx

    train, test, h = data.train, data.test, data.hierarchy
    model = HierarchicalClassifier(TableBlend(members=MEMBERS_TRIED), hierarchy=h).fit(train.X, train.y)
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
    (scores,) = session.run(["scores"], {"features": np.asarray(test.X, float)})
    np.testing.assert_allclose(scores, model.predict_proba(test.X), atol=1e-7)


@pytest.mark.usefixtures("few_rounds")
def test_groups_weights_and_workers(data):
    train, test, h = data.train, data.test, data.hierarchy
    groups, weight = np.arange(len(train.X)) // 4, np.ones(len(train.X))
    weight[:20] = 0
    blends = [TableBlend(members=MEMBERS_TRIED, hierarchy=h, n_jobs=n_jobs) for n_jobs in (1, 2)]
    with parallel_config("threading"):
        fits = [blend.fit(train.X, train.y, weight, groups=groups) for blend in blends]
    one, other = (model.predict_proba(test.X) for model in fits)
    np.testing.assert_array_equal(one, other)


def test_held_out_scores_are_those_of_the_rows_left_out(data):
    train, h = data.train, data.hierarchy
    options = {"hierarchy": h, "max_iter": 20, "n_iter_no_change": 20, "validation_fraction": 0.2}
    learner = BoostedTrees(**options)
    S = learner.fit_held_out(train.X, train.y)
    left_out = np.isfinite(S[:, 0])
    assert 0.1 < left_out.mean() < 0.3
    np.testing.assert_allclose(S[left_out], learner.predict_proba(train.X)[left_out], rtol=1e-6)
    other = np.array(train.X)
    other[left_out] = 9.0
    changed = BoostedTrees(**options).fit(other, train.y)
    np.testing.assert_array_equal(changed.predict_proba(train.X), learner.predict_proba(train.X))


def test_a_second_fit_learns_from_the_rows_left_out(data):
    train, test, h = data.train, data.test, data.hierarchy
    options = {"hierarchy": h, "max_iter": 40, "learning_rate": 0.5, "n_iter_no_change": 20}
    once, again = (BoostedTrees(refit=refit, **options).fit(train.X, train.y) for refit in (False, True))
    assert once.n_iter_ == again.n_iter_ == len(again.trees_)
    whole = BoostedTrees(hierarchy=h, max_iter=once.n_iter_, learning_rate=0.5).fit(train.X, train.y)
    np.testing.assert_array_equal(again.predict_proba(test.X), whole.predict_proba(test.X))
    left_out = BoostedTrees(refit=True, **options).fit_held_out(train.X, train.y)
    np.testing.assert_array_equal(left_out, BoostedTrees(**options).fit_held_out(train.X, train.y))
    assert again.fit_seconds(LARGE) == 2 * once.fit_seconds(LARGE)
    diff = h.edit().rename(h.names[0], "another").diff()
    updated = again.update(diff, train.X, diff.transfer(train.y)).predict_proba(test.X)
    order = [diff.origin.tolist().index(v) for v in range(h.n_nodes)]
    np.testing.assert_allclose(updated[:, order], again.predict_proba(test.X), atol=1e-5)


def test_no_more_rows_than_asked_are_learned_from(data, monkeypatch):
    train, test, h = data.train, data.test, data.hierarchy
    seen, grow = [], training._grow
    monkeypatch.setattr(training, "_grow", lambda given, *others: seen.append(given.n_rows) or grow(given, *others))
    options = {"hierarchy": h, "max_iter": 5, "max_rows": 100}
    first = BoostedTrees(**options).fit(train.X, train.y)
    BoostedTrees(n_iter_no_change=5, **options).fit(train.X, train.y)
    assert seen == [100, 100]
    diff = h.edit().rename(h.names[0], "another").diff()
    updated = first.update(diff, train.X, diff.transfer(train.y))
    order = [diff.origin.tolist().index(v) for v in range(h.n_nodes)]
    np.testing.assert_allclose(updated.predict_proba(test.X)[:, order], first.predict_proba(test.X), atol=1e-5)


def test_a_matrix_of_scores_that_does_not_fit_is_refused_before_the_fit(data, monkeypatch):
    train, h = data.train, data.hierarchy
    monkeypatch.setattr(training.os, "sysconf", lambda name: 100)
    learner = BoostedTrees(hierarchy=h, max_rows=10, max_iter=1)
    learner.fit(train.X, train.y)
    with pytest.raises(TruePathError, match="this machine has"):
        learner.fit_held_out(train.X, train.y)
