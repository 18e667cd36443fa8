"""Run a paper cell by cell: what is finished is kept, what was finished before is not run again."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from time import perf_counter

from truepath.errors import TruePathError
from truepath.papers.base import Cell, Comparison, Paper, Settings
from truepath.papers.store import Finished, append_cell, read_cells, signature

__all__ = ["all_comparisons", "choose_cells", "finished_cells", "missing_folders", "reproduce"]

QUICK_SECONDS = 60.0  # a cell that costs less belongs to a quick run

OnCell = Callable[[Cell, "list[Comparison] | None"], None]


def reproduce(
    paper: Paper,
    folder: str | PathLike[str],
    settings: Settings,
    *,
    cells: Iterable[Cell] | None = None,
    on_cell: OnCell | None = None,
    anew: bool = False,
) -> list[Comparison]:
    """Run a paper's cells, cheap ones first, keeping each result in ``<folder>/<paper>.jsonl`` as soon as it is there.

    Parameters
    ----------
    paper : Paper
    folder : path
        Where results are kept; made if need be.
    settings : Settings
    cells : iterable of Cell, optional
        Some of the paper's; all by default.
    on_cell : callable, optional
        ``on_cell(cell, None)`` is called when a cell starts, ``on_cell(cell, comparisons)`` when it has ended, was
        finished before or lacks its data.
    anew : bool, default=False
        Run cells again that were finished before with the same settings and version.

    Returns
    -------
    comparisons : list of Comparison
        In the order of the paper's cells. A cell whose data are not there gives one comparison whose verdict is
        ``"missing"`` and whose reason names the folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from truepath.papers import Cell, Comparison, Paper, Settings, reproduce
    >>> cell = Cell("sum", lambda settings: [Comparison("Table 1", "toy", "sum", "value", 2.0, 1.0 + 1.0, 0.0)])
    >>> lost = Cell("lost", lambda settings: [], needs=("hmc/lost",))
    >>> with TemporaryDirectory() as folder:
    ...     found = reproduce(Paper("none", "A paper", (cell, lost)), folder, Settings(Path(folder)))
    >>> [comparison.verdict for comparison in found]
    ['same', 'missing']
    """
    chosen = list(paper.cells if cells is None else cells)
    path = Path(folder) / f"{paper.key}.jsonl"
    before = {} if anew else read_cells(path, signature(settings))
    tell = on_cell or (lambda cell, comparisons: None)
    found: dict[str, list[Comparison]] = {}
    for cell in sorted(chosen, key=lambda cell: cell.seconds):
        absent = missing_folders(cell, settings)
        if absent:
            found[cell.key] = [_missing(cell, absent)]
        elif cell.key in before:
            found[cell.key] = before[cell.key].comparisons
        else:
            tell(cell, None)
            finished = _run(cell, settings)
            append_cell(path, finished)
            found[cell.key] = finished.comparisons
        tell(cell, found[cell.key])
    return [comparison for cell in chosen for comparison in found[cell.key]]


def missing_folders(cell: Cell, settings: Settings) -> list[str]:
    """Say which of the data folders that a cell needs are not there."""
    return [need for need in cell.needs if not (Path(settings.data) / need).is_dir()]


def finished_cells(paper: Paper, folder: str | PathLike[str], settings: Settings) -> dict[str, Finished]:
    """Return the paper's cells in the folder that were made with these settings and this version, by key."""
    known = {cell.key for cell in paper.cells}
    found = read_cells(Path(folder) / f"{paper.key}.jsonl", signature(settings))
    return {key: finished for key, finished in found.items() if key in known}


def all_comparisons(paper: Paper, folder: str | PathLike[str], settings: Settings) -> list[Comparison]:
    """Return what the folder holds of a paper, and a stand-in for each cell that lacks its data."""
    finished = finished_cells(paper, folder, settings)
    found: list[Comparison] = []
    for cell in paper.cells:
        absent = missing_folders(cell, settings)
        if absent:
            found.append(_missing(cell, absent))
        elif cell.key in finished:
            found += finished[cell.key].comparisons
    return found


def choose_cells(paper: Paper, *, only: str | None = None, quick: bool = False) -> list[Cell]:
    """Pick the cells whose key contains a text, or that cost less than a minute.

    Raises
    ------
    TruePathError
        If nothing is left, with the keys there are.
    """
    cells = [cell for cell in paper.cells if only is None or only.lower() in cell.key.lower()]
    if not cells:
        keys = ", ".join(repr(cell.key) for cell in paper.cells)
        raise TruePathError(f"no cell of {paper.key} has {only!r} in its key; there are {keys}.")
    kept = [cell for cell in cells if not quick or cell.seconds < QUICK_SECONDS]
    if not kept:
        raise TruePathError(f"all cells asked for cost more than {QUICK_SECONDS:.0f} s; leave out --quick.")
    return kept


def _run(cell: Cell, settings: Settings) -> Finished:
    """Run a cell; record how long it took and what it was made with."""
    from threadpoolctl import threadpool_limits

    start = perf_counter()
    with threadpool_limits(limits=1):  # sums in BLAS depend on the number of threads
        comparisons = cell.run(settings)
    seconds = perf_counter() - start
    return Finished(cell.key, signature(settings), comparisons, round(seconds, 2), _made())


def _made() -> dict[str, str]:
    """Return date and versions."""
    made = {"date": datetime.now(timezone.utc).date().isoformat(), "python": platform.python_version()}
    return made | {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}


def _missing(cell: Cell, absent: list[str]) -> Comparison:
    """Stand in for the numbers of a cell that cannot be run."""
    folders = " and ".join(absent)
    verb = "is" if len(absent) == 1 else "are"
    reason = f"{folders} {verb} not in the data folder, so nothing was run."
    return Comparison("Missing data", cell.key, "", "", None, None, 0.0, reason=reason)
