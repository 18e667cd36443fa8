"""The table of results: methods and measures, and what the measures mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from truepath.metrics import Metric

#: The measures of the table, in its order; a run has more
MEASURES = ("hierarchical_f1", "auprc", "exact_match", "h_loss", "hmc_loss")


Values = Mapping[str, Mapping[str, float]]  # method -> metric -> value


def print_results(console: Console, measures: Values, title: str, seconds: Mapping[str, float] | None = None) -> None:
    """Print a table of methods and measures, the best of each measure bold and starred, then what the measures mean."""
    from truepath.metrics import get_metric

    known = [get_metric(name) for name in MEASURES if any(name in values for values in measures.values())]
    console.print(_results_table(measures, known, title, seconds))
    console.print(legend({metric.label: metric for metric in known}))


def legend(shown: Mapping[str, Metric]) -> Table:
    """Return what measures mean, one per line, each after its name in the table."""
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
