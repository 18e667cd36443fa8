"""Checks after loading: indices that compiled code follows without checking.

The types of a model file are trusted, its numbers are not. Trees, sparse matrices and tables are walked by compiled
code that does not check indices, so a crafted number could read foreign memory, and what does not fit together would
fail later, in the middle of a prediction. Everything loaded is therefore visited: it holds what its class declares
(:mod:`truepath.held`; objects of scikit-learn: :mod:`truepath.persistence.scikit_learn`), then an object of truepath
checks what its parts are to each other in ``check_loaded``; sparse matrices and trees of scikit-learn are checked here.
An estimator of another version of scikit-learn may lack what this version asks for when it predicts: it is tried out.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from truepath.held import check_held, declared, n_workers
from truepath.persistence import scikit_learn  # noqa: F401 - says what its objects hold

logger = logging.getLogger(__name__)

#: Code, not data of the file. An operator of SciPy keeps the module of its arrays: from there the walk would not end.
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, np.ufunc)


#: What scikit-learn's estimators are asked, where they can be
ASKED = ("predict_proba", "decision_function", "predict", "transform")


def check_sound(root: Any) -> None:
    """Visit everything that ``root`` holds; raise ValueError where an index leads outside."""
    found = list(_visit(root))
    for value in found:  # before anything is asked of one that has them
        if isinstance(value, Pipeline) and not _has_pairs(value.steps):
            raise ValueError("steps of a Pipeline are no steps")
    for value in found:
        if sparse.issparse(value):
            _check_sparse(value)
        elif type(value).__module__ == "sklearn.tree._tree":
            _check_sklearn_tree(value)
        elif isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, CODE):
            _check_names(value)
        if _is_sklearn(value):
            _check_features(value)
    fitted = [value for value in found if _is_fitted(value)]
    for value in fitted:
        if declared(type(value)):
            check_held(value)
    for value in fitted:
        if hasattr(type(value), "check_loaded"):
            type(value).check_loaded(value)


def _check_names(value: Any) -> None:
    """Refuse an object that lacks a parameter, or has something of its own in the place of a method."""
    cls = type(value)
    if hasattr(cls, "get_params"):
        value.get_params(deep=False)  # which asks for every one
    n_workers(vars(value).get("n_jobs"), {})
    for name, held in vars(value).items():
        is_method = isinstance(name, str) and isinstance(getattr(cls, name, None), FunctionType)
        if not isinstance(name, str) or (is_method and not isinstance(held, FunctionType)):
            raise ValueError(f"a {cls.__name__} has an attribute called {str(name)[:40]}")


def check_usable(root: Any) -> None:
    """Ask one estimator of scikit-learn of each kind about a row of zeros; raise AttributeError if a part is missing.

    For models saved under another version: attributes come and go, which would only be noticed at the first prediction.
    """
    kinds = {type(value): value for value in _visit(root) if _is_sklearn(value) and hasattr(value, "n_features_in_")}
    for value in kinds.values():
        for method in ASKED:
            if hasattr(value, method):
                _try_method(getattr(value, method), np.zeros((1, value.n_features_in_)))


def _try_method(method: Any, row: np.ndarray) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method(row)
    except AttributeError as problem:
        if _is_sklearn(problem.obj):
            raise
    except Exception:
        logger.debug("%s does not take zeros, which says nothing about versions", method, exc_info=True)


def _is_sklearn(value: Any) -> bool:
    return type(value).__module__.startswith("sklearn.")


def _visit(root: Any) -> Iterator[Any]:
    """Yield everything that ``root`` holds, once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, (str, bytes, int, float, type(None))):
            continue
        seen.add(id(value))
        waiting.extend(_parts(value))
        yield value


def _has_pairs(steps: Any) -> bool:
    """Say whether there are steps, each with a name and a part."""
    are_listed = isinstance(steps, (list, tuple)) and len(steps) > 0
    return are_listed and all(isinstance(step, (list, tuple)) and len(step) > 1 for step in steps)


def _is_fitted(value: Any) -> bool:
    """Return whether there is something to check: an estimator given as a parameter has learned nothing yet."""
    if not hasattr(type(value), "get_params"):
        return True
    if isinstance(value, Pipeline):  # all that it learns is in its steps
        return _is_fitted(value.steps[-1][1])
    return any(name.endswith("_") for name in set(vars(value)) - set(value.get_params(deep=False)))


def _parts(value: Any) -> Iterator[Any]:
    """Yield what a container or an object holds."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple, set)) or (isinstance(value, np.ndarray) and value.dtype == object):
        yield from np.ravel(value).tolist() if isinstance(value, np.ndarray) else value
    held = (
        None if isinstance(value, (np.ndarray, *CODE)) or sparse.issparse(value) else getattr(value, "__dict__", None)
    )
    if isinstance(held, dict):
        yield from held.values()


def _check_sparse(matrix: Any) -> None:
    if matrix.format in ("csr", "csc", "bsr"):
        if (np.diff(matrix.indptr) < 0).any():  # a last one below zero would end SciPy's own check
            raise ValueError("a sparse matrix has rows that end before they start")
        matrix.check_format(full_check=True)
    elif matrix.nnz and any((c < 0).any() or c.max() >= n for c, n in zip(matrix.tocoo().coords, matrix.shape)):
        raise ValueError("a sparse matrix has indices outside its shape")


def check_binary_tree(left: Any, right: Any, feature: Any, n_features: int, is_leaf: Any) -> None:
    """Refuse inner nodes whose children do not come after them within the tree, or that split on an unknown feature."""
    inner = ~np.asarray(is_leaf, bool)
    node = np.arange(inner.size)[inner]
    for child in (np.asarray(left)[inner].astype(np.int64), np.asarray(right)[inner].astype(np.int64)):
        if ((child <= node) | (child >= inner.size)).any():
            raise ValueError("a tree has a child outside the tree")
    asked = np.asarray(feature)[inner].astype(np.int64)
    if ((asked < 0) | (asked >= n_features)).any():
        raise ValueError("a tree splits on a feature that does not exist")


def _check_sklearn_tree(tree: Any) -> None:
    is_leaf = tree.children_left == -1
    check_binary_tree(tree.children_left, tree.children_right, tree.feature, tree.n_features, is_leaf)


def _check_features(estimator: Any) -> None:
    """Refuse trees of scikit-learn that split on more features than the estimator around them has."""
    n_features = getattr(estimator, "n_features_in_", None)
    members = getattr(estimator, "estimators_", [])
    for member in (estimator, *(np.ravel(members).tolist() if isinstance(members, (list, np.ndarray)) else ())):
        asked = getattr(getattr(member, "tree_", None), "n_features", None)
        if asked is not None and n_features is not None and asked > n_features:
            raise ValueError("a tree splits on a feature that does not exist")
    for predictor in np.ravel(np.array(getattr(estimator, "_predictors", []), object)):
        nodes, n_sets = predictor.nodes, len(predictor.raw_left_cat_bitsets)
        is_leaf = nodes["is_leaf"].astype(bool)
        check_binary_tree(nodes["left"], nodes["right"], nodes["feature_idx"], int(n_features or 0), is_leaf)
        if (nodes["bitset_idx"][nodes["is_categorical"].astype(bool)] >= n_sets).any():
            raise ValueError("a tree splits on a set of categories that does not exist")
