"""The engine: units of any kind, kept as they finish, whatever runs them."""

import threading

import joblib
import pytest

from truepath.experiments.engine import Unit, run_units
from truepath.experiments.store import Store


def square(k):
    if k == 3:
        raise ArithmeticError("three\nis refused")
    return {"square": k * k}


class Square:
    """A piece of work that can be sent to another process."""

    def __init__(self, k):
        self.k = k

    def __call__(self):
        return square(self.k)


def units(n=6):
    return [Unit(f"unit {k}", "settings", Square(k), {"part": "1"}, {"k": k}, cost=float(k)) for k in range(n)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_all_are_kept_on_any_backend(backend, n_jobs, tmp_path):
    store = Store(tmp_path / "work.jsonl")
    with joblib.parallel_config(backend=backend):
        found = run_units(units(), store, total=15, n_jobs=n_jobs)
    stored = store.read()
    assert sorted(unit.key for unit in found) == sorted(stored.keys) == [f"unit {k}" for k in range(6)]
    for k in (0, 1, 2, 4, 5):
        unit = stored.serving(f"unit {k}", "settings", {"part": "1"})
        assert (unit.value, unit.about) == ({"square": k * k}, {"k": k})
        assert unit.seconds >= 0
        assert {"truepath", "python", "numpy", "numba"} <= set(unit.versions)
        assert unit.date.startswith("20")
    (failed,) = stored.of("unit 3")
    assert failed.error == "ArithmeticError: three is refused"
    assert "Traceback" in failed.traceback


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_reported_in_the_callers_thread(n_jobs, tmp_path):
    heard, threads = [], set()

    def on_progress(*reported):
        heard.append(reported)
        threads.add(threading.current_thread())

    with joblib.parallel_config(backend="threading"):
        run_units(units(), Store(tmp_path / "work.jsonl"), total=15, n_jobs=n_jobs, on_progress=on_progress)
    assert threads == {threading.current_thread()}
    assert heard[-1][:2] == (15, 15)
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert "unit 3 FAILED" in [what for _, _, what in heard]
    if n_jobs == 1:
        assert heard[0] == (0, 15, "unit 0"), "a unit is named as it starts"


def test_what_is_finished_before_an_interruption_is_kept(tmp_path):
    def stop():
        raise KeyboardInterrupt

    store = Store(tmp_path / "work.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run_units([*units(2), Unit("stop", "settings", stop), *units(5)[4:]], store, total=9, n_jobs=1)
    assert store.read().keys == {"unit 0", "unit 1"}


def test_one_thread_of_blas_within_a_unit(tmp_path):
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def count():
        return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]

    (unit,) = run_units([Unit("count", "settings", count)], Store(tmp_path / "work.jsonl"), total=1)
    assert unit.value
    assert set(unit.value) == {1}
