"""What every module asks of its matrices: the shape, the values, and the hierarchy respected.

Code that has checked a label matrix and passes it on says so for the length of the call::

    with already_checked(Y, hierarchy):
        decoder.fit(S, Y)

:func:`truepath.hierarchy.check_labels` then takes this very object as it is. Nothing else is taken on trust: a copy,
a selection of rows, or the same matrix with another hierarchy is checked as usual, and so is the object itself once
the block has ended. The mark belongs to the thread that set it.

Scores obey one rule, whoever made them (learners, ours and others', stacks, files, callers of combiners):

1. A score is a finite number of size at most :data:`LARGEST`; NaN, infinity and larger numbers, whose squares and sums
   would overflow further on, are refused.
2. Where scores are probabilities (the output of ``predict_proba``, the input of decoders that multiply), a number
   outside [0, 1] by rounding, at most :data:`ROUNDING`, is clipped; one further out is refused.

Every refusal names the first row and label concerned. Nothing is replaced in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.errors import ConstraintError, TruePathError
from truepath.hierarchy.matrices import as_array, as_bool, as_matrix, by_name, frame_names
from truepath.hierarchy.propagation import find_incoherent, find_unclosed, raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: Scores beyond this are refused: their squares, summed over rows and labels, must stay finite
LARGEST = 1e100

#: How far a probability may lie outside [0, 1] and count as rounded: sums of float32 numbers go that far
ROUNDING = 1e-6

#: What to do about scores that someone computed elsewhere
REMEDY = "Scores must be finite numbers; replace these, or leave out the rows."

TO_UNIT = "Calibrate or rescale the scores first."


Names = Sequence[str] | NDArray[Any] | None


def as_scores(
    S: Any, name: str = "S", n_nodes: int | None = None, *, labels: Names = None, rows: Any = None, remedy: str = REMEDY
) -> Any:
    """Return a finite float32 or float64 array, or a canonical ``csr_array`` of that type; it need not be coherent.

    Parameters
    ----------
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
    name : str, default="S"
        What the error messages call it.
    n_nodes : int, optional
        How many columns there must be.
    labels : sequence of str, optional
        The columns' names, for messages.
    rows : sequence of int, optional
        What messages call the rows, if not 0, 1, 2, ...
    remedy : str
        The way out, for messages.
    """
    S = as_matrix(S, n_nodes, name)
    if S.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers; got values of type {S.dtype}.")
    if S.dtype not in (np.float32, np.float64):
        S = S.astype(np.float64)
    if sparse.issparse(S) and not S.has_canonical_format:
        S = S.copy()
        S.sum_duplicates()
    low, high = _range(S)
    if not (low >= -LARGEST and high <= LARGEST):  # NaN goes through min and max
        values = S.data if sparse.issparse(S) else S
        is_finite = bool(np.isfinite([low, high]).all())
        value, where = _first(S, np.abs(values) > LARGEST if is_finite else ~np.isfinite(values), labels, rows)
        what = f"a score too large to compute with ({value:.6g})" if is_finite else "NaN or infinity"
        raise TruePathError(f"{name} holds {what} in {where}.", remedy)
    return S


def check_scores(S: Any, hierarchy: Hierarchy, *, name: str = "S", coherent: bool = False) -> Any:
    """Return a score matrix as a float32/float64 array or ``csr_array``, finite and of the right shape.

    Parameters
    ----------
    S : array-like, frame or sparse matrix, shape (n_samples, n_nodes)
        The columns of a frame are found by name. Other number types become float64.
    hierarchy : Hierarchy
    name : str, default="S"
        What the error messages call it.
    coherent : bool, default=False
        Whether to refuse a score above its parent's.
    """
    S = as_scores(by_name(S, hierarchy, name), name, hierarchy.n_nodes, labels=hierarchy.names)
    broken = find_incoherent(S, hierarchy) if coherent else None
    if broken is not None:
        rows, where = broken.describe(hierarchy, "above")
        raise ConstraintError(
            f"{name} has {rows} with a score above its parent's ({where}).",
            "Make it coherent first, with one of truepath.combiners or coherent='max-up' where offered.",
        )
    return S


def as_probabilities(S: Any, name: str = "S", *, labels: Names = None, rows: Any = None, remedy: str = TO_UNIT) -> Any:
    """Return finite scores with every value in [0, 1]: what lies outside by rounding is clipped, in a copy.

    Parameters
    ----------
    S : ndarray or csr_array of float, as :func:`as_scores` returns it
    name, labels, rows, remedy
        As there.

    Examples
    --------
    >>> from truepath.hierarchy.checks import as_probabilities
    >>> as_probabilities(np.array([[0.5, 1.0 + 1e-15]])).tolist()
    [[0.5, 1.0]]
    >>> as_probabilities(np.array([[0.5, 1.5]]), labels=["a", "b"])
    Traceback (most recent call last):
        ...
    truepath.errors.TruePathError: S must hold probabilities in [0, 1]; found 1.5 in row 0, label 'b'. Calibrate ...
    """
    low, high = _range(S)
    if low >= 0.0 and high <= 1.0:
        return S
    if low < -ROUNDING or high > 1.0 + ROUNDING:
        values = S.data if sparse.issparse(S) else S
        value, where = _first(S, (values < -ROUNDING) | (values > 1.0 + ROUNDING), labels, rows)
        raise TruePathError(f"{name} must hold probabilities in [0, 1]; found {value:.6g} in {where}.", remedy)
    if not sparse.issparse(S):
        return np.clip(S, 0.0, 1.0)
    return sparse.csr_array((np.clip(S.data, 0.0, 1.0), S.indices, S.indptr), shape=S.shape)


def _range(S: Any) -> tuple[float, float]:
    """Return the least and the largest stored value; (0, 0) where there is none."""
    values = S.data if sparse.issparse(S) else S
    return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)


def _first(S: Any, is_wrong: NDArray[np.bool_], labels: Names, rows: Any) -> tuple[float, str]:
    """Return the first value marked (among the stored ones, if sparse), and its row and column in words."""
    if sparse.issparse(S):
        at = int(np.flatnonzero(is_wrong)[0])
        row, column = int(np.searchsorted(S.indptr, at, side="right") - 1), int(S.indices[at])
    else:
        row, column = (int(place) for place in np.argwhere(is_wrong)[0])
    called = row if rows is None else rows[row]
    if labels is None or column >= len(labels):
        return float(S[row, column]), f"row {called}, column {column}"
    return float(S[row, column]), f"row {called}, label {str(labels[column])!r}"


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


def flat_like(*matrices: Any) -> Hierarchy | None:
    """Return a flat hierarchy of the columns of the first frame, None if there is no frame."""
    from truepath.hierarchy.hierarchy import Hierarchy

    named = next((names for M in matrices if (names := frame_names(M)) is not None), None)
    return None if named is None else Hierarchy.flat(named)


def hierarchy_for(hierarchy: Hierarchy | None, S: Any) -> Hierarchy:
    """Return the hierarchy given, or a flat one as wide as ``S``, named like the columns if that is a frame."""
    shape = S.shape if hasattr(S, "shape") else as_array(S).shape
    if len(shape) != 2:
        raise ValueError(
            "S must be a matrix (n_samples, n_nodes). Reshape your data with S.reshape(1, -1) for one row."
        )
    return resolve_hierarchy(flat_like(S) if hierarchy is None else hierarchy, shape[1])


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
    Y : array-like, frame or sparse matrix, shape (n_samples, n_nodes)
        Only 0 and 1 (or False and True). The columns of a frame are found by name.
    hierarchy : Hierarchy
    name : str, default="y"
        What the error messages call it.
    close : bool, default=False
        Whether to add missing ancestors rather than refuse.
    """
    if is_checked(Y, hierarchy):
        return Y
    Y = as_labels(by_name(Y, hierarchy, name), name, hierarchy.n_nodes)
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
