"""A plugin of pytest that runs tests against mutants instead of once.

Tests are collected once. A fork runs them all and records which functions each one calls and how long it takes; then
every mutant gets a fork of its own, in which the code of the changed functions is replaced and the tests that call them
are run, the quickest first, until one fails. So a mutant costs a fraction of a second, and the program that collected
the tests is never changed. What is only called while modules are imported has run before a mutant can be put in: it is
told apart from what no test reaches.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutation.sites import Site, mutated

Key = tuple[str, str, int]  # file, qualified name and first line of a function

#: What one mutant may take: work of its process in seconds (this many times that of the tests, and these more to
#: compile), and memory in bytes
CPU_TIMES, CPU_MORE = 2, 10
MEMORY_LIMIT = 12 << 30
NOT_PREPARED = 2  # the status of a fork
KILLED, SURVIVED, UNREACHED, TIMED_OUT = "killed", "survived", "unreached", "killed by its limits"
AT_IMPORT = "run at import only"


class MutantsPlugin:
    """Runs chosen mutants against the tests that reach them; ``results`` holds what became of each."""

    def __init__(self, sites: list[Site], seconds: float, tell: Callable[[Site, str], None]) -> None:
        self.sites, self.seconds, self.tell = sites, seconds, tell
        self.files = {str(site.path) for site in sites}
        self.results: list[tuple[Site, str]] = []
        self.at_import: set[Key] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Note what is called while the modules of tests, and all that they need, are imported.

        Modules that are first imported inside a function would come without the mistake: they are imported here.
        """
        from hypothesis import Phase, settings  # pytest wants to be there first

        settings.register_profile("mutants", settings(), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")  # to make failures small takes longer than all tests together
        with _noting(self.files, self.at_import):
            found = yield
            for file in sorted(self.files):
                import_module(_module_name(Path(file)))
            return found

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of the ordinary loop over tests."""
        gc.unfreeze()
        reached, took = _in_fork(lambda: _observe(session.items, self.files))
        for site in self.sites:
            items = [item for item in session.items if _key(site) in reached.get(item.nodeid, ())]
            result = self._try(site, _quickest(items, took, self.seconds))
            self.results.append((site, result))
            self.tell(site, result)
        return True

    def _try(self, site: Site, items: list[pytest.Item]) -> str:
        if not items:
            return AT_IMPORT if _key(site) in self.at_import else UNREACHED
        code = {key: code for key, code in _codes(compile(mutated(site), str(site.path), "exec"))}
        limit = int(CPU_TIMES * self.seconds) + CPU_MORE
        return _outcome(lambda: _put_in(code, str(site.path)), lambda: _first_failure(items), limit)


def _observe(items: list[pytest.Item], files: set[str]) -> tuple[dict[str, set[Key]], dict[str, float]]:
    """Run every test once; return the functions that each of those that pass calls, and the seconds it takes."""
    reached: dict[str, set[Key]] = {}
    took: dict[str, float] = {}
    for item, following in zip(items, [*items[1:], None]):
        calls: set[Key] = set()
        start = _work()
        with _noting(files, calls):
            reports = runtestprotocol(item, nextitem=following, log=False)
        took[item.nodeid] = _work() - start
        if not any(report.failed for report in reports):
            reached[item.nodeid] = calls
    return reached, took


def _work() -> float:
    """Return the work so far, of processes that were started too: a busy machine changes no choice of tests."""
    return sum(os.times()[:4])


@contextmanager
def _noting(files: set[str], calls: set[Key]) -> Iterator[None]:
    """Add the functions of some files that are called meanwhile to ``calls``."""

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename in files:
            calls.add((frame.f_code.co_filename, frame.f_code.co_qualname, frame.f_code.co_firstlineno))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def _module_name(path: Path) -> str:
    """Return the name that a file is imported by."""
    names = [] if path.stem == "__init__" else [path.stem]
    while (path := path.parent / "__init__.py").is_file():
        path = path.parent
        names.insert(0, path.name)
    return ".".join(names)


def _key(site: Site) -> Key:
    """Return the function that a mistake is in."""
    return str(site.path), site.function, site.first_line


def _quickest(items: list[pytest.Item], took: dict[str, float], seconds: float) -> list[pytest.Item]:
    """Return the quickest tests that take about this long together."""
    chosen, total = [], 0.0
    for item in sorted(items, key=lambda item: took[item.nodeid]):
        if chosen and total + took[item.nodeid] > seconds:
            break
        chosen.append(item)
        total += took[item.nodeid]
    return chosen


def _codes(code: CodeType) -> list[tuple[tuple[str, int], CodeType]]:
    """List a code object and all inside it by qualified name and first line."""
    inside = [each for each in code.co_consts if isinstance(each, CodeType)]
    return [((code.co_qualname, code.co_firstlineno), code), *(pair for each in inside for pair in _codes(each))]


def _put_in(code: dict[tuple[str, int], CodeType], path: str) -> None:
    """Give the functions of one file, wherever they are kept, the code of the mutant."""
    for function in [each for each in gc.get_objects() if type(each) is FunctionType]:  # isinstance asks some objects
        old = function.__code__
        new = code.get((old.co_qualname, old.co_firstlineno)) if old.co_filename == path else None
        if new is not None and new.co_freevars == old.co_freevars:
            function.__code__ = new


def _first_failure(items: list[pytest.Item]) -> bool:
    """Run tests until one fails; say whether one did."""
    for item, following in zip(items, [*items[1:], None]):
        if any(report.failed for report in runtestprotocol(item, nextitem=following, log=False)):
            return True
    return False


def _outcome(prepare: Callable[[], None], run: Callable[[], bool], cpu_limit: int) -> str:
    """Run something in a fork with limits; return what its end says of the mutant, if it could be prepared."""
    pid = os.fork()
    if pid == 0:
        _be_quiet()
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        status = NOT_PREPARED
        try:
            prepare()
            status = 1
            status = int(run())
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == NOT_PREPARED:
        raise RuntimeError("A mutant could not be put in.")
    return TIMED_OUT if code < 0 else KILLED if code else SURVIVED


def _in_fork(run: Callable[[], Any]) -> Any:
    """Return what a function returns in a fork of this process, which it cannot change."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "returned"
        pid = os.fork()
        if pid == 0:
            _be_quiet()
            try:
                file.write_bytes(pickle.dumps(run()))
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        return pickle.loads(file.read_bytes())


def _be_quiet() -> None:
    """Send what a fork prints nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
