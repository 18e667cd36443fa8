"""``truepath report``: from a folder to a page."""

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
