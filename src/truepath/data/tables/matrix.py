"""A matrix with the names of its columns and rows: what every format of matrices is read into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import DataFormatError
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import find_node_columns

_IDS = "A column of row ids is called 'id', or is named by ids= (--ids)."


@dataclass(frozen=True)
class Matrix:
    """Numbers, the names of their columns and rows (or None), and where they come from."""

    values: Any  # ndarray, or csr_array from a sparse file
    names: tuple[str, ...] | None
    ids: NDArray[np.object_] | None
    path: str
    lines: Sequence[int] = field(default=(), repr=False)
    id_name: str | None = None

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem, in a row if one is given."""
        if row is None or not self.lines:
            return DataFormatError(problem if row is None else f"row {row}: {problem}", self.path)
        return DataFormatError(problem, self.path, self.lines[row])

    def aligned(self, hierarchy: Hierarchy) -> Matrix:
        """Return the columns in the hierarchy's order; there must be one per node."""
        if self.names is None:
            if self.values.shape[1] != hierarchy.n_nodes:
                raise self.error(
                    f"{self.values.shape[1]} columns without names, but the hierarchy has {hierarchy.n_nodes} nodes. "
                    "A file without names needs one column per node, in the hierarchy's order."
                )
            return replace(self, names=tuple(hierarchy.names.tolist()))
        columns = find_node_columns(self.names, hierarchy, self.path, self.error, _IDS)
        in_order = columns == list(range(len(columns)))
        values = self.values if in_order else self.values[:, columns]
        return replace(self, values=values, names=tuple(hierarchy.names.tolist()))
