"""Workers end with the process that started them."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

from truepath.orphans import end_with

SCRIPT = """
import os, sys, time
import joblib
from truepath.adapters.parallel import run_parallel

def work(k):
    os.write(1, b"%d\\n" % os.getpid())  # at once: two workers write to one pipe
    time.sleep(300)

with joblib.parallel_config(backend=sys.argv[1]):
    run_parallel(work, [(k,) for k in range(2)], n_jobs=2)
"""


def runs(process):
    """Return whether a process is there, and not only its exit status."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no list of processes")
@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
@pytest.mark.slow
def test_workers_do_not_outlive_a_killed_parent(backend):
    """Left alone they would wait for five minutes."""
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, backend], stdout=subprocess.PIPE, text=True)
    workers = [int(process.stdout.readline()) for _ in range(2)]
    assert all(map(runs, workers))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    start = time.monotonic()
    while any(map(runs, workers)) and time.monotonic() - start < 100:
        time.sleep(0.1)
    left = list(filter(runs, workers))
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert not left


def test_a_process_does_not_wait_for_its_own_end():
    before = count_watches()
    end_with(os.getpid())  # as in the threads of a backend without processes
    assert count_watches() == before


def count_watches():
    return sum(thread.name == "truepath-orphans" for thread in threading.enumerate())


def test_the_watch_begins_before_anything_heavy_is_imported():
    """A worker that is killed while it starts must not import for seconds first."""
    heavy = "any(name in sys.modules for name in ('numpy', 'sklearn', 'truepath.adapters'))"
    code = f"import sys, pickle; import truepath.orphans; sys.exit({heavy})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert pickle.dumps(end_with).find(b"truepath.orphans") > 0
