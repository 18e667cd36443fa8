"""From plan to table: the runs go through joblib, every finished one is on disk before the next is looked at.

The parent process alone writes. Runs come back in any order; the tables are in plan order, so the same plan gives
the same table for any number of workers and after any interruption.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from truepath.errors import TruePathError
from truepath.experiments.job import Job, run_job
from truepath.experiments.journal import Journal, hold_folder, replace_file
from truepath.experiments.plan import Plan
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.survey import Survey, survey_experiment
from truepath.experiments.tables import RESULTS, RUNS, results_csv, runs_csv

__all__ = ["ExperimentResult", "run_experiment"]

PLAN = "plan.json"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What an experiment gave.

    Attributes
    ----------
    plan : Plan
    folder : Path
    records : tuple of RunRecord
        In plan order.
    n_kept : int
        How many of them were finished before this call.
    remarks : tuple of str
    """

    plan: Plan
    folder: Path
    records: tuple[RunRecord, ...]
    n_kept: int
    remarks: tuple[str, ...]

    @property
    def failed(self) -> tuple[RunRecord, ...]:
        """The runs whose method raised; ``error`` and ``traceback`` say what."""
        return tuple(record for record in self.records if record.failed)

    @property
    def results_path(self) -> Path:
        """The tidy table: dataset, method, seed, fold, measure, value."""
        return self.folder / RESULTS

    @property
    def runs_path(self) -> Path:
        """One row a run: status, sizes, seconds, versions."""
        return self.folder / RUNS

    @property
    def table(self) -> dict[str, list[Any]]:
        """The tidy table as columns, for :func:`compare`, :func:`format_table` or any data frame."""
        rows = [(*r.key, label, r.values[label]) for r in self.records for label in self._labels if not r.failed]
        names = (*RunKey._fields, "measure", "value")
        return {name: [row[j] for row in rows] for j, name in enumerate(names)}

    @property
    def _labels(self) -> list[str]:
        return [measure.label for measure in self.plan.measures]

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"ExperimentResult({self.plan.name!r}: {len(self.records)} runs{failed})"


def run_experiment(
    plan: Plan | Mapping[str, Any] | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    on_start: Callable[[Survey], None] | None = None,
    on_result: Callable[[RunRecord], None] | None = None,
) -> ExperimentResult:
    """Run an experiment, or the rest of it.

    Parameters
    ----------
    plan : path to a TOML file, mapping, or Plan
        Data sets, methods, seeds, folds and measures; see :func:`make_plan` and the page on experiments.
    folder : path
        Where results go. Runs found there are kept if their settings (method and all its parameters, data, split,
        seed, measures) did not change; runs that failed are tried again.
    n_jobs : int, optional
        How many runs at a time, as in joblib; under ``joblib.parallel_config(backend=...)`` they go to the cluster.
        The values do not depend on it: within a run BLAS and OpenMP have one thread.
    on_start : callable, optional
        Called once with the :class:`Survey`, before the first fit.
    on_result : callable, optional
        Called with the :class:`RunRecord` of every run finished, once it is on disk.

    Returns
    -------
    result : ExperimentResult
        A method that raises is recorded as failed and the others go on: look at ``result.failed``.

    Raises
    ------
    TruePathError
        If the plan cannot be run (before anything is fitted), or another process is writing to the folder.

    Notes
    -----
    The folder gets ``runs.jsonl`` (one line a run, written and synced as it finishes), and at the end, also of an
    interrupted call, ``results.csv`` (dataset, method, seed, fold, measure, value), ``runs.csv`` (status, sizes,
    seconds, versions) and ``plan.json``. A killed process loses the runs under way, no others.

    Examples
    --------
    >>> import tempfile
    >>> from truepath.experiments import run_experiment
    >>> from truepath.learners import PCTree
    >>> plan = {"datasets": ["toy"], "methods": {"stump": PCTree(max_depth=1), "tree": PCTree()}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run_experiment(plan, folder)
    ...     again = run_experiment(plan, folder)
    >>> first, again.n_kept, first.table == again.table
    (ExperimentResult('experiment': 2 runs), 2, True)
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(folder):
        survey = survey_experiment(plan, folder)
        journal = Journal(folder)
        journal.mend()
        n_before = len(journal.read()[0])
        replace_file(folder / PLAN, json.dumps(survey.describe(), indent=2) + "\n")
        for remark in survey.remarks:
            logger.info("%s", remark)
        if on_start is not None:
            on_start(survey)
        try:
            _run_the_rest(survey, journal, n_jobs, on_result)
        except BaseException:  # an interrupted experiment leaves tables of what it finished
            with suppress(OSError):  # if the disk is full that is what is being raised; the journal has it all
                _write_tables(survey, journal.read()[0][n_before:], folder)
            raise
        records = _write_tables(survey, journal.read()[0][n_before:], folder)
    return ExperimentResult(survey.plan, folder, records, len(survey.kept), survey.remarks)


def _write_tables(survey: Survey, new: list[RunRecord], folder: Path) -> tuple[RunRecord, ...]:
    """Write both tables in plan order, of the runs kept and of those new in the journal, and return their runs."""
    finished = {**survey.kept, **{record.key: record for record in new}}
    records = tuple(finished[key] for key in survey.keys if key in finished)
    replace_file(folder / RESULTS, results_csv(records, survey.plan))
    replace_file(folder / RUNS, runs_csv(records))
    return records


def _run_the_rest(
    survey: Survey,
    journal: Journal,
    n_jobs: int | None,
    on_result: Callable[[RunRecord], None] | None,
) -> None:
    try:
        with closing(_arriving(survey.jobs(survey.todo), n_jobs)) as records:
            for n_done, record in enumerate(records):
                _keep(record, journal, len(survey.todo) - n_done)
                if on_result is not None:
                    on_result(record)
    except BrokenExecutor as problem:
        raise TruePathError(
            f"a worker process died or could not take its run ({type(problem).__name__}: {problem}). Finished runs are "
            f"kept in {journal.path.parent}; run the same plan again to go on, with fewer n_jobs if memory ran out."
        ) from problem


def _arriving(jobs: Iterator[Job], n_jobs: int | None) -> Generator[RunRecord, None, None]:
    """Yield the runs as they finish, in any order.

    One run is one batch: a batch comes back as a whole, and all of it would be lost with the process. Backends that
    cannot hand over results one by one get as many runs at a time as there are workers.
    """
    from joblib import Parallel, delayed, effective_n_jobs
    from joblib.parallel import get_active_backend

    if n_jobs == 1 or getattr(get_active_backend()[0], "supports_return_generator", True):
        workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        with closing(workers(delayed(run_job)(job) for job in jobs)) as results:
            yield from results
        return
    with Parallel(n_jobs=n_jobs, batch_size=1) as workers:
        while some := list(islice(jobs, effective_n_jobs(n_jobs))):
            yield from workers(delayed(run_job)(job) for job in some)


def _keep(record: RunRecord, journal: Journal, n_left: int) -> None:
    try:
        journal.append(record)
    except OSError as problem:
        folder = journal.path.parent
        raise OSError(
            problem.errno,
            f"cannot write to {journal.path} ({problem.strerror}). All runs finished before are kept, {n_left} are "
            f"left. Make room, then run the same plan with the folder {folder} to go on",
        ) from problem
