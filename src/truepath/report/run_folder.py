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

import hashlib
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import count
from math import nan
from os import PathLike
from pathlib import Path
from typing import Any

from truepath.data.tables.arrays import ALONE, read_arrays, read_csr
from truepath.dates import fixed_date
from truepath.errors import DataFormatError, explain
from truepath.files.strict_json import dump_json, read_json
from truepath.files.text import read_text
from truepath.files.writing import as_bytes, hold_folder, open_atomically, sync_file, sync_folder, write_text
from truepath.report.run import Evaluated, Run, names_of_measures

RUN_FILE = "run.json"
HIERARCHY_FILE = "hierarchy.json"
ARRAYS = re.compile(r"arrays-[0-9a-f]{12}")
FORMAT = 5
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
    with saving_run(folder, run) as place:
        return place


@contextmanager
def saving_run(folder: str | PathLike[str], run: Run) -> Iterator[Path]:
    """Save a run as :func:`save_run` does, and make it current when the block ends well.

    What belongs to the run, such as the model, is saved in the block. If that fails, or there is no room for the run,
    both are as they were; and of two processes that save to one folder, the second waits for the first.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(folder):
        arrays = _make_arrays(folder)
        try:
            _save_arrays(arrays, run)
            sync_folder(folder)
            with open_atomically(folder / HIERARCHY_FILE) as beside, open_atomically(folder / RUN_FILE) as file:
                beside.write(as_bytes(run.hierarchy.to_json()))
                file.write(as_bytes(dump_json({**_summary(run), "arrays": arrays.name}, indent=1)))
                sync_file(beside)
                sync_file(file)
                yield folder
        finally:
            _remove_unnamed(folder)


def _make_arrays(folder: Path) -> Path:
    """Make a new folder for arrays; where dates are fixed its name is too, as long as no other run has it."""
    date = fixed_date()
    for k in count():
        seed = secrets.token_bytes(8) if date is None else f"{date} {k}".encode()
        arrays = folder / f"arrays-{hashlib.sha256(seed).hexdigest()[:12]}"
        with suppress(FileExistsError):
            arrays.mkdir()
            break
    return arrays


def _remove_unnamed(folder: Path) -> None:
    """Remove the arrays of the run before, or of one that was never finished: all that ``run.json`` does not name."""
    file = folder / RUN_FILE
    named = file.read_bytes() if file.is_file() else b""
    for arrays in folder.iterdir():
        if ARRAYS.fullmatch(arrays.name) and arrays.name.encode() not in named:
            shutil.rmtree(arrays, ignore_errors=True)


def files_of_run(folder: Path) -> list[Path]:
    """Return a run's folder and its files, whether they are there or will be written."""
    arrays = (path for path in folder.glob("arrays-*/*") if ARRAYS.fullmatch(path.parent.name))
    return [folder, folder / RUN_FILE, folder / HIERARCHY_FILE, *arrays]


def _save_arrays(folder: Path, run: Run) -> None:
    """Save everything that is not in ``run.json``."""
    write_text(folder / HIERARCHY_FILE, run.hierarchy.to_json())
    _save_array(folder / "truth", run.y_true)
    _save_array(folder / "train", run.y_train)
    for k, result in enumerate(run.results):
        _save_array(folder / f"labels-{k}", result.y_pred)
        _save_array(folder / f"scores-{k}", result.S)
        _save_array(folder / f"thresholds-{k}", result.thresholds)
        if result.reasons is not None:
            write_text(folder / f"reasons-{k}.json", dump_json(result.reasons))


def _summary(run: Run) -> dict[str, Any]:
    """Return what ``run.json`` holds."""
    from scipy import sparse

    methods = [
        {
            "name": result.name,
            "scores": None if result.S is None else "sparse" if sparse.issparse(result.S) else "dense",
            "thresholds": result.thresholds is not None,
            "reasons": result.reasons is not None,
            "promise": None if result.promise is None else asdict(result.promise),
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
    summary = _read(folder / RUN_FILE, read_json)
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
    from truepath.decoders import Promise

    ending, load = (".npz", read_csr) if saved["scores"] == "sparse" else (".npy", _load_dense)
    return Evaluated(
        saved["name"],
        _read(folder / f"labels-{k}.npz", read_csr),
        _read(folder / f"scores-{k}{ending}", load) if saved["scores"] else None,
        _read(folder / f"thresholds-{k}.npy", _load_dense) if saved["thresholds"] else None,
        fit_seconds=saved["fit_seconds"],
        settings=saved["settings"],
        reasons=_read(folder / f"reasons-{k}.json", _load_reasons) if saved["reasons"] else None,
        promise=None if saved["promise"] is None else Promise(**saved["promise"]),
    )


def _load_reasons(path: Path) -> list[Any]:
    """Load reasons; JSON has made texts of the nodes."""
    rows = read_json(path)
    return [None if of_row is None else {int(node): causes for node, causes in of_row.items()} for of_row in rows]


def _read(path: Path, read: Callable[[Path], Any]) -> Any:
    """Read one file; whatever is wrong with it becomes an error that names it."""
    if not path.is_file():
        raise DataFormatError("the file is missing; the folder is not a complete run.", path, remedy=SAVE_AGAIN)
    try:
        return read(path)
    except DataFormatError:
        raise
    except MemoryError as error:  # what is damaged may also claim to be larger than any memory
        problem = f"there is not enough memory for the file, or it is damaged ({error})."
        raise DataFormatError(problem, path, remedy=SAVE_AGAIN) from error
    except Exception as error:  # damaged zip files and headers raise anything from struct.error to RuntimeError
        raise DataFormatError(f"the file is damaged and cannot be read ({error}).", path, remedy=SAVE_AGAIN) from error


def _load_dense(path: Path) -> Any:
    return read_arrays(path)[ALONE]


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
