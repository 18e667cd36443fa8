"""Runs in folders: what is saved comes back, and a damaged file is named."""

from __future__ import annotations

import json
import os
import re
import threading
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse

from truepath.decoders import Promise
from truepath.errors import DataFormatError
from truepath.files import writing
from truepath.report import Evaluated, Run, load_run, run_folder, save_run, write_report
from truepath.report.run import write_features
from truepath.report.run_folder import saving_run


@pytest.fixture
def folder(tmp_path, three):
    dense, other, _ = three.results
    results = [dense, Evaluated("sparse", sparse.csr_array(other.y_pred), sparse.csr_array(other.S))]
    per_node = np.linspace(0.1, 0.9, three.hierarchy.n_nodes)
    reasons = [{"a": [("word", 0.5)]}, *[None] * 59]
    results.append(Evaluated("bare", other.y_pred, thresholds=per_node, reasons=reasons, promise=Promise("sure", 0.9)))
    more = {"title": "Mine", "ids": [f"r{i}" for i in range(60)], "texts": ["t"] * 60, "y_train": three.y_true[:9]}
    return save_run(tmp_path / "deep" / "run", Run(three.hierarchy, three.y_true, results, **more))


def test_what_is_saved_comes_back(folder, three):
    run = load_run(folder)
    assert (run.title, run.hierarchy, len(run.results)) == ("Mine", three.hierarchy, 3)
    assert (run.y_true.toarray() == three.y_true).all()
    assert (run.y_train.toarray() == three.y_true[:9]).all()
    dense, thin, bare = run.results
    assert (dense.S == three.results[0].S).all()
    assert sparse.issparse(thin.S)
    assert bare.S is None
    assert bare.thresholds.shape == (three.hierarchy.n_nodes,)
    assert (dense.fit_seconds, dense.settings) == (1.5, {"depth": "0", "rate": "0.1"})
    assert (dense.reasons, dense.promise, bare.promise) == (None, None, Promise("sure", 0.9))
    assert bare.reasons[:2] == ({three.hierarchy.index("a"): [("word", 0.5)]}, None)
    assert 0 < run.measures["sparse"]["hierarchical_f1"] < 1
    assert "truepath" in run.versions


def test_the_page_of_a_saved_run_is_the_page(folder, tmp_path):
    page = write_report(tmp_path / "x.html", load_run(folder)).read_text(encoding="utf-8")
    assert "<title>Mine</title>" in page
    assert re.search(r"<h4>r\d+</h4>", page)


def test_a_new_run_replaces_the_old(folder, three):
    save_run(folder, Run(three.hierarchy, three.y_true, three.results[0], title="Newer"))
    assert [result.name for result in load_run(folder).results] == ["method 1"]


def file_of(folder, name):
    return next(folder.glob(f"arrays-*/{name}"), folder / name)


@pytest.mark.parametrize("n_files", range(6))
def test_a_run_that_is_not_finished_leaves_the_old_one_whole(folder, three, n_files, monkeypatch):
    """Stopped at any of the files that it writes; a process that is killed leaves the same."""
    files = []
    opened = run_folder.open_atomically

    def stop(path, *args, **options):
        files.append(path)
        if len(files) > n_files:
            raise KeyboardInterrupt
        return opened(path, *args, **options)

    for module in (run_folder, writing):
        monkeypatch.setattr(module, "open_atomically", stop)
    monkeypatch.setattr(run_folder.shutil, "rmtree", lambda *args, **options: None)  # nothing tidies up after a kill
    with suppress(KeyboardInterrupt):
        save_run(folder, Run(three.hierarchy, three.y_true[:5], Evaluated("new", three.y_true[:5]), title="Newer"))
    run = load_run(folder)
    is_new = n_files > 4  # the hierarchy, the truth, the labels, then the hierarchy again and run.json
    assert (run.title, len(run.y_true.toarray())) == (("Newer", 5) if is_new else ("Mine", 60))


def test_nothing_is_left_of_the_old_run(folder, three):
    (folder / "arrays-0123456789ab").mkdir()  # of a process that was killed
    (folder / "report.html").write_text("mine")
    save_run(folder, Run(three.hierarchy, three.y_true, three.results[0]))
    kept = {path.name for path in folder.iterdir() if not path.name.startswith("arrays-")}
    assert kept == {"run.json", "hierarchy.json", "report.html"}
    assert len(list(folder.glob("arrays-*"))) == 1


def test_a_run_is_saved_with_what_belongs_to_it_or_not_at_all(folder, three):
    new = Run(three.hierarchy, three.y_true, three.results[0], title="Newer")
    before = sorted(folder.rglob("*"))
    with pytest.raises(ZeroDivisionError), saving_run(folder, new):
        raise ZeroDivisionError  # as saving the model may fail
    assert sorted(folder.rglob("*")) == before
    assert load_run(folder).title == "Mine"


@pytest.mark.skipif(os.name == "nt", reason="folders have no locks")
def test_two_that_save_to_one_folder_wait_for_each_other(folder, three):
    """The second would remove the arrays of the first, which are named nowhere yet."""
    runs = [Run(three.hierarchy, three.y_true, three.results[0], title=title) for title in ("first", "second")]
    second = threading.Thread(target=save_run, args=(folder, runs[1]))
    with saving_run(folder, runs[0]):
        second.start()
        second.join(0.3)
        assert second.is_alive()
    second.join()
    assert load_run(folder).title == "second"
    assert len(list(folder.glob("arrays-*"))) == 1


def test_the_arrays_cannot_be_elsewhere(folder):
    summary = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**summary, "arrays": "../" + summary["arrays"]}))
    with pytest.raises(DataFormatError, match="wrong kind"):
        load_run(folder)


FILES = ["run.json", "hierarchy.json", "truth.npz", "train.npz", "labels-1.npz", "scores-0.npy", "scores-1.npz"]


@pytest.mark.parametrize("name", [*FILES, "thresholds-2.npy"])
def test_a_missing_file_is_named(folder, name):
    file_of(folder, name).unlink()
    with pytest.raises(DataFormatError, match=re.escape(name)) as caught:
        load_run(folder)
    assert "missing" in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named_and_nothing_else_is_raised(folder, name):
    file = file_of(folder, name)
    good = file.read_bytes()
    generator = np.random.default_rng(0)
    refused = 0
    for trial in range(40):
        bad = bytearray(good)
        if trial % 2:
            bad = bad[: int(generator.integers(len(bad)))]
        else:
            for place in generator.integers(len(bad), size=8):
                bad[place] = int(generator.integers(256))
        file.write_bytes(bytes(bad))
        problem = find_problem(folder)
        refused += problem is not None
        assert problem is None or str(folder) in problem
    assert refused >= 15


def find_problem(folder):
    """Load a run; a flipped bit inside a score or a title is another score or title, and no problem."""
    try:
        load_run(folder)
    except DataFormatError as error:
        return str(error)
    return None


def test_pickles_are_never_loaded(folder):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    np.save(file_of(folder, "scores-0.npy"), np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(DataFormatError, match=r"scores-0\.npy"):
        load_run(folder)


def test_a_foreign_folder_is_refused(tmp_path):
    with pytest.raises(DataFormatError, match=r"run\.json"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(DataFormatError, match="format 5"):
        load_run(tmp_path)


def test_files_that_do_not_belong_together_are_refused(folder, three):
    sparse.save_npz(file_of(folder, "truth.npz"), sparse.csr_array(three.y_true[:7]))
    with pytest.raises(DataFormatError, match="do not belong together"):
        load_run(folder)


def test_rows_of_any_table_are_written_out():
    cells = np.array([["1.5", "red", None], ["", "blue", "a text"]], object)
    assert write_features(cells, ["size", "colour", "about"]) == ["size 1.5, colour red", "colour blue, about a text"]
    assert write_features(np.array([[0.0, -2.0, 1.0]]), ["a", "b", "c"]) == ["b -2, c 1"]
    assert write_features(np.array([[0.0, -2.0]])) == ["x1 -2"]
