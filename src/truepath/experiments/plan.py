"""What an experiment is: data sets x methods x seeds and folds x measures, written down before anything runs.

A plan is read from TOML or made of Python objects; both go through :func:`make_plan`, which knows every key, fills in
the defaults, and refuses what it does not know by name. Nothing is loaded or fitted here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truepath.data.readers.base import is_readable
from truepath.english import suggest
from truepath.errors import TruePathError
from truepath.experiments.measures import MetricWithOptions, make_measures
from truepath.files.toml import read_toml

DEFAULT_MEASURES = ("auprc", "micro_f1", "h_loss", "exact_match")
#: More runs than this are a mistake
MOST_RUNS = 1_000_000
KEYS = ("name", "datasets", "methods", "measures", "seeds", "folds", "data")


@dataclass(frozen=True)
class Plan:
    """A checked plan; made by :func:`make_plan`.

    Attributes
    ----------
    name : str
        What the experiment is called in tables and reports.
    datasets : dict of str to source
        A source is a :class:`truepath.Dataset`, the name of one, a file, or a table of options.
    methods : dict of str to method
        A method is an estimator, the name of a preset, an import path, or a table of options.
    measures : tuple of MetricWithOptions
    seeds : tuple of int
        Every seed repeats the whole experiment: it is the methods' ``random_state`` and decides the folds.
    folds : int or None
        The folds of a stratified cross-validation; None takes the published split (train and valid -> test).
    data : Path or None
        The data folder; :func:`truepath.data.data_home` by default.
    base : Path
        Where relative paths start: the folder of the TOML file.
    where : str
        What errors call the plan: its file.
    """

    name: str
    datasets: Mapping[str, Any]
    methods: Mapping[str, Any]
    measures: tuple[MetricWithOptions, ...]
    seeds: tuple[int, ...] = (0,)
    folds: int | None = None
    data: Path | None = None
    base: Path = Path()
    where: str = "plan"

    @property
    def n_runs(self) -> int:
        """The number of fits."""
        return len(self.datasets) * len(self.methods) * len(self.seeds) * (self.folds or 1)


def make_plan(plan: Plan | Mapping[str, Any] | str | os.PathLike[str]) -> Plan:
    """Return a checked plan from a TOML file, a mapping with the same keys, or a plan.

    Parameters
    ----------
    plan : path, mapping or Plan
        The keys are ``datasets`` and ``methods``, and, with these defaults, ``measures = ["auprc", "micro_f1",
        "h_loss", "exact_match"]``, ``seeds = [0]`` (a single number n means 0 to n - 1), ``folds`` (absent: the
        published split), ``name`` (the file's) and ``data`` (the data folder).

    Returns
    -------
    plan : Plan

    Raises
    ------
    TruePathError
        Names the key, what is wrong with it, and what to do.

    Examples
    --------
    >>> from truepath.experiments import make_plan
    >>> plan = make_plan({"datasets": ["toy"], "methods": {"tree": "truepath.learners.PCTree"}, "seeds": 3})
    >>> plan.seeds, plan.n_runs, [measure.label for measure in plan.measures]
    ((0, 1, 2), 3, ['auprc', 'micro_f1', 'h_loss', 'exact_match'])
    >>> make_plan({"dataset": ["toy"]})
    Traceback (most recent call last):
    truepath.errors.TruePathError: plan: unknown key 'dataset'. Did you mean 'datasets' ...
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return _from_mapping(plan, Path(), "experiment", "plan")
    if not isinstance(plan, str | os.PathLike):
        kind = type(plan).__name__
        raise TypeError(f"plan must be a path to a TOML file, a mapping or a Plan; got {kind}.")
    path = Path(plan)
    return _from_mapping(read_toml(path), path.resolve().parent, path.stem, str(path))


def _from_mapping(given: Mapping[str, Any], base: Path, name: str, where: str) -> Plan:
    for key in given:
        if key not in KEYS:
            raise TruePathError(f"{where}: unknown key {key!r}.", suggest(key, KEYS))
    for key in ("datasets", "methods"):
        if not given.get(key):
            raise TruePathError(f"{where}: {key} is missing or empty.", "Name at least one.")
    home = given.get("data")
    if not isinstance(home, str | os.PathLike | None):
        raise TruePathError(f"{where}: data must be the path of a folder; got {home!r:.60}.")
    plan = Plan(
        name=str(given.get("name", name)),
        datasets=_named(given["datasets"], "datasets", where),
        methods=_named(given["methods"], "methods", where),
        measures=make_measures(given.get("measures", DEFAULT_MEASURES), where),
        seeds=_seeds(given.get("seeds", (0,)), where),
        folds=_folds(given.get("folds"), where),
        data=None if home is None else base / Path(home).expanduser(),
        base=base,
        where=where,
    )
    if plan.n_runs > MOST_RUNS:
        raise TruePathError(f"{where}: {plan.n_runs:,} runs are more than the {MOST_RUNS:,} that one plan may have.")
    return plan


def _named(given: Any, key: str, where: str) -> dict[str, Any]:
    """Return name -> source, in the order given; members of a list are named after what they are."""
    if isinstance(given, Mapping):
        return {str(name): source for name, source in given.items()}
    members = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    named: dict[str, Any] = {}
    for member in members:
        name = _name_of(member)
        if name is None:
            raise TruePathError(f"{where}: {key} has a member without a name: {member!r:.80}.", "Give it a name.")
        if name in named:
            raise TruePathError(f"{where}: {key} names {name!r} twice.", "Give one of them another name.")
        named[name] = member
    return named


def _name_of(member: Any) -> str | None:
    if isinstance(member, str | os.PathLike):
        text = os.fspath(member)
        if is_readable(text):
            return Path(text).name.split(".")[0]
        return text.rpartition(".")[2] if text.startswith(("truepath.", "sklearn.")) else text
    if isinstance(member, Mapping):
        for key in ("name", "load", "preset", "path", "use"):
            if key in member:
                return str(member["name"]) if key == "name" else _name_of(member[key])
        return None
    return getattr(member, "name", None) or type(member).__name__


def _seeds(given: Any, where: str) -> tuple[int, ...]:
    if _is_count(given) and given > MOST_RUNS:
        problem = f"{where}: seeds = {given} means that many repetitions; at most {MOST_RUNS:,} can be run."
        raise TruePathError(problem, f"For the one seed {given} write seeds = [{given}].")
    if _is_count(given) and given > 0:
        return tuple(range(given))
    seeds = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
    if not seeds or not all(map(_is_count, seeds)) or len(set(seeds)) < len(seeds):
        wanted = "a list of different whole numbers >= 0, or the number of seeds"
        raise TruePathError(f"{where}: seeds must be {wanted}; got {given!r:.60}.")
    return seeds


def _folds(given: Any, where: str) -> int | None:
    if given is None or given == "published":
        return None
    if not _is_count(given) or given < 2:
        problem = f"{where}: folds must be a whole number of at least 2; got {given!r:.60}."
        raise TruePathError(problem, "Leave it out for the published split.")
    return int(given)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


@contextmanager
def naming_plan(plan: Plan) -> Iterator[None]:
    """Put the plan's file before errors about what it says; errors about other files name those."""
    try:
        yield
    except TruePathError as error:
        if type(error) is not TruePathError:
            raise
        raise TruePathError(f"{plan.where}: {error.problem}", error.remedy) from error
