"""Between label names and the closed boolean matrix: lists of names, columns of levels, frames, 0/1 matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy.build import is_missing
from truepath.hierarchy.checks import as_labels, check_labels
from truepath.hierarchy.names import WAYS, look_up, unknown_label
from truepath.hierarchy.propagation import drop_ancestors, raise_up

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy


def encode(labels: Any, hierarchy: Hierarchy, *, close: bool) -> Any:
    """Recognise the kind of ``labels`` and turn it into a closed matrix; see :meth:`Hierarchy.encode`.

    Matrices and numeric frames stay in their form; names become a ``csr_array``.
    """
    if hasattr(labels, "columns"):
        return _encode_frame(labels, hierarchy, close)
    if sparse.issparse(labels) or (isinstance(labels, np.ndarray) and labels.ndim >= 2):
        if labels.dtype.kind in "biuf":
            return check_labels(labels, hierarchy, name="labels", close=close)
        return _from_rows(paths_of_levels(labels), hierarchy, close)
    return _from_rows(labels, hierarchy, close)


def _encode_frame(frame: Any, hierarchy: Hierarchy, close: bool) -> Any:
    """Take a data frame as 0/1 columns named like nodes if its values are numbers, else as columns of levels."""
    import narwhals.stable.v1 as nw

    table = nw.from_native(frame, eager_only=True)
    if all(dtype.is_numeric() or dtype == nw.Boolean for dtype in table.schema.values()):
        for column in table.columns:
            if table.get_column(column).is_null().any():
                row = table.get_column(column).is_null().to_list().index(True)
                raise ValueError(f"labels: row {row} of column {str(column)!r} is missing; write 0 or 1.")
        values = as_labels(table.to_numpy(), "labels")
        Y = np.zeros((values.shape[0], hierarchy.n_nodes), bool)
        Y[:, hierarchy.indices([str(column) for column in table.columns])] = values
        return check_labels(Y, hierarchy, name="labels", close=close)
    return _from_rows(paths_of_levels(table.to_numpy().astype(object)), hierarchy, close)


def paths_of_levels(levels: NDArray[Any]) -> list[list[tuple[str, ...]]]:
    """Read HiClass-style arrays: (rows, levels), or (rows, paths, levels); empty cells end a path."""
    if levels.ndim not in (2, 3):
        raise ValueError(f"columns of levels come in 2 or 3 dimensions (rows, [paths,] levels); got {levels.ndim}.")
    cells = levels if levels.ndim == 3 else levels[:, None, :]
    rows = [[_cut_path(path, i) for path in row] for i, row in enumerate(cells.tolist())]
    return [[path for path in row if path] for row in rows]


def _cut_path(cells: Sequence[Any], row: int) -> tuple[str, ...]:
    """Keep the cells before the first empty one; a name after an empty cell is an error."""
    filled = [not (is_missing(cell) or cell == "") for cell in cells]
    length = filled.index(False) if False in filled else len(cells)
    if any(filled[length:]):
        raise ValueError(f"labels, row {row}: {list(cells)!r} has a gap; a path is filled from the top without holes.")
    return tuple(str(cell) for cell in cells[:length])


def _from_rows(rows: Iterable[Any], hierarchy: Hierarchy, close: bool) -> sparse.csr_array:
    """Look every label of every row up."""
    if isinstance(rows, str):
        raise TypeError(f"labels must have one entry per instance; got the one string {rows!r}. Put it in a list.")
    finder = _Finder(hierarchy)
    indptr, indices = [0], []
    for i, row in enumerate(rows):
        labels = [row] if isinstance(row, str) else row
        if isinstance(labels, (int, float)) or labels is None:
            raise TypeError(f"labels, row {i}: expected a collection of label names; got {row!r}. {WAYS}")
        indices += [finder.find(label, i) for label in labels]
        indptr.append(len(indices))
    parts = (np.ones(len(indices), bool), np.array(indices, np.int32), np.array(indptr, np.int64))
    Y = sparse.csr_array(parts, shape=(len(indptr) - 1, hierarchy.n_nodes))
    return raise_up(Y, hierarchy) if close else check_labels(Y, hierarchy, name="labels")


class _Finder:
    """Finds a node by its name, or by a tuple of the steps that lead to it."""

    def __init__(self, hierarchy: Hierarchy):
        self.hierarchy = hierarchy
        self.known: dict[tuple[str, ...], int] = {}

    def find(self, label: Any, row: int) -> int:
        """Return the node number, or raise with the row and the nearest names."""
        if isinstance(label, str):
            v = self.hierarchy.numbers.get(label)
            return v if v is not None else self._look_up(label, label, row)
        if isinstance(label, tuple) and label:
            if label not in self.known:
                self.known[label] = self._walk(label, row)
            return self.known[label]
        raise TypeError(f"labels, row {row}: a label is a name or a tuple of steps; got {label!r}. {WAYS}")

    def _look_up(self, name: str, label: Any, row: int) -> int:
        if name not in self.hierarchy:
            raise unknown_label(self.hierarchy, label, f" of row {row}")
        return look_up(self.hierarchy, name)

    def _walk(self, steps: tuple[str, ...], row: int) -> int:
        """Take the steps as node names from the top down, or as the parts of a path name."""
        h = self.hierarchy
        nodes = [h.numbers.get(step, -1) for step in steps]
        is_walk = -1 not in nodes and not h.parents(nodes[0]).size
        if is_walk and all(u in h.parents(v) for u, v in itertools.pairwise(nodes)):
            return nodes[-1]
        return self._look_up((h.sep or "/").join(steps), steps, row)


def decode(Y: Any, hierarchy: Hierarchy, *, most_specific: bool) -> list[tuple[str, ...]]:
    """List each row's names; with ``most_specific``, only labels none of whose children are set."""
    Y = sparse.csr_array(check_labels(Y, hierarchy, close=False))
    if most_specific:
        Y = drop_ancestors(Y, hierarchy)
    names = hierarchy.names
    return [tuple(names[Y.indices[Y.indptr[i] : Y.indptr[i + 1]]].tolist()) for i in range(Y.shape[0])]
