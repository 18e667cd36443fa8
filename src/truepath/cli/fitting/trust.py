"""Types of other packages in a model file: which packages they come from, and those that the user trusts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["packages_to_trust", "trusted_types_of"]

#: Containers of Python itself, which hold what others put in
_PYTHONS_OWN = ("collections", "builtins")


def packages_to_trust(path: Path) -> list[str]:
    """Return the packages outside truepath, scikit-learn, NumPy and SciPy whose types a model holds."""
    packages = (name.partition(".")[0] for name in _untrusted(path))
    return sorted({package for package in packages if package not in _PYTHONS_OWN})


def trusted_types_of(path: Path, packages: Sequence[str]) -> list[str]:
    """Return the types of a model that these packages, or Python itself, define; none if no package is given."""
    known = {*packages, *_PYTHONS_OWN} if packages else set()
    return [name for name in _untrusted(path) if name.partition(".")[0] in known]


def _untrusted(path: Path) -> list[str]:
    from truepath.persistence import describe_model

    found: list[str] = describe_model(path)["untrusted_types"]
    return found
