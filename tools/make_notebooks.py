"""Write the scripts of the gallery as notebooks beside them: ``python tools/make_notebooks.py``.

A script is a docstring followed by cells that start with ``# %%`` and comments; comments become Markdown. Notebooks
are stored without outputs. ``tests/docs/test_notebooks.py`` says when one is out of date, and runs some.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def make_notebook(script: Path) -> str:
    """Return the text of a script's notebook."""
    text = script.read_text(encoding="utf-8")
    opening = ast.parse(text).body[0]
    cells = [_markdown(ast.literal_eval(opening.value).strip())]
    body = "\n".join(text.splitlines()[opening.end_lineno :])
    for part in re.split(r"^# %%.*\n", body, flags=re.M):
        comment = re.match(r"(?:#.*\n)*", part)[0]
        words = "\n".join(line.removeprefix("#").removeprefix(" ") for line in comment.splitlines())
        cells += [_markdown(words)] if words.strip() else []
        code = part[len(comment) :].strip("\n")
        cells += [_cell("code", code) | {"execution_count": None, "outputs": []}] if code.strip() else []
    cells = [cell | {"id": f"cell-{k}"} for k, cell in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(kind: str, text: str) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}


def _markdown(text: str) -> dict[str, Any]:
    """Return a cell of what was written for Sphinx: headings, names of the library, formulas and code in Markdown."""
    text = re.sub(r"^(.+)\n=+$", r"# \1", text, flags=re.M)
    text = re.sub(r"^(.+)\n-+$", r"## \1", text, flags=re.M)
    text = re.sub(r":math:`([^`]+)`", r"$\1$", text)
    text = re.sub(r":\w+:`~?([^`<]+?)(?: <[^`>]*>)?`", r"`\1`", text)
    return _cell("markdown", text.replace("``", "`"))


def main() -> None:
    """Write all notebooks."""
    for script in sorted(EXAMPLES.glob("plot_*.py")):
        script.with_suffix(".ipynb").write_text(make_notebook(script), encoding="utf-8")


if __name__ == "__main__":
    main()
