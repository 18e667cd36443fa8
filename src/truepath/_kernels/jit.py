"""The one way kernels are compiled: without the GIL, kept on disk between runs, strict floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile ``function`` at its first call; ``function.py_func`` stays the plain Python version."""
    compiled: F = njit(cache=True, nogil=True)(function)
    return compiled


def inner(function: F) -> F:
    """Compile a function that only kernels call, and that makes no arrays and returns none.

    It gets no wrapper for Python, which takes a third of the time to compile, and counts no references to its arrays:
    its caller holds them, and counting costs two locked instructions an array and call, shared between threads.
    """
    compiled: F = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)
    return compiled


def vector(function: F) -> F:
    """Compile a plain loop over arrays that the machine may take several steps of at once.

    Division by zero gives infinity or NaN as in NumPy: the check that raises would keep the loop from being vectorised.
    """
    compiled: F = njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled
