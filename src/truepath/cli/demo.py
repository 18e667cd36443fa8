"""``truepath demo``: the library at work in one command, on the bundled data."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from truepath.data import Dataset
    from truepath.report import Evaluated, Run

#: Enough to learn thresholds, and quick, for methods that do not score rows they did not see on their own
N_FOLDS = {"fael": 3, "clus-ens+mts": 3}
#: What is compared: preset -> what it is in words
METHODS = {
    "text-blend": "the default: linear models and a kernel, with FAEL on top",
    "fael": "local classifiers, final scores learned from all topics' scores",
    "clus-ens+mts": "a forest of clustering trees, one threshold per topic",
}


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("truepath-demo"),
    open_page: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Train three methods on the bundled data set, compare them, show one prediction, write a report."""
    from rich.console import Console

    from truepath.cli.shared.outputs import check_folder, check_outputs
    from truepath.cli.shared.results import print_results
    from truepath.data import load_dataset
    from truepath.extras import import_extra
    from truepath.report.run_folder import files_of_run

    check_folder("--output", output / "run")  # before the training, not after it
    check_outputs({"--output": [output, output / "report.html", *files_of_run(output / "run")[1:]]}, {})
    import_extra("jinja2", "Rendering a report", "report")
    console = Console(highlight=False)
    ds = load_dataset("pypi-topics")
    n_train, h = len(ds.train) + len(ds.valid), ds.hierarchy
    console.print(
        f"[bold]pypi-topics[/]: which of {h.n_nodes} topics does a Python package have, judging by its description?\n"
        f"{n_train:,} packages to learn from, {len(ds.test):,} to test on. A topic comes with all topics above it.\n"
    )
    for method, what in METHODS.items():
        console.print(f"  [bold]{method:<13}[/] {what}")
    run = _train(ds)
    console.print()
    seconds = {result.name: result.fit_seconds or 0.0 for result in run.results}
    print_results(console, run.measures, f"On the {len(ds.test):,} test packages (* best)", seconds)
    best = max(run.results, key=lambda result: run.measures[result.name]["hierarchical_f1"])
    console.print(f"\nOne package, as labelled by [bold]{best.name}[/]:")
    console.print(_example(run, best))
    page = _write(run, output)
    console.print(f"\nAll results, with a hierarchy to zoom into: [bold]{page}[/]", soft_wrap=True)
    console.print("\nTry next:")
    console.print("  [bold]truepath fit YOUR.csv --text COLUMN --labels COLUMN -o model.tp[/]")
    console.print("  [bold]truepath methods[/]")
    if open_page:
        typer.launch(str(page))


def _train(ds: Dataset) -> Run:
    """Fit each method on train and valid together, thresholds and combiner out of fold; predict the test part."""
    from truepath.adapters import on_progress
    from truepath.classifier import make_preset
    from truepath.cli.shared.progress import progress
    from truepath.report import Run
    from truepath.workflow import evaluate_model

    together = ds.merge("train", "valid", into="train").train
    results = []
    for method in METHODS:
        model = make_preset(method, hierarchy=ds.hierarchy, cv=N_FOLDS.get(method, "auto"))
        start = time.perf_counter()
        with progress(f"fitting {method}") as show, on_progress(show):
            model.fit(together.X, together.y)
        seconds = time.perf_counter() - start
        results.append(evaluate_model(model, ds.test.X, method, seconds))
    about: dict[str, Any] = {"ids": ds.test.ids, "y_train": together.y, "description": ds.describe()}
    return Run(ds.hierarchy, ds.test.y, results, title="Topics of Python packages", **about)


def _write(run: Run, folder: Path) -> Path:
    """Save the results, and make the page from them."""
    from truepath.cli.shared.progress import progress
    from truepath.report import save_run, write_report

    with progress("writing") as show:
        show(0, 2, "the results")
        save_run(folder / "run", run)
        show(1, 2, "the report")
        return write_report(folder / "report.html", run)


def _example(run: Run, result: Evaluated) -> Any:
    """Draw the test package with the most labels predicted right of those with just one wrong or missed."""
    import numpy as np
    from rich.tree import Tree

    from truepath.hierarchy.names import short_name

    truth, y_pred = run.y_true.toarray(), result.y_pred.toarray()
    right = (truth & y_pred).sum(axis=1)
    row = int(np.argmax(np.where((truth != y_pred).sum(axis=1) == 1, right, -1)))
    name = run.ids[row] if run.ids is not None else f"row {row}"
    marks = {(True, True): "[green]✓ {}[/]", (True, False): "[yellow]○ {}  (missed)[/]", (False, True): "[red]✗ {}[/]"}
    tree = Tree(f"[bold]{name}[/]   [green]✓ right[/]  [yellow]○ missed[/]  [red]✗ wrong[/]")
    branches = {-1: tree}
    for v in np.flatnonzero(truth[row] | y_pred[row]).tolist():
        above = run.hierarchy.parents(v)
        mark = marks[bool(truth[row, v]), bool(y_pred[row, v])]
        label = short_name(run.hierarchy, v)
        branches[v] = branches[int(above[0]) if above.size else -1].add(mark.format(label))
    return tree
