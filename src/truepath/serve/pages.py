"""What a server shows: its page, the list of its operations, and its hierarchy; nothing needs a network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from truepath.files.strict_json import dump_json
from truepath.hierarchy import Hierarchy
from truepath.serve.refusals import RefusedError, as_client_errors, shown

#: Address, file beside this one, and type
PAGE_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
#: Types of pictures of the hierarchy
PICTURES = {"svg": "image/svg+xml", "dot": "text/vnd.graphviz; charset=utf-8"}


def write_operations(openapi: dict[str, Any]) -> str:
    """Return a page that lists the operations: what each does, takes and refuses. It has no script."""
    parts = [
        _operation(path, method, about)
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
    ]
    title = f"{escape(openapi['info']['title'])} {escape(openapi['info']['version'])}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f'<title>{title}: operations</title><link rel="stylesheet" href="page.css"></head><body>'
        f'<header><h1>{title}</h1><nav><a href="./">Try it</a> <a href="openapi.json">openapi.json</a></nav></header>'
        f"<main><p>{escape(openapi['info']['description'])} Every refusal is a JSON object with the fields "
        "<code>error</code> and <code>remedy</code>.</p>" + "".join(parts) + "</main></body></html>"
    )


def _operation(path: str, method: str, about: dict[str, Any]) -> str:
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    fields = body.get("properties", {}) | {given["name"]: given["schema"] for given in about.get("parameters", [])}
    rows = "".join(
        f"<tr><th scope='row'><code>{escape(name)}</code></th><td>{escape(_kind(field))}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in fields.items()
    )
    head = "<thead><tr><th scope='col'>field</th><th scope='col'>type</th><th scope='col'>meaning</th></tr></thead>"
    table = f"<div class='wide'><table>{head}<tbody>{rows}</tbody></table></div>" if rows else ""
    what = escape(" ".join(about.get("description", about.get("summary", "")).split()))
    return f"<section><h2><code>{method.upper()} {escape(path)}</code></h2><p>{what}</p>{table}</section>"


def _kind(field: dict[str, Any]) -> str:
    """Return a field's type in a word or two."""
    kinds = field.get("anyOf", [field])
    words = [dump_json(kind["enum"]) if "enum" in kind else kind.get("type", "") for kind in kinds]
    return " or ".join(dict.fromkeys(word for word in words if word and word != "null"))


def show_hierarchy(hierarchy: Hierarchy, labels: Sequence[str], format: str) -> tuple[str, str]:
    """Return content and media type: all labels with their parents, or some with their ancestors.

    Examples
    --------
    >>> show_hierarchy(Hierarchy.from_paths(["a/1", "b"]), ["a/1"], "json")[0]
    '{"labels": [{"name": "a", "parents": []}, {"name": "a/1", "parents": ["a"]}]}'
    """
    with as_client_errors():
        nodes = np.arange(hierarchy.n_nodes)
        if labels:
            chosen = np.zeros((1, hierarchy.n_nodes), bool)
            chosen[0, hierarchy.indices(list(labels))] = True
            nodes = np.flatnonzero(hierarchy.close(chosen)[0])
        if format == "json":
            return dump_json({"labels": [_label(hierarchy, v) for v in nodes.tolist()]}), "application/json"
        if format in PICTURES:
            picture = hierarchy.plot(list(labels) or None)
            return (picture.to_svg() if format == "svg" else picture.to_dot()), PICTURES[format]
    raise RefusedError(422, f"format must be json, svg or dot, not {shown(format)}.", "Leave it out for json.")


def _label(hierarchy: Hierarchy, v: int) -> dict[str, Any]:
    name = str(hierarchy.names[v])
    title = {"title": hierarchy.titles[name]} if name in hierarchy.titles else {}
    return {"name": name, **title, "parents": hierarchy.names[hierarchy.parents(v)].tolist()}
