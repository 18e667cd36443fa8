"""What the commands about changes share: steps from the command line or a file, and a diff as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy, HierarchyDiff

#: ``--steps``, the same in every command that changes a hierarchy
StepFile = Annotated[
    Path | None,
    typer.Option("--steps", help="A text file of changes, one per line; lines that begin with # are skipped."),
]


def change_by_steps(hierarchy: Hierarchy, steps: Sequence[str], file: Path | None) -> HierarchyDiff:
    """Return what some changes do to a hierarchy: those of the file first."""
    from truepath.files.limits import usual_limits
    from truepath.files.names import naming_file
    from truepath.files.text import read_text

    editor = hierarchy.edit()
    if file is not None:
        lines = read_text(file, usual_limits()).splitlines()
        with naming_file(file):
            for line in lines:
                if line.strip() and not line.lstrip().startswith("#"):
                    editor.apply(line)
    for step in steps:
        editor.apply(step)
    found = editor.diff()
    if not found:
        raise TruePathError("nothing changes.", 'Name changes, such as "add plant/elm under plant", or --steps FILE.')
    return found


def as_json(diff: HierarchyDiff) -> dict[str, Any]:
    """Return a diff as JSON writes it."""
    parts = ("added", "removed", "renamed", "moved", "merged", "split")
    touched = diff.new.names[diff.touched].tolist()
    return {**{part: getattr(diff, part) for part in parts}, "to_learn": touched, "labels": diff.new.n_nodes}
