"""Tables 2-4 of Di Mauro et al. on the published folds.

The paper prints three decimals, so means are compared at three decimals. RCNET is met on every set of the folder; CNET
on all sets tried but emotions (accuracy .502 for .499, exact match .263 for .260). Binary relevance is cut as MEKA cuts
it. BCC is not met (see benchmarks/README-cutset.md).
"""

import json
from pathlib import Path

import numpy as np
import pytest

from truepath.data import load_dataset
from truepath.learners import CutsetNetwork, NaiveBayesML, RestrictedCutsetNetwork, TreeAugmentedML
from truepath.metrics import exact_match, hamming_score, jaccard_score

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "dimauro2016_cutset_networks.json").read_text())
MEASURES = {"accuracy": jaccard_score, "hamming_score": hamming_score, "exact_match": exact_match}
METHODS = {
    "RCNET": RestrictedCutsetNetwork(force_nonempty=True),
    "CNET": CutsetNetwork(force_nonempty=True),
    "CCNB": NaiveBayesML(scheme="cc"),
    "CCTAN": TreeAugmentedML(scheme="cc"),
    "BRTAN": TreeAugmentedML(),
    "BRNB": NaiveBayesML(),
}


def cut_at_cardinality(S, Y_train):
    """As many cells as the training cardinality asks for: how MEKA calibrates binary relevance (PCut1)."""
    n_wanted = round(Y_train.sum() / Y_train.shape[0] * S.shape[0])
    return np.sort(S, axis=None)[-n_wanted] <= S


def measure(method, dataset, home):
    """Mean over the five folds of the paper's three measures."""
    found = []
    for fold in range(5):
        ds = load_dataset(dataset, version="laim", fold=fold, home=home)
        model = METHODS[method].fit(ds.train.X, ds.train.Y)
        is_cut = method.startswith("BR")
        Y = cut_at_cardinality(model.predict_proba(ds.test.X), ds.train.Y) if is_cut else model.predict(ds.test.X)
        found.append([rule(ds.test.Y, Y) for rule in MEASURES.values()])
    return dict(zip(MEASURES, np.mean(found, axis=0)))


def check(method, dataset, home):
    found = measure(method, dataset, home)
    rows = [row for row in GOLDEN if row["method"] == method and row["dataset"] == f"mulan/{dataset}"]
    assert len(rows) == 3
    for row in rows:
        gap = abs(round(found[row["measure"]], 3) - row["value"])
        assert gap <= row["tolerance"] + 1e-9, (row, found)


@pytest.mark.parametrize("dataset", ["flags", "emotions", "scene", "yeast"])
def test_restricted_network(dataset, shared_data):
    check("RCNET", dataset, shared_data)


@pytest.mark.parametrize("dataset", ["flags", "yeast"])
def test_network(dataset, shared_data):
    check("CNET", dataset, shared_data)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["cal500", "arts", "business", "health"])
def test_restricted_network_on_large_sets(dataset, shared_data):
    check("RCNET", dataset, shared_data)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["scene", "cal500"])
def test_network_on_large_sets(dataset, shared_data):
    check("CNET", dataset, shared_data)


@pytest.mark.parametrize(
    ("method", "dataset"),
    [("CCNB", "flags"), ("CCNB", "emotions"), ("CCTAN", "flags"), ("CCTAN", "emotions"), ("BRTAN", "flags"),
     ("BRTAN", "emotions"), ("BRNB", "flags"), ("BRNB", "emotions"), ("CCTAN", "yeast"), ("BRTAN", "yeast")],
)  # fmt: skip
def test_rivals(method, dataset, shared_data):
    check(method, dataset, shared_data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "dataset"),
    [("CCNB", "scene"), ("CCNB", "yeast"), ("CCTAN", "scene"), ("BRNB", "scene"), ("BRNB", "yeast")],
)
def test_rivals_on_large_sets(method, dataset, shared_data):
    check(method, dataset, shared_data)
