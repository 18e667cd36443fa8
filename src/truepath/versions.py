"""The versions that numbers and model files may depend on, as records, reports and model files keep them."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version

#: The packages of others, by the names they are installed by
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "skops")


def installed_versions() -> dict[str, str]:
    """Return the versions of truepath, of Python and of the packages that are installed.

    Examples
    --------
    >>> list(installed_versions())[:4]
    ['truepath', 'python', 'numpy', 'scipy']
    """
    own = import_module("truepath").__version__  # by name: the package itself imports all its modules
    found = {"truepath": own, "python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}
    return {name: number for name, number in found.items() if number is not None}


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def packages_of_extra(extra: str) -> list[str]:
    """Return the packages that an extra installs."""
    try:
        wanted = requires("truepath") or []
    except PackageNotFoundError:  # not installed, but run from its sources
        return []
    named = [re.match(r"[\w.-]+", line) for line in wanted if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return [name.group().replace("-", "_") for name in named if name]
