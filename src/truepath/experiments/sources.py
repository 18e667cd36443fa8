"""The data sets of a plan: opened, checked, and cut into the rows to train on and the rows to test on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.data import Dataset, load_dataset, make_hmc, open_dataset
from truepath.data.open import reader_of
from truepath.data.readers.base import is_readable
from truepath.data.split import Split, stack_splits, stratified_folds
from truepath.errors import TruePathError
from truepath.experiments.fingerprint import data_fingerprint
from truepath.parameters import COUNT, Range, check_in

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

KINDS = ("load", "path", "files", "make")
STEPS = ("one_hot", "prune", "keep_full_paths")


@dataclass(frozen=True, eq=False)
class Source:
    """A data set as an experiment uses it: all rows in one piece, and which of them are for training and testing.

    Attributes
    ----------
    name : str
    hierarchy : Hierarchy
    rows : Split
        For the published split train, valid and test one below the other; otherwise all rows.
    n_train : int or None
        How many of the rows come before the published test part; None if there are folds.
    folds : int or None
    fingerprint : str
    """

    name: str
    hierarchy: Hierarchy
    rows: Split
    n_train: int | None
    folds: int | None
    fingerprint: str

    def deal(self, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return for each fold the numbers of the rows to train on and to test on."""
        if self.folds is not None:
            return list(stratified_folds(self.rows.y, self.folds, seed, groups=self.rows.groups))
        return [(np.arange(self.n_train or 0), np.arange(self.n_train or 0, len(self.rows)))]


def open_source(name: str, given: Any, folds: int | None, base: Path, home: Path | None) -> Source:
    """Open one data set of a plan.

    Parameters
    ----------
    name : str
        What the plan calls it.
    given : Dataset, str, path or mapping
        What :func:`truepath.data.open_dataset` opens: a file, a folder, or a name; or a table with one of ``load`` (a
        name), ``path`` (a file or folder), ``files`` (one file per split) and ``make`` (options of
        :func:`truepath.data.make_hmc`), the reader's options, and the steps ``prune``, ``keep_full_paths`` and
        ``one_hot``.
    folds : int or None
    base, home : Path
        Where relative paths start, and the data folder.
    """
    ds = given if isinstance(given, Dataset) else _open(name, given, base, home)
    fingerprint = data_fingerprint(ds)
    if folds is not None:
        rows = stack_splits(list(ds.splits.values()))
        if len(rows) < folds:
            problem = f"datasets: {name!r} has {len(rows)} rows, too few for folds = {folds}."
            raise TruePathError(problem, f"Set folds to {len(rows)} or less." if len(rows) > 1 else "")
        return Source(name, ds.hierarchy, rows, None, folds, fingerprint)
    if "train" not in ds or "test" not in ds:
        there = ", ".join(map(repr, ds.splits))
        raise TruePathError(
            f"datasets: {name!r} has no published split into train and test, only {there}.",
            "Set folds = 5, for instance.",
        )
    learned = [ds[part] for part in ("train", "valid") if part in ds]
    return Source(name, ds.hierarchy, stack_splits([*learned, ds.test]), sum(map(len, learned)), None, fingerprint)


def files_of_source(given: Any, base: Path) -> list[Path]:
    """Return the files and folders that a data set of a plan names, wherever in its table."""
    if isinstance(given, Mapping):
        return [file for value in given.values() for file in files_of_source(value, base)]
    named = isinstance(given, str | os.PathLike) and (base / given).exists()
    return [base / given] if named else []


def _open(name: str, given: Any, base: Path, home: Path | None) -> Dataset:
    table = _as_table(name, given)
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) != 1:
        has = " and ".join(kinds) or "none of them"
        raise TruePathError(f"datasets: {name!r} needs one of {', '.join(KINDS)}; it has {has}.")
    steps = {step: table.pop(step) for step in STEPS if step in table}
    table.pop("name", None)
    what = table.pop(kinds[0])
    try:
        return _prepare(_OPENERS[kinds[0]](what, table, base, home), steps)
    except TruePathError:
        raise
    except (TypeError, ValueError) as problem:
        raise TruePathError(f"datasets: {name!r}: {str(problem).rstrip('.')}.") from None


def _as_table(name: str, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    if not isinstance(given, str | os.PathLike):
        raise TruePathError(f"datasets: {name!r} must be a Dataset, a name, a path or a table; got {given!r:.60}.")
    return {"path": os.fspath(given)}


def _load(what: Any, options: dict[str, Any], base: Path, home: Path | None) -> Dataset:
    return load_dataset(str(what), home=home, **options)


def _make(what: Any, options: dict[str, Any], base: Path, home: Path | None) -> Dataset:
    return make_hmc(**{"random_state": 0, **what}, **options)


def _read(what: Any, options: dict[str, Any], base: Path, home: Path | None) -> Dataset:
    """Open a file, one file per split, or a folder, relative to the plan's folder; otherwise a name."""
    each = what.items() if isinstance(what, Mapping) else ()
    source: Any = {part: _from_base(path, base) for part, path in each} or _from_base(what, base)
    reader = reader_of(source, options.get("format"), options)
    files = () if reader is None else reader.file_options
    options = {key: _from_base(value, base) if key in files else value for key, value in options.items()}
    return open_dataset(source, home=home, **options)


def _from_base(path: Any, base: Path) -> Any:
    text = os.fspath(path)
    return str(base / text) if is_readable(text) or (base / text).exists() else text


_OPENERS: dict[str, Any] = {"load": _load, "make": _make, "path": _read, "files": _read}


def _prepare(ds: Dataset, steps: Mapping[str, Any]) -> Dataset:
    """Take the steps asked for: rare labels first, since pruning turns inner nodes into leaves."""
    for name, value in steps.items():
        if name == "prune":
            check_in(name, value, Range(Integral, 0, COUNT.most))
        elif not isinstance(value, bool):
            raise TypeError(f"{name} must be true or false; got {value!r:.60}")
    if steps.get("prune"):
        ds = ds.prune(steps["prune"])
    if steps.get("keep_full_paths"):
        ds = ds.keep_full_paths()
    return ds.one_hot() if steps.get("one_hot") else ds
