"""``truepath report``: from a folder, or from files of any model, to a page."""

import pytest

import truepath.report
from commands import refusal_of, run_command
from truepath.data import load_dataset
from truepath.report import Evaluated, Run, save_run


def test_a_run_becomes_a_page(tmp_path):
    ds = load_dataset("toy")
    save_run(tmp_path / "run", Run(ds.hierarchy, ds.test.y, Evaluated("truth", ds.test.y), title="Toy"))
    assert run_command("report", tmp_path / "run")[0].strip() == str(tmp_path / "run" / "report.html")
    run_command("report", tmp_path / "run", "-o", tmp_path / "new" / "mine.html", "--title", "Other")
    assert "<title>Other</title>" in (tmp_path / "new" / "mine.html").read_text(encoding="utf-8")


def test_a_folder_with_nothing_in_it_is_one_line(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        assert str(folder) in refusal_of("report", folder)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Truth, labels and scores of two models, their rows in different orders, one of them twice in Parquet."""
    monkeypatch.chdir(tmp_path)
    files = {
        "h.csv": "parent,child\n,a\na,a/1\na,a/2\n,b\n",
        "truth.csv": "id,story,labels\nx,one fish,a/1\ny,two fish,b\nz,red fish,a/2;b\n",
        "first.csv": "id,labels\nz,a/2\ny,b\nx,a/2\n",
        "second.csv": "id,labels\nx,a/1\nz,b\ny,b\n",
        "scores.csv": "id,a,a/1,a/2,b\ny,0.2,0.1,0.1,0.9\nx,0.9,0.8,0.1,0.2\nz,0.8,0.1,0.7,0.6\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read_runs(monkeypatch):
    """Keep the runs that pages are made from."""
    runs = []
    found = truepath.report.write_report
    monkeypatch.setattr("truepath.report.write_report", lambda path, run: runs.append(run) or found(path, run))
    return runs


def test_files_of_any_model_become_a_page(folder, monkeypatch):
    runs = read_runs(monkeypatch)
    how = ["--truth", "truth.csv", "-H", "h.csv", "--text", "story"]
    out, err = run_command("report", *how, "-p", "first.csv", "-S", "scores.csv", "-o", "page.html")
    assert (out.strip(), "first.csv and truth.csv" in err) == ("page.html", True)
    (run,) = runs
    assert run.hierarchy.decode(run.results[0].y_pred) == [("a/2",), ("b",), ("a/2",)]
    assert run.results[0].S[:, 0].tolist() == [0.9, 0.2, 0.8]
    assert (run.ids, run.texts) == (("x", "y", "z"), ("one fish", "two fish", "red fish"))
    assert "<title>truth: first</title>" in (folder / "page.html").read_text(encoding="utf-8")


def test_several_models_are_compared_and_scores_alone_are_cut(folder, monkeypatch):
    runs = read_runs(monkeypatch)
    files = ["-p", "first.csv", "-p", "second.csv", "-p", "-", "-S", "-", "-S", "-", "-S", "scores.csv"]
    run_command("report", "--truth", "truth.csv", "-H", "h.csv", *files, "--name", "the first", "--threshold", "0.65")
    (run,) = runs
    assert [result.name for result in run.results] == ["the first", "second", "scores"]
    assert run.hierarchy.decode(run.results[2].y_pred) == [("a/1",), ("b",), ("a/2",)]
    assert run.measures["scores"]["hierarchical_f1"] > run.measures["the first"]["hierarchical_f1"]
    assert (folder / "report.html").is_file()


def test_parquet_and_a_hierarchy_of_the_paths_found_do_as_well(folder, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.read_csv(folder / "first.csv").to_parquet(folder / "first.parquet")
    runs = read_runs(monkeypatch)
    run_command("report", "--truth", "truth.csv", "-p", "first.parquet")
    assert runs[0].hierarchy.names.tolist() == ["a", "a/1", "b", "a/2"]
