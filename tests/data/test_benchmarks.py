"""Every benchmark set in the data folder against the folder's own table."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse

import places
from oracles_data import read_plainly
from truepath.data import load_dataset

GOLDEN = json.loads((places.GOLDEN / "datasets.json").read_text(encoding="utf-8"))
CASES = [
    pytest.param(entry["name"], entry["values"], table["tolerance"], id=entry["name"])
    for table in GOLDEN["tables"]
    for entry in table["datasets"]
]


@pytest.mark.parametrize(("name", "values", "tolerance"), CASES)
def test_table(shared_data, name, values, tolerance):
    ds = load_dataset(name, home=shared_data)
    found = ds.describe().to_dict()
    found["rows"] = "sparse" if sparse.issparse(next(iter(ds.splits.values())).X) else "dense"
    if "n_label_sets" in values:
        found["n_label_sets"] = [count_label_sets(split.y) for split in ds.splits.values()]
    if name.startswith("hmc/"):
        found |= means_as_in_the_table(ds)
    for what, expected in values.items():
        if what in tolerance:
            assert found[what] == pytest.approx(expected, abs=tolerance[what]), what
        else:
            assert found[what] == expected, what
    assert all(ds.hierarchy.is_closed(split.y) for split in ds.splits.values())


def means_as_in_the_table(ds):
    """The table of hierarchical sets gives means over the splits of means already rounded to two digits."""
    sizes = [len(split) for split in ds.splits.values()]
    written = [round(split.n_written.mean(), 2) for split in ds.splits.values()]
    closed = [round(split.y.sum(axis=1).mean(), 2) for split in ds.splits.values()]
    return {
        "labels_written": np.average(written, weights=sizes),
        "labels_closed": np.average(closed, weights=sizes),
    }


def count_label_sets(Y):
    return len(np.unique(Y, axis=0))


def test_every_folder_is_in_the_table(shared_data):
    found = {f"{folder.parent.name}/{folder.name}" for group in ("hmc", "mulan")
             for folder in (shared_data / group).iterdir() if folder.is_dir()}  # fmt: skip
    assert found == {entry["name"] for table in GOLDEN["tables"] for entry in table["datasets"]}


def test_derived_files_are_remarked(shared_data):
    assert load_dataset("church_GO", home=shared_data).provenance["remarks"] == {"valid": "derived", "test": "derived"}


def test_first_row_of_church(shared_data):
    ds = load_dataset("church_GO", home=shared_data)
    assert ds.categories[0] == ("A", "B", "C", "D", "A-D")
    np.testing.assert_array_equal(ds.test.X[0, :4], [3, 20, 0.1, 2.88])
    assert np.isnan(ds.test.X[0, 20])
    decoded = set(ds.hierarchy.decode(ds.test.y[:1])[0])
    assert {"GO0000772", "GO0000750"} <= decoded


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("pheno_FUN", 536),
        ("church_FUN", 1247),
        ("enron", 1618),
        ("pheno_GO", 355),
        ("seq_FUN", 1268),
        ("cellcycle_GO", 755),
    ],
)
def test_full_paths(shared_data, name, count):
    """README of the data folder, against Bi and Kwok, Table 1: full-path examples before nodes are removed."""
    assert load_dataset(name, home=shared_data).keep_full_paths().n_samples == count


@pytest.mark.parametrize("name", ["hmc/spo_GO", "hmc/church_FUN", "hmc/pheno_FUN", "hmc/imclef07d", "hmc/diatoms"])
def test_every_cell_of_clus_files(shared_data, name):
    ds = load_dataset(name, home=shared_data)
    attributes, rows = read_plainly(shared_data / name / "test.arff.xz", 1)
    assert list(ds.feature_names) == [attribute for attribute, _ in attributes[:-1]]
    np.testing.assert_array_equal(ds.test.X, np.array([row[:-1] for row in rows], dtype=float))
    ancestors = {v: {v, *ds.hierarchy.ancestors(v).tolist()} for v in range(ds.hierarchy.n_nodes)}
    for i, row in enumerate(rows):
        expected = set().union(*(ancestors[ds.hierarchy.index(label)] for label in row[-1].split("@")))
        assert set(np.flatnonzero(ds.test.y[i]).tolist()) == expected


@pytest.mark.parametrize("name", ["mulan/medical", "mulan/enron", "mulan/corel5k", "mulan/genbase"])
def test_every_cell_of_mulan_files(shared_data, name):
    ds = load_dataset(name, home=shared_data)
    attributes, rows = read_plainly(shared_data / name / "test.arff.xz", 0)
    names = [attribute for attribute, _ in attributes]
    labels = [names.index(label) for label in ds.hierarchy.names]
    features = [j for j in range(len(names)) if j not in set(labels)]
    values = np.array(rows, dtype=float)
    X = ds.test.X.toarray() if sparse.issparse(ds.test.X) else ds.test.X
    np.testing.assert_array_equal(X, values[:, features])
    np.testing.assert_array_equal(ds.test.y, values[:, labels] == 1)


@pytest.mark.parametrize("name", ["mulan/flags", "mulan/scene", "mulan/arts"])
def test_laim_folds_partition_the_whole(shared_data, name):
    whole = load_dataset(name, version="laim", home=shared_data)["all"]
    tests = []
    for fold in range(5):
        ds = load_dataset(name, version="laim", fold=fold, home=shared_data)
        assert len(ds.train) + len(ds.test) == len(whole)
        tests.append(ds.test.y)
    together = np.concatenate(tests)
    assert len(together) == len(whole)
    np.testing.assert_array_equal(together.sum(axis=0), whole.y.sum(axis=0))


@pytest.mark.parametrize(("subset", "first"), [(1, 0), (2, 0), (3, 0), (4, 0), (5, 3000)])
def test_rcv1_with_topics(shared_data, subset, first):
    plain = load_dataset(f"rcv1subset{subset}_500", home=shared_data)["all"]
    ds = load_dataset(f"rcv1subset{subset}_500", version="topics", home=shared_data)
    assert (ds.hierarchy.n_nodes, len(ds["all"]), ds.hierarchy.height) == (102, 3000, 4)
    assert sorted(ds.hierarchy.names[ds.hierarchy.roots]) == ["CCAT", "ECAT", "GCAT", "MCAT"]
    np.testing.assert_array_equal(ds["all"].X.toarray(), plain.X[first : first + 3000].toarray())
    added = ds["all"].y.sum() - plain.y[first : first + 3000].sum()
    assert added == ds["all"].y[:, [ds.hierarchy.index("MCAT")]].sum() > 0  # closure adds MCAT and nothing else
