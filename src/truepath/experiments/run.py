"""From plan to table: the runs of a plan are handed to the engine, and tables are made of what it has stored.

Runs come back in any order; the tables are in plan order, so the same plan gives the same table for any number of
workers and after any interruption.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truepath.experiments.engine import OnProgress, run_units
from truepath.experiments.plan import Plan
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.store import Finished, Store
from truepath.experiments.survey import JOURNAL, Survey, survey_experiment
from truepath.experiments.tables import RESULTS, RUNS, results_csv, runs_csv
from truepath.files.strict_json import dump_json
from truepath.files.writing import write_text

PLAN = "plan.json"
FILES = (JOURNAL, PLAN, RESULTS, RUNS)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """The results of an experiment.

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
        """One row per run: status, sizes, seconds, versions."""
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
    safe_csv: bool = False,
    on_start: Callable[[Survey], None] | None = None,
    on_progress: OnProgress | None = None,
) -> ExperimentResult:
    """Run an experiment, or what is left of it.

    Parameters
    ----------
    plan : path to a TOML file, mapping, or Plan
        Data sets, methods, seeds, folds and measures; see :func:`make_plan` and the page on experiments.
    folder : path
        Where results go. Runs found there are kept if their settings (method and all its parameters, data, split,
        seed, measures) did not change; runs that failed are tried again.
    n_jobs : int, optional
        Number of runs at the same time, as in joblib; under ``joblib.parallel_config(backend=...)`` they go to the
        cluster. The values do not depend on it: within a run BLAS and OpenMP have one thread.
    safe_csv : bool, default=False
        Whether names in the tables get an apostrophe in front if a spreadsheet would run them as formulas, as in
        :func:`truepath.data.write_scores`.
    on_start : callable, optional
        Called once with the :class:`Survey`, before the first fit.
    on_progress : callable, optional
        ``on_progress(done, total, what)`` is called with the number of runs finished, the number of all runs to do, and
        the run that is now on disk; where one runs at a time, also with the run that is about to start.

    Returns
    -------
    result : ExperimentResult
        A method that raises is recorded as failed and the others continue: look at ``result.failed``.

    Raises
    ------
    TruePathError
        If the plan cannot be run (before anything is fitted), or another process is writing to the folder.

    Notes
    -----
    The folder gets ``runs.jsonl`` (one line per run, written and synced as it finishes), and at the end, even of an
    interrupted call, ``results.csv`` (dataset, method, seed, fold, measure, value), ``runs.csv`` (status, sizes,
    seconds, versions) and ``plan.json``. A killed process loses only the runs that were under way.

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
    store = Store(folder / JOURNAL)
    with store.hold():
        survey = survey_experiment(plan, folder)
        write_text(folder / PLAN, dump_json(survey.describe(), indent=2) + "\n")
        for remark in survey.remarks:
            logger.info("%s", remark)
        if on_start is not None:
            on_start(survey)
        n_before = len(store.read().units)
        total = len(survey.todo)
        try:
            run_units(survey.units(survey.todo), store, total=total, n_jobs=n_jobs, on_progress=on_progress)
        except BaseException:  # an interrupted experiment leaves tables of what it finished
            with suppress(OSError):  # if the disk is full that is what is being raised; the store has it all
                _write_tables(survey, store.read().units[n_before:], folder, safe_csv)
            raise
        records = _write_tables(survey, store.read().units[n_before:], folder, safe_csv)
    return ExperimentResult(survey.plan, folder, records, len(survey.kept), survey.remarks)


def files_of_experiment(folder: Path) -> list[Path]:
    """Return an experiment's folder and its files, whether they are there or will be written."""
    return [folder, *(folder / name for name in FILES)]


def _write_tables(survey: Survey, new: Iterable[Finished], folder: Path, safe_csv: bool) -> tuple[RunRecord, ...]:
    """Write both tables in plan order, of the runs kept and of those new in the store, and return their runs."""
    done = {**survey.kept, **{unit.key: RunRecord.of(unit) for unit in new}}
    records = tuple(done[key] for key in survey.keys if key in done)
    write_text(folder / RESULTS, results_csv(records, survey.plan, safe_csv))
    write_text(folder / RUNS, runs_csv(records, safe_csv))
    return records
