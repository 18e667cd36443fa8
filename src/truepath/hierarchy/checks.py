"""What every module asks of its matrices: the shape, the values, and the hierarchy respected.

Code that has checked a label matrix and passes it on says so for the length of the call::

    with already_checked(Y, hierarchy):
        decoder.fit(S, Y)

:func:`truepath.hierarchy.check_labels` then takes this very object as it is. Nothing else is taken on trust: a copy,
a selection of rows, or the same matrix with another hierarchy is checked as usual, and so is the object itself once
the block has ended. The mark belongs to the thread that set it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.errors import ConstraintError
from truepath.hierarchy.matrices import as_bool, as_matrix
from truepath.hierarchy.propagation import find_unclosed, raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = [
    "already_checked",
    "as_labels",
    "check_labels",
    "check_truth",
    "check_weight",
    "hierarchy_for",
    "resolve_hierarchy",
    "weight_or_ones",
]

_CHECKED: ContextVar[tuple[tuple[Any, Any], ...]] = ContextVar("truepath_checked_labels", default=())


def resolve_hierarchy(hierarchy: Hierarchy | Iterable[Any] | None, n_nodes: int) -> Hierarchy:
    """Return the hierarchy given, or a flat one of ``n_nodes`` labels for None."""
    from truepath.hierarchy.hierarchy import Hierarchy

    if hierarchy is None:
        return Hierarchy.flat(n_nodes)
    if not isinstance(hierarchy, Hierarchy):
        raise TypeError(
            f"hierarchy must be a truepath.Hierarchy or None; got {type(hierarchy).__name__}. "
            "Build one with Hierarchy.from_edges, from_paths or from_parents."
        )
    return hierarchy


def hierarchy_for(hierarchy: Hierarchy | None, S: Any) -> Hierarchy:
    """Return the hierarchy given, or a flat one as wide as the score matrix ``S``."""
    shape = S.shape if hasattr(S, "shape") else np.asarray(S).shape
    if len(shape) != 2:
        raise ValueError(
            "S must be a matrix (n_samples, n_nodes). Reshape your data with S.reshape(1, -1) for one row."
        )
    return resolve_hierarchy(hierarchy, shape[1] if hierarchy is None else 0)


def as_labels(Y: Any, name: str = "y", n_nodes: int | None = None) -> Any:
    """Return a 0/1 matrix as a boolean array or canonical boolean ``csr_array``; it need not be closed."""
    Y = as_matrix(Y, n_nodes, name)
    values = Y.data if sparse.issparse(Y) else Y
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold 0 and 1; got values of type {values.dtype}. Use hierarchy.encode for names.")
    if values.dtype.kind != "b" and not ((values == 0) | (values == 1)).all():
        wrong = values[(values != 0) & (values != 1)].flat[0]
        raise ValueError(f"{name} must hold only 0 and 1; found {wrong}. A decoder makes labels from scores.")
    return as_bool(Y)


def check_labels(Y: Any, hierarchy: Hierarchy, *, name: str = "y", close: bool = False) -> Any:
    """Return a label matrix as a boolean array or ``csr_array``, checked against the hierarchy.

    Parameters
    ----------
    Y : array-like or sparse matrix, shape (n_samples, n_nodes)
        Only 0 and 1 (or False and True).
    hierarchy : Hierarchy
    name : str, default="y"
        What the error messages call it.
    close : bool, default=False
        Whether to add missing ancestors rather than refuse.
    """
    if is_checked(Y, hierarchy):
        return Y
    Y = as_labels(Y, name, hierarchy.n_nodes)
    if close:
        return raise_up(Y, hierarchy)
    broken = find_unclosed(Y, hierarchy)
    if broken is not None:
        rows, where = broken.describe(hierarchy, "without")
        raise ConstraintError(
            f"{name} has {rows} where a label is set but an ancestor is not ({where}).",
            f"Add missing ancestors with hierarchy.close({name}).",
        )
    return Y


def check_truth(Y: Any, S: Any, hierarchy: Hierarchy) -> Any:
    """Return the true labels of the rows of ``S`` as a boolean matrix, closed, with as many rows."""
    if Y is None:
        raise ValueError("fit requires y to be passed, but the target y is None: give the true labels of S's rows.")
    Y = check_labels(Y, hierarchy)
    if S.shape[0] != Y.shape[0]:
        raise ValueError(f"S has {S.shape[0]} rows but y has {Y.shape[0]}; they must describe the same instances.")
    return Y


def check_weight(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Return row weights as float64: one per row, finite, none negative, not all zero. None stays None."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight must have the shape ({n_samples},), one weight per row; got {weight.shape}.")
    wrong = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if wrong.size:
        raise ValueError(f"sample_weight must be finite and not negative; row {wrong[0]} has {weight[wrong[0]]}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row; give at least one row a weight.")
    return weight


def weight_or_ones(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Return checked row weights, all ones for None."""
    weight = check_weight(sample_weight, n_samples)
    return np.ones(n_samples) if weight is None else weight


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
