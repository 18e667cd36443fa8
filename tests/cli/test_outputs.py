"""What commands write: never over their own input, never a formula on request, and errors that name the file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from truepath.cli.app import app
from truepath.cli.shared.outputs import check_outputs
from truepath.errors import TruePathError

SCORES = "id,=a,=a/b\n@x,0.9,0.8\ny,0.2,0.1\n-1.5,0.9,0.1\n"
EDGES = "parent,child\n=a,=a/b\n"
PLAN = 'datasets = ["toy"]\nmethods = ["sklearn.dummy.DummyClassifier"]\nmeasures = ["micro_f1"]\n'


def call(*arguments):
    """Run a command in this process; return what it raises, or its output."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "tree.csv").write_text(EDGES)
    (tmp_path / "rows.csv").write_text("size,labels\n1,a/b\n2,a\n3,c\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "model.tp").write_text("a model")
    (tmp_path / "table.csv").write_text("dataset,method,value\nx,=a,0.1\nx,b,0.2\n@y,=a,-0.3\n@y,b,0.2\n")
    os.symlink("scores.csv", tmp_path / "link.csv")
    os.link(tmp_path / "scores.csv", tmp_path / "hard.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "option", "taken"),
    [
        ("label scores.csv -H tree.csv -o scores.csv", "--output", "SCORES"),
        ("label scores.csv -H tree.csv -o ./x/../scores.csv", "--output", "SCORES"),
        ("label scores.csv -H tree.csv -o link.csv", "--output", "SCORES"),
        ("label scores.csv -H tree.csv -o hard.csv", "--output", "SCORES"),
        ("label scores.csv -H tree.csv -o tree.csv", "--output", "--hierarchy"),
        ("label scores.csv -H tree.csv --truth rows.csv -o rows.csv", "--output", "--truth"),
        ("predict model.tp rows.csv -o rows.csv", "--output", "DATA"),
        ("predict model.tp rows.csv -o model.tp", "--output", "MODEL"),
        ("predict model.tp rows.csv --write-scores rows.csv", "--write-scores", "DATA"),
        ("predict model.tp rows.csv -o out.csv --write-scores out.csv", "--write-scores", "--output"),
        ("fit rows.csv -o rows.csv", "--output", "DATA"),
        ("fit rows.csv --hierarchy tree.csv -o tree.csv", "--output", "--hierarchy"),
        ("fit rows.csv --hierarchy x/hierarchy.json -o m.tp --run x", "--run", "--hierarchy"),
        ("fit data -o data/train.csv", "--output", "DATA"),
        ("fit data -o m.tp --run data", "--run", "DATA"),
        ("fit rows.csv -o model.run", "--run", "--output"),
        ("experiment own.toml -o out", "--output", "data set 'mine'"),
        ("experiment plan.toml -o data", "--output", "PLAN"),
        ("compare table.csv --diagram table.csv", "--diagram", "RESULTS"),
        ("report x -o x/results.csv", "--output", "RUN/results.csv"),
        ("report x -o x/run.json", "--output", "RUN/run.json"),
        ("reproduce --data data -o data triguero2016", "--output", "--data"),
    ],
)
def test_an_output_that_is_an_input_is_refused(here, arguments, option, taken):
    for folder in ("x", "data", "out"):
        (here / folder).mkdir()
    (here / "x" / "hierarchy.json").write_text("{}")
    for name in ("x/results.csv", "x/run.json", "data/train.csv"):
        (here / name).write_text("kept")
    os.symlink("../plan.toml", here / "data" / "plan.json")
    (here / "out" / "results.csv").write_text("size,labels\n1,a\n")
    (here / "own.toml").write_text(PLAN.replace('["toy"]', '{mine = {path = "out/results.csv"}}'))
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    with pytest.raises(TruePathError) as caught:
        call(*arguments.split())
    assert caught.value.problem.startswith(f"{option}: ")
    assert f"is the same as {taken}" in caught.value.problem
    assert caught.value.remedy == f"Choose another place for {option}."
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_outputs_that_cannot_be_written_are_refused_before_the_work(here):
    with pytest.raises(TruePathError, match="--output: there is no folder none"):
        call("label", "scores.csv", "-H", "tree.csv", "-o", "none/x.csv")
    with pytest.raises(TruePathError, match="is a folder, not a file"):
        call("predict", "model.tp", "rows.csv", "-o", here)


@pytest.mark.parametrize("name", ["results.csv", "plan.json", "runs.jsonl"])
def test_links_that_lead_back_are_refused_in_a_folder_too(here, name):
    (here / "out").mkdir()
    (here / "out" / name).symlink_to(name)
    with pytest.raises(TruePathError, match=rf"--output: out/{name} is a link that leads back to itself"):
        call("experiment", "plan.toml", "-o", "out")
    assert list((here / "out").iterdir()) == [here / "out" / name]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="the system has no /dev/null")
def test_devices_may_be_written_twice_and_stay(here):
    check_outputs({"--output": Path("/dev/null"), "--scores": Path("/dev/null")}, {"DATA": "/dev/null"})
    call("label", "scores.csv", "-H", "tree.csv", "-o", "/dev/null", "--format", "csv")
    assert Path("/dev/null").is_char_device()


def test_safe_csv_of_labels(here):
    arguments = ["label", "scores.csv", "-H", "tree.csv"]
    assert call(*arguments).splitlines() == ["id,labels", "@x,=a/b", "y,", "-1.5,=a"]
    assert call(*arguments, "--safe-csv").splitlines() == ["id,labels", "'@x,'=a/b", "y,", "-1.5,'=a"]
    matrix = call(*arguments, "--matrix", "--safe-csv", "--format", "tsv")
    assert matrix.splitlines() == ["id\t'=a\t'=a/b", "'@x\t1\t1", "y\t0\t0", "-1.5\t1\t0"]
    assert '"id": "@x"' in call(*arguments, "--safe-csv", "--format", "json")


def test_safe_csv_of_comparisons(here):
    table = call("compare", "table.csv", "--format", "csv", "--greater-is-better", "--safe-csv").splitlines()
    assert table[0] == "dataset,'=a,'=a sd,b,b sd"
    assert table[2].startswith("'@y,-0.3,")


def test_safe_csv_of_experiments(here):
    (here / "plan.toml").write_text(PLAN.replace('["toy"]', '{"=toy" = "toy"}'))
    call("experiment", "plan.toml", "-o", "out", "--safe-csv")
    assert "\n'=toy,DummyClassifier,0," in (here / "out" / "results.csv").read_text()
    assert "\n'=toy,DummyClassifier,0," in (here / "out" / "runs.csv").read_text()
    call("experiment", "plan.toml", "-o", "out")
    assert "\n=toy,DummyClassifier,0," in (here / "out" / "results.csv").read_text()


@pytest.fixture
def small_files():
    """Files may not pass a limit, as on a full disk; the limit is lifted again."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet"])
def test_a_file_too_large_is_named(here, name, small_files):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    rows = "".join(f"row number {i},0.9,0.8\n" for i in range(2000))
    (here / "scores.csv").write_text(f"id,=a,=a/b\n{rows}")
    small_files(4096)
    with pytest.raises(OSError, match="File too large") as caught:
        call("label", "scores.csv", "-H", "tree.csv", "-o", name)
    assert caught.value.filename == name
    assert not list(here.glob("*out*"))
