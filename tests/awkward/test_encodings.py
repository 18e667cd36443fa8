"""Tables in other encodings: UTF-8 with and without a mark, UTF-16, Latin-1; and files that are no text."""

from __future__ import annotations

import gzip
import json

import pytest

from commands import run_command
from truepath import Hierarchy
from truepath.data import read_hierarchy, read_labels, read_scores, write_labels
from truepath.data.tables import cut
from truepath.data.tables.streams import stream_columns
from truepath.errors import DataFormatError

TREE = Hierarchy.flat(["Café", "Thé"])
SCORES = "id;Café;Thé\r\nNoël;0,5;1\r\nÖl;0,25;0\r\n"
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]


@pytest.mark.parametrize("large", [1 << 60, 0], ids=["plain", "compiled"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_scores(tmp_path, monkeypatch, encoding, large):
    monkeypatch.setattr(cut, "LARGE", large)
    (tmp_path / "s.csv").write_bytes(SCORES.encode(encoding))
    table = read_scores(tmp_path / "s.csv", TREE)
    assert table.S.tolist() == [[0.5, 1], [0.25, 0]]
    assert table.ids.tolist() == ["Noël", "Öl"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_labels_and_long_tables(tmp_path, encoding, ending):
    raw = "nom\tlabels\nNoël\tThé\n".encode(encoding)
    file = tmp_path / f"l.{ending}"
    file.write_bytes(gzip.compress(raw) if ending.endswith("gz") else raw)
    table = read_labels(file, TREE)
    assert table.y.tolist() == [[False, True]]
    assert table.ids.tolist() == ["Noël"]
    (block,) = stream_columns(file, 64)
    assert block.texts("labels").tolist() == ["Thé"]


@pytest.mark.parametrize("raw", [b"id;a\n\x01\xff;1\n", b"id,a\nx,\xe9\x9d\n", b"id,a\nx,1\0\n"])
def test_bytes_that_are_no_text_are_refused(tmp_path, raw):
    (tmp_path / "s.csv").write_bytes(raw)
    with pytest.raises(DataFormatError, match=r"not UTF-8|binary"):
        read_scores(tmp_path / "s.csv", Hierarchy.flat(["a"]))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_file_of_edges(tmp_path, encoding):
    (tmp_path / "h.csv").write_bytes("parent;child\nThé;Noir\n".encode(encoding))
    assert read_hierarchy(tmp_path / "h.csv").names.tolist() == ["Thé", "Noir"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_names_of_columns_on_the_command_line(tmp_path, encoding):
    """A matrix of 0 and 1 whose columns are only known once its letters are."""
    (tmp_path / "h.json").write_text(TREE.to_json(), encoding="utf-8")
    (tmp_path / "t.csv").write_bytes("gène,Café,Thé\nx,1,0\ny,0,1\n".encode(encoding))
    (tmp_path / "p.csv").write_bytes("id,labels\ny,Thé\nx,Café\n".encode(encoding))
    options = ["-H", tmp_path / "h.json", "-m", "exact_match", "--ids", "gène", "--json"]
    out, said = run_command("evaluate", tmp_path / "t.csv", tmp_path / "p.csv", *options)
    assert json.loads(out)["exact_match"]["value"] == 1
    assert "2 rows matched by 'gène' and 'id'" in said


def test_a_header_longer_than_the_first_look(tmp_path):
    tree = Hierarchy.flat([f"a label with a long name {v}" for v in range(4000)])
    Y = tree.encode([["a label with a long name 3999"]])
    write_labels(tmp_path / "y.csv", Y, tree, matrix=True)
    assert read_labels(tmp_path / "y.csv", tree).y.sum() == 1
