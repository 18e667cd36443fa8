"""Columns of strings for learners that take categories as numbers: each string becomes its place among those seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.adapters.categories import resolve_categorical
from truepath.hierarchy.build import is_missing

__all__ = ["code_strings"]


def code_strings(learner: Any, X: Any, reset: bool) -> Any:
    """Return X with the strings of categorical columns as numbers; X itself where there are none.

    Parameters
    ----------
    learner : estimator
        With a parameter ``categorical_features``. The strings of its columns are kept as ``strings_``.
    X : data frame or array
        A column of strings that is not categorical is an error.
    reset : bool
        Whether these are the rows of training. Later a string that was not seen gets the number after the last.
    """
    frame = _as_frame(X)
    if frame is None and (np.ndim(X) != 2 or np.asarray(X).dtype.kind not in "OUT"):
        return X
    columns = _columns(X, frame)
    if reset:
        names = None if frame is None else [str(name) for name in frame.columns]
        is_nominal = resolve_categorical(learner.categorical_features, len(columns), names)
        learner.strings_ = _find_strings(columns, is_nominal, names)
    strings = getattr(learner, "strings_", {})
    for j, known in strings.items():
        columns[j] = _codes(columns[j], known)
    return _put_back(columns, strings, X, frame)


def _as_frame(X: Any) -> Any:
    """Return X for narwhals if it is a data frame."""
    if not hasattr(X, "columns"):
        return None
    import narwhals.stable.v1 as nw

    return nw.from_native(X, eager_only=True)


def _columns(X: Any, frame: Any) -> list[Any]:
    """Return the cells of each column; none of a column of a frame that holds numbers."""
    if frame is None:
        return list(np.asarray(X, object).T)
    kinds = frame.schema
    return [[] if kinds[name].is_numeric() else frame.get_column(name).to_list() for name in frame.columns]


def _find_strings(columns: list[Any], is_nominal: np.ndarray, names: list[str] | None) -> dict[int, tuple[str, ...]]:
    """Return the strings of every categorical column that holds any, sorted."""
    found = {}
    for j, cells in enumerate(columns):
        text = next((cell for cell in cells if isinstance(cell, str) and (is_nominal[j] or not _is_number(cell))), None)
        if text is None:
            continue
        if not is_nominal[j]:
            called = repr(j if names is None else names[j])
            raise ValueError(
                f"column {called} of X holds {text[:40]!r}, which is not a number. List the column in "
                "categorical_features, or put truepath.preprocessing.AutoFeatures before the learner."
            )
        found[j] = tuple(sorted({str(cell) for cell in cells if not is_missing(cell)}))
    return found


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _codes(cells: Any, known: tuple[str, ...]) -> np.ndarray:
    """Return the place of each string, NaN where a cell is missing."""
    place = {text: float(p) for p, text in enumerate(known)}
    unseen = float(len(known))
    return np.array([np.nan if is_missing(cell) else place.get(str(cell), unseen) for cell in cells])


def _put_back(columns: list[Any], strings: dict[int, tuple[str, ...]], X: Any, frame: Any) -> Any:
    """Return X with the columns of strings replaced."""
    if not strings:
        return X
    if frame is None:
        return np.column_stack([np.asarray(column, object) for column in columns])
    import narwhals.stable.v1 as nw

    library = nw.get_native_namespace(frame)
    made = [nw.new_series(frame.columns[j], columns[j], nw.Float64(), native_namespace=library) for j in strings]
    if hasattr(X, "index"):  # of pandas, which would match the rows by it
        made = [nw.from_native(series.to_native().set_axis(X.index), series_only=True) for series in made]
    return frame.with_columns(*made).to_native()
