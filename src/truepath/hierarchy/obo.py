"""Ontologies in OBO format: terms become nodes, chosen relations become edges, alternative ids become aliases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import HierarchyError
from truepath.hierarchy.build import number_edges
from truepath.hierarchy.names import nearest

__all__ = ["read_obo"]


def read_obo(
    source: Any, relations: Sequence[str], namespaces: Sequence[str] | None
) -> tuple[list[str], NDArray[np.int64], dict[str, str]]:
    """Read the terms of the given namespaces; return names, numbered pairs and aliases."""
    if isinstance(relations, str):
        raise TypeError(
            f"relations must be a sequence of names; got the one string {relations!r}. Write [{relations!r}]."
        )
    graph = _load(source)  # obonet leaves obsolete terms out; its arcs lead from child to parent
    chosen = [term for term, data in graph.nodes(data=True) if _is_wanted(data, namespaces)]
    if not chosen:
        present = sorted({data.get("namespace", "") for _, data in graph.nodes(data=True)} - {""})
        raise HierarchyError(f"no term of the namespaces {list(namespaces or [])!r}; the file has {present}.")
    _check_relations(graph, relations)
    kept, wanted = set(chosen), set(relations)
    edges = [
        (parent, child) for child, parent, kind in graph.edges(keys=True) if kind in wanted and {parent, child} <= kept
    ]
    aliases = {alias: term for term in chosen for alias in graph.nodes[term].get("alt_id", []) if alias not in kept}
    return (*number_edges(edges, chosen, None), aliases)


def _load(source: Any) -> Any:
    try:
        import obonet
    except ImportError as error:
        raise ImportError(
            "reading OBO files needs obonet; install it with `pip install truepath[ontology]`."
        ) from error
    return obonet.read_obo(source)


def _is_wanted(data: dict[str, Any], namespaces: Sequence[str] | None) -> bool:
    """Leave out stubs that are only referred to (they have no name), and other namespaces."""
    return "name" in data and (namespaces is None or data.get("namespace") in namespaces)


def _check_relations(graph: Any, relations: Sequence[str]) -> None:
    """A relation the file never uses is most likely a misspelling."""
    used = {kind for _, _, kind in graph.edges(keys=True)}
    for relation in relations:
        if used and relation not in used and relation != "is_a":
            near = nearest(relation, used) or sorted(used)
            raise HierarchyError(f"the relation {relation!r} does not occur in this ontology; it has {near}.")
