"""What a column of a table holds, decided from its training rows, and its cells as numbers, days or strings."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, time, timedelta, timezone
from typing import Any

import numpy as np

from truepath.adapters.kinds import is_unspaced
from truepath.adapters.rows import refuse_complex
from truepath.errors import CellError
from truepath.hierarchy.build import is_missing

NUMBER, CATEGORY, TEXT, TIME, ROW_ID = "number", "category", "text", "time", "row id"


#: Cells with this many words on average are texts
WORDS_OF_A_TEXT = 3.0
#: The first rows show whether a table has columns of texts; where it has and there are many rows, texts decide
ROWS_TO_SEE_TEXTS = 1000
MANY_ROWS = 5000
#: Fewer rows do not show whether a column is one of row ids
ROWS_TO_SEE_IDS = 10
#: Columns of numbers that differ in every row are row ids if they are called so
ID_NAMES = frozenset(["", "id", "ids", "index", "key", "row", "unnamed: 0", "__index_level_0__"])
#: Such as product_id, customerID, "Article no." and the numbers of goods and books
_CALLED_ID = re.compile(r"(?i:(?:.*[\s_.:-])?(?:ids?|sku|ean|gtin|upc|asin|isbn|n[or]\.?|number))|.*[a-z]I[Dd]")

#: Letters of a word where words are not separated by blanks
LETTERS_OF_A_WORD = 2

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?Z?")
_DAY = timedelta(days=1)
#: Cells of a file as a data frame takes them
_TRUTHS = {"true": 1.0, "false": 0.0}
_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)  # datetime is a date


def table_columns(X: Any) -> dict[Any, Any]:
    """Return the columns of a data frame by name, or of a two-dimensional array of cells by position."""
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        refuse_complex(X)
        frame = nw.from_native(X, eager_only=True)
        return {str(name): _plain(frame.get_column(name)) for name in frame.columns}
    cells = X if getattr(X, "dtype", None) is not None and X.dtype.kind in "mM" else np.asarray(X, dtype=object)
    if cells.ndim != 2:
        raise ValueError(
            f"X must have rows and columns, or be one text per row; got shape {cells.shape}. "
            "For rows that are dicts pass pandas.DataFrame(X)."
        )
    return {j: cells[:, j] for j in range(cells.shape[1])}


def _plain(series: Any) -> np.ndarray:
    """Return a column of a frame as an array: floats for numbers, objects otherwise."""
    if series.dtype.is_numeric() or str(series.dtype) == "Boolean":
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return np.asarray(values, np.float64)
        return np.array([np.nan if is_missing(value) else float(value) for value in series.to_list()])
    column = np.empty(len(series), dtype=object)
    column[:] = series.to_list()
    return column


def column_kind(values: np.ndarray, max_categories: int, name: Any = None) -> str:
    """Decide what a column is from its training rows."""
    cells = [] if values.dtype.kind in "biufmM" else [value for value in values.tolist() if not is_empty(value)]
    if values.dtype.kind in "mM" or (cells and all(isinstance(cell, _TIMES) for cell in cells)):
        return TIME
    if is_row_id(name, values):
        return ROW_ID
    cells = [str(cell) for cell in cells]
    if _all_numbers(cells) or all(cell.strip().lower() in _TRUTHS for cell in cells):
        return NUMBER
    if _all_times(cells):
        return TIME
    unspaced = is_unspaced(cells)
    words = np.mean([len(cell) / LETTERS_OF_A_WORD if unspaced else len(cell.split()) for cell in cells])
    distinct = len(set(cells))
    many = distinct > max_categories and distinct > len(cells) / 2
    return TEXT if words >= WORDS_OF_A_TEXT or many else CATEGORY


def is_mostly_text(X: Any, max_categories: int = 50) -> bool:
    """Say whether X is a table with as many columns of texts as others, or with one in thousands of rows.

    Examples
    --------
    >>> import numpy as np
    >>> titles, texts = ["on soup", "on tea"], ["how to make a soup", "how to make some tea"]
    >>> is_mostly_text(np.array([titles, texts], object).T), is_mostly_text([[0.5, 1.0]])
    (True, False)
    """
    cells = X if hasattr(X, "columns") or hasattr(X, "dtype") else np.asarray(X, dtype=object)
    if not hasattr(cells, "columns") and (getattr(cells.dtype, "kind", "f") not in "OUT" or cells.ndim != 2):
        return False
    columns = table_columns(cells[:ROWS_TO_SEE_TEXTS])
    kinds = [column_kind(values, max_categories, key) for key, values in columns.items()]
    n_texts, n_others = kinds.count(TEXT), sum(kind not in (TEXT, ROW_ID) for kind in kinds)
    return n_texts > 0 and (n_texts >= n_others or len(X) > MANY_ROWS)


def is_row_id(name: Any, values: np.ndarray) -> bool:
    """Say whether a column names the rows, and so has nothing to learn from: every row has another value.

    Such values are strings without blanks, mostly with a digit (``YAL001C``), or without a word that two rows share;
    or whole numbers in a column that is called ``id`` or similar.

    Examples
    --------
    >>> is_row_id("gene", np.array([f"YAL{i:03}C" for i in range(20)], object))
    True
    >>> [is_row_id(name, np.arange(20)) for name in ("size", "Id", "SKU", "customerID", "Article no.", "paid")]
    [False, True, True, True, True, False]
    """
    is_called_id = isinstance(name, str) and _is_called_id(name.strip())
    if len(values) < ROWS_TO_SEE_IDS or (values.dtype.kind in "biuf" and not is_called_id):
        return False
    cells = ["" if is_missing(value) else str(value).strip() for value in values.tolist()]
    if "" in cells or len(set(cells)) < len(cells):
        return False
    if _all_numbers(cells):
        return is_called_id and all(float(cell).is_integer() for cell in cells)
    if _all_times(cells) or any(len(cell.split()) > 1 for cell in cells) or is_unspaced(cells):
        return False
    n_digits = sum(any(sign.isdigit() for sign in cell) for cell in cells)
    return n_digits > len(cells) / 2 or not _share_words(cells)


def _is_called_id(name: str) -> bool:
    return name.lower() in ID_NAMES or _CALLED_ID.fullmatch(name) is not None


def _share_words(cells: list[str]) -> bool:
    """Say whether some word occurs in two rows, but not in all."""
    counts = Counter(word for cell in cells for word in set(re.findall(r"\w\w+", cell.lower())))
    return any(1 < count < len(cells) for count in counts.values())


def is_empty(value: Any) -> bool:
    """Say whether a cell is missing: None, NaN, NA or blank."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _all_numbers(cells: list[str]) -> bool:
    try:
        np.array(cells, dtype=np.float64)
    except ValueError:
        return False
    return True


def _all_times(cells: list[str]) -> bool:
    """Say whether all cells are dates or times as ISO 8601 writes them, such as 2024-05-01 or 2024-05-01 12:30."""
    if not all(_ISO_TIME.fullmatch(cell.strip()) for cell in cells):
        return False
    try:
        np.array([_bare(cell) for cell in cells], dtype="datetime64[us]")
    except ValueError:  # a thirteenth month
        return False
    return True


def _bare(cell: str) -> str:
    return cell.strip().removesuffix("Z").replace(" ", "T")


def to_numbers(values: np.ndarray, key: Any = None) -> np.ndarray:
    """Return a column as floats, NaN where empty; a cell that is not a number is an error that names it."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    for prepare in (np.asarray, _with_nan):
        try:
            return np.asarray(prepare(values).astype(np.float64))
        except (TypeError, ValueError):  # an empty cell, or one that is not a number
            continue
    return _convert(values, key, _number, "numbers")


def _number(value: Any) -> float:
    return _TRUTHS[str(value).strip().lower()] if str(value).strip().lower() in _TRUTHS else float(value)


def _with_nan(values: np.ndarray) -> np.ndarray:
    """Return a column with NaN in its blank cells."""
    return np.where([isinstance(cell, str) and not cell.strip() for cell in values.tolist()], np.nan, values)


def to_days(values: np.ndarray, key: Any = None) -> np.ndarray:
    """Return a column of dates and times as days since the beginning of 1970 (of spans, as days), NaN where empty.

    Examples
    --------
    >>> to_days(np.array(["1970-01-02", "1970-01-01 06:00", ""], object)).tolist()
    [1.0, 0.25, nan]
    """
    if values.dtype.kind in "mM":
        days = values.astype(f"{'datetime64' if values.dtype.kind == 'M' else 'timedelta64'}[us]")
        return np.where(np.isnat(days), np.nan, days.astype(np.int64) / (_DAY / timedelta(microseconds=1)))
    cells = values.tolist()
    if all(isinstance(cell, str) for cell in cells) and _all_times(cells):
        return to_days(np.array([_bare(cell) for cell in cells], dtype="datetime64[us]"))
    return _convert(values, key, _days, "times")


def _days(value: Any) -> float:
    if isinstance(value, str) and _ISO_TIME.fullmatch(value.strip()):
        value = np.datetime64(_bare(value), "us")
    if isinstance(value, np.datetime64 | np.timedelta64):
        return float(to_days(np.array([value]))[0])
    if isinstance(value, timedelta):
        return value / _DAY
    if isinstance(value, time):
        return (datetime.combine(date.min, value.replace(tzinfo=None)) - datetime.min) / _DAY
    if isinstance(value, datetime):
        return (value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value).timestamp() / 86_400
    if isinstance(value, date):
        return float(value.toordinal() - date(1970, 1, 1).toordinal())
    raise ValueError(value)


def _convert(values: np.ndarray, key: Any, read: Any, what: str) -> np.ndarray:
    """Read every cell that is not empty; one that cannot be read is an error that names it."""
    numbers = np.full(values.shape, np.nan)
    for i, value in enumerate(values.tolist()):
        if is_empty(value):
            continue
        try:
            numbers[i] = read(value)
        except (TypeError, ValueError):
            raise CellError(i, key, what, str(value)) from None
    return numbers
