"""A newcomer's path: columns instead of texts, and mistakes (tests/docs runs the page "Getting started")."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys

import pytest

from places import ROOT

DOCS = ROOT / "docs"


def run(command, folder):
    """Run a documented command as it is written, by this interpreter."""
    name, *arguments = shlex.split(command)
    assert name == "truepath"
    return subprocess.run(
        [sys.executable, "-m", "truepath", *arguments], capture_output=True, text=True, cwd=folder, check=False
    )


@pytest.mark.slow
def test_columns_instead_of_texts(tmp_path):
    rows = [
        f"{size},{colour},,{path}" for size, colour, path in [(1, "red", "a/1"), (9, "blue", "b"), (5, "red", "a/2")]
    ]
    (tmp_path / "things.csv").write_text("size,colour,empty,kind\n" + "\n".join(rows * 8) + "\n")
    (tmp_path / "more.csv").write_text("colour,empty,size\nblue,,9.5\nred,,1\n")  # another order of columns
    done = run("truepath fit things.csv --labels kind -o things.tp --method forest --json", tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["hierarchical_f1"] == 1.0
    done = run("truepath predict things.tp more.csv", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["id,labels", "0,b", "1,a/1"]
    done = run("truepath predict things.tp things.csv -o all.csv --matrix --write-scores scores.csv", tmp_path)
    assert (tmp_path / "all.csv").read_text().splitlines()[:2] == ["id,a,a/1,b,a/2", "0,1,1,0,0"]
    done = run("truepath report things.run", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "colour blue" in (tmp_path / "things.run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("truepath fit books.csv --labels topic -o x.tp", "no column 'topic'"),
        ("truepath fit books.csv --labels topics --method mass -o x.tp", "Did you mean 'mas'"),
        ("truepath fit nowhere.csv -o x.tp", "nowhere.csv"),
        ("truepath fit books.csv --labels topics -o no/such/folder/x.tp", "there is no folder"),
        ("truepath predict books.csv new.csv", "books.csv"),
    ],
)
def test_mistakes_are_reported_in_one_line(command, message, tmp_path):
    for name in ("books.csv", "new.csv"):
        shutil.copy(DOCS / name, tmp_path)
    done = run(command, tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.startswith("truepath: ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.tp").exists()
