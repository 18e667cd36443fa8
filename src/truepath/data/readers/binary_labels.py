"""Labels written as 0/1 columns among the attributes: what MULAN and MEKA share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.readers.arff.cells import Table
from truepath.data.readers.arff.header import Arff
from truepath.data.readers.assemble import row_ids, split_of_labels
from truepath.data.split import Split
from truepath.hierarchy import Hierarchy

__all__ = ["check_label_columns", "split_with_binary_labels"]


def check_label_columns(arff: Arff, positions: Sequence[int]) -> None:
    """Refuse label attributes that are neither numeric nor nominal with the values 0 and 1."""
    for j in positions:
        attribute = arff.attributes[j]
        if attribute.kind != "numeric" and set(attribute.values) != {"0", "1"}:
            raise arff.error(f"label {attribute.name!r} must be declared {{0,1}} or numeric.", attribute.line)


def split_with_binary_labels(arff: Arff, table: Table, positions: Sequence[int], hierarchy: Hierarchy) -> Split:
    """Take the columns of ``positions`` (attribute numbers, in the order of the nodes) as labels, the rest as X."""
    column_of = {j: k for k, j in enumerate(table.columns)}
    chosen = [column_of[j] for j in positions]
    others = np.setdiff1d(np.arange(len(table.columns)), chosen)
    ones = np.array([arff.attributes[j].codes.get("1", 1) for j in positions])
    written = _positives(arff, table.values, np.array(chosen), ones, positions)
    X: Any = table.values[:, others]
    return split_of_labels(X, written, hierarchy, row_ids(arff, table))


def _positives(
    arff: Arff, values: Any, columns: NDArray[np.int64], ones: NDArray[np.int64], positions: Sequence[int]
) -> sparse.csr_array[Any]:
    """Mark the cells that say 1; ``ones`` are the codes of "1", which is 0 where it was declared first."""
    if sparse.issparse(values) and (ones == 1).all():
        block = sparse.csr_array(values[:, columns])
        entries = block.data
    else:
        dense = values[:, columns].toarray() if sparse.issparse(values) else values[:, columns]
        entries = np.where(ones == 1, dense, 1 - dense)
        block = sparse.csr_array(entries)
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
