"""``truepath fit``: learn from a table or a data set, measure the model, and save it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.markup import escape

from truepath.cli.steps import Delimiter, Encoding, Header, open_hierarchy
from truepath.files.text import counted

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier
    from truepath.data import Dataset, Description, Split
    from truepath.hierarchy import Hierarchy

__all__ = ["fit"]

#: Up to this share of the rows (in percent) may end above a leaf where the best path to a leaf is taken
MOST_PARTIAL = 10.0
#: Labels with fewer rows than this are learned badly by anything
FEW_ROWS = 10
#: How many of them are named
N_NAMED = 5
#: Scores whose sum is further than this share from the number of labels are no probabilities
MISCALIBRATED = 0.2


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
    learner: Annotated[
        str | None,
        typer.Option(
            help="A learner instead of a preset: a name (truepath methods --kind learners), a classifier of "
            "scikit-learn, or any class by its full name, such as lightgbm.LGBMClassifier."
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the learner, key=value; may be repeated.")
    ] = None,
    combiner: Annotated[
        str | None, typer.Option(help="Makes scores coherent: a name (truepath methods --kind combiners).")
    ] = None,
    decoder: Annotated[
        str | None,
        typer.Option(help="Makes labels from scores: a name (truepath methods --kind decoders), or learner."),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(help="How much may be tried for tables: seconds, minutes, or a number of seconds on one core."),
    ] = "seconds",
    coverage: Annotated[
        float | None,
        typer.Option(help="Label sets that hold all true labels of a row with this probability (decoder: conformal)."),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(help="Make scores probabilities: auto, isotonic, sigmoid or beta, fitted on held-out rows."),
    ] = None,
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
        typer.Option(
            help="File of the hierarchy (.csv edges, .json, .obo) or a saved model (default: built from the paths)."
        ),
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
    from truepath.cli.steps import check_outputs, fit_with_progress, open_training
    from truepath.report.run_folder import files_of_run

    wanted = _Wanted(method, learner, parameters or [], combiner, decoder, calibrate, coverage)
    options: dict[str, Any] = {"budget": _check_options(test_share, wanted, budget)}
    folder = run or output.parent / f"{output.stem}.run"
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
    had_test, found = "test" in ds, ds.describe()
    train, test = _parts(ds, test_share, seed)
    options |= {"hierarchy": ds.hierarchy, "random_state": seed, "n_jobs": n_jobs}
    model, method = _make(wanted, ds, options)
    summary: dict[str, Any] = {"data": ds.name, "rows": len(train), "labels": found.n_classes, "method": method}
    summary |= {"decoder": _choose_decoder(model, wanted, found), **_shape(found)}
    if test is not None:
        summary |= _measure(model, train, test, ds, method, folder)
    if test is None or not had_test:
        train = ds.merge()["all"]
        summary["seconds"] = fit_with_progress(model, train.X, train.y, f"{method} on all rows")
    model.set_fitted_on(replace(fitted_on, n_rows=len(train))).save(output)
    summary |= {"model": str(output), "rows_fitted": len(train), "tried": [dict(vars(one)) for one in model.tried_]}
    summary |= {"few_rows": _few_rows(train.y, ds.hierarchy), "trust": _to_trust(wanted, output)}
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    else:
        _print(summary, output)


class _Wanted(NamedTuple):
    """What was asked for by --method, --learner, --set, --combiner, --decoder, --calibrate and --coverage."""

    method: str
    learner: str | None
    parameters: list[str]
    combiner: str | None
    decoder: str | None
    calibrate: str | None
    coverage: float | None


def _check_options(test_share: float, wanted: _Wanted, budget: str) -> Any:
    """Refuse, before reading, what could not be made, measured or saved after it; return the budget."""
    from truepath.classifier import get_preset
    from truepath.errors import TruePathError

    if wanted.method != "auto":
        get_preset(wanted.method)
    if any(wanted[1:]):
        from truepath.cli.fitting.choices import check_choices

        check_choices(**wanted._asdict())
    if not 0 <= test_share < 1:
        raise TruePathError(f"--test-share must be at least 0 and below 1, not {test_share:g}.")
    if find_spec("skops") is None:
        raise ImportError('saving models needs skops: install it with pip install "truepath[persist]".')
    return budget if budget == "seconds" else _read_budget(budget)


def _read_budget(typed: str) -> Any:
    """Return a budget as :class:`~truepath.HierarchicalClassifier` takes it: a name or a number."""
    from truepath.cli.strategies import read_value
    from truepath.errors import TruePathError
    from truepath.learners.table_blend import check_budget

    value = read_value(typed)
    try:
        check_budget(value)
    except ValueError as problem:
        raise TruePathError(f"--{problem}") from None
    return value


def _hierarchy(file: str | None, sep: str | None, header: bool | None) -> Hierarchy | None:
    """Return the hierarchy that was given, read."""
    return None if file is None else open_hierarchy(file, sep, header)


def _parts(ds: Dataset, test_share: float, seed: int) -> tuple[Split, Split | None]:
    """Return the rows to learn from and those to measure on: the data's own test part, or a share of the rows."""
    if "test" in ds:
        others = [name for name in ds if name != "test"]
        return ds.merge(*others, into="train").train, ds.test
    if test_share == 0:
        return ds.merge()["all"], None
    dealt = ds.merge().split((1 - test_share, test_share), random_state=seed)
    return dealt.train, dealt.test if len(dealt.test) else None


def _make(wanted: _Wanted, ds: Dataset, options: dict[str, Any]) -> tuple[HierarchicalClassifier, str]:
    """Return the unfitted model, given the categorical columns that the file declares, and what it is called."""
    from truepath.classifier import HierarchicalClassifier, default_learner, default_method, make_preset

    X, seed, name = next(iter(ds.splits.values())).X, options["random_state"], wanted.method
    given = {"combiner": wanted.combiner, "calibrate": wanted.calibrate}
    options |= {name: value for name, value in given.items() if value is not None}
    if wanted.learner is not None:
        from truepath.cli.fitting.choices import make_learner

        name = wanted.learner.rpartition(".")[2]
        model = HierarchicalClassifier(make_learner(wanted.learner, wanted.parameters, seed), **options)
    elif name != "auto":
        model = make_preset(name, **options)
    else:
        name, model = default_method(X), HierarchicalClassifier(default_learner(X, seed), **options)
    columns = tuple(ds.categories)
    return (model.set_params(learner__features__categorical_features=columns) if columns else model), name


def _choose_decoder(model: HierarchicalClassifier, wanted: _Wanted, found: Description) -> dict[str, str]:
    """Set the decoder for the data, unless it was asked for or comes with a preset; return its name and the reason."""
    from truepath.registry import DECODERS

    n_rows = sum(found.sizes.values())
    is_single = found.most_labels == 1 and not found.n_unlabelled
    if wanted.coverage is not None:
        model.decoder, why = DECODERS[wanted.decoder or "conformal"](wanted.coverage), "as asked"
    elif wanted.decoder is not None:
        model.decoder, why = wanted.decoder, "as asked"
    elif wanted.method != "auto":
        why = f"that of the preset {wanted.method}"
    elif not is_single:
        why = "rows may have several labels" if found.most_labels > 1 else "rows may have no label"
    elif found.partial_percent > MOST_PARTIAL:
        why = f"every row has one label, but in {found.partial_percent:.0f} % of {counted(n_rows, 'row')} not a leaf"
    else:
        model.decoder, why = "best-path", "every row has one label"
    own = getattr(model.decoder, "name", model.decoder) or "learner"
    return {"name": "single" if own == "auto" else own, "why": why}


def _shape(found: Description) -> dict[str, Any]:
    """Return the shape of the hierarchy found, and how many rows have no label or repeat another."""
    shape = {"kind": found.kind, "nodes": found.n_classes, "depth": found.depth, "leaves": found.n_leaves}
    return {"hierarchy": shape, "unlabelled": found.n_unlabelled, "duplicates": found.n_duplicates}


def _measure(
    model: HierarchicalClassifier, train: Split, test: Split, ds: Dataset, method: str, folder: Path
) -> dict[str, Any]:
    """Fit on the training rows, measure on the others, save the results in a folder."""
    from truepath.cli.steps import evaluate_model, fit_with_progress
    from truepath.report import Run, save_run
    from truepath.report.run import write_features

    seconds = fit_with_progress(model, train.X, train.y, method)
    result = evaluate_model(model, test.X, method, seconds)
    texts = test.X.tolist() if getattr(test.X, "ndim", 2) == 1 else write_features(test.X, ds.feature_names)
    about: dict[str, Any] = {"ids": test.ids, "texts": texts, "y_train": train.y, "description": ds.describe()}
    run = Run(ds.hierarchy, test.y, result, title=f"{ds.name}: {method}", **about)
    save_run(folder, run)
    per_row = {"true": float(test.y.sum()) / len(test), "scores": float(result.S.sum()) / len(test)}
    measured = {"test_rows": len(test), "measures": run.measures[method], "labels_per_row": per_row}
    return {**measured, "run": str(folder), "seconds": seconds}


def _few_rows(y: Any, hierarchy: Hierarchy) -> dict[str, int]:
    """Return the labels that too few rows have to be learned from, and how many have them, the fewest first."""
    import numpy as np

    counts = np.asarray(y.sum(axis=0), np.int64).ravel()
    order = [v for v in np.argsort(counts, kind="stable").tolist() if counts[v] < FEW_ROWS]
    return {str(hierarchy.names[v]): int(counts[v]) for v in order}


def _to_trust(wanted: _Wanted, output: Path) -> list[str]:
    """Return the packages whose classes are in the file, where a class of others was asked for."""
    if wanted.learner is None:
        return []
    from truepath.cli.fitting.trust import packages_to_trust

    return packages_to_trust(output)


def _print(summary: dict[str, Any], output: Path) -> None:
    """Print the results for people, what to do next, and what to improve."""
    from rich.console import Console
    from rich.filesize import decimal

    from truepath.cli.steps import print_results

    console = Console(highlight=False)
    say = partial(console.print, soft_wrap=True)
    rows, labels = counted(summary["rows_fitted"], "row"), counted(summary["labels"], "label")
    say(f"[bold]{escape(summary['data'])}[/]: {rows} fitted, {labels}")
    for line in _remarks(summary):
        say(line, markup=False)
    if "measures" in summary:
        title = f"On {counted(summary['test_rows'], 'row')} held out"
        print_results(console, {summary["method"]: summary["measures"]}, title)
    say(f"\nModel    [bold]{output}[/] ({decimal(output.stat().st_size)})")
    if "run" in summary:
        say(f"Results  [bold]{summary['run']}[/]")
    trust = "".join(f" --trust {package}" for package in summary["trust"])
    say(f"\nTry next:\n  [bold]truepath predict {output} NEW_DATA -o labels.csv{trust}[/]")
    if "run" in summary:
        say(f"  [bold]truepath report {summary['run']}[/]")
    say("\nTo improve:")
    for line in _improvements(summary):
        say(f"  {line}", markup=False)


def _remarks(summary: dict[str, Any]) -> list[str]:
    """Say in a line each what the labels look like, what was done with rows, what was tried and what was chosen."""
    from truepath.registry import DECODERS

    shape, chosen = summary["hierarchy"], summary["decoder"]
    counts = f"{counted(shape['nodes'], 'node')}, depth {shape['depth']}, {counted(shape['leaves'], 'leaf')}"
    lines = [f"Hierarchy: {shape['kind']}, {counts}"]
    if n := summary["unlabelled"]:
        lines.append(f"{counted(n, 'row')} without labels: kept, as examples of no label")
    if n := summary["duplicates"]:
        repeat = "repeats" if n == 1 else "repeat"
        lines.append(f"{counted(n, 'row')} {repeat} another (same features and labels): kept, each counts")
    if summary["tried"]:
        from truepath.cli.fitting.tried import list_tried

        lines += list_tried(summary["tried"])
    what = "the learner's own decision" if chosen["name"] == "learner" else DECODERS[chosen["name"]].summary
    decoder = f"Decoder: {chosen['name']} ({what}), since {chosen['why']}; --decoder chooses another"
    return [*lines, f"Method: {summary['method']}", decoder]


def _improvements(summary: dict[str, Any]) -> list[str]:
    """Say what would make the model better, as far as the data show it."""
    few, per_row = summary["few_rows"], summary.get("labels_per_row", {"true": 0.0, "scores": 0.0})
    lines = []
    if few:
        shown = ", ".join(f"{name} ({n})" for name, n in list(few.items())[:N_NAMED])
        more = f" and {len(few) - N_NAMED} more" if len(few) > N_NAMED else ""
        have = "has" if len(few) == 1 else "have"
        lines.append(f"more rows: {counted(len(few), 'label')} {have} fewer than {FEW_ROWS}: {shown}{more}")
    if abs(per_row["scores"] - per_row["true"]) > MISCALIBRATED * per_row["true"]:
        lines.append(
            f"calibrate, if scores are to be probabilities: those of a row add up to {per_row['scores']:.1f} labels "
            f"where {per_row['true']:.1f} are true; --calibrate auto does it"
        )
    return [*lines, "other methods: truepath methods lists them, --method NAME takes one"]
