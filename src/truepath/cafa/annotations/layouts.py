"""Files of annotations: where each format has target, term, evidence and so on, and what the cells mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from truepath.cafa.annotations.evidence import evidence_of_eco
from truepath.errors import DataFormatError
from truepath.files.names import PathType
from truepath.files.text import head_lines

_GO_EVIDENCE = re.compile(r"(?:^|\|)go_evidence=([A-Z]{2,3})(?:\||$)")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


def _target(word: str) -> str:
    if not word:
        raise ValueError("an empty target")
    return word


def _term(word: str) -> str:
    if ":" not in word or word.startswith(":") or word.endswith(":") or " " in word:
        raise ValueError(f"{word[:40]!r} is not a term id, such as GO:0006915")
    return word


def _evidence(word: str) -> str:
    if not (word.isalpha() and word.isupper() and 2 <= len(word) <= 3):
        raise ValueError(f"{word[:40]!r} is not an evidence code, such as IDA")
    return word


def _eco(word: str) -> str:
    if not word.startswith("ECO:"):
        raise ValueError(f"{word[:40]!r} is not an evidence term, such as ECO:0000314")
    return evidence_of_eco(word)


def _properties(word: str) -> str:
    """Return the evidence code among the properties of a GPAD line, if it is there."""
    found = _GO_EVIDENCE.search(word)
    return found[1] if found else ""


def _taxon(word: str) -> str:
    first = word.partition("|")[0]
    number = first.rpartition(":")[2]
    if not first.startswith(("taxon:", "NCBITaxon:")) or not number.isdigit():
        raise ValueError(f"{word[:40]!r} is not a taxon, such as taxon:9606")
    return number


def _date(word: str) -> int:
    plain = word[:10].replace("-", "") if _ISO.match(word) else word
    try:
        if len(plain) != 8 or not plain.isdigit():
            raise ValueError
        date(int(plain[:4]), int(plain[4:6]), int(plain[6:]))
    except ValueError:
        raise ValueError(f"{word[:40]!r} is not a date, such as 20240131") from None
    return int(plain)


def _biocuration(word: str) -> int:
    """Return the first date in brackets; there may be none."""
    found = _ISO.search(word)
    return _date(found[0]) if found else 0


def _negation(word: str) -> bool:
    return "NOT" in word.upper().split("|")


_Columns = Mapping[str, tuple[int, Callable[[str], Any]]]


@dataclass(frozen=True)
class FileLayout:
    """The columns of a format, by name: their places from 0 on, and what reads a cell, or raises an error."""

    columns: _Columns
    at_least: int
    comment: str = "!"
    has_header: bool = False


_GAF: _Columns = {
    "target": (1, _target),
    "is_negated": (3, _negation),
    "term": (4, _term),
    "evidence": (6, _evidence),
    "taxon": (12, _taxon),
    "date": (13, _date),
}
_GPAD_1: _Columns = {
    "target": (1, _target),
    "is_negated": (2, _negation),
    "term": (3, _term),
    "evidence": (5, _eco),
    "date": (8, _date),
    "properties": (11, _properties),
}
_GPAD_2: _Columns = {**_GPAD_1, "target": (0, _target), "is_negated": (1, _negation)}
_HPOA: _Columns = {
    "target": (0, _target),
    "is_negated": (2, _negation),
    "term": (3, _term),
    "evidence": (5, _evidence),
    "date": (11, _biocuration),
}

#: The formats that :func:`read_annotations` knows
LAYOUTS = {
    "gaf": FileLayout(_GAF, 15),
    "gpad-1": FileLayout(_GPAD_1, 10),
    "gpad-2": FileLayout(_GPAD_2, 10),
    "hpoa": FileLayout(_HPOA, 12, comment="#", has_header=True),
    "genes-to-phenotype": FileLayout({"target": (1, _target), "term": (2, _term)}, 3, comment="#", has_header=True),
    "pairs": FileLayout({"target": (0, _target), "term": (1, str)}, 2),
}
#: How lines begin that say which format a file has
BEGINNINGS = {
    "!gaf-version": "gaf",
    "!gpa-version": "gpad-1",
    "!gpad-version": "gpad-2",
    "database_id\t": "hpoa",
    "ncbi_gene_id\t": "genes-to-phenotype",
}


def find_layout(path: PathType) -> FileLayout:
    """Return the format of a file, by its first lines."""
    for line in head_lines(path):
        for beginning, name in BEGINNINGS.items():
            if line.lower().startswith(beginning):
                return LAYOUTS[name]
        if line and line[0] not in "!#":
            return _by_width(line, path)
    raise DataFormatError("the file has only comments.", path)


def _by_width(line: str, path: PathType) -> FileLayout:
    width = line.count("\t") + 1
    if width >= 15:
        return LAYOUTS["gaf"]
    if 2 <= width < 10:  # further columns are passed over
        return LAYOUTS["pairs"]
    raise DataFormatError(
        f"annotations of {width} columns in an unknown format.",
        path,
        remedy=f"Say which with format=: {', '.join(LAYOUTS)}; or keep the columns of targets and terms only.",
    )
