"""A run kept in a folder: what a report is made from, without pickles.

========================= ==================================================================================
``run.json``              title, when, versions, row names and texts, each method's settings and measures
``hierarchy.json``        :meth:`truepath.Hierarchy.to_json`, for commands that ask for a hierarchy
``arrays-<token>/``       the folder that ``run.json`` names, with everything else:
``  hierarchy.json``      the same hierarchy
``  truth.npz``           the true labels of the test rows (a SciPy CSR matrix)
``  train.npz``           the training labels, where given
``  labels-<k>.npz``      the labels of method k
``  scores-<k>.npy``      its scores, where it has any (``.npz`` if they are sparse)
``  thresholds-<k>.npy``  its thresholds, where it has any
``  reasons-<k>.json``    the reasons of its scores, where it has any
========================= ==================================================================================

A new run is written beside the old one, and replacing ``run.json`` makes it current, in one step. So whenever a process
is killed, the folder holds the old run or the new one, complete.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Callable
from math import nan
from os import PathLike
from pathlib import Path
from typing import Any

from truepath.data.tables.arrays import ALONE, read_arrays, read_csr
from truepath.errors import DataFormatError, explain
from truepath.files.strict_json import dump_json
from truepath.files.text import read_text
from truepath.files.writing import open_atomically, sync_folder
from truepath.report.run import Evaluated, Run, names_of_measures

RUN_FILE = "run.json"
HIERARCHY_FILE = "hierarchy.json"
ARRAYS = re.compile(r"arrays-[0-9a-f]{12}")
FORMAT = 4
SAVE_AGAIN = "Save it again with save_run."


def save_run(folder: str | PathLike[str], run: Run) -> Path:
    """Save test results in a folder, from which ``truepath report FOLDER`` makes the page.

    Parameters
    ----------
    folder : path-like
        Created if needed. An earlier run there is replaced; it stays whole until the new one is.
    run : Run

    Returns
    -------
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from truepath.data import load_dataset
    >>> from truepath.report import Evaluated, Run, load_run, save_run
    >>> ds = load_dataset("toy")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save_run(folder, Run(ds.hierarchy, ds.test.y, Evaluated("the truth", ds.test.y), title="toy"))
    ...     run = load_run(folder)
    >>> run.title, run.results[0].name, run.measures["the truth"]["hierarchical_f1"]
    ('toy', 'the truth', 1.0)
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = folder / f"arrays-{secrets.token_hex(6)}"
    arrays.mkdir()
    try:
        _save_arrays(arrays, run)
        sync_folder(folder)
        _save_text(folder / RUN_FILE, dump_json({**_summary(run), "arrays": arrays.name}, indent=1))
    except BaseException:
        shutil.rmtree(arrays, ignore_errors=True)
        raise
    _save_text(folder / HIERARCHY_FILE, run.hierarchy.to_json())
    for old in folder.iterdir():  # of the run before, or of one that was never finished
        if ARRAYS.fullmatch(old.name) and old.name != arrays.name:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def files_of_run(folder: Path) -> list[Path]:
    """Return a run's folder and its files, whether they are there or will be written."""
    arrays = (path for path in folder.glob("arrays-*/*") if ARRAYS.fullmatch(path.parent.name))
    return [folder, folder / RUN_FILE, folder / HIERARCHY_FILE, *arrays]


def _save_arrays(folder: Path, run: Run) -> None:
    """Save everything that is not in ``run.json``."""
    _save_text(folder / HIERARCHY_FILE, run.hierarchy.to_json())
    _save_array(folder / "truth", run.y_true)
    _save_array(folder / "train", run.y_train)
    for k, result in enumerate(run.results):
        _save_array(folder / f"labels-{k}", result.y_pred)
        _save_array(folder / f"scores-{k}", result.S)
        _save_array(folder / f"thresholds-{k}", result.thresholds)
        if result.reasons is not None:
            _save_text(folder / f"reasons-{k}.json", dump_json(result.reasons))


def _summary(run: Run) -> dict[str, Any]:
    """Return what ``run.json`` holds."""
    from scipy import sparse

    methods = [
        {
            "name": result.name,
            "scores": None if result.S is None else "sparse" if sparse.issparse(result.S) else "dense",
            "thresholds": result.thresholds is not None,
            "reasons": result.reasons is not None,
            "coverage": result.coverage,
            "fit_seconds": result.fit_seconds,
            "settings": None if result.settings is None else {str(k): str(v) for k, v in result.settings.items()},
            "measures": run.measures[result.name],
        }
        for result in run.results
    ]
    return {
        "format": FORMAT,
        "title": run.title,
        "created": run.created,
        "versions": run.versions,
        "methods": methods,
        "ids": run.ids,
        "texts": run.texts,
        "train": run.y_train is not None,
        "description": None if run.description is None else run.description.to_dict(),
    }


def load_run(folder: str | PathLike[str]) -> Run:
    """Load what :func:`save_run` saved; a missing or damaged file is an error that names it.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    run : Run
        With the measures, the date and the versions it was saved with.

    Notes
    -----
    Nothing in the folder is ever executed: the arrays are read without pickles, and within the limits of
    :class:`truepath.files.Limits` that the environment sets.
    """
    folder = Path(folder)
    summary = _read(folder / RUN_FILE, _load_json)
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise DataFormatError(f"this is not a run of format {FORMAT}.", folder / RUN_FILE, remedy=SAVE_AGAIN)
    try:
        if not ARRAYS.fullmatch(summary["arrays"]):
            raise TypeError(f"arrays is {summary['arrays']!r}")  # perhaps a path that leads elsewhere
        return _assemble(folder / summary["arrays"], summary)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataFormatError(f"an entry is missing or of the wrong kind ({error!r}).", folder / RUN_FILE) from error
    except DataFormatError:
        raise
    except ValueError as error:
        problem, remedy = explain(error)
        raise DataFormatError(f"its files do not belong together: {problem}", folder, remedy=remedy) from error


def _assemble(folder: Path, summary: dict[str, Any]) -> Run:
    """Put a run together from its files."""
    from truepath.hierarchy import Hierarchy

    run = Run(
        _read(folder / HIERARCHY_FILE, lambda path: Hierarchy.from_json(read_text(path))),
        _read(folder / "truth.npz", read_csr),
        [_load_result(folder, k, method) for k, method in enumerate(summary["methods"])],
        title=summary["title"],
        ids=summary["ids"],
        texts=summary["texts"],
        y_train=_read(folder / "train.npz", read_csr) if summary["train"] else None,
        description=summary["description"],
    )
    run.created, run.versions = str(summary["created"]), dict(summary["versions"])
    run.measures = {}  # as they were saved; null is NaN, which JSON does not have
    for result, method in zip(run.results, summary["methods"]):
        values = {name: method["measures"][name] for name in names_of_measures(run, result)}
        run.measures[result.name] = {name: nan if x is None else float(x) for name, x in values.items()}
    return run


def _load_result(folder: Path, k: int, saved: dict[str, Any]) -> Evaluated:
    """Load one method's matrices."""
    ending, load = (".npz", read_csr) if saved["scores"] == "sparse" else (".npy", _load_dense)
    return Evaluated(
        saved["name"],
        _read(folder / f"labels-{k}.npz", read_csr),
        _read(folder / f"scores-{k}{ending}", load) if saved["scores"] else None,
        _read(folder / f"thresholds-{k}.npy", _load_dense) if saved["thresholds"] else None,
        fit_seconds=saved["fit_seconds"],
        settings=saved["settings"],
        reasons=_read(folder / f"reasons-{k}.json", _load_reasons) if saved["reasons"] else None,
        coverage=saved["coverage"],
    )


def _load_reasons(path: Path) -> list[Any]:
    """Load reasons; JSON has made texts of the nodes."""
    rows = _load_json(path)
    return [None if of_row is None else {int(node): causes for node, causes in of_row.items()} for of_row in rows]


def _read(path: Path, read: Callable[[Path], Any]) -> Any:
    """Read one file; whatever is wrong with it becomes an error that names it."""
    if not path.is_file():
        raise DataFormatError("the file is missing; the folder is not a complete run.", path, remedy=SAVE_AGAIN)
    try:
        return read(path)
    except DataFormatError:
        raise
    except Exception as error:  # damaged zip files and headers raise anything from struct.error to RuntimeError
        raise DataFormatError(f"the file is damaged and cannot be read ({error}).", path, remedy=SAVE_AGAIN) from error


def _load_dense(path: Path) -> Any:
    return read_arrays(path)[ALONE]


def _load_json(path: Path) -> Any:
    return json.loads(read_text(path))


def _save_text(path: Path, text: str) -> None:
    with open_atomically(path) as file:
        file.write(text.encode("utf-8", "replace"))  # a name may hold half a surrogate pair


def _save_array(path: Path, array: Any) -> None:
    """Save an array, where there is one, under the ending that says whether it is sparse."""
    import numpy as np
    from scipy import sparse

    if sparse.issparse(array):
        with open_atomically(path.with_suffix(".npz")) as file:
            sparse.save_npz(file, array)
    elif array is not None:
        with open_atomically(path.with_suffix(".npy")) as file:
            np.save(_Writing(file), array, allow_pickle=False)


class _Writing:
    """A file that can only be written to: NumPy's own way of writing to files hides why writing failed."""

    def __init__(self, file: Any):
        self.write = file.write
