"""Tables read some rows at a time have the cells, lines and errors of tables read whole."""

from __future__ import annotations

import gzip
import lzma

import numpy as np
import pytest

import truepath.data.tables.streams as streams
from truepath.data.tables.frames import read_columns
from truepath.data.tables.streams import stream_columns
from truepath.errors import DataFormatError

ODD = 'id,"a ""name""",text\r\n1,0.5,plain\r\n\r\n2,,"two\r\nlines, and a comma"\n"",-1e300, spaces \n4,é,\U0001f600\n'


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let two rows be a block, and one more join the last."""
    monkeypatch.setattr(streams, "ROW_GROUP", 1)


def joined(path, size=2):
    blocks = list(stream_columns(path, size))
    cells = {name: [cell for block in blocks for cell in block.data[name]] for name in blocks[0].names}
    return cells, [line for block in blocks for line in block.lines], [block.n_rows for block in blocks]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.xz", ".tsv"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
def test_odd_cells(tmp_path, ending, mark):
    file = tmp_path / f"odd{ending}"
    text = (mark + (ODD.replace(",", "\t") if ending == ".tsv" else ODD)).encode()
    pack = {".csv.gz": gzip.compress, ".csv.xz": lzma.compress}.get(ending, bytes)
    file.write_bytes(pack(text))
    whole = read_columns(file)
    cells, lines, sizes = joined(file)
    assert sizes == [2, 2]
    assert {name: list(column) for name, column in whole.data.items()} == cells
    assert list(whole.lines) == lines


@pytest.mark.parametrize(
    "text",
    [
        b"a,b\n1,2\n3\n",
        b"a,b\n1,2\n3,4\n5,6\n7,8,9\n",
        b"a,a\n1,2\n",
        b"a,b\n",
        b"",
        b'a,b\n1,2\n1,2\n1,2\n"3,4\n5,6',
        b"a,b\n1,2\n3,4\n5,\x81\n",
        b"a,b\n" + b"1,2\n" * 4000 + b"5,\x81\n" + b"1,2\n" * 4000,
        b"a,b\n1,2\n3,4\n5,\0\n",
    ],
)
def test_errors_are_those_of_the_whole(tmp_path, text):
    file = tmp_path / "wrong.csv"
    file.write_bytes(text)
    with pytest.raises(DataFormatError) as of_whole:
        read_columns(file)
    with pytest.raises(DataFormatError) as of_stream:
        list(stream_columns(file, 2))
    assert str(of_stream.value) == str(of_whole.value)


def test_damaged_archives_and_missing_files(tmp_path):
    file = tmp_path / "cut.csv.gz"
    file.write_bytes(gzip.compress(ODD.encode() * 100)[:-20])
    with pytest.raises(DataFormatError, match="damaged or cut short"):
        list(stream_columns(file, 2))
    for name in ("none.csv", "none.csv.xz", "none.parquet"):
        with pytest.raises(FileNotFoundError):
            list(stream_columns(tmp_path / name, 2))


def test_a_line_without_an_end_meets_the_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_MAX_BYTES", "1000")
    file = tmp_path / "bomb.csv"
    file.write_text("a,b\n" + "1,2\n" * 1000)  # more than the limit, but no line is
    assert sum(block.n_rows for block in stream_columns(file, 64)) == 1000
    file.write_text("a,b\n" + "1" * 2000)
    with pytest.raises(DataFormatError, match=r"a line of .* max_bytes=1,000"):
        list(stream_columns(file, 2))


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = tmp_path / "table.parquet"
    data = {"id": [f"r{i}" for i in range(200)], "x": [None if i % 7 == 0 else i / 3 for i in range(200)]}
    parquet.write_table(pyarrow.table(data), file, row_group_size=30)
    blocks = list(stream_columns(file, 64))
    assert [block.n_rows for block in blocks] == [64, 64, 72]
    whole = read_columns(file)
    np.testing.assert_array_equal(np.vstack([b.cells(["id", "x"]) for b in blocks]), whole.cells(["id", "x"]))
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DataFormatError, match=r"table\.parquet: not a readable Parquet file"):
        list(stream_columns(file, 64))
