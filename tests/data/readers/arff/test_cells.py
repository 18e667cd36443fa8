"""Cells of a table kept as written: what a column is, is decided later and by training rows."""

from truepath.data import read_paths_csv


def test_cells_are_kept_as_written(tmp_path):
    path = tmp_path / "things.csv"
    path.write_text("size,colour,labels\n01,red,a/1\n,blue,b\n")
    ds = read_paths_csv(path, cells=True)
    assert ds["all"].X.tolist() == [["01", "red"], ["", "blue"]]
    assert ds.feature_names == ("size", "colour")
    assert not ds.categories
    assert ds.describe().missing_percent == 25.0
