"""``truepath demo``: a first look in one command, on the bundled data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.data import Dataset
    from truepath.hierarchy import Hierarchy

__all__ = ["demo", "neighbour_scores"]

N_NEIGHBOURS = 15


def demo() -> None:
    """Describe the bundled data set, score a simple baseline on it, and show one prediction as a tree."""
    from rich.console import Console

    from truepath.data import load_dataset

    console = Console(highlight=False)
    ds = load_dataset("pypi-topics")
    console.print("[bold]pypi-topics[/]: which topics does a Python package have, given words that describe it?\n")
    console.print(str(ds.describe()), "\n")
    console.print(_results(ds))
    console.print("\nTry next:  [bold]truepath describe pypi-topics --json[/]   and   [bold]truepath --help[/]")


def _results(ds: Dataset) -> Any:
    """Score the neighbours baseline on the test part; return the table of measures and one predicted tree."""
    from rich.console import Group

    S_valid = neighbour_scores(ds.train.X, ds.train.Y, ds.valid.X)
    S_test = neighbour_scores(ds.train.X, ds.train.Y, ds.test.X)
    threshold = _best_threshold(ds.valid.Y, S_valid, ds.hierarchy)
    Y_pred = S_test > threshold
    return Group(_measures(ds, Y_pred, S_test, threshold), "", _example(ds, Y_pred))


def neighbour_scores(X_train: Any, Y_train: Any, X: Any, n_neighbours: int = N_NEIGHBOURS) -> Any:
    """Average the closed labels of the nearest training rows by TF-IDF cosine, weighted by similarity.

    An average of closed label sets is coherent, so these scores respect the hierarchy without further work.
    """
    import numpy as np
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.neighbors import NearestNeighbors

    weighting = TfidfTransformer(sublinear_tf=True).fit(X_train)
    index = NearestNeighbors(n_neighbors=n_neighbours, metric="cosine").fit(weighting.transform(X_train))
    distance, nearest = index.kneighbors(weighting.transform(X))
    similarity = np.maximum(1 - distance, 1e-6)  # a row that shares no word still has neighbours, all alike
    share = similarity / similarity.sum(axis=1, keepdims=True)
    S = np.zeros((X.shape[0], Y_train.shape[1]))
    for rank in range(n_neighbours):
        S += share[:, [rank]] * Y_train[nearest[:, rank]].toarray()
    return np.minimum(S, 1.0)


def _best_threshold(Y: Any, S: Any, hierarchy: Hierarchy) -> float:
    """Try the hundred thresholds of a grid on the validation part."""
    import numpy as np

    from truepath.metrics import micro_f1

    grid = np.linspace(0.01, 1, 100)
    return float(grid[np.argmax([micro_f1(Y, S > t, hierarchy) for t in grid])])


def _measures(ds: Dataset, Y_pred: Any, S: Any, threshold: float) -> Any:
    """Draw the table of measures on the test part."""
    from rich.table import Table

    from truepath.metrics import auprc, exact_match, h_loss, hmc_loss, micro_f1

    table = Table(
        title=f"{N_NEIGHBOURS} nearest neighbours, threshold {threshold:.2f}, test part", title_justify="left"
    )
    table.add_column("measure")
    table.add_column("value", justify="right")
    table.add_column("")
    truth, h = ds.test.Y, ds.hierarchy
    table.add_row("AU(PRC)", f"{auprc(truth, S, h):.3f}", "area under the pooled precision-recall curve")
    table.add_row("hierarchical F1", f"{micro_f1(truth, Y_pred, h):.3f}", "over all labels, ancestors included")
    table.add_row("exact match", f"{exact_match(truth, Y_pred, h):.3f}", "share of packages with every topic right")
    table.add_row("H-loss", f"{h_loss(truth, Y_pred, h):.4f}", "normalised; lower is better")
    table.add_row("HMC-loss", f"{hmc_loss(truth, Y_pred, h):.4f}", "lower is better")
    return table


def _example(ds: Dataset, Y_pred: Any) -> Any:
    """Draw the test package with the most labels predicted right or wrong that still fits on a screen."""
    import numpy as np
    from rich.tree import Tree

    truth = ds.test.Y.toarray()
    right = (truth & Y_pred).sum(axis=1)
    interesting = np.where((truth != Y_pred).sum(axis=1) == 1, right, -1)
    row = int(np.argmax(interesting))
    ids = ds.test.ids
    name = str(ids[row]) if ids is not None else f"row {row}"
    marks = {(True, True): "[green]✓ {}[/]", (True, False): "[yellow]○ {}  (missed)[/]", (False, True): "[red]✗ {}[/]"}
    tree = Tree(f"[bold]{name}[/]   [green]✓ right[/]  [yellow]○ missed[/]  [red]✗ wrong[/]")
    branches = {-1: tree}
    for v in np.flatnonzero(truth[row] | Y_pred[row]).tolist():
        above = ds.hierarchy.parents(v)
        mark = marks[bool(truth[row, v]), bool(Y_pred[row, v])]
        label = str(ds.hierarchy.names[v]).rsplit(" :: ", 1)[-1]
        branches[v] = branches[int(above[0]) if above.size else -1].add(mark.format(label))
    return tree
