"""Public classes and functions report the module that exports them: ``truepath.decoders.MAS``, whatever its file.

Model files, pickles and tracebacks then hold public names only, and private files can move. Tools that want the file
itself (the collector of examples, the links to the source in the documentation) ask :func:`written_in`.
``inspect.getsource`` of a class cannot ask: it looks into the module that the class names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from truepath.records import Record

#: Where a file of the package is shown with its documentation
SHOWN_AT = "https://github.com/truepath-hmc/truepath/blob/main/src/{path}.py"

_FILES: dict[tuple[str, str], str] = {}


def publish(module: str, names: Iterable[str], namespace: dict[str, Any]) -> None:
    """Set ``__module__`` of the classes and functions a module exports, if they are written somewhere below it.

    Called at the end of a module's ``__init__``: ``publish(__name__, __all__, globals())``. The records whose home the
    module is are put into its namespace: model files find them there.
    """
    for name in names:
        value = namespace[name]
        origin = getattr(value, "__module__", "")
        if origin.startswith(f"{module}.") and hasattr(value, "__qualname__"):
            _FILES[module, value.__qualname__] = origin
            value.__module__ = module
    for record in Record.known:
        if record.__module__ == module:
            namespace[record.__name__] = record


def written_in(value: Any) -> str:
    """Return the name of the module that a class or function is written in.

    Examples
    --------
    >>> from truepath.decoders import MAS
    >>> MAS.__module__, written_in(MAS)
    ('truepath.decoders', 'truepath.decoders.leaves.mas')
    """
    if isinstance(value, type) and value in Record.known:
        return Record.known[value]
    module, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    return _FILES.get((module, name), module)


class Documented:
    """An estimator whose picture in notebooks links to its own documentation; mixed in before scikit-learn's base."""

    def _get_doc_link(self) -> str:
        """Return the address; nothing for a class of others that derives from ours."""
        written = written_in(type(self))
        return SHOWN_AT.format(path=written.replace(".", "/")) if written.startswith("truepath.") else ""
