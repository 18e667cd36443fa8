"""AutoFeatures: whatever a table holds, as a matrix of numbers.

Texts become TF-IDF weights, categories 0/1 columns, numbers stay numbers. The kind of each column is decided once, in
``fit``, from the training rows alone. Put before a learner in a pipeline, it lets texts, data frames, cells of a CSV
file and sparse counts be learned from without describing them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from truepath.adapters.inputs import resolve_categorical

__all__ = [
    "CATEGORY",
    "NUMBER",
    "TEXT",
    "AutoFeatures",
    "column_kind",
    "is_frame",
    "table_columns",
    "to_numbers",
    "to_strings",
]


#: From this many training rows on, a word must occur twice to count
ROWS_FOR_RARE_WORDS = 500


class AutoFeatures(TransformerMixin, BaseEstimator):
    """Turn texts, data frames, cells or matrices into a matrix of numbers.

    Parameters
    ----------
    scale : bool, default=False
        Whether to bring features to one scale, as linear models and neighbours want: numbers are standardised,
        sparse counts weighted by TF-IDF, other sparse columns divided by their largest value.
    impute : bool, default=True
        Whether missing numbers become the column's median. Trees of this package take them as they are.
    dense : bool, default=False
        Whether to return an array even where most of it is zero, for learners that take no sparse matrix.
    categorical_features : "all", column numbers, column names or bool mask, optional
        Columns to take as categories even though they hold numbers; names are those of a data frame.
    max_categories : int, default=50
        A column of strings with more distinct values than this is a text; rarer categories are put together.
    max_words : int or None, default=50000
        The largest vocabulary of a text column.

    Attributes
    ----------
    kind_ : {"text", "sparse", "numbers", "table"}
        What X was: one text per row, a sparse matrix, an array of numbers, or columns of several kinds.
    blocks_ : list of tuple (kind, columns, transformer)
        Which columns are treated how.

    Notes
    -----
    A column of strings is numeric if every cell that is not empty is a number; a text if its cells have three words
    or more on average, or more than ``max_categories`` distinct values that are mostly different; else a category.
    The result is CSR if it has a text or a category, dense otherwise. A category never seen before becomes zeros.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([["a red apple pie", "12", "fr"], ["green soup of peas", "", "de"]], dtype=object)
    >>> features = AutoFeatures().fit(X)
    >>> [(kind, columns) for kind, columns, _ in features.blocks_]
    [('number', [1]), ('category', [2]), ('text', [0])]
    >>> features.transform(X).shape
    (2, 10)
    """

    def __init__(
        self,
        *,
        scale: bool = False,
        impute: bool = True,
        dense: bool = False,
        categorical_features: Any = None,
        max_categories: int = 50,
        max_words: int | None = 50_000,
    ):
        self.scale = scale
        self.impute = impute
        self.dense = dense
        self.categorical_features = categorical_features
        self.max_categories = max_categories
        self.max_words = max_words

    def fit(self, X: Any, y: Any = None) -> AutoFeatures:
        """Decide what each column is, and learn vocabularies, categories, medians and scales."""
        self.kind_ = self._kind(X)
        columns = self._columns(X, reset=True)
        self.blocks_ = [(kind, keys, make) for kind, keys, make in self._plan(columns) if keys]
        for kind, keys, transformer in self.blocks_:
            transformer.fit(_gather(columns, kind, keys))
        return self

    def transform(self, X: Any) -> Any:
        """Return the features as a float matrix, dense or CSR."""
        check_is_fitted(self, "blocks_")
        kind = self._kind(X)
        if kind != self.kind_ and {kind, self.kind_} != {"numbers", "table"}:
            raise ValueError(f"X is {_WHAT[kind]}, but AutoFeatures was fitted on {_WHAT[self.kind_]}.")
        columns = self._columns(X, reset=False)
        parts = [transformer.transform(_gather(columns, kind, keys)) for kind, keys, transformer in self.blocks_]
        if any(sparse.issparse(part) for part in parts):
            together = sparse.csr_array(sparse.hstack(parts, format="csr"))
            return together.toarray() if self.dense else together
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return a name for every column: words, ``column=value`` pairs, columns."""
        check_is_fitted(self, "blocks_")
        names: list[str] = []
        for kind, keys, transformer in self.blocks_:
            names += _names_of(kind, keys, transformer, getattr(self, "feature_names_in_", None))
        return np.asarray(names, dtype=object)

    def _kind(self, X: Any) -> str:
        """Say what X is as a whole."""
        if sparse.issparse(X):
            return "sparse"
        if is_frame(X):
            return "table"
        values = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        if values.ndim == 1 and values.size and isinstance(values[0], str):
            return "text"
        if values.dtype == object and not hasattr(X, "dtype"):
            values = np.asarray(X)  # a list of lists of numbers
        return "table" if values.dtype.kind in "OUT" else "numbers"

    def _columns(self, X: Any, reset: bool) -> Any:
        """Return X as columns by key, or as the matrix or texts that it is."""
        if self.kind_ == "text":
            return to_strings(X)
        if self.kind_ == "table" or is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return table_columns(X)
        finite = "allow-nan" if (self.kind_ == "numbers" and self.impute) or not self.scale else True
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
        return validate_data(self, X, reset=reset, ensure_all_finite=finite, **options)

    def _plan(self, columns: Any) -> list[tuple[str, list[Any], Any]]:
        """Return the blocks (kind, columns, unfitted transformer) in the order of the output."""
        if self.kind_ == "text":
            return [(TEXT, [0], self._words(len(columns)))]
        if self.kind_ == "sparse":
            return [("sparse", [0], _sparse_scaler(columns) if self.scale else FunctionTransformer(accept_sparse=True))]
        kinds = self._kinds(columns)
        n_rows = columns.shape[0] if self.kind_ == "numbers" else len(next(iter(columns.values())))
        of_kind = {kind: [key for key in kinds if kinds[key] == kind] for kind in (NUMBER, CATEGORY, TEXT)}
        texts = [(TEXT, [key], self._words(n_rows)) for key in of_kind[TEXT]]
        return [
            (NUMBER, of_kind[NUMBER], self._numbers()),
            (CATEGORY, of_kind[CATEGORY], self._categories()),
            *texts,
        ]

    def _kinds(self, columns: Any) -> dict[Any, str]:
        """Return what each column is, by its key: declared a category, or decided from its cells."""
        if self.kind_ == "numbers":
            declared = resolve_categorical(self.categorical_features, columns.shape[1])
            return {j: CATEGORY if is_category else NUMBER for j, is_category in enumerate(declared)}
        names = list(columns) if isinstance(next(iter(columns), None), str) else None
        declared = resolve_categorical(self.categorical_features, len(columns), names)
        return {
            key: CATEGORY if is_category else column_kind(values, self.max_categories)
            for (key, values), is_category in zip(columns.items(), declared)
        }

    def _numbers(self) -> Any:
        steps: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)] if self.impute else []
        steps += [StandardScaler()] if self.scale else []
        return make_pipeline(*steps) if steps else FunctionTransformer()

    def _categories(self) -> Any:
        return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=self.max_categories)

    def _words(self, n_rows: int) -> Any:
        rare = 2 if n_rows >= ROWS_FOR_RARE_WORDS else 1
        return TfidfVectorizer(sublinear_tf=True, min_df=rare, max_features=self.max_words, strip_accents="unicode")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


_WHAT = {"text": "a list of texts", "sparse": "a sparse matrix", "numbers": "a matrix of numbers", "table": "a table"}


def _sparse_scaler(X: Any) -> Any:
    """Return TF-IDF weights for counts, and the largest values to divide by for everything else."""
    counts = X.nnz == 0 or (X.data.min() >= 0 and bool((X.data == np.floor(X.data)).all()))
    return TfidfTransformer(sublinear_tf=True) if counts else MaxAbsScaler()


def _gather(columns: Any, kind: str, keys: list[Any]) -> Any:
    """Return the columns of a block as its transformer wants them."""
    if sparse.issparse(columns) or (kind == TEXT and not isinstance(columns, dict)):
        return columns
    if isinstance(columns, np.ndarray):
        return columns[:, keys]
    missing = [key for key in keys if key not in columns]
    if missing:
        raise ValueError(f"X has no column {missing[0]!r}, which AutoFeatures was fitted on.")
    if kind == TEXT:
        return to_strings(columns[keys[0]])
    convert = to_numbers if kind == NUMBER else to_strings
    return np.column_stack([convert(columns[key], key) for key in keys])


def _names_of(kind: str, keys: list[Any], transformer: Any, names: Any) -> list[str]:
    """Return the output names of one block."""
    called = [str(key if names is None or isinstance(key, str) else names[key]) for key in keys]
    if kind == CATEGORY:
        return transformer.get_feature_names_out(called).tolist()
    if kind == TEXT:
        return transformer.get_feature_names_out().tolist()
    if kind == "sparse":
        width = transformer.n_features_in_
        return list(map(str, names)) if names is not None else [f"x{j}" for j in range(width)]
    return called if names is not None or isinstance(keys[0], str) else [f"x{j}" for j in keys]


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
