"""Damaged tables and hierarchies: what comes out is the content, or an error of ours with the name of the file."""

from __future__ import annotations

import io
import lzma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from truepath import Hierarchy, open_dataset
from truepath.data import Dataset, read_hierarchy, read_labels, read_scores
from truepath.errors import DataFormatError, TruePathError
from truepath.files import Limits

pytestmark = pytest.mark.filterwarnings("ignore::truepath.errors.InputWarning")

TREE = Hierarchy.from_paths(["a/b", "c"])
LIMITS = Limits(max_bytes=2**26)  # damage can announce any size
OBO = b"""format-version: 1.2

[Term]
id: T:1
name: top ! all

[Term]
id: T:2
name: part
alt_id: T:9
is_a: T:1 ! top
relationship: part_of T:1 {x="y"}
"""


def parquet_bytes(columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def saved(save, *arrays, **named):
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def labels(path):
    return read_labels(path, TREE, limits=LIMITS)


def scores(path):
    return read_scores(path, TREE, limits=LIMITS)


def dataset(path):
    return open_dataset(path, limits=LIMITS)


def hierarchy(path):
    return read_hierarchy(path, limits=LIMITS)


ARRAYS = {"S": np.eye(2, 3), "names": ["a", "a/b", "c"], "ids": ["x", "y"]}
SEEDS = {
    "obo": (lambda: OBO, hierarchy, ".obo"),
    "obo_xz": (lambda: lzma.compress(OBO), hierarchy, ".obo.xz"),
    "json": (lambda: TREE.to_json().encode(), hierarchy, ".json"),
    "edges": (lambda: b"a b\nc b\n# note\n", hierarchy, ".edges"),
    "pairs": (lambda: b'parent,child\n,a\na,"b, c"\n', hierarchy, ".csv"),
    "paths": (lambda: b"a/b/c\nd\n", hierarchy, ".paths"),
    "parquet": (lambda: parquet_bytes({"labels": ["a/b", None, "c"], "x": [1.5, None, 2.0]}), dataset, ".parquet"),
    "parquet_lists": (lambda: parquet_bytes({"labels": [["a/b", "c"], []], "s": ["u", "v"]}), dataset, ".parquet"),
    "parquet_scores": (lambda: parquet_bytes({"a": [0.5, 1], "a/b": [0.5, 0], "c": [1, 0]}), scores, ".parquet"),
    "scores": (lambda: b'id,a,a/b,c\nx,.5,0.25,1e-3\n"y, z",1,1,0\n', scores, ".csv"),
    "labels": (lambda: b"id,labels\nx,a/b;c\ny,\n", labels, ".csv"),
    "labels_json": (lambda: b'[{"id": 1, "labels": ["a/b"]}, {"id": 2, "labels": []}]', labels, ".json"),
    "npz": (lambda: saved(np.savez_compressed, **ARRAYS), scores, ".npz"),
    "npz_sparse": (lambda: saved(sparse.save_npz, sparse.csr_matrix([[0.5, 0, 0.2], [0, 1, 0]])), scores, ".npz"),
    "npy": (lambda: saved(np.save, np.eye(3)), scores, ".npy"),
}
BITS = [b",", b"\n", b'"', b"[", b"{", b"a", b"9", b":", b"!", b"\xff", b"\0"]


@st.composite
def damaged(draw, whole):
    """Cut the bytes, or change, delete, insert and repeat a few."""
    raw = bytearray(whole)
    if draw(st.integers(0, 3)) == 0:
        return bytes(raw[: draw(st.integers(0, len(raw) - 1))])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(raw) - 1, 0)))
        kind = draw(st.sampled_from(["change", "delete", "insert", "repeat"]))
        if kind == "change" and raw:
            raw[at] = draw(st.integers(0, 255))
        elif kind == "delete":
            del raw[at : at + draw(st.integers(1, 8))]
        elif kind == "insert":
            raw[at:at] = draw(st.sampled_from(BITS))
        else:
            raw[at:at] = raw[at : at + draw(st.integers(1, 12))]
    return bytes(raw)


def check(form, raw, folder):
    _, read, ending = SEEDS[form]
    file = folder / f"damaged{ending}"
    file.write_bytes(raw)
    found = outcome(read, file)
    if isinstance(found, Dataset):
        found.describe()
    if isinstance(found, TruePathError):
        assert "damaged" in str(found)  # the file is named
    if isinstance(found, DataFormatError) and found.line is not None and ".xz" not in ending:
        assert 1 <= found.line <= raw.count(b"\n") + raw.count(b"\r") + 1


def outcome(read, file):
    """Return the content, or the error if it is one of ours; any other passes through and fails the test."""
    try:
        return read(file)
    except TruePathError as problem:
        return problem


def run(form, tmp_path_factory, n_examples):
    folder = tmp_path_factory.mktemp(form)
    make, read, ending = SEEDS[form]
    whole = folder / f"whole{ending}"
    whole.write_bytes(make())
    read(whole)

    @settings(max_examples=n_examples)
    @given(damaged(whole.read_bytes()))
    def try_one(raw):
        check(form, raw, folder)

    try_one()


@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files(form, tmp_path_factory):
    run(form, tmp_path_factory, 25)


@pytest.mark.slow
@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files_at_length(form, tmp_path_factory):
    run(form, tmp_path_factory, 300)
