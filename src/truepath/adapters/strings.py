"""Columns of strings for learners that take categories as numbers: each string becomes its place among those seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.adapters.categories import resolve_categorical
from truepath.hierarchy.build import is_missing


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
    frame = names = None
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(X, eager_only=True)
        names = [str(name) for name in frame.columns]
        known = () if reset else getattr(learner, "strings_", ())
        columns = [
            [] if kind.is_numeric() and j not in known else frame.get_column(name).to_list()
            for j, (name, kind) in enumerate(frame.schema.items())
        ]
    elif np.ndim(X) == 2 and np.asarray(X).dtype.kind in "OUT":
        columns = list(np.asarray(X, object).T)
    else:
        return X
    if reset:
        is_nominal = resolve_categorical(learner.categorical_features, len(columns), names)
        learner.strings_ = _find_strings(columns, is_nominal, names)
    coded = {j: _codes(columns[j], known) for j, known in getattr(learner, "strings_", {}).items()}
    if not coded:
        return X
    if frame is None:
        return np.column_stack([coded.get(j, column) for j, column in enumerate(columns)])
    library = nw.get_native_namespace(frame)
    made = [
        nw.new_series(frame.columns[j], codes, nw.Float64(), native_namespace=library) for j, codes in coded.items()
    ]
    return frame.with_columns(*made).to_native()


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
    """Return the place of each string, NaN where a cell is missing; a number is what it is written as."""
    place = {text: float(p) for p, text in enumerate(known)}
    place |= {f"{text}.0": p for text, p in place.items() if f"{text}.0" not in place and text.lstrip("-").isdecimal()}
    unseen = float(len(known))
    return np.array([np.nan if is_missing(cell) else place.get(str(cell), unseen) for cell in cells])
