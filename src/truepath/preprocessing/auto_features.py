"""AutoFeatures: whatever a table holds, as a matrix of numbers.

Texts become TF-IDF weights, categories 0/1 columns, dates and times days, numbers stay numbers. Row ids are left out.
The kind of each column is decided once, in
``fit``, from the training rows alone. Put before a learner in a pipeline, it lets texts, data frames, cells of a CSV
file and sparse counts be learned from without describing them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, Normalizer, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from truepath.adapters.categories import resolve_categorical
from truepath.adapters.kinds import TEXTS_TO_SEE, is_embedding, is_unspaced
from truepath.adapters.rows import plain_rows, refuse_complex
from truepath.errors import LeftOutWarning, UnseenValuesWarning
from truepath.graph import Graph
from truepath.graph.transformers import export_transformer
from truepath.held import a_text, an_object, each, either, flag, holds, integer, items, one_of
from truepath.hierarchy.build import is_missing
from truepath.preprocessing.column_kinds import (
    CATEGORY,
    NUMBER,
    ROW_ID,
    TEXT,
    TIME,
    column_kind,
    table_columns,
    to_days,
    to_numbers,
)
from truepath.public import Documented

#: From this many training rows on, a word must be in two rows to count, and pairs of neighbouring words count too
ROWS_FOR_RARE_WORDS = 500
#: Where texts have no words to tell apart, pieces of up to this many letters count instead
LETTERS_OF_A_PIECE = 3
#: Categories that a warning names
MOST_SHOWN = 3
#: Words of an example of a text
EXAMPLE_WORDS = 6
#: Words of more letters than this on average are sequences, of amino acids for instance
LETTERS_OF_A_SEQUENCE = 25


@holds(
    kind_=one_of("text", "sparse", "numbers", "table"),
    impute=flag,
    scale=flag,
    dense=flag,
    blocks_=each(
        items(
            one_of(NUMBER, TIME, CATEGORY, TEXT, "sparse"),
            each(either(a_text, integer(0)), of=list),
            an_object("transform", knows=()),
        )
    ),
)
class AutoFeatures(Documented, TransformerMixin, BaseEstimator):
    """Turn texts, data frames, cells or matrices into a matrix of numbers.

    Parameters
    ----------
    scale : bool, default=False
        Whether to bring features to one scale, as linear models and neighbours want: numbers are standardised,
        sparse counts weighted by TF-IDF, other sparse columns divided by their largest value.
    impute : bool, default=True
        Whether missing numbers become the column's median. Trees of this package take them as they are.
    dense : bool, default=False
        Whether to return an array even where most of it is zero, for learners that do not take sparse matrices.
    categorical_features : "all", column numbers, column names or bool mask, optional
        Columns to take as categories even though they hold numbers; names are those of a data frame.
    max_categories : int, default=50
        A column of strings with more distinct values than this is a text; rarer categories are put together.
    max_words : int or None, default=200000
        The largest vocabulary of a text column, in words and pairs of neighbouring words, or in pieces of texts without
        words; the most frequent are kept.

    Attributes
    ----------
    kind_ : {"text", "sparse", "numbers", "table"}
        What X was: one text per row, a sparse matrix, an array of numbers, or columns of several kinds.
    blocks_ : list of tuple (kind, columns, transformer)
        Which columns are treated how.
    left_out_ : list
        Columns of row ids, which are not learned from.

    Notes
    -----
    A column of strings is numeric if every cell that is not empty is a number, or if all are true or false; a text if
    its cells have three words or more on average, or more than ``max_categories`` distinct values that are mostly
    different; else a category. Texts in scripts that do not separate words (Chinese, Japanese, Thai), and sequences
    such as those of proteins, are cut into pieces of one to three letters instead of words. Dates and times (also
    written as 2024-05-01 or 2024-05-01 12:30) are days since 1970.

    A column that names the rows is left out, with a warning: strings without blanks that differ in all of ten rows or
    more, mostly with a digit or without a word that two rows share; or whole numbers that differ in all rows, if the
    column is called ``id``, ``index`` or similar.

    The result is CSR if it has a text or a category, dense otherwise. A category never seen before becomes zeros, or
    what rare ones became; where most rows have such a one, a warning says so.

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
        max_words: int | None = 200_000,
    ):
        self.scale = scale
        self.impute = impute
        self.dense = dense
        self.categorical_features = categorical_features
        self.max_categories = max_categories
        self.max_words = max_words

    def fit(self, X: Any, y: Any = None) -> AutoFeatures:
        """Decide what each column is, and learn vocabularies, categories, medians and scales."""
        with _plain_output():
            for transformer, values in self._plan_blocks(X):
                transformer.fit(values)
        return self

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fit, and return the features of the same rows; texts are read once instead of twice."""
        with _plain_output():
            return self._join([transformer.fit_transform(values) for transformer, values in self._plan_blocks(X)])

    def _plan_blocks(self, X: Any) -> Iterator[tuple[Any, Any]]:
        """Decide what each column is; yield each block's transformer, to be fitted, and its cells."""
        X = plain_rows(X)
        self.kind_ = self._kind(X)
        columns = self._columns(X, reset=True)
        self.left_out_: list[Any] = []
        self.blocks_ = [(kind, keys, make) for kind, keys, make in self._plan(columns) if keys]
        for kind, keys, transformer in self.blocks_:
            values = _gather(columns, kind, keys)
            if kind == TEXT:
                _check_words(values, transformer, None if self.kind_ == "text" else keys[0])
            yield transformer, values

    def transform(self, X: Any) -> Any:
        """Return the features as a float matrix, dense or CSR."""
        check_is_fitted(self, "blocks_")
        X = plain_rows(X)
        kind = self._kind(X)
        if kind != self.kind_ and {kind, self.kind_} != {"numbers", "table"}:
            raise ValueError(f"X is {_WHAT[kind]}, but AutoFeatures was fitted on {_WHAT[self.kind_]}.")
        columns = self._columns(X, reset=False)
        values = [_gather(columns, kind, keys) for kind, keys, _ in self.blocks_]
        for (kind, keys, made), cells in zip(self.blocks_, values):
            if kind == CATEGORY:
                _warn_about_unseen(keys, made.categories_, cells)
        with _plain_output():
            return self._join([made.transform(cells) for (*_, made), cells in zip(self.blocks_, values)])

    def export_inputs(self, graph: Graph) -> Any:
        """Add inputs to an ONNX graph: texts, a matrix of numbers, or one input per column of a table.

        A table of numbers alone is a matrix of the columns that are learned from.
        """
        check_is_fitted(self, "blocks_")
        if self.kind_ == "text":
            return graph.input_column("text", "STRING", TEXT)
        kinds = {key: kind for kind, keys, _ in self.blocks_ for key in keys}
        if self.kind_ != "table":
            return graph.input_matrix("features", int(self.n_features_in_))
        if set(kinds.values()) == {NUMBER}:
            graph.matrix_columns = [str(self._called(key, graph)) for key in self._order(kinds)]
            return graph.input("features", "DOUBLE", ["rows", len(kinds)])
        elements = {key: "DOUBLE" if kinds[key] in (NUMBER, TIME) else "STRING" for key in self._order(kinds)}
        return {
            key: graph.input_column(self._called(key, graph), element, kinds[key]) for key, element in elements.items()
        }

    def _called(self, key: Any, graph: Graph) -> Any:
        """Return the name of a column: a frame's own, or of an array the one that the graph knows."""
        has_names = isinstance(key, str) or len(graph.column_names) != self.n_features_in_
        return key if has_names else graph.column_names[key]

    def _order(self, kinds: dict[Any, str]) -> list[Any]:
        """Return the columns that are learned from in the order of the table."""
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        return sorted(kinds, key=names.index)

    def export_rows(self, graph: Graph, rows: Any) -> str:
        """Add the features to an ONNX graph, from the inputs of :meth:`export_inputs` or a matrix of all columns."""
        parts = [self._export_block(graph, *block, rows) for block in self.blocks_]
        if len(parts) == 1:
            return parts[0]
        return graph.add("Concat", *(graph.like(part, *parts) for part in parts), axis=1)

    def _export_block(self, graph: Graph, kind: str, keys: list[Any], transformer: Any, rows: Any) -> str:
        if isinstance(rows, dict):
            columns = [rows[key] for key in keys]
            if kind in (TEXT, CATEGORY):
                return export_transformer(graph, transformer, columns[0] if kind == TEXT else columns)
            rows = graph.add("Concat", *(graph.reshape(column, [-1, 1]) for column in columns), axis=1)
        elif kind in (NUMBER, CATEGORY) and self.kind_ != "sparse":
            order = self._order({key: NUMBER for key in keys}) if self.kind_ == "table" else range(self.n_features_in_)
            places = [list(order).index(key) for key in keys]
            rows = rows if places == list(range(len(order))) else graph.columns(rows, places)
        return export_transformer(graph, transformer, rows)

    def _join(self, parts: list[Any]) -> Any:
        """Return the blocks beside each other."""
        if any(sparse.issparse(part) for part in parts):
            together = sparse.csr_array(sparse.hstack(parts, format="csr"))
            return together.toarray() if self.dense else together
        return np.hstack(parts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return a name for every column: columns, ``column=value`` pairs, words.

        Where there are several columns of texts, ``word (column)``. ``input_features`` are the names of the columns of
        X, where it was an array.
        """
        check_is_fitted(self, "blocks_")
        known = getattr(self, "feature_names_in_", input_features)
        many_texts = sum(kind == TEXT for kind, _, _ in self.blocks_) > 1
        names: list[str] = []
        for kind, keys, transformer in self.blocks_:
            names += _names_of(kind, keys, transformer, known, many_texts)
        return np.asarray(names, dtype=object)

    def typical_cells(self) -> dict[Any, Any]:
        """Return a cell for each column that is learned from, as an example: a median, a category, or some words.

        Examples
        --------
        >>> X = np.array([["a red apple pie", "12", "fr"], ["green soup of peas", "", "de"]], dtype=object)
        >>> AutoFeatures().fit(X).typical_cells()
        {1: 12.0, 2: 'de', 0: 'red apple pie green soup of'}
        """
        check_is_fitted(self, "blocks_")
        found: dict[Any, Any] = {}
        for kind, keys, made in self.blocks_:
            steps = [step for _, step in getattr(made, "steps", ())]
            medians = next((step.statistics_.tolist() for step in steps if hasattr(step, "statistics_")), None)
            if kind == TEXT:
                found[keys[0]] = " ".join(list(made.vocabulary_)[:EXAMPLE_WORDS])
            elif kind == CATEGORY:
                found |= {key: values[0] for key, values in zip(keys, made.categories_)}
            elif kind == NUMBER and medians is not None:
                found |= dict(zip(keys, medians))
        return found

    def _kind(self, X: Any) -> str:
        """Say what X is as a whole."""
        if sparse.issparse(X):
            return "sparse"
        if is_frame(X):
            return "table"
        values = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
        if values.ndim == 1 and _holds_texts(values):
            return "text"
        if values.dtype == object and not hasattr(X, "dtype"):
            values = np.asarray(X)  # a list of lists of numbers
        refuse_complex(values)
        return "table" if values.dtype.kind in "OUTmM" else "numbers"

    def _columns(self, X: Any, reset: bool) -> Any:
        """Return X as columns by key, or as the matrix that it is."""
        if self.kind_ == "text":
            return {0: X}
        if self.kind_ == "table" or is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return table_columns(X)
        finite = "allow-nan" if (self.kind_ == "numbers" and self.impute) or not self.scale else True
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
        return validate_data(self, X, reset=reset, ensure_all_finite=finite, **options)

    def _plan(self, columns: Any) -> list[tuple[str, list[Any], Any]]:
        """Return the blocks (kind, columns, unfitted transformer) in the order of the output."""
        if self.kind_ == "sparse":
            return [("sparse", [0], _sparse_scaler(columns) if self.scale else FunctionTransformer(accept_sparse=True))]
        kinds = self._kinds(columns)
        if not kinds:
            raise ValueError("X has 0 feature(s), and a minimum of 1 is required.")
        of_kind = {kind: [key for key in kinds if kinds[key] == kind] for kind in (NUMBER, TIME, CATEGORY, TEXT)}
        encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=self.max_categories)
        texts = [(TEXT, [key], self._words(columns[key])) for key in of_kind[TEXT]]
        return [
            (NUMBER, of_kind[NUMBER], self._numbers(is_embedding(columns) and not of_kind[CATEGORY])),
            (TIME, of_kind[TIME], self._numbers()),
            (CATEGORY, of_kind[CATEGORY], encoder),
            *texts,
        ]

    def _kinds(self, columns: Any) -> dict[Any, str]:
        """Return what each column is, by its key: declared a category, or decided from its cells."""
        if self.kind_ == "text":
            return {0: TEXT}
        if self.kind_ == "numbers":
            declared = resolve_categorical(self.categorical_features, columns.shape[1])
            return {j: CATEGORY if is_category else NUMBER for j, is_category in enumerate(declared)}
        names = list(columns) if isinstance(next(iter(columns), None), str) else None
        declared = resolve_categorical(self.categorical_features, len(columns), names)
        kinds = {
            key: CATEGORY if is_category else column_kind(values, self.max_categories, key)
            for (key, values), is_category in zip(columns.items(), declared)
        }
        return self._without_ids(kinds, columns)

    def _without_ids(self, kinds: dict[Any, str], columns: Any) -> dict[Any, str]:
        """Leave out columns of row ids, and say so; if there is no other column, take them as they come."""
        self.left_out_ = [key for key, kind in kinds.items() if kind == ROW_ID]
        if len(self.left_out_) == len(kinds):
            self.left_out_ = []
            return {key: NUMBER if columns[key].dtype.kind in "biuf" else TEXT for key in kinds}
        if self.left_out_:
            warnings.warn(left_out(self.left_out_), LeftOutWarning, stacklevel=2)
        return {key: kind for key, kind in kinds.items() if kind != ROW_ID}

    def _numbers(self, by_row: bool = False) -> Any:
        steps: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)] if self.impute else []
        steps += [Normalizer() if by_row else StandardScaler()] if self.scale else []
        return make_pipeline(*steps) if steps else FunctionTransformer()

    def _words(self, column: Any) -> Any:
        many = len(column) >= ROWS_FOR_RARE_WORDS
        common = {"sublinear_tf": True, "dtype": np.float32, "min_df": 2 if many else 1}
        if has_words(to_strings(column[:TEXTS_TO_SEE])):
            counted: dict[str, Any] = {"strip_accents": "unicode", "ngram_range": (1, 2) if many else (1, 1)}
        else:
            counted = {"analyzer": "char", "ngram_range": (1, LETTERS_OF_A_PIECE)}
        return TfidfVectorizer(max_features=self.max_words, **common, **counted)

    def check_loaded(self) -> None:
        """Refuse blocks from a file of columns that do not exist, or that their transformers do not take."""
        for kind, keys, made in self.blocks_:
            width = self.n_features_in_ if kind == "sparse" else len(keys)
            known = {} if kind == TEXT else {"n_features": width}
            an_object("transform", knows=("n_features",))(made, known)
            if self.kind_ == "numbers" and not all(isinstance(key, int) and key < self.n_features_in_ for key in keys):
                raise ValueError("a block has columns that do not exist")
            is_text, is_sparse = hasattr(made, "vocabulary_"), self.kind_ == "sparse"
            is_encoder = isinstance(made, OneHotEncoder) and all(map(_holds_strings, made.categories_))
            wanted = kind == TEXT, kind == "sparse", kind == CATEGORY
            if not keys or wanted != (is_text, is_sparse, is_encoder):
                raise ValueError("a block is of another kind")
        if self.kind_ == "text" and [(kind, keys) for kind, keys, _ in self.blocks_] != [(TEXT, [0])]:
            raise ValueError("texts are not one column")
        if not self.blocks_:
            raise ValueError("there are no blocks")

    def count_outputs(self) -> int:
        """Return the number of features made."""
        return sum(_count_outputs(*block) for block in self.blocks_)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, each vocabulary as one array."""
        state: dict[str, Any] = super().__getstate__()
        if "blocks_" in state:
            state = {**state, "blocks_": [(kind, keys, pack_words(made)) for kind, keys, made in self.blocks_]}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes, vocabularies as words."""
        super().__setstate__(state)
        if "blocks_" in state:
            self.blocks_ = [(kind, keys, unpack_words(made)) for kind, keys, made in state["blocks_"]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def has_words(texts: Any) -> bool:
    """Say whether texts have words to count: neither a script without blanks nor long sequences of letters.

    Examples
    --------
    >>> has_words(["I like apples"]), has_words(["MKVLAAGIVGLCAKAYLERHLSSRTKHWYFVD"])
    (True, False)
    """
    lengths = [len(word) for text in texts[:TEXTS_TO_SEE] for word in text.split()]
    return not is_unspaced(texts) and (not lengths or sum(lengths) <= LETTERS_OF_A_SEQUENCE * len(lengths))


def is_frame(X: Any) -> bool:
    """Say whether X is a data frame of some library."""
    return hasattr(X, "columns") and not hasattr(X, "toarray")


def to_strings(values: Any, key: Any = None) -> np.ndarray:
    """Return a column as strings, the empty one where a cell is missing; numbers without a trailing ``.0``."""
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    column = np.empty(len(cells), dtype=object)
    column[:] = ["" if is_missing(cell) else _text(cell) for cell in cells]
    return column


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell if cell.strip() else ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


#: What values are called that are not written in the table: a missing one, and scikit-learn's "all rare ones"
_CATEGORY_NAMES = {"": "(empty)", "infrequent_sklearn": "(rare)"}
_CONVERSIONS = {NUMBER: to_numbers, TIME: to_days, CATEGORY: to_strings}


def _holds_texts(values: Any) -> bool:
    """Say whether the first entry that is not missing is a text; bytes are refused."""
    first = next((value for value in values.tolist() if not is_missing(value)), None)
    if isinstance(first, bytes):
        raise ValueError("X holds bytes, not texts. Decode them: [text.decode() for text in X].")
    return isinstance(first, str)


def left_out(columns: Sequence[Any]) -> str:
    """Say that columns of row ids are not learned from."""
    names = ", ".join(map(repr, columns))
    one = len(columns) == 1
    return (
        f"column{'' if one else 's'} {names} {'has' if one else 'have'} a different value in every row and "
        f"{'is' if one else 'are'} left out: there is nothing to learn from {'it' if one else 'them'}."
    )


def _check_words(cells: Any, vectorizer: Any, column: Any) -> None:
    """Refuse texts in which no word occurs often enough to be learned from."""
    words, least = vectorizer.build_analyzer(), vectorizer.min_df
    counts: dict[str, int] = {}
    for cell in cells:
        for word in set(words(cell)):
            counts[word] = counts.get(word, 0) + 1
            if counts[word] >= least:
                return
    what = "the texts of X have" if column is None else f"column {column!r} of X has"
    raise ValueError(f"{what} no word of two letters or more{' that two rows share' if least > 1 else ''}.")


def _warn_about_unseen(keys: list[Any], known: Any, cells: np.ndarray) -> None:
    """Warn of columns in which most cells that are not empty hold what no training row had.

    The text does not change with the rows, so that a server says it once.
    """
    for key, values, column in zip(keys, known, cells.T):
        usual, filled = set(values.tolist()), [cell for cell in column.tolist() if cell]
        if 2 * sum(cell not in usual for cell in filled) > len(filled):
            named = [value for value in values.tolist() if value]
            shown = ", ".join(map(repr, named[:MOST_SHOWN])) + (", ..." if len(named) > MOST_SHOWN else "")
            warnings.warn(
                f"column {key!r} of X: most rows have values that no training row had (those had {shown}); they "
                "say nothing, and the other columns decide. Write them as the training rows do.",
                UnseenValuesWarning,
                stacklevel=3,
            )


def _holds_strings(values: np.ndarray) -> bool:
    return values.dtype == object and all(isinstance(value, str) for value in values.tolist())


def _count_outputs(kind: str, keys: list[Any], made: Any) -> int:
    """Return the number of features that a block makes."""
    if kind == TEXT:
        return len(made.vocabulary_)
    if kind == CATEGORY:
        return len(made.get_feature_names_out())
    return int(made.n_features_in_) if kind == "sparse" else len(keys)


_WHAT = {"text": "a list of texts", "sparse": "a sparse matrix", "numbers": "a matrix of numbers", "table": "a table"}


def _sparse_scaler(X: Any) -> Any:
    """Return TF-IDF weights for counts, and the largest values to divide by for everything else."""
    counts = X.nnz == 0 or (X.data.min() >= 0 and bool((X.data == np.floor(X.data)).all()))
    return TfidfTransformer(sublinear_tf=True) if counts else MaxAbsScaler()


def _plain_output() -> Any:
    """Have transformers within return arrays, whatever a program chose for those that it uses itself."""
    return config_context(transform_output="default")


def _gather(columns: Any, kind: str, keys: list[Any]) -> Any:
    """Return the columns of a block as its transformer wants them."""
    if sparse.issparse(columns):
        return columns
    if isinstance(columns, np.ndarray):
        return columns[:, keys]
    missing = [key for key in keys if key not in columns]
    if missing:
        raise ValueError(f"X has no column {missing[0]!r}, which AutoFeatures was fitted on.")
    if kind == TEXT:
        return to_strings(columns[keys[0]])
    convert = _CONVERSIONS[kind]
    return np.column_stack([convert(columns[key], key) for key in keys])


def _names_of(kind: str, keys: list[Any], transformer: Any, names: Any, many_texts: bool) -> list[str]:
    """Return the output names of one block."""
    if kind == "sparse":
        width = transformer.n_features_in_
        return list(map(str, names)) if names is not None else [f"x{j}" for j in range(width)]
    called = [_column_name(key, names) for key in keys]
    if kind == CATEGORY:
        return _category_names(transformer, called)
    if kind == TEXT:
        words = transformer.get_feature_names_out().tolist()
        return [f"{word} ({called[0]})" for word in words] if many_texts else words
    return called


def _column_name(key: Any, names: Any) -> str:
    if isinstance(key, str):
        return key
    return f"x{key}" if names is None else str(names[key])


def _category_names(encoder: OneHotEncoder, columns: list[str]) -> list[str]:
    """Return ``column=value`` for each output of an encoder."""
    numbers = list(map(str, range(len(columns))))  # free of the "_" that the encoder puts before the value
    split = (name.split("_", 1) for name in encoder.get_feature_names_out(numbers).tolist())
    return [f"{columns[int(number)]}={_CATEGORY_NAMES.get(value, value)}" for number, value in split]


def pack_words(vectorizer: Any) -> Any:
    """Return a copy of a fitted vectorizer with its vocabulary as the bytes of its words in order, one per line.

    To save and load a word at a time takes minutes where there are 100,000.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> packed = pack_words(TfidfVectorizer().fit(["red apple", "green pea"]))
    >>> packed.vocabulary_.dtype, unpack_words(packed).get_feature_names_out().tolist()
    (dtype('uint8'), ['apple', 'green', 'pea', 'red'])
    """
    words = getattr(vectorizer, "vocabulary_", None)
    if not isinstance(words, dict) or any("\n" in word for word in words):
        return vectorizer
    packed = copy(vectorizer)
    lines = "\n".join(sorted(words, key=words.__getitem__))
    packed.vocabulary_ = np.frombuffer(lines.encode("utf-8"), np.uint8).copy()
    return packed


def unpack_words(vectorizer: Any) -> Any:
    """Return a vectorizer with its vocabulary as words again."""
    packed = getattr(vectorizer, "vocabulary_", None)
    if not isinstance(packed, np.ndarray):
        return vectorizer
    whole = copy(vectorizer)
    words = packed.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    whole.vocabulary_ = {word: place for place, word in enumerate(words)}
    return whole
