"""Rows that repeat others: found by a number for each row, and told of where they cross from one side of a split over.

Numbers are compared to about six digits, texts by their words, whatever their order, case and punctuation. A table of
few values has equal rows that are not copies: rows count as repeated only if there are far more equal pairs than
columns that knew nothing of each other would give. Time is linear in the cells.
"""

from __future__ import annotations

import string
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.classifier.fitted_on import are_texts
from truepath.errors import RelatedRowsWarning
from truepath.hierarchy.build import is_missing
from truepath.preprocessing.column_kinds import is_row_id, table_columns

#: Rows that repeat others are told of from this many on, if they are this share
LEAST_ROWS, LEAST_SHARE = 20, 0.01
#: Equal texts of fewer different words, if they are short as well, need not be copies
LEAST_WORDS, LEAST_LETTERS = 5, 40
#: Equal pairs of rows must be this many times what chance gives
TIMES_CHANCE = 10.0
#: Rows by which chance is judged
ROWS_TO_JUDGE = 1000
#: Cells of a dense matrix that are numbered at a time
CELLS_AT_ONCE = 1 << 20

_BLANKS = str.maketrans(dict.fromkeys(string.punctuation, " "))
_POSITIVE = (1 << 62) - 1
Numbers = NDArray[np.uint64]


def warn_about_repeats(X: Any, splits: Sequence[tuple[Any, Any]] | None, stacklevel: int = 3) -> None:
    """Warn if rows are held out while others that are equal, or nearly, are learned from.

    Parameters
    ----------
    X : rows, as a classifier takes them
    splits : sequence of pairs (train, held out), or None
        Row numbers; None where every row is held out once, by chance.

    Notes
    -----
    Where a filter ignores ``RelatedRowsWarning``, rows are not looked at.
    """
    number = number_rows(X) if _is_heard() else None
    if number is None:
        return
    rows, twin = _find_crossing(number, splits)
    if rows.size < max(LEAST_ROWS, LEAST_SHARE * number.size):
        return
    warnings.warn(
        f"{rows.size:,} of {number.size:,} rows are equal to others, or nearly (first: rows {twin} and {rows[0]}): "
        "some are held out while others are learned from, so that held-out scores look better than those of new rows "
        "will be. If such rows belong together, say so by groups= (--group COLUMN), or keep one of each.",
        RelatedRowsWarning,
        stacklevel=stacklevel,
    )


def _is_heard() -> bool:
    """Say whether the warning would not be ignored, by the first filter that is about all of its kind."""
    about_all = (one for one in warnings.filters if not (one[1] or one[3]))
    return next((one[0] for one in about_all if issubclass(RelatedRowsWarning, one[2])), "default") != "ignore"


def _find_crossing(number: Numbers, splits: Any) -> tuple[NDArray[np.int64], int]:
    """Return the rows that have an equal one on the other side of a split, and such a one of the first of them."""
    if splits is None:
        _, place, counts = np.unique(number, return_inverse=True, return_counts=True)
        rows = np.flatnonzero((counts[place] > 1) & (number > 0))
        if not rows.size:
            return rows, 0
        pair = np.flatnonzero(number == number[rows[0]])[:2]
        return np.r_[pair[1], rows[rows != pair[1]]], int(pair[0])
    found = [held[np.isin(number[held], number[train]) & (number[held] > 0)] for train, held in splits]
    rows = np.unique(np.concatenate([np.empty(0, np.int64), *found]))
    for (train, _), crossing in zip(splits, found):
        if rows.size and np.isin(rows[0], crossing):
            return rows, int(train[number[train] == number[rows[0]]][0])
    return rows, 0


def number_rows(X: Any) -> Numbers | None:
    """Return a number for each row, the same for equal rows, 0 where equality means nothing; None if X has no rows.

    Examples
    --------
    >>> number = number_rows(["The dog sees a cat today.", "a cat sees the dog today", "it is a man who sees it"])
    >>> bool(number[0] == number[1]), bool(number[0] == number[2])
    (True, False)
    """
    if sparse.issparse(X):
        return _number_sparse(sparse.csr_array(X))
    if not hasattr(X, "columns") and are_texts(X):
        return _where_more_than(np.fromiter(map(_number_text, X), np.uint64, len(X)), _chance_of_words(X))
    cells = X if hasattr(X, "columns") or hasattr(X, "dtype") else np.asarray(X, dtype=object)
    if getattr(cells, "ndim", 2) != 2 or not len(cells):
        return None
    if not hasattr(cells, "columns") and cells.dtype.kind in "biuf":
        return _unless_by_chance(_number_dense(cells), (cells[:ROWS_TO_JUDGE, j] for j in range(cells.shape[1])))
    columns = table_columns(cells)
    kept = {key: values for key, values in columns.items() if isinstance(key, int) or not is_row_id(key, values)}
    kept = kept or columns
    total = np.ones(len(cells), np.uint64)
    for values, factor in zip(kept.values(), _factors(len(kept))):
        total = (total + _number_cells(values)) * factor
    return _unless_by_chance(total, (values[:ROWS_TO_JUDGE] for values in kept.values()))


def _factors(n: int) -> Numbers:
    """Return odd numbers, the same in every process."""
    return np.random.default_rng(0).integers(1, 1 << 62, n, np.uint64) * np.uint64(2) + np.uint64(1)


def _bits(values: Any) -> Numbers:
    """Return numbers of about six digits as bits; those that differ by less are mostly equal; 0 for 0."""
    short = np.asarray(values, np.float32) + np.float32(0)  # there is no -0
    bits = (short.view(np.uint32) + np.uint32(4)) & np.uint32(0xFFFFFFF8)
    return np.where(np.isnan(short), np.uint32(7), bits).astype(np.uint64)


def _number_dense(X: Any) -> Numbers:
    factors, size = _factors(X.shape[1]), max(1, CELLS_AT_ONCE // max(X.shape[1], 1))
    parts = [_bits(X[start : start + size]) @ factors for start in range(0, X.shape[0], size)]
    return np.concatenate(parts) | np.uint64(1)


def _number_sparse(X: sparse.csr_array) -> Numbers:
    """Number rows by their stored values; rows of few values that many have need not be copies."""
    sums = np.concatenate([[np.uint64(0)], np.cumsum(_bits(X.data) * _factors(X.shape[1])[X.indices], dtype=np.uint64)])
    share = np.bincount(X.indices, minlength=X.shape[1]) / max(X.shape[0], 1)
    surprise = -np.log(share**2 + (1 - share) ** 2, where=share < 1, out=np.zeros_like(share)).sum()
    found = (sums[X.indptr[1:]] - sums[X.indptr[:-1]]) | np.uint64(1)
    return _where_more_than(found, np.exp(-surprise))


def _number_cells(values: Any) -> Numbers:
    if values.dtype.kind in "biuf":
        return _bits(values)
    hashes = [hash(cell if type(cell) is str and " " not in cell else _plain(cell)) for cell in values.tolist()]
    return np.array(hashes, np.int64).view(np.uint64)


def _plain(cell: Any) -> Any:
    """Return what a cell is compared by: the words of a text, one thing for all missing values and what has no hash."""
    if isinstance(cell, str):
        return _words(cell)
    return cell if isinstance(cell, Hashable) and not is_missing(cell) else None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.translate(_BLANKS).lower().split())


def _number_text(text: Any) -> int:
    words = _words(str(text))
    return (hash(words) & _POSITIVE) | 1 if len(words) >= LEAST_WORDS or len(str(text)) >= LEAST_LETTERS else 0


def _chance_of_words(texts: Any) -> float:
    """Return how likely two texts have the same words if words knew nothing of each other."""
    seen = [_words(str(text)) for text in texts[:ROWS_TO_JUDGE]]
    counts = np.array(list(Counter(word for words in seen for word in words).values()), np.float64)
    share = counts / max(len(seen), 1)
    return float(np.exp(np.log(share**2 + (1 - share) ** 2).sum()))


def _unless_by_chance(number: Numbers, columns: Iterable[Any]) -> Numbers:
    """Return the numbers, or zeros where columns of so few values make rows equal by chance."""
    chance = 1.0
    for values in columns:
        if chance * number.size < 1e-3:  # fewer than one row in a thousand has an equal one by chance
            break
        counts = np.unique(_number_cells(np.asarray(values)), return_counts=True)[1]
        chance *= float(np.sum((counts / counts.sum()) ** 2)) if counts.max() > 1 else 1 / counts.size
    return _where_more_than(number, chance)


def _where_more_than(number: Numbers, chance: float) -> Numbers:
    """Return the numbers if equal pairs are far more frequent than by chance, otherwise zeros."""
    counts = np.unique(number[number > 0], return_counts=True)[1].astype(np.float64)
    n_pairs, n_rows = float((counts * (counts - 1)).sum()), number.size
    return number if n_pairs > TIMES_CHANCE * chance * n_rows * (n_rows - 1) else np.zeros_like(number)
