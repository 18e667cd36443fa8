"""``truepath evaluate``: predicted labels and scores against the truth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from truepath.cli.shared.kinds import NAMES
from truepath.cli.shared.options import (
    Between,
    ByOrder,
    Delimiter,
    Encoding,
    Header,
    Ids,
    LabelColumn,
    Part,
    Seed,
    Sep,
    Sheet,
    split_names,
)
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.files.strict_json import dump_json
from truepath.parameters import RESAMPLES

if TYPE_CHECKING:
    from truepath.experiments.measures import MetricWithOptions
    from truepath.hierarchy import Hierarchy


class _Measured(NamedTuple):
    """One measure's value, with its interval if one was asked for."""

    measure: MetricWithOptions
    value: float
    low: float | None = None
    high: float | None = None


def evaluate(
    truth: Annotated[
        str,
        typer.Argument(help="True labels: a file as written by truepath label, a 0/1 matrix, or a data set."),
    ],
    predicted: Annotated[
        Path | None, typer.Argument(help="Predicted labels: a file of labels or a 0/1 matrix; - for standard input.")
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option("--hierarchy", "-H", help="Hierarchy, as in truepath label; not needed if TRUTH is a data set."),
    ] = None,
    header: Header = None,
    labels: LabelColumn = "labels",
    scores: Annotated[
        Path | None, typer.Option("--scores", "-S", help="Scores, for the measures that need them.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            "-m",
            parser=NAMES,
            help="Names from the list below, separated by commas, perhaps with options, such as "
            "auprc\\[average=macro] (default: all).",
        ),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(help="Count these labels only: names separated by commas, or a file of names.", parser=NAMES),
    ] = None,
    leave_out: Annotated[
        str | None,
        typer.Option(help="Do not count these labels: names separated by commas, or a file of names.", parser=NAMES),
    ] = None,
    resamples: Annotated[
        int,
        typer.Option(min=0, max=RESAMPLES.most, help="Number of bootstrap resamples for 95% intervals; 0 for none."),
    ] = 0,
    seed: Seed = 0,
    part: Part = "test",
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    ids: Ids = None,
    by_order: ByOrder = False,
    close: Annotated[
        bool, typer.Option("--close", help="Add missing ancestors to 0/1 matrices instead of refusing them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the values as JSON.")] = False,
) -> None:
    """Measure predicted labels, scores or both against true labels."""
    from truepath.cli.shared.messages import say
    from truepath.cli.shared.streams import STREAM, reading_stdin
    from truepath.workflow import Reading, read_outputs

    if predicted is None and scores is None:
        raise TruePathError("nothing to evaluate.", "Give predicted labels, --scores, or both.")
    reading = Reading(labels, part, header, sep, between, delimiter, encoding, ids, by_order, close, say, sheet)
    if str(predicted) == str(scores) == STREAM:
        raise TruePathError("PREDICTED and --scores are both -.", "Name a file for one of them.")
    with reading_stdin(predicted, "PREDICTED") as labels_file, reading_stdin(scores, "--scores") as score_file:
        tree, true, given = read_outputs(truth, labels_file, score_file, hierarchy, reading)
    kept = _counted(tree, nodes, leave_out)
    wanted = _requested(metrics, given)
    values = _measure(wanted, true, given, tree, kept, resamples, seed)
    if as_json:
        typer.echo(dump_json(_as_json(values, resamples), indent=2))
    else:
        n_labels = tree.n_nodes if kept is None else len(kept)
        _print(values, f"{counted(true.shape[0], 'row')}, {counted(n_labels, 'label')}", resamples)


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
        from truepath.files.text import read_text

        return [line.strip() for line in read_text(given).splitlines() if line.strip()]
    return split_names(given)


def _requested(metrics: str | None, given: dict[str, Any]) -> tuple[MetricWithOptions, ...]:
    """Return the measures asked for, or all that can be computed from what is given."""
    from truepath.experiments.measures import make_measures
    from truepath.metrics import get_metric, list_metrics

    if metrics is None:
        all_metrics = map(get_metric, list_metrics())
        return make_measures([m.name for m in all_metrics if m.number is None and m.needs in given])
    measures = make_measures(re.findall(r"[^,\[\]]+(?:\[[^\]]*\])?", metrics), "--metrics")
    for measure in measures:
        if (needs := measure.metric.needs) not in given:
            wanted = "PREDICTED" if needs == "labels" else "--scores"
            raise TruePathError(f"{measure.label} needs {needs}.", f"Give {wanted}.")
    return measures


def _measure(
    measures: Sequence[MetricWithOptions],
    true: Any,
    given: dict[str, Any],
    hierarchy: Hierarchy,
    nodes: Any,
    n_resamples: int,
    seed: int,
) -> list[_Measured]:
    """Compute the measures, with a progress bar."""
    from truepath.cli.shared.progress import progress
    from truepath.metrics import bootstrap_interval

    found = []
    with progress("measuring") as show:
        for done, measure in enumerate(measures):
            show(done, len(measures), measure.label)
            metric, options = measure.metric, {"nodes": nodes, **measure.options_for(hierarchy)}
            compared = (true, given[metric.needs], hierarchy)
            if n_resamples:
                drawn = bootstrap_interval(
                    metric.name, *compared, n_resamples=n_resamples, random_state=seed, **options
                )
                found.append(_Measured(measure, drawn.value, drawn.low, drawn.high))
            else:
                found.append(_Measured(measure, metric(*compared, **options)))
    return found


def _as_json(found: list[_Measured], n_resamples: int) -> dict[str, Any]:
    return {
        one.measure.label: {
            "value": one.value,
            "needs": one.measure.metric.needs,
            "greater_is_better": one.measure.metric.greater_is_better,
            **({"low": one.low, "high": one.high} if n_resamples else {}),
        }
        for one in found
    }


def _print(found: list[_Measured], title: str, n_resamples: int) -> None:
    """Print the table, measures of labels first, and what each measure means."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from truepath.cli.shared.results import legend

    table = Table(title=title, title_justify="left")
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right")
    table.add_column("better")
    if n_resamples:
        table.add_column("95% interval", no_wrap=True)
    groups = [[one for one in found if one.measure.metric.needs == needs] for needs in ("labels", "scores")]
    for group in groups:
        for one in group:
            label, metric = one.measure.label, one.measure.metric
            ends = [f"{metric.show(one.low)} to {metric.show(one.high)}"] if n_resamples else []
            table.add_row(escape(label), metric.show(one.value), metric.arrow, *ends, end_section=one is group[-1])
    console = Console(highlight=False)
    console.print(table)
    console.print(legend({one.measure.metric.name: one.measure.metric for group in groups for one in group}))
