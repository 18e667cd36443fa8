"""``truepath update``: a saved model under a changed hierarchy; only what the change touches is learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.options import (
    BetweenOrNone,
    Delimiter,
    Encoding,
    Header,
    LabelColumns,
    ModelFile,
    NewModel,
    Seed,
    Sep,
    Sheet,
    SplitColumn,
    TestShare,
    Trust,
    split_columns,
)
from truepath.cli.taxonomy.steps import StepFile
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from truepath.hierarchy import HierarchyDiff
    from truepath.workflow import UpdateMeasured


def update(
    model: ModelFile,
    data: Annotated[
        str,
        typer.Argument(help="All rows to learn from, old and new, as the training data were; - for standard input."),
    ],
    output: NewModel,
    hierarchy: Annotated[
        str | None, typer.Option("--hierarchy", "-H", help="File of the new hierarchy (.csv edges, .json, .obo).")
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(help='A change to the hierarchy, such as "add plant/elm under plant"; may be repeated.'),
    ] = None,
    steps: StepFile = None,
    old_labels: Annotated[
        bool, typer.Option("--old-labels", help="The labels of DATA are those of the old hierarchy; carry them over.")
    ] = False,
    labels: LabelColumns = None,
    split: SplitColumn = None,
    sep: Sep = None,
    between: BetweenOrNone = None,
    header: Header = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    test_share: TestShare = 0.2,
    seed: Seed = 0,
    trust: Trust = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Update a model to a changed hierarchy without refitting everything; labels are read as they were in its fit."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.cli.shared.streams import reading_stdin
    from truepath.workflow import measure_update, open_training, read_again, update_model

    check_outputs({"--output": output}, {"MODEL": model, "DATA": data, "--hierarchy": hierarchy, "--steps": steps})
    with reading_stdin(data) as data, progress("updating") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trust or [])
        change = _change(fitted, hierarchy, (step or [], steps), sep, header)
        given = {"labels": split_columns(labels), "split": split, "sep": sep, "between": between}
        how = read_again(fitted.fitted_on_, given)
        form = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
        ds = open_training(data, hierarchy=change.old if old_labels else change.new, **how, **form)
        show(0, None, "measuring the update on rows held out")
        options = {"test_share": test_share, "random_state": seed}
        measured = measure_update(fitted, change, ds, old_labels=old_labels, **options)
        show(0, None, f"learning {counted(len(change.touched), 'label')}")
        update_model(fitted, change, ds, old_labels=old_labels).save(output)
    _print_update(change, fitted.updated_, ds.n_samples, output, measured, json_wanted)


def _change(fitted: Any, hierarchy: str | None, steps: Any, sep: str | None, header: bool | None) -> HierarchyDiff:
    """Return the change from the model's hierarchy: to the one of a file, or by steps."""
    from truepath.cli.taxonomy.steps import change_by_steps
    from truepath.workflow import open_hierarchy

    if (hierarchy is not None) == bool(steps[0] or steps[1]):
        raise TruePathError("what changes is given by --hierarchy, or by --step and --steps: one of the two.")
    if hierarchy is None:
        return change_by_steps(fitted.hierarchy_, *steps)
    found: HierarchyDiff = fitted.hierarchy_.diff(open_hierarchy(hierarchy, sep=sep, header=header))
    return found


def _print_update(
    change: HierarchyDiff, done: str, n_rows: int, output: Path, measured: UpdateMeasured | None, json_wanted: bool
) -> None:
    """Print what was done, and how it does."""
    from truepath.cli.taxonomy.steps import as_json

    if json_wanted:
        found: dict[str, Any] = (
            {} if measured is None else {"test_rows": measured.n_rows, "all_unseen": measured.all_unseen}
        )
        found |= {} if measured is None else {"measures": measured.measures}
        typer.echo(dump_json({**as_json(change), "rows": n_rows, "model": str(output), **found}, indent=2))
        return
    typer.echo(str(change))
    typer.echo(done)
    if measured is not None:
        from rich.console import Console

        from truepath.cli.shared.results import print_results

        title = f"On {counted(measured.n_rows, 'row')} that the update did not learn from"
        print_results(Console(highlight=False), {"update": measured.measures}, title)
        if not measured.all_unseen:
            typer.echo("Labels that stayed as they were may have been learned from these rows: --split names new ones.")
    typer.echo(f"truepath: {counted(n_rows, 'row')} -> {output}", err=True)
