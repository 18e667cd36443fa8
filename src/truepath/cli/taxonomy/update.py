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
    Sep,
    Trust,
    split_columns,
)
from truepath.cli.taxonomy.steps import StepFile
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from truepath.hierarchy import HierarchyDiff


def update(
    model: ModelFile,
    data: Annotated[
        str, typer.Argument(help="All rows to learn from, old and new, in the format of the training data.")
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
    sep: Sep = None,
    between: BetweenOrNone = None,
    header: Header = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    trust: Trust = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Update a model to a changed hierarchy without refitting everything."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.persistence import trusted_types_of
    from truepath.workflow import open_training, update_model

    check_outputs({"--output": output}, {"MODEL": model, "DATA": data, "--hierarchy": hierarchy, "--steps": steps})
    with progress("updating") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trusted_types_of(model, trust or []))
        change = _change(fitted, hierarchy, (step or [], steps), sep, header)
        columns = {"labels": split_columns(labels), "text": fitted.fitted_on_.text, "ids": fitted.fitted_on_.ids}
        form = {"sep": sep, "between": between, "delimiter": delimiter, "encoding": encoding}
        ds = open_training(data, hierarchy=change.old if old_labels else change.new, **columns, **form)
        show(0, None, f"learning {counted(len(change.touched), 'label')}")
        update_model(fitted, change, ds, old_labels=old_labels).save(output)
    _print_update(change, fitted.updated_, ds.n_samples, output, json_wanted)


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


def _print_update(change: HierarchyDiff, done: str, n_rows: int, output: Path, json_wanted: bool) -> None:
    """Print what was done."""
    from truepath.cli.taxonomy.steps import as_json

    if json_wanted:
        typer.echo(dump_json({**as_json(change), "rows": n_rows, "model": str(output)}, indent=2))
        return
    typer.echo(str(change))
    typer.echo(done)
    typer.echo(f"truepath: {counted(n_rows, 'row')} -> {output}", err=True)
