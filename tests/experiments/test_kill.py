"""An experiment killed at a random point and started again gives the same table as one left alone (SIGKILL)."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from truepath.experiments.survey import JOURNAL

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")

# A plan of 24 quick runs. With tear=n the process kills itself half-way through writing the n-th line.
SCRIPT = """
import os, signal, sys
from sklearn.dummy import DummyClassifier
from truepath.data import make_hmc
from truepath.experiments import run_experiment

folder, n_jobs, tear = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
real, lines = os.write, [0]

def write(handle, content):
    is_line = content.startswith(b'{"checksum"')
    lines[0] += is_line
    if is_line and lines[0] == tear:
        real(handle, content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return real(handle, content)

os.write = write
data = {name: make_hmc(60, n_features=6, n_nodes=8, random_state=k) for k, name in enumerate("ab")}
kinds = ("prior", "stratified", "uniform")
methods = {kind: DummyClassifier(strategy=kind) for kind in kinds}
plan = {"datasets": data, "methods": methods, "seeds": 2, "folds": 2, "measures": ["micro_f1", "h_loss"]}
run_experiment(plan, folder, n_jobs=n_jobs)
"""
N_RUNS = 24


def start(folder, n_jobs=1, tear=0):
    command = [sys.executable, "-c", SCRIPT, str(folder), str(n_jobs), str(tear)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


def finish(folder, **options):
    assert start(folder, **options).wait() == 0
    return (Path(folder) / "results.csv").read_bytes()


def n_lines(folder):
    path = Path(folder) / JOURNAL
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(folder, n_runs, delay, n_jobs=1):
    """Kill the process (and its workers) some time after this many runs are on disk."""
    process = start(folder, n_jobs)
    while process.poll() is None and n_lines(folder) < n_runs:
        time.sleep(0.001)
    time.sleep(delay)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def tear_line(folder, n_line, n_jobs=1):
    """Let the process kill itself while it writes a line, and its workers with it."""
    process = start(folder, n_jobs, n_line)
    process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return finish(tmp_path_factory.mktemp("whole"))


@pytest.mark.slow
def test_killed_at_random_points_until_done(expected, tmp_path):
    """One experiment, killed again and again at random points, also while a line is written."""
    generator = random.Random(20061)
    kill_after(tmp_path, generator.randint(1, 6), generator.uniform(0, 0.02))
    tear_line(tmp_path, generator.randint(2, 5))
    assert not (tmp_path / JOURNAL).read_bytes().endswith(b"\n")
    before = n_lines(tmp_path)
    assert 2 <= before < N_RUNS
    assert finish(tmp_path) == expected
    assert n_lines(tmp_path) == N_RUNS  # the finished were not done again


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_many_random_points(seed, expected, tmp_path):
    generator = random.Random(seed)
    n_jobs = generator.choice([1, 2])
    for _ in range(generator.randint(1, 3)):
        if generator.random() < 0.4:
            tear_line(tmp_path, generator.randint(1, 8), n_jobs)
        else:
            at = n_lines(tmp_path) + generator.randint(0, 8)
            kill_after(tmp_path, min(at, N_RUNS), generator.uniform(0, 0.05), n_jobs)
    assert finish(tmp_path, n_jobs=generator.choice([1, 2])) == expected
