"""Parts of a model by what people type: names of this library, classes of scikit-learn, any class to be imported."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from truepath.english import did_you_mean
from truepath.errors import TruePathError


def choose_model(
    method: str,
    learner: str | None,
    parameters: list[str],
    combiner: str | None,
    decoder: str | None,
    calibrate: str | None,
    coverage: float | None,
    budget: str | float,
    seed: int,
) -> dict[str, Any]:
    """Return the arguments of :func:`truepath.workflow.fit_dataset` that were asked for; refuse unknown names early."""
    from truepath.classifier import get_preset, with_features
    from truepath.combiners.calibration.maps import FAMILIES
    from truepath.registry import COMBINERS, DECODERS

    if method != "auto":
        get_preset(method)
    if method != "auto" and learner is not None:
        raise TruePathError("--method and --learner exclude each other: a method has its own learner.")
    if parameters and learner is None:
        raise TruePathError("--set is for the learner that --learner names.", "Give --learner too.")
    _check_name("--combiner", combiner, COMBINERS)
    _check_name("--calibrate", calibrate, ("auto", *FAMILIES))
    _check_name("--decoder", decoder if decoder != "learner" else None, DECODERS)
    wanted: dict[str, Any] = {"combiner": combiner, "calibrate": calibrate, "decoder": decoder}
    if coverage is not None:
        _check_coverage(decoder or "conformal")
        wanted["decoder"] = DECODERS[decoder or "conformal"](coverage)
    wanted = {name: value for name, value in wanted.items() if value is not None}
    if learner is not None:
        wanted["learner"] = with_features(find_learner(learner, read_parameters(parameters)), seed)
    elif method != "auto":
        wanted["learner"] = method
    return wanted if budget == "seconds" else {**wanted, "budget": budget}


def _check_coverage(decoder: str) -> None:
    """Refuse decoders that have no coverage."""
    from truepath.registry import DECODERS

    if decoder == "learner" or "coverage" not in signature(DECODERS[decoder]).parameters:
        having = [name for name in DECODERS if "coverage" in signature(DECODERS[name]).parameters]
        raise TruePathError(
            f"--coverage has no meaning for --decoder {decoder}.", f"Choose one of {', '.join(having)}."
        )


def _check_name(option: str, name: str | None, registry: Any) -> None:
    if name is not None and name not in registry:
        way = did_you_mean(name, registry, f"Available: {', '.join(registry)}.")
        raise TruePathError(f"{option} {name!r} is unknown.", way)


def find_learner(typed: str, parameters: dict[str, Any]) -> Any:
    """Return the learner that ``--learner`` names, with its parameters.

    Examples
    --------
    >>> find_learner("sklearn.tree.DecisionTreeClassifier", {"max_depth": 3})
    DecisionTreeClassifier(max_depth=3)
    >>> find_learner("RidgeClassifier", {}), find_learner("pct", {})
    (RidgeClassifier(), PCTree())
    """
    found = _import(typed) if "." in typed else _by_name(typed)
    if not isinstance(found, type) or not hasattr(found, "fit"):
        raise TruePathError(f"--learner {typed}: this is not an estimator: it has no fit.")
    _check_parameters(typed, found, parameters)
    try:
        return found(**parameters)
    except TypeError as problem:
        raise TruePathError(f"--learner {typed} cannot be made: {problem}.", "Give what it needs by --set.") from None


def _import(path: str) -> Any:
    """Import a class by its full name."""
    module, _, name = path.rpartition(".")
    if not all(part.isidentifier() for part in path.split(".")):
        raise TruePathError(f"--learner {path!r} is not the full name of a class.")
    try:
        home = import_module(module)
    except ImportError as problem:
        way = f"Install it (pip install {module.split('.')[0]}), or correct the name."
        raise TruePathError(f"--learner {path}: {problem}.", way) from None
    if not hasattr(home, name):
        learners = [key for key, one in vars(home).items() if isinstance(one, type) and hasattr(one, "fit")]
        public = [f"{module}.{key}" for key in learners if not key.startswith(("_", "Base"))]
        way = did_you_mean(path, public) or "Give the full name of a class, as in an import."
        raise TruePathError(f"--learner {path}: {module} has no {name}.", way)
    return getattr(home, name)


def _by_name(name: str) -> Any:
    """Return a learner of this library by its name, or a classifier of scikit-learn by that of its class."""
    from sklearn.utils import all_estimators

    from truepath.registry import LEARNERS

    if name in LEARNERS:
        return LEARNERS[name]
    classes = dict(all_estimators(type_filter="classifier"))
    if name in classes:
        return classes[name]
    listed = f"Available: {', '.join(LEARNERS)}, the classifiers of scikit-learn, and any class by its full name."
    raise TruePathError(f"--learner {name!r} is unknown.", did_you_mean(name, [*LEARNERS, *classes], listed))


def _check_parameters(typed: str, cls: type, parameters: dict[str, Any]) -> None:
    """Refuse a parameter that the class does not have."""
    known = signature(cls).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in known.values()):
        return
    for name in parameters:
        if name not in known:
            way = did_you_mean(name, known, f"It has {', '.join(known)}.")
            raise TruePathError(f"--set {name}: {typed} has no such parameter.", way)


def read_parameters(typed: list[str]) -> dict[str, Any]:
    """Return parameters typed as ``key=value``: numbers, True, False, None, or texts.

    Examples
    --------
    >>> read_parameters(["n_estimators=50", "max_depth=none", "class_weight=balanced"])
    {'n_estimators': 50, 'max_depth': None, 'class_weight': 'balanced'}
    """
    from truepath.cli.strategies import read_value

    pairs = [one.partition("=") for one in typed]
    for name, sign, _ in pairs:
        if not sign or not name.isidentifier():
            raise TruePathError(f"--set takes key=value, such as n_estimators=50; got {name + sign!r}.")
    return {name: read_value(value) for name, _, value in pairs}


def read_named_sets(typed: Sequence[str]) -> dict[str, list[str]]:
    """Return sets of labels by name, from what was typed as NAME=FILE."""
    from truepath.data import read_label_list

    found = {}
    for one in typed:
        name, sign, file = one.partition("=")
        if not (name and sign and file):
            raise TruePathError(f"--allowed-set must be NAME=FILE; got {one!r}.")
        found[name] = read_label_list(file)
    return found
