"""The one way kernels are compiled: without the GIL, kept on disk between runs, strict floating point.

numba keeps compiled code in the folder ``NUMBA_CACHE_DIR``, beside the sources, or in the user's cache, whichever it
may write to. Where it may write to none of them, as in a read-only container or on a full disk, kernels are compiled
again in every process, and one warning says so. What is there but cannot be read, because it is damaged or knows types
that are gone, is compiled and written anew.

A compilation makes many objects and drops few: Python's garbage collection waits until it is over. That saves a
fifteenth of the time, and takes some 30 MB for seconds.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import current_process
from typing import Any, TypeVar

from numba import njit
from numba.core import dispatcher, event
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])


class _HoldGarbage(event.Listener):
    """Holds garbage collection while kernels are compiled; numba compiles one at a time, with what it calls inside."""

    def __init__(self) -> None:
        self.depth, self.is_held = 0, False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.is_held = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.is_held:
            gc.enable()


event.register("numba:compile", _HoldGarbage())


def kernel(function: F) -> F:
    """Compile ``function`` at its first call; ``function.py_func`` stays the plain Python version."""
    return _compile(function)


def inner(function: F) -> F:
    """Compile a function that only kernels call, and that makes no arrays and returns none.

    It gets no wrapper for Python, which takes a third of the time to compile, and counts no references to its arrays:
    its caller holds them, and counting costs two locked instructions per array and call, shared between threads.
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


def part(function: F) -> F:
    """Compile a function as :func:`inner` does, and write it out where it is called.

    For small steps that are taken once per feature of a node: to pass them their arrays takes longer than what they do.
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)


def once(function: F) -> F:
    """Have numba write a function out in the one kernel that calls it, before anything is compiled.

    Otherwise every function between a kernel and a loop is optimised with all that it calls, and again in its caller.
    """
    return _compile(function, inline="always")


def reordered(function: F) -> F:
    """Compile as :func:`inner` does a sum that the machine may take in any order, several numbers at a time.

    For products of finite numbers alone. The order depends on the processor and the length, never on anything else.
    """
    flags = {"reassoc", "nsz"}
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, fastmath=flags)


def vector(function: F) -> F:
    """Compile a plain loop over arrays that the machine may take several steps of at once.

    Division by zero gives infinity or NaN as in NumPy: the check that raises would keep the loop from being vectorised.
    """
    return _compile(function, error_model="numpy")


def _compile(function: F, **options: Any) -> F:
    """Compile with numba's cache, or without where there is no folder for it."""
    compiled: F
    try:
        with _forgiving_cache():
            compiled = njit(cache=True, nogil=True, **options)(function)
    except (RuntimeError, OSError):  # numba has no exception of its own for this; any other problem comes again below
        compiled = njit(nogil=True, **options)(function)
        _warn_about_cache()
    return compiled


@contextmanager
def _forgiving_cache() -> Iterator[None]:
    """Let numba give functions a cache of ours; those of other packages keep their own."""
    dispatcher.FunctionCache = _Kept
    try:
        yield
    finally:
        dispatcher.FunctionCache = FunctionCache


class _Kept(FunctionCache):  # type: ignore[misc]
    """numba's cache of a function, of which no fault is worth more than a compilation."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before; None if there is nothing, or nothing that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # pickles that are damaged, or of classes that are gone, raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room, and if what is there can be read."""
        try:
            super().save_overload(sig, data)
        except Exception:  # beside a full disk: an index of classes that are gone, in a folder that is read-only
            _warn_about_cache()


@cache
def _warn_about_cache() -> None:
    """Warn once per program: worker processes leave it to the one that started them."""
    if current_process().name != "MainProcess":
        return
    warnings.warn(
        "numba cannot keep what it compiles: its cache, beside truepath's sources or in the user's cache folder, "
        "cannot be written or is full. Functions are compiled again in every process, which takes seconds. Set the "
        "environment variable NUMBA_CACHE_DIR to a folder that can be written and has room.",
        RuntimeWarning,
        stacklevel=4,
    )
