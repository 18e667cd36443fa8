"""What a column of a table is: numbers, a category, or texts."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["CATEGORY", "NUMBER", "TEXT", "column_kind", "is_frame", "table_columns", "to_numbers", "to_strings"]

NUMBER, CATEGORY, TEXT = "number", "category", "text"

#: Cells with this many words on average are texts
WORDS_OF_A_TEXT = 3.0


def is_frame(X: Any) -> bool:
    """Say whether X is a data frame of some library."""
    return hasattr(X, "columns") and not hasattr(X, "toarray")


def table_columns(X: Any) -> dict[Any, Any]:
    """Return the columns of a data frame by name, or of a two-dimensional array of cells by position."""
    if is_frame(X):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(X, eager_only=True)
        return {str(name): _plain(frame.get_column(name)) for name in frame.columns}
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        raise ValueError(f"X must have rows and columns, or be one text per row; got shape {cells.shape}.")
    return {j: cells[:, j] for j in range(cells.shape[1])}


def _plain(series: Any) -> np.ndarray:
    """Return a column of a frame as an array: floats for numbers, objects otherwise."""
    if series.dtype.is_numeric() or str(series.dtype) == "Boolean":
        return np.array([np.nan if value is None else float(value) for value in series.to_list()])
    if series.dtype.is_temporal():
        raise ValueError(f"column {series.name!r} of X holds times; turn it into numbers, or leave it out.")
    column = np.empty(len(series), dtype=object)
    column[:] = series.to_list()
    return column


def column_kind(values: np.ndarray, max_categories: int) -> str:
    """Decide what a column is from its training rows."""
    if values.dtype.kind in "biuf":
        return NUMBER
    cells = [str(value) for value in values.tolist() if not is_empty(value)]
    if not cells or _all_numbers(cells):
        return NUMBER
    words = np.mean([len(cell.split()) for cell in cells])
    distinct = len(set(cells))
    many = distinct > max_categories and distinct > len(cells) / 2
    return TEXT if words >= WORDS_OF_A_TEXT or many else CATEGORY


def is_empty(value: Any) -> bool:
    """Say whether a cell is missing: None, NaN or blank."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _all_numbers(cells: list[str]) -> bool:
    try:
        np.array(cells, dtype=np.float64)
    except ValueError:
        return False
    return True


def to_numbers(values: np.ndarray, key: Any = None) -> np.ndarray:
    """Return a column as floats, NaN where empty; a cell that is no number is an error that names it."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    numbers = np.full(values.shape, np.nan)
    for i, value in enumerate(values.tolist()):
        if is_empty(value):
            continue
        try:
            numbers[i] = float(value)
        except (TypeError, ValueError):
            raise ValueError(
                f"column {key!r} of X held numbers when fitted; row {i} has {str(value)[:40]!r}. "
                "Correct the cell, or leave it empty if the value is not known."
            ) from None
    return numbers


def to_strings(values: Any, key: Any = None) -> np.ndarray:
    """Return a column as strings, the empty one where a cell is missing; numbers without a trailing ``.0``."""
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    column = np.empty(len(cells), dtype=object)
    column[:] = ["" if is_empty(cell) else _text(cell) for cell in cells]
    return column


def _text(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
