"""Running a plan: the right numbers, kept at once, the same table however it came about."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import joblib
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

from truepath.data import load_dataset, make_hmc
from truepath.errors import DataFormatError, TruePathError
from truepath.experiments import compare, format_table, run_experiment, survey_experiment
from truepath.experiments.store import Store
from truepath.experiments.survey import JOURNAL
from truepath.learners import PCTForest, PCTree
from truepath.metrics import h_loss, micro_f1


def plan(**changes):
    return {
        "datasets": {"toy": "toy", "made": make_hmc(60, n_nodes=8, random_state=0)},
        "methods": {"tree": PCTree(), "prior": DummyClassifier()},
        "measures": ["micro_f1", "h_loss", "auprc"],
        "seeds": 2,
        "folds": 2,
        **changes,
    }


class Broken(BaseEstimator):
    """Raises where its parameters say so."""

    def __init__(self, where="fit"):
        self.where = where

    def fit(self, X, Y):
        if self.where == "fit":
            raise RuntimeError("no such\nluck")
        return self

    def predict(self, X):
        return "nonsense"

    predict_proba = predict


def table(folder) -> bytes:
    return (Path(folder) / "results.csv").read_bytes()


def test_values_are_those_of_a_plain_fit(tmp_path):
    ds = load_dataset("toy")
    found = run_experiment({"datasets": [ds], "methods": {"f": PCTForest(n_estimators=5)}, "seeds": [4]}, tmp_path)
    forest = PCTForest(n_estimators=5, hierarchy=ds.hierarchy, random_state=4).fit(ds.train.X, ds.train.y)
    predicted = forest.predict(ds.test.X)
    (record,) = found.records
    assert record.values["micro_f1"] == micro_f1(ds.test.y, predicted, ds.hierarchy)
    assert record.values["h_loss"] == h_loss(ds.test.y, predicted, ds.hierarchy)
    assert record.sizes == {"n_train": 8, "n_test": 4, "n_features": 2, "n_labels": 5}
    assert record.fit_seconds > 0
    assert record.versions["truepath"]


def test_published_validation_rows_are_trained_on(tmp_path):
    ds = make_hmc(50, n_nodes=8, random_state=0)
    (record,) = run_experiment({"datasets": [ds], "methods": {"t": PCTree()}}, tmp_path).records
    assert record.sizes["n_train"] == len(ds.train) + len(ds.valid)


def test_the_table_is_tidy_and_in_plan_order(tmp_path):
    found = run_experiment(plan(), tmp_path)
    lines = table(tmp_path).decode().splitlines()
    assert lines[0] == "dataset,method,seed,fold,measure,value"
    assert len(lines) == 1 + 2 * 2 * 2 * 2 * 3
    assert [line.split(",")[:5] for line in lines[1:4]] == [
        ["toy", "tree", "0", "0", m] for m in ("micro_f1", "h_loss", "auprc")
    ]
    assert compare(tmp_path, "micro_f1").to_dict() == compare(found, "micro_f1").to_dict()
    assert format_table(tmp_path, "h_loss") == format_table(found, "h_loss")
    assert (tmp_path / "runs.csv").read_text().count("done") == 16
    assert not list(tmp_path.glob(".*.csv*"))


def test_folds_of_one_seed_cover_all_rows_and_are_the_same_for_all_methods():
    survey = survey_experiment(plan())
    jobs = {job.key: job for job in survey.jobs(survey.keys)}
    for seed in (0, 1):
        rows = [jobs["made", "tree", seed, fold].test for fold in (0, 1)]
        assert sorted([*rows[0], *rows[1]]) == list(range(60))
    same = jobs["made", "tree", 0, 0].test == jobs["made", "prior", 0, 0].test
    assert same.all()
    assert jobs["made", "tree", 0, 0].test.tolist() != jobs["made", "tree", 1, 0].test.tolist()


@pytest.mark.parametrize("backend", ["threading", "multiprocessing", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_do_not_change_a_bit(backend, tmp_path):
    fails = KNeighborsClassifier(n_neighbors=10_000)  # more than there are rows
    wanted = plan(methods={"forest": PCTForest(n_estimators=3), "sk": RandomForestClassifier(5), "no": fails})
    run_experiment(wanted, tmp_path / "one")
    with joblib.parallel_config(backend=backend):
        found = run_experiment(wanted, tmp_path / "two", n_jobs=2)
    assert len(found.failed) == 8
    assert table(tmp_path / "one") == table(tmp_path / "two")


def test_finished_runs_are_kept_and_changes_are_recognised(tmp_path):
    first = run_experiment(plan(), tmp_path)
    assert first.n_kept == 0
    again = run_experiment(plan(), tmp_path)
    assert again.n_kept == 16
    assert again.table == first.table
    deeper = run_experiment(plan(methods={"tree": PCTree(max_depth=1), "prior": DummyClassifier()}), tmp_path)
    assert deeper.n_kept == 8
    assert "8 finished run(s) done again: settings or data changed." in deeper.remarks
    data = {"toy": "toy", "made": make_hmc(60, n_nodes=8, random_state=1)}
    assert run_experiment(plan(datasets=data), tmp_path).n_kept == 8 + 0
    back = run_experiment(plan(), tmp_path)
    assert back.n_kept == 16
    assert back.table == first.table
    fewer = run_experiment(plan(measures=["h_loss"]), tmp_path)
    assert fewer.n_kept == 16
    assert set(fewer.table["measure"]) == {"h_loss"}
    more = run_experiment(plan(measures=["h_loss", "exact_match"]), tmp_path)
    assert more.n_kept == 0
    assert "16 finished run(s) done again: other measures are asked for." in more.remarks


def test_a_larger_plan_does_only_what_is_new(tmp_path):
    run_experiment(plan(seeds=1), tmp_path)
    larger = run_experiment(plan(), tmp_path)
    assert larger.n_kept == 8
    run_experiment(plan(), tmp_path / "at once")
    assert table(tmp_path) == table(tmp_path / "at once")


@pytest.mark.parametrize("where", ["fit", "measure"])
def test_a_method_that_raises_does_not_stop_the_others(where, tmp_path):
    found = run_experiment(plan(methods={"broken": Broken(where), "tree": PCTree()}), tmp_path)
    assert len(found.failed) == 8
    assert set(found.table["method"]) == {"tree"}
    error = found.failed[0].error
    assert "\n" not in error
    if where == "fit":
        assert error == "RuntimeError: no such luck"
        assert "RuntimeError" in found.failed[0].traceback
    again = run_experiment(plan(methods={"broken": Broken(where), "tree": PCTree()}), tmp_path)
    assert again.n_kept == 8
    assert len(again.failed) == 8
    assert "8 finished run(s) done again: failed last time." in again.remarks


def test_every_cut_of_the_journal_gives_the_same_table(tmp_path):
    """A process may be killed after any byte."""
    small = plan(seeds=1, datasets={"toy": "toy"})
    run_experiment(small, tmp_path / "whole")
    whole = (tmp_path / "whole" / JOURNAL).read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {0, 1, len(whole) - 1, *ends, *(end - 1 for end in ends), *(end + 7 for end in ends[:-1])}
    for cut in sorted(cuts | set(range(0, len(whole), 397))):
        folder = tmp_path / f"cut {cut}"
        folder.mkdir()
        (folder / JOURNAL).write_bytes(whole[:cut])
        found = run_experiment(small, folder)
        assert found.n_kept == whole[:cut].count(b"\n")
        assert table(folder) == table(tmp_path / "whole")
        found = Store(folder / JOURNAL).read()
        assert (len(found.units), found.damaged) == (4, ())


def test_a_damaged_line_is_done_again(tmp_path):
    run_experiment(plan(), tmp_path)
    before = table(tmp_path)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"h_loss": 0', b'"h_loss": 9')  # still JSON, no longer what was written
    lines[5] = b"\0" * (len(lines[5]) - 1) + b"\n"
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))
    found = run_experiment(plan(), tmp_path)
    assert found.n_kept == 14
    assert "2 damaged line(s)" in found.remarks[0]
    assert table(tmp_path) == before


@pytest.mark.parametrize("change", [{"value": None}, {"value": {"values": {}}}, {"value": {}}, {"key": "toy"}])
def test_a_line_that_is_no_run_is_refused(tmp_path, change):
    """With the right checksum: written by another program, or by hand."""
    one = {"datasets": ["toy"], "methods": {"tree": PCTree()}, "measures": ["micro_f1"]}
    run_experiment(one, tmp_path)
    store = Store(tmp_path / "runs.jsonl")
    (unit,) = store.read().units
    store.path.unlink()
    store.append(replace(unit, **change))
    if "key" in change:  # of another plan
        assert run_experiment(one, tmp_path).n_kept == 0
        return
    with pytest.raises(DataFormatError, match="not the outcome of a run"):
        run_experiment(one, tmp_path)


def test_a_full_disk_loses_nothing_and_says_how_to_go_on(tmp_path, monkeypatch):
    run_experiment(plan(), tmp_path / "whole")
    real, left = os.write, [5]

    def write(handle, content):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        if left[0] == 0:
            return real(handle, content[: len(content) // 2])  # a full disk takes what fits
        return real(handle, content)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match=r"No space left.*run the same with the folder"):
        run_experiment(plan(), tmp_path / "full")
    monkeypatch.undo()
    found = Store(tmp_path / "full" / JOURNAL).read()
    assert (len(found.units), found.damaged) == (4, ())
    assert run_experiment(plan(), tmp_path / "full").n_kept == 4
    assert table(tmp_path / "full") == table(tmp_path / "whole")


def test_an_interruption_leaves_tables_of_what_is_finished(tmp_path):
    seen = []

    def stop(done, total, what):
        seen.append((done, total, what))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(plan(), tmp_path, on_progress=stop)
    assert seen[0] == (0, 16, "toy / tree / seed 0 / fold 0")
    assert seen[-1] == (3, 16, "toy / tree / seed 1 / fold 0")
    assert table(tmp_path).count(b"\n") == 1 + 3 * 3
    started = []
    assert run_experiment(plan(), tmp_path, on_start=started.append).n_kept == 3
    assert len(started[0].todo) == 13


@pytest.mark.slow
def test_a_worker_that_cannot_go_on_is_reported(tmp_path):
    with joblib.parallel_config(backend="loky"), pytest.raises(TruePathError, match="a worker process died or could"):
        run_experiment(plan(methods={"unknown there": Broken()}), tmp_path, n_jobs=2)


def test_two_at_a_time_are_kept_apart(tmp_path):
    with (
        Store(tmp_path / JOURNAL).hold(),
        pytest.raises(TruePathError, match="in use by another thread of this process"),
    ):
        run_experiment(plan(), tmp_path)
    run_experiment(plan(seeds=1), tmp_path)


def test_another_process_is_kept_out(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from truepath.experiments.store import Store\n"
        "with Store(Path(sys.argv[1]) / 'runs.jsonl').hold(): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(TruePathError, match=f"in use by process {other.pid} on"):
            run_experiment(plan(), tmp_path)
        other.kill()  # a lock goes away with its process
        other.wait()
    assert run_experiment(plan(seeds=1), tmp_path).n_kept == 0
