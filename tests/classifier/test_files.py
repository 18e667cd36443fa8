"""Files of any length through a fitted classifier."""

from __future__ import annotations

import io

import numpy as np
import pytest

import truepath.classifier.files as files
from truepath import HierarchicalClassifier, open_dataset
from truepath.classifier import FittedOn, predict_file
from truepath.data import read_labels, read_scores, write_labels
from truepath.errors import CellError

COLUMNS = ("x", "colour")


def write_table(path, n_rows, extra=""):
    """Write rows with ids, a column of numbers, one of categories, and a column that is not used."""
    rng = np.random.default_rng(n_rows)
    x = rng.normal(size=n_rows)
    colours = rng.choice(["red", "green", ""], n_rows)
    labels = np.where(x > 0, "a/1", np.where(colours == "red", "a/2", "b"))
    rows = (f"r{i},{x[i]!r},{colours[i]},{labels[i]}\n" for i in range(n_rows))
    path.write_text("key,x,colour,labels\n" + "".join(rows).replace("np.float64(", "").replace(")", "") + extra)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    file = write_table(tmp_path_factory.mktemp("train") / "train.csv", 80)
    ds = open_dataset(file, cells=True, ids="key")
    fitted = HierarchicalClassifier("linear", hierarchy=ds.hierarchy, decoder="threshold")
    fitted.fit(ds["all"].X, ds["all"].y)
    return fitted.set_fitted_on(FittedOn("table", "train", COLUMNS, ids="key"))


@pytest.fixture
def new(tmp_path):
    return write_table(tmp_path / "new.csv", 300)


def test_blocks_give_what_the_whole_gives(model, new, tmp_path):
    table = open_dataset(new, cells=True, ids="key")["all"]
    Y, S, seen = model.predict(table.X), model.predict_proba(table.X), []
    for size in (64, 1000):
        options = {"scores": tmp_path / "s.csv", "batch_size": size}
        n_rows = predict_file(model, new, tmp_path / "y.csv", **options, on_progress=lambda *at: seen.append(at))
        assert n_rows == 300
        found = read_labels(tmp_path / "y.csv", model.hierarchy_)
        np.testing.assert_array_equal(found.y, Y)
        assert found.ids.tolist() == [f"r{i}" for i in range(300)]
        np.testing.assert_array_equal(read_scores(tmp_path / "s.csv", model.hierarchy_).S, S)
    assert [rows for rows, _, _ in seen] == [64, 128, 192, 300, 300]
    assert seen[0][2].endswith("rows/s")
    out, wanted = io.StringIO(), io.StringIO()
    predict_file(model, new, out, matrix=True, batch_size=64)
    write_labels(wanted, Y, model.hierarchy_, ids=table.ids, id_name="key", matrix=True)
    assert out.getvalue() == wanted.getvalue()


def test_parquet_in_and_out(model, new, tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    parquet.write_table(csv.read_csv(new), tmp_path / "new.parquet")
    for source in (new, tmp_path / "new.parquet"):
        predict_file(model, source, tmp_path / f"{source.suffix[1:]}.parquet", batch_size=64)
    first, second = (read_labels(tmp_path / f"{kind}.parquet", model.hierarchy_) for kind in ("csv", "parquet"))
    np.testing.assert_array_equal(first.y, second.y)
    assert first.ids.tolist() == second.ids.tolist()
    predict_file(model, new, tmp_path / "y.csv", scores=tmp_path / "s.npz", batch_size=64)
    assert read_scores(tmp_path / "s.npz", model.hierarchy_).S.shape == (300, model.hierarchy_.n_nodes)


@pytest.mark.parametrize(
    ("extra", "problem"),
    [("r9,0.5,red,a\n", "the id 'r9' occurs twice"), ("r999,much,red,a\n", "'much'"), ("r999,0.5\n", "2 cells")],
)
def test_an_error_near_the_end_leaves_what_was_there(model, tmp_path, extra, problem):
    source, target = write_table(tmp_path / "new.csv", 300, extra), tmp_path / "y.csv"
    target.write_text("before")
    with pytest.raises(ValueError, match=problem):
        predict_file(model, source, target, scores=tmp_path / "s.csv", batch_size=64)
    assert target.read_text() == "before"
    assert {file.name for file in tmp_path.iterdir()} == {"new.csv", "y.csv"}


def test_rows_without_ids_are_numbered(model, tmp_path):
    (tmp_path / "few.csv").write_text("colour,x\n" + "red,1\n" * 130)
    out = io.StringIO()
    assert predict_file(model, tmp_path / "few.csv", out, batch_size=64) == 130
    assert [line.split(",")[0] for line in out.getvalue().split()] == ["id", *map(str, range(130))]


def test_what_the_model_was_not_fitted_on(model, tmp_path):
    (tmp_path / "few.csv").write_text("colour\nred\n")
    with pytest.raises(ValueError, match="no column 'x'"):
        predict_file(model, tmp_path / "few.csv", io.StringIO())
    with pytest.raises(ValueError, match="fitted on a table with the columns 'x', 'colour'"):
        predict_file(model, "toy", io.StringIO())


def test_data_sets_are_taken_in_blocks_too(monkeypatch):
    ds = open_dataset("toy")
    fitted = HierarchicalClassifier("linear", hierarchy=ds.hierarchy, cv=2).fit(ds.train.X, ds.train.y)
    fitted.set_fitted_on(FittedOn("dataset", "toy"))
    out, wanted = io.StringIO(), io.StringIO()
    assert predict_file(fitted, "toy", out) == 4
    write_labels(wanted, fitted.predict(ds.test.X), ds.hierarchy, ids=ds.test.ids)
    assert out.getvalue() == wanted.getvalue()
    assert files.MOST_ROWS % 64 == 0


def test_a_cell_that_cannot_be_read_is_named_by_its_column_and_its_row_of_the_file(model, tmp_path):
    (tmp_path / "few.csv").write_text("colour,x\n" + "red,1\n" * 100 + "red,cheap\n")
    with pytest.raises(CellError, match="column 'x' of X held numbers when fitted; row 100 has 'cheap'"):
        predict_file(model, tmp_path / "few.csv", io.StringIO(), batch_size=64)
