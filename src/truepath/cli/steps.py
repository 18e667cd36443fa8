"""The steps that commands share: outputs checked, a progress bar, opening data, fitting, the table of results.

Every command shows progress in one way: the block gets a function ``show(done, total, what)``, which is what
:func:`truepath.adapters.on_progress` and the ``on_progress`` of experiments and papers call.
"""

from __future__ import annotations

import stat
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table

    from truepath.classifier import FittedOn, HierarchicalClassifier
    from truepath.data import Dataset
    from truepath.data.tables.join import RowKeys
    from truepath.hierarchy import Hierarchy
    from truepath.metrics import Metric
    from truepath.report import Evaluated

__all__ = [
    "MEASURES",
    "Between",
    "ByOrder",
    "Delimiter",
    "Encoding",
    "Header",
    "Ids",
    "SafeCsv",
    "Sep",
    "Show",
    "Trust",
    "check_outputs",
    "evaluate_model",
    "fit_with_progress",
    "join_and_say",
    "legend",
    "open_hierarchy",
    "open_training",
    "print_results",
    "progress",
    "refuse_options",
    "said_in_a_line",
]


#: ``show(done, total, what)``: how much of how much is finished, and in words what is being done; total may be unknown
Show = Callable[[float, float | None, str], None]

#: ``--safe-csv``, the same in every command that writes CSV
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="In CSV and TSV put an apostrophe before text that a spreadsheet would run as a formula (= + - @).",
    ),
]


#: ``--header``, the same in every command that reads a file of edges
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a file of edges names the columns (default: found out).",
        show_default=False,
    ),
]


#: ``--delimiter`` and ``--encoding``, the same in every command that reads tables
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="What separates the cells of a text table: , ; | or tab (default: found out)."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", help="Of a text table, such as latin-1 (default: UTF-8 or UTF-16, else Latin-1 with a remark)."
    ),
]


#: ``--ids``, the same in every command that joins tables
Ids = Annotated[str | None, typer.Option("--ids", help="The column of row ids, in whichever file has it.")]

#: ``--by-order``, likewise
ByOrder = Annotated[
    bool, typer.Option("--by-order", help="Take the rows of all files in their order, without matching ids.")
]


#: ``--trust``, the same in every command that loads a model
Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", help="A package whose classes the model may hold, such as lightgbm; may be repeated."),
]

#: ``--sep`` and ``--between``, the same in every command that reads labels of rows
Sep = Annotated[
    str | None, typer.Option("--sep", help="Separator of the parts of a label path, such as ' > ' (default: /).")
]
Between = Annotated[str, typer.Option("--between", help="Separator of the labels in a cell.")]


def refuse_options(ctx: typer.Context, names: Sequence[str], what: str) -> None:
    """Refuse options that were typed and belong to the other use of a command."""
    from truepath.errors import TruePathError

    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise TruePathError(f"--{name.replace('_', '-')} is for {what}.")


def join_and_say(wanted: RowKeys, given: RowKeys, by_order: bool) -> NDArray[Any]:
    """Return where the rows of one table are in another; say on stderr how they were found."""
    from truepath.data.tables.join import join_rows

    rows, how = join_rows(wanted, given, by_order=by_order)
    typer.echo(f"truepath: {given.path} and {wanted.path}: {how}", err=True)
    return rows


def check_outputs(outputs: Mapping[str, Path | Sequence[Path] | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Refuse, before any work, an output that is an input, by whatever name or link, or that is another output too.

    Both are named as on the command line. An output is a file, or a list of a folder and the files that it will get; an
    input is a file, a folder, or the name of a data set. What was not given is None.
    """
    from truepath.errors import TruePathError

    taken = {_identity(file): (name, file) for name, given in inputs.items() for file in _files_of(given)}
    for option, given in outputs.items():
        if isinstance(given, Path):
            _check_place(option, given)
        files: list[Path] = [] if given is None else [given] if isinstance(given, Path) else list(given)
        for file in files:
            name, known = taken.get(_identity(file), (option, file))
            if name != option and not _is_device(file):
                problem = f"{option}: {file} is the same as {name} ({known}), which would be overwritten."
                raise TruePathError(problem, f"Choose another place for {option}.")
            taken[_identity(file)] = option, file


def _check_place(option: str, file: Path) -> None:
    """Refuse a file that could not be written after the work."""
    from truepath.errors import TruePathError

    if file.is_dir():
        raise TruePathError(f"{option}: {file} is a folder, not a file.", "Add a file name to it.")
    if not file.resolve().parent.is_dir():
        problem = f"{option}: there is no folder {file.parent} for {file.name}."
        raise TruePathError(problem, "Create it, or choose another place.")


def _identity(path: Path) -> Any:
    """Return what the system knows a file by, the same for all its names; of a file to come its full path."""
    try:
        found = path.stat()
    except OSError:
        return str(path.resolve())
    return found.st_dev, found.st_ino


def _is_device(path: Path) -> bool:
    """Return whether nothing is lost if a path is written to twice, as with /dev/null."""
    return path.exists() and not (stat.S_ISREG(mode := path.stat().st_mode) or stat.S_ISDIR(mode))


def _files_of(given: str | Path | None) -> list[Path]:
    """Return a file, or a folder with its files of splits; nothing for the name of a data set."""
    from truepath.data.readers.base import split_files

    if given is None or not Path(given).exists():
        return []
    return [Path(given), *(split_files(Path(given)).values() if Path(given).is_dir() else ())]


@contextmanager
def progress(description: str) -> Iterator[Show]:
    """Show a bar while the block runs; yield ``show(done, total, what)``.

    The bar goes to stderr, so that results on stdout can be piped, and disappears when the block ends. Where stderr is
    not a terminal nothing is written.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:  # a bar that is switched off still ends with an empty line before rich 14.3
        yield lambda done, total, what: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("[dim]{task.fields[what]}[/]"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=None, what="")

        def show(done: float, total: float | None, what: str) -> None:
            bar.update(task, completed=done, total=total, what=what)

        yield show


def open_hierarchy(source: str | Path, sep: str | None = None, header: bool | None = None) -> Hierarchy:
    """Read the hierarchy of a file, of a data set, or of a saved model."""
    from truepath.data import read_hierarchy
    from truepath.persistence import load
    from truepath.persistence.container import is_model_file

    if is_model_file(source):
        hierarchy: Hierarchy = load(source).hierarchy_
        return hierarchy
    return read_hierarchy(source, sep=sep or "/", header=header)


def open_training(data: str, *, labels: str | None = None, **options: Any) -> tuple[Dataset, FittedOn]:
    """Open data to learn from; return them and what the model has to remember to read new rows the same way.

    ``labels`` may be several columns separated by commas; options that are None count as not given.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if labels is not None:
        given["labels"] = labels.split(",") if "," in labels else labels
    return _open(data, given)


def _open(data: str, given: dict[str, Any]) -> tuple[Dataset, FittedOn]:
    """Open data with the options given."""
    from truepath.classifier import FittedOn
    from truepath.data import open_dataset
    from truepath.data.open import reader_of

    reader = reader_of(data, given.get("format"), given)
    if reader is None or reader.columns is None:
        ds = open_dataset(data, **given)
        return ds, FittedOn("dataset", ds.name)
    ds = _without_ids(open_dataset(data, **given, cells=True))
    columns = tuple(map(str, ds.feature_names))
    return ds, FittedOn("table", ds.name, columns, given.get("text"), given.get("ids"))


def _without_ids(ds: Dataset) -> Dataset:
    """Leave out columns that only name the rows, and say so."""
    from dataclasses import replace

    import numpy as np

    from truepath.preprocessing.auto_features import left_out
    from truepath.preprocessing.column_kinds import is_row_id

    if any(split.X.ndim != 2 or split.X.dtype != object for split in ds.splits.values()):
        return ds
    X = np.concatenate([split.X for split in ds.splits.values()])
    names = list(map(str, ds.feature_names))
    kept = [j for j, name in enumerate(names) if not is_row_id(name, X[:, j])]
    if len(kept) in (0, len(names)):
        return ds
    ids = [name for j, name in enumerate(names) if j not in kept]
    typer.echo(f"truepath: {left_out(ids)} To have it in predictions, name it: --ids {ids[0]!r}.", err=True)
    splits = {name: replace(split, X=split.X[:, kept]) for name, split in ds.splits.items()}
    return replace(ds, splits=splits, feature_names=[names[j] for j in kept])


@contextmanager
def said_in_a_line() -> Iterator[None]:
    """Print what the block warns of about its input, one line each and each once, to stderr."""
    from truepath.errors import InputWarning

    said: set[str] = set()

    def show(message: Any, category: type[Warning], *place: Any) -> None:
        if not issubclass(category, InputWarning):
            usual(message, category, *place)
        elif str(message) not in said:
            said.add(str(message))
            typer.echo(f"truepath: {message}", err=True)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", InputWarning)
        yield


#: The measures of the table, in its order; a run has more
MEASURES = ("hierarchical_f1", "auprc", "exact_match", "h_loss", "hmc_loss")


Values = Mapping[str, Mapping[str, float]]  # method -> metric -> value


def fit_with_progress(model: HierarchicalClassifier, X: Any, Y: Any, name: str) -> float:
    """Fit a classifier with a progress bar; return the seconds it took."""
    from truepath.adapters import on_progress
    from truepath.cli.steps import progress

    start = time.perf_counter()
    with progress(f"fitting {name}") as show, on_progress(show):
        model.fit(X, Y)
    return time.perf_counter() - start


def evaluate_model(model: HierarchicalClassifier, X: Any, name: str, seconds: float) -> Evaluated:
    """Predict test rows; return what a report shows about the method."""
    from truepath.report import Evaluated

    thresholds = getattr(model.decoder_, "thresholds_", None)
    settings = {"learner": model.learner_, "combiner": model.combiner_, "decoder": model.decoder_}
    shown = {key: " ".join(repr(value).split()) for key, value in settings.items()}
    coverage = getattr(model.decoder_, "coverage", None)
    labels, scores = model.predict(X), model.predict_proba(X)
    return Evaluated(name, labels, scores, thresholds, round(seconds, 3), shown, coverage=coverage)


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
