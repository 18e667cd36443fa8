"""Bi & Kwok (2012) as cells: their structure, the published values, and quick cells where the data are at hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse

import places
from truepath.papers import Settings
from truepath.papers.base import load_published
from truepath.papers.bi2012.folds import deal_folds, prepare, scale_columns
from truepath.papers.bi2012.paper import DAGS, NESTING, PAPER, TREES

DATA = places.SHARED_DATA
GOLDEN = json.loads((places.GOLDEN / "bi2012_tables.json").read_text())["entries"]

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the benchmark data in {DATA}")


def run(key):
    (cell,) = [cell for cell in PAPER.cells if cell.key == key]
    return cell.run(Settings(DATA))


def test_cells_are_unique_and_say_what_they_need():
    keys = [cell.key for cell in PAPER.cells]
    assert len(set(keys)) == len(keys)
    assert all(len(cell.needs) == 1 and cell.needs[0].split("/")[1] == cell.key.split("/")[1] for cell in PAPER.cells)
    assert {key.split("/")[0] for key in keys} == {"statistics", "lasso", "powerset", "trees", "nesting"}
    assert not [key for key in keys if key.startswith("powerset") and key.endswith("_GO")]
    assert set(NESTING) <= set(TREES)


def test_every_data_set_of_the_paper_is_run_or_said_to_be_missing():
    rerun = {*TREES, *DAGS}
    for name, values in load_published("bi2012").items():
        assert name in rerun or values["printed_as"] in PAPER.not_available
    assert rerun - set(load_published("bi2012")) == {"imclef07a"}
    assert len(load_published("bi2012")) == 33
    assert sum("loss (7)" in values for values in load_published("bi2012").values()) == 21


def test_published_values_as_printed():
    assert load_published("bi2012")["cellcycle_FUN"]["hF"]["MAS"] == 0.20
    assert load_published("bi2012")["enron"]["loss (7)"] == {
        "MASR": 0.31,
        "MAS": 0.36,
        "HMC-LP": 0.25,
        "HBR + MetaLabeler": 0.35,
        "CLUS-HMC + MetaLabeler": 0.41,
        "BR + MetaLabeler": 0.35,
    }
    assert "HMC-LP" not in load_published("bi2012")["expr_GO"]["hF"]


def test_flags_are_left_alone_and_stay_sparse():
    rng = np.random.default_rng(0)
    flags = (rng.random((20, 3)) < 0.5).astype(float)
    train, test = scale_columns(flags[:15], flags[15:])
    assert sparse.issparse(train)
    assert (train.toarray() == flags[:15]).all()
    assert (test.toarray() == flags[15:]).all()
    mixed = np.column_stack([flags, 5 + 3 * rng.normal(size=20)])
    mixed[3, 3] = np.nan
    train, _ = scale_columns(mixed[:15], mixed[15:])
    assert (train[:, :3] == flags[:15]).all()
    np.testing.assert_allclose(train[:, 3].mean(), 0, atol=1e-12)
    assert train[3, 3] == 0


@needs_data
def test_the_preprocessing_leaves_full_paths_and_ten_rows_per_label():
    from truepath.data.full_paths import has_full_paths

    data = prepare("pheno_FUN", DATA)
    assert has_full_paths(data.y, data.hierarchy).all()
    assert np.asarray(data.y.sum(axis=0)).min() >= 10
    folds = list(deal_folds(data, 0))
    assert sum(fold.Y_test.shape[0] for fold in folds) == data.y.shape[0]


@needs_data
@pytest.mark.parametrize("key", ["statistics/pheno_FUN", pytest.param("trees/pheno_FUN", marks=pytest.mark.slow)])
def test_quick_cells_meet_the_golden_numbers(key):
    """Ours as measured, not the paper's, whose rows and labels cannot be had."""
    check_golden(key)


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("key", ["lasso/pheno_FUN", "powerset/pheno_FUN", "nesting/pheno_FUN"])
def test_slower_cells_meet_the_golden_numbers(key):
    check_golden(key)


def check_golden(key):
    found = {(c.method, c.measure): c for c in run(key)}
    wanted = [entry for entry in GOLDEN if entry["cell"] == key]
    assert len(wanted) == len(found)
    for entry in wanted:
        c = found[entry["method"], entry["measure"]]
        assert c.ours == pytest.approx(entry["value"], abs=entry["tolerance"])
        assert c.published == entry["published"]
        assert c.reason
