"""Parts of a model by what people type: names of this library, classes of scikit-learn, any class to be imported."""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter, signature
from typing import Any

from truepath.errors import TruePathError
from truepath.hierarchy.names import nearest

__all__ = ["check_choices", "find_learner", "make_learner", "read_parameters"]


def check_choices(
    method: str,
    learner: str | None,
    parameters: list[str],
    combiner: str | None,
    decoder: str | None,
    calibrate: str | None = None,
    coverage: float | None = None,
) -> None:
    """Refuse names that are unknown, and options that exclude each other."""
    from truepath.combiners.calibration.maps import FAMILIES
    from truepath.registry import COMBINERS, DECODERS

    if method != "auto" and learner is not None:
        raise TruePathError("--method and --learner exclude each other: a method has its own learner.")
    if parameters and learner is None:
        raise TruePathError("--set is for the learner that --learner names.", "Give --learner too.")
    _check_name("--combiner", combiner, COMBINERS)
    _check_name("--calibrate", calibrate, ("auto", *FAMILIES))
    _check_name("--decoder", decoder if decoder != "learner" else None, DECODERS)
    if coverage is not None:
        _check_coverage(coverage, decoder or "conformal")
    if learner is not None:
        find_learner(learner, read_parameters(parameters))


def _check_coverage(coverage: float, decoder: str) -> None:
    """Refuse what is no probability, and decoders that have none."""
    from truepath.decoders.conformal.base import check_share
    from truepath.registry import DECODERS

    check_share("--coverage", coverage)
    if decoder == "learner" or "coverage" not in signature(DECODERS[decoder]).parameters:
        having = [name for name in DECODERS if "coverage" in signature(DECODERS[name]).parameters]
        raise TruePathError(f"--coverage has no meaning for --decoder {decoder}.", f"Choose of {', '.join(having)}.")


def _check_name(option: str, name: str | None, registry: Any) -> None:
    if name is not None and name not in registry:
        near = nearest(name, registry, 1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise TruePathError(f"{option} {name!r} is unknown.", f"{hint}There are {', '.join(registry)}.")


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
        raise TruePathError(f"--learner {typed}: this is no estimator: it has no fit.")
    _check_parameters(typed, found, parameters)
    try:
        return found(**parameters)
    except TypeError as problem:
        raise TruePathError(f"--learner {typed} cannot be made: {problem}.", "Give what it needs by --set.") from None


def _import(path: str) -> Any:
    """Import a class by its full name."""
    module, _, name = path.rpartition(".")
    try:
        home = import_module(module)
    except ImportError as problem:
        way = f"Install it (pip install {module.split('.')[0]}), or correct the name."
        raise TruePathError(f"--learner {path}: {problem}.", way) from None
    if not hasattr(home, name):
        learners = [key for key, one in vars(home).items() if isinstance(one, type) and hasattr(one, "fit")]
        near = nearest(name, [key for key in learners if not key.startswith(("_", "Base"))], 1)
        hint = f"Did you mean {module}.{near[0]}?" if near else "Give the full name of a class, as in an import."
        raise TruePathError(f"--learner {path}: {module} has no {name}.", hint)
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
    near = nearest(name, [*LEARNERS, *classes], 2)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    own = ", ".join(LEARNERS)
    way = f"{hint}There are {own}, the classifiers of scikit-learn, and any class by its full name."
    raise TruePathError(f"--learner {name!r} is unknown.", way)


def _check_parameters(typed: str, cls: type, parameters: dict[str, Any]) -> None:
    """Refuse a parameter that the class does not have."""
    known = signature(cls).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in known.values()):
        return
    for name in parameters:
        if name not in known:
            near = nearest(name, known, 1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise TruePathError(f"--set {name}: {typed} has no such parameter.", f"{hint}It has {', '.join(known)}.")


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


def make_learner(typed: str, parameters: list[str], seed: int) -> Any:
    """Return a learner behind features that take any table, in the form that it takes, with the seed if it has one."""
    from sklearn.pipeline import Pipeline

    from truepath.adapters import tags_of
    from truepath.preprocessing import AutoFeatures

    learner = find_learner(typed, read_parameters(parameters))
    tags = tags_of(learner)
    takes_nan = tags is not None and tags.input_tags.allow_nan
    takes_sparse = tags is not None and tags.input_tags.sparse
    features = AutoFeatures(scale=not takes_nan, impute=not takes_nan, dense=not takes_sparse)
    if hasattr(learner, "get_params") and learner.get_params().get("random_state", seed) is None:
        learner.set_params(random_state=seed)
    return Pipeline([("features", features), ("learner", learner)])
