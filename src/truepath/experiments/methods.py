"""The methods of a plan: from names, import paths and tables to estimators that are ready to be fitted.

A plan in TOML may only name presets, members of the registries (``"multi"``, ``"max-up"``), and classes of truepath and
scikit-learn: reading another person's plan must not run their code. Estimators given as Python objects are taken as
they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from truepath.errors import TruePathError
from truepath.experiments.fingerprint import describe_settings
from truepath.experiments.plan import close_match
from truepath.registry import COMBINERS, DECODERS, LEARNERS

if TYPE_CHECKING:
    from truepath.experiments.measures import MetricWithOptions
    from truepath.hierarchy import Hierarchy

__all__ = ["Method", "make_method"]

TRUSTED = ("truepath", "sklearn")
KEYS = ("name", "use", "preset", "params", "combiner", "decoder")


@dataclass(frozen=True)
class Method:
    """A named estimator, unfitted.

    Attributes
    ----------
    name : str
    template : estimator
    settings : JSON-like
        Class and parameters: what a finished run is compared by.
    """

    name: str
    template: Any
    settings: Any

    def make(self, hierarchy: Hierarchy, seed: int) -> Any:
        """Return a fresh learner; parameters ``hierarchy`` and ``random_state`` left at None are filled in."""
        from truepath.adapters import prepare

        return prepare(self.template, hierarchy, random_state=seed)

    def check(self, measures: tuple[MetricWithOptions, ...]) -> None:
        """Refuse an estimator that cannot do what the measures need."""
        from truepath.adapters import adapt, check_learner

        kind = type(self.template).__name__
        of_scores = [m.label for m in measures if m.metric.needs == "scores"]
        if not hasattr(self.template, "fit"):
            raise TruePathError(f"methods: {self.name!r} ({kind}) has no method fit.")
        if of_scores:
            try:
                check_learner(self.template, f"methods: {self.name!r}")
            except TypeError as problem:
                raise TruePathError(str(problem), f"The measure {of_scores[0]!r} needs scores.") from None
        if len(of_scores) < len(measures) and not hasattr(adapt(self.template), "predict"):
            raise TruePathError(f"methods: {self.name!r} ({kind}) has no method predict.")


def make_method(name: str, source: Any) -> Method:
    """Return the method of a plan by that name.

    Parameters
    ----------
    name : str
    source : str, mapping or estimator
        A preset of :mod:`truepath.classifier`; an import path such as ``"truepath.learners.PCTForest"``; a table
        with ``preset`` or ``use``, ``params``, and perhaps ``combiner`` and ``decoder``; or an estimator.

    Examples
    --------
    >>> from truepath.experiments.methods import make_method
    >>> make_method("small", {"use": "truepath.learners.PCTree", "params": {"max_depth": 2}}).template
    PCTree(max_depth=2)
    >>> make_method("wild", "os.system")
    Traceback (most recent call last):
    truepath.errors.TruePathError: methods: 'wild' uses 'os.system', which is not in truepath or sklearn. ...
    """
    table = _as_table(source)
    template = source if table is None else _build_method(name, table)
    return Method(name, template, describe_settings(template))


def _as_table(source: Any) -> Mapping[str, Any] | None:
    if isinstance(source, str):
        return {"use": source} if "." in source and not _is_preset(source) else {"preset": source}
    if isinstance(source, Mapping):
        return source
    return None


def _build_method(name: str, table: Mapping[str, Any]) -> Any:
    for key in table:
        if key not in KEYS:
            raise TruePathError(f"methods: {name!r} has an unknown key {key!r}. {close_match(key, KEYS)}")
    if ("use" in table) == ("preset" in table):
        raise TruePathError(f"methods: {name!r} needs either use (an import path) or preset (a name).")
    if "preset" in table:
        if {"combiner", "decoder"} & set(table):
            raise TruePathError(f"methods: {name!r} is a preset; set its parts in params, such as decoder__objective.")
        return _set_params(name, _preset(name, str(table["preset"])), table.get("params", {}))
    learner = _build(name, {"use": table["use"], "params": table.get("params", {})})
    if not {"combiner", "decoder"} & set(table):
        return learner
    from truepath.classifier import HierarchicalClassifier

    parts = {key: _build(name, table[key]) for key in ("combiner", "decoder") if key in table}
    return HierarchicalClassifier(learner, **parts)


def _is_preset(source: str) -> bool:
    """Return whether a name with a dot is that of a preset; no preset starts like an allowed import path."""
    if source.startswith(tuple(f"{root}." for root in TRUSTED)):
        return False
    from truepath.classifier import preset_names

    return source in preset_names()


def _preset(name: str, preset: str) -> Any:
    from truepath.classifier import make_preset, preset_names

    known = list(preset_names())
    if preset not in known:
        raise TruePathError(f"methods: {name!r} asks for the preset {preset!r}. {close_match(preset, known)}")
    return make_preset(preset, random_state=None)  # left open, so that the plan's seed reaches every part


def _set_params(name: str, estimator: Any, params: Any) -> Any:
    try:
        return estimator.set_params(**_build_values(name, params))
    except (TypeError, ValueError) as problem:
        raise TruePathError(f"methods: params of {name!r}: {problem}") from None


def _build_values(name: str, value: Any) -> Any:
    """Build every table that says ``use``, however deep."""
    if isinstance(value, Mapping):
        if "use" in value:
            return _build(name, value)
        return {key: _build_values(name, member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_build_values(name, member) for member in value]
    return value


def _build(name: str, table: Any) -> Any:
    """Make one object from ``use`` and ``params`` (or the other keys of a table without ``params``)."""
    table = {"use": table} if isinstance(table, str) else dict(table)
    if "use" not in table:
        raise TruePathError(f"methods: {name!r} has a table without use (an import path): {table!r:.80}.")
    kind = _find_class(name, str(table.pop("use")))
    params = {**table.pop("params", {}), **table}
    try:
        return kind(**_build_values(name, params))
    except TypeError as problem:
        known = list(getattr(kind, "_get_param_names", list)())
        wrong = next((key for key in params if known and key not in known), None)
        hint = close_match(wrong, known) if wrong else ""
        raise TruePathError(f"methods: params of {name!r}: {problem}. {hint}".rstrip()) from None


def _find_class(name: str, path: str) -> type:
    """Return a class by its name in a registry, or by its path: public estimators of truepath and scikit-learn."""
    for registry in (LEARNERS, COMBINERS, DECODERS):
        if path in registry:
            member: type = registry[path]
            return member
    module_path, _, last = path.rpartition(".")
    parts = path.split(".")
    if parts[0] not in TRUSTED:
        raise TruePathError(
            f"methods: {name!r} uses {path!r}, which is not in {' or '.join(TRUSTED)}. Other estimators can be given "
            "as objects to truepath.experiments.run_experiment in Python."
        )
    if any(part.startswith("_") or not part.isidentifier() for part in parts):
        raise TruePathError(f"methods: {name!r} uses {path!r}, which is not a public import path.")
    try:
        module = import_module(module_path)
    except ImportError:
        raise TruePathError(f"methods: {name!r} uses {path!r}, but there is no module {module_path!r}.") from None
    found = getattr(module, last, None)
    if not (isinstance(found, type) and hasattr(found, "get_params") and found.__module__.startswith(TRUSTED)):
        public = [key for key in getattr(module, "__all__", []) if isinstance(getattr(module, key, None), type)]
        raise TruePathError(f"methods: {name!r} uses {path!r}: no such estimator. {close_match(last, public)}")
    return found
