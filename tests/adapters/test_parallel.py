"""The one home of parallel loops: order, retries, configuration, and a source in which no job fills an argument."""

from __future__ import annotations

import ast
import itertools
import operator
import time
from functools import cache, partial

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, get_config

from places import SOURCES
from truepath import Hierarchy
from truepath.adapters import parallel
from truepath.adapters.alignment import align
from truepath.adapters.parallel import count_workers, iterate_parallel, run_parallel
from truepath.errors import InputWarning

PACKAGE = SOURCES / "truepath"
HOME = "adapters/parallel.py"
BACKENDS = ["sequential", "threading", "loky", "multiprocessing"]
LOOPS = {"run_parallel", "iterate_parallel"}


def late(k):
    time.sleep(0.1 * (k == 0))
    return k


@pytest.mark.parametrize("backend", BACKENDS[:2])
@pytest.mark.parametrize("in_order", [True, False])
def test_every_case_comes_back_once(backend, in_order):
    with joblib.parallel_config(backend=backend):
        found = run_parallel(operator.add, ((k,) for k in range(20)), common=(100,), n_jobs=2, in_order=in_order)
    assert (found if in_order else sorted(found)) == list(range(100, 120))


@pytest.mark.parametrize("backend", BACKENDS[2:])
@pytest.mark.parametrize("in_order", [True, False])
def test_every_case_comes_back_once_from_processes(backend, in_order):
    test_every_case_comes_back_once(backend, in_order)


def test_results_come_in_order_unless_asked_otherwise():
    cases = [(k,) for k in range(4)]
    assert run_parallel(late, cases, n_jobs=2, prefer="threads") == [0, 1, 2, 3]
    assert run_parallel(late, cases, n_jobs=2, prefer="threads", in_order=False)[0] == 1


def test_long_jobs_are_not_put_into_one_batch(monkeypatch):
    sizes = []

    class Recorded(joblib.Parallel):
        def __init__(self, **options):
            sizes.append(options["batch_size"])
            super().__init__(**options)

    monkeypatch.setattr(parallel, "Parallel", Recorded)
    for one_by_one in (False, True):
        found = run_parallel(late, ((k,) for k in range(5)), n_jobs=2, prefer="threads", one_by_one=one_by_one)
        assert found == list(range(5))
    assert sizes == ["auto", 1]


def test_cases_are_taken_as_workers_become_free():
    taken = []
    cases = (taken.append(k) or (k,) for k in range(1000))
    results = iterate_parallel(late, cases)
    assert [next(results), next(results)] == [0, 1]
    results.close()
    assert len(taken) < 10


class FutureCancelledError(Exception):
    """What Dask raises when data are lost with a worker."""


class LosesWorkers:
    """Fails like a lost worker, so many times, at one case."""

    def __init__(self, times):
        self.left, self.calls = times, []

    def __call__(self, k):
        self.calls.append(k)
        if k == 3 and self.left:
            self.left -= 1
            raise FutureCancelledError("lost dependencies")
        return k


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("in_order", [True, False])
def test_what_a_lost_worker_left_is_run_again(n_jobs, in_order):
    job = LosesWorkers(1)
    cases = ((k,) for k in range(8))  # gone through once: what was handed out is remembered
    found = run_parallel(job, cases, n_jobs=n_jobs, prefer="threads", in_order=in_order)
    assert sorted(found) == list(range(8))
    assert not in_order or found == sorted(found)
    if n_jobs == 1:
        assert job.calls == [0, 1, 2, 3, 3, 4, 5, 6, 7]  # what was finished is not run again


def test_a_worker_lost_twice_is_an_error():
    with pytest.raises(FutureCancelledError):
        run_parallel(LosesWorkers(2), [(k,) for k in range(8)])


def test_other_errors_are_not_tried_again():
    calls = []
    with pytest.raises(ZeroDivisionError):
        run_parallel(lambda k: calls.append(k) or 1 / 0, [(0,)])
    assert calls == [0]


def setting():
    return get_config()["assume_finite"]


def test_the_configuration_of_scikit_learn_goes_along():
    with config_context(assume_finite=True):
        assert run_parallel(setting, [(), ()], n_jobs=2, prefer="threads") == [True, True]
    assert run_parallel(setting, [(), ()], n_jobs=2, prefer="threads") == [False, False]


def test_the_user_chooses_backend_and_number():
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert count_workers() == 3
        assert count_workers(1) == 1
    with joblib.parallel_config(backend="loky", n_jobs=3):
        assert count_workers(shared_memory=True) == 1  # threads beside processes only if asked for
        assert count_workers(2, shared_memory=True) == 2


def test_no_more_workers_than_a_machine_could_run():
    most = parallel.MOST_PER_CORE * joblib.cpu_count()
    with pytest.warns(InputWarning, match="n_jobs=100000 is far more"):
        assert count_workers(100_000) == most
    with pytest.warns(InputWarning):
        assert run_parallel(pow, [(2, 3)], n_jobs=100_000, prefer="threads") == [8]
    assert count_workers(most) == most


def test_shared_memory_stays_in_the_process_under_any_backend():
    found = []
    with joblib.parallel_config(backend="loky"):
        run_parallel(found.append, [(0,), (1,)], n_jobs=2, shared_memory=True)
    assert sorted(found) == [0, 1]


def shifted(values, by=3):
    """Return the same numbers at an address that NumPy would not choose."""
    values = np.asarray(values)
    place = np.zeros(values.nbytes + 64, np.uint8)
    start = by + (-place.ctypes.data) % 16
    moved = place[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    moved[...] = values
    return moved


class Holder:
    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array


def test_arrays_anywhere_in_an_object_are_aligned():
    X = shifted(np.arange(6.0).reshape(2, 3))
    S = sparse.csr_array(np.eye(3))
    S.data = shifted(S.data)
    h = Hierarchy.from_paths(["a/1", "b"])
    found = align({"X": [X, X], "S": S, "holder": Holder(X), "h": h, "call": partial(np.add, X)})
    arrays = [*found["X"], found["S"].data, found["holder"].array, found["call"].args[0]]
    assert all(array.ctypes.data % 16 == 0 for array in arrays)
    assert found["X"][0] is found["X"][1] is found["holder"].array  # one array stays one array
    assert np.array_equal(found["X"][0], X)
    assert (found["S"] != S).nnz == 0
    assert found["h"] == h
    assert not found["h"].parent_ptr.flags.writeable


def test_what_lies_well_is_passed_on_untouched():
    value = (np.arange(5.0), [sparse.eye_array(3)], "text", lambda: 0)
    assert align(value) is value


def test_small_read_only_arrays_can_be_written_to_on_arrival():
    """Ray's arrays are read-only: kernels would be compiled once more."""
    small, large = np.arange(5.0), np.zeros(1 << 18)
    small.flags.writeable = large.flags.writeable = False
    found = align([small, large])
    assert [array.flags.writeable for array in found] == [True, False]


@cache
def sources():
    """Return the parsed files that may hold a loop."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    words = ("arallel", "Pool", "Thread")
    some = {path: text for path, text in texts.items() if any(word in text for word in words)}
    return [(path.relative_to(PACKAGE).as_posix(), ast.parse(text)) for path, text in some.items()]


def called(node):
    """Return the name of what a call calls, without what it belongs to."""
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def calls(tree, names):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) in names]


def test_parallel_loops_have_one_home():
    rivals = {"Parallel", "ThreadPool", "Pool", "ThreadPoolExecutor", "ProcessPoolExecutor", "Thread"}
    found = {where for where, tree in sources() if calls(tree, rivals)}
    # a server's threads wait for requests, that of a worker for the end of its parent, that of progress for ten seconds
    assert found == {HOME, "serve/threads.py", "orphans.py", "cli/shared/progress.py"}


def jobs():
    """Yield (where, function, the loop's call) for every parallel loop; the function of a method is found by name."""
    for where, tree in sources():
        if where == HOME:
            continue
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for loop in calls(tree, LOOPS):
            yield where, functions, loop


def names_written(function):
    """Return the names of arguments whose elements, attributes or arrays a function writes.

    Names bound in the function itself are not the arguments any more.
    """
    arguments = {a.arg for a in itertools.chain(function.args.posonlyargs, function.args.args)} - {"self"}
    stores = [node for node in ast.walk(function) if isinstance(getattr(node, "ctx", None), ast.Store)]
    changes = [node for node in ast.walk(function) if isinstance(node, ast.AugAssign)]
    in_place = {id(node.target) for node in changes}
    arguments -= {node.id for node in stores if isinstance(node, ast.Name) and id(node) not in in_place}
    written = {root(node.value) for node in stores if isinstance(node, (ast.Subscript, ast.Attribute))}
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        written |= {root(word.value) for word in call.keywords if word.arg == "out"}
    written |= {root(change.target) for change in changes}
    return (written & arguments) | (arguments & {"out"})


def root(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return getattr(node, "id", "")


def test_the_walk_sees_what_it_is_looking_for():
    wrong = "def job(X, out):\n    out[:] = X\n    X += 1\n    np.add(X, 1, out=out)\n"
    right = "def job(X, k):\n    X = X + 1\n    X[0] = k\n    S = np.empty(3)\n    S[:] = X\n    return S\n"
    assert names_written(ast.parse(wrong).body[0]) == {"X", "out"}
    assert names_written(ast.parse(right).body[0]) == set()


def test_jobs_return_their_results_and_fill_no_argument():
    seen = 0
    for where, functions, loop in jobs():
        target = loop.args[0]
        name = getattr(target, "id", getattr(target, "attr", ""))
        if name == "search":  # the loop of boosting is handed its search by the method that calls it
            name = "_search"
        assert name in functions, f"{where}: the job of a parallel loop must be a function of the same file, got {name}"
        assert not names_written(functions[name]), f"{where}: {name} writes into an argument"
        returns = [node for node in ast.walk(functions[name]) if isinstance(node, ast.Return)]
        assert any(node.value is not None for node in returns), f"{where}: {name} returns nothing"
        seen += 1
    assert seen >= 14


def test_no_uninitialised_array_is_handed_to_a_job():
    for where, functions, loop in jobs():
        inside = next(f for f in functions.values() if loop in ast.walk(f))
        empty = {
            target.id
            for node in ast.walk(inside)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and called(node.value) == "empty"
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        feeding = [node.value for node in ast.walk(inside) if isinstance(node, ast.Assign)]
        feeding = [value for value in feeding if isinstance(value, (ast.GeneratorExp, ast.ListComp, ast.Tuple))]
        used = {node.id for part in [loop, *feeding] for node in ast.walk(part) if isinstance(node, ast.Name)}
        assert not empty & used, f"{where}: {inside.name} hands {empty & used} to its jobs"
