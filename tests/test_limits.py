"""Files that ask for more than they hold: readers stop at limits, with the file, the limit and the way to raise it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy, open_dataset
from truepath.data import read_hierarchy, read_labels, read_scores
from truepath.errors import DataFormatError, HierarchyError, TruePathError
from truepath.files import Limits
from truepath.report import Evaluated, Run, load_run, save_run

PACK = {".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}
SMALL = Limits(max_bytes=2**20)
TREE = Hierarchy.from_paths(["a/1", "b"])


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("name", ["bomb.arff", "bomb.csv", "bomb.txt"])
def test_a_compressed_bomb_is_not_unpacked(tmp_path, ending, name):
    bomb = write(tmp_path, name + ending, PACK[ending](bytes(2**21)) * 50)
    said = rf"{name}\{ending}:1: a line of .* bytes or more, more than max_bytes=1,048,576"
    tracemalloc.start()
    try:
        with pytest.raises(DataFormatError, match=said) as error:
            open_dataset(bomb, format={"arff": "clus", "csv": "paths", "txt": "xmc"}[name[5:]], limits=SMALL)
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()
    assert "Limits(max_bytes=...)" in error.value.remedy
    assert "TRUEPATH_MAX_BYTES" in error.value.remedy


def test_the_head_of_a_bomb_is_no_bomb_either(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_MAX_BYTES", "1M")
    bomb = write(tmp_path, "bomb.arff.xz", lzma.compress(b"%" + bytes(2**21)) * 3)
    with pytest.raises(DataFormatError, match=r"bomb\.arff\.xz:1: a line of .* max_bytes=1,048,576"):
        open_dataset(bomb)  # which looks for the dialect
    bomb.write_bytes(lzma.compress(b"%\n" * 2**20))
    with pytest.raises(DataFormatError, match=r"bomb\.arff\.xz: the first lines take .* max_bytes=1,048,576"):
        open_dataset(bomb)


BOMBS = {
    "xmc_labels.txt": ("1 10 16000000\n0 1:1\n", {}, "max_labels=4,194,304", 1),
    "xmc_features.txt": ("1 2000000000 3\n0 1:1\n", {}, "max_features=134,217,728", 1),
    "libsvm.svm": ("a 1:1\nb 2000000000:1\n", {}, "max_features=134,217,728", 2),
    "one_path.csv": (f"x,labels\n1,{'/'.join(['a'] * 20_000)}\n", {}, "max_depth=1,000", None),
    "clus.arff": (
        f"@relation r\n@attribute x numeric\n@attribute class hierarchical {'/'.join(['a'] * 20_000)}\n@data\n1,a\n",
        {},
        "max_depth=1,000",
        None,
    ),
    "long.arff": ("@relation r\n" * 5, {"limits": Limits(max_bytes=50)}, "max_bytes=50", None),
}


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_that_ask_for_much(tmp_path, name):
    text, options, limit, line = BOMBS[name]
    options = {"limits": Limits(), **options, "format": {"long.arff": "clus"}.get(name)}
    with pytest.raises(DataFormatError, match=rf"{name}.*more than {limit}") as error:
        open_dataset(write(tmp_path, name, text), **options)
    assert error.value.line == line


def test_names_that_repeat_their_paths(tmp_path):
    paths = "\n".join(f"{k}/" + "/".join(["abcdefgh"] * 90) for k in range(20))
    file = write(tmp_path, "h.paths", paths)
    with pytest.raises(DataFormatError, match=r"h\.paths: names of labels that take 7\d\d,\d\d\d bytes"):
        read_hierarchy(file, limits=Limits(max_bytes=100_000))
    assert read_hierarchy(file).n_nodes == 20 * 91


@pytest.mark.parametrize("name", ["h.csv", "h.edges", "h.json", "h.obo"])
def test_deep_and_large_hierarchies(tmp_path, name):
    names = [f"n{k}" for k in range(60)]
    chain = Hierarchy.from_edges(zip([None, *names], names))
    text = {
        "h.csv": "\n".join(f"{u},{v}" for u, v in pairwise(names)),
        "h.edges": "\n".join(f"{u} {v}" for u, v in pairwise(names)),
        "h.json": chain.to_json(),
        "h.obo": "[Term]\nid: n0\nname: n0\n"
        + "\n".join(f"[Term]\nid: {v}\nname: v\nis_a: {u}" for u, v in pairwise(names)),
    }[name]
    file = write(tmp_path, name, text)
    assert read_hierarchy(file).height == 60
    with pytest.raises(DataFormatError, match=rf"{name}: a hierarchy of 60 levels, more than max_depth=59"):
        read_hierarchy(file, limits=Limits(max_depth=59))
    with pytest.raises(DataFormatError, match=rf"{name}: 60 (labels|terms), more than max_labels=59"):
        read_hierarchy(file, limits=Limits(max_labels=59))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_that_is_nested_deeply(tmp_path, opening):
    file = write(tmp_path, "deep.json", opening * 100_000)
    for read in (read_hierarchy, lambda path: read_labels(path, TREE)):
        with pytest.raises(DataFormatError, match=r"deep\.json: "):
            read(file)
    with pytest.raises(HierarchyError):
        Hierarchy.from_json(opening * 100_000)


def test_arrays_in_archives(tmp_path):
    np.savez_compressed(tmp_path / "s.npz", S=np.zeros((2, 10**6)))
    with pytest.raises(DataFormatError, match=r"s\.npz: the arrays in the archive take 16,000,\d+ bytes"):
        read_scores(tmp_path / "s.npz", limits=SMALL)
    np.save(tmp_path / "s.npy", np.zeros((2, 10**5)))
    with pytest.raises(DataFormatError, match=r"s\.npy: the file takes 1,600,\d+ bytes"):
        read_scores(tmp_path / "s.npy", limits=SMALL)
    broken = sparse.csr_array(([np.nan], ([3], [10**8])), shape=(10**6, 10**9))
    sparse.save_npz(tmp_path / "nan.npz", broken)
    with pytest.raises(DataFormatError, match=r"nan\.npz: row 3: nan in column 100000000"):
        read_scores(tmp_path / "nan.npz")


@pytest.mark.parametrize("kind", ["many values", "many rows"])
@pytest.mark.parametrize("road", ["scores", "a run"])
def test_sparse_matrices_in_archives(tmp_path, monkeypatch, road, kind):
    """A file of a few kilobytes asks for eight megabytes."""
    run = Run(TREE, np.eye(3, dtype=bool) | [[1, 0, 0]], Evaluated("x", np.zeros((3, 3), bool)))
    folder = save_run(tmp_path, run)
    file = next(folder.glob("arrays-*/truth.npz")) if road == "a run" else folder / "scores.npz"
    if kind == "many values":
        sparse.save_npz(file, sparse.csr_array((np.ones(10**6), np.zeros(10**6, int), [0, 10**6]), shape=(1, 3)))
    else:
        sparse.save_npz(file, sparse.coo_array(([1.0], ([0], [0])), shape=(10**6, 3)))
    assert file.stat().st_size < 100_000
    monkeypatch.setenv("TRUEPATH_MAX_BYTES", "1M")
    with pytest.raises(
        DataFormatError, match=rf"{file.name}: .* take \d+,\d+,\d+ bytes, more than max_bytes=1,048,576"
    ):
        load_run(folder) if road == "a run" else read_scores(file)


def test_parquet_pages_unpack_to_much(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"labels": ["a" * 1000] * 10_000, "x": [0.0] * 10_000}), tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 20_000
    with pytest.raises(DataFormatError, match=r"t\.parquet: the table unpacks to .* max_bytes=1,048,576"):
        open_dataset(tmp_path / "t.parquet", limits=SMALL)
    with pytest.raises(DataFormatError, match=r"t\.parquet: 10,000 rows of 2 columns take 160,000 bytes"):
        open_dataset(tmp_path / "t.parquet", limits=Limits(max_bytes=30_000))


def test_sparse_rows_whose_absent_labels_are_positive(tmp_path):
    labels = "".join(f"@attribute l{k} {{1,0}}\n" for k in range(50))
    text = f"@relation 'r: -C 50'\n{labels}@attribute x numeric\n@data\n" + "{}\n" * 5000
    file = write(tmp_path, "d.arff", text)
    assert open_dataset(file)["all"].y.all()
    with pytest.raises(DataFormatError, match=r"d\.arff: labels that are 1 where nothing is written take 2,000,000"):
        open_dataset(file, limits=SMALL)


def test_labels_nested_in_xml(tmp_path):
    write(tmp_path, "d.arff", "@relation r\n@attribute l0 {0,1}\n@data\n1\n")
    write(tmp_path, "d.xml", "<labels>" + '<label name="l0">' * 3000 + "</label>" * 3000 + "</labels>")
    with pytest.raises(DataFormatError, match=r"d\.xml: labels nested 1,001 deep, more than max_depth"):
        open_dataset(tmp_path / "d.arff")


def test_the_environment_sets_limits(tmp_path, monkeypatch):
    file = write(tmp_path, "d.csv", "x,labels\n1,a/b/c\n")
    monkeypatch.setenv("TRUEPATH_MAX_DEPTH", "2")
    with pytest.raises(DataFormatError, match=r"d\.csv: a label path of 3 parts, more than max_depth=2"):
        open_dataset(file)
    assert open_dataset(file, limits=Limits()).hierarchy.n_nodes == 3
    monkeypatch.setenv("TRUEPATH_MAX_DEPTH", "many")
    with pytest.raises(TruePathError, match=r"TRUEPATH_MAX_DEPTH is 'many', not a number"):
        open_dataset(file)


def test_limits_let_large_data_through():
    """Two gigabytes of text, the labels of the largest public collection, hashed features, an ontology's depth."""
    usual = Limits()
    assert (usual.max_bytes, usual.max_labels, usual.max_features) > (2 * 10**9, 2_812_281, 54_686_452)
    assert usual.max_depth >= 100
