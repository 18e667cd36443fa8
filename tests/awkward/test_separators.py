"""Labels in cells with other separators: said with --sep and --between, or answered with the option that would help."""

from __future__ import annotations

import json

import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy
from truepath.data import read_labels, write_scores

TREE = Hierarchy.from_paths(["Food/Fruit", "Food/Bread", "Drink/Tea"])
ROWS = [["Food/Fruit"], ["Food/Bread", "Drink/Tea"], ["Drink"]]


@pytest.fixture
def at(tmp_path):
    """A hierarchy, and predictions as the library writes them."""
    (tmp_path / "h.json").write_text(TREE.to_json())
    (tmp_path / "found.csv").write_text("id,labels\nx,Food/Fruit\ny,Food/Bread;Drink/Tea\nz,Drink\n")
    return tmp_path


def written(path, sep, between):
    """Write the same labels with other separators."""
    cells = [between.join(label.replace("/", sep) for label in row) for row in ROWS]
    path.write_text("id\tlabels\n" + "".join(f"{name}\t{cell}\n" for name, cell in zip("xyz", cells)))
    return path


@pytest.mark.parametrize("between", [";", "|", ",", " & "])
@pytest.mark.parametrize("sep", ["/", " > ", "::", "."])
def test_evaluate_reads_both_separators(at, sep, between):
    truth = written(at / "truth.tsv", sep, between)
    options = ["--sep", sep, "--between", between, "-m", "exact_match", "--json"]
    out, _ = run_command("evaluate", truth, at / "found.csv", "-H", at / "h.json", *options)
    assert json.loads(out)["exact_match"]["value"] == 1


def test_label_reads_and_writes_them(at):
    S = TREE.encode(ROWS).astype(float) * 0.8 + 0.1
    write_scores(at / "s.csv", S, TREE, ids="xyz")
    truth = written(at / "truth.tsv", " > ", "|")
    options = ["-s", "single", "--truth", truth, "--sep", " > ", "--between", "|"]
    out, _ = run_command("label", at / "s.csv", "-H", at / "h.json", *options)
    assert out.splitlines() == ["id,labels", "x,Food/Fruit", "y,Food/Bread|Drink/Tea", "z,Drink"]


def test_an_unknown_label_answers_with_the_option(at):
    truth = written(at / "truth.tsv", " > ", ";")
    said = refusal_of("evaluate", truth, at / "found.csv", "-H", at / "h.json")
    assert "truth.tsv:2: the label 'Food > Fruit' is not in the hierarchy" in said
    assert "--sep" in said
    truth = written(at / "truth.tsv", "/", "|")
    said = refusal_of("evaluate", truth, at / "found.csv", "-H", at / "h.json")
    assert "truth.tsv:3: the label 'Food/Bread|Drink/Tea'" in said
    assert "between='|' (--between)" in said


def test_in_python(at):
    truth = written(at / "truth.tsv", "::", "|")
    assert read_labels(truth, TREE, sep="::", between="|").y.tolist() == TREE.encode(ROWS).tolist()


def test_a_typo_in_the_name_of_a_column_answers_with_the_nearest(at):
    (at / "truth.csv").write_text("id,Labels\nx,Food\n")
    said = refusal_of("evaluate", at / "truth.csv", at / "found.csv", "-H", at / "h.json", "--ids", "idd")
    assert "did you mean 'id'?" in said
    said = refusal_of("evaluate", at / "truth.csv", at / "found.csv", "-H", at / "h.json")
    assert "did you mean 'Labels'?" in said
    assert "--labels" in said
