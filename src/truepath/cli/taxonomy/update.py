"""``truepath update``: a saved model under a changed hierarchy; only what the change touches is learned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.steps import Delimiter, Encoding, Header, Trust
from truepath.cli.taxonomy.steps import StepFile
from truepath.errors import TruePathError
from truepath.files.text import counted

if TYPE_CHECKING:
    from truepath.hierarchy import HierarchyDiff

__all__ = ["update"]


def update(
    model: Annotated[Path, typer.Argument(help="A model that truepath fit saved.")],
    data: Annotated[str, typer.Argument(help="All rows to learn from, old and new, as the model was fitted on.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the new model.")],
    hierarchy: Annotated[str | None, typer.Option(help="File of the new hierarchy (.csv edges, .json, .obo).")] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(help='A change instead, such as "add plant/elm under plant"; may be repeated.'),
    ] = None,
    steps: StepFile = None,
    old_labels: Annotated[
        bool, typer.Option("--old-labels", help="The labels of DATA are those of the old hierarchy: carry them over.")
    ] = False,
    labels: Annotated[str | None, typer.Option(help="Column of label paths (default: labels).")] = None,
    sep: Annotated[str | None, typer.Option(help="Separator of the parts of a path (default: /).")] = None,
    between: Annotated[str | None, typer.Option(help="Separator of the paths in a cell (default: ;).")] = None,
    header: Header = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    trust: Trust = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Take a model over to a changed hierarchy, without fitting everything again."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.cli.fitting.trust import trusted_types_of
    from truepath.cli.steps import check_outputs, open_training, progress

    check_outputs({"--output": output}, {"MODEL": model, "DATA": data, "--hierarchy": hierarchy, "--steps": steps})
    with progress("updating") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trusted_types_of(model, trust or []))
        change = _change(fitted, hierarchy, (step or [], steps), sep, header)
        read = {"labels": labels, "text": fitted.fitted_on_.text, "ids": fitted.fitted_on_.ids, "sep": sep}
        read |= {"between": between, "delimiter": delimiter, "encoding": encoding}
        ds, _ = open_training(data, hierarchy=change.old if old_labels else change.new, **read)
        rows = ds.merge()["all"]
        X = _same_columns(rows.X, tuple(map(str, ds.feature_names)), fitted.fitted_on_.columns)
        show(0, None, f"learning {counted(len(change.touched), 'label')}")
        fitted.update(change, X, change.transfer(rows.y) if old_labels else rows.y)
    fitted.set_fitted_on(replace(fitted.fitted_on_, n_rows=len(rows))).save(output)
    _say(change, fitted.updated_, len(rows), output, json_wanted)


def _change(fitted: Any, hierarchy: str | None, steps: Any, sep: str | None, header: bool | None) -> HierarchyDiff:
    """Return the change from the model's hierarchy: to the one of a file, or by steps."""
    from truepath.cli.steps import open_hierarchy
    from truepath.cli.taxonomy.steps import change_by_steps

    if (hierarchy is not None) == bool(steps[0] or steps[1]):
        raise TruePathError("what changes is given by --hierarchy, or by --step and --steps: one of the two.")
    if hierarchy is None:
        return change_by_steps(fitted.hierarchy_, *steps)
    found: HierarchyDiff = fitted.hierarchy_.diff(open_hierarchy(hierarchy, sep, header))
    return found


def _same_columns(X: Any, names: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """Return the feature columns that the model knows, in its order."""
    if not wanted or names == wanted or getattr(X, "ndim", 1) == 1:
        return X
    missing = [name for name in wanted if name not in names]
    if missing:
        raise TruePathError(f"DATA lacks columns that the model was fitted on: {', '.join(map(repr, missing[:5]))}.")
    return X[:, [names.index(name) for name in wanted]]


def _say(change: HierarchyDiff, done: str, n_rows: int, output: Path, json_wanted: bool) -> None:
    """Print what was done."""
    from truepath.cli.taxonomy.steps import as_json

    if json_wanted:
        typer.echo(json.dumps({**as_json(change), "rows": n_rows, "model": str(output)}, indent=2))
        return
    typer.echo(str(change))
    typer.echo(done)
    typer.echo(f"truepath: {counted(n_rows, 'row')} -> {output}", err=True)
