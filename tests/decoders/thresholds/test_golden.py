"""The published numbers of Triguero & Vens on their ImCLEF07A scores."""

from __future__ import annotations

import json

import pytest

import places
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.metrics import get_metric, unlabeled_share

GOLDEN = json.loads((places.GOLDEN / "triguero2016_thresholds.json").read_text())
EXACT = [(part, entry) for part in ("validation", "test") for entry in GOLDEN[part]["entries"]]
AT_MOST = [(part, entry) for part in ("validation", "test") for entry in GOLDEN[part]["at_most"]]


def fit(strategy, measure, S, Y, hierarchy):
    kind, thresholds = strategy[:2], strategy[3:6]
    objective = {"EM": measure, "CD": "class_distribution", "LC": "label_cardinality"}[kind]
    if thresholds == "STS":
        return SingleThreshold(objective, hierarchy=hierarchy, ties="published").fit(S, Y)
    return MultiThreshold(objective, "greedy", hierarchy=hierarchy, ties="published").fit(S, Y)


def labels_and_truth(imclef07a, part, entry):
    S, Y, hierarchy = imclef07a("val")
    decoder = fit(entry["strategy"], entry["measure"], S, Y, hierarchy)
    if part == "test":
        S, Y, _ = imclef07a("test")
    return decoder, decoder.predict(S), Y, hierarchy


@pytest.mark.parametrize(
    ("part", "entry"), EXACT, ids=lambda x: x if isinstance(x, str) else f"{x['strategy']}-{x['measure']}"
)
def test_published_values_are_met(imclef07a, part, entry):
    decoder, labels, Y, hierarchy = labels_and_truth(imclef07a, part, entry)
    value = get_metric(entry["measure"])(Y, labels, hierarchy)
    assert value == pytest.approx(entry["value"], abs=entry["tolerance"])
    if part == "validation":
        assert 100 * unlabeled_share(labels) == pytest.approx(entry["unlabelled"], abs=1e-9)
        assert 100 * decoder.n_unlabeled_ / len(Y) == pytest.approx(entry["unlabelled"], abs=1e-9)
        if entry["strategy"].startswith("EM"):
            assert decoder.objective_value_ == pytest.approx(entry["value"], abs=entry["tolerance"])


@pytest.mark.parametrize(("part", "entry"), AT_MOST, ids=lambda x: x if isinstance(x, str) else x["measure"])
def test_published_losses_are_undercut(imclef07a, part, entry):
    _, labels, Y, hierarchy = labels_and_truth(imclef07a, part, entry)
    assert get_metric(entry["measure"])(Y, labels, hierarchy) <= entry["value"]


def test_exact_searches_beat_the_published_ones(imclef07a):
    S, Y, hierarchy = imclef07a("val")
    value = {
        name: MultiThreshold(name, "optimal", hierarchy=hierarchy).fit(S, Y).objective_value_
        for name in ("h_loss", "hmc_loss", "micro_f1")
    }
    assert value["h_loss"] == pytest.approx(0.03599637215414181, abs=1e-9)
    assert value["h_loss"] < 0.036288
    assert value["hmc_loss"] == pytest.approx(0.04345563064908794, abs=1e-9)
    assert value["micro_f1"] == pytest.approx(0.8259756877799105, abs=1e-9)
