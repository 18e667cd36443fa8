"""Run units of work through joblib and keep each as it finishes: what a plan's runs and a paper's cells have in common.

The parent process alone writes. Units come back in any order; each is stored before the next is looked at. BLAS
and OpenMP have one thread within a unit, so that its numbers do not depend on how many run at a time. What a unit
raises is kept in its record and the others continue; Ctrl-C and a worker that dies end the call, with everything that
is finished in the store.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timezone
from time import perf_counter
from typing import Any

from truepath.errors import TruePathError
from truepath.experiments.store import Finished, Store
from truepath.versions import installed_versions

OnProgress = Callable[[float, float, str], None]


@dataclass(frozen=True, eq=False)
class Unit:
    """A piece of work that is run, kept and resumed as a whole.

    Attributes
    ----------
    key : str or tuple
        Unique within a store.
    settings : str
        Digest of everything that the outcome depends on.
    run : callable
        Called without arguments, perhaps in another process; returns what JSON can hold.
    parts, about : dict
        As in :class:`Finished`.
    cost : float
        Its share of the progress.
    """

    key: Any
    settings: str
    run: Callable[[], Any]
    parts: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1.0


def run_units(
    units: Iterable[Unit],
    store: Store,
    *,
    total: float,
    n_jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> list[Finished]:
    """Run units and keep each in the store as it finishes.

    Parameters
    ----------
    units : iterable of Unit
        Taken one by one, as workers become free.
    store : Store
        Held by the caller. Damaged lines are dropped from it first.
    total : float
        The sum of the units' costs.
    n_jobs : int, optional
        Number of units run at the same time, as in joblib.
    on_progress : callable, optional
        ``on_progress(done, total, what)`` is called with the cost of what is finished, the cost of all, and the unit
        that has just been stored; where one runs at a time, also with the unit that is about to start.

    Returns
    -------
    finished : list of Finished
        In the order in which they finished; those that failed have an ``error``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "lengths.jsonl")
    ...     units = [Unit("three", "abc", "xyz".__len__), Unit("broken", "abc", [].pop)]
    ...     [(unit.value, unit.error) for unit in run_units(units, store, total=2)]
    [(3, ''), (None, 'IndexError: pop from empty list')]
    """
    from truepath.adapters.parallel import count_workers, iterate_parallel

    store.repair()
    report: OnProgress = on_progress or (lambda done, total, what: None)
    one_at_a_time = count_workers(n_jobs) == 1
    finished, done = [], 0.0

    def starting() -> Iterator[tuple[Unit]]:
        for unit in units:
            if one_at_a_time:
                report(done, total, str(unit.key))
            yield (unit,)

    try:
        with closing(iterate_parallel(_run, starting(), n_jobs=n_jobs, in_order=False)) as arriving:
            for unit, cost in arriving:
                _keep(unit, store)
                finished.append(unit)
                done += cost
                report(done, total, f"{unit.key}{' FAILED' if unit.error else ''}")
    except BrokenExecutor as problem:
        raise TruePathError(
            f"a worker process died or could not take its work ({type(problem).__name__}: {problem}).",
            f"What is finished is kept in {store.path.parent}; run the same again to continue, with fewer n_jobs if "
            "memory ran out.",
        ) from problem
    return finished


def _run(unit: Unit) -> tuple[Finished, float]:
    """Run one unit; what it raises becomes part of the record."""
    from truepath.adapters.parallel import single_thread

    value, error, trace = None, "", ""
    start = perf_counter()
    try:
        with single_thread():  # sums in BLAS depend on the number of threads, and that on n_jobs
            value = unit.run()
    except Exception as problem:
        error, trace = " ".join(f"{type(problem).__name__}: {problem}".split()), traceback.format_exc()
    seconds, date = perf_counter() - start, datetime.now(timezone.utc).date().isoformat()
    made = (unit.parts, unit.about, value, error, trace, seconds, date, installed_versions())
    return Finished(unit.key, unit.settings, *made), unit.cost


def _keep(unit: Finished, store: Store) -> None:
    try:
        store.append(unit)
    except OSError as problem:
        raise OSError(
            problem.errno,
            f"cannot write to {store.path} ({problem.strerror}). Everything finished before is kept. Free some space, "
            f"then run the same with the folder {store.path.parent} to continue",
        ) from problem
