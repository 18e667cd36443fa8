"""The mistakes of tools/mutate.py: found in functions only, put in their place, judged by the tests that run them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from places import ROOT

MODULE = '''"""A module."""
LIMIT = 1 + 2


def cut(values, limit: int = 3, *, strict=True) -> int:
    """Return 1 + 1."""
    if not values:
        raise ValueError("1" + str(4 < 5))
    values.sort(
    )
    return max(values) if limit > 7 else sum(values, start=-1)


class Box:
    size = 5 + 6

    @property
    def half(self):
        def inner(x):
            return x * 2
        return inner(self.size)
'''


@pytest.fixture(name="mutation")
def _mutation(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from mutation import sites

    return sites


@pytest.fixture(name="sites")
def _sites(tmp_path, mutation):
    file = tmp_path / "module.py"
    file.write_text(MODULE, encoding="utf-8")
    return mutation.sites_of(file)


def test_mistakes_are_those_of_functions(sites):
    """Constants of modules and classes, defaults, annotations, errors and texts are left alone."""
    choice = "max(values) if limit > 7 else sum(values, start=-1)"
    assert [(site.function, site.first_line, site.line, site.what) for site in sites] == [
        ("cut", 5, 7, "not values -> values"),
        ("cut", 5, 9, "values.sort() -> pass"),
        ("cut", 5, 11, f"return {choice} -> return None"),
        ("cut", 5, 11, f"{choice} -> sum(values, start=-1) if limit > 7 else max(values)"),
        ("cut", 5, 11, "limit > 7 -> limit >= 7"),
        ("cut", 5, 11, "7 -> 8"),
        ("cut", 5, 11, "max -> min"),
        ("cut", 5, 11, "-1 -> 1"),
        ("cut", 5, 11, "1 -> 2"),
        ("Box.half", 17, 20, "return x * 2 -> return None"),
        ("Box.half", 17, 20, "x * 2 -> x / 2"),
        ("Box.half", 17, 20, "2 -> 3"),
        ("Box.half", 17, 21, "return inner(self.size) -> return None"),
    ]


def test_a_mistake_is_put_in_its_place_and_every_line_keeps_its_number(sites, mutation):
    def by_line(tree):
        statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
        return {node.lineno: ast.unparse(node) for node in statements}

    right = by_line(ast.parse(MODULE))
    for site in sites:
        tree = mutation.mutated(site)
        compile(tree, str(site.path), "exec")
        wrong = by_line(tree)
        old, new = site.what.split(" -> ")
        if old == "not values":  # the only mistake in the head of a block
            assert wrong == right
            assert "if values:" in ast.unparse(tree)
        else:
            assert wrong == {**right, site.line: right[site.line].replace(old, new, 1)}


RUN = """
import sys
from pathlib import Path
import pytest
from mutation.plugin import MutantsPlugin
from mutation.sites import sites_of

sites = [site for name in ("small.py", "lazy/inner.py") for site in sites_of(Path(name).resolve())]
plugin = MutantsPlugin(sites, 9, lambda site, result: None)
pytest.main(["-q", "-p", "no:cacheprovider", "-c", "none.ini", "test_small.py"], plugins=[plugin])
for site, result in plugin.results:
    print(f"{site.function} {site.what}: {result}", file=sys.stderr)
"""
SMALL = """
def known(x): return x + 1
def careless(x): return x * 2
def unknown(x): return x - 1
def early(): return True
SET = early()
"""
LAZY = "def add(x, y): return x + y\n"
TESTS = """
import small
def test_known(): assert small.known(2) == 3
def test_careless(): assert small.careless(0) == 0
def test_imported_late():
    from lazy.inner import add
    assert add(1, 1) == 2
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects know their full names from Python 3.11 on")
def test_what_becomes_of_each_mistake(tmp_path):
    files = {"run.py": RUN, "small.py": SMALL, "test_small.py": TESTS, "none.ini": "[pytest]"}
    (tmp_path / "lazy").mkdir()
    for name, text in (files | {"lazy/__init__.py": "", "lazy/inner.py": LAZY}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines() == [
        "known return x + 1 -> return None: killed",
        "known x + 1 -> x - 1: killed",
        "known 1 -> 2: killed",
        "careless return x * 2 -> return None: killed",
        "careless x * 2 -> x / 2: survived",
        "careless 2 -> 3: survived",
        "unknown return x - 1 -> return None: unreached",
        "unknown x - 1 -> x + 1: unreached",
        "unknown 1 -> 2: unreached",
        "early return True -> return None: run at import only",
        "early True -> False: run at import only",
        "add return x + y -> return None: killed",
        "add x + y -> x - y: killed",
    ]
