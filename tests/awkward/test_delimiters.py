"""Tables as spreadsheets write them elsewhere: other delimiters and decimal commas, read the same by every reader."""

from __future__ import annotations

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy, open_dataset
from truepath.data import read_hierarchy, read_labels, read_scores
from truepath.data.tables import cut
from truepath.data.tables.streams import stream_columns
from truepath.errors import InputWarning

TREE = Hierarchy.from_paths(["a/1", "b"])
SCORES = "id,a,a/1,b\nx,0.5,0.25,-1e-3\ny,1,.5,7\n"
DELIMITERS = {"semicolon": ";", "tab": "\t", "bar": "|"}


def written(text, delimiter, decimal="."):
    """Write a comma-separated table with another delimiter and decimal sign."""
    return text.replace(",", delimiter).replace(".", decimal)


@pytest.fixture(params=[1 << 60, 0], ids=["plain", "compiled"])
def either_reader(request, monkeypatch):
    """Read by the plain loops, and by the compiled ones."""
    monkeypatch.setattr(cut, "LARGE", request.param)


@pytest.mark.parametrize("delimiter", DELIMITERS.values(), ids=DELIMITERS)
@pytest.mark.parametrize("decimal", [".", ","], ids=["point", "comma"])
def test_scores(tmp_path, either_reader, delimiter, decimal):
    (tmp_path / "s.csv").write_text(written(SCORES, delimiter, decimal))
    table = read_scores(tmp_path / "s.csv", TREE)
    assert table.S.tolist() == [[0.5, 0.25, -0.001], [1, 0.5, 7]]
    assert table.ids.tolist() == ["x", "y"]


@pytest.mark.parametrize("delimiter", DELIMITERS.values(), ids=DELIMITERS)
def test_data_to_learn_from(tmp_path, either_reader, delimiter):
    text = "id,size,colour,labels\n" + "".join(f"r{i},{i / 4},{'red' if i % 2 else 'blue'},a/1\n" for i in range(8))
    (tmp_path / "t.csv").write_text(written(text, delimiter, ","))
    ds = open_dataset(tmp_path / "t.csv", ids="id")
    assert list(ds.feature_names) == ["size", "colour"]
    assert ds["all"].X[:, 0].tolist() == [i / 4 for i in range(8)]
    assert ds.hierarchy.names.tolist() == ["a", "a/1"]


def test_long_tables_give_the_same_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("x;word\n" + "0,5;a,b\n" * 70)
    (block,) = stream_columns(tmp_path / "t.csv", 64)
    X, is_number = block.numbers(["x", "word"])
    assert is_number.tolist() == [True, False]
    assert (X[:, 0] == 0.5).all()
    assert set(block.cells(["x"])[:, 0]) == {"0.5"}
    assert block.texts("x")[0] == "0,5"


def test_commas_stay_where_they_are_no_decimals(tmp_path):
    """Labels between commas, and thousands in a table of commas."""
    (tmp_path / "l.csv").write_text("id;labels\nx;a/1,b\n")
    assert read_labels(tmp_path / "l.csv", TREE, between=",").y.tolist() == [[True, True, True]]
    numbers = Hierarchy.flat(["1", "5"])
    (tmp_path / "l.csv").write_text("id;labels\nx;1,5\n")
    assert read_labels(tmp_path / "l.csv", numbers, between=",").y.all()
    (tmp_path / "t.csv").write_text('size,labels\n"1,234",a\n"5,678",b\n')
    (block,) = stream_columns(tmp_path / "t.csv", 64)
    assert not block.numbers(["size"])[1].any()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("labels\na;b\nc\n", ["labels"]),
        ("id,labels\nx,a;b\ny,a;c\n", ["id", "labels"]),
        ('"a;b",labels\n1,c\n', ["a;b", "labels"]),
        ("id;note, short;labels\n1;x;a\n", ["id", "note, short", "labels"]),
        ("a|b\n0.5\n", ["a|b"]),
        ('id;text;labels\n1;"one, two; three";a\n', ["id", "text", "labels"]),
    ],
)
def test_the_sign_that_all_lines_have_equally_often_separates(tmp_path, text, names):
    (tmp_path / "t.csv").write_text(text)
    (block,) = stream_columns(tmp_path / "t.csv", 64)
    assert block.names == names


def test_edges_with_semicolons(tmp_path):
    (tmp_path / "h.csv").write_text("parent;child\nFood;Fruit\nFood;Bread\n")
    assert read_hierarchy(tmp_path / "h.csv").names.tolist() == ["Food", "Fruit", "Bread"]


def test_from_files_to_text(tmp_path):
    (tmp_path / "h.json").write_text(TREE.to_json())
    (tmp_path / "s.csv").write_text(written(SCORES.replace("id", "gene"), ";", ","))
    out, _ = run_command("label", tmp_path / "s.csv", "-H", tmp_path / "h.json", "--threshold", "0.2")
    assert out.splitlines() == ["gene,labels", "x,a/1", "y,a/1;b"]


def test_numbers_are_read_to_the_last_bit(tmp_path, either_reader):
    values = np.random.default_rng(0).random(50)
    rows = "".join(f"{value!r};{value / 3!r}\n".replace(".", ",") for value in values.tolist())
    (tmp_path / "s.csv").write_text("u;v\n" + rows)
    np.testing.assert_array_equal(read_scores(tmp_path / "s.csv").S, np.column_stack([values, values / 3]))


@pytest.mark.parametrize(("given", "sign"), [("tab", "\t"), ("\\t", "\t"), (";", ";"), ("semicolon", ";"), ("^", "^")])
def test_what_is_said_holds(tmp_path, given, sign):
    """Also a sign that is not looked for."""
    (tmp_path / "s.csv").write_text(SCORES.replace(",", sign))
    assert read_scores(tmp_path / "s.csv", TREE, delimiter=given).S[0].tolist() == [0.5, 0.25, -0.001]
    (tmp_path / "h.json").write_text(TREE.to_json())
    common = ["-H", tmp_path / "h.json", "--delimiter", given]
    out, _ = run_command("label", tmp_path / "s.csv", *common, "--threshold", "0.2")
    assert out.splitlines() == ["id,labels", "x,a/1", "y,a/1;b"]
    (tmp_path / "t.csv").write_text("id,labels\nx,a/1\ny,a/1&b\n".replace(",", sign))
    options = ["--scores", tmp_path / "s.csv", *common, "--between", "&", "-m", "auprc", "--ids", "id"]
    run_command("evaluate", tmp_path / "t.csv", *options)
    (tmp_path / "d.csv").write_text("size,labels\n1,a/1\n2,b\n".replace(",", sign))
    out, _ = run_command("describe", tmp_path / "d.csv", "--delimiter", given)
    assert "3 (2 leaves, 2 at the top)" in out


@pytest.mark.parametrize("given", ["two", ";;", '"', ""])
def test_what_cannot_separate_is_refused(tmp_path, given):
    (tmp_path / "s.csv").write_text(SCORES)
    (tmp_path / "h.json").write_text(TREE.to_json())
    said = refusal_of("label", tmp_path / "s.csv", "-H", tmp_path / "h.json", "--delimiter", given)
    wanted = (
        "--delimiter must be one character or more" if given == "" else "--delimiter) must be one character, or tab"
    )
    assert wanted in said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x;labels\n1.234,5;a\n-12.345.678,25;b\n", [1234.5, -12345678.25]),
        ('x,labels\n"1,234.5",a\n7,b\n', [1234.5, 7]),
    ],
)
def test_digits_in_groups_of_three(tmp_path, text, found):
    (tmp_path / "t.csv").write_text(text)
    assert open_dataset(tmp_path / "t.csv")["all"].X[:, 0].tolist() == found


def test_a_point_that_may_separate_thousands_is_told_of(tmp_path):
    (tmp_path / "t.csv").write_text("x;y;labels\n950,5;0,5;a\n1.250;0.125;b\n")
    with pytest.warns(InputWarning, match=r"column 'x' has '1\.250' beside '950,5': read as 1\.25\. Write thousands"):
        open_dataset(tmp_path / "t.csv")
