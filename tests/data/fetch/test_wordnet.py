"""WordNet's nouns, made from files in its format: a hand-made one, checked with a pencil."""

from __future__ import annotations

import csv
import hashlib
import lzma

import pytest

from truepath.data import list_datasets, load_dataset, make_wordnet
from truepath.errors import DataFormatError, TruePathError, UnknownDatasetError

NOUNS = """\
  1 This software and database is being provided to you, the LICENSEE, by
  2 Somebody.
00000001 03 n 01 entity 0 000 | that which is
00000002 03 n 02 living_thing 0 organism 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | a being; "it lives"
00000003 05 n 01 animal 0 001 @ 00000002 n 0000 | a living thing that moves
00000004 05 n 01 pet 0 002 @ 00000003 n 0000 + 00000009 v 0101 | kept at home
00000005 05 n 01 dog 0 002 @ 00000003 n 0000 @ 00000004 n 0000 | it barks, mostly
00000006 05 n 01 Rex 0 001 @i 00000005 n 0000 | a dog of that name
00000007 05 n 01 cat 0 002 @ 00000003 n 0000 @ 00000004 n 0000 | it purrs
0000000A 05 n 0a a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 001 @ 00000001 n 0000 | ten words, counted in hex
""".replace("0000000A", "00000010")


@pytest.fixture
def source(tmp_path):
    (tmp_path / "dict").mkdir()
    (tmp_path / "dict" / "data.noun").write_text(NOUNS)
    return tmp_path


def table(path):
    with lzma.open(path, "rt", newline="") as file:
        return list(csv.reader(file))


def test_rows_and_edges(source, tmp_path):
    folder = make_wordnet(source, home=tmp_path / "home", min_synsets=2)
    assert folder == tmp_path / "home/text/wordnet_nouns"
    # below: entity 7, living thing 5, animal 4, pet 3 (dog, Rex, cat), dog 1
    assert table(folder / "edges.csv.xz") == [
        ["parent", "child"],
        ["", "entity.00000001"],
        ["animal.00000003", "pet.00000004"],
        ["entity.00000001", "living_thing.00000002"],
        ["living_thing.00000002", "animal.00000003"],
    ]
    header, *rows = table(folder / "rows.csv.xz")
    assert header == ["id", "split", "words", "gloss", "labels"]
    assert [(row[2], row[4]) for row in rows] == [
        ("living thing; organism", "entity.00000001"),
        ("animal", "living_thing.00000002"),
        ("pet", "animal.00000003"),
        ("dog", "pet.00000004"),
        ("Rex", "pet.00000004"),
        ("cat", "pet.00000004"),
        ("a; b; c; d; e; f; g; h; i; j", "entity.00000001"),
    ]
    assert rows[0][3] == 'a being; "it lives"'
    assert (folder / "LICENSE").read_text().startswith("This software and database")


def test_splits_are_those_of_the_hash(source, tmp_path):
    _, *rows = table(make_wordnet(source, home=tmp_path, min_synsets=1) / "rows.csv.xz")
    digits = {row[0]: int(hashlib.sha256(row[0].encode()).hexdigest(), 16) % 10 for row in rows}
    assert {row[0]: row[1] for row in rows} == {
        key: "test" if digit == 0 else "valid" if digit == 1 else "train" for key, digit in digits.items()
    }


def test_it_loads_by_name(source, tmp_path):
    with pytest.raises(UnknownDatasetError, match="truepath fetch wordnet-nouns --from FOLDER"):
        load_dataset("wordnet-nouns", home=tmp_path, download=True)
    make_wordnet(source / "dict", home=tmp_path, min_synsets=2)
    assert "wordnet-nouns" in list_datasets(tmp_path)
    ds = load_dataset("wordnet-nouns", home=tmp_path)
    assert ds.hierarchy.n_nodes == 4
    texts = {key: text for split in ds.splits.values() for key, text in zip(split.ids, split.X)}
    assert texts["00000005"] == "dog: it barks, mostly"
    labels = {key: names for s in ds.splits.values() for key, names in zip(s.ids, ds.hierarchy.decode(s.y))}
    assert labels["00000007"] == ("pet.00000004",)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("00000011 05 n 01 fish 0 001 @ 99999999 n 0000 | swims", "'99999999' is pointed to, but is not in the file"),
        ("00000011 05 n 02 fish 0 001", "data.noun:11: .* is not a synset of WordNet"),
        ("fish", "data.noun:11: .* is not a synset of WordNet"),
        ("00000011 05 n zz fish 0 000 | swims", "data.noun:11: .* is not a synset of WordNet"),
    ],
)
def test_other_files_are_refused(line, problem, source):
    (source / "dict" / "data.noun").write_text(NOUNS + line + "\n")
    with pytest.raises(DataFormatError, match=problem):
        make_wordnet(source, home=source)


def test_a_folder_without_the_file(tmp_path):
    with pytest.raises(TruePathError, match=r"has no file data\.noun, nor dict/data\.noun"):
        make_wordnet(tmp_path)
