"""Whatever fails in a command: its files are the old ones or the new ones, whole, and one line says what happened."""

from __future__ import annotations

import gc
import multiprocessing
import shutil
import signal
import time

import pytest

from commands import run_command
from faults import count_calls, run, run_failing
from truepath.classifier import HierarchicalClassifier
from truepath.experiments.store import Store
from truepath.hierarchy import Hierarchy
from truepath.report import load_run

ROWS = "".join(f"{i % 7},{i % 5},a/{i % 2}\n{i % 3},{i % 4},b\n" for i in range(20))
PLAN = 'datasets = ["toy"]\nseeds = 2\nmeasures = ["micro_f1"]\nmethods = ["sklearn.dummy.DummyClassifier"]\n'

#: Command -> its arguments, and its results
FIT = (["fit", "rows.csv", "--labels", "labels", "--learner", "pct", "-o", "model.tp"], ["model.tp", "model.run"])
COMMANDS = {
    "fit": FIT,
    "predict": (
        ["predict", "model.tp", "rows.csv", "-o", "labels.csv", "--write-scores", "scores.csv"],
        ["labels.csv"],
    ),
    "export": (["export", "model.tp", "-o", "model.onnx"], ["model.onnx"]),
    "edit": (["hierarchy", "edit", "model.tp", "add a/9 under a", "-o", "new.json"], ["new.json"]),
    "update": (["update", "model.tp", "rows.csv", "--step", "add a/9 under a", "-o", "updated.tp"], ["updated.tp"]),
    "report": (["report", "model.run", "-o", "page.html"], ["page.html"]),
    "experiment": (["experiment", "plan.toml", "-o", "results"], ["results"]),
}
#: What a line on stderr says
SAID = {"allocation": "memory"}


def check_whole(folder):
    """Load what is there; a file that is torn raises."""
    for name in ("model.tp", "updated.tp"):
        HierarchicalClassifier.load(folder / name)
    load_run(folder / "model.run")
    Hierarchy.from_json((folder / "new.json").read_text(encoding="utf-8"))
    assert (folder / "page.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert (folder / "labels.csv").read_text().count("\n") == 41
    pytest.importorskip("onnx").load(folder / "model.onnx")
    assert not Store(folder / "results" / "runs.jsonl").read().damaged


def names_of(folder):
    return {path.name if "arrays-" not in path.name else "arrays" for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder in which every command was run once."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "rows.csv").write_text("x,z,labels\n" + ROWS)
    (folder / "plan.toml").write_text(PLAN)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for arguments, _ in COMMANDS.values():
            run_command(*arguments)
    return folder


@pytest.fixture
def here(finished, tmp_path, monkeypatch):
    shutil.copytree(finished, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return tmp_path / "copy"


def start_anew(finished, here, name):
    """Put old results back; an experiment that is finished has nothing to do."""
    for result in COMMANDS[name][1]:
        shutil.rmtree(here / result, ignore_errors=True) if (here / result).is_dir() else (here / result).unlink()
        if name == "experiment":
            continue
        (shutil.copytree if (finished / result).is_dir() else shutil.copy)(finished / result, here / result)


def check_fault(name, kind, at, finished, here, monkeypatch, capfd):
    start_anew(finished, here, name)
    ended = run_failing(kind, at, COMMANDS[name][0], monkeypatch, capfd)
    where = f"{kind} {at} of {name}: {ended}"
    assert ended.code in (0, 1), where
    if ended.code == 1:
        assert not any("Traceback" in line or "a bug in truepath" in line for line in ended.lines), where
        said = [line for line in ended.lines if SAID.get(kind, "no space left") in line.lower()]
        assert len(said) == 1, where
    if name == "experiment":
        assert run(COMMANDS[name][0], monkeypatch, capfd).code == 0
    check_whole(here)
    assert names_of(here) <= names_of(finished), where


def choose_calls(n_calls, most):
    """Return all calls, or some of them from the first to the last."""
    if n_calls <= most:
        return range(1, n_calls + 1)
    return sorted({round(1 + k * (n_calls - 1) / (most - 1)) for k in range(most)})


QUICK = [("fit", "write"), ("fit", "rename"), ("export", "write"), ("edit", "sync"), ("experiment", "write")]


@pytest.mark.parametrize(("name", "kind"), QUICK)
def test_the_last_call_that_fails(name, kind, finished, here, monkeypatch, capfd):
    start_anew(finished, here, name)
    n_calls = count_calls(kind, COMMANDS[name][0], monkeypatch, capfd)
    assert n_calls
    check_fault(name, kind, n_calls, finished, here, monkeypatch, capfd)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["write", "rename", "sync", "allocation"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_call_that_fails(name, kind, finished, here, monkeypatch, capfd):
    """Every write, rename and sync, and allocations from the first to the last."""
    start_anew(finished, here, name)
    n_calls = count_calls(kind, COMMANDS[name][0], monkeypatch, capfd)
    for at in choose_calls(n_calls, 6 if kind == "allocation" else 60):
        check_fault(name, kind, at, finished, here, monkeypatch, capfd)


@pytest.mark.slow
# joblib's own thread may look for the job that was handed out when the worker failed to start, and is gone by then
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")
@pytest.mark.parametrize("at", [1, 2])
def test_a_worker_that_cannot_be_started(at, finished, here, monkeypatch, capfd):
    start_anew(finished, here, "experiment")
    arguments = [*COMMANDS["experiment"][0], "--n-jobs", "2"]
    ended = run_failing("start of a worker", at, arguments, monkeypatch, capfd)
    assert ended.code in (0, 1)  # one worker does the work of two
    assert "Traceback" not in "".join(ended.lines)
    assert run(arguments, monkeypatch, capfd).code == 0
    assert (here / "results" / "results.csv").read_bytes() == (finished / "results" / "results.csv").read_bytes()


SERVE = ["serve", "model.tp", "--port", "0"]


@pytest.fixture
def answers(monkeypatch):
    """What the server of one process answers once it is ready; it then stops, as none does that was started well."""
    uvicorn, client = pytest.importorskip("uvicorn"), pytest.importorskip("starlette.testclient")
    found = []

    def serve(server, sockets):
        server.started = True
        with client.TestClient(server.config.app, "http://localhost", raise_server_exceptions=False) as here:
            while here.get("/health").status_code == 503:
                time.sleep(0.01)
            found.append(here.post("/predict", json={"rows": [{"x": 1, "z": 2}]}).status_code)

    monkeypatch.setattr(uvicorn.Server, "run", serve)
    return found


def check_start(at, answers, monkeypatch, capfd):
    """A server starts, or says in one line why not; one that started answers, if only that something failed."""
    answers.clear()
    ended = run_failing("allocation", at, SERVE, monkeypatch, capfd)
    assert (ended.code == 0) == bool(answers), ended
    assert set(answers) <= {200, 500}
    if ended.code:
        (line,) = ended.lines
        assert "too little memory" in line
        assert "Traceback" not in line


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the client's, which version of httpx it would like better
@pytest.mark.parametrize("some", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_a_server_that_lacks_memory_at_its_start(some, answers, finished, here, monkeypatch, capfd):
    n_calls = count_calls("allocation", SERVE, monkeypatch, capfd)
    assert answers == [200]
    for at in choose_calls(n_calls, some):
        check_start(at, answers, monkeypatch, capfd)


@pytest.fixture
def signals():
    """The server takes signals over, and gives none back where it does not start."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    yield
    for number, action in before.items():
        if signal.getsignal(number) is not action:
            signal.signal(number, action)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # of the server, which ends with its process
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_server_whose_worker_cannot_be_started(at, signals, finished, here, monkeypatch, capfd):
    """One line says so, and the workers that were started before are gone: nobody waits for them."""
    pytest.importorskip("uvicorn")
    others = set(multiprocessing.active_children())
    ended = run_failing("start of a worker", at, [*SERVE, "--workers", "3", "--quiet"], monkeypatch, capfd)
    assert ended.code == 1
    (line,) = [line for line in ended.lines if line.startswith("truepath: ")]
    assert "a worker process could not be started: resource temporarily unavailable. Ask for fewer --workers" in line
    assert set(multiprocessing.active_children()) <= others
    gc.collect()
