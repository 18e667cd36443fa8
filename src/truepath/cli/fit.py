"""``truepath fit``: learn from a table or a data set, measure the model, and save it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from truepath.cli.shared.kinds import choice_or_number, in_range
from truepath.cli.shared.options import (
    BetweenOrNone,
    Data,
    Delimiter,
    Encoding,
    GroupColumn,
    Header,
    Ids,
    LabelColumns,
    MergeSpellings,
    NewModel,
    NumberOfJobs,
    Prefixes,
    Reader,
    Seed,
    Sep,
    Sheet,
    SplitColumn,
    TestShare,
    TextColumn,
    split_columns,
)
from truepath.english import counted
from truepath.files.strict_json import dump_json
from truepath.parameters import SECONDS, SHARE

if TYPE_CHECKING:
    from truepath.workflow import Advice, FitResult


def fit(
    data: Data,
    output: NewModel,
    method: Annotated[
        str, typer.Option("--method", help="A preset (truepath methods lists them); auto chooses one for the data.")
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
        str | None,
        typer.Option(help="Combiner that makes scores coherent: a name (truepath methods --kind combiners)."),
    ] = None,
    decoder: Annotated[
        str | None,
        typer.Option(
            help="Decoder that turns scores into labels: a name (truepath methods --kind decoders), or learner."
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            help="How much a blend may try: seconds, minutes, or a number of seconds on one core.",
            parser=choice_or_number(("seconds", "minutes"), SECONDS, "a number of seconds"),
        ),
    ] = "seconds",
    coverage: Annotated[
        float | None,
        typer.Option(
            help="Predict label sets that hold all true labels with this probability (decoder: conformal).",
            parser=in_range(SHARE),
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(help="Turn scores into probabilities: auto, isotonic, sigmoid or beta, fitted on held-out rows."),
    ] = None,
    labels: LabelColumns = None,
    text: TextColumn = None,
    ids: Ids = None,
    split: SplitColumn = None,
    group: GroupColumn = None,
    sep: Sep = None,
    between: BetweenOrNone = None,
    prefixes: Prefixes = False,
    merge_spellings: MergeSpellings = False,
    hierarchy: Annotated[
        str | None,
        typer.Option(
            "--hierarchy",
            "-H",
            help="File of the hierarchy (.csv edges, .json, .obo) or a saved model (default: built from the paths).",
        ),
    ] = None,
    header: Header = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    reader: Reader = None,
    allowed_set: Annotated[
        list[str] | None,
        typer.Option(
            help="A set of labels to save with the model under a name, for truepath predict --allowed: "
            "NAME=FILE, one label per line; may be repeated."
        ),
    ] = None,
    test_share: TestShare = 0.2,
    run: Annotated[Path | None, typer.Option(help="Folder for the test results (default: beside the model).")] = None,
    seed: Seed = 0,
    n_jobs: NumberOfJobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Fit a model, measure it on rows it did not see, and save it."""
    from truepath.adapters import on_progress
    from truepath.cli.fitting.choices import choose_model, read_named_sets
    from truepath.cli.shared.outputs import check_file, check_folder, check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.cli.shared.streams import reading_stdin
    from truepath.hierarchy import AllowedLabels
    from truepath.persistence import describe_model
    from truepath.report.run_folder import files_of_run, saving_run
    from truepath.workflow import fit_dataset, open_hierarchy, open_training

    model = choose_model(method, learner, parameters or [], combiner, decoder, calibrate, coverage, budget, seed)
    check_file("--output", output, "a model is read again")
    inputs: dict[str, str | Path | None] = {"DATA": data, "--hierarchy": hierarchy}
    inputs |= {f"--allowed-set {one}": one.partition("=")[2] for one in allowed_set or []}
    folder = run or output.parent / f"{output.stem}.run"
    check_outputs({"--output": output, "--run": files_of_run(folder)}, inputs)
    check_folder("--run", folder)
    with reading_stdin(data) as data:
        ds = open_training(
            data,
            labels=split_columns(labels),
            text=split_columns(text),
            ids=ids,
            split=split,
            groups=group,
            sep=sep,
            between=between,
            prefixes=prefixes,
            merge_spellings=merge_spellings,
            hierarchy=None if hierarchy is None else open_hierarchy(hierarchy, sep=sep, header=header),
            delimiter=delimiter,
            encoding=encoding,
            sheet=sheet,
            format=reader,
        )
    sets = read_named_sets(allowed_set or [])
    for labels_of_set in sets.values():
        AllowedLabels(labels_of_set).resolve(ds.hierarchy)  # before the fit, not after
    with progress("fitting") as show, on_progress(show):
        result = fit_dataset(ds, test_share=test_share, random_state=seed, n_jobs=n_jobs, **model)
    for name, labels_of_set in sets.items():
        result.model.set_allowed(name, labels_of_set)
    summary = {"data": ds.name, **_summary(result), "model": str(output)}
    if result.run is None:
        result.model.save(output)
    else:
        with saving_run(folder, result.run):  # both, or neither
            result.model.save(output)
        summary["run"] = str(folder)
    summary["trust"] = describe_model(output)["untrusted_types"]
    if as_json:
        typer.echo(dump_json(summary, indent=2))
    else:
        _print(summary, result, output)


def _summary(result: FitResult) -> dict[str, Any]:
    """Return the results as JSON writes them."""
    found = result.description
    summary: dict[str, Any] = {
        "rows": result.n_train,
        "rows_fitted": result.n_rows,
        "labels": found.n_classes,
        "method": result.method,
        "decoder": result.decoder._asdict(),
        "hierarchy": {
            "kind": found.kind,
            "nodes": found.n_classes,
            "depth": found.depth,
            "leaves": found.n_leaves,
        },
        "unlabeled": found.n_unlabeled,
        "duplicates": found.n_duplicates,
        "seconds": result.seconds,
        "tried": [dict(vars(one)) for one in result.model.tried_],
        "few_rows": result.few_rows,
        "as_embeddings": result.as_embeddings,
        "refused": result.refused,
    }
    if result.run is not None and result.labels_per_row is not None:
        summary |= {"test_rows": result.run.n_samples, "measures": result.measures}
        summary["labels_per_row"] = dict(zip(("true", "scores"), result.labels_per_row))
    if result.kept is not None:
        summary["promise"] = {**result.kept._asdict(), "promise": str(result.promise), "verdict": result.kept.verdict}
    return summary


def _print(summary: dict[str, Any], result: FitResult, output: Path) -> None:
    """Print the results for people, what to do next, and what to improve."""
    from rich.console import Console
    from rich.filesize import decimal

    from truepath.classifier import describe_refused
    from truepath.cli.shared.results import print_results
    from truepath.workflow import advise

    console = Console(highlight=False)
    say = partial(console.print, soft_wrap=True)
    rows, labels = counted(result.n_rows, "row"), counted(summary["labels"], "label")
    say(f"[bold]{escape(summary['data'])}[/]: {rows} fitted, {labels}")
    for line in _remarks(summary):
        say(line, markup=False)
    if result.run is not None:
        print_results(console, {result.method: result.measures}, f"On {counted(summary['test_rows'], 'row')} held out")
    if result.promise is not None:
        say(_promise(result), markup=False)
    say(f"\nModel    [bold]{output}[/] ({decimal(output.stat().st_size)})")
    if result.refused:
        say(f"         {describe_refused(result.refused)}; truepath methods lists others", markup=False)
    if "run" in summary:
        say(f"Results  [bold]{summary['run']}[/]")
    trust = "".join(f" --trust {name}" for name in summary["trust"])
    say(f"\nTry next:\n  [bold]truepath predict {output} NEW_DATA -o labels.csv{trust}[/]")
    if "run" in summary:
        say(f"  [bold]truepath report {summary['run']}[/]")
    say("\nTo improve:")
    for line in [*map(_advice, advise(result)), "other methods: truepath methods lists them, --method NAME takes one"]:
        say(f"  {line}", markup=False)


def _promise(result: FitResult) -> str:
    """Say what is promised of label sets, and what came of it."""
    return f"Promised: {result.kept or f'{result.promise}; not measured, since no rows were held out'}"


def _advice(advice: Advice) -> str:
    """Return a piece of advice with its parameters as options."""
    ways = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in advice.options.items())
    return f"{advice.text}; {ways} does it" if ways else advice.text


def _remarks(summary: dict[str, Any]) -> list[str]:
    """Say in a line each what the labels look like, what was done with rows, what was tried and what was chosen."""
    from truepath.cli.fitting.tried import list_tried
    from truepath.registry import DECODERS

    shape, chosen = summary["hierarchy"], summary["decoder"]
    counts = f"{counted(shape['nodes'], 'node')}, depth {shape['depth']}, {counted(shape['leaves'], 'leaf')}"
    lines = [f"Hierarchy: {shape['kind']}, {counts}"]
    if n := summary["unlabeled"]:
        lines.append(f"{counted(n, 'row')} without labels: kept, as examples of no label")
    if n := summary["duplicates"]:
        repeat = "repeats" if n == 1 else "repeat"
        lines.append(f"{counted(n, 'row')} {repeat} another (same features and labels): kept, each counts")
    if summary["as_embeddings"]:
        lines.append("Rows: taken as embeddings, since they are dense, 64 columns or more, float32 or of length 1")
    lines += list_tried(summary["tried"]) if summary["tried"] else []
    what = "the learner's own decision" if chosen["name"] == "learner" else DECODERS[chosen["name"]].summary
    decoder = f"Decoder: {chosen['name']} ({what}), since {chosen['why']}; --decoder chooses another"
    return [*lines, f"Method: {summary['method']}", decoder]
