"""Optional packages, most of them installed by an extra: imported where they are used, by one road with one error."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from truepath.errors import MissingExtraError
from truepath.versions import packages_of_extra


def import_extra(module: str, purpose: str, extra: str = "") -> Any:
    """Import a module of an optional package; where that is not installed, name the extra that installs it.

    Parameters
    ----------
    module : str
        Such as ``"matplotlib.pyplot"``.
    purpose : str
        What needs it, as the error's first words.
    extra : str, default=""
        The extra of truepath that installs the package; empty where none does, and the package is named itself.

    Examples
    --------
    >>> import_extra("json", "Writing JSON", "report").dumps([1])
    '[1]'
    >>> import_extra("missing.module", "Drawing", "report")
    Traceback (most recent call last):
    truepath.errors.MissingExtraError: Drawing needs missing, which is not installed. Install it: pip install ...
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != package:
            raise  # the package is there, and lacks something of its own
        others = [name for name in packages_of_extra(extra) if name != package and find_spec(name) is None]
        beside = (
            f" (nor {'is' if len(others) == 1 else 'are'} {' and '.join(others)} of the same extra)" if others else ""
        )
        said = f"{purpose} needs {package}, which is not installed{beside}."
        wanted = f'"truepath[{extra}]"' if extra else package
        raise MissingExtraError(said, f"Install it: pip install {wanted}.") from problem
