"""What a finished run depended on, in a form that can be compared: settings as plain values, data as digests.

A run may be kept only if nothing that went into it changed. An estimator is described by its class and all its
parameters (defaults included, so that a default that changes is a change), arrays and hierarchies by a digest of
their content, functions by name and code.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np

from truepath.data import Dataset
from truepath.experiments.store import digest
from truepath.files.strict_json import dump_json
from truepath.hierarchy import Hierarchy


def describe_settings(value: Any) -> Any:
    """Return anything an estimator is made with as values that JSON can hold.

    Examples
    --------
    >>> from truepath.learners import PCTree
    >>> described = describe_settings(PCTree())
    >>> described["use"], described["params"]["hierarchy"]
    ('truepath.learners.PCTree', None)
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, np.generic):
        return describe_settings(value.item())
    if isinstance(value, list | tuple):
        return [describe_settings(member) for member in value]
    if isinstance(value, Mapping):
        return {str(key): describe_settings(member) for key, member in value.items()}
    return _describe_object(value)


def _describe_object(value: Any) -> Any:
    if isinstance(value, Hierarchy):
        return {"hierarchy": _hash_hierarchy(hashlib.sha256(), value).hexdigest()[:16]}
    if isinstance(value, Dataset):
        return {"dataset": data_fingerprint(value)}
    if isinstance(value, type):
        return {"class": _path(value)}
    if hasattr(value, "get_params"):
        params = value.get_params(deep=False)
        return {"use": _path(type(value)), "params": describe_settings(params)}
    if hasattr(value, "__code__"):
        return {"function": f"{value.__module__}.{value.__qualname__}", "code": _hash_code(value.__code__)}
    import joblib

    return {"object": _path(type(value)), "content": joblib.hash(value)}


def _path(kind: type) -> str:
    """Name a class by its public module: file paths within truepath may move."""
    parts = kind.__module__.split(".")
    return ".".join([*(parts[:2] if parts[0] == "truepath" else parts), kind.__qualname__])


def _hash_code(code: CodeType) -> str:
    """Digest a function's code, the functions within it included."""
    parts = [code.co_code.hex()]
    for constant in code.co_consts:
        parts.append(_hash_code(constant) if isinstance(constant, CodeType) else repr(constant))
    return digest(parts)


def data_fingerprint(ds: Dataset) -> str:
    """Return a digest of a data set's content: hierarchy, features, labels and splits, not its name.

    Examples
    --------
    >>> from truepath.data import load_dataset, make_hmc
    >>> data_fingerprint(load_dataset("toy")) == data_fingerprint(load_dataset("toy"))
    True
    >>> data_fingerprint(make_hmc(50, random_state=0)) == data_fingerprint(make_hmc(50, random_state=1))
    False
    """
    total = _hash_hierarchy(hashlib.sha256(), ds.hierarchy)
    for name, split in ds.splits.items():
        total.update(f"split {name}".encode())
        for matrix in (split.X, split.y, split.groups):
            if matrix is not None:
                _hash_matrix(total, matrix)
    return total.hexdigest()[:16]


def _hash_hierarchy(total: Any, hierarchy: Hierarchy) -> Any:
    total.update(dump_json([str(name) for name in hierarchy.names]).encode())
    total.update(np.ascontiguousarray(hierarchy.edges, np.int64).tobytes())
    return total


def _hash_matrix(total: Any, matrix: Any) -> None:
    """Add a dense or sparse matrix, or a column of texts."""
    total.update(f"{type(matrix).__name__} {matrix.shape} {matrix.dtype.kind}".encode())
    if hasattr(matrix, "indptr"):
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            total.update(np.ascontiguousarray(part).tobytes())
    elif matrix.dtype.kind in "OUS":
        total.update(dump_json([str(cell) for cell in matrix.ravel().tolist()]).encode())
    else:
        total.update(np.ascontiguousarray(matrix).tobytes())
