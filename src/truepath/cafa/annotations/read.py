"""Readers of annotations: every format by its layout, each different cell parsed once, bad lines named."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.annotations.annotations import Annotations, Coded
from truepath.cafa.annotations.layouts import LAYOUTS, FileLayout, find_layout
from truepath.cafa.tables.columns import TabRows, read_rows
from truepath.cafa.tables.problems import Problems
from truepath.files.limits import Limits
from truepath.files.names import PathType


def read_annotations(
    path: PathType, *, format: str | None = None, bad: str = "raise", limits: Limits | None = None
) -> Annotations:
    r"""Read a file of annotations: GAF 2.x, GPAD 1.x or 2.0, phenotype.hpoa, genes_to_phenotype.txt, or pairs.

    Parameters
    ----------
    path : path
        Plain or compressed (.gz, .bz2, .xz), of any size.
    format : {"gaf", "gpad-1", "gpad-2", "hpoa", "genes-to-phenotype", "pairs"}, optional
        By default detected from the first lines. ``"pairs"`` is ``target<TAB>term``.
    bad : {"raise", "skip"}, default="raise"
        What to do about lines that are not as the format says: raise an error that names the first, or leave them out
        and list them in ``problems.bad``.
    limits : Limits, optional

    Returns
    -------
    annotations : Annotations

    Notes
    -----
    Each different cell is parsed once, and every column of a line takes four bytes. Lines read are lines kept, skipped
    (empty, comments, header) and bad: the counts in ``problems`` add up.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from truepath.cafa import read_annotations
    >>> line = "UniProtKB\tP1\tG\tNOT|enables\tGO:3\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20240131\tX"
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/one.gaf", "w") as file:
    ...         _ = file.write("!gaf-version: 2.2\n" + line + "\n")
    ...     annotations = read_annotations(f"{folder}/one.gaf")
    >>> annotations, annotations.select(evidence="experimental", taxa=9606).negatives.targets
    (Annotations(1 lines, 1 targets, 1 negated), ['P1'])
    """
    if format is not None and format not in LAYOUTS:
        raise ValueError(f"format must be one of {', '.join(LAYOUTS)}; got {format!r}.")
    layout = LAYOUTS[format] if format is not None else find_layout(path)
    problems, columns = Problems(bad), {name: _Column() for name in layout.columns}
    width = 1 + max(place for place, _ in layout.columns.values())
    is_first = layout.has_header
    for rows in read_rows(path, width, problems, at_least=layout.at_least, comment=layout.comment, limits=limits):
        if is_first and rows.n_rows:
            rows, is_first = rows.take(np.arange(rows.n_rows) > 0), False
            problems.n_skipped += 1
        _add(rows, layout, columns, path, problems)
    problems.finish()
    return _assemble({name: column.coded() for name, column in columns.items()}, problems)


class _Column:
    """Values by cell, numbered across the pieces of a file; and the numbers of the rows."""

    def __init__(self) -> None:
        self.index: dict[Any, int] = {}
        self.parts: list[NDArray[np.int32]] = [np.empty(0, np.int32)]

    def coded(self) -> Coded:
        return Coded(list(self.index), np.concatenate(self.parts))


def _add(rows: TabRows, layout: FileLayout, columns: dict[str, _Column], path: PathType, problems: Problems) -> None:
    """Parse the different cells of each column once, record rows with a bad one, and keep the codes of the others."""
    is_good, found = np.ones(rows.n_rows, bool), {}
    for name, (place, parse) in layout.columns.items():
        codes, words = rows.numbered(place)
        numbers = np.full(len(words), -1, np.int32)
        for k, word in enumerate(words):
            try:
                value = parse(word)
            except ValueError as wrong:
                for i in np.flatnonzero((codes == k) & is_good).tolist():
                    problems.add(path, int(rows.lines[i]), str(wrong))
                is_good &= codes != k
                continue
            numbers[k] = columns[name].index.setdefault(value, len(columns[name].index))
        found[name] = numbers[codes]
    for name, numbers in found.items():
        columns[name].parts.append(numbers[is_good])


def _assemble(columns: dict[str, Coded], problems: Problems) -> Annotations:
    """Put the columns together; those that a format lacks are empty."""
    lacking = {"evidence": "", "properties": "", "taxon": "", "date": 0, "is_negated": False}
    none = np.zeros(columns["target"].codes.size, np.int32)
    columns = {name: Coded([value], none) for name, value in lacking.items()} | columns
    date, negated = columns["date"], columns["is_negated"]
    return Annotations(
        target=columns["target"],
        term=columns["term"],
        evidence=_evidence(columns["evidence"], columns["properties"]),
        taxon=columns["taxon"],
        date=np.array(date.words, np.int32)[date.codes],
        is_negated=np.array(negated.words, bool)[negated.codes],
        problems=problems,
    )


def _evidence(evidence: Coded, properties: Coded) -> Coded:
    """Return the evidence; a code among the properties of a GPAD line counts before the term of its ontology."""
    if not any(properties.words):
        return evidence
    words = list(dict.fromkeys([*evidence.words, *properties.words]))
    place = {word: k for k, word in enumerate(words)}
    first, second = (np.array([place[w] for w in part.words], np.int32)[part.codes] for part in (evidence, properties))
    return Coded(words, np.where(second == place[""], first, second) if "" in place else second)


def read_gene_products(path: PathType) -> dict[str, str]:
    """Read the taxon of each gene product from a GPI file (1.x or 2.0), for :meth:`Annotations.with_taxa`.

    Ids are as in the GPAD file of the same version: without the database in 1.x, with it in 2.0.
    """
    problems = Problems()
    found: dict[str, str] = {}
    for rows in read_rows(path, 7, problems, at_least=6):
        for i in range(rows.n_rows):
            is_old = not rows.cell(i, 0).count(":")
            taxon = rows.cell(i, 6 if is_old else 5)
            if not taxon.rpartition(":")[2].isdigit():
                problems.add(path, int(rows.lines[i]), f"{taxon[:40]!r} is not a taxon, such as taxon:9606")
                continue
            found[rows.cell(i, 1 if is_old else 0)] = taxon.rpartition(":")[2]
    problems.raise_if_any("Write GPI as the Gene Ontology does.")
    return found
