"""Templates become a page: everything escaped, styles and script inside, nothing to fetch.

The page carries a content security policy: no connections at all, and no script except the one written here, by its
hash. So even markup that slipped through escaping could not run.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from truepath.dates import now
from truepath.extras import import_extra
from truepath.files.strict_json import dump_json
from truepath.files.writing import write_text
from truepath.report.chart_parts import number
from truepath.versions import installed_versions

#: The files of the page's script; each needs those before it
SCRIPT = (
    *("dom", "unpack", "state", "tree", "numbers", "colours"),
    *("icicle", "moving", "details", "bars", "controls", "search"),
    *("rows", "panel", "label_table", "confusion", "curves", "thresholds", "compare"),
    *("address", "start"),
)


def write_page(path: str | PathLike[str], template: str, context: dict[str, Any], data: Any = None) -> Path:
    """Fill a template and write the page in one step: the file is either the old one or the whole new one."""
    created = now().strftime("%Y-%m-%d %H:%M %Z")
    page = render(template, {**context, "created": created, "versions": installed_versions()}, data)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, page)
    return path


def render(template: str, context: dict[str, Any], data: Any = None) -> str:
    """Fill a template; ``data`` is embedded as JSON for the page's script."""
    jinja2 = import_extra("jinja2", "Rendering a report", "report")
    loader = jinja2.PackageLoader("truepath.report")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["fixed"] = number
    script = "" if data is None else join_script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    inside = {"style": read_part("page.css"), "script": script, "script_hash": digest, "data": embed(data)}
    return environment.get_template(template).render(**context, **inside)


def join_script() -> str:
    """Return the page's script: its files one after the other, in one function, so that nothing of it is global."""
    parts = "\n".join(read_part(f"js/{name}.js") for name in SCRIPT)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def read_part(name: str) -> str:
    """Read one of the files beside the templates."""
    return resources.files("truepath.report").joinpath("templates", name).read_text(encoding="utf-8")


def embed(data: Any) -> str:
    """Write JSON that is safe inside a script element: ASCII, and never a ``<`` that could end it."""
    return dump_json(data, separators=(",", ":")).replace("<", "\\u003c")
