"""The rows below ``@data``, dense or sparse, to one matrix and the text columns."""

from __future__ import annotations

from truepath.data.readers.arff.cells import Table
from truepath.data.readers.arff.dense_rows import read_dense
from truepath.data.readers.arff.header import Arff
from truepath.data.readers.arff.sparse_rows import read_sparse

__all__ = ["Table", "read_table"]


def read_table(arff: Arff, first_index: int = 0) -> Table:
    """Turn the data lines into a table; ``first_index`` is the number of the first column in sparse rows."""
    columns = tuple(j for j, attribute in enumerate(arff.attributes) if attribute.kind in ("numeric", "nominal"))
    if not arff.lines:
        raise arff.error("no data rows below @data: the file is cut short.")
    return read_sparse(arff, columns, first_index) if arff.is_sparse else read_dense(arff, columns)
