"""One thread for BLAS: sums then have the same bits however many jobs run beside each other.

The limit of most BLAS libraries belongs to the whole process, but jobs run in several threads. Each would remember the
limit it found, perhaps that of another job, and restore it in any order. So the limit is counted: the first job to
enter sets it, the last one to leave restores what was there before. Where the limit belongs to a thread (MKL, OpenMP),
each job sets and restores its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import threadpoolctl

__all__ = ["single_blas_thread", "single_thread"]


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread, in the whole process, until the last of all such blocks has ended.

    Blocks may be nested, and may overlap in several threads.

    Examples
    --------
    >>> with single_blas_thread(), single_blas_thread():
    ...     pass
    """
    with _limited("blas"):
        yield


@contextmanager
def single_thread() -> Iterator[None]:
    """Keep BLAS, and OpenMP in the calling thread, to one thread."""
    with _limited(None):
        yield


@contextmanager
def _limited(user_api: str | None) -> Iterator[None]:
    pools = _thread_pools(len(sys.modules))
    _of_process.enter(pools.of_process)
    try:
        with pools.of_thread.limit(limits=1, user_api=user_api):
            yield
    finally:
        _of_process.leave()


class _CountedLimit:
    """A limit of one thread that holds while at least one caller is inside."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_inside = 0
        self.limiter: Any = None

    def enter(self, pools: threadpoolctl.ThreadpoolController) -> None:
        with self.lock:
            if self.n_inside == 0:
                _take_control()
                self.limiter = pools.limit(limits=1, user_api="blas")
                _take_control()
            self.n_inside += 1

    def leave(self) -> None:
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                _take_control()
                self.limiter.restore_original_limits()
                _take_control()

    def renew_lock(self) -> None:
        """Replace a lock that another thread may have held when this process was forked."""
        self.lock = Lock()


def _take_control() -> None:
    """Let any thread set the limit of OpenBLAS: threadpoolctl 3.7 and newer listen to the first one only."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


_of_process = _CountedLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_of_process.renew_lock)


class _Pools(NamedTuple):
    of_process: Any
    of_thread: Any


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> _Pools:
    """Look for the thread pools when modules were imported since: it takes milliseconds, as long as a small fit."""
    found = threadpoolctl.ThreadpoolController()
    of_thread = [pool["filepath"] for pool in found.info() if _belongs_to_threads(pool)]
    of_process = [pool["filepath"] for pool in found.info() if not _belongs_to_threads(pool)]
    return _Pools(found.select(filepath=of_process), found.select(filepath=of_thread))


def _belongs_to_threads(pool: dict[str, Any]) -> bool:
    return "openmp" in (pool["user_api"], pool.get("threading_layer")) or pool["internal_api"] == "mkl"
