"""What a plan asks for and what of it is there already: everything opened and checked, nothing fitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truepath.experiments.fingerprint import describe_settings, digest
from truepath.experiments.job import Job, versions
from truepath.experiments.journal import Journal
from truepath.experiments.methods import Method, make_method
from truepath.experiments.plan import Plan, make_plan
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.sources import Source, open_source

__all__ = ["Survey", "survey_experiment"]


@dataclass(frozen=True, eq=False)
class Survey:
    """A plan made ready, beside what its folder holds.

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
        options = _measure_digests(self.plan)
        dealt: dict[tuple[str, int], Any] = {}  # the same folds for all methods
        for key in keys:
            source, method = self.sources[key.dataset], self.methods[key.method]
            if (key.dataset, key.seed) not in dealt:
                dealt[key.dataset, key.seed] = source.deal(key.seed)
            record = RunRecord(key, _settings(self.plan, source, method, key), measures=options)
            estimator = method.make(source.hierarchy, key.seed)
            train, test = dealt[key.dataset, key.seed][key.fold]
            yield Job(record, estimator, source, train, test, self.plan.measures)

    def describe(self) -> dict[str, Any]:
        """Return the plan as JSON holds it, with what was found: data digests, sizes, every parameter."""
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
    """Open and check all that a plan names, and look up which runs are finished.

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
    found, damaged = Journal(Path(folder)).read() if folder is not None else ([], 0)
    kept, remarks = _keep(plan, sources, methods, keys, found)
    if damaged:
        remarks = (f"{damaged} damaged line(s) of the journal dropped; their runs are done again.", *remarks)
    return Survey(plan, sources, methods, keys, kept, remarks)


def _settings(plan: Plan, source: Source, method: Method, key: RunKey) -> str:
    """Digest all that a run depends on but the measures."""
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
    plan: Plan,
    sources: Mapping[str, Source],
    methods: Mapping[str, Method],
    keys: tuple[RunKey, ...],
    found: Iterable[RunRecord],
) -> tuple[dict[RunKey, RunRecord], tuple[str, ...]]:
    """Sort the runs found into those that serve and those that do not, and say so."""
    options = _measure_digests(plan)
    by_key: dict[RunKey, list[RunRecord]] = {}
    for record in found:
        by_key.setdefault(record.key, []).append(record)
    kept: dict[RunKey, RunRecord] = {}
    why: Counter[str] = Counter()
    for key in keys:
        if key not in by_key:
            continue
        settings = _settings(plan, sources[key.dataset], methods[key.method], key)
        serving = [record for record in by_key[key] if record.serves(settings, options)]
        if serving:
            kept[key] = serving[-1]
        else:
            why[_reason(by_key[key], settings)] += 1
    remarks = [f"{len(kept)} of {len(keys)} runs are finished and kept."] if kept else []
    remarks += [f"{count} finished run(s) done again: {reason}." for reason, count in why.items()]
    beside = len(set(by_key) - set(keys))
    if beside:
        remarks.append(f"{beside} finished run(s) are not part of this plan; they stay in the journal.")
    now = dict(versions())
    old = sorted({f"{name} {v}" for r in kept.values() for name, v in r.versions.items() if now.get(name) != v})
    if old:
        remarks.append(f"Some kept runs were made with other versions: {', '.join(old)}.")
    return kept, tuple(remarks)


def _reason(records: list[RunRecord], settings: str) -> str:
    """Say why none of the runs found serves."""
    same = [record for record in records if record.settings == settings]
    if not same:
        return "settings or data changed"
    return "failed last time" if same[-1].failed else "other measures are asked for"
