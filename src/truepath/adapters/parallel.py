"""The one home of parallel loops: the same answer from threads, processes, Dask and Ray.

A job is a function called with what all jobs have in common and with a case of its own; it *returns* its result. It
never writes into an argument: in another process that is a copy, and what is written there is lost.

What joblib's backends leave open is settled here:

* What is common is sent to a cluster once, not with every job.
* Dask delivers arrays at any address. Sums over them differ in the last bit from sums over the same numbers at home, so
  arrays arrive in memory that is aligned as at home.
* Some backends return results one by one, others only as a list.
* A Dask worker that dies takes along the data that were sent to it. What was not finished is then run once more.
* scikit-learn's configuration goes along with the job.
* Workers of joblib's own backends wait five minutes for the next job, also if the process that started them was killed.
  They end with it.
* More workers than a machine could run are not started, with a warning: each takes some 300 MB.

Sums have the same bits however many jobs run beside each other only if BLAS keeps to one thread
(:func:`single_blas_thread`). The limit of most BLAS libraries belongs to the whole process, but jobs run in several
threads: each would remember the limit it found, perhaps that of another job, and restore it in any order. So the limit
is counted: the first job to enter sets it, the last one to leave restores what was there before. Where it belongs
to a thread (MKL, OpenMP), each job sets and restores its own.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import lru_cache
from inspect import Parameter, signature
from itertools import chain, islice
from threading import Lock
from typing import Any, Literal
from uuid import uuid4

import threadpoolctl
from joblib import Parallel, cpu_count, delayed
from joblib.parallel import BACKENDS, get_active_backend
from sklearn import config_context, get_config

from truepath.adapters.alignment import align
from truepath.errors import InputWarning
from truepath.orphans import end_with
from truepath.parameters import JOBS, check_in

logger = logging.getLogger(__name__)


Prefer = Literal["threads", "processes"]

#: What is common to all jobs calls itself this large, so that Dask sends it once (it does so above 1 kB)
LARGE = 1 << 20

#: How often what a lost worker left unfinished is run again
RETRIES = 1

#: What Dask raises when a worker died: by name, for Dask need not be installed
LOST = ("FutureCancelledError", "FuturesCancelledError", "KilledWorker")


#: Jobs at the same time on this machine, for each of its cores, above which there is no use in more
MOST_PER_CORE = 8

_PROCESS = uuid4().hex


def run_parallel(function: Callable[..., Any], cases: Iterable[tuple[Any, ...]], **options: Any) -> list[Any]:
    """Return ``[function(*common, *case) for case in cases]``; takes the options of :func:`iterate_parallel`.

    Examples
    --------
    >>> run_parallel(pow, [(2, 3), (3, 2)])
    [8, 9]
    >>> run_parallel(pow, [(1,), (2,)], common=(10,), n_jobs=2, prefer="threads")
    [10, 100]
    """
    return list(iterate_parallel(function, cases, **options))


def iterate_parallel(
    function: Callable[..., Any],
    cases: Iterable[tuple[Any, ...]],
    *,
    common: tuple[Any, ...] = (),
    n_jobs: int | None = None,
    prefer: Prefer | None = None,
    shared_memory: bool = False,
    in_order: bool = True,
    one_by_one: bool = False,
) -> Generator[Any, None, None]:
    """Yield ``function(*common, *case)`` for each case, computed in parallel by joblib's active backend.

    Parameters
    ----------
    function : callable
        A function of a module or a bound method, so that it can be sent to other processes. It returns its result and
        leaves its arguments as they are.
    cases : iterable of tuple
        Taken as workers become free.
    common : tuple
        What all jobs read; sent to a cluster once.
    n_jobs : int, optional
        As in joblib.
    prefer : {"threads", "processes"}, optional
        Which backend to take where the user did not choose one.
    shared_memory : bool, default=False
        True stays in threads of this process under any backend: for short loops over large arrays.
    in_order : bool, default=True
        False yields results as they finish, each handed over by itself.
    one_by_one : bool, default=False
        For few jobs of which some take much longer: joblib would put several into one batch after some short ones.
    """
    ahead, unfinished = enumerate(cases), dict[int, tuple[Any, ...]]()
    asked = {"prefer": prefer, "require": "sharedmem" if shared_memory else None}
    asked = {key: value for key, value in asked.items() if value}  # the rest is the user's to set
    backend, _ = get_active_backend(**asked)
    how = {"n_jobs": _check_n_jobs(n_jobs, backend), **asked, **_life_of_workers(backend)}
    for attempt in range(RETRIES + 1):
        jobs = _make_jobs(function, common, backend, _hand_out(ahead, unfinished))
        try:
            with closing(_results(jobs, backend, how, in_order, one_by_one)) as results:
                for k, result in results:
                    del unfinished[k]
                    yield result
            return
        except Exception as problem:
            if attempt == RETRIES or type(problem).__name__ not in LOST:
                raise
            logger.warning("a worker was lost (%s); %d jobs are run again", problem, len(unfinished))


def count_workers(n_jobs: int | None = None, *, shared_memory: bool = False) -> int:
    """Return how many jobs run at the same time, in threads of this process only if ``shared_memory``."""
    if n_jobs == 1:
        return 1
    backend, default = get_active_backend(**({"require": "sharedmem"} if shared_memory else {}))
    return int(backend.effective_n_jobs(default if n_jobs is None else _check_n_jobs(n_jobs, backend)))


def _check_n_jobs(n_jobs: int | None, backend: Any) -> int | None:
    """Return the number of jobs, or as many as make sense on this machine; refuse what is no number of jobs."""
    check_in("n_jobs", n_jobs, JOBS, none=True)
    most = MOST_PER_CORE * cpu_count()
    if n_jobs is None or n_jobs <= most or type(backend) not in BACKENDS.values():  # a cluster has cores of its own
        return n_jobs
    said = (
        f"n_jobs={n_jobs} is far more than the {cpu_count()} cores of this machine; {most} jobs run at the same time."
    )
    warnings.warn(said, InputWarning, stacklevel=4)
    return most


def _life_of_workers(backend: Any) -> dict[str, Any]:
    """Return the option by which a backend's workers end with this process, where it takes one."""
    starts_processes = type(backend) in [BACKENDS.get(name) for name in ("loky", "multiprocessing")]
    takes_options = Parameter.VAR_KEYWORD in [p.kind for p in signature(Parallel).parameters.values()]
    is_taken = "initializer" in getattr(backend, "backend_kwargs", {})  # by the user
    if not starts_processes or not takes_options or is_taken:
        return {}
    return {"initializer": end_with, "initargs": (os.getpid(),)}


def _results(
    jobs: Iterator[Any], backend: Any, how: dict[str, Any], in_order: bool, one_by_one: bool
) -> Generator[tuple[int, Any], None, None]:
    """Yield pairs (number of the case, result).

    If results are wanted as they finish, one job is one batch: a batch comes back as a whole. Backends that cannot hand
    over results one by one then get as many jobs at a time as there are workers.
    """
    size: Any = "auto" if in_order and not one_by_one else 1
    if getattr(backend, "supports_return_generator", True):
        kind = "generator" if in_order else "generator_unordered"
        with closing(Parallel(return_as=kind, batch_size=size, **how)(jobs)) as results:
            yield from results
        return
    with Parallel(batch_size=size, **how) as workers:
        at_a_time = None if in_order else count_workers(how["n_jobs"])
        while some := list(islice(jobs, at_a_time)):
            yield from workers(some)


def _hand_out(
    ahead: Iterator[tuple[int, tuple[Any, ...]]], unfinished: dict[int, tuple[Any, ...]]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield numbered cases: those handed out before whose results have not come back, then the others."""
    for k, case in chain(list(unfinished.items()), ahead):
        unfinished[k] = case
        yield k, case


def _make_jobs(
    function: Callable[..., Any], common: tuple[Any, ...], backend: Any, cases: Iterator[tuple[int, tuple[Any, ...]]]
) -> Iterator[Any]:
    """Make joblib's jobs from numbered cases."""
    call, shared = delayed(_Call(function)), _InRay(common) if _is_ray(backend) else _Common(common)
    return (call(shared, k, *case) for k, case in cases)


class _Call:
    """A job's function as it is run by a worker, near or far."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)  # what dashboards show
        self.home, self.pid = _here(), os.getpid()
        self.config = get_config()

    def __call__(self, common: Any, k: int, *case: Any) -> tuple[int, Any]:
        function = self.function
        if self.home != _here():
            function, case = align((function, case))
            if os.getppid() == self.pid:
                end_with(self.pid)
        with config_context(**self.config):
            return k, function(*common.get(), *case)


class _Common:
    """What all jobs read. Dask sends an object that says it is large once, and jobs refer to it."""

    def __init__(self, values: tuple[Any, ...]):
        self.values = values

    def get(self) -> tuple[Any, ...]:
        return self.values

    def __sizeof__(self) -> int:
        return LARGE

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrive, (self.values,)


def _arrive(values: tuple[Any, ...]) -> _Common:
    return _Common(align(values))


class _InRay:
    """What all jobs read, kept in Ray's store of objects, which every worker of a machine reads in place."""

    def __init__(self, common: tuple[Any, ...]):
        import ray

        self.reference = ray.put(_Common(common))

    def get(self) -> tuple[Any, ...]:
        import ray

        values: _Common = ray.get(self.reference)
        return values.get()


def _is_ray(backend: Any) -> bool:
    return any(cls.__module__.startswith("ray.") for cls in type(backend).__mro__)


def _here() -> str:
    """Return what no other process is called, forked ones included."""
    return f"{_PROCESS} {os.getpid()}"


def single_blas_thread() -> AbstractContextManager[None]:
    """Keep BLAS to one thread, in the whole process, until the last of all such blocks has ended.

    Blocks may be nested, and may overlap in several threads.

    Examples
    --------
    >>> with single_blas_thread(), single_blas_thread():
    ...     pass
    """
    return _limited("blas")


def single_thread() -> AbstractContextManager[None]:
    """Keep BLAS, and OpenMP in the calling thread, to one thread."""
    return _limited(None)


@contextmanager
def _limited(user_api: str | None) -> Iterator[None]:
    of_process, of_thread = _thread_pools(len(sys.modules))
    with _of_process.hold(of_process), of_thread.limit(limits=1, user_api=user_api):
        yield


class _CountedLimit:
    """A limit of one thread that holds while at least one caller is inside."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.limiter: Any = None

    @contextmanager
    def hold(self, pools: threadpoolctl.ThreadpoolController) -> Iterator[None]:
        """Count one more caller, and set or restore the limit for the first and the last."""
        with self.lock:
            if self.n_inside == 0:
                with _control():
                    self.limiter = pools.limit(limits=1, user_api="blas")
            self.n_inside += 1
        try:
            yield
        finally:
            with self.lock:
                self.n_inside -= 1
                if self.n_inside == 0:
                    with _control():
                        self.limiter.restore_original_limits()

    def renew_lock(self) -> None:
        """Replace a lock that another thread may have held when this process was forked."""
        self.lock = Lock()


@contextmanager
def _control() -> Iterator[None]:
    """Let any thread set the limit of OpenBLAS: threadpoolctl 3.7 and newer listen to the first one only."""
    release = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", lambda force: None)
    release(force=True)
    yield
    release(force=True)


_of_process = _CountedLimit()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_of_process.renew_lock)


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> tuple[Any, Any]:
    """Return the thread pools whose limit belongs to the process, and to a thread.

    They are looked for when modules were imported since: it takes milliseconds, as long as a small fit.
    """
    found = threadpoolctl.ThreadpoolController()
    of_thread = [pool["filepath"] for pool in found.info() if _belongs_to_threads(pool)]
    of_process = [pool["filepath"] for pool in found.info() if not _belongs_to_threads(pool)]
    return found.select(filepath=of_process), found.select(filepath=of_thread)


def _belongs_to_threads(pool: dict[str, Any]) -> bool:
    return "openmp" in (pool["user_api"], pool.get("threading_layer")) or pool["internal_api"] == "mkl"
