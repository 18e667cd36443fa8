"""What a plan asks for and which runs of it are finished: everything is opened and checked, nothing fitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from truepath.experiments.engine import Unit
from truepath.experiments.fingerprint import describe_settings
from truepath.experiments.job import Job, run_job
from truepath.experiments.methods import Method, make_method
from truepath.experiments.plan import Plan, make_plan, naming_plan
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.sources import Source, open_source
from truepath.experiments.store import Finished, Store, Stored, digest
from truepath.versions import installed_versions

JOURNAL = "runs.jsonl"


@dataclass(frozen=True, eq=False)
class Survey:
    """A plan made ready, and what its folder holds.

    Attributes
    ----------
    plan : Plan
    sources : dict of str to Source
    methods : dict of str to Method
    keys : tuple of RunKey
        Every run, in plan order.
    kept : dict of RunKey to RunRecord
        Runs that are finished and whose settings did not change.
    remarks : tuple of str
        What was kept, what is done again and why.
    """

    plan: Plan
    sources: Mapping[str, Source]
    methods: Mapping[str, Method]
    keys: tuple[RunKey, ...]
    kept: Mapping[RunKey, RunRecord]
    remarks: tuple[str, ...]

    @property
    def todo(self) -> tuple[RunKey, ...]:
        """The runs still to be done, in plan order."""
        return tuple(key for key in self.keys if key not in self.kept)

    def jobs(self, keys: Iterable[RunKey]) -> Iterator[Job]:
        """Yield what the workers need, one run at a time."""
        dealt: dict[tuple[str, int], Any] = {}  # the same folds for all methods
        for key in keys:
            source, method = self.sources[key.dataset], self.methods[key.method]
            if (key.dataset, key.seed) not in dealt:
                dealt[key.dataset, key.seed] = source.deal(key.seed)
            train, test = dealt[key.dataset, key.seed][key.fold]
            yield Job(key, method.make(source.hierarchy, key.seed), source, train, test, self.plan.measures)

    def units(self, keys: Iterable[RunKey]) -> Iterator[Unit]:
        """Yield the runs as units of work, one at a time."""
        parts = _measure_digests(self.plan)
        for job in self.jobs(keys):
            settings = _settings(self.plan, job.source, self.methods[job.key.method], job.key)
            yield Unit(job.key, settings, partial(run_job, job), parts, job.sizes)

    def describe(self) -> dict[str, Any]:
        """Return the plan in a form that JSON can hold, with what was found: data digests, sizes, every parameter."""
        return {
            "name": self.plan.name,
            "datasets": {
                name: {"rows": len(s.rows), "labels": s.hierarchy.n_nodes, "fingerprint": s.fingerprint}
                for name, s in self.sources.items()
            },
            "methods": {name: method.settings for name, method in self.methods.items()},
            "measures": [
                {"label": m.label, "name": m.name, "options": describe_settings(m.options)} for m in self.plan.measures
            ],
            "seeds": list(self.plan.seeds),
            "folds": self.plan.folds,
        }


def survey_experiment(plan: Any, folder: str | Path | None = None) -> Survey:
    """Open and check everything that a plan names, and look up which runs are finished.

    Parameters
    ----------
    plan : path, mapping or Plan
        See :func:`truepath.experiments.make_plan`.
    folder : path, optional
        Where the results are, or will be.

    Returns
    -------
    survey : Survey

    Examples
    --------
    >>> survey = survey_experiment({"datasets": ["toy"], "methods": ["truepath.learners.PCTree"], "seeds": 2})
    >>> [str(key) for key in survey.todo]
    ['toy / PCTree / seed 0 / fold 0', 'toy / PCTree / seed 1 / fold 0']
    """
    plan = make_plan(plan)
    with naming_plan(plan):
        methods = {name: make_method(name, given) for name, given in plan.methods.items()}
        for method in methods.values():
            method.check(plan.measures)
        sources = {
            name: open_source(name, given, plan.folds, plan.base, plan.data) for name, given in plan.datasets.items()
        }
        for name, source in sources.items():
            for measure in plan.measures:
                measure.check(source.hierarchy, name)
    keys = tuple(
        RunKey(dataset, method, seed, fold)
        for dataset in sources
        for method in methods
        for seed in plan.seeds
        for fold in range(plan.folds or 1)
    )
    stored = Store(Path(folder) / JOURNAL).read() if folder is not None else Stored()
    wanted = {key: _settings(plan, sources[key.dataset], methods[key.method], key) for key in keys}
    kept, remarks = _keep(wanted, _measure_digests(plan), stored)
    return Survey(plan, sources, methods, keys, kept, remarks)


def _settings(plan: Plan, source: Source, method: Method, key: RunKey) -> str:
    """Digest everything that a run depends on except the measures."""
    return digest(
        {
            "method": method.settings,
            "data": source.fingerprint,
            "folds": plan.folds,
            "seed": key.seed,
            "fold": key.fold,
        }
    )


def _measure_digests(plan: Plan) -> dict[str, str]:
    return {m.label: digest([m.name, describe_settings(m.options)]) for m in plan.measures}


def _keep(
    wanted: Mapping[RunKey, str], measures: Mapping[str, str], stored: Stored
) -> tuple[dict[RunKey, RunRecord], tuple[str, ...]]:
    """Sort the runs found into those that can be kept and those that cannot, and report it."""
    kept: dict[RunKey, RunRecord] = {}
    why: Counter[str] = Counter()
    for key, settings in wanted.items():
        serving = stored.serving(key, settings, measures)
        if serving is not None:
            kept[key] = RunRecord.of(serving)
        elif stored.of(key):
            why[_reason(stored.of(key), settings)] += 1
    remarks = [stored.remark] if stored.remark else []
    remarks += [f"{len(kept)} of {len(wanted)} runs are finished and kept."] if kept else []
    remarks += [f"{count} finished run(s) done again: {reason}." for reason, count in why.items()]
    if beside := len(stored.keys - set(wanted)):
        remarks.append(f"{beside} finished run(s) are not part of this plan; they stay in {JOURNAL}.")
    now = installed_versions()
    old = sorted({f"{name} {v}" for r in kept.values() for name, v in r.versions.items() if now.get(name) != v})
    if old:
        remarks.append(f"Some kept runs were made with other versions: {', '.join(old)}.")
    return kept, tuple(remarks)


def _reason(found: list[Finished], settings: str) -> str:
    """Return why none of the runs found can be kept."""
    same = [run for run in found if run.settings == settings]
    if not same:
        return "settings or data changed"
    return "failed last time" if same[-1].error else "other measures are asked for"
