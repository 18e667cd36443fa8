"""One page about an experiment: every measure over data sets and methods, with ranks and which methods differ."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from truepath.errors import DataFormatError, TruePathError
from truepath.experiments.measures import direction_of, metric_of
from truepath.experiments.statistics.scores import Scores, list_measures, read_results, result_columns
from truepath.experiments.tables import RESULTS

COLUMNS = ("dataset", "method", "measure", "value")


class MeanCell(NamedTuple):
    """One method on one data set: the mean over runs, their standard deviation, how many, and whether it is best."""

    mean: float
    deviation: float
    n_runs: int
    is_best: bool


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
    table = table / RESULTS if table.is_dir() else table
    scores = _read(table)
    datasets = list(dict.fromkeys(name for one in scores for name in one.datasets))
    methods = list(dict.fromkeys(name for one in scores for name in one.methods))
    parts = [_part(one, datasets, methods, alpha) for one in scores]
    context = {
        "title": str(title),
        "parts": parts,
        "datasets": datasets,
        "methods": [(name, method_sign(k)) for k, name in enumerate(methods)],
        "n_runs": max(sum(map(len, one.cells.values())) for one in scores),
        "alpha": alpha,
        "source": table.name,
    }
    return write_page(path, "experiment.html", context)


def _read(path: Path) -> list[Scores]:
    """Return the results of each measure; of one that is not a metric, greater values are better."""
    columns = result_columns(path)
    lacking = [name for name in COLUMNS if name not in columns]
    if lacking:
        raise DataFormatError(f"the column {lacking[0]!r} is missing.", path, 1, f"It needs {', '.join(COLUMNS)}.")
    try:
        return [
            read_results(columns, measure, greater_is_better=direction_of(measure) is not False)
            for measure in list_measures(columns)
        ]
    except TruePathError as error:  # which does not name the file
        raise DataFormatError(error.problem, path, remedy=error.remedy) from error


def _part(scores: Scores, datasets: Sequence[str], methods: Sequence[str], alpha: float) -> dict[str, Any]:
    """Compute one measure's table, dot plot and diagram."""
    from truepath.experiments import critical_difference_svg
    from truepath.report.charts import dot_plot

    measure, metric = scores.measure, metric_of(scores.measure)
    runs = {key: list(cell.values()) for key, cell in scores.cells.items()}
    rows = [(d, _best_marked([runs.get((d, m)) for m in methods], scores.greater_is_better)) for d in datasets]
    rows = [(dataset, row) for dataset, row in rows if any(cell is not None for cell in row)]
    comparison, remarks = _compare(scores, alpha)
    ranks = {} if comparison is None else dict(zip(comparison.methods, comparison.mean_ranks.tolist()))
    return {
        "measure": measure,
        "meaning": "" if metric is None else metric.meaning,
        "way": "higher is better" if metric is None else metric.direction,
        "digits": 3 if metric is None else metric.digits,
        "rows": rows,
        "ranks": [ranks.get(method) for method in methods],
        "ranked": list(ranks.items()),
        "chart": dot_plot([(d, [None if c is None else c.mean for c in row]) for d, row in rows], measure),
        "diagram": critical_difference_svg(comparison) if comparison is not None and comparison.tests else "",
        "remarks": remarks,
    }


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


def _compare(scores: Scores, alpha: float) -> tuple[Any, list[str]]:
    """Rank and test the methods; what cannot be compared becomes a remark on the page, not an error."""
    from truepath.experiments import compare

    try:
        comparison = compare(scores, alpha=alpha)
    except TruePathError as error:
        return None, [str(error)]
    return comparison, list(comparison.remarks)
