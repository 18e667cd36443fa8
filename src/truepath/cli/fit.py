"""``truepath fit``: learn from a table or a data set, measure the model, and save it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.steps import Delimiter, Encoding, Header

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier
    from truepath.data import Dataset, Split

__all__ = ["fit"]


def fit(
    data: Annotated[
        str,
        typer.Argument(
            help="A file in one of the formats below, a folder of train, valid and test files, or a data set's name."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model, such as books.tp.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help="A preset; 'auto' chooses one for the data. See truepath methods.")
    ] = "auto",
    labels: Annotated[
        str | None,
        typer.Option(
            help="Column of label paths, or the columns of the levels, separated by commas (default: labels)."
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="Column of texts to learn from; all other columns by default.")
    ] = None,
    ids: Annotated[str | None, typer.Option("--ids", "--id", help="Column with the row ids.")] = None,
    split: Annotated[str | None, typer.Option(help="Column that says train or test for each row.")] = None,
    sep: Annotated[str | None, typer.Option(help="Separator of the parts of a path (default: /).")] = None,
    between: Annotated[str | None, typer.Option(help="Separator of the paths in a cell (default: ;).")] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(help="File with the hierarchy (.csv edges, .json, .obo); by default it is built from the paths."),
    ] = None,
    header: Header = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    reader: Annotated[str | None, typer.Option(help="The format of DATA, if it cannot be seen from the file.")] = None,
    test_share: Annotated[
        float, typer.Option(help="Share of rows held out to measure on if the data have no test part; 0 for none.")
    ] = 0.2,
    run: Annotated[Path | None, typer.Option(help="Folder for the test results (default: beside the model).")] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    n_jobs: Annotated[int | None, typer.Option(help="Parallel workers; -1 for all cores.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Fit a model, measure it on rows it did not see, and save it."""
    from truepath.cli.steps import check_outputs, open_training
    from truepath.report.run_folder import files_of_run

    _check_options(test_share, method)
    folder = run or output.with_suffix(".run")
    check_outputs({"--output": output, "--run": files_of_run(folder)}, {"DATA": data, "--hierarchy": hierarchy})
    ds, fitted_on = open_training(
        data,
        labels=labels,
        text=text,
        ids=ids,
        split=split,
        sep=sep,
        between=between,
        hierarchy=_hierarchy(hierarchy, sep, header),
        delimiter=delimiter,
        encoding=encoding,
        format=reader,
    )
    had_test = "test" in ds
    train, test = _parts(ds, test_share, seed)
    model = _make(method, ds, seed, n_jobs)
    method = _choose(ds) if method == "auto" else method
    summary: dict[str, Any] = {"data": ds.name, "rows": len(train), "labels": ds.hierarchy.n_nodes, "method": method}
    summary |= _shape(ds)
    if test is not None:
        summary |= _measure(model, train, test, ds, method, folder)
    if test is None or not had_test:
        from truepath.cli.steps import fit_with_progress

        train = ds.merge()["all"]
        summary["seconds"] = fit_with_progress(model, train.X, train.y, f"{method} on all rows")
    model.set_fitted_on(replace(fitted_on, n_rows=len(train))).save(output)
    summary |= {"model": str(output), "rows_fitted": len(train)}
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    else:
        _print(summary, output)


def _check_options(test_share: float, method: str) -> None:
    """Refuse, before reading, what could not be fitted, measured or saved after it."""
    from truepath.classifier import get_preset
    from truepath.errors import TruePathError

    if method != "auto":
        get_preset(method)
    if not 0 <= test_share < 1:
        raise TruePathError(f"--test-share must be at least 0 and below 1, not {test_share:g}.")
    if find_spec("skops") is None:
        raise ImportError('saving models needs skops: install it with pip install "truepath[persist]".')


def _hierarchy(file: str | None, sep: str | None, header: bool | None) -> Any:
    """Return the file of the hierarchy; read, if there is something to say about it."""
    from truepath.data import read_hierarchy

    return file if file is None or header is None else read_hierarchy(file, sep=sep or "/", header=header)


def _parts(ds: Dataset, test_share: float, seed: int) -> tuple[Split, Split | None]:
    """Return the rows to learn from and those to measure on: the data's own test part, or a share of the rows."""
    if "test" in ds:
        others = [name for name in ds if name != "test"]
        return ds.merge(*others, into="train").train, ds.test
    if test_share == 0:
        return ds.merge()["all"], None
    dealt = ds.merge().split((1 - test_share, test_share), random_state=seed)
    return dealt.train, dealt.test if len(dealt.test) else None


def _choose(ds: Dataset) -> str:
    """Return the name of the preset that the classifier chooses for these features."""
    from truepath.classifier import default_method

    return default_method(next(iter(ds.splits.values())).X)


def _make(method: str, ds: Dataset, seed: int, n_jobs: int | None) -> HierarchicalClassifier:
    """Return the unfitted model; it is given the categorical columns that the file declares."""
    from truepath.classifier import HierarchicalClassifier, default_learner, make_preset

    options: dict[str, Any] = {"hierarchy": ds.hierarchy, "random_state": seed, "n_jobs": n_jobs}
    if method == "auto":
        model = HierarchicalClassifier(default_learner(next(iter(ds.splits.values())).X, seed), **options)
    else:
        model = make_preset(method, **options)
    return model.set_params(learner__features__categorical_features=tuple(ds.categories)) if ds.categories else model


def _shape(ds: Dataset) -> dict[str, Any]:
    """Return the shape of the hierarchy found, and how many rows have no label or repeat another."""
    found = ds.describe()
    shape = {"kind": found.kind, "nodes": found.n_classes, "depth": found.depth, "leaves": found.n_leaves}
    return {"hierarchy": shape, "unlabelled": found.n_unlabelled, "duplicates": found.n_duplicates}


def _remarks(summary: dict[str, Any]) -> list[str]:
    """Say in a line each what the labels look like and what was done with rows that people may not know of."""
    shape = summary["hierarchy"]
    counts = f"{shape['nodes']:,} nodes, depth {shape['depth']}, {shape['leaves']:,} leaves"
    lines = [f"Hierarchy: {shape['kind']}, {counts}"]
    if summary["unlabelled"]:
        lines.append(f"{summary['unlabelled']:,} rows without labels: kept, as examples of no label")
    if summary["duplicates"]:
        lines.append(f"{summary['duplicates']:,} rows repeat another (same features and labels): kept, each counts")
    return lines


def _measure(
    model: HierarchicalClassifier, train: Split, test: Split, ds: Dataset, method: str, folder: Path
) -> dict[str, Any]:
    """Fit on the training rows, measure on the others, save the results in a folder."""
    from truepath.cli.steps import evaluate_model, fit_with_progress
    from truepath.report import Run, save_run

    seconds = fit_with_progress(model, train.X, train.y, method)
    result = evaluate_model(model, test.X, method, seconds)
    texts = test.X.tolist() if getattr(test.X, "ndim", 2) == 1 else None
    about: dict[str, Any] = {"ids": test.ids, "texts": texts, "y_train": train.y, "description": ds.describe()}
    run = Run(ds.hierarchy, test.y, result, title=f"{ds.name}: {method}", **about)
    save_run(folder, run)
    return {"test_rows": len(test), "measures": run.measures[method], "run": str(folder), "seconds": seconds}


def _print(summary: dict[str, Any], output: Path) -> None:
    """Print the results for people, and what to do next."""
    from rich.console import Console
    from rich.filesize import decimal

    from truepath.cli.steps import print_results

    console = Console(highlight=False)
    console.print(f"[bold]{summary['data']}[/]: {summary['rows_fitted']:,} rows fitted, {summary['labels']:,} labels")
    for line in _remarks(summary):
        console.print(line, soft_wrap=True)
    if "measures" in summary:
        title = f"On {summary['test_rows']:,} rows held out"
        print_results(console, {summary["method"]: summary["measures"]}, title)
    console.print(f"\nModel    [bold]{output}[/] ({decimal(output.stat().st_size)})", soft_wrap=True)
    if "run" in summary:
        console.print(f"Results  [bold]{summary['run']}[/]", soft_wrap=True)
    console.print("\nTry next:", soft_wrap=True)
    console.print(f"  [bold]truepath predict {output} NEW_DATA -o labels.csv[/]", soft_wrap=True)
    if "run" in summary:
        console.print(f"  [bold]truepath report {summary['run']}[/]", soft_wrap=True)
