"""Rows of JSON as the model takes them: texts, cells of named columns, or numbers."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from truepath.classifier.blocks import table_rows
from truepath.data.tables.columns import Columns, join_texts
from truepath.english import counted, did_you_mean
from truepath.errors import CellError
from truepath.extras import import_extra
from truepath.serve.refusals import RefusedError, shown
from truepath.serve.requests import describe_value, is_finite_number

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

#: Of more numbers an example gives those that are not zero
MANY_NUMBERS = 30
#: The index of a number as JSON objects name it
PLACE = re.compile(r"0|[1-9][0-9]{0,17}")


class RowForm:
    """What the rows of a fitted model look like.

    Attributes
    ----------
    kind : {"texts", "columns", "numbers"}
    columns : tuple of str
        The names that a row of columns has; of a model of texts the column they came from, if it is known.
    known : set of str
        ``columns``, and those of the training file that nothing is learned from: rows may have them.
    n_features : int or None
        How many numbers a row of numbers has.
    sample : dict
        A row as an example: what ``/explain`` takes.
    mixes : bool
        Whether rows of several requests can stand in one batch. A data frame gives each column one type, which the rows
        of another request could change.
    """

    def __init__(self, model: HierarchicalClassifier):
        self.fitted_on = model.fitted_on_
        is_text = self.fitted_on.kind == "texts" or bool(self.fitted_on.texts)
        has_columns = self.fitted_on.kind in ("table", "frame")  # the features of a data set are sent as numbers
        self.columns: tuple[str, ...] = self.fitted_on.columns if has_columns else ()
        if is_text:
            self.columns = self.fitted_on.texts
        self.kind = "texts" if is_text else "columns" if self.columns else "numbers"
        self.known = {*self.columns, *self.fitted_on.others}
        self.mixes = self.kind != "columns" or self.fitted_on.kind == "table"
        self.is_sparse = any(getattr(step, "kind_", None) == "sparse" for step in _steps(model))
        self.n_features = _count_features(model) if self.kind == "numbers" else None
        typical: dict[Any, Any] = next(
            (step.typical_cells() for step in _steps(model) if hasattr(step, "typical_cells")), {}
        )
        self.sample = self._sample(typical, model.hierarchy_.names.tolist())

    def _sample(self, typical: dict[Any, Any], names: list[str]) -> dict[str, Any]:
        """Return a row as an example, as ``/explain`` takes it."""
        if self.kind == "texts":
            return {"text": str(next(iter(typical.values()), " ".join(names[:4])))}
        if self.kind == "columns":
            return {"row": {name: typical.get(name, typical.get(j)) for j, name in enumerate(self.columns)}}
        n = self.n_features or 1
        return {"row": {"0": 1.0} if n > MANY_NUMBERS else [typical.get(j, 0.0) for j in range(n)]}

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

    def check(self, texts: Any, rows: Any) -> list[Any]:
        """Return the rows of a request in their own form; the first that the model does not take is refused."""
        if (texts is None) == (rows is None):
            raise RefusedError(422, "a request has either texts or rows.", self.wanted)
        for name, given in (("texts", texts), ("rows", rows)):
            if not (given is None or isinstance(given, list)):
                raise RefusedError(422, f"{name} is {describe_value(given)}, not a list.", self.wanted)
        if self.kind == "texts":
            return [self._text_of(i, row) for i, row in enumerate(rows)] if texts is None else self._check_texts(texts)
        if rows is None:
            raise RefusedError(422, "the model takes rows of columns, not texts.", self.wanted)
        check = self._check_columns if self.kind == "columns" else self._check_numbers
        return [check(i, row) for i, row in enumerate(rows)]

    def _check_texts(self, texts: list[Any]) -> list[str]:
        wrong = next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)
        if wrong is not None:
            raise RefusedError(422, f"texts.{wrong} is {describe_value(texts[wrong])}, not a string.", self.wanted)
        return texts

    def _text_of(self, i: int, row: Any) -> str:
        """Return the text of a row that names its columns."""
        if not self.columns or not isinstance(row, dict):
            raise RefusedError(422, "the model takes texts, not rows.", self.wanted)
        return join_texts("" if cell is None else str(cell) for cell in self._cells_of(i, row))

    def _check_columns(self, i: int, row: Any) -> list[Any]:
        """Return the cells of a row in the order of the columns; a list has to have them all, an object as well."""
        if isinstance(row, dict):
            return self._cells_of(i, row)
        if not isinstance(row, list):
            raise RefusedError(422, f"row {i} is {describe_value(row)}, not an object or a list.", self.wanted)
        if len(row) != len(self.columns):
            problem = f"row {i} has {counted(len(row), 'value')}; the model has {counted(len(self.columns), 'column')}."
            raise RefusedError(422, problem, self.wanted)
        self._check_cells(i, row)
        return row

    def _cells_of(self, i: int, row: dict[str, Any]) -> list[Any]:
        """Return the cells of an object; columns of the training file that nothing is learned from may be there too."""
        extra = next((name for name in row if name not in self.known), None)
        if extra is not None:
            names = ", ".join(map(repr, self.columns[:12])) + (", …" if len(self.columns) > 12 else "")
            way = did_you_mean(extra[:100], self.columns, f"Its columns are {names}.")
            raise RefusedError(422, f"row {i}: the model has no column {shown(extra)}.", way)
        missing = next((name for name in self.columns if name not in row), None)
        if missing is not None:
            way = "Send null for a missing value." if self.kind == "columns" else self.wanted
            raise RefusedError(422, f"row {i} has no column {shown(missing)}.", way)
        cells = [row[name] for name in self.columns]
        self._check_cells(i, cells)
        return cells

    def _check_cells(self, i: int, cells: list[Any]) -> None:
        for name, cell in zip(self.columns, cells):
            if not (cell is None or isinstance(cell, str | bool) or is_finite_number(cell)):
                problem = f"row {i}, column {shown(name)}: {describe_value(cell)} cannot be a cell."
                raise RefusedError(422, problem, "A cell is a text, a number, true, false or null.")

    def _check_numbers(self, i: int, row: Any) -> Any:
        """Return a list of numbers, or numbers by their places."""
        if isinstance(row, dict):
            return self._numbers_by_place(i, row)
        if not isinstance(row, list):
            raise RefusedError(422, f"row {i} is {describe_value(row)}, not a list of numbers.", self.wanted)
        if self.n_features is not None and len(row) != self.n_features:
            problem = f"row {i} has {counted(len(row), 'number')}; the model takes {self.n_features:,}."
            raise RefusedError(422, problem, self.wanted)
        return [self._number(i, j, x) for j, x in enumerate(row)]

    def _numbers_by_place(self, i: int, row: dict[str, Any]) -> dict[int, float]:
        n = self.n_features or 0
        found = {}
        for place, x in row.items():
            if not (PLACE.fullmatch(place) and int(place) < n):
                problem = (
                    f"row {i}: {shown(place)} is not the index of a number; the model takes {n:,}, from 0 to {n - 1}."
                )
                raise RefusedError(422, problem, "Write an index in plain digits, without zeros in front.")
            found[int(place)] = self._number(i, place, x)
        return found

    def _number(self, i: int, place: object, x: Any) -> float:
        if not (is_finite_number(x) or isinstance(x, bool)):
            problem = f"row {i}, number {place}: {describe_value(x)} is not a number that the model can take."
            raise RefusedError(422, problem, self.wanted)
        return float(x)

    def to_rows(self, given: list[Any]) -> Any:
        """Return checked rows, of one request or of several, as the model was given rows in ``fit``."""
        if self.kind == "texts":
            return given
        if self.kind == "numbers":
            return self._to_matrix(given)
        columns = {name: [row[j] for row in given] for j, name in enumerate(self.columns)}
        if self.fitted_on.kind == "table":
            written = {name: [_cell(x) for x in cells] for name, cells in columns.items()}
            return table_rows(Columns(written), self.fitted_on)
        return _frame(columns)

    def _to_matrix(self, given: list[Any]) -> Any:
        """Return numbers as the model was fitted on them: an array, or a sparse matrix that no array is made for."""
        width = self.n_features or (len(given[0]) if given else 0)
        if self.is_sparse:
            rows = [row if isinstance(row, dict) else dict(enumerate(row)) for row in given]
            kept = [{j: x for j, x in sorted(row.items()) if x} for row in rows]
            values, places = [x for row in kept for x in row.values()], [j for row in kept for j in row]
            parts = (
                np.array(values, np.float64),
                np.array(places, np.int32),
                np.cumsum([0, *map(len, kept)], dtype=np.int32),
            )
            return sparse.csr_array(parts, shape=(len(given), width))
        X = np.zeros((len(given), width))
        for i, row in enumerate(given):
            if isinstance(row, dict):
                X[i, list(row)] = list(row.values())
            else:
                X[i] = row
        return X

    def locate(self, error: CellError) -> str:
        """Return what is wrong with a cell, by the name of its column."""
        is_numbered = isinstance(error.column, int) and error.column < len(self.columns)
        name = self.columns[error.column] if is_numbered else str(error.column)
        return f"row {error.row}, column {shown(name)}: it {error.found}."

    def example(self, words: str) -> list[Any]:
        """Return a row to warm up with: some words, missing values, or zeros."""
        if self.kind == "texts":
            return [words]
        return [[None] * len(self.columns)] if self.kind == "columns" else [[0.0] * (self.n_features or 1)]

    def describe(self) -> dict[str, Any]:
        """Return what a page needs to make a form."""
        n, columns = self.n_features, list(self.columns)
        return {"kind": self.kind, "columns": columns, "n_features": n, "wanted": self.wanted, "example": self.sample}


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
