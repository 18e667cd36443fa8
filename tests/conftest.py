"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from places import SHARED_DATA

# No deadline: a kernel's first call compiles. In CI the examples are the same every time.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

os.environ.setdefault("TRUEPATH_PROGRESS", "0")  # lines of progress depend on how busy the machine is

if os.environ.get("NUMBA_DISABLE_JIT") == "1":  # kernels as plain Python are their own twins
    from truepath._kernels import jit

    jit._compile = lambda function, **options: setattr(function, "py_func", function) or function

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(autouse=True)
def _interrupts():
    """Keep Ctrl-C what it is: the command line, when it ends, lets it end the process at once."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if signal.getsignal(signal.SIGINT) is not before:
        signal.signal(signal.SIGINT, before)


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
    quick = {"NUMBA_OPT": "1"}  # to compile, which is what such a process does most of the time
    return {**os.environ, **quick, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(shared / "bounds-checked")}


@pytest.fixture(scope="module")
def chromium():
    """Start Debian's Chromium for one file of tests, since its event loop would be in the way of others.

    Without it or Playwright the browser tests are skipped, and say so.
    """
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM)
        yield browser
        browser.close()
