"""Threads for predictions and explanations that do not keep a server alive.

Those of ``concurrent.futures`` are waited for when Python ends, however long they take: an explanation that nobody
waits for any more would hold up the end of a server that has drained.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any


class WorkThreads(Executor):
    """A fixed number of threads that take jobs in their order; they end with the process at the latest.

    Examples
    --------
    >>> pool = WorkThreads(1, "example")
    >>> pool.submit(pow, 2, 5).result()
    32
    >>> pool.shutdown()
    """

    def __init__(self, n_threads: int, name: str):
        self.jobs: SimpleQueue[Any] = SimpleQueue()
        self.n_threads = n_threads
        for k in range(n_threads):
            threading.Thread(target=self._work, name=f"{name}-{k}", daemon=True).start()

    def submit(self, function: Callable[..., Any], /, *given: Any, **options: Any) -> Future[Any]:
        """Queue a job; return where its result will be."""
        future: Future[Any] = Future()
        self.jobs.put((future, function, given, options))
        return future

    def _work(self) -> None:
        _work_alone()
        while (job := self.jobs.get()) is not None:
            future, function, given, options = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(*given, **options))
            except BaseException as error:
                future.set_exception(error)
            del job, future  # a result is not kept until the next job comes

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end after the queued jobs; nothing waits for them."""
        for _ in range(self.n_threads):
            self.jobs.put(None)


def _work_alone() -> None:
    """Keep a thread's predictions in the thread: no pool of workers is started for a few rows.

    Parameters of fitted estimators are not checked again with every request; what is in the rows still is.
    """
    from joblib import parallel_config
    from sklearn import set_config

    parallel_config(backend="sequential")
    set_config(skip_parameter_validation=True)
