"""What ``truepath predict`` writes beside and instead of the labels that a model decides on."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier
from truepath.classifier import predict_file
from truepath.data import read_labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    rng = np.random.default_rng(0)
    rows = [f"r{i},{rng.normal(i % 3):.2f},{rng.normal():.2f},{('a/1', 'a/2', 'b')[i % 3]}" for i in range(60)]
    (folder / "t.csv").write_text("\n".join(["id,x,y,labels", *rows, ""]))
    run_command("fit", folder / "t.csv", "-o", folder / "m.tp", "--ids", "id", "--learner", "LogisticRegression")
    return folder


def predict(folder, *options, to="p.csv"):
    """Return the rows that are written."""
    run_command("predict", folder / "m.tp", folder / "t.csv", "-o", folder / to, *options)
    return list(csv.DictReader((folder / to).read_text().splitlines()))


def scores(folder):
    model = HierarchicalClassifier.load(folder / "m.tp")
    return model.hierarchy_, model.predict_proba(pd.read_csv(folder / "t.csv"))


def test_a_threshold_of_ones_own(folder):
    h, S = scores(folder)
    for threshold in (0, 0.3, 0.9):
        wanted = h.decode(S > threshold)
        found = predict(folder, "--threshold", threshold)
        assert [tuple(filter(None, row["labels"].split(";"))) for row in found] == wanted
    assert {row["labels"] for row in predict(folder, "--threshold", 1)} == {""}


@pytest.mark.parametrize("options", [(), ("--threshold", "0.3")])
def test_probabilities_stand_beside_the_labels(folder, options):
    h, S = scores(folder)
    plain = [row["labels"] for row in predict(folder, *options)]
    rows = predict(folder, "--probabilities", *options)
    assert [row["labels"] for row in rows] == plain
    for row, s in zip(rows, S):
        names = [name for name in row["labels"].split(";") if name]
        given = [float(p) for p in row["probabilities"].split(";") if p]
        assert given == pytest.approx([s[h.index(name)] for name in names], rel=1e-3)
        assert len(given) == len(names)


def test_probabilities_in_other_formats(folder):
    run_command("predict", folder / "m.tp", folder / "t.csv", "-o", folder / "p.parquet", "--probabilities")
    run_command("predict", folder / "m.tp", folder / "t.csv", "-o", folder / "p.json", "--probabilities")
    listed = json.loads((folder / "p.json").read_text())
    table = pd.read_parquet(folder / "p.parquet")
    for row, labels, numbers in zip(listed, table.labels, table.probabilities):
        assert row["labels"] == list(labels)
        assert row["probabilities"] == list(numbers)
    run_command("predict", folder / "m.tp", folder / "t.csv", "-o", folder / "p.jsonl", "--probabilities")
    assert [json.loads(line) for line in (folder / "p.jsonl").read_text().splitlines()] == listed
    h, _ = scores(folder)
    same = [read_labels(folder / name, h).y for name in ("p.jsonl", "p.json")]
    np.testing.assert_array_equal(*same)


def test_what_does_not_go_together_is_refused(folder):
    call = ("predict", folder / "m.tp", folder / "t.csv", "-o", folder / "q.csv")
    assert "--top" in refusal_of(*call, "--top", 2, "--threshold", 0.5)
    assert "--top" in refusal_of(*call, "--top", 2, "--probabilities")
    assert "leave out matrix" in refusal_of(*call, "--matrix", "--probabilities")
    assert "--threshold must be a number from 0 to 1" in refusal_of(*call, "--threshold", "2")
    model = HierarchicalClassifier.load(folder / "m.tp")
    with pytest.raises(ValueError, match="threshold must be a number from 0 to 1"):
        predict_file(model, folder / "t.csv", folder / "q.csv", threshold=2)
    assert not (folder / "q.csv").exists()
