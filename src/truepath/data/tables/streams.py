"""Tables of any length, some rows at a time: the same cells as :func:`read_columns` gives, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from os import fspath
from pathlib import Path

from truepath.adapters.blocks import ROW_GROUP, take_blocks
from truepath.data.tables.columns import Columns
from truepath.data.tables.frames import (
    FOUND_OUT,
    TableForm,
    columns_of_rows,
    csv_rows,
    format_of,
    from_frame,
    name_columns,
    read_columns,
)
from truepath.data.tables.parquet import parquet_batches
from truepath.errors import DataFormatError
from truepath.files.limits import usual_limits
from truepath.files.names import COMPRESSIONS, PathType
from truepath.files.text import stream_lines


def stream_columns(path: PathType, size: int, form: TableForm = FOUND_OUT) -> Iterator[Columns]:
    r"""Read a CSV, TSV or Parquet file ``size`` rows at a time; fewer than 64 rows at the end join the last block.

    Lines of JSON and workbooks come as one block.

    Parameters
    ----------
    path : path
        Compressed text is unpacked on the way. Parquet needs pyarrow for this; without it, or compressed as a
        whole, it comes as one block.
    size : int
        A multiple of 64, as :func:`truepath.adapters.blocks.choose_batch_size` returns it.
    form : TableForm, optional
        How the table is written; detected by default.

    Raises
    ------
    DataFormatError
        As from :func:`read_columns`, once the rows are reached.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "numbers.csv"
    >>> _ = file.write_text("id,x\n" + "".join(f"{i},{i / 4}\n" for i in range(150)))
    >>> [(block.n_rows, block.lines[0], block.texts("x")[0]) for block in stream_columns(file, 64)]
    [(64, 2, '0.0'), (86, 66, '16.0')]
    """
    form.check_sheet(path)
    if format_of(path) in ("jsonl", "xlsx"):
        return iter([read_columns(path, form)])
    if format_of(path) != "parquet":
        return _text_blocks(path, size, form)
    if find_spec("pyarrow") is None or Path(path).suffix.lower() in COMPRESSIONS:
        return iter([read_columns(path)])
    return _parquet_blocks(path, size)


def _text_blocks(path: PathType, size: int, form: TableForm) -> Iterator[Columns]:
    """Yield the rows of a text file with their line numbers."""
    delimiter = form.delimiter_of(path)
    rows = csv_rows(stream_lines(path, encoding=form.encoding_of(path)), delimiter, path)
    _, header = next(rows, (1, []))
    header = name_columns(header, path)
    waiting, lines = [], []
    for line, row in rows:
        waiting.append(row)
        lines.append(line)
        if len(waiting) == size + ROW_GROUP:
            yield columns_of_rows(header, waiting[:size], lines[:size], path, delimiter)
            del waiting[:size], lines[:size]
    yield columns_of_rows(header, waiting, lines, path, delimiter)  # 64 rows or more wait once a block was given away


def _parquet_blocks(path: PathType, size: int) -> Iterator[Columns]:
    import pyarrow
    from pyarrow import parquet

    with open(path, "rb") as file:  # a missing file is an OSError
        try:
            schema = parquet.read_schema(file)
            tables = parquet_batches(file, path, usual_limits(), size)
            batches = (batch for table in tables for batch in table.to_batches())
            for table in take_blocks(pyarrow.RecordBatchReader.from_batches(schema, batches), size):
                yield from_frame(table, fspath(path))
        except pyarrow.ArrowException as problem:
            said = " ".join(str(problem).split())[:200]
            raise DataFormatError(f"not a readable Parquet file ({said}).", fspath(path)) from problem
