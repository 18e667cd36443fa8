"""What a model file says of the estimator inside: enough to know it without loading it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timezone
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from truepath.hierarchy import Hierarchy

__all__ = ["describe_estimator", "describe_hierarchy"]


def describe_estimator(estimator: Any, untrusted: Iterable[str] = ()) -> dict[str, Any]:
    """Return the metadata of a fitted estimator, plain values only."""
    cls = type(estimator)
    hierarchy = _hierarchy(estimator)
    names = getattr(estimator, "feature_names_in_", None)
    return {
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "truepath": import_module("truepath").__version__,  # by name: the package itself imports all its modules
        "sklearn": _version("scikit-learn"),
        "numpy": _version("numpy"),
        "skops": _version("skops"),
        "hierarchy": None if hierarchy is None else describe_hierarchy(hierarchy),
        "n_features": _number(getattr(estimator, "n_features_in_", None)),
        "feature_names": None if names is None else [str(name) for name in names],
        "untrusted_types": sorted(untrusted),
    }


def describe_hierarchy(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the size of a hierarchy, and a digest of its names and edges to compare it by.

    Examples
    --------
    >>> found = describe_hierarchy(Hierarchy.from_paths(["a/1", "a/2"]))
    >>> found["n_nodes"], found["is_tree"], len(found["digest"])
    (3, True, 64)
    """
    return {
        "n_nodes": hierarchy.n_nodes,
        "n_edges": hierarchy.n_edges,
        "is_tree": hierarchy.is_tree,
        "height": hierarchy.height,
        "digest": hashlib.sha256(hierarchy.to_json().encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _hierarchy(estimator: Any) -> Hierarchy | None:
    """Find the hierarchy of an estimator, or of a pipeline's last step."""
    steps = getattr(estimator, "steps", None)
    for holder in (estimator, steps[-1][1] if steps else None):
        for attribute in ("hierarchy_", "hierarchy"):
            if isinstance(found := getattr(holder, attribute, None), Hierarchy):
                return found
    return None


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
