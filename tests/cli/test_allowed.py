"""``truepath predict --allowed`` and what goes with it."""

from __future__ import annotations

import csv
import random

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier
from truepath.data import read_label_list, read_label_sets
from truepath.hierarchy import AllowedLabels

WORDS = {"animal/cat": "cat meow", "animal/dog": "dog barks", "plant/oak": "oak acorn", "plant/fir": "fir cone"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("allowed"), random.Random(0)
    labels = [rng.choice(list(WORDS)) for _ in range(60)]
    rows = [f"r{i},{WORDS[label]},{rng.choice(['north', 'south'])},{label}" for i, label in enumerate(labels)]
    (folder / "t.csv").write_text("\n".join(["id,about,shop,labels", *rows, ""]))
    (folder / "summer.txt").write_text("animal/dog\n\nplant\n")
    (folder / "shops.csv").write_text("shop,labels\nnorth,animal\nsouth,plant/oak;plant/fir\n")
    options = ("--text", "about", "--ids", "id", "--method", "linear", "--decoder", "best-path")
    run_command(
        "fit", folder / "t.csv", "-o", folder / "m.tp", *options, "--allowed-set", f"summer={folder / 'summer.txt'}"
    )
    return folder


def predict(folder, *options):
    run_command("predict", folder / "m.tp", folder / "t.csv", "-o", folder / "p.csv", *options)
    return list(csv.DictReader((folder / "p.csv").read_text().splitlines()))


def test_a_file_a_saved_set_and_names_are_the_same(folder):
    by_file = predict(folder, "--allowed", folder / "summer.txt")
    assert {row["labels"] for row in by_file} == {"animal/dog", "plant/oak", "plant/fir"}
    assert predict(folder, "--allowed", "summer") == by_file
    assert predict(folder, "--allowed", "animal/dog", "--allowed", "plant") == by_file


def test_a_table_says_what_is_allowed_by_a_column(folder):
    rows = predict(folder, "--allowed-by", "shop", folder / "shops.csv", "--keep", "shop", "--matrix")
    model = HierarchicalClassifier.load(folder / "m.tp")
    texts = [row["about"] for row in csv.DictReader((folder / "t.csv").read_text().splitlines())]
    keys = [row["shop"] for row in rows]
    wanted = model.predict(texts, allowed=AllowedLabels(read_label_sets(folder / "shops.csv", "shop"), by=keys))
    found = [[int(row[name]) for name in model.hierarchy_.names] for row in rows]
    np.testing.assert_array_equal(found, wanted)


def test_scores_best_labels_and_thresholds_follow(folder):
    model, texts = HierarchicalClassifier.load(folder / "m.tp"), [WORDS["plant/oak"]]
    predict(folder, "--allowed", "animal", "--write-scores", folder / "s.csv")
    scores = list(csv.DictReader((folder / "s.csv").read_text().splitlines()))
    assert {row["plant"] for row in scores} == {"0"} or {float(row["plant"]) for row in scores} == {0.0}
    assert all(row["labels"].startswith("animal") for row in predict(folder, "--allowed", "animal", "--threshold", 0))
    top = predict(folder, "--allowed", "animal", "--top", 2, "--long")
    assert {row["label"].split("/")[0] for row in top} == {"animal"}
    masked = predict(folder, "--allowed", "plant", "--mask-only", "--probabilities")
    S = model.predict_proba(texts)[0]
    row = next(row for row in masked if row["labels"] == "plant/oak")
    assert float(row["probabilities"]) <= 1
    assert S[model.hierarchy_.index("plant/oak")] > 0.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--allowed", "anmal"), "--allowed has 'anmal', which is not in the hierarchy of 6 labels"),
        (("--allowed", "sumer"), "Did you mean 'summer'"),
        (("--allowed-by", "sho", "shops.csv"), "did you mean 'shop'"),
        (("--allowed-by", "shop", "nope.csv"), "No such file"),
        (("--allowed", "animal", "--allowed-by", "shop", "shops.csv"), "give one of the two"),
        (("--allowed-by", "shop", "shops.csv", "--explain", "r1"), "--explain is about one row"),
        (("--mask-only",), "--mask-only is about the labels that are not allowed"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder, monkeypatch, options, said):
    monkeypatch.chdir(folder)
    assert said in refusal_of("predict", "m.tp", "t.csv", *options)


def test_sets_that_cannot_be_saved_are_refused_before_the_fit(folder, monkeypatch):
    monkeypatch.chdir(folder)
    fit = ("fit", "t.csv", "-o", "n.tp", "--text", "about", "--allowed-set")
    assert "--allowed-set must be NAME=FILE" in refusal_of(*fit, "summer")
    (folder / "bad.txt").write_text("anmal\n")
    assert "'anmal', which is not in the hierarchy" in refusal_of(*fit, "summer=bad.txt")


def test_shares_of_labels_reweigh_scores(folder):
    options = ("--text", "about", "--ids", "id", "--method", "linear", "--calibrate", "sigmoid")
    run_command("fit", folder / "t.csv", "-o", folder / "c.tp", *options)
    (folder / "shares.csv").write_text("label,share\nplant,0.9\nanimal,0.1\n")
    run_command(
        "predict",
        folder / "c.tp",
        folder / "t.csv",
        "-o",
        folder / "p.csv",
        "--priors",
        folder / "shares.csv",
        "--write-scores",
        folder / "s.csv",
    )
    model = HierarchicalClassifier.load(folder / "c.tp")
    texts = [row["about"] for row in csv.DictReader((folder / "t.csv").read_text().splitlines())]
    wanted = model.predict_proba(texts, priors={"plant": 0.9, "animal": 0.1})
    found = [float(row["plant"]) for row in csv.DictReader((folder / "s.csv").read_text().splitlines())]
    np.testing.assert_allclose(found, wanted[:, model.hierarchy_.index("plant")], rtol=1e-3, atol=1e-6)
    (folder / "shares.csv").write_text("label,share\nplnat,0.9\n")
    said = refusal_of("predict", folder / "c.tp", folder / "t.csv", "--priors", folder / "shares.csv")
    assert "Did you mean 'plant'" in said
    said = refusal_of("predict", folder / "m.tp", folder / "t.csv", "--priors", folder / "shares.csv")
    assert "--priors re-weigh probabilities, and the scores of this model are not calibrated" in said


def test_files_of_labels(tmp_path):
    (tmp_path / "a.txt").write_text("a b\n\n c \n")
    assert read_label_list(tmp_path / "a.txt") == ["a b", "c"]
    (tmp_path / "t.tsv").write_text("key\tnames\nx\ta;b\ny\t\nx\tc\n")
    assert read_label_sets(tmp_path / "t.tsv", "key") == {"x": ["a", "b", "c"], "y": []}
