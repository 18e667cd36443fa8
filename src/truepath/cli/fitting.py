"""What ``fit`` and ``demo`` share: fitting with a bar that knows the parts, predicting test rows, and their table."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from truepath.classifier import HierarchicalClassifier
    from truepath.metrics import Metric
    from truepath.report import Evaluated

__all__ = ["MEASURES", "evaluate_model", "fit_with_progress", "legend", "print_results"]

#: The measures of the table, in its order; a run has more
MEASURES = ("hierarchical_f1", "auprc", "exact_match", "h_loss", "hmc_loss")

Values = Mapping[str, Mapping[str, float]]  # method -> metric -> value


def fit_with_progress(model: HierarchicalClassifier, X: Any, Y: Any, name: str) -> float:
    """Fit a classifier behind a bar; return the seconds it took."""
    from truepath.adapters import on_progress
    from truepath.cli.progress import progress

    start = time.perf_counter()
    with progress(f"fitting {name}") as show, on_progress(show):
        model.fit(X, Y)
    return time.perf_counter() - start


def evaluate_model(model: HierarchicalClassifier, X: Any, name: str, seconds: float) -> Evaluated:
    """Predict test rows; return what a report wants to know of the method."""
    from truepath.report import Evaluated

    thresholds = getattr(model.decoder_, "thresholds_", None)
    settings = {"learner": model.learner_, "combiner": model.combiner_, "decoder": model.decoder_}
    shown = {key: " ".join(repr(value).split()) for key, value in settings.items()}
    return Evaluated(name, model.predict(X), model.predict_proba(X), thresholds, round(seconds, 3), shown)


def print_results(console: Console, measures: Values, title: str, seconds: Mapping[str, float] | None = None) -> None:
    """Print methods by measures, the best of each measure bold and starred, and below it what the measures mean."""
    from truepath.metrics import get_metric

    known = [get_metric(name) for name in MEASURES if any(name in values for values in measures.values())]
    console.print(_results_table(measures, known, title, seconds))
    console.print(legend({metric.label: metric for metric in known}))


def legend(shown: Mapping[str, Metric]) -> Table:
    """Return what measures mean, one per line after what the table above calls them."""
    from rich.table import Table

    lines = Table.grid(padding=(0, 1))
    for called, metric in shown.items():
        lines.add_row(called, metric.arrow, metric.meaning, style="dim")
    return lines


def _results_table(measures: Values, metrics: list[Metric], title: str, seconds: Mapping[str, float] | None) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("method", no_wrap=True)
    for metric in metrics:
        table.add_column(metric.heading, justify="right")
    if seconds is not None:
        table.add_column("fit, s", justify="right")
    columns = [_cells(metric, [values.get(metric.name) for values in measures.values()]) for metric in metrics]
    for method, cells in zip(measures, zip(*columns)):
        table.add_row(method, *cells, *([] if seconds is None else [f"{seconds[method]:.1f}"]))
    return table


def _cells(metric: Metric, values: list[float | None]) -> list[str]:
    """Write one measure of all methods, the best of several marked."""
    known = [value for value in values if value is not None]
    best = max(known) if metric.greater_is_better else min(known)
    is_marked = len(values) > 1
    return [
        f"[bold]{metric.show(value)}*[/]" if is_marked and value == best else f"{metric.show(value)} "
        for value in values
    ]
