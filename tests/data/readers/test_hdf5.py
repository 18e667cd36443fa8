"""HDF5 holds what an .npz file may hold: a matrix with ids and labels, or one vector for each row."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from commands import refusal_of, run_command
from truepath.cafa import read_embeddings
from truepath.data import read_arrays_with_labels, read_scores
from truepath.data.readers.arrays import read_array_rows
from truepath.errors import DataFormatError
from truepath.hierarchy import Hierarchy

h5py = pytest.importorskip("h5py")

LABELS = ["a/1", "a/2", "b"]


def rows(n=45):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6)).astype(np.float32) + np.arange(n)[:, None] % 3 * 2
    return X, [f"p{i}" for i in range(n)], [LABELS[i % 3] for i in range(n)]


@pytest.fixture
def folder(tmp_path):
    X, ids, labels = rows()
    with h5py.File(tmp_path / "all.h5", "w") as file:
        file["X"], file["ids"], file["labels"] = X, ids, labels
        file["about/model"] = "esm2"
    with h5py.File(tmp_path / "each.hdf5", "w") as file:
        for name, row in zip(ids, X.astype(np.float16)):
            file[name] = row
    pd.DataFrame({"who": ids[::-1], "labels": labels[::-1]}).to_csv(tmp_path / "labels.csv", index=False)
    return tmp_path


def test_matrix_ids_and_labels(folder):
    X, ids, labels = rows()
    found = read_arrays_with_labels(folder / "all.h5")
    assert found.hierarchy.decode(found["all"].y) == [(label,) for label in labels]
    np.testing.assert_array_equal(found["all"].X, X)
    assert found["all"].ids.tolist() == ids


def test_one_vector_for_each_row_is_found_by_its_id(folder):
    X, ids, labels = rows()
    found = read_arrays_with_labels(folder / "each.hdf5", str(folder / "labels.csv"))
    place = [ids.index(name) for name in found["all"].ids]
    np.testing.assert_array_equal(found["all"].X, X.astype(np.float16)[place])
    assert found.hierarchy.decode(found["all"].y) == [(labels[i],) for i in place]
    np.savez(folder / "each.npz", **dict(zip(ids, X)))
    assert read_array_rows(folder / "each.npz").ids.tolist() == ids
    assert sorted(read_embeddings(folder / "each.hdf5").ids) == sorted(ids)


def test_fit_and_predict_from_the_command_line(folder):
    run_command("fit", folder / "all.h5", "-o", folder / "m.tp", "--method", "linear")
    run_command("predict", folder / "m.tp", folder / "each.hdf5", "-o", folder / "p.csv")
    table = pd.read_csv(folder / "p.csv", dtype=str).set_index("id")
    _, ids, labels = rows()
    assert (table.labels[ids] == labels).mean() > 0.9


def test_fit_says_where_rows_are_taken_as_embeddings(folder):
    X, ids, labels = rows()
    said = {}
    for name, kind in (("single", np.float32), ("double", np.float64)):
        np.savez(folder / f"{name}.npz", X=np.tile(X, 11).astype(kind), ids=ids, labels=labels)
        out, _ = run_command("fit", folder / f"{name}.npz", "-o", folder / "m.tp", "--method", "linear")
        said[name] = "Rows: taken as embeddings" in out
    assert said == {"single": True, "double": False}


def test_scores_come_from_hdf5(tmp_path):
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file["S"], file["names"], file["ids"] = np.array([[0.25, 0.9]]), ["a/1", "a"], ["x"]
    table = read_scores(tmp_path / "s.h5", Hierarchy.from_paths(["a/1"]))
    assert table.S.tolist() == [[0.9, 0.25]]
    assert table.ids.tolist() == ["x"]


def test_what_cannot_be_read_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bad.h5").write_bytes(b"PK not HDF5")
    with pytest.raises(DataFormatError, match="not a readable HDF5 file"):
        read_array_rows(tmp_path / "bad.h5")
    with h5py.File(tmp_path / "frame.h5", "w") as file:
        file.create_group("df").attrs["pandas_type"] = "frame"
    with pytest.raises(DataFormatError, match=r"pandas wrote this file.*to_parquet"):
        read_array_rows(tmp_path / "frame.h5")
    with h5py.File(tmp_path / "far.h5", "w") as file:
        file.create_dataset("X", (4, 2), "f4", external=[(str(tmp_path / "bad.h5"), 0, 32)])
    with pytest.raises(DataFormatError, match="numbers are in other files"):
        read_array_rows(tmp_path / "far.h5")
    with h5py.File(tmp_path / "big.h5", "w") as file:
        file.create_dataset("X", (1 << 20, 1 << 14), "f4", chunks=(1, 1 << 14), compression="gzip")
    with pytest.raises(DataFormatError, match="the arrays take 68,719,476,736 bytes, more than max_bytes"):
        read_array_rows(tmp_path / "big.h5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    said = refusal_of("describe", tmp_path / "big.h5")
    assert "Reading HDF5 needs h5py, which is not installed" in said
    assert 'Install it: pip install "truepath[hdf5]"' in said
