"""``truepath compare A B --truth T``: the predictions of two models, read, joined and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.data.tables.join import RowKeys
    from truepath.experiments import ModelComparison
    from truepath.hierarchy import Hierarchy

__all__ = ["Reading", "compare_predictions", "read_in_order", "read_true_rows"]

#: The measure if none is asked for, by what the files hold
USUAL = {"labels": "hierarchical_f1", "scores": "auprc"}


class Reading(NamedTuple):
    """How the files are read, as typed."""

    labels: str
    split: str
    header: bool | None
    sep: str | None
    between: str
    delimiter: str | None
    encoding: str | None
    ids: str | None
    by_order: bool

    @property
    def written(self) -> dict[str, Any]:
        """How text tables are written."""
        return {"delimiter": self.delimiter, "encoding": self.encoding}

    @property
    def cells(self) -> dict[str, Any]:
        """How their labels are written."""
        return {"sep": self.sep, "between": self.between, **self.written}


def compare_predictions(
    a: Path,
    b: Path,
    truth: str,
    hierarchy: str | None,
    metrics: str | None,
    reading: Reading,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> list[ModelComparison]:
    """Read the files and compare them, by each measure."""
    from truepath.cli.steps import progress
    from truepath.data.tables.frames import TextForm, holds_labels
    from truepath.data.tables.join import find_column
    from truepath.experiments import compare_models

    files: list[Any] = [truth, a, b] if holds_labels(truth) else [a, b]
    ids = find_column(reading.ids, files, TextForm.of(reading.delimiter, reading.encoding))
    names, kind = _metrics(metrics, [a, b], reading)
    tree, y_true, rows = read_true_rows(truth, hierarchy, files, ids, reading)
    first, second = (read_in_order(file, tree, kind, ids[file], rows, reading) for file in (a, b))
    way: dict[str, Any] = {"n_resamples": n_resamples, "confidence": 1 - alpha, "random_state": seed}
    way["names"] = str(a), str(b)
    with progress("comparing") as show:
        way["on_progress"] = show
        return [compare_models(y_true, first, second, tree, metric=name, **way) for name in names]


def _metrics(given: str | None, files: list[Path], reading: Reading) -> tuple[list[str], str]:
    """Return the measures asked for, or the usual one for what the files hold; and what they need."""
    from truepath.metrics import get_metric

    held = {file: "labels" if _hold_labels(file, reading) else "scores" for file in files}
    names = [name.strip() for name in (given or "").split(",") if name.strip()] or [USUAL[held[files[0]]]]
    kinds = {name: get_metric(name).needs for name in names}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} needs {needs}" for name, needs in kinds.items())
        raise TruePathError(f"--metric: {listed}.", "Compare by measures of labels, or by measures of scores.")
    kind = kinds[names[0]]
    for file, holds in held.items():
        if holds != kind and (kind == "labels" or _has_column(file, reading)):  # 0 and 1 are scores too
            remedy = "truepath label makes labels of scores." if kind == "labels" else "Give files of scores."
            raise TruePathError(f"{names[0]} needs {kind}, but {file} holds {holds}.", remedy)
    return names, kind


def _has_column(file: Path, reading: Reading) -> bool:
    """Return whether a file has a column of labels, rather than one for each label."""
    from truepath.data.tables.frames import TextForm, format_of
    from truepath.data.tables.matrices import column_names

    names = column_names(file, TextForm.of(reading.delimiter, reading.encoding))
    return format_of(file) == "json" or reading.labels in names or "labels" in names


def _hold_labels(file: Path, reading: Reading) -> bool:
    """Return whether a file has a column of labels, or nothing but 0 and 1."""
    import numpy as np

    from truepath.data import read_scores
    from truepath.data.tables.frames import TextForm
    from truepath.data.tables.matrices import column_names

    if _has_column(file, reading):
        return True
    names = column_names(file, TextForm.of(reading.delimiter, reading.encoding))
    S = read_scores(file, ids=reading.ids if reading.ids in names else None, **reading.written).S
    return bool(np.isin(getattr(S, "data", S) if hasattr(S, "tocsr") else S, (0, 1)).all())


def read_true_rows(
    truth: str, hierarchy: str | None, files: list[Any], ids: dict[Any, str | None], reading: Reading
) -> tuple[Hierarchy, Any, RowKeys]:
    """Return the hierarchy, the true labels and what their rows are found by."""
    from truepath.cli.evaluate import read_truth
    from truepath.data import read_labels
    from truepath.data.tables.frames import holds_labels

    if hierarchy is not None or not holds_labels(truth):
        how = reading.labels, reading.split, ids.get(truth), {**reading.cells, "close": False}, reading.header
        return read_truth(truth, hierarchy, *how)
    tree = _find_hierarchy(files, ids, reading)
    table = read_labels(truth, tree, labels=_column(truth, reading), ids=ids[truth], **reading.cells)
    return tree, table.y, table.row_keys


def _find_hierarchy(files: list[Any], ids: dict[Any, str | None], reading: Reading) -> Hierarchy:
    """Build the hierarchy of the label paths in all files, and say so."""
    from truepath.hierarchy import Hierarchy

    names: dict[str, None] = {}
    for file in files:
        names.update(dict.fromkeys(_labels_in(file, ids[file], reading)))
    if not names:
        raise TruePathError("--hierarchy is missing, and the files have no names of labels.", "Give --hierarchy.")
    tree = Hierarchy.from_paths(names, sep=reading.sep or "/")
    levels = f"{tree.n_nodes} labels on {tree.height} level{'s' if tree.height > 1 else ''}"
    typer.echo(f"truepath: no --hierarchy: built from the label paths in the files, {levels}", err=True)
    return tree


def _labels_in(file: Any, ids: str | None, reading: Reading) -> list[str]:
    """Return the names of labels in a column of labels, or of the columns of a matrix."""
    from truepath.data import read_scores
    from truepath.data.tables.frames import TextForm, format_of, read_columns
    from truepath.data.tables.labels import split_labels
    from truepath.data.tables.matrices import column_names

    if format_of(file) == "json":
        raise TruePathError(f"--hierarchy is missing: it is not built from JSON ({file}).", "Give --hierarchy.")
    form = TextForm.of(reading.delimiter, reading.encoding)
    column = _column(file, reading)
    if column in column_names(file, form):
        cells = read_columns(file, form).column(column)
        return [name for cell in cells for name in split_labels(cell, reading.between)]
    return list(read_scores(file, ids=ids, **reading.written).names or ())


def _column(file: Any, reading: Reading) -> str:
    """Return the column of labels: the one named, or ``labels`` in a file that lacks it."""
    from truepath.data.tables.frames import TextForm
    from truepath.data.tables.matrices import column_names

    names = column_names(file, TextForm.of(reading.delimiter, reading.encoding))
    return reading.labels if reading.labels in names else "labels"


def read_in_order(file: Path, tree: Hierarchy, kind: str, ids: str | None, rows: RowKeys, reading: Reading) -> Any:
    """Return labels or scores, in the order of the true rows."""
    from truepath.cli.steps import join_and_say
    from truepath.data import read_labels, read_scores

    if kind == "labels":
        table = read_labels(file, tree, labels=_column(file, reading), ids=ids, **reading.cells)
        return table.y[join_and_say(rows, table.row_keys, reading.by_order)]
    scores = read_scores(file, tree, ids=ids, **reading.written)
    return scores.S[join_and_say(rows, scores.row_keys, reading.by_order)]
