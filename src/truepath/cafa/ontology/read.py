"""Files of ontologies: OBO, and OBO graphs in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.ontology.obo_graphs import read_graph_terms
from truepath.cafa.ontology.ontology import Ontology
from truepath.errors import HierarchyError
from truepath.files.limits import Limits
from truepath.files.names import ending_of, naming_file
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.build import number_edges
from truepath.hierarchy.obo import OboTerm, check_relations, merge_terms, name_of, read_terms

#: The aspect of terms in files that name none
NO_ASPECT = "ontology"


def read_ontology(
    source: Any,
    *,
    relations: Sequence[str] = ("is_a", "part_of"),
    aspects: Sequence[str] | None = None,
    across_aspects: bool = False,
    follow_replaced: bool = True,
    limits: Limits | None = None,
) -> Ontology:
    """Read an ontology in OBO format, or as an OBO graph in JSON.

    Parameters
    ----------
    source : path, URL or text stream
        A path that ends in ``.json`` (perhaps compressed: .gz, .bz2, .xz) is an OBO graph, anything else OBO.
    relations : sequence of str, default=("is_a", "part_of")
        Which relations make edges, along which annotations are propagated. Relations other than ``is_a`` that the file
        does not have are an error, except for the default. CAFA leaves out ``regulates`` and its kin.
    aspects : sequence of str, optional
        Keep these aspects (namespaces) only; all by default.
    across_aspects : bool, default=False
        Whether edges that lead from one aspect to another count. CAFA drops them.
    follow_replaced : bool, default=True
        Whether an obsolete id that has exactly one replacement stands for it. cafaeval drops such ids.
    limits : Limits, optional

    Returns
    -------
    ontology : Ontology
        Its ``report`` says how many edges and terms were left out, and why.

    Examples
    --------
    See :class:`Ontology`.
    """
    if isinstance(relations, str):
        raise TypeError(f"relations must be a sequence of names; got the string {relations!r}. Write [{relations!r}].")
    is_path = isinstance(source, (str, PathLike))
    terms = read_graph_terms(source, limits) if is_path and ending_of(source) == ".json" else read_terms(source, limits)
    with naming_file(name_of(source)):
        return _build(terms, relations, aspects, across_aspects, follow_replaced)


def _build(
    terms: list[OboTerm],
    relations: Sequence[str],
    aspects: Sequence[str] | None,
    across_aspects: bool,
    follow_replaced: bool,
) -> Ontology:
    found = merge_terms(term for term in terms if not term.is_obsolete)
    gone = merge_terms(term for term in terms if term.is_obsolete and term.id not in found)
    live = {name: term for name, term in found.items() if term.name}
    chosen = _choose(live, aspects)
    check_relations({kind for term in found.values() for kind, _, _ in term.above}, _asked(relations))
    edges, counts = _edges(chosen, relations, across_aspects)
    aliases = {alias: name for name, term in chosen.items() for alias in term.alt_ids if alias not in chosen}
    holders: dict[str, dict[str, None]] = {}
    for name, term in chosen.items():
        for alias in term.alt_ids:
            holders.setdefault(alias, {})[name] = None
    titles = {name: term.name for name, term in chosen.items()}
    hierarchy = Hierarchy(*number_edges(edges, chosen, None), aliases, titles=titles)
    replaced = _replacements(gone, hierarchy) if follow_replaced else {}
    counts |= {
        "obsolete terms": len(gone),
        "obsolete terms with a replacement": len(replaced),
        "alternative ids": len(aliases),
        "terms of other aspects": len(live) - len(chosen),
        "terms without a name": len(found) - len(live),
    }
    return Ontology(
        hierarchy=hierarchy,
        aspects=_node_sets(hierarchy, {name: _aspect(term) for name, term in chosen.items()}),
        replaced=replaced,
        consider={name: (*term.replaced_by, *term.consider) for name, term in gone.items() if name not in replaced},
        report=counts,
        shared={alias: (*names,) for alias, names in holders.items() if len(names) > 1 and alias not in chosen},
    )


def _asked(relations: Sequence[str]) -> Sequence[str]:
    """Not every ontology has part_of: it is checked only if it was asked for."""
    return () if tuple(relations) == ("is_a", "part_of") else relations


def _aspect(term: OboTerm) -> str:
    return term.namespace or NO_ASPECT


def _choose(terms: dict[str, OboTerm], aspects: Sequence[str] | None) -> dict[str, OboTerm]:
    chosen = {name: term for name, term in terms.items() if aspects is None or _aspect(term) in aspects}
    if not chosen:
        present = sorted({_aspect(term) for term in terms.values()})
        raise HierarchyError(f"no term of the aspects {list(aspects or [])!r}; the file has {present}.")
    return chosen


def _edges(
    chosen: dict[str, OboTerm], relations: Sequence[str], across_aspects: bool
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Return pairs (parent, child), and how many relations were left out and why."""
    edges: dict[tuple[str, str], None] = {}
    counts = {
        "edges between aspects left out": 0,
        "relations of other kinds left out": 0,
        "relations to no other term": 0,
    }
    for child, term in chosen.items():
        for kind, parent, _ in term.above:
            if kind not in relations:
                counts["relations of other kinds left out"] += 1
            elif parent not in chosen or parent == child:
                counts["relations to no other term"] += 1
            elif not across_aspects and _aspect(term) != _aspect(chosen[parent]):
                counts["edges between aspects left out"] += 1
            else:
                edges[parent, child] = None
    return list(edges), counts


def _replacements(gone: Mapping[str, OboTerm], hierarchy: Hierarchy) -> dict[str, str]:
    """Return the obsolete ids that lead to one term, through other obsolete ones if need be."""
    found = {}
    for name in gone:
        at, seen = name, {name}
        while at in gone and len(gone[at].replaced_by) == 1 and gone[at].replaced_by[0] not in seen:
            at = gone[at].replaced_by[0]
            seen.add(at)
        if at in hierarchy:
            found[name] = str(hierarchy.names[hierarchy.index(at)])
    return found


def _node_sets(hierarchy: Hierarchy, aspects: dict[str, str]) -> dict[str, NDArray[np.int64]]:
    of = np.array([aspects[name] for name in hierarchy.names.tolist()], object)
    return {aspect: np.flatnonzero(of == aspect) for aspect in sorted(set(of.tolist()))}
