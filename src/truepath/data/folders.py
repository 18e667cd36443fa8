"""Folders with a file per split: ``train.arff``, ``books-test.csv.gz``, ``valid.derived.arff.xz``."""

from __future__ import annotations

import re
from pathlib import Path

from truepath.data.files import plain_name
from truepath.data.readers.base import is_readable
from truepath.errors import TruePathError

__all__ = ["cut_split", "remark_of", "split_files"]

_SPLITS = ("train", "valid", "test", "all")
# An own name may come before the split, a remark after it
_STEM = re.compile(r"(?:(?P<name>.+)[-_.])?(?P<split>train|valid|test|all|original)(?:\.(?P<remark>\w+))?")


def _match(path: Path) -> re.Match[str] | None:
    return _STEM.fullmatch(Path(plain_name(path)).stem) if is_readable(path) else None


def split_files(folder: Path) -> dict[str, Path]:
    """Find the file of each split, in the usual order; ``original`` is another word for ``all``.

    Raises
    ------
    TruePathError
        If two files could be the same split.
    """
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        match = _match(file)
        if match is None or not file.is_file():
            continue
        split = "all" if match["split"] == "original" else match["split"]
        if split in found:
            raise TruePathError(
                f"{folder}: both {found[split].name} and {file.name} could be the split {split!r}.",
                "Give a mapping from split to file.",
            )
        found[split] = file
    return {split: found[split] for split in _SPLITS if split in found}


def remark_of(file: Path) -> str | None:
    """Return the word between split and ending: ``"derived"`` for ``valid.derived.arff.xz``."""
    match = _match(file)
    return None if match is None else match["remark"]


def cut_split(stem: str) -> str:
    """Return what a file's stem says besides the split.

    >>> cut_split("emotions-train"), cut_split("emotions"), cut_split("train")
    ('emotions', 'emotions', '')
    """
    match = _STEM.fullmatch(stem)
    return stem if match is None else match["name"] or ""
