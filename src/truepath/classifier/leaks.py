"""Rows that hold their own labels: a column that was forgotten in the table, and that new rows will not have."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

from truepath.errors import LabelsInRowsWarning
from truepath.hierarchy import Hierarchy
from truepath.preprocessing.auto_features import is_frame, to_strings
from truepath.preprocessing.column_kinds import table_columns

#: Of fewer rows, a column may well have the words of the labels by chance
LEAST_ROWS = 5
WORD = re.compile(r"\w+")


def warn_about_labels(X: Any, Y: Any, hierarchy: Hierarchy, stacklevel: int = 3) -> None:
    """Warn of columns of a data frame that hold the words of the row's labels and no others, in every row."""
    if not is_frame(X) or Y.shape[0] < LEAST_ROWS:
        return
    import narwhals.stable.v1 as nw

    wanted = [_words(labels) for labels in hierarchy.decode(Y[:LEAST_ROWS])]
    first = table_columns(nw.from_native(X, eager_only=True).head(LEAST_ROWS).to_native())  # most tables end here
    suspects = [key for key, column in first.items() if _holds(column, wanted)]
    if not suspects:
        return
    wanted, columns = [_words(labels) for labels in hierarchy.decode(Y)], table_columns(X)
    if len(set(map(frozenset, wanted))) < 2:
        return
    for key in suspects:
        if _holds(columns[key], wanted):
            warnings.warn(
                f"column {key!r} of X holds the labels themselves, and is learned from. New rows will not have them: "
                f"fit on X without it (X.drop(columns={key!r}) in pandas).",
                LabelsInRowsWarning,
                stacklevel=stacklevel,
            )


def _words(texts: Sequence[str]) -> set[str]:
    return {word for text in texts for word in WORD.findall(text)}


def _holds(column: Any, wanted: list[set[str]]) -> bool:
    """Say whether each cell has the wanted words and no others."""
    cells = [cell if isinstance(cell, (list, tuple)) else [cell] for cell in column.tolist()]
    return all(_words(to_strings(cell).tolist()) == words for cell, words in zip(cells, wanted))
