"""Files that any models wrote, read for a report or a comparison: true labels, predicted labels and scores.

Rows are matched by their ids, or by their order; labels may be names, 0/1 columns or a data set's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truepath.data import LabelTable, open_dataset, read_labels, read_scores
from truepath.data.tables.frames import TableForm, format_of, holds_labels, read_columns
from truepath.data.tables.join import RowKeys, find_column, join_rows
from truepath.data.tables.label_cells import LabelCells
from truepath.data.tables.label_rows import find_sep, split_path
from truepath.data.tables.matrices import column_names
from truepath.data.tables.row_ids import as_texts
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.flatness import warn_about_lists
from truepath.hierarchy.spellings import warn_about_spellings
from truepath.metrics import get_metric
from truepath.parameters import Range, check_in
from truepath.workflow.hierarchies import open_hierarchy

if TYPE_CHECKING:
    from truepath.experiments import ModelComparison
    from truepath.report import Evaluated, Run

#: The measure if none is asked for, by what the files hold
USUAL = {"labels": "hierarchical_f1", "scores": "auprc"}


@dataclass(frozen=True)
class Reading:
    """How files of labels and scores are read.

    Parameters
    ----------
    labels : str, default="labels"
        The column of label names; a model's file that lacks it may call it ``labels``.
    part : str, default="test"
        Which part of the true labels, if they are those of a data set.
    header : bool, optional
        Whether the first line of a file of edges names the columns; detected by default.
    sep : str, optional
        Separator of the parts of a label path; ``"/"`` by default.
    between : str, default=";"
        Separator of the labels in a cell.
    delimiter, encoding : str, optional
        Of text tables; see :func:`truepath.data.read_scores`.
    ids : str, optional
        The column of row ids, in the files that have it; detected by default.
    by_order : bool, default=False
        Whether rows are matched by their order instead of their ids.
    close : bool, default=False
        Whether missing ancestors are added to 0/1 matrices instead of refusing them.
    say : callable, optional
        Called with each remark: how rows were matched, and what the hierarchy was built from.
    sheet : str, optional
        Of workbooks (.xlsx), in the files that are; by default the only one with rows.
    """

    labels: str = "labels"
    part: str = "test"
    header: bool | None = None
    sep: str | None = None
    between: str = ";"
    delimiter: str | None = None
    encoding: str | None = None
    ids: str | None = None
    by_order: bool = False
    close: bool = False
    say: Callable[[str], None] | None = None
    sheet: str | None = None

    @property
    def form(self) -> TableForm:
        """How tables are written."""
        return TableForm.of(self.delimiter, self.encoding, self.sheet)

    def written(self, file: Any) -> dict[str, Any]:
        """Return how a table is written, as arguments."""
        return {**self.form.for_file(file)._asdict(), "encoding": self.encoding}

    def column(self, file: Any) -> str | None:
        """Return the column of labels in a file: the one named, or else ``labels``; None if it has neither."""
        names = column_names(file, self.form.for_file(file))
        return next((name for name in (self.labels, "labels") if name in names), None)

    def read_labels(self, file: Any, hierarchy: Hierarchy, ids: str | None, labels: str | None = None) -> LabelTable:
        """Read the labels of a file; None for the column that was named."""
        cells: dict[str, Any] = {"sep": self.sep, "between": self.between, "close": self.close, **self.written(file)}
        return read_labels(file, hierarchy, labels=labels or self.labels, ids=ids, **cells)

    def match(self, wanted: RowKeys, given: RowKeys) -> Any:
        """Return where the rows of one table are in another, and remark how they were matched."""
        rows, how = join_rows(wanted, given, by_order=self.by_order)
        self.remark(f"{given.path} and {wanted.path}: {how}")
        return rows

    def remark(self, text: str) -> None:
        """Pass a remark on."""
        if self.say is not None:
            self.say(text)


class ModelFiles(NamedTuple):
    """The output files of one model."""

    name: str
    labels: Path | None
    scores: Path | None


def compare_files(
    a: Path,
    b: Path,
    truth: str,
    hierarchy: str | None = None,
    metrics: Sequence[str] = (),
    reading: Reading = Reading(),
    **options: Any,
) -> list[ModelComparison]:
    """Compare the predictions of two models, read from files, by each measure.

    Parameters
    ----------
    a, b : path
        Labels, 0/1 matrices or scores of the two models.
    truth : path or str
        The true labels: a file, or the name of a data set.
    hierarchy : path or str, optional
        As for :func:`open_hierarchy`; by default built from the label paths in the files.
    metrics : sequence of str, optional
        By default ``hierarchical_f1``, or ``auprc`` for scores.
    reading : Reading
    **options
        Options of :func:`truepath.experiments.compare_models`.
    """
    from truepath.experiments import compare_models

    names, kind = _metrics(metrics, [a, b], reading)
    true = _read_truth(truth, hierarchy, [a, b], reading)
    first, second = (true.read(file, kind) for file in (a, b))
    options = {"names": (str(a), str(b)), **options}
    return [compare_models(true.y, first, second, true.hierarchy, metric=name, **options) for name in names]


def _metrics(given: Sequence[str], files: list[Path], reading: Reading) -> tuple[list[str], str]:
    """Return the measures asked for, or the usual one for what the files hold; and what they need."""
    held = {file: "labels" if _hold_labels(file, reading) else "scores" for file in files}
    names = list(given) or [USUAL[held[files[0]]]]
    kinds = {name: get_metric(name).needs for name in names}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} needs {needs}" for name, needs in kinds.items())
        raise TruePathError(
            f"metrics (--metrics): {listed}.", "Compare by measures of labels, or by measures of scores."
        )
    kind = kinds[names[0]]
    for file, holds in held.items():
        if holds != kind and (kind == "labels" or _has_column(file, reading)):  # 0 and 1 are scores too
            remedy = "truepath label makes labels of scores." if kind == "labels" else "Give files of scores."
            raise TruePathError(f"{names[0]} needs {kind}, but {file} holds {holds}.", remedy)
    return names, kind


def _has_column(file: Path, reading: Reading) -> bool:
    """Return whether a file has a column of labels, rather than one for each label."""
    return format_of(file) == "json" or reading.column(file) is not None


def _hold_labels(file: Path, reading: Reading) -> bool:
    """Return whether a file has a column of labels, or nothing but 0 and 1."""
    if _has_column(file, reading):
        return True
    names = column_names(file, reading.form.for_file(file))
    S = read_scores(file, ids=reading.ids if reading.ids in names else None, **reading.written(file)).S
    return bool(np.isin(getattr(S, "data", S) if hasattr(S, "tocsr") else S, (0, 1)).all())


def read_outputs(
    truth: str,
    labels: Path | None = None,
    scores: Path | None = None,
    hierarchy: str | None = None,
    reading: Reading = Reading(),
) -> tuple[Hierarchy, Any, dict[str, Any]]:
    """Return the hierarchy, the true labels, and a model's labels and scores in the order of the true rows.

    Parameters
    ----------
    truth, hierarchy, reading
        As for :func:`compare_files`; a file of labels needs the hierarchy.
    labels, scores : path, optional
        The output files of a model; the result has the entries ``"labels"`` and ``"scores"`` of those that are given.
    """
    if hierarchy is None and holds_labels(truth):
        problem = "hierarchy (--hierarchy) is missing: a file of labels does not contain the hierarchy."
        raise TruePathError(problem, "Give a file of edges, the hierarchy.json of a run, or a saved model.")
    files = {kind: file for kind, file in (("labels", labels), ("scores", scores)) if file is not None}
    true = _read_truth(truth, hierarchy, files.values(), reading)
    return true.hierarchy, true.y, {kind: true.read(file, kind) for kind, file in files.items()}


class _Truth(NamedTuple):
    """The true labels, what their rows are matched by, and how files about the same rows are read."""

    hierarchy: Hierarchy
    y: Any
    rows: RowKeys
    ids: dict[Any, str | None]
    reading: Reading

    def read(self, file: Path, kind: str) -> Any:
        """Return labels or scores in the order of the true rows."""
        how, ids = self.reading, self.ids[file]
        if kind == "labels":
            table = how.read_labels(file, self.hierarchy, ids, how.column(file))
            return table.y[how.match(self.rows, table.row_keys)]
        scores = read_scores(file, self.hierarchy, ids=ids, **how.written(file))
        return scores.S[how.match(self.rows, scores.row_keys)]


def _read_truth(truth: str, hierarchy: str | None, given: Iterable[Path], reading: Reading) -> _Truth:
    """Return the true labels of a file or a data set; ``given`` are the files to be compared with them."""
    files: list[Any] = [truth, *given] if holds_labels(truth) else [*given]
    reading.form.check_sheet(*files)
    ids = find_column(reading.ids, files, reading.form)
    if not holds_labels(truth):
        return _Truth(*_read_part(truth, hierarchy, reading), ids, reading)
    if not Path(truth).is_file():
        raise FileNotFoundError(2, "no such file", truth)
    if reading.part != Reading.part:
        raise TruePathError(f"part (--part) {reading.part!r} is for the true labels of a data set; {truth} is a file.")
    if hierarchy is None:
        tree = _find_hierarchy(files, ids, reading)
        reading = replace(reading, sep=reading.sep or tree.sep)
    else:
        tree = open_hierarchy(hierarchy, sep=reading.sep, header=reading.header)
    table = reading.read_labels(truth, tree, ids[truth])
    return _Truth(tree, table.y, table.row_keys, ids, reading)


def _read_part(truth: str, hierarchy: str | None, reading: Reading) -> tuple[Hierarchy, Any, RowKeys]:
    """Return the hierarchy of a data set, the labels of one of its parts, and what their rows are matched by."""
    ds = open_dataset(truth)
    part = "all" if list(ds) == ["all"] else reading.part
    if part not in ds.splits:
        raise TruePathError(f"{truth} has no part {part!r}.", f"Choose by part (--part): {', '.join(ds.splits)}.")
    if hierarchy is not None and open_hierarchy(hierarchy, header=reading.header) != ds.hierarchy:
        raise TruePathError(f"hierarchy (--hierarchy) {hierarchy} is not that of {truth}.", "Leave it out.")
    rows = ds[part]
    keys = {} if rows.ids is None else {"id": as_texts(rows.ids)}
    return ds.hierarchy, rows.y, RowKeys(truth, rows.y.shape[0], keys)


def _find_hierarchy(files: list[Any], ids: dict[Any, str | None], reading: Reading) -> Hierarchy:
    """Build the hierarchy of the label paths in all files, with a remark."""
    names: dict[str, None] = {}
    for file in files:
        names.update(dict.fromkeys(_labels_in(file, ids[file], reading, names)))
    if not names:
        raise TruePathError("hierarchy (--hierarchy) is missing, and the files have no names of labels.", "Give one.")
    sep = reading.sep or find_sep(dict.fromkeys(names, 1), reading.between)
    warn_about_lists(names, sep)
    warn_about_spellings({tuple(split_path(name, sep)): 1 for name in names}, sep)
    tree = Hierarchy.from_paths([split_path(name, sep) for name in names], sep=sep)
    shape = f"{counted(tree.n_nodes, 'label')} on {counted(tree.height, 'level')}"
    reading.remark(f"no --hierarchy: built from the label paths in the files, {shape}")
    return tree


def _labels_in(file: Any, ids: str | None, reading: Reading, known: Collection[str]) -> list[str]:
    """Return the names of labels in a column of labels, or of the columns of a matrix.

    Labels are separated as asked. Where names are known already, those that truepath predicted may have ``;`` between
    them: what leaves fewer names unknown.
    """
    if format_of(file) == "json":
        raise TruePathError(f"hierarchy (--hierarchy) is missing: it is not built from JSON ({file}).", "Give one.")
    if (column := reading.column(file)) is not None:
        cells = read_columns(file, reading.form.for_file(file)).data[column]
        readers = [LabelCells(sign) for sign in ((reading.between, ";") if known else (reading.between,))]
        by_sign = [[name for cell in cells for name in reader.split(cell)] for reader in readers]
        return min(by_sign, key=lambda names: sum(name not in known for name in set(names)))
    return list(read_scores(file, ids=ids, **reading.written(file)).names or ())


def read_run(
    models: Sequence[ModelFiles],
    truth: str,
    hierarchy: str | None = None,
    reading: Reading = Reading(),
    *,
    threshold: float = 0.5,
    text: str | None = None,
    title: str | None = None,
) -> Run:
    """Read the output files of any models as one run, for :func:`truepath.report.write_report`.

    Parameters
    ----------
    models : sequence of ModelFiles
        Files of labels, of scores, or of both, for each model.
    truth, hierarchy, reading
        As for :func:`compare_files`.
    threshold : float, default=0.5
        Labels of models with scores alone are those above it.
    text : str, optional
        A column of the file of true labels, shown with examples.
    title : str, optional
    """
    from truepath.report import Run

    check_in("threshold", threshold, Range(Real, 0, 1))
    given = [file for model in models for file in (model.labels, model.scores) if file is not None]
    for file in given:
        if not file.is_file():
            raise FileNotFoundError(2, "no such file", str(file))
    true = _read_truth(truth, hierarchy, given, reading)
    results = [_evaluated(model, true, threshold) for model in models]
    names = next((keys.tolist() for keys in true.rows.keys.values()), None)
    texts = None if text is None else _texts(truth, text, reading)
    usual = f"{Path(truth).stem}: {', '.join(model.name for model in models)}"
    return Run(true.hierarchy, true.y, results, title=title or usual, ids=names, texts=texts)


def _evaluated(model: ModelFiles, true: _Truth, threshold: float) -> Evaluated:
    """Read the output files of one model; labels of scores alone are those above a threshold."""
    from truepath.decoders import Threshold
    from truepath.report import Evaluated

    S = None if model.scores is None else true.read(model.scores, "scores")
    files = {"predictions": model.labels, "scores": model.scores}
    settings: dict[str, Any] = {kind: str(file) for kind, file in files.items() if file is not None}
    if model.labels is not None:
        return Evaluated(model.name, true.read(model.labels, "labels"), S, settings=settings)
    y_pred = Threshold(threshold, hierarchy=true.hierarchy, coherent="max-up").predict(S)
    return Evaluated(model.name, y_pred, S, threshold, settings={**settings, "threshold": threshold})


def _texts(truth: str, column: str, reading: Reading) -> list[str]:
    """Return a column of the file of true labels, to show with the examples."""
    if not holds_labels(truth):
        raise TruePathError(f"text (--text) is a column of a table; {truth} is a data set.", "Leave it out.")
    table = read_columns(truth, reading.form.for_file(truth))
    table.check([column])
    texts: list[str] = table.texts(column).tolist()
    return texts
