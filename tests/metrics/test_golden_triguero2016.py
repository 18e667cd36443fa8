"""The published ImCLEF07A numbers of Triguero & Vens, from the published scores."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest

import places
from truepath import Hierarchy, metrics

GOLDEN = json.loads((places.GOLDEN / "triguero2016_imclef07a.json").read_text())
TRUTH, SCORE = "class-a-", "Original-p-"


def read_predictions(path):
    """Read a CLUS prediction file: the hierarchy, the truth and the scores, columns by their names."""
    attributes, rows = [], []
    with lzma.open(path, "rt", encoding="ascii") as lines:
        for line in lines:
            if line.upper().startswith("@ATTRIBUTE"):
                attributes.append(line.split()[1])
            elif line.strip() and not line.startswith("@"):
                rows.append(line.rstrip("\n").split(","))
    hierarchy = Hierarchy.from_paths([name[len(TRUTH) :] for name in attributes if name.startswith(TRUTH)])
    place = {name: j for j, name in enumerate(attributes)}
    table = np.array(rows, dtype=object)
    truth, scores = (
        table[:, [place[start + name] for name in hierarchy.names]].astype(float) for start in (TRUTH, SCORE)
    )
    return hierarchy, truth.astype(bool), scores


@pytest.fixture(scope="module")
def parts(shared_data):
    folder = shared_data / "reference" / "labelling_imclef07a"
    if not folder.is_dir():
        pytest.skip(f"the published scores are not at {folder}")
    return {part: read_predictions(folder / f"{part}.pred.arff.xz") for part in ("val", "test")}


@pytest.mark.parametrize("name", GOLDEN["measures"])
def test_best_single_threshold(name, parts):
    published, metric = GOLDEN["measures"][name], metrics.get_metric(name)
    hierarchy, truth, scores = parts["val"]
    sign = 1 if metric.greater_is_better else -1
    thresholds = np.unique(scores)
    values = [metric(truth, scores > t, hierarchy) for t in thresholds]
    best = int(np.argmax(sign * np.array(values)))
    assert values[best] == pytest.approx(published["val"], abs=GOLDEN["tolerance"])
    unlabelled = 100 * metrics.unlabeled_share(scores > thresholds[best])
    assert unlabelled == pytest.approx(published["unlabelled_val"], abs=GOLDEN["tolerance"])
    _, truth, scores = parts["test"]
    value = metric(truth, scores > thresholds[best], hierarchy)
    assert value == pytest.approx(published["test"], abs=GOLDEN["tolerance"])


@pytest.mark.parametrize("name", GOLDEN["measures"])
def test_empty_labelling(name, parts):
    hierarchy, truth, _ = parts["val"]
    value = metrics.get_metric(name)(truth, np.zeros_like(truth), hierarchy)
    assert value == pytest.approx(GOLDEN["measures"][name]["empty_val"], abs=GOLDEN["tolerance"])
    assert metrics.unlabeled_share(np.zeros_like(truth)) == 1.0


def test_one_lambda_for_all_does_not_meet_the_numbers(parts):
    hierarchy, truth, _ = parts["val"]
    published = GOLDEN["measures"]["hmc_loss"]["empty_val"]
    balanced = metrics.hmc_loss(truth, np.zeros_like(truth), hierarchy, lambda_="balanced")
    assert abs(balanced - published) > 0.05
