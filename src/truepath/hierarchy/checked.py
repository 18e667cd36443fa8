"""Labels that the library has checked already, and hands on to its own parts.

Whoever has checked a label matrix and passes it on says so for as long as the call lasts::

    with already_checked(Y, hierarchy):
        decoder.fit(S, Y)

:func:`truepath.hierarchy.check_labels` then takes this very object as it is. Nothing else is taken on trust: a copy,
a selection of rows, or the same matrix with another hierarchy is checked as ever, and so is the object itself once the
block has ended. The mark belongs to the thread that set it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["already_checked", "is_checked"]

_CHECKED: ContextVar[tuple[tuple[Any, Any], ...]] = ContextVar("truepath_checked_labels", default=())


@contextmanager
def already_checked(Y: Any, hierarchy: Hierarchy | None) -> Iterator[None]:
    """Within the block, ``check_labels(Y, hierarchy)`` of these two objects returns ``Y`` at once.

    Parameters
    ----------
    Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
        As ``check_labels`` returned it, or rows of that.
    hierarchy : Hierarchy or None
        None, a hierarchy not known yet, marks nothing.
    """
    token = _CHECKED.set((*_CHECKED.get(), (Y, hierarchy)))
    try:
        yield
    finally:
        _CHECKED.reset(token)


def is_checked(Y: Any, hierarchy: Hierarchy) -> bool:
    """Say whether these very objects were marked by :func:`already_checked`."""
    return any(known is Y and whose is hierarchy for known, whose in _CHECKED.get())
