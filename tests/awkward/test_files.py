"""Whole files as people have them, from the command line: each is read right, or refused in a line with the way out."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from commands import refusal_of, run_command

ROWS = [("x", "Food/Fruit"), ("y", "Food/Bread;Drink"), ("z", "Drink")]
PLAIN = pd.DataFrame(ROWS, columns=["id", "labels"])
LISTS = PLAIN.assign(labels=[cell.split(";") for cell in PLAIN.labels])
ZEROS = pd.DataFrame(
    {"id": list("xyz"), "Drink": [0, 1, 1], "Food": [1, 1, 0], "Food/Fruit": [1, 0, 0], "Food/Bread": [0, 1, 0]}
)
EDGES = "parent,child\n,Food\n,Drink\nFood,Food/Fruit\nFood,Food/Bread\n"


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode()


#: The same labels, in files of every kind
TRUTHS = {
    "plain.csv": csv(PLAIN),
    "crlf.csv": csv(PLAIN, lineterminator="\r\n"),
    "old-mac.csv": csv(PLAIN, lineterminator="\r"),
    "quoted.csv": csv(PLAIN, quoting=1),
    "no-end.csv": csv(PLAIN).rstrip(),
    "blank-lines.csv": csv(PLAIN).replace(b"\n", b"\n\n"),
    "blanks.csv": csv(PLAIN.assign(labels=" " + PLAIN.labels.str.replace(";", " ; ") + " ")),
    "tabs.tsv": csv(PLAIN, sep="\t"),
    "tabs.csv": csv(PLAIN, sep="\t"),
    "bars.csv": csv(PLAIN, sep="|"),
    "semicolons.csv": csv(PLAIN, sep=";"),
    "mark.csv": b"\xef\xbb\xbf" + csv(PLAIN),
    "utf16.csv": csv(PLAIN).decode().encode("utf-16"),
    "index.csv": PLAIN.to_csv().encode(),
    "other-order.csv": csv(PLAIN[::-1]),
    "more-columns.csv": csv(PLAIN.assign(note="a, b", size=[1.5, 2, None])),
    "ids-last.csv": csv(PLAIN[["labels", "id"]]),
    "zeros.csv": csv(ZEROS),
    "floats.csv": csv(ZEROS.astype({name: float for name in ZEROS.columns[1:]})),
    "plain.json": PLAIN.to_json(orient="records").encode(),
    "lists.json": LISTS.to_json(orient="records").encode(),
}


@pytest.fixture
def at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.csv").write_text(EDGES)
    (tmp_path / "found.csv").write_bytes(csv(PLAIN))
    return tmp_path


def agrees(truth):
    """Say whether a file holds the labels, by what evaluate prints."""
    out, _ = run_command("evaluate", truth, "found.csv", "-H", "h.csv", "-m", "exact_match", "--json", "--ids", "id")
    return json.loads(out)["exact_match"]["value"] == 1


@pytest.mark.parametrize("name", TRUTHS)
def test_labels_in_files_of_every_kind(at, name):
    (at / name).write_bytes(TRUTHS[name])
    assert agrees(name)


@pytest.mark.parametrize("frame", [PLAIN, LISTS, ZEROS, PLAIN.astype({"labels": "category"})])
@pytest.mark.parametrize("ending", [".parquet", ".pq"])
def test_labels_in_parquet(at, frame, ending):
    frame.to_parquet(at / f"t{ending}")
    assert agrees(f"t{ending}")


#: The same hierarchy, in files of every kind
HIERARCHIES = {
    "h1.csv": EDGES,
    "h2.csv": EDGES.replace("parent,child", "SuperClass,SubClass"),
    "h3.tsv": EDGES.replace(",", "\t"),
    "h4.csv": "\n".join(EDGES.splitlines()[1:]),
    "h5.txt": "Food/Fruit\nFood/Bread\nDrink\n",
    "h6.json": json.dumps({"Food": {"Food/Fruit": {}, "Food/Bread": {}}, "Drink": {}}),
    "h7.json": json.dumps({"Food/Fruit": "Food", "Food/Bread": "Food", "Food": None, "Drink": None}),
    "h8.json": json.dumps([{"name": "Food", "children": ["Food/Fruit", "Food/Bread"]}, {"name": "Drink"}]),
}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_hierarchies_in_files_of_every_kind(at, name):
    (at / name).write_text(HIERARCHIES[name])
    out, _ = run_command("evaluate", "found.csv", "found.csv", "-H", name, "-m", "exact_match", "--json")
    assert json.loads(out)["exact_match"]["value"] == 1


TREE_OF_GO = """format-version: 1.2

[Term]
id: GO:1
name: top

[Term]
id: GO:2
name: below
is_a: GO:1 ! top
"""


def test_an_ontology(at):
    pytest.importorskip("obonet")
    (at / "go.obo").write_text(TREE_OF_GO)
    (at / "s.csv").write_text("gene,GO:1,GO:2\nx,0.9,0.8\ny,0.7,0.1\n")
    out, _ = run_command("label", "s.csv", "-H", "go.obo", "--threshold", "0.5")
    assert out.splitlines() == ["gene,labels", "x,GO:2", "y,GO:1"]


#: Files that cannot be what they should, and what is said of them
WRONG = {
    "picture.csv": (b"\x89PNG\r\n\x1a\n\0\0", "binary file"),
    "page.csv": (b"<html><body>\n404\n</body></html>\n", "labels"),
    "sheet.csv": (b"PK\x03\x04\0\0", "binary file"),
    "gone.csv.gz": (b"id,labels\n", "damaged"),
    "numbers.csv": (b"1,2\n3,4\n", "labels"),
    "no-labels.csv": (b"id,topics\nx,Food\n", "did you mean|--labels"),
    "unclosed.csv": (b'id,labels\nx,"Food\n', "not a table"),
    "wide.csv": (b"id,labels\nx,Food,extra\n", "3 cells"),
    "columns.json": (PLAIN.to_json(orient="columns").encode(), "list of objects"),
    "lines.json": (PLAIN.to_json(orient="records", lines=True).encode(), "not JSON"),
    "empty.parquet": (b"", "Parquet"),
    "broken.npz": (b"PK\x03\x04", "NumPy"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_file_of_labels_is_refused_by_name(at, name):
    raw, said = WRONG[name]
    (at / name).write_bytes(raw)
    refused = refusal_of("evaluate", name, "found.csv", "-H", "h.csv")
    assert name in refused
    assert any(word in refused for word in said.split("|")), refused


def test_matrices_of_numpy_go_by_the_order_of_the_hierarchy(at):
    np.save(at / "t.npy", ZEROS[["Food", "Drink", "Food/Fruit", "Food/Bread"]].to_numpy())
    out, said = run_command("evaluate", "t.npy", "t.npy", "-H", "h.csv", "-m", "exact_match", "--json")
    assert json.loads(out)["exact_match"]["value"] == 1
    assert "row by row" in said
