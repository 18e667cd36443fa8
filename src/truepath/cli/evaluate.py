"""``truepath evaluate``: predicted labels and scores against the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from truepath.cli.steps import Between, ByOrder, Delimiter, Encoding, Header, Ids, Sep, join_and_say, open_hierarchy
from truepath.errors import TruePathError
from truepath.files.text import counted

if TYPE_CHECKING:
    from truepath.data.tables.join import RowKeys
    from truepath.hierarchy import Hierarchy

__all__ = ["evaluate", "read_truth"]


class _Measured(NamedTuple):
    """One measure's value, with its interval if one was asked for."""

    value: float
    low: float | None = None
    high: float | None = None


def evaluate(
    truth: Annotated[
        str,
        typer.Argument(help="True labels: a file as written by truepath label, a 0/1 matrix, or a data set."),
    ],
    predicted: Annotated[
        Path | None, typer.Argument(help="Predicted labels: a file of labels or a 0/1 matrix.")
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option("--hierarchy", "-H", help="Hierarchy, as in truepath label; not needed if TRUTH is a data set."),
    ] = None,
    header: Header = None,
    labels: Annotated[str, typer.Option(help="The column of label names, in either table.")] = "labels",
    scores: Annotated[
        Path | None, typer.Option("--scores", "-S", help="Scores, for the measures that need them.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", "-m", help="Names from the list below, separated by commas; all by default."),
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(help="Count these labels only: names separated by commas, or a file of names.")
    ] = None,
    leave_out: Annotated[
        str | None, typer.Option(help="Do not count these labels: names separated by commas, or a file of names.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Number of bootstrap resamples for 95% intervals; 0 for none.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Random seed of the resamples.")] = 0,
    split: Annotated[str, typer.Option(help="Which part, if TRUTH is a data set.")] = "test",
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    ids: Ids = None,
    by_order: ByOrder = False,
    close: Annotated[
        bool, typer.Option("--close", help="Add missing ancestors to 0/1 matrices instead of refusing them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the values as JSON.")] = False,
) -> None:
    """Measure predicted labels, scores or both against true labels."""
    from truepath.data import read_labels, read_scores
    from truepath.data.tables.frames import TextForm, holds_labels
    from truepath.data.tables.join import find_column
    from truepath.data.tables.matrices import column_names

    if predicted is None and scores is None:
        raise TruePathError("nothing to evaluate.", "Give predicted labels, --scores, or both.")
    form = TextForm.of(delimiter, encoding)
    written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding}
    columns = find_column(ids, [truth if holds_labels(truth) else None, predicted, scores], form)
    cells: dict[str, Any] = {"sep": sep, "between": between, "close": close, **written}
    tree, true, rows = read_truth(truth, hierarchy, labels, split, columns.get(truth), cells, header)
    given: dict[str, Any] = {}
    if predicted is not None:
        called = labels if labels in column_names(predicted, form) else "labels"
        found = read_labels(predicted, tree, labels=called, ids=columns[predicted], **cells)
        given["labels"] = found.y[join_and_say(rows, found.row_keys, by_order)]
    if scores is not None:
        table = read_scores(scores, tree, ids=columns[scores], **written)
        given["scores"] = table.S[join_and_say(rows, table.row_keys, by_order)]
    kept = _counted(tree, nodes, leave_out)
    wanted = _wanted(metrics, given)
    values = _measure(wanted, true, given, tree, kept, bootstrap, seed)
    if as_json:
        typer.echo(json.dumps(_as_json(values, bootstrap), indent=2))
    else:
        n_labels = tree.n_nodes if kept is None else len(kept)
        _print(values, f"{counted(true.shape[0], 'row')}, {counted(n_labels, 'label')}", bootstrap)


def read_truth(
    truth: str, hierarchy: str | None, labels: str, split: str, ids: str | None, cells: Any, header: bool | None
) -> tuple[Hierarchy, Any, RowKeys]:
    """Return the hierarchy, the true labels and what their rows are found by."""
    from truepath.data import open_dataset, read_labels
    from truepath.data.tables.frames import holds_labels
    from truepath.data.tables.join import RowKeys
    from truepath.data.tables.row_ids import as_texts

    if holds_labels(truth):
        if not Path(truth).is_file():
            raise FileNotFoundError(2, "no such file", truth)
        if hierarchy is None:
            problem = "--hierarchy is missing: a file of labels does not contain the hierarchy."
            raise TruePathError(problem, "Give a file of edges, the hierarchy.json of a run, or a saved model.")
        tree = open_hierarchy(hierarchy, cells["sep"], header)
        table = read_labels(truth, tree, labels=labels, ids=ids, **cells)
        return tree, table.y, table.row_keys
    ds = open_dataset(truth)
    split = "all" if list(ds) == ["all"] else split
    if split not in ds.splits:
        raise TruePathError(f"{truth} has no part {split!r}.", f"Choose with --split: {', '.join(ds.splits)}.")
    if hierarchy is not None and open_hierarchy(hierarchy, header=header) != ds.hierarchy:
        raise TruePathError(f"--hierarchy {hierarchy} is not the hierarchy of {truth}.", "Leave it out.")
    part = ds[split]
    return ds.hierarchy, part.y, RowKeys(truth, part.y.shape[0], {} if part.ids is None else {"id": as_texts(part.ids)})


def _counted(hierarchy: Hierarchy, nodes: str | None, leave_out: str | None) -> Any:
    """Return the numbers of the labels that count, None for all."""
    import numpy as np

    if nodes is None and leave_out is None:
        return None
    kept = np.zeros(hierarchy.n_nodes, bool)
    kept[hierarchy.indices(_names(nodes)) if nodes is not None else slice(None)] = True
    if leave_out is not None:
        kept[hierarchy.indices(_names(leave_out))] = False
    if not kept.any():
        raise TruePathError("--nodes and --leave-out leave no label to count.")
    return np.flatnonzero(kept)


def _names(given: str) -> list[str]:
    """Split names at commas, or read them from a file, one per line."""
    if Path(given).is_file():
        return [line.strip() for line in Path(given).read_text(encoding="utf-8").splitlines() if line.strip()]
    return [name.strip() for name in given.split(",") if name.strip()]


def _wanted(metrics: str | None, given: dict[str, Any]) -> list[str]:
    """Return the measures asked for, or all that can be computed from what is given."""
    from truepath.metrics import get_metric, list_metrics

    if metrics is None:
        return [name for name in list_metrics() if get_metric(name).number is None and get_metric(name).needs in given]
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    for name in names:
        if (needs := get_metric(name).needs) not in given:
            wanted = "PREDICTED" if needs == "labels" else "--scores"
            raise TruePathError(f"{name} needs {needs}.", f"Give {wanted}.")
    return names


def _measure(
    names: list[str], true: Any, given: dict[str, Any], hierarchy: Hierarchy, nodes: Any, n_resamples: int, seed: int
) -> dict[str, _Measured]:
    """Compute the measures, with a progress bar."""
    from truepath.cli.steps import progress
    from truepath.metrics import bootstrap_interval, get_metric

    found = {}
    with progress("measuring") as show:
        for done, name in enumerate(names):
            show(done, len(names), name)
            metric = get_metric(name)
            predicted = given[metric.needs]
            if n_resamples:
                interval = bootstrap_interval(
                    name, true, predicted, hierarchy, n_resamples=n_resamples, random_state=seed, nodes=nodes
                )
                found[name] = _Measured(interval.value, interval.low, interval.high)
            else:
                found[name] = _Measured(metric(true, predicted, hierarchy, nodes=nodes))
    return found


def _as_json(found: dict[str, _Measured], n_resamples: int) -> dict[str, Any]:
    from truepath.metrics import get_metric

    return {
        name: {
            "value": _finite(measured.value),
            "needs": get_metric(name).needs,
            "greater_is_better": get_metric(name).greater_is_better,
            **({"low": _finite(measured.low), "high": _finite(measured.high)} if n_resamples else {}),
        }
        for name, measured in found.items()
    }


def _finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, None for NaN."""
    return None if value is None or value != value else value


def _print(found: dict[str, _Measured], title: str, n_resamples: int) -> None:
    """Print the table, measures of labels first, and what each measure means."""
    from rich.console import Console
    from rich.table import Table

    from truepath.cli.steps import legend
    from truepath.metrics import get_metric

    table = Table(title=title, title_justify="left")
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right")
    table.add_column("better")
    if n_resamples:
        table.add_column("95% interval", no_wrap=True)
    groups = [[get_metric(name) for name in found if get_metric(name).needs == needs] for needs in ("labels", "scores")]
    for group in groups:
        for metric in group:
            value, low, high = found[metric.name]
            ends = [f"{metric.show(low)} to {metric.show(high)}"] if n_resamples else []
            table.add_row(metric.name, metric.show(value), metric.arrow, *ends, end_section=metric is group[-1])
    console = Console(highlight=False)
    console.print(table)
    console.print(legend({metric.name: metric for group in groups for metric in group}))
