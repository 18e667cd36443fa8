"""The leaderboard: both forms of the default on the same fit, and where they stand beside published values."""

import numpy as np
import pytest

from truepath import HierarchicalClassifier
from truepath.data import make_hmc
from truepath.learners import CoherentNetwork, TableBlend, table_blend
from truepath.papers import PAPERS, Comparison
from truepath.papers.leaderboard import paper as leaderboard
from truepath.papers.leaderboard.leave_out import score_without
from truepath.papers.leaderboard.standing import collect_areas, compare_with_published, show_standing


@pytest.fixture(scope="module")
def data():
    return make_hmc(n_samples=90, n_features=6, random_state=0).merge().split((0.7, 0.3), random_state=0)


def test_a_blend_without_its_last_member_is_the_blend_of_the_others(data):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def fit(*members):
        learner = make_pipeline(StandardScaler(), TableBlend(members=members, keep_held_out="learners"))
        return HierarchicalClassifier(learner, hierarchy=data.hierarchy).fit(data.train.X, data.train.y)

    both, alone = fit("kernel ridge, rbf", "kernel ridge, laplacian"), fit("kernel ridge, rbf")
    S = score_without(both, "kernel ridge, laplacian", data.train.y, data.test.X)
    assert np.array_equal(S, alone.predict_proba(data.test.X))
    assert len(both.learner_[-1].stack_.learners_) == 2


@pytest.mark.slow
def test_a_fit_with_networks_gives_the_value_without_them_too(data, monkeypatch):
    pytest.importorskip("torch")
    from dataclasses import replace

    small = replace(
        table_blend.MEMBERS["network"],
        make=lambda shape, seed: CoherentNetwork((8,), 5, max_epochs=2, device="cpu", random_state=seed),
    )
    monkeypatch.setitem(table_blend.MEMBERS, "network", small)
    found = leaderboard.measure_default(data, "train+valid", 0, networks=True)
    without = leaderboard.measure_default(data, "train+valid", 0)
    assert found.area_without_networks == without.area
    assert without.area_without_networks is None
    assert set(found.decisions) == set(without.decisions)


def test_networks_are_listed_where_they_can_be_trained(monkeypatch):
    monkeypatch.setattr(leaderboard, "HAS_TORCH", True)
    keys = [cell.key for cell in leaderboard._cells()]
    assert "enron, train+valid, with networks, seed 2" in keys
    assert len(keys) == len(set(keys))
    assert "truepath with networks" not in leaderboard._not_available()
    monkeypatch.setattr(leaderboard, "HAS_TORCH", False)
    assert not any("networks" in cell.key for cell in leaderboard._cells())
    assert "truepath[torch]" in leaderboard._not_available()["truepath with networks"]


def found(dataset, method, seed, value, protocol="train+valid"):
    return Comparison(f"AU(PRC), {protocol}", dataset, f"{method}, seed {seed}", "AU(PRC)", None, value, 0.0)


def test_values_are_counted_once_for_each_seed():
    comparisons = [
        found("enron", "truepath", 0, 0.7),
        found("enron", "truepath, networks left out", 0, 0.7),
        found("enron", "truepath, networks left out", 1, 0.8),
        found("enron", "truepath with networks", 0, 0.9),
        found("enron", "truepath", 0, 0.1, "train"),
    ]
    assert collect_areas(comparisons, "train+valid") == {"enron": [0.7, 0.8]}
    assert collect_areas(comparisons, "train+valid", networks=True) == {"enron": [0.9]}
    assert collect_areas(comparisons, "train") == {"enron": [0.1]}


def test_both_forms_stand_beside_the_published_values():
    sets = ("enron", "diatoms", "spo_FUN")
    comparisons = [found(name, method, 0, 0.9) for name in sets for method in ("truepath", "truepath with networks")]
    _, sentences, table, ranks, _ = show_standing(comparisons)
    assert [line.partition(":")[0] for line in sentences.points] == ["truepath", "truepath with networks"]
    assert "Above C-HMCNN(h) on 3 of 3 sets" in sentences.points[0]
    assert len({len(row) for row in [table.header, *table.rows]}) == 1
    assert len(ranks.rows) == 6
    assert compare_with_published({}) is None
    assert PAPERS["leaderboard"].figures(comparisons[:1]) == {}
