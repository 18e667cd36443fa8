"""Thresholds in a file: what a report's page saves and ``truepath label --thresholds`` reads.

``{"threshold": 0.35}`` is one for all labels, ``{"thresholds": {"a": 0.3, "a/x": 0.5}}`` one per label; with both, the
first holds for the labels that are not named. Infinity, which JSON does not have, is the text "inf" or "-inf". Other
entries, such as the method's name, are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import DataFormatError
from truepath.files.strict_json import read_json
from truepath.hierarchy import Hierarchy

EXPECTED = 'It should be {"threshold": 0.35} or {"thresholds": {"a label": 0.35, ...}}.'


def read_thresholds(path: Path, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return one threshold per label; a label without one, or one that the hierarchy does not have, is an error."""
    given = read_json(path)
    if not isinstance(given, dict) or not {"threshold", "thresholds"} & set(given):
        raise DataFormatError("there are no thresholds in it.", path, remedy=EXPECTED)
    by_name = given.get("thresholds", {})
    if not isinstance(by_name, Mapping):
        raise DataFormatError("'thresholds' is not a mapping from labels to numbers.", path, remedy=EXPECTED)
    usual = _number(given["threshold"], "threshold", path) if "threshold" in given else np.nan
    thresholds = np.full(hierarchy.n_nodes, usual)
    nodes = {str(name): v for v, name in enumerate(hierarchy.names)}
    for name, value in by_name.items():
        if name not in nodes:
            raise DataFormatError(f"the hierarchy has no label {name!r}.", path)
        thresholds[nodes[name]] = _number(value, name, path)
    lacking = np.flatnonzero(np.isnan(thresholds))
    if lacking.size:
        first = str(hierarchy.names[lacking[0]])
        remedy = 'Add them, or "threshold" for all labels that are not named.'
        raise DataFormatError(f"{lacking.size} labels have no threshold (first: {first!r}).", path, remedy=remedy)
    return thresholds


def _number(value: Any, name: str, path: Path) -> float:
    """Return a threshold; JSON's own infinities and texts of them are numbers too."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if (not is_number and value not in ("inf", "-inf")) or value != value:
        raise DataFormatError(f"the threshold of {name!r} is {value!r}, not a number.", path)
    return float(value)
