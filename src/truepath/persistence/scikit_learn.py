"""What the objects of scikit-learn hold that truepath's own estimators keep most: linear models, Bayes, trees, scalers.

Other estimators of scikit-learn are taken as they are, but for their trees (:mod:`truepath.persistence.soundness`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import sklearn
from scipy import sparse

from truepath.held import (
    MOST,
    OTHERS,
    Kind,
    Sizes,
    a_number,
    a_text,
    absent,
    an_object,
    each,
    either,
    if_there,
    integer,
    integers,
    items,
    maybe,
    numbers,
    one_of,
    size,
    sparse_numbers,
)

#: From 1.8 on imputers need it to transform
KEEPS_TYPE_OF_FILLING = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)


def _classes(value: Any, sizes: Sizes) -> None:
    """Check the classes of a classifier, and count them; a classifier of one class is a good one where others vote."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iufbUSO" or not value.size:
        raise ValueError("are no classes")
    if value.dtype.kind in "iuf" and not (np.diff(value.astype(float)) > 0).all():
        raise ValueError("are not in order")
    sizes["n_classes"] = value.size
    sizes["n_rows"] = 1 if value.size == 2 else value.size


def _two_classes(value: Any, sizes: Sizes) -> None:
    """Check the classes of a linear model, which has two at least."""
    _classes(value, sizes)
    if value.size == 1:
        raise ValueError("is one class")


def _classes_of(value: Any, sizes: Sizes) -> None:
    """Check what turns classes into columns, by its classes."""
    if type(value).__name__ != "LabelBinarizer":
        raise ValueError(f"is a {type(value).__name__}")
    _two_classes(getattr(value, "classes_", None), sizes)


def _row_of_weights(value: Any, sizes: Sizes) -> None:
    """Check the weights of a linear model: one row per class, one for two; dense, or CSR once they are sparsified."""
    if sparse.issparse(value):
        sparse_numbers("csr", "n_rows", "n_features")(value, sizes)
    elif sizes["n_rows"] == 1 and getattr(value, "ndim", 2) == 1:
        numbers("n_features")(value, sizes)
    else:
        numbers("n_rows", "n_features")(value, sizes)


def _statistics(value: Any, sizes: Sizes) -> None:
    """Check what stands for missing values: numbers, of which a column without any has none, or texts."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        if value.shape != (sizes["n_features"],):
            raise ValueError(f"has shape {value.shape}")
        each(either(a_text, a_number(), _gap), of=list)(value.tolist(), sizes)
    else:
        numbers("n_features", gaps=not sizes["keeps"])(value, sizes)


def _keeps(value: Any, sizes: Sizes) -> None:
    """Check whether columns without any value are kept, and note it."""
    one_of(True, False)(value, sizes)
    sizes["keeps"] = int(value)


def _is_grouping(value: Any, sizes: Sizes) -> None:
    """Check whether rare categories are put together, and note it."""
    one_of(True, False)(value, sizes)
    sizes["is grouping"] = int(value)


def _gap(value: Any, sizes: Sizes) -> None:
    if not (value is None or (isinstance(value, float) and np.isnan(value))):
        raise ValueError("is neither a text nor a number")


def _type_of_cells(value: Any, sizes: Sizes) -> None:
    """Check the type of cells, among which the missing one is looked for."""
    if not isinstance(value, np.dtype) or value.kind not in "fiubOU" or not value.isnative:
        raise ValueError("is no type of cells")
    if value.kind in "fiu" and not sizes["misses numbers"]:
        raise ValueError("is one of numbers, which the missing value is not")


def _missing(value: Any, sizes: Sizes) -> None:
    """Check what stands for a missing value, and note whether it is a number."""
    if value is not None and not isinstance(value, (float, int, str, np.generic)):
        raise ValueError("is no value of a cell")
    sizes["misses numbers"] = isinstance(value, Real)


def _adds(value: Any, sizes: Sizes) -> None:
    """Check whether columns say where values were missing, and note it."""
    one_of(True, False)(value, sizes)
    sizes["adds"] = int(value)


def _indicator(value: Any, sizes: Sizes) -> None:
    """Check what says where values were missing, if anything does."""
    (an_object("transform", of=("MissingIndicator",)) if sizes["adds"] else absent)(value, sizes)


def _pattern(value: Any, sizes: Sizes) -> None:
    """Check a pattern of words, and note whether there is one."""
    sizes["has pattern"] = int(value is not None)
    maybe(a_text)(value, sizes)
    try:
        n_groups = re.compile(value or "").groups
    except re.error as problem:
        raise ValueError(f"is no pattern ({problem})") from problem
    if n_groups > 1:
        raise ValueError("is a pattern of several groups")


def _n_grams(value: Any, sizes: Sizes) -> None:
    """Check a range of lengths."""
    items(integer(1, 99), integer(1, 99))(value, sizes)
    if value[0] > value[1]:
        raise ValueError("is an empty range")


def _function(value: Any, sizes: Sizes) -> None:
    """Check a function that a user gave: types are trusted one by one before anything is built."""
    if value is not None and (isinstance(value, type) or not callable(value)):
        raise ValueError("is no function")


def _tokenizer(value: Any, sizes: Sizes) -> None:
    """Check what finds words where there is no pattern."""
    _function(value, sizes)
    if value is None and sizes["finds words"] and not sizes["has pattern"]:
        raise ValueError("is None, and so is the pattern of words")


def _tfidf(value: Any, sizes: Sizes) -> None:
    """Check the weights of as many words as the vocabulary has."""
    an_object(of=("TfidfTransformer",), knows=("n_features",))(value, {"n_features": sizes["words"]})


def _type_of_numbers(value: Any, sizes: Sizes) -> None:
    """Check the type of what an encoder or a vectorizer returns."""
    if not isinstance(value, (type, np.dtype)) or np.dtype(value).kind not in "fiub":
        raise ValueError("is no type of numbers")


def _categories(value: Any, sizes: Sizes) -> None:
    """Check the categories of each column, and count them."""
    each(_values, "n_features", of=list)(value, sizes)
    for j, values in enumerate(value):
        sizes[f"categories {j}"] = values.size


def _values(value: Any, sizes: Sizes) -> None:
    if not isinstance(value, np.ndarray) or value.ndim != 1 or not value.size or not value.dtype.isnative:
        raise ValueError("is no list of categories")
    cells = value.tolist()
    if value.dtype.kind not in "OUiufb" or len(set(map(str, cells))) != len(cells):
        raise ValueError("has categories twice, or that are neither texts nor numbers")
    each(either(a_text, a_number(), one_of(True, False), _gap), of=list)(cells, sizes)
    known = value[~np.isnan(value)].astype(float) if value.dtype.kind in "iufb" else np.empty(0)  # searched in order
    if (np.diff(known) <= 0).any():
        raise ValueError("has categories out of order")


def _outputs(value: Any, sizes: Sizes) -> None:
    """Check how many columns an encoder makes of each: of its categories some may be dropped or put together."""
    each(integer(0), "n_features", of=list)(value, sizes)
    if any(n > sizes[f"categories {j}"] for j, n in enumerate(value)):
        raise ValueError("has more columns than categories")
    sizes |= {f"outputs {j}": int(n) for j, n in enumerate(value)}


def _rare(value: Any, sizes: Sizes) -> None:
    """Check which categories of each column are rare."""
    each(maybe(integers(None, least=0)), "n_features", of=list)(value, sizes)
    for j, places in enumerate(value):
        if places is not None:
            n = sizes[f"categories {j}"]
            if not places.size or places[-1] >= n or (np.diff(places) <= 0).any():
                raise ValueError("has rare categories that do not exist")
            sizes[f"groups {j}"] = n - places.size + 1
    sizes["rare"] = len(value)


def _places(value: Any, sizes: Sizes) -> None:
    """Check where each category of a column is put once the rare ones are together."""
    each(maybe(integers(None, least=0)), "n_features", of=list)(value, sizes)
    for j, places in enumerate(value):
        groups = sizes.get(f"groups {j}")
        if (places is None) != (groups is None):
            raise ValueError("does not have the columns with rare categories")
        if places is not None and (places.size != sizes[f"categories {j}"] or places.max() + 1 != groups):
            raise ValueError("puts categories where there is no column")
    sizes["places"] = len(value)


def _dropped(value: Any, sizes: Sizes) -> None:
    """Check which category of each column is dropped, and that every other has a column."""
    has_groups = any(name.startswith("groups ") for name in sizes)
    if not {"rare", "places"} <= set(sizes) if sizes["is grouping"] else has_groups:
        raise ValueError("does not go with the rare categories")
    if value is not None:
        is_list = isinstance(value, np.ndarray) and value.dtype == object
        each(maybe(integer(0)), "n_features", of=list)(value.tolist() if is_list else value, sizes)
    for j in range(sizes["n_features"]):
        n = sizes.get(f"groups {j}", sizes[f"categories {j}"])
        is_dropped = value is not None and value[j] is not None
        if (is_dropped and value[j] >= n) or sizes[f"outputs {j}"] != n - is_dropped:
            raise ValueError("leaves another number of columns")


def _analyzer(value: Any, sizes: Sizes) -> None:
    """Check what texts are cut into, and note whether it is words."""
    if isinstance(value, str):
        one_of("word", "char", "char_wb")(value, sizes)
    else:
        _function(value or "", sizes)
    sizes["finds words"] = int(value == "word")


def _are_whole(values: Iterable[Any]) -> bool:
    return all(issubclass(kind, (int, np.integer)) for kind in set(map(type, values)))


def _vocabulary(value: Any, sizes: Sizes) -> None:
    """Check words and their places, and count them."""
    if not isinstance(value, dict) or set(map(type, value)) != {str} or not _are_whole(value.values()):
        raise ValueError("is no vocabulary")
    places = np.fromiter(value.values(), np.int64, len(value))
    if not np.array_equal(np.sort(places), np.arange(len(value))):
        raise ValueError("has places that are not those of its words")
    sizes["words"] = len(value)


def _lists_of_classes(value: Any, sizes: Sizes) -> None:
    """Check the classes of a tree, of several outputs or of one."""
    lists = value if isinstance(value, list) else [value]
    for k, values in enumerate(lists):
        _classes(values, {})
        sizes[f"classes {k}"] = values.size
    sizes["n_outputs"] = len(lists)


def _n_classes(value: Any, sizes: Sizes) -> None:
    """Check how many classes each output of a tree has."""
    known = [size for name, size in sizes.items() if name.startswith("classes ")]
    each(integer(1), len(known))(np.atleast_1d(value).tolist(), sizes)
    if np.ndim(value) > 1 or np.ravel(value).tolist() != known:
        raise ValueError("is not the number of its classes")


def _tree(value: Any, sizes: Sizes) -> None:
    """Check the nodes of a tree: they hold shares of as many classes as the classifier has."""
    known = [size for name, size in sizes.items() if name.startswith("classes ")]
    an_object(of=("Tree",), knows=())(value, {})
    if value.n_features != sizes["n_features"] or value.n_classes.tolist() != known or value.node_count < 1:
        raise ValueError("is a tree of other features or classes")
    numbers(None, len(known), max(known), least=0, most=1 + 1e-6)(value.value, {})


def _steps(value: Any, sizes: Sizes) -> None:
    """Check the steps of a pipeline: each takes what the one before returns, where that is known."""
    if not isinstance(value, list) or not value:
        raise ValueError("are no steps")
    width = sizes.get("n_features")
    for position, step in enumerate(value):
        if not isinstance(step, tuple) or len(step) != 2 or not isinstance(step[0], str):
            raise ValueError("are no steps")
        part = step[1]
        if part is None or (isinstance(part, str) and part == "passthrough"):
            continue
        methods = ("transform",) if position + 1 < len(value) else ("fit",)
        known = {} if width is None else {"n_features": width}
        an_object(*methods, knows=("n_features",))(part, known)
        width = _width_after(part, width)


def _width_after(part: Any, width: int | None) -> int | None:
    """Return the number of columns that a transformer makes, None where that is not known."""
    if hasattr(type(part), "count_outputs"):
        found: int | None = part.count_outputs()
        return found
    if type(part).__name__ == "SimpleImputer":
        is_plain = not part.add_indicator and part.statistics_.dtype.kind == "f"
        return int((~np.isnan(part.statistics_)).sum()) if is_plain else None
    return width if type(part).__name__ in ("StandardScaler", "LAIM", "Normalizer", "MaxAbsScaler") else None


_WIDTH: dict[str, Kind] = {"n_features_in_": size("n_features")}
_LINEAR: dict[str, Kind] = {
    "classes_": _two_classes,
    **_WIDTH,
    "coef_": _row_of_weights,
    "intercept_": either(a_number(), numbers("n_rows")),
}
_SCALE: Kind = maybe(numbers("n_features", least=1 / MOST))

OTHERS.update(
    {
        "sklearn.pipeline.Pipeline": {"steps": _steps},
        "sklearn.linear_model._logistic.LogisticRegression": {**_LINEAR, "solver": a_text},
        "sklearn.linear_model._stochastic_gradient.SGDClassifier": _LINEAR,
        "sklearn.linear_model._ridge.RidgeClassifier": {
            "_label_binarizer": _classes_of,
            **_LINEAR,
            "classes_": if_there(_two_classes),  # in 1.7 those of the binarizer alone
        },
        "sklearn.svm._classes.LinearSVC": _LINEAR,
        "sklearn.naive_bayes.GaussianNB": {
            "classes_": _classes,
            **_WIDTH,
            "theta_": numbers("n_classes", "n_features"),
            "var_": numbers("n_classes", "n_features", least=1 / MOST),
            "class_prior_": numbers("n_classes", least=0, most=1),
        },
        "sklearn.tree._classes.DecisionTreeClassifier": {
            "classes_": _lists_of_classes,
            **_WIDTH,
            "n_outputs_": size("n_outputs"),
            "n_classes_": _n_classes,
            "tree_": _tree,
        },
        "sklearn.preprocessing._data.StandardScaler": {
            **_WIDTH,
            "with_mean": one_of(True, False),
            "with_std": one_of(True, False),
            "mean_": maybe(numbers("n_features")),
            "scale_": _SCALE,
        },
        "sklearn.impute._base.SimpleImputer": {
            **_WIDTH,
            "keep_empty_features": _keeps,
            "statistics_": _statistics,
            "strategy": a_text,
            "missing_values": _missing,
            "add_indicator": _adds,
            "copy": one_of(True, False),
            "indicator_": _indicator,
            "_fit_dtype": _type_of_cells,
            "_fill_dtype": _type_of_cells if KEEPS_TYPE_OF_FILLING else if_there(_type_of_cells),
        },
        "sklearn.feature_extraction.text.TfidfVectorizer": {
            "vocabulary_": _vocabulary,
            "_tfidf": _tfidf,
            "analyzer": _analyzer,
            "lowercase": one_of(True, False),
            "binary": one_of(True, False),
            "strip_accents": one_of(None, "ascii", "unicode"),
            "input": one_of("content", "filename", "file"),
            "encoding": a_text,
            "decode_error": one_of("strict", "ignore", "replace"),
            "ngram_range": _n_grams,
            "token_pattern": _pattern,
            "stop_words": either(one_of(None, "english"), each(a_text, of=(list, set, frozenset))),
            "preprocessor": _function,
            "tokenizer": _tokenizer,
            "dtype": _type_of_numbers,
        },
        "sklearn.feature_extraction.text.TfidfTransformer": {
            "n_features_in_": if_there(size("n_features")),
            "idf_": if_there(numbers("n_features")),
            "norm": one_of(None, "l1", "l2"),
            "use_idf": one_of(True, False),
            "sublinear_tf": one_of(True, False),
        },
        "sklearn.preprocessing._encoders.OneHotEncoder": {
            **_WIDTH,
            "handle_unknown": one_of("error", "ignore", "infrequent_if_exist", "warn"),
            "sparse_output": one_of(True, False),
            "dtype": _type_of_numbers,
            "categories_": _categories,
            "_n_features_outs": _outputs,
            "_infrequent_enabled": _is_grouping,
            "_infrequent_indices": if_there(_rare),
            "_default_to_infrequent_mappings": if_there(_places),
            "_drop_idx_after_grouping": _dropped,
        },
        "sklearn.preprocessing._data.MaxAbsScaler": {**_WIDTH, "scale_": _SCALE},
        "sklearn.preprocessing._data.Normalizer": {"norm": one_of("l1", "l2", "max")},
    }
)
