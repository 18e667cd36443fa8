"""``truepath experiment`` and ``truepath compare`` as they are typed."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

import truepath as package
from truepath.cli import main

PLAN = """
folds = 2
measures = ["micro_f1", "h_loss"]
datasets = ["toy", {name = "made", make = {n_samples = 60, n_nodes = 8}}]

[methods]
prior = "sklearn.dummy.DummyClassifier"
random = {use = "sklearn.dummy.DummyClassifier", params = {strategy = "stratified"}}
"""


def truepath(*arguments, cwd):
    """Run the command in this process: a new one spends seconds on imports."""
    out, err, code, before = io.StringIO(), io.StringIO(), 0, os.getcwd()
    os.chdir(cwd)
    try:
        with redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "argv", ["truepath", *arguments]):
            main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment")
    (folder / "plan.toml").write_text(PLAN)
    return folder, truepath("experiment", "plan.toml", cwd=folder)


def test_an_experiment_prints_tables_and_what_next(finished):
    folder, done = finished
    assert done.returncode == 0, done.stderr
    assert "micro_f1 ↑" in done.stdout
    assert "h_loss ↓" in done.stdout
    assert "plan-results/results.csv" in done.stdout
    assert "truepath report plan-results" in done.stderr
    assert (folder / "plan-results" / "results.csv").is_file()


def test_a_dry_run_counts_and_a_second_run_keeps(finished):
    folder, _ = finished
    dry = truepath("experiment", "plan.toml", "--dry-run", cwd=folder)
    assert "2 data sets x 2 methods x 1 seeds x 2 folds = 8 runs; 8 finished in plan-results, 0 to do" in dry.stdout
    again = json.loads(truepath("experiment", "plan.toml", "--json", cwd=folder).stdout)
    assert (again["n_runs"], again["n_kept"], again["failed"]) == (8, 8, [])


def test_compare_prints_tests_and_draws(finished):
    folder, _ = finished
    done = truepath("compare", "plan-results", "-m", "h_loss", "--diagram", "cd.svg", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "h_loss (lower is better), 2 data sets" in done.stdout
    assert "no power" in done.stdout
    assert (folder / "cd.svg").read_text().startswith("<svg")
    found = json.loads(truepath("compare", "plan-results/results.csv", "--json", cwd=folder).stdout)
    assert [comparison["measure"] for comparison in found] == ["micro_f1", "h_loss"]


def test_failures_are_reported_and_the_code_is_not_zero(tmp_path):
    (tmp_path / "plan.toml").write_text(
        PLAN + 'one = {use = "sklearn.neighbors.KNeighborsClassifier", params = {n_neighbors = 1000}}\n'
    )
    done = truepath("experiment", "plan.toml", "-o", "out", cwd=tmp_path)
    assert done.returncode == 1
    assert "failed: toy / one / seed 0 / fold 0: ValueError" in done.stderr
    assert "prior" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["experiment", "none.toml"], "No such file"),
        (["experiment", "wrong.toml"], "unknown key 'fold'. Did you mean 'folds'"),
        (["compare", "table.csv", "-m", "auc"], "no 'auc'"),
        (["compare", "table.csv", "--diagram", "x.svg"], "--diagram draws one measure"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path):
    (tmp_path / "wrong.toml").write_text(f"fold = 3\n{PLAN}")
    rows = [f"{d},{m},{k},0.{i}" for i, (d, m) in enumerate([("x", "a"), ("x", "b")]) for k in ("h_loss", "auprc")]
    (tmp_path / "table.csv").write_text("\n".join(["dataset,method,measure,value", *rows]))
    done = truepath(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("truepath: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="no process groups")
@pytest.mark.parametrize("n_jobs", ["1", "2"])
@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(n_jobs, tmp_path):
    (tmp_path / "plan.toml").write_text(f"seeds = 400\n{PLAN}")
    arguments = ["experiment", "plan.toml", "-o", "out", "-j", n_jobs]
    # where the tests run in the background of a shell, Ctrl-C would be ignored
    code = "import signal; signal.signal(2, signal.default_int_handler); from truepath.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, **options)
    journal = tmp_path / "out" / "runs.jsonl"
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 3):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "to continue: truepath experiment plan.toml -o out" in errors
    assert errors.count("\n") == 1, errors  # no traceback of a worker, no warning of a library
    n_runs = journal.read_bytes().count(b"\n")
    assert (tmp_path / "out" / "results.csv").read_text().count("\n") == 1 + 2 * n_runs
