"""Run a paper cell by cell and put ours beside the published values; the engine runs and stores the cells."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import Any

from truepath.data.fetch.sources import fetch_command
from truepath.errors import TruePathError
from truepath.experiments.engine import OnProgress, Unit, run_units
from truepath.experiments.store import Finished, Store, Stored, digest
from truepath.papers.base import Cell, Comparison, Paper, Settings, comparisons_of

QUICK_SECONDS = 60.0  # a cell that costs less belongs to a quick run

logger = logging.getLogger(__name__)


def reproduce(
    paper: Paper,
    folder: str | PathLike[str],
    settings: Settings,
    *,
    cells: Iterable[Cell] | None = None,
    rerun: bool = False,
    on_progress: OnProgress | None = None,
) -> list[Comparison]:
    """Run a paper's cells, cheap ones first, keeping each result in ``<folder>/<paper>.jsonl`` as soon as it is there.

    Parameters
    ----------
    paper : Paper
    folder : path
        Where results are kept; made if needed.
    settings : Settings
    cells : iterable of Cell, optional
        Some of the paper's cells; all by default.
    rerun : bool, default=False
        Run cells again that were finished before with the same settings, data and version.
    on_progress : callable, optional
        ``on_progress(done, total, what)`` is called with the expected seconds of the cells that are finished, those of
        all cells to run, and the cell that starts or has just been stored.

    Returns
    -------
    comparisons : list of Comparison
        In the order of the paper's cells. A cell whose data are not there, or that raised, gives one comparison whose
        verdict is ``"missing"`` and whose reason says why.

    Notes
    -----
    Cells run one after the other, because some of them are timed; ``settings.n_jobs`` is for the work within a cell.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from truepath.papers import Paper, Settings, reproduce
    >>> from truepath.papers.base import Cell, Comparison
    >>> cell = Cell("sum", lambda settings: [Comparison("Table 1", "toy", "sum", "value", 2.0, 1.0 + 1.0, 0.0)])
    >>> lost = Cell("lost", lambda settings: [], needs=("hmc/lost",))
    >>> with TemporaryDirectory() as folder:
    ...     found = reproduce(Paper("none", "A paper", (cell, lost)), folder, Settings(Path(folder)))
    >>> [comparison.verdict for comparison in found]
    ['same', 'missing']
    """
    chosen = list(paper.cells if cells is None else cells)
    store = _store(paper, folder)
    with store.hold():
        stored = store.read()
        if stored.remark:
            logger.warning("%s", stored.remark)
        found = {} if rerun else _serving(chosen, stored, settings)
        todo = [cell for cell in chosen if cell.key not in found and not missing_folders(cell, settings)]
        units = [_unit(cell, settings) for cell in sorted(todo, key=lambda cell: cell.seconds)]
        total = sum(unit.cost for unit in units)
        new = run_units(units, store, total=total, n_jobs=1, on_progress=on_progress)
    found |= {unit.key: unit for unit in new}
    return [comparison for cell in chosen for comparison in _compare(cell, found.get(cell.key), settings)]


def missing_folders(cell: Cell, settings: Settings) -> list[str]:
    """Return which of the data folders that a cell needs are missing."""
    return [need for need in cell.needs if not (Path(settings.data) / need).is_dir()]


def finished_cells(paper: Paper, folder: str | PathLike[str], settings: Settings) -> dict[str, Finished]:
    """Return the paper's cells in the folder that were made with these settings, data and version, by key."""
    return _serving(paper.cells, _store(paper, folder).read(), settings)


def all_comparisons(paper: Paper, folder: str | PathLike[str], settings: Settings) -> list[Comparison]:
    """Return the paper's results in the folder, and a placeholder for each cell without data or that failed."""
    stored = _store(paper, folder).read()
    return [
        comparison
        for cell in paper.cells
        for comparison in _compare(cell, stored.latest(cell.key, _fingerprint(cell, settings)), settings)
    ]


def choose_cells(paper: Paper, *, only: str | None = None, quick: bool = False) -> list[Cell]:
    """Pick the cells whose key contains a text, or that take less than a minute.

    Raises
    ------
    TruePathError
        If nothing is left; the message lists the keys.
    """
    cells = [cell for cell in paper.cells if only is None or only.lower() in cell.key.lower()]
    if not cells:
        keys = ", ".join(repr(cell.key) for cell in paper.cells)
        raise TruePathError(f"no cell of {paper.name} has {only!r} in its key.", f"Available: {keys}.")
    kept = [cell for cell in cells if not quick or cell.seconds < QUICK_SECONDS]
    if not kept:
        raise TruePathError(f"all cells asked for take more than {QUICK_SECONDS:.0f} s.", "Leave out --quick.")
    return kept


def _store(paper: Paper, folder: str | PathLike[str]) -> Store:
    return Store(Path(folder) / f"{paper.name}.jsonl")


def _fingerprint(cell: Cell, settings: Settings) -> str:
    """Digest what must be equal for a finished cell to be valid: data, seed and version, but not ``n_jobs``."""
    import truepath

    data = {need: _digest_folder(Path(settings.data) / need) for need in cell.needs}
    return digest({"data": data, "random_state": settings.random_state, "truepath": truepath.__version__})


def _digest_folder(folder: Path) -> str:
    """Return a digest of the files in a folder and below: their names and their content, not where the folder is."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stamps = [(path, path.stat()) for path in files]
    found = [(path, _digest_file(path, stamp.st_size, stamp.st_mtime_ns)) for path, stamp in stamps]
    return digest([[path.relative_to(folder).as_posix(), content] for path, content in found])


@lru_cache(maxsize=4096)
def _digest_file(path: Path, size: int, changed: int) -> str:
    """Digest one file; read once as long as its size and the time of its last change are the same."""
    with path.open("rb") as file:
        total = hashlib.sha256()
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()[:16]


def _serving(cells: Iterable[Cell], stored: Stored, settings: Settings) -> dict[str, Finished]:
    found = {cell.key: stored.serving(cell.key, _fingerprint(cell, settings)) for cell in cells}
    return {key: finished for key, finished in found.items() if finished is not None}


def _unit(cell: Cell, settings: Settings) -> Unit:
    about = {"random_state": settings.random_state}
    return Unit(cell.key, _fingerprint(cell, settings), partial(_run, cell, settings), about=about, cost=cell.seconds)


def _run(cell: Cell, settings: Settings) -> list[dict[str, Any]]:
    return [asdict(comparison) for comparison in cell.run(settings)]


def _compare(cell: Cell, finished: Finished | None, settings: Settings) -> list[Comparison]:
    """Return the results of a cell, a placeholder if it could not be run or failed, nothing if it was not run."""
    if absent := missing_folders(cell, settings):
        folders, verb = " and ".join(absent), "is" if len(absent) == 1 else "are"
        way = _way_to(absent)
        return [
            _placeholder("Missing data", cell, f"{folders} {verb} not in the data folder, so nothing was run. {way}")
        ]
    if finished is None:
        return []
    if finished.error:
        return [_placeholder("Failed", cell, f"the cell failed: {finished.error}")]
    return comparisons_of(finished)


def _way_to(absent: list[str]) -> str:
    """Say how to get data: what a command brings, and what none does."""
    command = fetch_command(*absent)
    ways = [] if command is None else [f"To download: {command}."]
    others = [name for name in absent if fetch_command(name) is None]
    ways += [f"Of {' and '.join(others)} there are no public files."] if others else []
    return " ".join(ways)


def _placeholder(table: str, cell: Cell, reason: str) -> Comparison:
    return Comparison(table, cell.key, "", "", None, None, 0.0, reason=reason)
