"""OBO graphs: ontologies as JSON, nodes and edges named by addresses such as ``.../obo/GO_0006915``."""

from __future__ import annotations

from typing import Any

from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.strict_json import read_json
from truepath.hierarchy.obo import OboTerm

#: What relations are called, by the last part of their addresses; a file may say so itself
RELATIONS = {
    "is_a": "is_a",
    "BFO_0000050": "part_of",
    "BFO_0000051": "has_part",
    "BFO_0000066": "occurs_in",
    "RO_0002211": "regulates",
    "RO_0002212": "negatively_regulates",
    "RO_0002213": "positively_regulates",
}
_NAMESPACE, _ALTERNATIVE, _CONSIDER, _REPLACED = "hasOBONamespace", "hasAlternativeId", "consider", "IAO_0100001"
_LISTS = {_ALTERNATIVE: "alt_ids", _CONSIDER: "consider", _REPLACED: "replaced_by"}


def read_graph_terms(path: PathType, limits: Limits | None = None) -> list[OboTerm]:
    """Read the terms of all graphs in a file."""
    content = read_json(path, limits)
    graphs = content.get("graphs") if isinstance(content, dict) else None
    if not isinstance(graphs, list) or not all(isinstance(graph, dict) for graph in graphs):
        raise DataFormatError("not an OBO graph: a JSON object with a list 'graphs' is expected.", path)
    try:
        terms = [term for graph in graphs for term in _read_graph(graph)]
    except (KeyError, TypeError, AttributeError) as problem:
        raise DataFormatError(f"an OBO graph with something missing or misplaced: {problem!r}.", path) from None
    if not any(term.name and not term.is_obsolete for term in terms):
        raise DataFormatError("no node of type CLASS with a label: this is not an ontology.", path)
    return terms


def _read_graph(graph: dict[str, Any]) -> list[OboTerm]:
    nodes = graph.get("nodes") or []
    relations = {
        _last(node["id"]): node["lbl"].replace(" ", "_")
        for node in nodes
        if node.get("type") == "PROPERTY" and node.get("lbl")
    }
    default = _default_namespace(graph)
    terms = {node["id"]: _read_node(node, default) for node in nodes if node.get("type", "CLASS") == "CLASS"}
    for edge in graph.get("edges") or []:
        if edge["sub"] in terms:
            kind = _last(edge["pred"])
            relation = RELATIONS.get(kind) or relations.get(kind, kind)
            terms[edge["sub"]].above.append((relation, _short(edge["obj"]), 0))
    return list(terms.values())


def _default_namespace(graph: dict[str, Any]) -> str:
    values = (graph.get("meta") or {}).get("basicPropertyValues") or []
    return next((_text(value["val"]) for value in values if _last(value["pred"]) == "default-namespace"), "")


def _read_node(node: dict[str, Any], namespace: str) -> OboTerm:
    meta = node.get("meta") or {}
    term = OboTerm(0, _short(node["id"]), _text(node.get("lbl") or ""), namespace, bool(meta.get("deprecated")))
    for value in meta.get("basicPropertyValues") or []:
        kind = _last(value["pred"])
        if kind == _NAMESPACE:
            term.namespace = _text(value["val"])
        elif kind in _LISTS:
            getattr(term, _LISTS[kind]).append(_short(value["val"]))
    return term


def _last(address: str) -> str:
    """Return what follows the last slash or hash."""
    return address.rpartition("/")[2].rpartition("#")[2]


def _short(address: str) -> str:
    """Return the id that an address stands for: ``GO:0006915`` for ``http://purl.obolibrary.org/obo/GO_0006915``."""
    return _last(address).replace("_", ":", 1) if "/" in _text(address) else address


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not a text")
    return value
