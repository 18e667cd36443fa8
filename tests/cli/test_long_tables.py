"""``truepath predict`` on long tables: memory does not grow with the rows, and an interrupt leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from places import SOURCES
from truepath import HierarchicalClassifier, open_dataset
from truepath.classifier import FittedOn
from truepath.learners import PCTForest
from truepath.preprocessing import AutoFeatures

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="signals, and peaks of memory in /proc"),
]

PEAK = """
import re, sys
from pathlib import Path
from truepath.cli import main
sys.argv = ["truepath", *sys.argv[1:]]
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
# ru_maxrss would count what the process that started this one held before it became Python
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


def write_rows(path, n_rows):
    """Write a table of ten columns of numbers."""
    rng = np.random.default_rng(0)
    block = "".join(",".join(f"{x:.6f}" for x in row) + ",a/1\n" for row in rng.normal(size=(1000, 10)))
    with open(path, "w") as file:
        file.write(",".join([*(f"x{j}" for j in range(10)), "labels"]) + "\n")
        for _ in range(n_rows // 1000):
            file.write(block)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from sklearn.pipeline import make_pipeline

    place = tmp_path_factory.mktemp("long")
    ds = open_dataset(write_rows(place / "train.csv", 1000), cells=True)
    learner = make_pipeline(AutoFeatures(impute=False), PCTForest(n_estimators=3, random_state=0))
    model = HierarchicalClassifier(learner, decoder="threshold", hierarchy=ds.hierarchy).fit(ds["all"].X, ds["all"].y)
    model.set_fitted_on(FittedOn("table", "train", tuple(ds.feature_names))).save(place / "model.tp")
    return place


def environment():
    return {**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"}


def peak_of(folder, n_rows):
    """Return the peak of resident memory, in MB, of predicting a file with so many rows."""
    source = write_rows(folder / f"{n_rows}.csv", n_rows)
    command = [sys.executable, "-c", PEAK, "predict", folder / "model.tp", source, "-o", folder / "out.csv"]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    assert f"{n_rows:,} rows" in done.stderr
    return int(done.stderr.split()[-1]) / 1024


def test_memory_does_not_grow_with_the_rows(folder):
    small, large = peak_of(folder, 20_000), peak_of(folder, 100_000)
    assert large < 1000
    assert large - small < 40  # the cells of 80,000 rows alone would take 50 MB


def test_an_interrupt_leaves_what_was_there(folder):
    source, target = write_rows(folder / "many.csv", 100_000), folder / "kept.csv"
    target.write_text("before")
    before = set(folder.iterdir())
    command = [sys.executable, "-m", "truepath", "predict", folder / "model.tp", source, "-o", target]
    running = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE)
    while set(folder.iterdir()) == before and running.poll() is None:  # until the first rows are written
        time.sleep(0.02)
    assert set(folder.iterdir()) != before
    running.send_signal(signal.SIGTERM)  # counts as Ctrl-C, and is heard in the background of a shell too
    assert running.wait() != 0
    running.stderr.close()
    assert target.read_text() == "before"
    assert set(folder.iterdir()) == before
