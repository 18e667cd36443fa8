"""Types of other packages in a model file: which packages they come from, and those of packages that are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from truepath.persistence.container import describe_model

#: Containers of Python itself, which hold what others put in; nothing that does something when called, as eval does
_CONTAINERS = frozenset({"collections.OrderedDict", "collections.defaultdict", "collections.deque"})


def packages_to_trust(path: str | PathLike[str]) -> list[str]:
    """Return the packages outside truepath, scikit-learn, NumPy and SciPy whose types a model holds."""
    return sorted({name.partition(".")[0] for name in _untrusted(path) if name not in _CONTAINERS})


def trusted_types_of(path: str | PathLike[str], packages: Sequence[str]) -> list[str]:
    """Return the types of a model that these packages define, and plain containers; none if no package is given."""
    if not packages:
        return []
    return [name for name in _untrusted(path) if name in _CONTAINERS or name.partition(".")[0] in packages]


def _untrusted(path: str | PathLike[str]) -> list[str]:
    found: list[str] = describe_model(path)["untrusted_types"]
    return found
