"""Submissions: what is written is valid, survives reading, and every kind of mistake is refused with its line."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse

from truepath.cafa import (
    Predictions,
    SubmissionRules,
    check_submission,
    prepare_submission,
    read_long_table,
    read_ontology,
    write_long_table,
    write_submission,
)

OBO = """[Term]
id: GO:1
name: process
namespace: biological_process

[Term]
id: GO:2
name: growth
namespace: biological_process
alt_id: GO:20
is_a: GO:1

[Term]
id: GO:3
name: cell growth
namespace: biological_process
is_a: GO:2

[Term]
id: GO:4
name: function
namespace: molecular_function

[Term]
id: GO:8
name: vague
is_obsolete: true
consider: GO:3
"""
ONTOLOGY = read_ontology(io.StringIO(OBO))
GOOD = ["P1\tGO:1\t0.9", "P1\tGO:2\t0.5", "P1\tGO:3\t0.25", "P2\tGO:4\t1.0"]


def write(folder, lines):
    path = folder / "s.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_valid_submission_has_no_mistakes(tmp_path):
    rules = SubmissionRules(propagated=True)
    assert check_submission(write(tmp_path, GOOD), ONTOLOGY, rules=rules, targets=["P1", "P2", "P3"]) == []
    framed = ["AUTHOR\tteam", "MODEL\t1", "KEYWORDS\thomology.", *GOOD, "END"]
    assert check_submission(write(tmp_path, framed), ONTOLOGY, rules=rules) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("P1\tGO:4", "2 columns where 3 are needed"),
        ("P1\tGO:4\t0.5\tmore", "4 columns where 3 are allowed"),
        ("P1 GO:4 0.5", "1 column where 3 are needed"),
        ("P1\tGO:4\thigh", "the score is not a number"),
        ("P1\tGO:4\tnan", "the score is not a number"),
        ("P1\tGO:4\t0", "the score 0 is not above 0 and at most 1"),
        ("P1\tGO:4\t0.000", "the score 0 is not above 0"),
        ("P1\tGO:4\t1.5", "the score 1.5 is not above 0"),
        ("P1\tGO:4\t-0.5", "the score -0.5 is not"),
        ("P1\tGO:4\t0.1234", "the score 0.1234 has more than 3 decimals"),
        ("P1\tGO:99\t0.5", "'GO:99' is not in the ontology"),
        ("P1\tGO:8\t0.5", "'GO:8' is obsolete; consider GO:3"),
        ("P1\tGO:20\t0.5", "'GO:20' is an old id: write 'GO:2'"),
        ("P7\tGO:4\t0.5", "'P7' is not one of the targets"),
        ("\tGO:4\t0.5", "an empty target"),
        ("P2\tGO:4\t0.5", "this target and term were given before"),
        ("P2\tGO:3\t0.5", "the term scores above a parent, or the parent is missing"),
        ("P2\tGO:1\t0.5\nP2\tGO:2\t0.6", "the term scores above a parent"),
    ],
)
def test_each_kind_of_mistake_is_refused_with_its_line(tmp_path, line, reason):
    rules = SubmissionRules(propagated=True)
    found = check_submission(write(tmp_path, [*GOOD, line]), ONTOLOGY, rules=rules, targets=["P1", "P2"])
    assert [bad.line for bad in found] == [4 + len(line.split("\n"))]
    assert found[0].reason.startswith(reason) or reason in found[0].reason
    assert found[0].path == str(tmp_path / "s.tsv")


def test_too_many_terms_and_wrong_aspects(tmp_path):
    path = write(tmp_path, GOOD)
    assert [bad.line for bad in check_submission(path, ONTOLOGY, rules=SubmissionRules(max_terms=2))] == [3]
    (bad,) = check_submission(path, ONTOLOGY, aspects=["BPO"])
    assert (bad.line, bad.reason) == (4, "'GO:4' belongs to molecular_function")
    assert check_submission(write(tmp_path, ["END"]), ONTOLOGY)[0].reason == "no predictions"


def predictions():
    rng = np.random.default_rng(0)
    scores = rng.random((5, 4)) * (rng.random((5, 4)) < 0.7)
    scores[0, 0] = 1.7
    return Predictions([f"P{i}" for i in range(5)], sparse.csr_array(scores), ONTOLOGY)


@pytest.mark.parametrize("max_terms", [1, 2, 9])
def test_what_is_written_is_valid_and_closed(tmp_path, max_terms):
    rules = SubmissionRules(max_terms=max_terms, decimals=2, propagated=True)
    (path,) = write_submission(predictions(), tmp_path / "s.tsv", rules=rules)
    assert check_submission(path, ONTOLOGY, rules=rules) == []
    found = Predictions.of(path, ONTOLOGY, [f"P{i}" for i in range(5)])
    ready = prepare_submission(predictions(), rules)
    assert (found.scores - ready.scores).nnz == 0
    assert ONTOLOGY.hierarchy.is_coherent(found.scores)


def test_one_file_per_aspect(tmp_path):
    paths = write_submission(predictions(), tmp_path / "s.tsv", split_aspects=True)
    assert [path.name for path in paths] == ["s_biological_process.tsv", "s_molecular_function.tsv"]
    for path, aspect in zip(paths, ONTOLOGY.aspects):
        assert check_submission(path, ONTOLOGY, aspects=[aspect]) == []
    whole = write_submission(predictions(), tmp_path / "all.tsv")[0].read_text()
    assert sorted("".join(path.read_text() for path in paths).splitlines()) == sorted(whole.splitlines())


def test_tables_survive_a_file(tmp_path):
    table = predictions().table
    again = read_long_table(write_long_table(table, tmp_path / "t.tsv"), scored=True)
    pairs = [
        (t.targets[a], t.terms[b], s) for t in (table, again) for a, b, s in zip(t.target_codes, t.term_codes, t.scores)
    ]
    assert pairs[: len(table)] == pairs[len(table) :]
    assert predictions().top("P0", 1) == [("GO:1 process", 1.7)]


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="max_terms"):
        SubmissionRules(max_terms=0)
