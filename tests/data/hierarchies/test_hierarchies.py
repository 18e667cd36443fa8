"""Hierarchies in their own files: every format and ending, new formats, and bad input named."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest
from hypothesis import given, settings

from strategies import hierarchies
from truepath import Hierarchy
from truepath.data import (
    read_hierarchy,
    toy_hierarchy,
)
from truepath.data.hierarchies.base import HIERARCHIES, HierarchyReader
from truepath.errors import (
    CycleError,
    DataFormatError,
    HierarchyError,
    TruePathError,
)

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


@settings(max_examples=20)
@given(hierarchies())
def test_json_comes_back(hierarchy):
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "h.json"
    path.write_text(hierarchy.to_json(), encoding="utf-8")
    assert read_hierarchy(path) == hierarchy


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": {"b": {}}, "a": {"c": {}}}', "has the key 'a' twice"),
        ('{"a": {"b\\ud800": {}}}', "holds half a character"),
    ],
)
def test_json_that_would_lose_labels_or_cannot_be_written_again_is_refused(tmp_path, text, said):
    with pytest.raises(DataFormatError, match=rf"h\.json: .*{said}"):
        read_hierarchy(write(tmp_path, "h.json", text))


def test_each_kind_of_file(tmp_path):
    expected = {("a", "a/1"), ("a", "a/2")}
    texts = {
        "h.csv": "parent,child\n,a\na,a/1\na,a/2\n,b\n",
        "bare.csv": 'a,"a/1"\na,a/2\n,b\n',
        "h.tsv": "a\ta/1\na\ta/2\n\tb\n",
        "h.edges": "a a/1\na a/2\n",
        "tabs.txt": "a\ta/1\na\ta/2\n",
        "h.txt": "a/1\na/2\nb\n",
        "h.paths": "a/1\n\na/2\n",
        "h.arff": "@relation r\n@attribute f numeric\n@attribute class hierarchical a/1,a/2,b\n@data\n1,b\n",
    }
    for name, text in texts.items():
        h = read_hierarchy(write(tmp_path, name, text))
        assert {(h.names[u], h.names[v]) for u, v in h.edges} == expected, name
    rooted = read_hierarchy(write(tmp_path, "root.csv", "top,a\na,a/1\na,a/2\n"), root="top")
    assert rooted.roots.size == 1
    assert read_hierarchy(write(tmp_path, "arrows.txt", "a > b\n"), sep=" > ").n_nodes == 2
    assert read_hierarchy("toy") == toy_hierarchy()


def test_an_ontology(tmp_path):
    text = "format-version: 1.2\n\n[Term]\nid: T:1\nname: top\n\n[Term]\nid: T:2\nname: below\nis_a: T:1\n"
    assert read_hierarchy(write(tmp_path, "h.obo", text)).n_edges == 1


BAD_HIERARCHIES = [
    ("h.csv", "a,b,c\n", DataFormatError, r"h\.csv:1: 'a,b,c' is not an edge"),
    ("h.csv", "a,b\nb,a\n", CycleError, r"h\.csv: the hierarchy has a cycle"),
    ("h.csv", "a,b\na,\n", DataFormatError, r"h\.csv:2: .* is not an edge"),
    ("h.json", "{}", DataFormatError, r"h\.json: "),
    ("h.txt", "a//b\n", DataFormatError, "empty part"),
    ("h.txt", "# nothing\n", DataFormatError, "no label path"),
    ("h.doc", "a\n", DataFormatError, r"ending in '\.doc'"),
    ("h.csv", "", DataFormatError, "empty"),
]


@pytest.mark.parametrize(("name", "text", "error", "match"), BAD_HIERARCHIES)
def test_bad_hierarchies_are_named(tmp_path, name, text, error, match):
    with pytest.raises(error, match=match):
        read_hierarchy(write(tmp_path, name, text))


def test_neither_file_nor_data_set(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_hierarchy(tmp_path / "none.json")
    with pytest.raises(TruePathError, match="is not a file of a hierarchy either: no data set 'tyo'"):
        read_hierarchy("tyo")
    assert issubclass(HierarchyError, TruePathError)


def test_every_ending_is_one_formats_own():
    endings = [ending for reader in HIERARCHIES.members() for ending in reader.endings]
    assert len(set(endings)) == len(endings)
    assert set(endings) == {".csv", ".tsv", ".tab", ".edges", ".json", ".obo", ".paths", ".txt"}
    assert all(reader.summary for reader in HIERARCHIES.members())


@pytest.mark.parametrize(("ending", "separator"), [(".csv", ","), (".tsv", "\t"), (".tab", "\t"), (".edges", " ")])
@pytest.mark.parametrize("pack", [".gz", ".xz", ".bz2"])
def test_edges_by_every_ending(tmp_path, ending, separator, pack):
    text = "\n".join(f"a{separator}{child}" for child in ("b", "c")) + "\n"
    path = tmp_path / f"h{ending}{pack}"
    path.write_bytes({".gz": gzip, ".xz": lzma, ".bz2": bz2}[pack].compress(text.encode()))
    assert read_hierarchy(path).names.tolist() == ["a", "b", "c"]


def test_a_new_format_is_found_by_existing(tmp_path):
    class Dots(HierarchyReader):
        name = "dots"
        summary = "label paths with dots"
        endings = (".dots",)

        @staticmethod
        def read(path, sep, root, limits):
            return Hierarchy.from_paths(path.read_text().split(), sep=".")

    try:
        assert read_hierarchy(write(tmp_path, "h.dots", "a.b c")).names.tolist() == ["a", "a.b", "c"]
    finally:
        del HIERARCHIES._members["dots"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [null]}',
        '{"nodes": [null], "links": []}',
        '{"nodes": false, "links": [{"source": "a", "target": "b"}]}',
        '{"links": [{"source": true, "target": "b"}]}',
        '[{"id": "b", "parent": [null]}]',
        '[{"id": "b", "parent": 1.5}]',
        '[{"name": null, "children": []}]',
        '{"name": "a", "children": [null]}',
        '{"format": null, "names": ["a"], "edges": [[0, false]]}',
        "null",
        "1" * 5000,
        "[" * 100_000,
    ],
)
def test_json_with_something_that_is_no_name(tmp_path, text):
    file = tmp_path / "h.json"
    file.write_text(text)
    with pytest.raises(DataFormatError, match=r"h\.json"):
        read_hierarchy(file)
