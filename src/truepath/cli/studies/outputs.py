"""``truepath report --truth T``: files of true labels, predictions and scores of any models, read as one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.cli.studies.models import Reading
    from truepath.data.tables.join import RowKeys
    from truepath.hierarchy import Hierarchy
    from truepath.report import Evaluated, Run

__all__ = ["ModelFiles", "pair_files", "run_of_files"]

#: Stands for a file that a model does not have
NONE = "-"


class ModelFiles(NamedTuple):
    """What one model gave out."""

    name: str
    labels: Path | None
    scores: Path | None


def pair_files(predictions: Sequence[str], scores: Sequence[str], names: Sequence[str]) -> list[ModelFiles]:
    """Return the files of each model: the first predictions belong to the first scores, and so on.

    Examples
    --------
    >>> [one.name for one in pair_files(["a.csv", "b.csv"], ["-", "s.csv"], ["mine"])]
    ['mine', 'b']
    """
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


def run_of_files(
    models: Sequence[ModelFiles],
    truth: str,
    hierarchy: str | None,
    reading: Reading,
    threshold: float,
    text: str | None,
    title: str | None,
) -> Run:
    """Read all files, their rows in the order of the true ones."""
    from truepath.cli.studies.models import read_true_rows
    from truepath.data.tables.frames import TextForm, holds_labels
    from truepath.data.tables.join import find_column
    from truepath.report import Run

    given = [file for model in models for file in (model.labels, model.scores) if file is not None]
    for file in given:
        if not file.is_file():
            raise FileNotFoundError(2, "no such file", str(file))
    files: list[Any] = [truth, *given] if holds_labels(truth) else given
    ids = find_column(reading.ids, files, TextForm.of(reading.delimiter, reading.encoding))
    tree, y_true, rows = read_true_rows(truth, hierarchy, files, ids, reading)
    results = [_evaluated(model, tree, ids, rows, reading, threshold) for model in models]
    names = next((keys.tolist() for keys in rows.keys.values()), None)
    texts = None if text is None else _texts(truth, text, reading)
    usual = f"{Path(truth).stem}: {', '.join(model.name for model in models)}"
    return Run(tree, y_true, results, title=title or usual, ids=names, texts=texts)


def _evaluated(
    model: ModelFiles, tree: Hierarchy, ids: dict[Any, str | None], rows: RowKeys, reading: Reading, threshold: float
) -> Evaluated:
    """Read what one model gave out; labels of scores alone are those above a threshold."""
    from truepath.cli.studies.models import read_in_order
    from truepath.decoders import Threshold
    from truepath.report import Evaluated

    S = None if model.scores is None else read_in_order(model.scores, tree, "scores", ids[model.scores], rows, reading)
    files = {"predictions": model.labels, "scores": model.scores}
    settings: dict[str, Any] = {kind: str(file) for kind, file in files.items() if file is not None}
    if model.labels is not None:
        y_pred = read_in_order(model.labels, tree, "labels", ids[model.labels], rows, reading)
        return Evaluated(model.name, y_pred, S, settings=settings)
    y_pred = Threshold(threshold, hierarchy=tree, coherent="max-up").predict(S)
    return Evaluated(model.name, y_pred, S, threshold, settings={**settings, "threshold": threshold})


def _texts(truth: str, column: str, reading: Reading) -> list[str]:
    """Return a column of the file of true labels, to show with the examples."""
    from truepath.data.tables.frames import TextForm, holds_labels, read_columns

    if not holds_labels(truth):
        raise TruePathError(f"--text is a column of a table; {truth} is a data set.", "Leave it out.")
    table = read_columns(truth, TextForm.of(reading.delimiter, reading.encoding))
    table.check([column])
    texts: list[str] = table.texts(column).tolist()
    return texts
