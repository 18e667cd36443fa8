"""Tables of members and the pages of the API, made from the registries and from what the modules promise.

``.. members:: combiners`` becomes a table of that registry (or of the presets), ``.. capabilities:: learner`` one of
what its members can do, ``.. default-model::`` the rules of the default, ``.. options::`` what all options of the
command line take. The pages under ``api/``, one for each module, are written before Sphinx looks for its sources.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import truepath
from truepath.adapters.capabilities import CAPABILITIES, capability_table
from truepath.classifier import describe_default
from truepath.cli.app import COMMANDS
from truepath.cli.cafa.group import CAFA_COMMANDS
from truepath.cli.methods import KINDS, list_members
from truepath.cli.shared.kinds import list_declared
from truepath.cli.taxonomy.group import HIERARCHY_COMMANDS
from truepath.public import written_in

#: Column of a table, and where its cells come from
COLUMNS = {
    "name": "name",
    "what it is": "summary",
    "import": "path",
    "needs": "needs",
    "files": "endings",
    "learns from": "learns_from",
    "paper": "reference",
    "as published": "published",
    "in what it differs": "differs",
}
#: Promised elsewhere: the package's own names come first, errors are shown as a tree
PAGES = [room for room in truepath._ROOMS if room != "errors"]


def member_table(kind: str) -> list[str]:
    """Return the lines of a table of all members of a kind; columns that would be empty are left out."""
    rows = list_members(kind)
    columns = {head: key for head, key in COLUMNS.items() if any(row.get(key) for row in rows)}
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in [list(columns), *([_cell(key, row.get(key)) for key in columns.values()] for row in rows)]:
        lines += [f"   {'* -' if k == 0 else '  -'} {cell}".rstrip() for k, cell in enumerate(cells)]
    return lines


#: Capabilities that only the library itself asks for
INTERNAL = ("cost", "warming up")
#: What stands in a cell of the table of capabilities
MARKS = {"exact": "exact", "approximate": "approx.", "as its members": "as its members", "no": ""}


def capability_lines(kind: str) -> list[str]:
    """Return the lines of a table of what the members of a kind can do; capabilities that none has are left out."""
    rows = [row for row in capability_table() if row["kind"] == kind]
    columns = [name for name in CAPABILITIES if name not in INTERNAL and any(row[name] != "no" for row in rows)]
    lines = [".. list-table::", "   :header-rows: 1", ""]
    table = [["", *columns], *([f"``{row['class']}``", *(MARKS[row[name]] for name in columns)] for row in rows)]
    for cells in table:
        lines += [f"   {'* -' if k == 0 else '  -'} {cell}".rstrip() for k, cell in enumerate(cells)]
    return lines


def option_lines() -> list[str]:
    """Return the lines of a table of all options with a value: what it must be, and where they are."""
    groups = {"": sum(COMMANDS.values(), ()), "cafa ": sum(CAFA_COMMANDS.values(), ())}
    where: dict[tuple[str, str], list[str]] = {}
    for group, functions in {**groups, "hierarchy ": HIERARCHY_COMMANDS}.items():
        for function in functions:
            for one in list_declared(function):
                if one.is_option and one.kind is not None:
                    where.setdefault((one.typed, one.kind.wanted), []).append(f"{group}{function.__name__}")
    lines = [".. list-table::", "   :header-rows: 1", "", "   * - option", "     - a value is", "     - of"]
    for (option, wanted), commands in sorted(where.items()):
        lines += [f"   * - ``{option}``", f"     - {wanted}", f"     - {', '.join(commands)}"]
    return lines


def _cell(key: str, value: Any) -> str:
    if not value:
        return ""
    if key == "path":
        kind = "class" if inspect.isclass(_find(value)) else "func"
        return f":{kind}:`~{value}`"
    if key == "name":
        return f"``{value}``"
    if value is True:
        return "yes"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def api_page(room: str) -> str:
    """Return the page of a module: its first line, and every class and function it promises."""
    module = import_module(f"truepath.{room}")
    about = (module.__doc__ or "").partition("\n\n")[0]
    named = [name for name in module.__all__ if callable(getattr(module, name)) and name not in truepath.__all__]
    members = "\n".join(f"   {name}" for name in sorted(named, key=str.lower))
    title = f"truepath.{room}"
    return (
        f"{title}\n{'=' * len(title)}\n\n{about}\n\n.. currentmodule:: {title}\n\n"
        f".. autosummary::\n   :toctree: generated\n\n{members}\n"
    )


def write_api(folder: Path) -> None:
    """Write the pages of all modules; one that is as it was stays untouched, so that it is not read again."""
    folder.mkdir(exist_ok=True)
    pages = {folder / f"{room}.rst": api_page(room) for room in PAGES}
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in set(folder.glob("*.rst")) - set(pages):
        path.unlink()
    for path in (folder / "generated").glob("truepath.*.rst"):  # of names that are promised no longer
        if not _is_there(path.stem):
            path.unlink()


def _is_there(path: str) -> bool:
    try:
        _find(path)
    except (ImportError, AttributeError):
        return False
    return True


def find_source(app: Any, modname: str, attribute: str) -> str | None:
    """Return the file a promised class or function is written in, for the links to the source."""
    value = getattr(import_module(modname), attribute.partition(".")[0], None)
    return written_in(value) if value is not None else None


def drop_foreign_references(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn references of inherited docstrings into text: scikit-learn's pages are not here to be linked to."""
    if getattr(obj, "__module__", None) and not obj.__module__.startswith("truepath"):
        lines[:] = [re.sub(r":ref:`([^`<]*?)(?: <[^>`]*>)?`", r"\1", line) for line in lines]


def show_sources() -> None:
    """Let autodoc read attributes in the files that a module's classes are written in, as if they were the module's."""
    from sphinx.pycode import ModuleAnalyzer

    for room in PAGES:
        module = import_module(f"truepath.{room}")
        files = {written_in(getattr(module, name)): None for name in module.__all__ if hasattr(module, name)}
        texts = [inspect.getsource(import_module(name)) for name in files if name.startswith(module.__name__)]
        ModuleAnalyzer.cache["module", module.__name__] = ModuleAnalyzer.for_string("\n".join(texts), module.__name__)


def setup(app: Any) -> dict[str, bool]:
    """Enter the directive, and write the pages."""
    from sphinx.util.docutils import SphinxDirective

    class Members(SphinxDirective):
        """``.. members:: KIND``."""

        required_arguments = 1

        def run(self) -> Any:
            kind = self.arguments[0]
            if kind not in KINDS:
                raise self.error(f"there are no {kind!r}: members must be of {', '.join(KINDS)}")
            written = "\n".join(member_table(kind))
            return self.parse_text_to_nodes(written.replace("@", r"\@"))  # no address of a mail

    class Capabilities(SphinxDirective):
        """``.. capabilities:: KIND``."""

        required_arguments = 1

        def run(self) -> Any:
            return self.parse_text_to_nodes("\n".join(capability_lines(self.arguments[0])))

    class DefaultModel(SphinxDirective):
        """``.. default-model::``."""

        def run(self) -> Any:
            lines = [f"   {line}" for line in describe_default().splitlines()]
            return self.parse_text_to_nodes("\n".join([".. code-block:: text", "", *lines]))

    class Options(SphinxDirective):
        """``.. options::``."""

        def run(self) -> Any:
            return self.parse_text_to_nodes("\n".join(option_lines()))

    app.add_directive("members", Members)
    app.add_directive("options", Options)
    app.add_directive("capabilities", Capabilities)
    app.add_directive("default-model", DefaultModel)
    app.connect("viewcode-follow-imported", find_source)
    app.connect("autodoc-process-docstring", drop_foreign_references)
    write_api(Path(app.srcdir) / "api")
    show_sources()
    return {"parallel_read_safe": True, "parallel_write_safe": True}
