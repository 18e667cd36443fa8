"""Promised names live where they are promised, and tools that look for them there still find what they need."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import pickle
import pkgutil
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import truepath
from places import ROOT, SOURCES
from truepath import HierarchicalClassifier
from truepath.cli.methods import list_members
from truepath.public import written_in
from truepath.records import Record
from truepath.registry import REGISTRIES

ROOMS = [importlib.import_module(f"truepath.{room}") for room in truepath._ROOMS]
PROMISED = [
    (room, value)
    for room in ROOMS
    for value in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(value) or inspect.isroutine(value)
]


@pytest.mark.parametrize(("room", "value"), PROMISED, ids=lambda part: part.__name__)
def test_a_promised_name_says_where_it_lives(room, value):
    assert value.__module__ == room.__name__
    assert getattr(room, value.__qualname__) is value
    assert pickle.loads(pickle.dumps(value)) is value
    assert f"{written_in(value)}.".startswith(f"{room.__name__}.")
    importlib.import_module(written_in(value))


def test_pictures_of_estimators_link_to_their_files():
    """What notebooks show of an estimator has a link to where its documentation is written."""
    classes = [value for _, value in PROMISED if inspect.isclass(value) and issubclass(value, BaseEstimator)]
    assert len(classes) > 50
    for value in classes:
        link = value._get_doc_link(value.__new__(value))
        assert (ROOT / "src" / link.partition("/src/")[2]).is_file(), value
    own = type("Own", (HierarchicalClassifier,), {"__module__": "mine"})
    assert own()._get_doc_link() == ""
    assert HierarchicalClassifier()._get_doc_link() in HierarchicalClassifier()._repr_html_()


def every_module():
    return [importlib.import_module(found.name) for found in pkgutil.walk_packages(truepath.__path__, "truepath.")]


def test_records_are_found_in_their_home():
    every_module()
    assert len(Record.known) >= 18
    for record, origin in Record.known.items():
        home = importlib.import_module(record.__module__)
        assert home in ROOMS, f"{record.__name__} says it lives in {record.__module__}, which is private"
        assert getattr(home, record.__qualname__) is record
        assert getattr(importlib.import_module(origin), record.__qualname__) is record
        assert origin != record.__module__ or "__init__" not in str(home.__file__), f"{record.__name__} hides its file"
        assert not record.__name__.startswith("_")


def count_docstrings(path: Path) -> int:
    """Count the docstrings of a file that hold examples."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)]
    return sum(">>>" in (ast.get_docstring(node) or "") for node in nodes)


def test_every_example_is_collected_from_the_file_it_is_written_in():
    source = (SOURCES / "conftest.py").read_text(encoding="utf-8")
    before = doctest.DocTestFinder._from_module
    try:
        exec(compile(source, "conftest.py", "exec"), {})  # as pytest does for the sources
        finder = doctest.DocTestFinder(exclude_empty=True)
        found = {
            module.__file__: len([test for test in finder.find(module) if test.examples]) for module in every_module()
        }
    finally:
        doctest.DocTestFinder._from_module = before
    written = {str(path): count_docstrings(path) for path in (SOURCES / "truepath").rglob("*.py")}
    assert {path: n for path, n in written.items() if found.get(path, 0) != n} == {}
    assert sum(written.values()) > 170


def listed_in_docs() -> set[str]:
    """Return the full names that the pages of the documentation list in their tables of members."""
    names = set()
    for path in (ROOT / "docs").glob("*.rst"):
        module, inside = "", False
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule::"):
                module = line.split()[-1]
            inside = line.startswith(".. autosummary::") or (inside and (not line or line.startswith(" ")))
            if inside and line.strip().isidentifier():
                names.add(f"{module}.{line.strip()}")
    return names


def test_the_documentation_lists_nothing_that_is_not_promised():
    promised = {f"{room.__name__}.{value.__name__}" for room, value in PROMISED}
    assert listed_in_docs() - promised - {f"truepath.{name}" for name in truepath.__all__} == set()


def test_the_pages_of_the_api_list_what_is_promised():
    """They are made before each build; what is made is what the modules promise, no more and no less."""
    members = load_members()
    wanted = {value.__name__ for room, value in PROMISED if room.__name__ != "truepath.errors"}
    own = {name for name in truepath.__all__ if not name.startswith("_")}
    listed = [line.strip() for page in members.PAGES for line in members.api_page(page).splitlines()]
    assert {name for name in wanted if name not in listed} == own & wanted
    assert own <= {name.rpartition(".")[2] for name in listed_in_docs() if name.count(".") == 1}


@pytest.mark.parametrize("kind", ["presets", *REGISTRIES])
def test_tables_of_members_are_made_from_the_registries(kind):
    text = "\n".join(load_members().member_table(kind))
    for row in list_members(kind):
        assert f"``{row['name']}``" in text
        assert row["summary"] in text
        if kind != "presets":
            assert f"`~{row['path']}`" in text


def load_members():
    """Import the module beside the documentation's settings."""
    spec = importlib.util.spec_from_file_location("members", ROOT / "docs" / "members.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
