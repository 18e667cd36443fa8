"""What every test, example and page of the documentation shares."""

from __future__ import annotations

import gc
import sys


def pytest_collection_finish() -> None:
    """Leave what was collected, thousands of tests and all they import, out of garbage collection and forks."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """Close what was drawn: matplotlib warns where a process has more than 20 figures open."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
