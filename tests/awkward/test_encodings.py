"""Tables in other encodings: UTF-8 with and without a mark, UTF-16, Latin-1; and files that are no text."""

from __future__ import annotations

import gzip
import json
import warnings

import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy
from truepath.data import read_hierarchy, read_labels, read_scores, write_labels
from truepath.data.tables import cut
from truepath.data.tables.streams import stream_columns
from truepath.errors import DataFormatError, GuessedEncodingWarning, TruePathError

TREE = Hierarchy.flat(["Café", "Thé"])
SCORES = "id;Café;Thé\r\nNoël;0,5;1\r\nÖl;0,25;0\r\n"
pytestmark = pytest.mark.filterwarnings("ignore::truepath.errors.GuessedEncodingWarning")
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


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_said_holds(tmp_path, encoding):
    (tmp_path / "s.csv").write_bytes(SCORES.encode(encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_scores(tmp_path / "s.csv", TREE, encoding=encoding).ids.tolist() == ["Noël", "Öl"]


def test_latin_1_for_want_of_anything_better_is_said(tmp_path):
    (tmp_path / "s.csv").write_bytes(SCORES.encode("latin-1"))
    with pytest.warns(GuessedEncodingWarning, match=r"s\.csv is not UTF-8 and is read as Latin-1 .*--encoding"):
        read_scores(tmp_path / "s.csv", TREE)
    (tmp_path / "h.json").write_text(TREE.to_json(), encoding="utf-8")
    label = ["label", tmp_path / "s.csv", "-H", tmp_path / "h.json"]
    _, said = run_command(*label)
    assert said.count("s.csv is not UTF-8 and is read as Latin-1") == 1
    _, said = run_command(*label, "--encoding", "latin-1")
    assert "UTF-8" not in said
    assert "byte 0xe9 is not UTF-8" in refusal_of(*label, "--encoding", "utf-8")
    assert "not text in ascii" in refusal_of(*label, "--encoding", "ascii")


def test_other_encodings_can_be_said(tmp_path):
    (tmp_path / "s.csv").write_bytes("id,茶\nx,1\n".encode("shift_jis"))
    assert read_scores(tmp_path / "s.csv", Hierarchy.flat(["茶"]), encoding="shift_jis").S.tolist() == [[1]]
    with pytest.raises(TruePathError, match=r"--encoding.*there is no encoding 'utf9'"):
        read_scores(tmp_path / "s.csv", encoding="utf9")
