"""A run kept in a folder: what a report is made from, without pickles.

========================= ==================================================================================
``run.json``              title, when, versions, row names and texts, each method's settings and measures
``hierarchy.json``        :meth:`truepath.Hierarchy.to_json`
``truth.npz``             the true labels of the test rows (a SciPy CSR matrix)
``train.npz``             the training labels, where given
``labels-<k>.npz``        the labels of method k
``scores-<k>.npy``        its scores, where it has some (``.npz`` if they are sparse)
``thresholds-<k>.npy``    its thresholds, where it has some
========================= ==================================================================================

``run.json`` is written last, so that a folder with it is whole.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truepath.errors import DataFormatError
from truepath.report.evaluated import Evaluated, Subject, check_subject
from truepath.report.files import replace_file, versions, write_atomically

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["RUN_FILE", "Run", "load_run", "save_run"]

RUN_FILE = "run.json"
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Run:
    """What :func:`load_run` found in a folder; ``write_report(path, **run.arguments())`` makes its page.

    Attributes
    ----------
    title, created : str
    versions : dict of str to str
        Of Python and the packages that made the run.
    subject : Subject
        Hierarchy, truth, results and what else was saved.
    measures : dict
        For each method its measures, as they were when the run was saved; None where a measure has no value.
    """

    title: str
    created: str
    versions: dict[str, str]
    subject: Subject
    measures: dict[str, dict[str, float | None]]

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the labels."""
        return self.subject.hierarchy

    @property
    def results(self) -> tuple[Evaluated, ...]:
        """The methods' results."""
        return self.subject.results

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of :func:`write_report`, all but the path."""
        kept = ("hierarchy", "y_true", "results", "ids", "texts", "y_train", "description")
        return {"title": self.title, **{name: getattr(self.subject, name) for name in kept}}


def save_run(
    folder: str | PathLike[str],
    hierarchy: Hierarchy,
    y_true: Any,
    results: Evaluated | Sequence[Evaluated],
    *,
    title: str = "Hierarchical classification report",
    ids: Sequence[Any] | None = None,
    texts: Sequence[Any] | None = None,
    y_train: Any = None,
    description: Any = None,
) -> Path:
    """Save test results in a folder, from which ``truepath report FOLDER`` makes the page.

    Parameters
    ----------
    folder : path-like
        Made if need be. Files of an earlier run there are replaced.
    hierarchy, y_true, results, title, ids, texts, y_train, description
        As in :func:`write_report`.

    Returns
    -------
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from truepath.data import load_dataset
    >>> from truepath.report import Evaluated, load_run, save_run
    >>> ds = load_dataset("toy")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save_run(folder, ds.hierarchy, ds.test.y, Evaluated("the truth", ds.test.y), title="toy")
    ...     run = load_run(folder)
    >>> run.title, run.results[0].name, run.measures["the truth"]["f1"]
    ('toy', 'the truth', 1.0)
    """
    import numpy as np
    from scipy import sparse

    folder = Path(folder)
    subject = check_subject(hierarchy, y_true, results, ids=ids, texts=texts, y_train=y_train, description=description)
    (folder / RUN_FILE).unlink(missing_ok=True)  # until the new one is whole there is no run here
    write_atomically(folder / "hierarchy.json", subject.hierarchy.to_json())
    _save_sparse(folder / "truth.npz", subject.y_true)
    if subject.y_train is not None:
        _save_sparse(folder / "train.npz", subject.y_train)
    for k, result in enumerate(subject.results):
        _save_sparse(folder / f"labels-{k}.npz", result.y_pred)
        if sparse.issparse(result.S):
            _save_sparse(folder / f"scores-{k}.npz", result.S)
        elif result.S is not None:
            _save_dense(folder / f"scores-{k}.npy", result.S)
        if result.thresholds is not None:
            _save_dense(folder / f"thresholds-{k}.npy", np.asarray(result.thresholds))
    write_atomically(folder / RUN_FILE, json.dumps(_told(subject, str(title)), indent=1))
    return folder


def _told(subject: Subject, title: str) -> dict[str, Any]:
    """Return what ``run.json`` holds."""
    from scipy import sparse

    from truepath.report.measures import values_only

    methods = [
        {
            "name": result.name,
            "scores": None if result.S is None else "sparse" if sparse.issparse(result.S) else "dense",
            "thresholds": result.thresholds is not None,
            "fit_seconds": result.fit_seconds,
            "settings": None if result.settings is None else {str(k): str(v) for k, v in result.settings.items()},
            "measures": {key: v if v == v else None for key, v in values_only(subject, result).items()},
        }
        for result in subject.results
    ]
    return {
        "format": FORMAT,
        "title": title,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "versions": versions(),
        "methods": methods,
        "ids": subject.ids,
        "texts": subject.texts,
        "train": subject.y_train is not None,
        "description": None if subject.description is None else subject.description.to_dict(),
    }


def load_run(folder: str | PathLike[str]) -> Run:
    """Load what :func:`save_run` saved; a missing or damaged file is an error that names it.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    run : Run

    Notes
    -----
    Nothing in the folder is ever run: the arrays are read without pickles.
    """
    from truepath.hierarchy import Hierarchy

    folder = Path(folder)
    told = _read(folder / RUN_FILE, _read_json)
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise DataFormatError(f"this is not a run of format {FORMAT}; save it again with save_run.", folder / RUN_FILE)
    hierarchy = _read(folder / "hierarchy.json", lambda path: Hierarchy.from_json(path.read_text(encoding="utf-8")))
    try:
        results = [_load_result(folder, k, method) for k, method in enumerate(told["methods"])]
        subject = check_subject(
            hierarchy,
            _read(folder / "truth.npz", _load_sparse),
            results,
            ids=told["ids"],
            texts=told["texts"],
            y_train=_read(folder / "train.npz", _load_sparse) if told["train"] else None,
            description=told["description"],
        )
        measures = {method["name"]: method["measures"] for method in told["methods"]}
        return Run(told["title"], told["created"], told["versions"], subject, measures)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataFormatError(f"an entry is missing or of the wrong kind ({error!r}).", folder / RUN_FILE) from error
    except DataFormatError:
        raise
    except ValueError as error:
        raise DataFormatError(f"its files do not belong together: {error}", folder) from error


def _load_result(folder: Path, k: int, told: dict[str, Any]) -> Evaluated:
    """Load one method's matrices."""
    scores = None
    if told["scores"] == "sparse":
        scores = _read(folder / f"scores-{k}.npz", _load_sparse)
    elif told["scores"] == "dense":
        scores = _read(folder / f"scores-{k}.npy", _load_dense)
    thresholds = _read(folder / f"thresholds-{k}.npy", _load_dense) if told["thresholds"] else None
    labels = _read(folder / f"labels-{k}.npz", _load_sparse)
    return Evaluated(told["name"], labels, scores, thresholds, told["fit_seconds"], told["settings"])


def _read(path: Path, read: Callable[[Path], Any]) -> Any:
    """Read one file; whatever is wrong with it becomes an error that names it."""
    if not path.is_file():
        raise DataFormatError("the file is missing; the folder is not a whole run saved by save_run.", path)
    try:
        return read(path)
    except Exception as error:  # damaged zip files and headers raise anything from struct.error to RuntimeError
        raise DataFormatError(f"the file is damaged and cannot be read ({error}).", path) from error


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _load_sparse(path: Path) -> Any:
    from scipy import sparse

    matrix = sparse.csr_array(sparse.load_npz(io.BytesIO(path.read_bytes())))  # which leaves no file open on failure
    matrix.check_format(full_check=True)
    return matrix


def _load_dense(path: Path) -> Any:
    import numpy as np

    return np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)


def _save_sparse(path: Path, matrix: Any) -> None:
    from scipy import sparse

    replace_file(path, lambda file: sparse.save_npz(file, matrix))


def _save_dense(path: Path, array: Any) -> None:
    import numpy as np

    replace_file(path, lambda file: np.save(file, array, allow_pickle=False))
