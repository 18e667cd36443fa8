"""Files whose rows are in another order: joined by ids whatever they are called, or said to be in order, or refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy
from truepath.data import read_labels, write_scores
from truepath.metrics import evaluate

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
N = 30


def labels_csv(path, header, columns):
    """Write a table of texts."""
    rows = "".join(",".join(map(str, row)) + "\n" for row in zip(*columns))
    path.write_text(",".join(header) + "\n" + rows)
    return path


@pytest.fixture
def made(tmp_path):
    """True labels, predictions that are mostly right, and the number that says so."""
    rng = np.random.default_rng(0)
    leaves = ["a/1", "a/2", "b/1", "b/2"]
    true = [leaves[i] for i in rng.integers(4, size=N)]
    found = [label if rng.random() < 0.9 else "a/1" for label in true]
    (tmp_path / "h.json").write_text(TREE.to_json())
    expected = evaluate(TREE.encode([[t] for t in true]), TREE.encode([[f] for f in found]), hierarchy=TREE)
    return {
        "at": tmp_path,
        "h": tmp_path / "h.json",
        "true": true,
        "found": found,
        "order": rng.permutation(N),
        "genes": [f"g{i:03}" for i in range(N)],
        "f1": expected["hierarchical_f1"],
    }


def measure(made, truth, found, *options):
    """Return hierarchical F1 and what was said on the way."""
    out, said = run_command("evaluate", truth, found, "-H", made["h"], "-m", "hierarchical_f1", "--json", *options)
    return json.loads(out)["hierarchical_f1"]["value"], said


def shuffled(made, *columns):
    return [[column[i] for i in made["order"]] for column in columns]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("gene", "gene"), ("gene", "id"), ("locus", "protein"), ("ORF", ""), ("id", "gene"), ("Gene ID", "gene_id")],
)
def test_ids_of_any_name_are_found_by_their_values(made, mine, theirs):
    truth = labels_csv(made["at"] / "truth.csv", [mine, "labels"], [made["genes"], made["true"]])
    columns = shuffled(made, made["genes"], made["found"])
    found = labels_csv(made["at"] / "found.csv", [theirs, "labels"], columns)
    value, said = measure(made, truth, found)
    assert value == pytest.approx(made["f1"])
    assert f"{N} rows matched by {mine!r}" in said


def test_ids_need_not_be_first_nor_the_only_column(made):
    size = [f"{i / 7:.3f}" for i in range(N)]
    truth = labels_csv(made["at"] / "truth.csv", ["size", "labels", "gene"], [size, made["true"], made["genes"]])
    numbers = [1000 + i for i in range(N)]
    columns = shuffled(made, made["found"], numbers, made["genes"])
    found = labels_csv(made["at"] / "found.csv", ["labels", "batch", "locus"], columns)
    value, said = measure(made, truth, found)
    assert value == pytest.approx(made["f1"])
    assert f"{N} rows matched by 'gene' and 'locus'" in said


def test_numbers_as_ids_in_a_matrix_of_scores(made):
    numbers = [7 * i + 3 for i in range(N)]
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [numbers, made["true"]])
    S = TREE.encode([[label] for label in made["found"]]).astype(float)[made["order"]]
    write_scores(made["at"] / "s.csv", S, TREE, ids=[numbers[i] for i in made["order"]])
    text = (made["at"] / "s.csv").read_text()
    (made["at"] / "s.csv").write_text(text.replace("id,", "gene,", 1))
    out, said = run_command("evaluate", truth, "-S", made["at"] / "s.csv", "-H", made["h"], "-m", "auprc", "--json")
    straight = evaluate(TREE.encode([[t] for t in made["true"]]), None, S[np.argsort(made["order"])], hierarchy=TREE)
    assert json.loads(out)["auprc"]["value"] == pytest.approx(straight["auprc"])
    assert "matched by 'gene'" in said


def test_order_counts_only_without_ids_and_it_is_said(made):
    truth = labels_csv(made["at"] / "truth.csv", ["labels"], [made["true"]])
    found = labels_csv(made["at"] / "found.csv", ["labels"], [made["found"]])
    value, said = measure(made, truth, found)
    assert value == pytest.approx(made["f1"])
    assert "row by row, in the order of both" in said
    assert "found.csv has no column of ids" in said


def test_row_numbers_are_no_ids(made):
    """What label writes for scores without ids is compared in order with a table that has genes."""
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    found = labels_csv(made["at"] / "found.csv", ["id", "labels"], [range(N), made["found"]])
    value, said = measure(made, truth, found)
    assert value == pytest.approx(made["f1"])
    assert "row by row" in said


def test_by_order_is_taken_at_its_word(made):
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    found = labels_csv(made["at"] / "found.csv", ["gene", "labels"], [made["genes"][::-1], made["found"]])
    value, said = measure(made, truth, found, "--by-order")
    assert value == pytest.approx(made["f1"])
    assert "row by row, in the order of both: as asked" in said


def test_ids_names_the_column_in_either_file(made):
    """Two columns would do; the one that is named counts, in the file that has it."""
    other = made["genes"][::-1]
    truth = labels_csv(made["at"] / "truth.csv", ["old", "new", "labels"], [other, made["genes"], made["true"]])
    columns = shuffled(made, made["genes"], made["found"])
    found = labels_csv(made["at"] / "found.csv", ["gene", "labels"], columns)
    value, said = measure(made, truth, found, "--ids", "new")
    assert value == pytest.approx(made["f1"])
    assert "'new' and 'gene'" in said


def test_partial_overlap_is_counted(made):
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    found = labels_csv(made["at"] / "found.csv", ["gene", "labels"], [made["genes"][:20], made["found"][:20]])
    said = refusal_of("evaluate", truth, found, "-H", made["h"])
    assert "found.csv lacks 10 of 30 rows, first the id 'g020'" in said
    assert "Joined by 'gene': 20 rows are in both." in said
    assert "--ids" in said
    assert "--by-order" in said


def test_ids_that_do_not_match_are_not_compared_in_order(made):
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    strangers = [f"x{i}" for i in range(N)]
    found = labels_csv(made["at"] / "found.csv", ["probe", "labels"], [strangers, made["found"]])
    said = refusal_of("evaluate", truth, found, "-H", made["h"])
    assert "lacks 30 of 30 rows" in said
    assert "'gene' and 'probe': 0 rows are in both" in said


def test_an_id_twice_names_its_line(made):
    twice = [*made["genes"][:-1], "g000"]
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    found = labels_csv(made["at"] / "found.csv", ["id", "labels"], [twice, made["found"]])
    said = refusal_of("evaluate", truth, found, "-H", made["h"])
    assert "found.csv:31: the id 'g000' occurs twice" in said


def test_a_column_of_ids_that_is_nowhere_names_the_nearest(made):
    truth = labels_csv(made["at"] / "truth.csv", ["gene", "labels"], [made["genes"], made["true"]])
    said = refusal_of("evaluate", truth, truth, "-H", made["h"], "--ids", "Genes")
    assert "no column 'Genes'; did you mean 'gene'?" in said


def test_label_keeps_the_header_of_the_ids_and_learns_by_ids(made):
    S = TREE.encode([[label] for label in made["true"]]).astype(float) * 0.8 + 0.1
    write_scores(made["at"] / "s.csv", S, TREE, ids=made["genes"])
    text = (made["at"] / "s.csv").read_text()
    (made["at"] / "s.csv").write_text(text.replace("id,", "gene,", 1))
    truth = labels_csv(made["at"] / "t.csv", ["locus", "labels"], shuffled(made, made["genes"], made["true"]))
    out = made["at"] / "out.csv"
    _, said = run_command("label", made["at"] / "s.csv", "-H", made["h"], "-s", "single", "--truth", truth, "-o", out)
    assert out.read_text().startswith("gene,labels\ng000,")
    assert "30 rows matched by 'gene' and 'locus'" in said
    assert read_labels(out, TREE).y.tolist() == TREE.encode([[label] for label in made["true"]]).tolist()
    assert (
        json.loads(run_command("label", made["at"] / "s.csv", "-H", made["h"], "--format", "json")[0])[0]["gene"]
        == "g000"
    )
