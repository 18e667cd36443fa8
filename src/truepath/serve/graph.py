"""The hierarchy of a served model, or the part above some labels, as JSON or as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from truepath.hierarchy import Hierarchy
from truepath.serve.refusals import RefusedError, blaming_request

__all__ = ["show_hierarchy"]

PICTURES = {"svg": "image/svg+xml", "dot": "text/vnd.graphviz; charset=utf-8"}


def show_hierarchy(hierarchy: Hierarchy, labels: Sequence[str], format: str) -> tuple[Any, int, None, str]:
    """Return content, status, headers and media type: all labels with their parents, or some with their ancestors.

    Examples
    --------
    >>> show_hierarchy(Hierarchy.from_paths(["a/1", "b"]), ["a/1"], "json")[0]
    '{"labels": [{"name": "a", "parents": []}, {"name": "a/1", "parents": ["a"]}]}'
    """
    import numpy as np

    with blaming_request():
        nodes = np.arange(hierarchy.n_nodes)
        if labels:
            chosen = np.zeros((1, hierarchy.n_nodes), bool)
            chosen[0, hierarchy.indices(list(labels))] = True
            nodes = np.flatnonzero(hierarchy.close(chosen)[0])
        if format == "json":
            return json.dumps({"labels": [_label(hierarchy, v) for v in nodes.tolist()]}), 200, None, "application/json"
        if format in PICTURES:
            picture = hierarchy.plot(list(labels) or None)
            return (picture.to_svg() if format == "svg" else picture.to_dot()), 200, None, PICTURES[format]
    raise RefusedError(422, f"format must be json, svg or dot, not {format!r}.")


def _label(hierarchy: Hierarchy, v: int) -> dict[str, Any]:
    name = str(hierarchy.names[v])
    title = {"title": hierarchy.titles[name]} if name in hierarchy.titles else {}
    return {"name": name, **title, "parents": hierarchy.names[hierarchy.parents(v)].tolist()}
