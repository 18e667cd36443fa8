"""``truepath.toml``: the options of a project, one table per command; what is typed wins.

The file is looked for in the folder where a command is run. A table or key that no command has is refused with the name
that may have been meant, and values are read as if they were typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from truepath.cli.shared.kinds import Kind, Refused, list_declared
from truepath.english import suggest
from truepath.errors import DataFormatError
from truepath.files.toml import read_toml

FILE = Path("truepath.toml")


def read_project(group: Any, invoked: str | None) -> dict[str, Any]:
    """Return the options that the file of this folder sets for a command, as click takes defaults; say which.

    Parameters
    ----------
    group : click.Group
        The one with all commands.
    invoked : str or None
        The command that is run: the names of all tables are checked, the options of this one only.
    """
    if not FILE.is_file() or not FILE.stat().st_size:
        return {}
    tables = read_toml(FILE)
    for name in tables:
        _find(group, name)
    if invoked not in tables:
        return {}
    return {invoked: _defaults(group.commands[invoked], tables[invoked], invoked)}


def _find(group: Any, name: str) -> Any:
    """Return a command of a group."""
    if name not in group.commands:
        raise DataFormatError(f"there is no command {name!r}.", FILE, remedy=suggest(name, group.commands))
    return group.commands[name]


def _defaults(command: Any, table: Any, path: str) -> dict[str, Any]:
    """Return the values of a table by parameter; of a group, those of its commands by name."""
    if not isinstance(table, Mapping):
        raise DataFormatError(f"{path!r} must be a table of options, [{path.replace(' ', '.')}].", FILE)
    if hasattr(command, "commands"):
        return {name: _defaults(_find(command, name), part, f"{path} {name}") for name, part in table.items()}
    params = command.get_params(typer.Context(command))
    options = {option: param for param in params for option in param.opts if option[:2] == "--"}
    kinds = {one.typed: one.kind for one in list_declared(inspect.unwrap(command.callback))}
    found = {}
    for key, value in table.items():
        option = f"--{key.replace('_', '-')}"
        if option not in options or option == "--help":
            known = [name[2:] for name in options if name != "--help"]
            raise DataFormatError(f"truepath {path} has no option {key!r}.", FILE, remedy=suggest(key, known))
        param = options[option]
        found[param.name] = _read(param, kinds.get(option), value, f"[{path}] {key}")
    if found:
        used = ", ".join(f"--{key.replace('_', '-')}" for key in table)
        typer.echo(f"truepath: {FILE} sets {used}; what is typed wins", err=True)
    return found


def _read(param: Any, kind: Kind | None, value: Any, where: str) -> Any:
    """Return a value as it would be typed, if the option takes it."""
    if param.is_flag:
        if not isinstance(value, bool):
            raise DataFormatError(f"{where} must be true or false; got {value!r:.60}.", FILE)
        return value
    many = [_as_typed(part, where) for part in (value if isinstance(value, list) else [value])]
    typed: Any = many if param.multiple else ",".join(many)
    try:
        for one in many if param.multiple else [typed]:
            if kind is not None:
                kind(one)
    except Refused as error:
        raise DataFormatError(f"{where} {error.message}", FILE) from None
    return typed


def _as_typed(value: Any, where: str) -> str:
    """Return a value of TOML as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list):
        raise DataFormatError(f"{where} must be one value, or a list of values; got {value!r:.60}.", FILE)
    return value if isinstance(value, str) else str(value)
