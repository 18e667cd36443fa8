"""The pages of a server: files that need no network, and a list of the operations made from their description."""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["PAGE_FILES", "write_operations"]

#: Address, file beside this one, and type
PAGE_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}


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
    fields = [(name, field, "body") for name, field in body.get("properties", {}).items()]
    fields += [(given["name"], given["schema"], given["in"]) for given in about.get("parameters", [])]
    rows = "".join(
        f"<tr><th scope='row'><code>{escape(name)}</code></th><td>{escape(_kind(field))}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field, _ in fields
    )
    head = "<thead><tr><th scope='col'>field</th><th scope='col'>type</th><th scope='col'>meaning</th></tr></thead>"
    table = f"<div class='wide'><table>{head}<tbody>{rows}</tbody></table></div>" if rows else ""
    what = escape(" ".join(about.get("description", about.get("summary", "")).split()))
    return f"<section><h2><code>{method.upper()} {escape(path)}</code></h2><p>{what}</p>{table}</section>"


def _kind(field: dict[str, Any]) -> str:
    """Return a field's type in a word or two."""
    kinds = field.get("anyOf", [field])
    words = [json.dumps(kind["enum"]) if "enum" in kind else kind.get("type", "") for kind in kinds]
    return " or ".join(dict.fromkeys(word for word in words if word and word != "null"))
