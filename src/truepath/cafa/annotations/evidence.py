"""Evidence codes of the Gene Ontology, in groups, and the terms of the Evidence Ontology that stand for them."""

from __future__ import annotations

from collections.abc import Iterable

_EXPERIMENTAL = ("EXP", "IDA", "IPI", "IMP", "IGI", "IEP", "HTP", "HDA", "HMP", "HGI", "HEP")
_PHYLOGENETIC = ("IBA", "IBD", "IKR", "IRD")
_COMPUTATIONAL = ("ISS", "ISO", "ISA", "ISM", "IGC", "RCA")
_AUTHOR = ("TAS", "NAS")
_CURATOR = ("IC", "PCS")  # PCS: published clinical study, of the Human Phenotype Ontology

#: Evidence codes by group; "curated" is everything that a person looked at, "cafa" what CAFA counts as experimental
EVIDENCE_GROUPS = {
    "experimental": _EXPERIMENTAL,
    "phylogenetic": _PHYLOGENETIC,
    "computational": _COMPUTATIONAL,
    "author": _AUTHOR,
    "curated": (*_EXPERIMENTAL, *_PHYLOGENETIC, *_COMPUTATIONAL, *_AUTHOR, *_CURATOR),
    "electronic": ("IEA",),
    "cafa": ("EXP", "IDA", "IPI", "IMP", "IGI", "IEP", "TAS", "IC"),
}

_ECO = {
    "ECO:0000269": "EXP",
    "ECO:0000314": "IDA",
    "ECO:0000353": "IPI",
    "ECO:0000315": "IMP",
    "ECO:0000316": "IGI",
    "ECO:0000270": "IEP",
    "ECO:0006056": "HTP",
    "ECO:0007005": "HDA",
    "ECO:0007001": "HMP",
    "ECO:0007003": "HGI",
    "ECO:0007007": "HEP",
    "ECO:0000318": "IBA",
    "ECO:0000319": "IBD",
    "ECO:0000320": "IKR",
    "ECO:0000321": "IRD",
    "ECO:0000250": "ISS",
    "ECO:0000266": "ISO",
    "ECO:0000247": "ISA",
    "ECO:0000255": "ISM",
    "ECO:0000317": "IGC",
    "ECO:0000245": "RCA",
    "ECO:0000304": "TAS",
    "ECO:0000303": "NAS",
    "ECO:0000305": "IC",
    "ECO:0000307": "ND",
    "ECO:0000256": "IEA",
    "ECO:0000265": "IEA",
    "ECO:0000501": "IEA",
    "ECO:0007322": "IEA",
    "ECO:0007826": "IEA",
}


def evidence_codes(groups: str | Iterable[str]) -> set[str]:
    """Return the codes of groups and of codes named on their own.

    Examples
    --------
    >>> from truepath.cafa import evidence_codes
    >>> sorted(evidence_codes(["author", "IEA"]))
    ['IEA', 'NAS', 'TAS']
    """
    codes: set[str] = set()
    for name in [groups] if isinstance(groups, str) else groups:
        if name.lower() not in EVIDENCE_GROUPS and not (name.isalpha() and name.isupper() and len(name) <= 3):
            raise ValueError(f"unknown evidence {name!r}: give codes such as IDA, or {', '.join(EVIDENCE_GROUPS)}.")
        codes.update(EVIDENCE_GROUPS.get(name.lower(), (name,)))
    return codes


def evidence_of_eco(term: str) -> str:
    """Return the code that a term of the Evidence Ontology stands for; one without a code is returned as it is."""
    return _ECO.get(term, term)
