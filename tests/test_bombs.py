"""Small files that unpack to gigabytes: every door refuses them on the way, with file, line, limit and the way out."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truepath import Hierarchy, open_dataset
from truepath.cafa import read_accretion, read_annotations, read_long_table, read_ontology
from truepath.cafa.baselines.similarities import read_hits
from truepath.data import read_hierarchy, read_labels, read_scores
from truepath.data.tables.streams import stream_columns
from truepath.decoders.thresholds.saved import read_thresholds
from truepath.errors import DataFormatError
from truepath.experiments.plan import make_plan
from truepath.experiments.statistics.scores import result_columns
from truepath.files import Limits
from truepath.files.unpacking import open_unpacked

PACK = {".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}
TREE = Hierarchy.from_paths(["a/1", "b"])
ARFF = "@relation r\n@attribute x numeric\n"

#: How a file begins, and what reads it; a line without an end follows
DOORS = {
    "d.csv": ("x,labels\n1,a\n", open_dataset),
    "d.tsv": ("x\tlabels\n1\ta\n", open_dataset),
    "clus.arff": (f"{ARFF}@attribute class hierarchical a,b\n@data\n1,a\n", open_dataset),
    "meka.arff": ("@relation 'r: -C 1'\n@attribute l {0,1}\n@attribute x numeric\n@data\n1,1\n", open_dataset),
    "header.arff": (ARFF, open_dataset),
    "xmc.txt": ("2 3 2\n0 1:1\n", open_dataset),
    "d.svm": ("a 1:1\n", open_dataset),
    "h.csv": ("parent,child\na,b\n", read_hierarchy),
    "h.edges": ("a b\n", read_hierarchy),
    "h.paths": ("a/b\n", read_hierarchy),
    "h.json": ('{"a": {}, "b":\n', read_hierarchy),
    "h.obo": ("[Term]\nid: a\nname: a\n", read_hierarchy),
    "labels.csv": ("id,labels\nx,b\n", lambda path: read_labels(path, TREE)),
    "labels.json": ("[\n", lambda path: read_labels(path, TREE)),
    "scores.csv": ("id,a,b\nx,1,0\n", read_scores),
    "stream.csv": ("id,a\nx,1\n", lambda path: list(stream_columns(path, 64))),
    "a.gaf": ("!gaf-version: 2.2\n", read_annotations),
    "pairs.tsv": ("P1\tX:1\n", read_annotations),
    "predictions.tsv": ("P1\tX:1\t0.5\n", lambda path: read_long_table(path, scored=True)),
    "ia.tsv": ("X:1\t0.5\n", read_accretion),
    "hits.tsv": ("P1\tP2\t90\t1\t1\t1\t1\t1\t1\t1\t1e-9\t50\n", read_hits),
    "o.obo": ("[Term]\nid: a\nname: a\n", read_ontology),
    "o.json": ('{"graphs":\n', read_ontology),
    "thresholds.json": ('{"threshold":\n', lambda path: read_thresholds(path, TREE)),
    "results.csv": ("dataset,method,value\na,b,1\n", result_columns),
    "plan.toml": ("name = 'a'\n", make_plan),
}


@pytest.mark.parametrize("name", DOORS)
def test_a_line_without_an_end(tmp_path, monkeypatch, name):
    monkeypatch.setenv("TRUEPATH_MAX_LINE", "100K")
    beginning, read = DOORS[name]
    number = beginning.count("\n") + 1
    for ending, pack in PACK.items():
        bomb = tmp_path / f"{name}{ending}"
        bomb.write_bytes(pack(beginning.encode() + b"1" * 2**20))
        said = rf"{re.escape(bomb.name)}:{number}: a line of .* bytes or more, more than max_line=102,400"
        with pytest.raises(DataFormatError, match=said) as error:
            read(bomb)
        assert "TRUEPATH_MAX_LINE" in error.value.remedy


@pytest.mark.parametrize("name", ["d.csv", "clus.arff", "xmc.txt", "h.obo", "stream.csv", "a.gaf", "predictions.tsv"])
def test_many_lines_that_repeat(tmp_path, monkeypatch, name):
    monkeypatch.setenv("TRUEPATH_MAX_LINE", "100K")
    beginning, read = DOORS[name]
    repeated = {"h.obo": "synonym: 'x'\n", "a.gaf": "! nothing\n"}.get(name, beginning.splitlines(keepends=True)[-1])
    for ending, pack in PACK.items():
        bomb = tmp_path / f"{name}{ending}"
        bomb.write_bytes(pack((beginning + repeated * (2**21 // len(repeated))).encode()))
        with pytest.raises(
            DataFormatError, match=rf"{re.escape(bomb.name)}: .* times as many, more than max_ratio=200"
        ):
            read(bomb)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([b"x" * 7, b"x", b"\n", b"\r", b"x" * 40]), max_size=30).map(b"".join),
    st.integers(1, 60),
    st.lists(st.integers(1, 50), min_size=1, max_size=5),
    st.sampled_from(["", *PACK]),
)
def test_exactly_the_lines_that_are_too_long_are_refused(tmp_path_factory, raw, longest, sizes, ending):
    file = tmp_path_factory.mktemp("lines") / f"text{ending}"
    file.write_bytes(PACK.get(ending, bytes)(raw))
    found, refused = read_in_parts(file, Limits(max_line=longest), sizes)
    if max(map(len, re.split(rb"[\r\n]", raw))) <= longest:
        assert (found, refused) == (raw, None)
    else:
        before = re.match(rb"(?:[^\r\n]{0,%d}[\r\n])*" % longest, raw)[0]
        assert refused.line == before.count(b"\n") + 1


def read_in_parts(file, limits, sizes):
    """Return the bytes that are given away, and the error that ends them."""
    found = b""
    with open_unpacked(file, limits).detach() as watched:
        try:
            while n_bytes := watched.readinto(buffer := bytearray(sizes[len(found) % len(sizes)])):
                found += buffer[:n_bytes]
        except DataFormatError as error:
            return found, error
    return found, None


def test_a_cell_of_many_lines_is_no_way_around(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_MAX_LINE", "1000")
    file = tmp_path / "quoted.csv"
    file.write_text('a,b\n1,"' + "x\n" * 1000)
    for read in (open_dataset, lambda path: list(stream_columns(path, 64))):
        with pytest.raises(
            DataFormatError, match=r"quoted\.csv:2: a cell of 1,001 letters or more, more than max_line"
        ):
            read(file)


@pytest.mark.parametrize("name", ["d.csv", "h.csv", "labels.csv", "scores.csv", "stream.csv", "results.csv"])
@pytest.mark.parametrize("quoted", ["", '"x"'])
def test_a_line_of_separators(tmp_path, monkeypatch, name, quoted):
    monkeypatch.setenv("TRUEPATH_MAX_COLUMNS", "1000")
    beginning, read = DOORS[name]
    for before in (beginning, ""):  # in a row, and in the line of names
        bomb = tmp_path / f"{name}.gz"
        bomb.write_bytes(gzip.compress(before.encode() + quoted.encode() + b"," * 2000 + b"\n"))
        number = before.count("\n") + 1
        said = rf"{re.escape(bomb.name)}:{number}: a line of 2,001 cells, more than max_columns=1,000"
        with pytest.raises(DataFormatError, match=said):
            read(bomb)


@pytest.mark.parametrize("kind", ["shared", "continued", "packed", "in lists"])
def test_texts_of_parquet_files(tmp_path, monkeypatch, kind):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = ["x" * 10_000] * 300
    options = {
        "continued": {"use_dictionary": False, "column_encoding": {"labels": "DELTA_BYTE_ARRAY"}},
        "packed": {"use_dictionary": False},
    }.get(kind, {})
    table = pa.table({"x": np.arange(300.0), "labels": [[text] for text in texts] if kind == "in lists" else texts})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd", **options)
    assert open_dataset(tmp_path / "t.parquet")["all"].y.sum() == 300
    monkeypatch.setenv("TRUEPATH_MAX_LINE", "100K")
    for read in (open_dataset, lambda path: list(stream_columns(path, 64))):
        with pytest.raises(DataFormatError, match=r"t\.parquet: .* times as many, more than max_ratio=200"):
            read(tmp_path / "t.parquet")


def test_parquet_columns_of_all_kinds_come_as_they_are(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from truepath.data.tables.parquet import read_parquet

    columns = {
        "text": ["x", None, "y"] * 3,
        "lists": [["p", "q"], [], None] * 3,
        "records": [{"k": "v"}, None, {"k": None}] * 3,
        "category": pa.array(["u", "w", "u"] * 3).dictionary_encode(),
        "codes": pa.array([3, 4, None] * 3).dictionary_encode(),
        "bytes": [b"1"] * 9,
        "long": pa.array(["z"] * 9, pa.large_string()),
        "number": list(range(9)),
    }
    table = pa.table(columns)
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=4)
    found = read_parquet(tmp_path / "t.parquet")
    assert found.to_pydict() == table.to_pydict()
    assert found.schema.field("text").type == table.schema.field("text").type


def test_arrays_out_of_proportion(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "s.npz", S=np.zeros((2, 10**6)))
    monkeypatch.setenv("TRUEPATH_MAX_LINE", "100K")
    with pytest.raises(DataFormatError, match=r"s\.npz: .* times as many, more than max_ratio=200"):
        read_scores(tmp_path / "s.npz")
    monkeypatch.setenv("TRUEPATH_MAX_RATIO", "2000")
    assert not read_scores(tmp_path / "s.npz").S.any()


SCRIPT = """
import sys
from pathlib import Path
from truepath import open_dataset
from truepath.cafa import read_annotations
from truepath.data import read_hierarchy
from truepath.errors import DataFormatError

for name, read in (("b.csv", open_dataset), ("b.arff", open_dataset), ("b.txt", open_dataset),
                   ("b.json", read_hierarchy), ("b.gaf", read_annotations)):
    try:
        read(name + sys.argv[1])
    except DataFormatError as error:
        assert "max_line" in str(error), error
    else:
        raise AssertionError(name)
print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the most memory of a process is read from /proc")
@pytest.mark.parametrize("ending", PACK)
def test_a_line_of_three_gigabytes_takes_less_than_one(tmp_path, ending):
    bomb = PACK[ending](b"x" * 2**26) * 48
    for name in ("b.csv", "b.arff", "b.txt", "b.json", "b.gaf"):
        (tmp_path / f"{name}{ending}").write_bytes(bomb)
    command = [sys.executable, "-c", SCRIPT, ending]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(ran.stdout) * 1024 < 10**9
