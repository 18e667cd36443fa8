"""Thresholds between scores that are far apart, and scores that say all labels are right."""

from __future__ import annotations

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from truepath import Hierarchy
from truepath.cli.app import app
from truepath.decoders import MultiThreshold, SingleThreshold

FLAT = Hierarchy.flat(["a", "b"])
S = np.array([[0.97, 0.02], [0.03, 0.96], [0.95, 0.04]])
Y = S > 0.5


@pytest.mark.parametrize("objective", ["micro_f1", "hmc_loss", "h_loss", "class_distribution", "label_cardinality"])
def test_one_threshold_lies_in_the_middle_of_the_gap(objective):
    decoder = SingleThreshold(objective, hierarchy=FLAT).fit(S, Y)
    assert decoder.threshold_ == pytest.approx(0.495)
    assert not decoder.predict([[0.05, 0.3]]).any()
    assert SingleThreshold(objective, hierarchy=FLAT, ties="published").fit(S, Y).threshold_ == 0.04


def test_a_threshold_per_class_lies_in_the_middle_of_its_gap():
    assert MultiThreshold(hierarchy=FLAT).fit(S, Y).thresholds_.tolist() == pytest.approx([0.49, 0.5])
    assert MultiThreshold(hierarchy=FLAT, ties="published").fit(S, Y).thresholds_.tolist() == [0.03, 0.04]


def test_a_function_and_a_grid_take_the_middle_too():
    def accuracy(y_true, y_pred):
        return float((y_true == y_pred).mean())

    assert SingleThreshold(accuracy, hierarchy=FLAT).fit(S, Y).threshold_ == pytest.approx(0.495)
    assert SingleThreshold(hierarchy=FLAT, candidates=10).fit(S, Y).threshold_ == pytest.approx(0.5)


def test_all_labels_can_be_best():
    decoder = SingleThreshold(hierarchy=FLAT).fit(S, np.ones((3, 2), bool))
    assert (decoder.threshold_, decoder.objective_value_, decoder.n_unlabeled_) == (-np.inf, 1.0, 0)
    assert decoder.predict([[0.0, 0.0]]).all()


def test_the_smallest_step_between_scores_is_no_trap():
    low = 0.5
    high = np.nextafter(low, 1)
    decoder = SingleThreshold(hierarchy=Hierarchy.flat(1)).fit([[low], [high]], [[0], [1]])
    assert decoder.predict([[low], [high]]).ravel().tolist() == [False, True]


def test_ties_that_are_no_rule_are_refused():
    for decoder in (SingleThreshold(hierarchy=FLAT, ties="high"), MultiThreshold(hierarchy=FLAT, ties="high")):
        with pytest.raises(ValueError, match="ties must be"):
            decoder.fit(S, Y)


def test_from_files_to_labels(tmp_path):
    (tmp_path / "h.csv").write_text(",a\n,b\n")
    (tmp_path / "valid.csv").write_text("id,a,b\n1,.97,.02\n2,.03,.96\n")
    (tmp_path / "truth.csv").write_text("id,labels\n1,a\n2,b\n")
    (tmp_path / "new.csv").write_text("id,a,b\nx,.9,.05\n")
    files = {name: str(tmp_path / f"{name}.csv") for name in ("h", "valid", "truth", "new")}
    given = ["--valid-scores", files["valid"], "--valid-truth", files["truth"]]
    result = CliRunner().invoke(app, ["label", files["new"], "-H", files["h"], "-s", "single", *given])
    assert result.exit_code == 0, result.output
    assert re.findall(r"^x,.*$", result.output, re.M) == ["x,a"]
