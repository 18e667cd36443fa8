"""The versions a model was saved with, and how they differ from those that are installed.

The arrays of a model mean the same everywhere; the attributes of scikit-learn's estimators may change with its version.
"""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["differing_versions", "installed_versions"]

#: Key of the metadata -> how messages call it, which is also the name it is installed by
PACKAGES = {"sklearn": "scikit-learn", "numpy": "numpy", "scipy": "scipy", "skops": "skops"}
NAMES = {"truepath": "truepath", "python": "Python", **PACKAGES}


def installed_versions() -> dict[str, str | None]:
    """Return the versions that model files record; None for what is not installed."""
    own = import_module("truepath").__version__  # by name: the package itself imports all its modules
    return {
        "truepath": own,
        "python": platform.python_version(),
        **{key: _version(package) for key, package in PACKAGES.items()},
    }


def differing_versions(metadata: dict[str, Any]) -> tuple[str, str]:
    """Return the versions that differ, those of the file and those installed, as texts; empty if all are the same.

    Examples
    --------
    >>> from truepath.persistence.versions import differing_versions, installed_versions
    >>> differing_versions(installed_versions())
    ('', '')
    >>> differing_versions({**installed_versions(), "numpy": "1.0", "python": "2.7"})  # doctest: +ELLIPSIS
    ('Python 2.7, numpy 1.0', 'Python 3..., numpy ...')
    """
    here = installed_versions()
    differ = [key for key in here if metadata.get(key) != here[key]]
    return _listed(differ, metadata), _listed(differ, here)


def _listed(keys: list[str], versions: dict[str, Any]) -> str:
    """Name the versions in one line, whatever the file claims them to be."""
    return ", ".join(f"{NAMES[key]} {' '.join(str(versions.get(key) or 'unknown').split())[:40]}" for key in keys)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
