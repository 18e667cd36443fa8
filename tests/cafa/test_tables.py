"""Long tables and accretion: read in pieces, bad lines named, nothing lost in silence."""

import gzip

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.cafa import (
    Ontology,
    information_accretion,
    read_accretion,
    read_long_table,
    write_accretion,
)
from truepath.errors import DataFormatError
from truepath.files import pieces
from truepath.metrics import information_content


def write(folder, text, name="t.tsv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def pairs(table):
    return [
        (table.targets[t], table.terms[v]) if table.scores is None else (table.targets[t], table.terms[v], s)
        for t, v, s in zip(
            table.target_codes, table.term_codes, np.zeros(len(table)) if table.scores is None else table.scores
        )
    ]


def test_pairs_and_scores(tmp_path):
    path = write(tmp_path, "P1\tGO:1\t0.5\textra\r\n\nP2\tGO:2\t1e-2\n!note\nP1\tGO:2\t1\n")
    assert pairs(read_long_table(path)) == [("P1", "GO:1"), ("P2", "GO:2"), ("P1", "GO:2")]
    table = read_long_table(path, scored=True)
    assert pairs(table) == [("P1", "GO:1", 0.5), ("P2", "GO:2", 0.01), ("P1", "GO:2", 1.0)]
    assert (table.problems.n_lines, table.problems.n_skipped, table.problems.n_bad) == (5, 2, 0)


@pytest.mark.parametrize("size", [1, 3, 7, 30, 1000])
def test_pieces_of_any_size_give_the_same(tmp_path, monkeypatch, size):
    text = "".join(f"P{i % 7}\tGO:{i % 5}\t0.{i + 1}\n" for i in range(40)) + "P1\tGO:1\t0.5"
    monkeypatch.setattr(pieces, "PIECE", size)
    monkeypatch.setattr(pieces.stream_pieces, "__defaults__", (None, size))
    plain = read_long_table(write(tmp_path, text), scored=True)
    packed = read_long_table(write(tmp_path, gzip.compress(text.encode()), "t.tsv.gz"), scored=True)
    wanted = [tuple(line.split("\t")) for line in text.splitlines()]
    assert [(a, b, str(s)) for a, b, s in pairs(plain)] == [(a, b, str(float(s))) for a, b, s in wanted]
    assert pairs(plain) == pairs(packed)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("P1\tGO:1", "2 columns where 3 are needed"),
        ("P1", "1 column where 3 are needed"),
        ("P1\tGO:1\thigh", "the score 'high' is not a number"),
        ("P1\tGO:1\tnan", "the score 'nan' is not a number"),
        ("P1\tGO:1\tinf", "the score 'inf' is not a number"),
        ("\tGO:1\t0.5", "an empty target"),
        ("P1\t\t0.5", "an empty term"),
        ("P1\t\udce9\t0.5", "not UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, reason):
    text = f"P0\tGO:0\t0.5\n! comment\n{line}\nP2\tGO:2\t0.5\n"
    path = write(tmp_path, text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataFormatError, match=reason) as caught:
        read_long_table(path, scored=True)
    assert caught.value.where == f"{path}:3"
    table = read_long_table(path, scored=True, bad="skip")
    assert [str(bad) for bad in table.problems.bad] == [f"{path}:3: {table.problems.bad[0].reason}"]
    problems = table.problems
    assert problems.n_lines == problems.n_skipped + problems.n_bad + len(table) == 4


def test_other_targets_are_counted(tmp_path):
    path = write(tmp_path, "P1\tGO:1\t0.5\nP2\tGO:1\t0.5\nP3\tGO:1\t0.5\n")
    table = read_long_table(path, scored=True, only=["P2"])
    assert pairs(table) == [("P2", "GO:1", 0.5)]
    assert table.problems.left_out == {"other targets": 2}


def test_headers_are_no_facts(tmp_path):
    submission = "AUTHOR\tteam\nMODEL\t1\nKEYWORDS\thomology.\nP1\tGO:1\t0.5\nEND\n"
    assert pairs(read_long_table(write(tmp_path, submission), scored=True)) == [("P1", "GO:1", 0.5)]
    table = read_long_table(write(tmp_path, "target\tterm\tscore\nP1\tGO:1\t0.5\n"), scored=True)
    assert pairs(table) == [("P1", "GO:1", 0.5)]
    assert table.problems.n_skipped == 1


def test_a_damaged_archive_is_named(tmp_path):
    path = write(tmp_path, gzip.compress(b"P1\tGO:1\n" * 9000)[:-20], "t.tsv.gz")
    with pytest.raises(DataFormatError, match="damaged or cut short"):
        read_long_table(path)


# ------------------------------------------------------------------------------------------------ accretion

HIERARCHY = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("s", "d")])
ONTOLOGY = Ontology.of(HIERARCHY, {"R": ["r", "a", "b", "c"], "S": ["s", "d"]})
ANNOTATIONS = {"P1": ["c"], "P2": ["a"], "P3": ["d"], "P4": ["b"], "P5": ["r"]}


def test_accretion_is_counted_in_each_aspect():
    ia = information_accretion(ANNOTATIONS, ONTOLOGY, dummy=False)
    assert ia == pytest.approx({"r": 0, "a": 1, "b": 1, "c": 0, "s": 0, "d": 0})
    ia = information_accretion(ANNOTATIONS, ONTOLOGY)  # five targets in R with the made-up one; c: 2 of 2
    assert ia == pytest.approx({"r": 0, "a": np.log2(5 / 3), "b": np.log2(5 / 3), "c": 0, "s": 0, "d": 0})


def test_accretion_of_one_aspect_is_the_metric():
    ontology, Y = Ontology.of(HIERARCHY), HIERARCHY.encode([["c", "d"], ["a"], ["d"], ["b", "s"]])
    ia = information_accretion(Y, ontology, dummy=False)
    assert list(ia.values()) == pytest.approx(information_content(Y, HIERARCHY).tolist())


def test_accretion_survives_a_file(tmp_path):
    ia = information_accretion(ANNOTATIONS, ONTOLOGY)
    assert read_accretion(write_accretion(ia, tmp_path / "IA.txt")) == ia


@pytest.mark.parametrize("line", ["a", "a\tmuch", "a\t-1", "a\tinf", "a\tnan"])
def test_a_bad_accretion_is_named(tmp_path, line):
    with pytest.raises(DataFormatError, match=r"IA\.txt:2"):
        read_accretion(write(tmp_path, f"r\t0\n{line}\n", "IA.txt"))
