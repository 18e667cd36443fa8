"""``truepath report --truth T``: which files belong to which model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.workflow import ModelFiles

#: Stands for a file that a model does not have
NONE = "-"


def pair_files(predictions: Sequence[str], scores: Sequence[str], names: Sequence[str]) -> list[ModelFiles]:
    """Return the files of each model: the first predictions belong to the first scores, and so on.

    Examples
    --------
    >>> [one.name for one in pair_files(["a.csv", "b.csv"], ["-", "s.csv"], ["mine"])]
    ['mine', 'b']
    """
    from truepath.workflow import ModelFiles

    n = max(len(predictions), len(scores))
    for option, given in (("--predictions", predictions), ("--scores", scores)):
        if given and len(given) != n:
            problem = f"{option} is given {len(given)} times for {n} models."
            raise TruePathError(problem, f"Give it for each, in the same order, {NONE} for a model without.")
    if len(names) > n:
        raise TruePathError(f"--name is given {len(names)} times for {n} models.", "Give one for each.")
    empty = [NONE] * n
    found: list[ModelFiles] = []
    for k, pair in enumerate(zip(predictions or empty, scores or empty)):
        labels, values = (None if file == NONE else Path(file) for file in pair)
        if labels is None and values is None:
            raise TruePathError(f"model {k + 1} has neither predictions nor scores.", "Give one of the two.")
        name = names[k] if k < len(names) else _name(labels or values, [one.name for one in found])  # type: ignore[arg-type]
        found.append(ModelFiles(name, labels, values))
    return found


def _name(file: Path, taken: list[str]) -> str:
    """Return what a model is called: the name of its file, with its folder where another has that."""
    return file.stem if file.stem not in taken else str(file.with_suffix(""))
