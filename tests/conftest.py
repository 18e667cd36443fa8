"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from places import SHARED_DATA

# No deadline: a kernel's first call compiles. In CI the examples are the same every time.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public benchmark data beside the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the benchmark data are not at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture(scope="session")
def bounds_checked(tmp_path_factory) -> dict[str, str]:
    """The environment of a process whose kernels check every index; compiled once for all such processes."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # by the workers of one run
    return {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(shared / "bounds-checked")}
