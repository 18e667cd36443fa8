"""A classifier whose scores are made into probabilities."""

from __future__ import annotations

import json

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier
from truepath.combiners import Calibrator
from truepath.metrics import expected_calibration_error


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    names = np.where(X[:, 0] + rng.normal(size=400) > 0, "a/1", np.where(X[:, 1] > 0, "a/2", "b"))
    return X, [[name] for name in names]


def test_scores_are_calibrated_before_they_are_decided_on(rows, tmp_path):
    X, labels = rows
    plain = HierarchicalClassifier("pct", cv=3).fit(X[:200], labels[:200])
    model = HierarchicalClassifier("pct", cv=3, calibrate="isotonic").fit(X[:200], labels[:200])
    truth = model.hierarchy_.encode(labels[200:])
    before, after = (expected_calibration_error(truth, m.predict_proba(X[200:])) for m in (plain, model))
    assert after < 0.6 * before
    S = model.predict_proba(X[200:])
    np.testing.assert_array_equal(model.decoder_.predict(S), model.predict(X[200:]))
    np.testing.assert_array_equal(model.predict_top(X[200:], 1).probabilities[:, 0], S.max(axis=1))
    model.save(tmp_path / "m.tp")
    np.testing.assert_array_equal(HierarchicalClassifier.load(tmp_path / "m.tp").predict_proba(X[200:]), S)


def test_rows_are_held_out_for_the_calibrator_alone(rows):
    X, labels = rows
    model = HierarchicalClassifier("pct", "min-down", "threshold", calibrate=Calibrator("beta"), cv=0.5)
    assert model.fit(X, labels).n_held_out_ == 200
    assert model.calibrator_.method_ == "beta"
    with pytest.raises(ValueError, match="method must be"):
        HierarchicalClassifier("pct", calibrate="platt").fit(X, labels)


def test_the_command(rows, tmp_path):
    X, labels = rows
    lines = [",".join([*map(str, x), *label]) for x, label in zip(X[:120].round(3), labels)]
    (tmp_path / "t.csv").write_text("x,y,z,w,labels\n" + "\n".join(lines) + "\n")
    options = ["-o", tmp_path / "m.tp", "--method", "pct", "--calibrate"]
    printed, _ = run_command("fit", tmp_path / "t.csv", *options, "sigmoid", "--test-share", 0, "--json")
    assert json.loads(printed)["method"] == "pct"
    assert HierarchicalClassifier.load(tmp_path / "m.tp").calibrator_.method_ == "sigmoid"
    assert "Did you mean 'sigmoid'" in refusal_of("fit", tmp_path / "t.csv", *options, "sigmoids")
