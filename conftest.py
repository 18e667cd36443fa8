"""What every test, example and page of the documentation shares."""

from __future__ import annotations

import gc
import sys

from hypothesis import given, settings
from hypothesis import strategies as st


def pytest_sessionstart() -> None:
    """Collect no garbage while tests are collected: nearly all of what they are made of stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected, thousands of tests and all they import, out of garbage collection and forks."""
    _try_nothing()
    gc.enable()
    gc.collect()
    gc.freeze()


@settings(max_examples=1, database=None)
@given(st.none())
def _try_nothing(_: None) -> None:
    """Have hypothesis take charge of its random numbers: it looks for who holds them, and not among frozen objects."""


def pytest_runtest_teardown() -> None:
    """Close what was drawn: matplotlib warns where a process has more than 20 figures open."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
