"""``truepath fit`` with parts of one's own choice, and what it says about the data and its choices."""

from __future__ import annotations

import json
import re

import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier
from truepath.cli.fitting.tried import list_tried
from truepath.metrics import Tried


@pytest.fixture
def table(tmp_path, monkeypatch):
    """One label for each row, told by its size; two rows alike, and a column that names the rows."""
    monkeypatch.chdir(tmp_path)
    rows = [f"g{i:03}x,{i % 3 + i / 100},{['a/1', 'a/2', 'b'][i % 3]}" for i in range(30)]
    (tmp_path / "t.csv").write_text("gene,size,labels\n" + "\n".join(rows) + "\n")
    return tmp_path


def fit(*options):
    out, said = run_command("fit", "t.csv", "-o", "t.tp", "--json", *options)
    return json.loads(out), said


def test_a_class_of_scikit_learn_with_its_parameters(table):
    summary, said = fit("--learner", "sklearn.tree.DecisionTreeClassifier", "--set", "max_depth=4")
    assert (summary["method"], summary["trust"]) == ("DecisionTreeClassifier", [])
    assert summary["decoder"] == {"name": "best-path", "why": "every row has one label"}
    model = HierarchicalClassifier.load("t.tp")
    assert model.learner[-1].max_depth == 4
    assert model.learner[-1].random_state == 0
    assert "column 'gene' has a different value" in said
    assert "--ids 'gene'" in said
    out, _ = run_command("predict", "t.tp", "t.csv")
    assert out.splitlines()[:3] == ["id,labels", "0,a/1", "1,a/2"]


def test_parts_by_their_names_and_ids_by_their_column(table):
    options = ["--learner", "GaussianNB", "--combiner", "min-down", "--decoder", "threshold", "--ids", "gene"]
    summary, said = fit(*options, "--test-share", "0")
    assert summary["decoder"] == {"name": "threshold", "why": "it was asked for"}
    assert said == ""
    assert type(HierarchicalClassifier.load("t.tp").combiner_).__name__ == "MinDown"
    out, _ = run_command("predict", "t.tp", "t.csv")
    assert out.splitlines()[:2] == ["gene,labels", "g000x,a/1"]
    by_id, _ = run_command("predict", "t.tp", "t.csv", "--explain", "g002x")
    by_number, _ = run_command("predict", "t.tp", "t.csv", "--explain", "2")
    assert by_id == by_number
    assert by_id.startswith("g002x\n")
    assert "Did you mean 'g02" in refusal_of("predict", "t.tp", "t.csv", "--explain", "g02x")
    assert "a row from 0 to 29, not '30'" in refusal_of("predict", "t.tp", "t.csv", "--explain", "30")


def test_a_budget_says_how_much_is_tried(table):
    summary, _ = fit("--budget", "0.001", "--ids", "gene", "--test-share", "0")
    assert [one["name"] for one in summary["tried"]] == ["forest"]
    assert HierarchicalClassifier.load("t.tp").budget == 0.001


def test_the_end_says_what_was_found_chosen_and_what_to_do(table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with (table / "t.csv").open("a") as file:
        file.write("g999x,9.5,c;b\ng998x,1,\n")
    out, _ = run_command("fit", "t.csv", "-o", "t.tp", "--learner", "DecisionTreeClassifier", "--ids", "gene")
    assert "t: 32 rows fitted, 5 labels" in out
    assert "1 row without labels: kept" in out
    assert "Decoder: single (one learned threshold for all classes), since rows may have several labels" in out
    assert "truepath predict t.tp NEW_DATA -o labels.csv" in out
    assert "truepath report t.run" in out
    assert "more rows: 1 label has fewer than 10: c (1)" in out


def test_what_was_tried_is_listed_best_first():
    tried = (Tried("linear", 0.5, "auprc", 0.25, 2.0), Tried("forest", 0.75, "auprc", 0.75, 1.04))
    lines = list_tried([vars(one) for one in tried])
    assert lines[0] == "Tried, with AU(PRC) on rows held out in training:"
    assert lines[1:] == ["  forest  0.750  weight 0.75  1.0 s", "  linear  0.500  weight 0.25  2.0 s"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--learner nowhere.Tree",
            "--learner nowhere.Tree: No module named 'nowhere'. Install it (pip install nowhere)",
        ),
        ("--learner sklearn.tree.DecisionTreeClasifier", "Did you mean 'sklearn.tree.DecisionTreeClassifier'"),
        ("--learner sklearn.tree.plot_tree", "--learner sklearn.tree.plot_tree: this is not an estimator"),
        ("--learner pcx", "--learner 'pcx' is unknown. Did you mean 'pct"),
        ("--learner GaussianNB --set prior=1", "--set prior: GaussianNB has no such parameter. Did you mean 'priors'?"),
        ("--learner GaussianNB --set priors", "--set takes key=value"),
        ("--set priors=1", "--set is for the learner that --learner names"),
        ("--learner GaussianNB --method mas", "--method and --learner exclude each other"),
        ("--learner sklearn.multioutput.MultiOutputClassifier", "cannot be made"),
        ("--decoder bestpath", "--decoder 'bestpath' is unknown. Did you mean 'best-path'? Available:"),
        ("--combiner up", "--combiner 'up' is unknown. Available:"),
        ("--budget hours", "--budget must be one of 'seconds', 'minutes' or a number of seconds"),
        ("--budget 0", "--budget must be one of 'seconds', 'minutes' or a number of seconds"),
    ],
)
def test_what_is_unknown_answers_with_the_choices(table, options, said):
    refused = re.sub(r"\x1b\[\d*m", "", refusal_of("fit", "t.csv", "-o", "t.tp", *options.split()))
    assert said in refused


@pytest.mark.slow
def test_a_class_of_another_package(table):
    pytest.importorskip("lightgbm")
    options = ["--set", "n_estimators=5", "--set", "min_child_samples=2", "--set", "verbose=-1"]
    summary, _ = fit("--learner", "lightgbm.LGBMClassifier", *options)
    assert summary["trust"] == ["lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier"]
    assert "name each by --trust" in refusal_of("predict", "t.tp", "t.csv")
    trust = [word for name in summary["trust"] for word in ("--trust", name)]
    out, _ = run_command("predict", "t.tp", "t.csv", *trust)
    assert len(out.splitlines()) == 31


def test_trust_names_types(table):
    fit("--learner", "GaussianNB")
    said = refusal_of("predict", "t.tp", "t.csv", "--trust", "pandas")
    assert "'pandas' cannot be trusted: it is a package or module." in said
