"""The list of checks: each draws one case and asserts what must hold of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CHECKS", "Check", "RefusedError", "check", "close", "refusable", "same"]


class Check(NamedTuple):
    """A property: its name, how often it is drawn, and the function that draws a case and checks it."""

    name: str
    share: int
    run: Callable[[np.random.Generator], None]


class RefusedError(Exception):
    """The library refused the case with a clear error, which is a right answer."""


CHECKS: list[Check] = []


def check(name: str, share: int = 10) -> Callable[..., Any]:
    """Enter the function below; ``share`` says how often it is drawn beside the others."""

    def enter(function: Callable[[np.random.Generator], None]) -> Callable[[np.random.Generator], None]:
        CHECKS.append(Check(name, share, function))
        return function

    return enter


def refusable(call: Callable[[], Any]) -> Any:
    """Return what the call returns; an error that says something is the library's right to refuse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except (ValueError, TypeError) as problem:
        refused = RefusedError(str(problem))
    is_bare = len(str(refused)) <= 15 or any(word in str(refused) for word in ("broadcast", "unhashable"))
    assert not is_bare, f"an error that helps nobody: {refused}"
    raise refused


def same(one: Any, other: Any, what: str) -> None:
    """Assert equal bits."""
    assert np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True), f"{what}:\n{one}\n{other}"


def close(one: Any, other: Any, what: str, atol: float = 1e-9) -> None:
    """Assert equal numbers."""
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), atol=atol, rtol=1e-7, err_msg=what)
