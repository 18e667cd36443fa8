"""Write the tree of modules in CONTRIBUTING.md: every module of the package with the first sentence of its docstring.

Run as ``python tools/write_tree.py``; a test compares the page with what this would write. Modules stand in the order
of the import contract in ``pyproject.toml``, lowest first: each may import those above it.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from textwrap import wrap

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "truepath"
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"(```\nsrc/truepath/\n).*?(```\n)", re.DOTALL)
WIDTH = 120


def order_of_imports() -> list[list[str]]:
    """Return the layers of the import contract, lowest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[name.strip() for name in layer.split("|")] for layer in reversed(layers)]


def first_sentence(path: Path) -> str:
    """Return the first sentence of a module's docstring, on one line, without references."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0].split())
    text = re.sub(r":\w+:`~?\.?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "")
    return re.split(r"(?<=[a-z)])\. |\.$", text)[0]


def tree() -> str:
    """Return the lines of the tree."""
    lines, inner = [], {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    layers = order_of_imports()
    listed = {name for layer in layers for name in layer}
    unlisted = sorted((inner | {path.stem for path in PACKAGE.glob("[a-z]*.py")}) - listed)
    for name in [*unlisted, *(name for layer in layers for name in sorted(layer))]:
        path = PACKAGE / name / "__init__.py" if name in inner else PACKAGE / f"{name}.py"
        called = f"{name}/" if name in inner else f"{name}.py"
        lines += wrap(f"  {called:<16}{first_sentence(path)}", WIDTH, subsequent_indent=" " * 18)
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return CONTRIBUTING.md with the tree as it is now."""
    text = PAGE.read_text(encoding="utf-8")
    made, n = BLOCK.subn(lambda found: found[1] + tree() + found[2], text)
    if n != 1:
        raise SystemExit(f"{PAGE.name} must hold one block that begins with ``` and src/truepath/; found {n}.")
    return made


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote the tree of modules into {PAGE.name}")
