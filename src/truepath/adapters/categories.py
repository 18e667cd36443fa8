"""Which columns hold categories, and the place of a value among those seen in training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truepath.english import did_you_mean

#: The place of a value that is missing or was not seen in training
UNKNOWN = -1


def resolve_categorical(categorical_features: Any, n_features: int, names: Sequence[str] | None = None) -> np.ndarray:
    """Return the columns of categories as a boolean mask.

    Parameters
    ----------
    categorical_features : None, "all", column numbers, column names or a boolean mask
        What estimators take as ``categorical_features``.
    n_features : int
    names : sequence of str, optional
        The names of the columns, where they have any.

    Examples
    --------
    >>> resolve_categorical([0, -1], 3).tolist()
    [True, False, True]
    >>> resolve_categorical(["size"], 2, names=["colour", "size"]).tolist()
    [False, True]
    """
    mask = np.zeros(n_features, bool)
    if categorical_features is None:
        return mask
    if isinstance(categorical_features, str):
        if categorical_features != "all":
            raise ValueError(f"{_ALLOWED}; got {categorical_features!r}.")
        return ~mask
    given = np.asarray(categorical_features)
    if given.dtype == bool and given.shape == (n_features,):
        return given
    mask[[_number(entry, n_features, names) for entry in given.ravel().tolist()]] = True
    return mask


_ALLOWED = "categorical_features must be 'all', column numbers, column names, a mask or None"


def _number(entry: Any, n_features: int, names: Sequence[str] | None) -> int:
    """Return the number of a column given by number or name."""
    if isinstance(entry, str):
        if names is None or entry not in list(names):
            known = "X has no column names" if names is None else f"X has {', '.join(map(repr, list(names)[:5]))}"
            meant = did_you_mean(entry, map(str, names if names is not None else ()))
            raise ValueError(f"categorical_features names column {entry!r}, but {known}. {meant}".rstrip())
        return list(names).index(entry)
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise TypeError(f"{_ALLOWED} of {n_features}; got {entry!r} among them.")
    if not -n_features <= entry < n_features:
        raise ValueError(f"categorical_features names column {entry}, but X has {n_features} columns (from 0).")
    return entry


def find_places(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the place of each value among the known ones (ascending), ``UNKNOWN`` where it is none of them.

    Examples
    --------
    >>> find_places(np.array([1.0, 4.0]), np.array([4.0, 2.0, np.nan, 1.0]))
    array([ 1, -1, -1,  0])
    """
    if not known.size:
        return np.full(values.shape, UNKNOWN, np.int64)
    place = np.minimum(np.searchsorted(known, values), known.size - 1)
    return np.where(known[place] == values, place, UNKNOWN)
