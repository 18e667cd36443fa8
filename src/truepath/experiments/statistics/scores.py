"""Tables of results in any form: one measure, data sets x methods, with the runs behind every cell.

Tidy tables have the columns ``dataset``, ``method``, ``value`` and perhaps ``measure``, ``seed`` and ``fold``; wide
ones have one row per data set and one column per method.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.frames import csv_rows
from truepath.english import suggest
from truepath.errors import DataFormatError, TruePathError
from truepath.experiments.measures import direction_of
from truepath.experiments.tables import RESULTS
from truepath.files.text import stream_lines

Columns = dict[str, list[Any]]
RUN = ("seed", "fold")


@dataclass(frozen=True, eq=False)
class Scores:
    """The results of one measure.

    Attributes
    ----------
    measure : str
    greater_is_better : bool
    datasets, methods : tuple of str
        In the order of the table.
    cells : dict of (dataset, method) to dict of run to float
        The values behind each cell, by (seed, fold); NaN where a table has none.
    """

    measure: str
    greater_is_better: bool
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    cells: Mapping[tuple[str, str], Mapping[tuple[str, ...], float]]

    def summary(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and standard deviation (over runs, n - 1) of each cell; NaN where there is nothing."""
        shape = (len(self.datasets), len(self.methods))
        mean, deviation = np.full(shape, np.nan), np.full(shape, np.nan)
        for i, dataset in enumerate(self.datasets):
            for j, method in enumerate(self.methods):
                values = list(self.cells.get((dataset, method), {}).values())
                if values:
                    mean[i, j] = np.mean(values)
                if len(values) > 1:
                    deviation[i, j] = np.std(values, ddof=1)
        return mean, deviation

    def paired(self) -> tuple[Scores, tuple[str, ...]]:
        """Return the scores of the runs that all methods have in common, and remarks on what was left out."""
        cells: dict[tuple[str, str], dict[tuple[str, ...], float]] = {}
        remarks, kept = [], []
        for dataset in self.datasets:
            runs = [{r for r, v in self.cells.get((dataset, m), {}).items() if v == v} for m in self.methods]
            common = set.intersection(*runs)
            if not common:
                lacking = [m for m, mine in zip(self.methods, runs) if not mine] or list(self.methods)
                remarks.append(f"{dataset!r} left out: no value for {_some(lacking)}.")
                continue
            if len(common) < len(set.union(*runs)):
                remarks.append(f"{dataset!r}: only the {len(common)} runs that every method finished count.")
            kept.append(dataset)
            for method in self.methods:
                mine = self.cells[dataset, method]
                cells[dataset, method] = {run: mine[run] for run in mine if run in common}
        return Scores(self.measure, self.greater_is_better, tuple(kept), self.methods, cells), tuple(remarks)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:4]))
    return f"{shown} and {len(names) - 4} more" if len(names) > 4 else shown


def read_results(
    table: Any,
    measure: str | None = None,
    *,
    greater_is_better: bool | None = None,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
) -> Scores:
    """Return the results of one measure from a tidy or a wide table.

    Parameters
    ----------
    table : path, ExperimentResult, mapping of columns, data frame or array
        A tidy table (a CSV file, the folder of an experiment, a frame) or a wide one (a frame with one column per
        method, an array of data sets x methods).
    measure : str, optional
        Needed if the table has several.
    greater_is_better : bool, optional
        By default that of the metric of this name.
    methods, datasets : sequence of str, optional
        Use these only; for an array, their names.
    """
    if isinstance(table, Scores):
        return table
    if isinstance(table, np.ndarray | list | tuple):
        named = _name_array(np.asarray(table, float), methods, datasets)
    else:
        named = result_columns(table)
    is_tidy = {"method", "value"} <= set(named)
    tidy = _pick_measure(named, measure) if is_tidy else _melt(named)
    label = measure or (str(tidy["measure"][0]) if tidy.get("measure") else "")
    scores = _collect(tidy, label, _direction(label, greater_is_better))
    return _restrict(scores, methods, datasets)


def result_columns(table: Any) -> Columns:
    """Return the columns of a CSV file, an experiment (its folder or result), a mapping or any data frame."""
    table = getattr(table, "table", table) if hasattr(table, "results_path") else table
    if isinstance(table, Mapping):
        return {str(name): list(column) for name, column in table.items()}
    if isinstance(table, str | os.PathLike):
        path = Path(table)
        return _read_csv(path / RESULTS if path.is_dir() else path)
    import narwhals.stable.v1 as nw

    frame = nw.from_native(table, eager_only=True)
    columns = {str(name): frame[name].to_list() for name in frame.columns}
    index = nw.maybe_get_index(frame)
    named = "dataset" in columns or any(isinstance(column[0], str) for column in columns.values() if column)
    return columns if index is None or named else {"dataset": [str(label) for label in index], **columns}


def _read_csv(path: Path) -> Columns:
    rows = [row for _, row in csv_rows(stream_lines(path), ",", path) if row]
    if len(rows) < 2:
        raise DataFormatError("an empty table: it needs a header and at least one row.", path)
    header = rows[0]
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise DataFormatError(f"{len(row)} cells where the header has {len(header)}.", path, number)
    return {name.strip(): [row[j].strip() for row in rows[1:]] for j, name in enumerate(header)}


#: Larger values are no values of a measure, and differences of them no numbers
MOST = 1e100


def list_measures(columns: Columns) -> list[str]:
    """Return the measures of a tidy table, in order."""
    return list(dict.fromkeys(map(str, columns.get("measure", []))))


def _pick_measure(columns: Columns, measure: str | None) -> Columns:
    if "dataset" not in columns:
        raise TruePathError(f"table: no column 'dataset', only {', '.join(columns)}.")
    there = list_measures(columns)
    if measure is None and len(there) > 1:
        raise TruePathError("measure: the table has several.", f"Choose one of {', '.join(there)}.")
    if measure is None or not there:
        return columns
    if measure not in there:
        raise TruePathError(f"measure: the table has no {measure!r}.", suggest(measure, there))
    chosen = [i for i, label in enumerate(columns["measure"]) if str(label) == measure]
    return {name: [column[i] for i in chosen] for name, column in columns.items()}


def _melt(columns: Columns) -> Columns:
    """Turn a wide table into a tidy one; the column of names is ``dataset``, or the only one that is not numbers."""
    texts = [name for name, column in columns.items() if not all(map(_is_number, column))]
    key = "dataset" if "dataset" in columns else (texts[0] if len(texts) == 1 else None)
    if key is None and texts:
        raise TruePathError(
            f"table: neither tidy (no columns 'method' and 'value') nor wide (columns {', '.join(texts[:4])} are not "
            "numbers).",
            "Give dataset, method and value, or one column of numbers per method.",
        )
    length = len(next(iter(columns.values()), []))
    names = list(map(str, columns[key])) if key else [str(i + 1) for i in range(length)]
    others = [name for name in columns if name != key]
    return {
        "dataset": names * len(others),
        "method": [name for name in others for _ in range(length)],
        "value": [cell for name in others for cell in columns[name]],
    }


def _name_array(values: NDArray[np.float64], methods: Any, datasets: Any) -> Columns:
    if values.ndim != 2:
        raise TruePathError(f"table: an array must be data sets x methods; got {values.ndim} dimension(s).")
    columns = list(methods) if methods is not None else [f"method {j + 1}" for j in range(values.shape[1])]
    rows = list(datasets) if datasets is not None else [str(i + 1) for i in range(values.shape[0])]
    if (len(rows), len(columns)) != values.shape:
        raise TruePathError(
            f"table: {values.shape} cells, but {len(rows)} datasets and {len(columns)} methods are named."
        )
    return {"dataset": rows, **{name: values[:, j].tolist() for j, name in enumerate(columns)}}


def _direction(label: str, given: bool | None) -> bool:
    found = given if given is not None else direction_of(label)
    if found is None:
        of_label = f" of {label!r}" if label else ""
        what = f"it is not known whether greater values{of_label} are better"
        remedy = "Pass greater_is_better=True or False (--greater-is-better, --lower-is-better), or name a metric."
        raise TruePathError(f"measure: {what}.", remedy)
    return found


def _collect(tidy: Columns, label: str, greater_is_better: bool) -> Scores:
    cells: dict[tuple[str, str], dict[tuple[str, ...], float]] = {}
    runs = list(zip(*(tidy[name] for name in RUN if name in tidy))) or [()] * len(tidy["value"])
    for dataset, method, run, value in zip(tidy["dataset"], tidy["method"], runs, tidy["value"]):
        cell = cells.setdefault((str(dataset), str(method)), {})
        key = tuple(map(str, run))
        if key in cell:
            raise TruePathError(f"table: {dataset!r} / {method!r} has two values for the same seed and fold {key}.")
        cell[key] = _number(value, dataset, method)
    datasets = tuple(dict.fromkeys(map(str, tidy["dataset"])))
    methods = tuple(dict.fromkeys(map(str, tidy["method"])))
    return Scores(label, greater_is_better, datasets, methods, cells)


def _number(value: Any, dataset: Any, method: Any) -> float:
    try:
        number = _as_float(value)
    except (TypeError, ValueError):
        number = inf
    if abs(number) > MOST:  # NaN stands for a run without a value
        raise TruePathError(f"table: the value of {dataset!r} / {method!r} is {value!r:.60}, not a number to compare.")
    return number


def _is_number(value: Any) -> bool:
    try:
        _as_float(value)
    except (TypeError, ValueError):
        return False
    return True


def _as_float(value: Any) -> float:
    return float("nan" if value is None or value == "" else value)


def _restrict(scores: Scores, methods: Sequence[str] | None, datasets: Sequence[str] | None) -> Scores:
    for key, wanted, there in (("methods", methods, scores.methods), ("datasets", datasets, scores.datasets)):
        for name in wanted or ():
            if name not in there:
                raise TruePathError(f"{key}: the table has no {name!r}.", suggest(name, there))
    chosen_methods = scores.methods if methods is None else tuple(methods)
    chosen_datasets = scores.datasets if datasets is None else tuple(datasets)
    return Scores(scores.measure, scores.greater_is_better, chosen_datasets, chosen_methods, scores.cells)
