"""Labels written as 0/1 columns among the attributes: what MULAN and MEKA share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.readers.arff.cells import ArffTable
from truepath.data.readers.arff.files import finish, read_all, row_ids
from truepath.data.readers.arff.header import Arff
from truepath.data.readers.base import Paths, split_of_labels
from truepath.data.split import Split
from truepath.files.limits import Limits, usual_limits
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense


def read_binary_labels(
    path: Paths,
    find: Callable[[Arff], list[int]],
    hierarchy: Hierarchy | None,
    name: str | None,
    more: Mapping[str, Any] = MappingProxyType({}),
    limits: Limits | None = None,
) -> Dataset:
    """Read files; ``find`` finds the label attributes, in the order of the nodes. Labels are flat without a hierarchy.

    ``more`` is kept with the files' names in the data set's provenance.
    """
    limits = limits or usual_limits()
    files = read_all(path, find, limits=limits)
    first = next(iter(files.values()))[0]
    positions = find(first)
    hierarchy = hierarchy or Hierarchy.flat([first.attributes[j].name for j in positions])
    splits = {split: _split(arff, table, positions, hierarchy, limits) for split, (arff, table) in files.items()}
    return finish(files, hierarchy, splits, set(positions), name, more)


def check_label_columns(arff: Arff, positions: Sequence[int]) -> None:
    """Refuse label attributes that are neither numeric nor nominal with the values 0 and 1."""
    for j in positions:
        attribute = arff.attributes[j]
        if attribute.kind != "numeric" and set(attribute.values) != {"0", "1"}:
            raise arff.error(f"label {attribute.name!r} must be declared {{0,1}} or numeric.", attribute.line)


def _split(arff: Arff, table: ArffTable, positions: Sequence[int], hierarchy: Hierarchy, limits: Limits) -> Split:
    """Take the columns of ``positions`` (attribute numbers, in the order of the nodes) as labels, the rest as X."""
    column_of = {j: k for k, j in enumerate(table.columns)}
    chosen = [column_of[j] for j in positions]
    others = np.setdiff1d(np.arange(len(table.columns)), chosen)
    ones = np.array([arff.attributes[j].codes.get("1", 1) for j in positions])
    if sparse.issparse(table.values) and (ones != 1).any():  # what the rows leave out are positives
        n_cells = len(positions) * table.values.shape[0]
        limits.check("max_bytes", 8 * n_cells, "labels that are 1 where nothing is written take {:,} bytes", arff.path)
    written = _positives(arff, table.values, np.array(chosen), ones, positions)
    X: Any = table.values[:, others]
    return split_of_labels(X, written, hierarchy, row_ids(arff, table))


def _positives(
    arff: Arff, values: Any, columns: NDArray[np.int64], ones: NDArray[np.int64], positions: Sequence[int]
) -> sparse.csr_array[Any]:
    """Mark the cells that say 1; ``ones`` are the codes of "1", which is 0 where it was declared first."""
    if sparse.issparse(values) and (ones == 1).all():
        block = sparse.csr_array(values[:, columns])
    else:
        dense = as_dense(values[:, columns])
        block = sparse.csr_array(np.where(ones == 1, dense, 1 - dense))
    entries = block.data
    wrong = np.flatnonzero((entries != 0) & (entries != 1))
    if wrong.size:
        row = int(np.searchsorted(block.indptr, wrong[0], side="right")) - 1
        label = arff.attributes[positions[block.indices[wrong[0]]]].name
        raise arff.error(f"label {label!r} must be 0 or 1, not {_shown(entries[wrong[0]])}.", arff.numbers[row])
    block = block.astype(bool)
    block.eliminate_zeros()
    block.sort_indices()
    return block


def _shown(value: float) -> str:
    return "missing" if np.isnan(value) else f"{value:g}"
