"""JSON that every parser reads: the one place where the package writes any; and files of it, read with errors of ours.

JSON has no NaN and no infinity. They are written as null, which is what a missing number is to other programs. Where
the difference counts, ``non_finite`` says what stands for such a number: ``str`` makes it "nan", "inf" or "-inf", which
is how thresholds are written and what ``float`` reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from os import fspath
from typing import Any

from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import PathType

NonFinite = Callable[[float], Any]


def _as_null(number: float) -> None:
    return None


def dump_json(value: Any, non_finite: NonFinite = _as_null, **layout: Any) -> str:
    """Return a value as strict JSON; ``layout`` is that of :func:`json.dumps`.

    Examples
    --------
    >>> dump_json({"f1": float("nan"), "counts": (1, 2)}), dump_json(float("-inf"), str)
    ('{"f1": null, "counts": [1, 2]}', '"-inf"')
    """
    try:
        return json.dumps(value, allow_nan=False, **layout)
    except (TypeError, ValueError):  # something in it is not finite, or is NumPy's
        return json.dumps(json_values(value, non_finite), allow_nan=False, **layout)


def json_values(value: Any, non_finite: NonFinite = _as_null) -> Any:
    """Return what JSON can hold: lists, mappings and plain numbers, ``non_finite(number)`` for NaN and infinity.

    Examples
    --------
    >>> import numpy as np
    >>> json_values({"low": np.array([0.5, np.nan]), "n": np.int64(3)}), json_values((np.inf,), str)
    ({'low': [0.5, None], 'n': 3}, ['inf'])
    """
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: json_values(member, non_finite) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(member, non_finite) for member in value]
    return non_finite(value) if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: PathType, limits: Limits | None = None) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    DataFormatError
        If it is not JSON, is nested too deeply to be read, or is larger than the limits allow.
    """
    from truepath.files.text import read_text  # here: commands that only write JSON need no unpackers at their start

    text = read_text(path, limits)
    try:
        return json.loads(text)
    except RecursionError:
        raise DataFormatError("not JSON that can be read: it is nested too deeply.", fspath(path)) from None
    except ValueError as problem:  # of the syntax, or a number of thousands of digits
        said = getattr(problem, "msg", problem)
        raise DataFormatError(f"not JSON ({said}).", fspath(path), getattr(problem, "lineno", None)) from None
