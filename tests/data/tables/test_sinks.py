"""What sinks write block by block is what ``write_labels`` and ``write_scores`` write at once."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.data import read_scores, write_labels, write_scores
from truepath.data.tables.sinks import UniqueIds, open_label_sink, open_score_sink

H = Hierarchy.from_paths(["a/1", "a/2", "=b"])
Y = H.encode([["a/1"], [], ["a/2", "=b"], ["a"], ["=b"]], sparse_output=False)
S = np.random.default_rng(0).random((5, H.n_nodes))
IDS = ["x", "y", 'z "quoted", or not', "=1+1", "é"]


def written_in_parts(sink, M):
    with sink as write:
        for rows in (slice(0, 2), slice(2, 2), slice(2, 5)):
            write(M[rows], IDS[rows])


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet"])
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("safe_csv", [False, True])
def test_labels(tmp_path, ending, matrix, safe_csv):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file, wanted = tmp_path / f"labels{ending}", tmp_path / f"wanted{ending}"
    if matrix and ending == ".json":
        with pytest.raises(ValueError, match="not written as JSON"), open_label_sink(file, H, matrix=True):
            pass
        return
    write_labels(wanted, Y, H, ids=IDS, matrix=matrix, safe_csv=safe_csv)
    for form in (np.asarray, sparse.csr_array):
        written_in_parts(open_label_sink(file, H, matrix=matrix, safe_csv=safe_csv), form(Y))
        check_same(file, wanted)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_scores(tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file, wanted = tmp_path / f"scores{ending}", tmp_path / f"wanted{ending}"
    write_scores(wanted, S, H, ids=IDS)
    written_in_parts(open_score_sink(file, H), S)
    check_same(file, wanted)
    with pytest.raises(ValueError, match="not written as JSON"), open_score_sink(tmp_path / "s.json", H):
        pass


def check_same(file, wanted):
    if file.suffix != ".parquet":
        assert file.read_bytes() == wanted.read_bytes()
        return
    from pyarrow import parquet

    found, known = parquet.read_table(file), parquet.read_table(wanted)
    assert found.schema.names == known.schema.names
    assert found.to_pylist() == known.to_pylist()


def test_streams_of_text():
    out, wanted = io.StringIO(), io.StringIO()
    written_in_parts(open_label_sink(out, H), Y)
    write_labels(wanted, Y, H, ids=IDS)
    assert out.getvalue() == wanted.getvalue()
    with pytest.raises(ValueError, match="not to a text stream"), open_label_sink(out, H, format="parquet"):
        pass


def test_a_json_file_without_rows_is_an_empty_list():
    out = io.StringIO()
    with open_label_sink(out, H, format="json"):
        pass
    assert json.loads(out.getvalue()) == []


def test_ids_are_not_lost_beside_a_label_of_the_same_name(tmp_path):
    hierarchy = Hierarchy.from_paths(["id", "b"])
    with pytest.raises(ValueError, match="name of another column"):
        write_scores(tmp_path / "s.csv", [[0.5, 1.0]], hierarchy, ids=["x"])
    write_scores(tmp_path / "s.csv", [[0.5, 1.0]], hierarchy, ids=["x"], id_name="row")
    assert read_scores(tmp_path / "s.csv", hierarchy).ids.tolist() == ["x"]


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path, ending):
    file = tmp_path / f"labels{ending}"
    file.write_text("what was there")

    def interrupted(ids):
        yield ids[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), open_label_sink(file, H) as write:
        write(Y[:2], list(interrupted(IDS)))
    assert file.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [file]


def test_ids_of_many_blocks():
    known = UniqueIds()
    for start in range(0, 5000, 100):
        known.add([f"row {i}" for i in range(start, start + 100)])
    with pytest.raises(ValueError, match="the id 'row 1234' occurs twice"):
        known.add(["new", "row 1234"])
    with pytest.raises(ValueError, match="'other'"):
        known.add(["other", "third", "other"])
