"""Rows of JSON as the model takes them: texts, cells of named columns, or numbers."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from truepath.classifier.blocks import table_rows
from truepath.data.tables.columns import Columns, no_column
from truepath.extras import import_extra
from truepath.serve.refusals import RefusedError

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier


class RowForm:
    """What the rows of a fitted model look like.

    Attributes
    ----------
    kind : {"texts", "columns", "numbers"}
    columns : tuple of str
        The names that a row of columns has; of a model of texts the column they came from, if it is known.
    n_features : int or None
        How many numbers a row of numbers has.
    mixes : bool
        Whether rows of several requests can stand in one batch. A data frame gives each column one type, which the rows
        of another request could change.
    """

    def __init__(self, model: HierarchicalClassifier):
        self.fitted_on = model.fitted_on_
        is_text = self.fitted_on.kind == "texts" or self.fitted_on.text is not None
        has_columns = self.fitted_on.kind in ("table", "frame")  # the features of a data set are sent as numbers
        self.columns: tuple[str, ...] = self.fitted_on.columns if has_columns else ()
        if is_text:
            self.columns = () if self.fitted_on.text is None else (self.fitted_on.text,)
        self.kind = "texts" if is_text else "columns" if self.columns else "numbers"
        self.mixes = self.kind != "columns" or self.fitted_on.kind == "table"
        self.is_sparse = any(getattr(step, "kind_", None) == "sparse" for step in _steps(model))
        self.n_features = _count_features(model) if self.kind == "numbers" else None

    @property
    def wanted(self) -> str:
        """Which field a request has to have, with an example."""
        if self.kind == "texts":
            return 'Send {"texts": ["a text", ...]}.'
        if self.kind == "columns":
            shown = ", ".join([f'"{name}": ...' for name in self.columns[:4]] + ["..."] * (len(self.columns) > 4))
            return f'Send {{"rows": [{{{shown}}}, ...]}}.'
        many = "" if self.n_features is None else f" with {self.n_features} numbers each"
        return (
            f'Send {{"rows": [[0.5, 1.0, ...], ...]}}{many}, or objects from index to number, {{"17": 2.0}}, others 0.'
        )

    def check(self, texts: list[str] | None, rows: list[Any] | None) -> list[Any]:
        """Return the rows of a request in their own form, refused if the model takes others."""
        if (texts is None) == (rows is None):
            raise RefusedError(422, "a request has either texts or rows.", self.wanted)
        if self.kind == "texts":
            return texts if texts is not None else [self._text_of(i, row) for i, row in enumerate(rows or [])]
        if rows is None:
            raise RefusedError(422, "the model takes rows of columns, not texts.", self.wanted)
        check = self._check_columns if self.kind == "columns" else self._check_numbers
        return [check(i, row) for i, row in enumerate(rows)]

    def _text_of(self, i: int, row: Any) -> str:
        """Return the text of a row that names its columns."""
        if not self.columns or not isinstance(row, dict):
            raise RefusedError(422, "the model takes texts, not rows.", self.wanted)
        if self.columns[0] not in row:
            raise RefusedError(422, f"row {i}: {no_column(self.columns[0], list(row))}", self.wanted)
        cell = row[self.columns[0]]
        return "" if cell is None else str(cell)

    def _check_columns(self, i: int, row: Any) -> list[Any]:
        """Return the cells of a row in the order of the columns; a list has to have them all, an object as well."""
        if isinstance(row, dict):
            missing = [name for name in self.columns if name not in row]
            if missing:
                problem = f"row {i}: {no_column(missing[0], list(row))}"
                raise RefusedError(422, problem, "Send null for a missing value.")
            return [row[name] for name in self.columns]
        if len(row) != len(self.columns):
            problem = f"row {i} has {len(row)} values; the model has {len(self.columns)} columns."
            raise RefusedError(422, problem, self.wanted)
        return list(row)

    def _check_numbers(self, i: int, row: Any) -> list[float]:
        if isinstance(row, dict):
            row = self._spread(i, row)
        if not all(isinstance(x, (int, float)) for x in row):
            raise RefusedError(422, f"row {i} is not a list of numbers.", self.wanted)
        if self.n_features is not None and len(row) != self.n_features:
            raise RefusedError(422, f"row {i} has {len(row)} numbers; the model takes {self.n_features}.", self.wanted)
        return [float(x) for x in row]

    def _spread(self, i: int, row: dict[str, Any]) -> list[Any]:
        """Return all numbers of a row that gives some by their indices, from 0."""
        n = self.n_features or 0
        wrong = [place for place in row if not (place.isdecimal() and int(place) < n)]
        if wrong:
            problem = f"row {i}: {wrong[0]!r} is not the index of a number; the model takes {n}, from 0 to {n - 1}."
            raise RefusedError(422, problem, self.wanted)
        return [row.get(str(place), 0.0) for place in range(n)]

    def to_rows(self, given: list[Any]) -> Any:
        """Return checked rows, of one request or of several, as the model was given rows in ``fit``."""
        if self.kind == "texts":
            return given
        if self.kind == "numbers":
            X = np.asarray(given, np.float64)
            return sparse.csr_array(X) if self.is_sparse else X
        columns = {name: [row[j] for row in given] for j, name in enumerate(self.columns)}
        if self.fitted_on.kind == "table":
            written = {name: [_cell(x) for x in cells] for name, cells in columns.items()}
            return table_rows(Columns(written), self.fitted_on)
        return _frame(columns)

    def example(self, words: str) -> list[Any]:
        """Return a row to warm up with: some words, missing values, or zeros."""
        if self.kind == "texts":
            return [words]
        return [[None] * len(self.columns)] if self.kind == "columns" else [[0.0] * (self.n_features or 1)]

    def describe(self) -> dict[str, Any]:
        """Return what a page needs to make a form."""
        return {"kind": self.kind, "columns": list(self.columns), "n_features": self.n_features, "wanted": self.wanted}


def _count_features(model: HierarchicalClassifier) -> int | None:
    """Return how many numbers a row has, as the model or its learner counted them."""
    found = [getattr(part, "n_features_in_", None) for part in (model, *_steps(model))]
    return next((int(n) for n in found if n is not None), None)


def _steps(model: HierarchicalClassifier) -> list[Any]:
    """Return the learner, and its steps if it is a pipeline."""
    return [model.learner_, *(step for _, step in getattr(model.learner_, "steps", ()))]


def _cell(value: Any) -> Any:
    """Return a value as a text file would have it."""
    return "" if value is None else value if isinstance(value, str) else str(value)


def _frame(columns: dict[str, list[Any]]) -> Any:
    """Return a data frame of the first library that is there."""
    if find_spec("pyarrow") and not find_spec("pandas"):
        import pyarrow

        return pyarrow.table(columns)
    return import_extra("pandas", "A model of data frames", "report").DataFrame(columns)
