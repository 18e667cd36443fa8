"""The methods of a plan: from names, import paths and tables to estimators that are ready to be fitted.

A plan in TOML may only name presets, members of the registries (``"multi"``, ``"max-up"``), and classes of truepath and
scikit-learn, and set plain values (:mod:`truepath.experiments.allowed`): reading another person's plan must not run
their code. Estimators given as Python objects are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truepath.english import suggest
from truepath.errors import TruePathError, explain
from truepath.experiments.allowed import check_texts, find_class
from truepath.experiments.fingerprint import describe_settings

if TYPE_CHECKING:
    from truepath.experiments.measures import MetricWithOptions
    from truepath.hierarchy import Hierarchy

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
        from truepath.adapters.prepare import prepare

        return prepare(self.template, hierarchy, random_state=seed)

    def check(self, measures: tuple[MetricWithOptions, ...]) -> None:
        """Refuse an estimator that cannot do what the measures need."""
        from truepath.adapters.prepare import adapt, check_learner

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
    >>> make_method("cached", {"use": "sklearn.pipeline.Pipeline", "params": {"memory": "folder"}})
    Traceback (most recent call last):
    truepath.errors.TruePathError: methods.cached.params: 'memory' is set to the text 'folder', but a plan may ...
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
            raise TruePathError(f"methods: {name!r} has an unknown key {key!r}.", suggest(key, KEYS))
    if ("use" in table) == ("preset" in table):
        raise TruePathError(f"methods: {name!r} needs either use (an import path) or preset (a name).")
    if "preset" in table:
        if {"combiner", "decoder"} & set(table):
            problem = f"methods: {name!r} is a preset, which takes no combiner or decoder beside it."
            raise TruePathError(problem, "Set its parts in params, such as decoder__objective.")
        return _set_params(name, _preset(name, str(table["preset"])), table.get("params", {}))
    learner = _build(name, {"use": table["use"], "params": table.get("params", {})}, f"methods.{name}")
    if not {"combiner", "decoder"} & set(table):
        return learner
    from truepath.classifier import HierarchicalClassifier

    parts = {key: _build(name, table[key], f"methods.{name}.{key}") for key in ("combiner", "decoder") if key in table}
    return HierarchicalClassifier(learner, **parts)


def _is_preset(source: str) -> bool:
    """Return whether a name with a dot is that of a preset; no preset starts like an allowed import path."""
    if source.startswith(("truepath.", "sklearn.")):
        return False
    from truepath.classifier import preset_names

    return source in preset_names()


def _preset(name: str, preset: str) -> Any:
    from truepath.classifier import make_preset, preset_names

    known = list(preset_names())
    if preset not in known:
        raise TruePathError(
            f"methods: {name!r} asks for the preset {preset!r}, which is unknown.", suggest(preset, known)
        )
    return make_preset(preset, random_state=None)  # left open, so that the plan's seed reaches every part


def _set_params(name: str, estimator: Any, params: Any) -> Any:
    values = _build_params(name, params, f"methods.{name}.params")
    try:
        return estimator.set_params(**values)
    except (TypeError, ValueError) as error:
        problem, remedy = explain(error)
        raise TruePathError(f"methods: params of {name!r}: {problem}", remedy) from None


def _build_params(name: str, params: Any, table: str) -> dict[str, Any]:
    """Build the values of parameters; text is taken only where it is an option or a name."""
    if not isinstance(params, Mapping):
        raise TruePathError(f"{table} must be a table of parameters; got {params!r:.60}.")
    built = {str(key): _build_values(name, value, f"{table}.{key}") for key, value in params.items()}
    for key, value in built.items():
        check_texts(value, table, key)
    return built


def _build_values(name: str, value: Any, table: str) -> Any:
    """Build every table that says ``use``, however deep."""
    if isinstance(value, Mapping):
        if "use" in value:
            return _build(name, value, table)
        return {key: _build_values(name, member, f"{table}.{key}") for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_build_values(name, member, table) for member in value]
    return value


def _build(name: str, table: Any, where: str) -> Any:
    """Make one object from ``use`` and ``params`` (or the other keys of a table without ``params``)."""
    table = {"use": table} if isinstance(table, str) else dict(table)
    if "use" not in table:
        problem = f"methods: {name!r} has a table without use: {table!r:.80}."
        raise TruePathError(problem, "Add use, an import path or the name of a member.")
    kind = find_class(name, str(table.pop("use")))
    inner = f"{where}.params" if "params" in table else where
    params = _build_params(name, table.pop("params", {}), inner) | _build_params(name, table, inner)
    try:
        return kind(**params)
    except TypeError as error:
        known = list(getattr(kind, "_get_param_names", list)())
        wrong = next((key for key in params if known and key not in known), None)
        problem = f"methods: params of {name!r}: {error}."
        raise TruePathError(problem, suggest(wrong, known) if wrong else "") from None
