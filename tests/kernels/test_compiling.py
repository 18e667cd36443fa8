"""Kernels are compiled where numba finds no folder for its cache, with one warning, and undisturbed."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import shutil
import subprocess
import sys
import warnings

import numba
import pytest
from numba import njit
from numba.core import event
from numba.core.errors import TypingError

from places import SOURCES
from truepath._kernels import jit

NOBODY = "65534"
#: Another user, who may read everything and write only what everyone may
AS_NOBODY = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
AS_NOBODY += ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]


def double(x):
    return 2 * x


@pytest.fixture
def no_cache_folder(monkeypatch):
    caching = pytest.importorskip("numba.core.caching")
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    jit._warn_about_cache.cache_clear()
    yield
    jit._warn_about_cache.cache_clear()


@pytest.mark.usefixtures("no_cache_folder")
def test_kernels_compile_without_a_cache_and_warn_once():
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as found:
        compiled = [compile_(double) for compile_ in (jit.kernel, jit.vector, jit.inner)]
    assert len(found) == 1
    assert [f(21) for f in compiled[:2]] == [42, 42]


@pytest.mark.usefixtures("no_cache_folder")
def test_worker_processes_leave_the_warning_to_their_parent(monkeypatch):
    monkeypatch.setattr(jit.current_process(), "_name", "LokyProcess-1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jit.kernel(double)(21) == 42


@pytest.fixture
def cache_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    jit._warn_about_cache.cache_clear()
    yield tmp_path
    jit._warn_about_cache.cache_clear()


def test_kernels_compile_where_the_disk_of_the_cache_is_full(cache_folder, monkeypatch):
    def fail(self, name, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_data", fail)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as found:
        assert [compile_(double)(21) for compile_ in (jit.kernel, jit.vector)] == [42, 42]
    assert len(found) == 1


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [b"", b"\x80\x04torn", b"gone"], ids=["empty", "torn", "of a class that is gone"])
def test_a_cache_that_cannot_be_read_is_written_anew(cache_folder, ending, damage):
    assert jit.kernel(double)(21) == 42
    (file,) = cache_folder.rglob(f"*.{ending}")
    if damage == b"gone":  # the version stays, and what follows it names a class that is no longer there
        start = pickle.dumps(numba.__version__, -1) if ending == "nbi" else b""
        damage = start + b"ctruepath._kernels.jit\nGone\n."
    file.write_bytes(damage)
    assert jit.kernel(double)(21) == 42
    again = jit.kernel(double)
    assert again(21) == 42
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_cache_that_can_be_neither_read_nor_written_stops_nothing(cache_folder, monkeypatch):
    """As after an upgrade over a read-only installation: the index names a class that is gone."""
    assert jit.kernel(double)(21) == 42
    (file,) = cache_folder.rglob("*.nbi")
    file.write_bytes(pickle.dumps(numba.__version__, -1) + b"ctruepath._kernels.jit\nGone\n.")

    def fail(self, overloads):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_index", fail)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert jit.kernel(double)(21) == 42


def test_other_errors_of_numba_are_not_hidden(monkeypatch):
    def refuse(**options):
        raise RuntimeError("another problem")

    monkeypatch.setattr(jit, "njit", refuse)
    with pytest.raises(RuntimeError, match="another problem"):
        jit.kernel(double)


@pytest.mark.slow
def test_the_demo_runs_from_a_read_only_package_and_home(tmp_path):
    """As in a container: not root, nothing writable but the folder of the results."""
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("the tests run as root, and setpriv is not here to become another user")
    shutil.copytree(SOURCES / "truepath", tmp_path / "truepath", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "home").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "results").chmod(0o777)
    for path in (tmp_path / "home", tmp_path / "truepath", *(tmp_path / "truepath").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    command = [*(AS_NOBODY if os.getuid() == 0 else []), sys.executable, "-m", "truepath", "demo", "-o", "demo"]
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "home" / "numba"),
    }
    done = subprocess.run(
        command, cwd=tmp_path / "results", env=surroundings, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("NUMBA_CACHE_DIR") == done.stderr.count("Warning") == 1
    assert (tmp_path / "results" / "demo" / "report.html").is_file()
    assert not list((tmp_path / "home").iterdir())


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_is_collected_again_once_a_kernel_is_compiled(is_on):
    held = []

    @njit
    def add(a, b):
        return a + b

    class Watch(event.Listener):
        def on_start(self, event):
            held.append(gc.isenabled())

        def on_end(self, event):
            pass

    was_on = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        with event.install_listener("numba:compile", Watch()):
            add(1, 2)
        assert held[-1] is False
        assert gc.isenabled() is is_on
        with pytest.raises(TypingError):
            add("a", 2)  # an error while it is compiled
        assert gc.isenabled() is is_on
    finally:
        (gc.enable if was_on else gc.disable)()
