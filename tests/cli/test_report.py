"""``truepath report``: from a folder to a page."""

import subprocess
import sys

from truepath.data import load_dataset
from truepath.report import Evaluated, Run, save_run


def truepath(*arguments):
    code = "from truepath.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_a_run_becomes_a_page(tmp_path):
    ds = load_dataset("toy")
    save_run(tmp_path / "run", Run(ds.hierarchy, ds.test.y, Evaluated("truth", ds.test.y), title="Toy"))
    done = truepath("report", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "run" / "report.html")
    done = truepath("report", str(tmp_path / "run"), "-o", str(tmp_path / "new" / "mine.html"), "--title", "Other")
    assert done.returncode == 0, done.stderr
    assert "<title>Other</title>" in (tmp_path / "new" / "mine.html").read_text(encoding="utf-8")


def test_a_folder_with_nothing_in_it_is_one_line(tmp_path):
    for folder in (tmp_path, tmp_path / "missing"):
        done = truepath("report", str(folder))
        assert done.returncode == 1
        assert done.stderr.startswith("truepath: ")
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
