"""One page about an experiment: every measure over data sets and methods, with ranks and which methods differ."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from truepath.errors import DataFormatError, TruePathError

__all__ = ["RESULTS_FILE", "write_experiment_report"]

RESULTS_FILE = "results.csv"
WANTED = ("dataset", "method", "measure", "value")

Cells = dict[tuple[str, str, str], list[float]]


class MeanCell(NamedTuple):
    """One method on one data set: the mean over runs, their standard deviation, how many, and whether it is best."""

    mean: float
    deviation: float
    n_runs: int
    is_best: bool


class Part(NamedTuple):
    """What the page shows about one measure."""

    measure: str
    meaning: str
    way: str
    digits: int
    rows: list[tuple[str, list[MeanCell | None]]]
    ranks: list[float | None]
    ranked: list[tuple[str, float]]
    chart: str
    diagram: str
    remarks: list[str]


def write_experiment_report(
    path: str | PathLike[str], results: str | PathLike[str], *, title: str = "Experiment", alpha: float = 0.05
) -> Path:
    """Write a report about an experiment as one HTML file: tables, dot plots and critical-difference diagrams.

    Parameters
    ----------
    path : path-like
        The file to write.
    results : path-like
        The experiment's ``results.csv`` or the folder with it, as :func:`truepath.experiments.run_experiment` writes
        it: one row per data set, method, seed, fold and measure.
    title : str
    alpha : float, default=0.05
        Significance level of the diagrams.

    Returns
    -------
    path : Path
    """
    from truepath.report.charts import method_sign
    from truepath.report.render import write_page

    table = Path(results)
    table = table / RESULTS_FILE if table.is_dir() else table
    cells = _read(table)
    datasets, methods, measures = (list(dict.fromkeys(key[k] for key in cells)) for k in range(3))
    parts = [_part(table, cells, measure, datasets, methods, alpha) for measure in measures]
    context = {
        "title": str(title),
        "parts": parts,
        "datasets": datasets,
        "methods": [(name, method_sign(k)) for k, name in enumerate(methods)],
        "n_runs": max(sum(len(v) for key, v in cells.items() if key[2] == m) for m in measures),
        "alpha": alpha,
        "source": table.name,
    }
    return write_page(path, "experiment.html", context)


def _read(path: Path) -> Cells:
    """Return (data set, method, measure) -> values of the runs, in the order of the file."""
    if not path.is_file():
        raise DataFormatError("there is no such table of results.", path)
    cells: Cells = {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        lacking = [name for name in WANTED if name not in (reader.fieldnames or ())]
        if lacking:
            remedy = f"It needs {', '.join(WANTED)}."
            raise DataFormatError(f"the column {lacking[0]!r} is missing.", path, 1, remedy)
        for row in reader:
            key = (str(row["dataset"]), str(row["method"]), str(row["measure"]))
            try:
                cells.setdefault(key, []).append(float(row["value"]))
            except (TypeError, ValueError):
                raise DataFormatError(f"value {row['value']!r} is not a number.", path, reader.line_num) from None
    if not cells:
        raise DataFormatError("the table has no rows yet.", path, remedy="Run the experiment first.")
    return cells


def _part(
    table: Path, cells: Cells, measure: str, datasets: Sequence[str], methods: Sequence[str], alpha: float
) -> Part:
    """Compute one measure's table, dot plot and diagram; if it is not a metric, greater is taken as better."""
    from truepath.experiments.measures import metric_of
    from truepath.report.charts import dot_plot

    metric = metric_of(measure)
    greater = metric is None or metric.greater_is_better
    rows = [(d, _best_marked([cells.get((d, m, measure)) for m in methods], greater)) for d in datasets]
    rows = [(dataset, row) for dataset, row in rows if any(cell is not None for cell in row)]
    chart = dot_plot([(d, [None if c is None else c.mean for c in row]) for d, row in rows], measure)
    comparison, remarks = _compare(table, measure, greater, alpha)
    return Part(
        measure,
        "" if metric is None else metric.meaning,
        "higher is better" if metric is None else metric.direction,
        3 if metric is None else metric.digits,
        rows,
        *_ranks(comparison, methods),
        chart,
        _diagram(comparison),
        remarks,
    )


def _ranks(comparison: Any, methods: Sequence[str]) -> tuple[list[float | None], list[tuple[str, float]]]:
    """Return the mean ranks in the order of the methods, and by name, best first."""
    by_name = {} if comparison is None else dict(zip(comparison.methods, comparison.mean_ranks.tolist()))
    return [by_name.get(method) for method in methods], list(by_name.items())


def _diagram(comparison: Any) -> str:
    """Draw the critical-difference diagram, where there is anything to test."""
    from truepath.experiments import critical_difference_svg

    return critical_difference_svg(comparison) if comparison is not None and comparison.tests else ""


def _best_marked(runs: Sequence[list[float] | None], greater: bool) -> list[MeanCell | None]:
    """Average the runs of each method on a data set, and mark the best (all of them when several are equal)."""
    import numpy as np

    means = [float(np.mean(values)) if values else float("nan") for values in runs]
    known = [mean for mean in means if mean == mean]
    best = (max(known) if greater else min(known)) if known else None
    return [
        MeanCell(mean, float(np.std(values, ddof=1)) if len(values) > 1 else float("nan"), len(values), mean == best)
        if values
        else None
        for values, mean in zip(runs, means)
    ]


def _compare(table: Path, measure: str, greater: bool, alpha: float) -> tuple[Any, list[str]]:
    """Rank and test the methods; what cannot be compared becomes a remark on the page, not an error."""
    from truepath.experiments import compare

    try:
        comparison = compare(table, measure, alpha=alpha, greater_is_better=greater)
    except TruePathError as error:
        return None, [str(error)]
    return comparison, list(comparison.remarks)
