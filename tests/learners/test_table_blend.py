"""TableBlend: what is tried follows from sizes, what helps on held-out rows counts, and nothing depends on workers."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters.capabilities import ask
from truepath.adapters.cost import TableShape, check_budget
from truepath.combiners import FAELBlend
from truepath.data import make_hmc
from truepath.learners import PCTForest, SparseLinear, Stack, TableBlend, table_blend
from truepath.learners.table_blend import MEMBERS, NETWORKS, count_features, plan_blend
from truepath.metrics import auprc
from truepath.persistence import load, save


@pytest.fixture(scope="module")
def data():
    return make_hmc(n_samples=160, n_features=8, random_state=0)


def parts(data):
    ds = data.merge().split((0.7, 0.3), random_state=0)
    return ds.train, ds.test


@pytest.fixture(scope="module")
def fitted(data):
    train, _ = parts(data)
    return TableBlend(hierarchy=data.hierarchy, keep_held_out=True).fit(train.X, train.y)


@pytest.mark.parametrize(
    ("shape", "budget", "names", "with_fael"),
    [
        (TableShape(2500, 80, 500, 22_000), 90, 5, True),
        (TableShape(2500, 550, 500, 22_000), 90, 5, True),
        (TableShape(2500, 80, 4100, 86_000), 90, 5, True),
        (TableShape(10_000, 80, 96, 30_000), 90, 2, False),
        (TableShape(30, 5, 10, 60), 90, 5, False),
        (TableShape(2500, 80, 500, 22_000), 0.001, 1, False),
    ],
)
def test_what_is_tried_follows_from_sizes(shape, budget, names, with_fael):
    chosen, fael = plan_blend(shape, budget)
    assert len(chosen) == names  # no network within seconds
    assert fael is with_fael
    assert chosen[0] == "forest"


@pytest.mark.parametrize(
    ("n_rows", "budget", "has_missing", "names", "with_fael"),
    [
        (500, 90, False, ["linear", "kernel ridge, cosine"], True),
        (500, 90, True, ["forest", "extra trees"], True),
        (8000, 90, False, ["linear", "kernel ridge, cosine"], True),
        (100_000, 90, False, ["linear"], False),
        (500, 120, False, ["linear", "kernel ridge, cosine", "forest", "extra trees"], True),
    ],
)
def test_words_are_tried_with_linear_models(n_rows, budget, has_missing, names, with_fael):
    shape = TableShape(n_rows, 4000, 20, 3 * n_rows, True, has_missing)
    assert plan_blend(shape, budget, with_network=False) == (names, with_fael)


@pytest.mark.parametrize(
    ("n_rows", "n_labels", "first"),
    [(2000, 90, ["kernel ridge, rbf", "linear", "forest"]), (40_000, 2000, ["boosted trees", "kernel ridge, rbf"])],
)
def test_embeddings_are_tried_with_the_quicker_of_linear_models_and_a_kernel(n_rows, n_labels, first):
    shape = TableShape(n_rows, 384, n_labels, 8 * n_rows, is_embedding=True)
    assert plan_blend(shape, 90, with_network=False)[0][:3] == first


def test_embeddings_are_blended_and_may_lack_values_later():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 64)).astype(np.float32)
    y = X[:, :3] > 0
    model = TableBlend(members=["linear", "kernel ridge, rbf"]).fit(X, y)
    assert model.stack_.learners_[0][-1].n_features_in_ == 64
    X[3, :5] = np.nan
    S = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X[3:5]), S[3:5])
    scaled = model.stack_.learners_[0].predict_proba(7 * X)
    np.testing.assert_allclose(scaled[4:], model.stack_.learners_[0].predict_proba(X)[4:], atol=1e-6)


def test_float32_or_rows_of_length_one_of_many_columns_are_embeddings(data):
    train, _ = parts(data)
    wide = np.nan_to_num(np.hstack([train.X] * 9)).astype(np.float64) + 0.1
    unit = np.round(wide / np.linalg.norm(wide, axis=1, keepdims=True), 5)
    tried = {
        kind: [one.name for one in TableBlend(hierarchy=data.hierarchy).fit(X, train.y).tried_]
        for kind, X in (("double", wide), ("single", wide.astype(np.float32)), ("unit", unit))
    }
    assert "linear" in tried["single"]
    assert "linear" in tried["unit"]
    assert "linear" not in tried["double"]


@pytest.mark.parametrize("has_missing", [False, True])
def test_sparse_rows_are_blended(has_missing):
    rng = np.random.default_rng(0)
    X = sparse.random_array((120, 300), density=0.03, rng=rng, format="csr")
    y = np.asarray((X[:, :4] != 0).toarray())
    y[:, 0] |= y[:, 1]
    h = Hierarchy.from_edges([("n0", "n1"), (None, "n2"), (None, "n3")])
    y = y[:, [int(name[1]) for name in h.names]]
    if has_missing:
        X.data[::50] = np.nan
    model = TableBlend(hierarchy=h).fit(X, y)
    tried = [one.name for one in model.tried_]
    assert tried[:2] == (["forest", "extra trees"] if has_missing else ["linear", "kernel ridge, cosine"])
    S = model.predict_proba(X)
    assert h.is_coherent(S)
    np.testing.assert_array_equal(model.predict_proba(X[7:9]), S[7:9])


@pytest.mark.parametrize("n_rows", [10, 100, 1000])
def test_networks_are_for_minutes(n_rows):
    chosen, _ = plan_blend(TableShape(n_rows, 5, 10, 2 * n_rows), check_budget("seconds"))
    assert not set(chosen) & set(NETWORKS)


@pytest.mark.parametrize(
    ("n_labels", "budget", "names"),
    [
        (500, 600, NETWORKS[:2]),
        (500, 900, NETWORKS),
        (4100, 1400, NETWORKS[:2]),
        (4100, 3600, NETWORKS),
        (500, 100, ()),
    ],
)
def test_more_networks_are_tried_within_more_time(n_labels, budget, names, monkeypatch):
    monkeypatch.setattr(table_blend, "has_torch", lambda: True)
    shape = TableShape(2476, 77, n_labels, 22_000)
    assert tuple(name for name in plan_blend(shape, budget)[0] if name in NETWORKS) == names
    without, _ = plan_blend(shape, budget, with_network=False)
    assert not set(without) & set(NETWORKS)


def test_networks_differ_in_width_and_inputs():
    usual, wide, piecewise = (MEMBERS[name].make(TableShape(10, 2, 3, 9), 0) for name in NETWORKS)
    assert [usual.hidden_layer_sizes[0], wide.hidden_layer_sizes[0]] == [512, 1024]
    assert [usual.n_pieces, piecewise.n_pieces] == [None, 8]


def test_more_time_never_tries_less():
    shape = TableShape(4000, 300, 800, 40_000)
    sizes = [len(plan_blend(shape, budget)[0]) for budget in (1, 10, 30, 60, 120, 600)]
    assert sizes == sorted(sizes)


def test_wide_tables_get_fewer_features_per_node():
    tried = [count_features(TableShape(100, width, 5, 500)) for width in (1, 30, 300, 30_000)]
    assert tried == [1, 10, 64, 173]


def test_it_is_no_worse_than_its_members_on_held_out_rows(data, fitted):
    best = max(one.score for one in fitted.tried_)
    train, _ = parts(data)
    assert auprc(train.y, fitted.held_out_scores_) >= best - 0.005
    assert sum(one.weight for one in fitted.tried_) == pytest.approx(1)


def test_the_time_of_every_member_is_listed(fitted):
    names = [one.name for one in fitted.tried_]
    assert names[-2:] == ["linear FAEL", "kernel FAEL"]
    assert all(one.seconds > 0 for one in fitted.tried_)


def test_members_that_count_nothing_are_dropped_and_scores_stay(data, fitted, tmp_path):
    train, test = parts(data)
    smaller = TableBlend(hierarchy=data.hierarchy).fit(train.X, train.y)
    S, counting = fitted.predict_proba(test.X), fitted.stack_.combiner_.source_weights().any(axis=0)
    assert smaller.stack_.kept_ == np.flatnonzero(counting).tolist()
    assert len(smaller.stack_.learners_) < len(fitted.stack_.learners_)
    assert [one.name for one in smaller.tried_] == [one.name for one in fitted.tried_]
    np.testing.assert_array_equal(smaller.predict_proba(test.X), S)
    nodes = np.arange(data.hierarchy.n_nodes)
    told = smaller.contributions(test.X[:1], nodes)
    np.testing.assert_allclose(told.output, S[0], atol=1e-7)
    save(smaller, tmp_path / "smaller.tpm")
    save(fitted, tmp_path / "whole.tpm")
    assert (tmp_path / "smaller.tpm").stat().st_size < (tmp_path / "whole.tpm").stat().st_size
    np.testing.assert_array_equal(load(tmp_path / "smaller.tpm").predict_proba(test.X), S)
    diff = data.hierarchy.edit().rename(data.hierarchy.names[0], "another").diff()
    updated = [one.update(diff, train.X, diff.transfer(train.y)).predict_proba(test.X) for one in (smaller, fitted)]
    np.testing.assert_array_equal(*updated)


@pytest.mark.parametrize(
    ("shape", "budget", "tried"),
    [
        (TableShape(2500, 80, 500, 22_000), 600, True),
        (TableShape(2500, 80, 500, 22_000), 90, False),  # a person waits
        (TableShape(300, 80, 500, 2_000), 600, False),
        (TableShape(9000, 80, 3000, 60_000), 6000, False),  # too many scores for folds
        (TableShape(2500, 80, 500, 22_000, is_sparse=True), 600, False),
    ],
)
def test_smaller_tables_get_boosted_trees_within_minutes(shape, budget, tried):
    assert ("boosted trees" in plan_blend(shape, budget, with_network=False)[0]) == tried


def test_boosted_trees_score_every_row_of_a_small_table(data, monkeypatch):
    monkeypatch.setattr(table_blend, "ROUNDS_OF_SMALL_TABLE", 30)
    train, _ = parts(data)
    model = TableBlend(members=["forest", "boosted trees"], hierarchy=data.hierarchy, keep_held_out=True)
    model.fit(train.X, train.y)
    assert np.isfinite(model.held_out_scores_).all()
    assert [one.name for one in model.tried_] == ["forest", "boosted trees", "linear FAEL", "kernel FAEL"]


def test_other_rows_do_not_matter(data, fitted):
    _, test = parts(data)
    S = fitted.predict_proba(test.X)
    assert data.hierarchy.is_coherent(S)
    assert np.array_equal(S[:3], fitted.predict_proba(test.X[:3]))


def test_workers_do_not_matter(data, fitted):
    train, test = parts(data)
    S = fitted.predict_proba(test.X)
    with parallel_config("threading"):
        other = TableBlend(hierarchy=data.hierarchy, n_jobs=2).fit(train.X, train.y)
    assert np.array_equal(S, other.predict_proba(test.X))


def test_sparse_rows_are_compared_as_they_are_if_little_is_set(data):
    train, test = parts(data)
    few = sparse.csr_array(np.where(np.abs(train.X) > np.quantile(np.abs(train.X), 0.95), train.X, 0))
    model = TableBlend(members=["forest", "kernel ridge, cosine"], hierarchy=data.hierarchy).fit(few, train.y)
    assert not model.is_dense_
    assert np.array_equal(model.predict_proba(test.X), model.predict_proba(sparse.csr_array(test.X)))


def test_the_classifier_hands_its_budget_on_and_lists_what_was_tried(data):
    train, _ = parts(data)
    model = HierarchicalClassifier(hierarchy=data.hierarchy, budget=0.001).fit(train.X, train.y)
    assert [tried.name for tried in model.tried_] == ["forest"]
    assert model.tried_[0].weight == 1
    assert 0 < model.tried_[0].score < 1


@pytest.mark.parametrize("budget", ["hours", 0, -1.0, True])
def test_a_wrong_budget_is_named(budget, data):
    with pytest.raises(ValueError, match="budget must be one of 'seconds', 'minutes' or a number"):
        check_budget(budget)
    with pytest.raises(ValueError, match="budget"):
        HierarchicalClassifier(budget=budget).fit([[0.0], [1.0]], [["a"], ["b"]])


def test_unknown_members_are_named(data):
    train, _ = parts(data)
    with pytest.raises(ValueError, match="members must be some of 'linear'"):
        TableBlend(members=["bush"], hierarchy=data.hierarchy).fit(train.X, train.y)
    assert "forest" in MEMBERS


@pytest.mark.parametrize("n_rows", [300, 3000, 30_000])
def test_every_member_says_what_it_costs_and_wrappers_add_up(n_rows):
    shape = TableShape(n_rows, 80, 500, 9 * n_rows)
    learners = [MEMBERS[name].make(shape, 0) for name in MEMBERS]
    costs = [ask(learner, "cost").member.fit_seconds(shape) for learner in learners]
    assert all(0 < cost < np.inf for cost in costs)
    more = TableShape(2 * n_rows, 80, 500, 18 * n_rows)
    assert all(ask(learner, "cost").member.fit_seconds(more) > cost for learner, cost in zip(learners, costs))
    linear, forest = SparseLinear(), PCTForest()
    both = Stack([linear, ("forest", forest)], combiner=FAELBlend()).fit_seconds(shape)
    by_hand = 6 * linear.fit_seconds(shape) + forest.fit_seconds(shape) + FAELBlend().fit_seconds(shape, 2)
    assert both == pytest.approx(by_hand)
    assert FAELBlend().fit_seconds(shape, 3) > FAELBlend().fit_seconds(shape, 2)
    assert TableBlend(90).fit_seconds(shape) <= 90 or len(plan_blend(shape, 90)[0]) == 1


def test_a_learner_of_others_with_a_budget_gets_that_of_the_classifier(data):
    class Patient(PCTForest):
        name = ""

        def __init__(self, budget=None, hierarchy=None, n_jobs=None):
            super().__init__(n_estimators=2, hierarchy=hierarchy, n_jobs=n_jobs)
            self.budget = budget

    train, _ = parts(data)
    model = HierarchicalClassifier(make_pipeline(StandardScaler(), Patient()), hierarchy=data.hierarchy, budget=7)
    assert model.fit(train.X, train.y).learner_[-1].budget == 7
    with pytest.raises(ValueError, match="budget must be"):
        HierarchicalClassifier(PCTForest(), hierarchy=data.hierarchy, budget="hours").fit(train.X, train.y)
