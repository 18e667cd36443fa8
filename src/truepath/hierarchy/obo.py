"""Ontologies in OBO format: terms become nodes, chosen relations become edges, alternative ids become aliases.

A file is a header and stanzas such as ``[Term]``, each followed by lines ``tag: value``. Of a term these tags count:
``id``, ``name``, ``namespace``, ``alt_id``, ``is_a``, ``relationship``, ``is_obsolete``, ``replaced_by`` and
``consider``; others are passed over, and so are other stanzas, comments (``!``) and modifiers (``{...}``) at the end
of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.english import suggest
from truepath.errors import DataFormatError, HierarchyError
from truepath.files.encodings import decode_text
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import COMPRESSIONS
from truepath.files.text import read_text, split_lines
from truepath.files.unpacking import unpack
from truepath.hierarchy.build import number_edges

_VALUE = re.compile(r"(.*?)(?:\s+\{[^{}]*\})?(?:\s+!.*)?\s*")
_URL = re.compile(r"(?:https?|ftp)://")
_SINGLE = ("id", "name", "namespace")
_LISTS = {"alt_id": "alt_ids", "replaced_by": "replaced_by", "consider": "consider"}
_TAGS = frozenset([*_SINGLE, *_LISTS, "is_a", "relationship", "is_obsolete", "default-namespace"])


@dataclass
class OboTerm:
    """A term as its stanza has it, and where the stanza starts; ``above`` holds relation, term and line."""

    line: int
    id: str = ""
    name: str = ""
    namespace: str = ""
    is_obsolete: bool = False
    alt_ids: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    consider: list[str] = field(default_factory=list)
    above: list[tuple[str, str, int]] = field(default_factory=list)


def read_obo(
    source: Any, relations: Sequence[str], namespaces: Sequence[str] | None, limits: Limits | None = None
) -> tuple[list[str], NDArray[np.int64], dict[str, str], dict[str, str]]:
    """Read the terms of the given namespaces; return ids, numbered pairs, aliases and the names of the terms."""
    if isinstance(relations, str):
        raise TypeError(
            f"relations must be a sequence of names; got the one string {relations!r}. Write [{relations!r}]."
        )
    found = merge_terms(term for term in read_terms(source, limits) if not term.is_obsolete)
    terms = {name: term for name, term in found.items() if term.name}
    chosen = {name: term for name, term in terms.items() if namespaces is None or term.namespace in namespaces}
    if not chosen:
        present = sorted({term.namespace for term in terms.values()} - {""})
        raise HierarchyError(f"no term of the namespaces {list(namespaces or [])!r}; the file has {present}.")
    check_relations({kind for term in found.values() for kind, _, _ in term.above}, relations)
    edges = [
        (parent, child)
        for child, term in chosen.items()
        for kind, parent, line in term.above
        if kind in relations and parent in chosen and _is_another(parent, child, kind, name_of(source), line)
    ]
    aliases = {alias: name for name, term in chosen.items() for alias in term.alt_ids if alias not in chosen}
    return (*number_edges(edges, chosen, None), aliases, {name: term.name for name, term in chosen.items()})


def read_terms(source: Any, limits: Limits | None = None) -> list[OboTerm]:
    """Read all terms as their stanzas have them, obsolete ones too; there must be one with a name that is not."""
    limits = limits or usual_limits()
    terms = list(_terms(_lines(source, limits), name_of(source)))
    if not any(term.name and not term.is_obsolete for term in terms):
        raise DataFormatError(
            "no [Term] with a name: the file is cut short, or it is not an ontology.", name_of(source)
        )
    limits.check("max_labels", len(terms), "{:,} terms", name_of(source))
    return terms


def name_of(source: Any) -> str | None:
    """Return the name of the file or stream, if it has one."""
    if isinstance(source, (str, PathLike)):
        return fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def _lines(source: Any, limits: Limits) -> Iterable[str]:
    if not isinstance(source, (str, PathLike)):
        return iter(source)
    if isinstance(source, str) and _URL.match(source):
        return split_lines(decode_text(_fetch(source, limits), source))
    return split_lines(read_text(source, limits))


def _fetch(url: str, limits: Limits) -> bytes:
    from urllib.request import Request, urlopen

    with urlopen(Request(url, headers={"User-Agent": "truepath"})) as response:  # some servers refuse urllib's name
        found: bytes = response.read(limits.max_bytes + 1)
    limits.check("max_bytes", len(found), "the file takes {:,} bytes or more", url)
    return unpack(BytesIO(found), url, limits) if url.endswith(COMPRESSIONS) else found


# ------------------------------------------------------------------------------------------------ the stanzas


def _terms(lines: Iterable[str], path: str | None) -> Iterator[OboTerm]:
    """Yield the terms one by one, each checked to have an id."""
    term: OboTerm | None = None
    namespace, in_header = "", True
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line[0] == "!":
            continue
        if line[0] == "[":
            if term is not None:
                yield _checked(term, path)
            in_header, term = False, OboTerm(number, namespace=namespace) if line.startswith("[Term]") else None
            continue
        tag, colon, value = line.partition(":")
        if not colon:
            raise DataFormatError(f"{line[:40]!r} is neither 'tag: value' nor a stanza such as [Term].", path, number)
        if tag not in _TAGS or (term is None and not in_header):
            continue
        value = _VALUE.fullmatch(value.lstrip()).group(1)  # type: ignore[union-attr]  # it matches any line
        if in_header:
            namespace = value if tag == "default-namespace" else namespace
        elif term is not None:
            _take(term, tag, value, path, number)
    if term is not None:
        yield _checked(term, path)


def _take(term: OboTerm, tag: str, value: str, path: str | None, number: int) -> None:
    """Keep what one line says of a term."""
    if tag in _SINGLE:
        setattr(term, tag, value)
    elif tag in _LISTS:
        getattr(term, _LISTS[tag]).append(value)
    elif tag == "is_obsolete":
        term.is_obsolete = value == "true"
    elif tag in ("is_a", "relationship"):
        parts = ["is_a", value] if tag == "is_a" else value.split()
        if len(parts) != 2 or not parts[1]:
            raise DataFormatError(f"{tag}: {value[:40]!r} does not name one other term.", path, number)
        term.above.append((parts[0], parts[1], number))


def _is_another(parent: str, child: str, relation: str, path: str | None, line: int) -> bool:
    if parent == child:
        raise DataFormatError(f"the term {child!r} stands in the relation {relation!r} to itself.", path, line)
    return True


def _checked(term: OboTerm, path: str | None) -> OboTerm:
    if not term.id:
        raise DataFormatError("a [Term] without an id.", path, term.line)
    return term


def merge_terms(terms: Iterable[OboTerm]) -> dict[str, OboTerm]:
    """Put the stanzas of one term together."""
    found: dict[str, OboTerm] = {}
    for term in terms:
        known = found.setdefault(term.id, term)
        if known is not term:
            known.name = term.name or known.name
            known.namespace = term.namespace or known.namespace
            known.alt_ids += term.alt_ids
            known.above += term.above
    return found


def check_relations(used: set[str], relations: Sequence[str]) -> None:
    """Refuse a relation that the file never uses: it is most likely misspelled."""
    for relation in relations:
        if used and relation not in used and relation != "is_a":
            problem = f"the relation {relation!r} does not occur in this ontology."
            raise HierarchyError(problem, suggest(relation, sorted(used)))
