"""``truepath compare A B --truth T`` as it is typed, and how it is told from ``truepath compare RESULTS``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy
from truepath.data import read_labels, read_scores
from truepath.experiments import compare_models

TRUTH = (
    "gene,labels\nx1,Science/Physics\nx2,Art\nx3,Science/Biology;Art\nx4,Science/Physics\nx5,Art/Painting\nx6,Science\n"
)
GOOD = "gene,labels\nx6,Science\nx1,Science/Physics\nx2,Art\nx3,Science/Biology\nx4,Science/Physics\nx5,Art/Painting\n"
POOR = "gene,labels\nx1,Science/Biology\nx2,Art\nx3,Art\nx4,Science/Physics\nx5,Science\nx6,Art\n"
TREE = Hierarchy.from_paths(["Science/Physics", "Science/Biology", "Art/Painting"])
EDGES = "parent,child\n,Science\n,Art\nScience,Science/Physics\nScience,Science/Biology\nArt,Art/Painting\n"
RESULTS = "dataset,method,measure,value\n" + "".join(
    f"d{i},{m},h_loss,0.{i}{k}\n" for i in range(3) for k, m in enumerate("ab")
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    files = {"t.csv": TRUTH, "a.csv": GOOD, "b.csv": POOR, "edges.csv": EDGES, "results.csv": RESULTS}
    generator = np.random.default_rng(0)
    for name in ("sa.csv", "sb.csv"):
        rows = [",".join([f"x{i}", *(f"{s:.2f}" for s in generator.random(TREE.n_nodes))]) for i in (3, 1, 2, 6, 5, 4)]
        files[name] = "\n".join([",".join(["gene", *TREE.names]), *rows]) + "\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_labels(folder):
    out, err = run_command("compare", "a.csv", "b.csv", "--truth", "t.csv")
    assert "no --hierarchy: built from the label paths in the files, 5 labels on 2 levels" in err
    assert "b.csv and t.csv: 6 rows matched by 'gene'" in err
    truth, a, b = (read_labels(f"{name}.csv", TREE) for name in "tab")
    expected = compare_models(truth, a, b, TREE, names=("a.csv", "b.csv"), random_state=0)
    assert out.strip() == str(expected)
    assert "permutation test: p = 0.125 (all 64 swaps" in out


def test_true_labels_may_be_separated_otherwise_than_predicted_ones(folder):
    (folder / "c.csv").write_text(GOOD.replace("Art\n", "Art;Science/Physics\n"))
    (folder / "t.csv").write_text(TRUTH.replace(";", "|").replace("x2,Art", "x2,Art|Science"))
    _, err = run_command("compare", "c.csv", "b.csv", "--truth", "t.csv", "--between", "|")
    assert "built from the label paths in the files, 5 labels on 2 levels" in err
    _, err = run_command("compare", "c.csv", "b.csv", "--truth", "t.csv")
    assert "look like several with '|' between them" in err


def test_several_measures_as_json(folder):
    way = ["--truth", "t.csv", "-H", "edges.csv", "--metrics", "h_loss,exact_match", "--alpha", "0.1", "--json"]
    out, err = run_command("compare", "a.csv", "b.csv", *way)
    assert "no --hierarchy" not in err
    loss, exact = json.loads(out)
    assert (loss["metric"], loss["greater_is_better"], loss["confidence"]) == ("h_loss", False, 0.9)
    assert exact["values"] == pytest.approx([5 / 6, 2 / 6])
    assert exact["names"] == ["a.csv", "b.csv"]


def test_scores(folder):
    out, _ = run_command("compare", "sa.csv", "sb.csv", "--truth", "t.csv", "--resamples", "20", "--json")
    truth, a, b = read_labels("t.csv", TREE), read_scores("sa.csv", TREE), read_scores("sb.csv", TREE)
    expected = compare_models(
        truth, a, b, TREE, metric="auprc", n_resamples=20, names=("sa.csv", "sb.csv"), random_state=0
    )
    assert json.loads(out) == [expected.to_dict()]


def test_results_are_compared_as_before(folder):
    out, _ = run_command("compare", "results.csv")
    assert out.startswith("h_loss (lower is better), 3 data sets")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.csv", "b.csv"], "--truth is missing: two files are compared as the predictions of two models."),
        (["a.csv", "--truth", "t.csv"], "got 1 file and --truth."),
        (["a.csv", "b.csv", "t.csv", "--truth", "t.csv"], "got 3 files."),
        (["a.csv", "b.csv", "--truth", "t.csv", "--diagram", "x.svg"], "--diagram is for a table of results"),
        (["a.csv", "b.csv", "--truth", "t.csv", "-f", "latex"], "--format latex is for tables of results."),
        (["results.csv", "--seed", "1"], "--seed is for two models"),
        (["results.csv", "--by-order"], "--by-order is for two models"),
        (["a.csv", "b.csv", "--truth", "t.csv", "-m", "auprc"], "auprc needs scores, but a.csv holds labels."),
        (["sa.csv", "sb.csv", "--truth", "t.csv", "-m", "h_loss"], "h_loss needs labels, but sa.csv holds scores."),
        (["a.csv", "b.csv", "--truth", "t.csv", "-m", "auprc,h_loss"], "auprc needs scores, h_loss needs labels."),
        (["a.csv", "b.csv", "--truth", "t.csv", "-m", "f9"], "no metric is called 'f9'"),
        (["a.csv", "none.csv", "--truth", "t.csv"], "none.csv"),
        (["a.csv", "b.csv", "--truth", "none.csv"], "none.csv"),
        (["a.csv", "b.csv", "--truth", "t.csv", "--alpha", "5"], "--alpha must be a number between 0 and 1"),
    ],
)
def test_refusals(arguments, said, folder):
    assert said in refusal_of("compare", *arguments)


def test_rows_that_are_not_the_same(folder):
    (folder / "b.csv").write_text(POOR.replace("x6", "x7"))
    assert "b.csv lacks 1 of 6 rows" in refusal_of("compare", "a.csv", "b.csv", "--truth", "t.csv")


def test_the_help_tells_both_uses_apart():
    out, _ = run_command("compare", "--help")
    assert "Two models: A B --truth" in out
    assert "Results of experiments: RESULTS" in out
    assert "hierarchical_f1" in out


def test_folders_of_runs_are_no_predictions(tmp_path):
    (tmp_path / "a.run").mkdir()
    said = refusal_of("compare", tmp_path / "a.run", tmp_path / "b.run")
    assert "a.run is a folder; two models are compared by files of their predictions and --truth" in said
