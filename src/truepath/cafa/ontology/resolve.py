"""Ids looked up in an ontology: current, alternative, replaced, obsolete or unknown."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from truepath.cafa.ontology.ontology import Ontology


@dataclass(frozen=True)
class Resolved:
    """Ids looked up in an ontology.

    Attributes
    ----------
    nodes : ndarray of int64
        The node of each id, -1 where there is none.
    counts : dict of str to int
        How many of the ids were current, alternative, replaced, obsolete (without one replacement) and unknown.
    changed : dict of str to str
        The ids that became others.
    lost : dict of str to tuple of str
        The ids that are not terms, with the terms that the ontology says to consider instead.
    """

    nodes: NDArray[np.int64]
    counts: dict[str, int]
    changed: dict[str, str]
    lost: dict[str, tuple[str, ...]]


def resolve(ontology: Ontology, ids: Sequence[str], counts: Sequence[int] | None = None) -> Resolved:
    """Look ids up; ``counts`` is how often each occurs."""
    known: dict[str, Container[str]] = {
        "current": ontology.hierarchy.numbers,
        "alternative": ontology.alternative_ids,
        "replaced": ontology.replaced,
        "obsolete": ontology.consider,
    }
    nodes = np.array([ontology.known_ids.get(name, -1) for name in ids], np.int64)
    tally = dict.fromkeys((*known, "unknown"), 0)
    changed, lost = {}, {}
    for k, name in enumerate(ids):
        kind = next((kind for kind, of_kind in known.items() if name in of_kind), "unknown")
        tally[kind] += 1 if counts is None else int(counts[k])
        if kind in ("alternative", "replaced"):
            changed[name] = str(ontology.hierarchy.names[nodes[k]])
        elif kind != "current":
            lost[name] = tuple(ontology.consider.get(name, ()))
    return Resolved(nodes, tally, changed, lost)
