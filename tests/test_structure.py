"""How the sources are cut: short functions, files of one idea, folders that can be seen at a glance."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

import pytest

from places import ROOT, SHARED_DATA, SOURCES

PACKAGE = SOURCES / "truepath"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
LONGEST_BODY = 50
MOST_FILES = 16
MOST_FILES_OF_A_COMMAND = 45


def where(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def functions(tree: ast.Module):
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def body_length(node: ast.FunctionDef) -> int:
    """Return the lines of a body, its docstring aside."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_function_bodies_are_short():
    lengths = {f"{where(path)}: {f.name}": body_length(f) for path, tree in TREES.items() for f in functions(tree)}
    assert {name: n for name, n in lengths.items() if n >= LONGEST_BODY} == {}
    assert median(lengths.values()) <= 10


def test_files_are_short():
    lengths = {where(path): len(path.read_text(encoding="utf-8").splitlines()) for path in TREES if path.stem[0] != "_"}
    assert 100 <= median(lengths.values()) <= 140


def test_what_came_with_a_later_python_is_not_imported_from_typing():
    """What the oldest Python lacks may be imported for the type checker only."""
    later = {"Self", "Never", "LiteralString", "NotRequired", "Required", "Unpack", "TypeVarTuple", "assert_never"}
    later |= {"assert_type", "reveal_type", "dataclass_transform", "override", "TypeAliasType", "ReadOnly", "TypeIs"}
    found = [
        (where(path), alias.name)
        for path, tree in TREES.items()
        for node in tree.body  # those under ``if TYPE_CHECKING`` lie deeper
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        for alias in node.names
        if alias.name in later
    ]
    assert found == []


def test_a_folder_is_seen_at_a_glance():
    counts = Counter(where(path.parent) for path in TREES if path.stem != "__init__")
    assert {name: n for name, n in counts.items() if n > MOST_FILES} == {}


def defined_names(path: Path) -> list[str]:
    """Return the public classes and functions of a file that share their namespace with the rest of the package.

    Left out: kernels, each of which has one caller; what only one paper's reproduction needs; and commands, which are
    called as the function they call.
    """
    parts = path.relative_to(PACKAGE).parts
    if parts[0] == "_kernels" or (parts[0] == "papers" and len(parts) > 2):
        return []
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = [node.name for node in TREES[path].body if isinstance(node, kinds) and not node.name.startswith("_")]
    return [name for name in names if not (parts[0] == "cli" and name == path.stem)]


def test_one_name_is_one_idea():
    homes = defaultdict(list)
    for path in TREES:
        for name in defined_names(path):
            homes[name].append(where(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def count_files(folder: Path, *command: str) -> int:
    """Run a command under the profiler in a process of its own; return how many of our files had a function run."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    counter = [sys.executable, str(ROOT / "tools" / "count_files.py"), *command]
    done = subprocess.run(counter, capture_output=True, text=True, cwd=folder, env=environment, check=True)
    assert "ended with code" not in done.stderr, done.stderr
    return int(done.stderr.split()[-2])


@pytest.mark.slow
def test_a_fit_passes_through_few_files(tmp_path):
    books = str(ROOT / "docs" / "books.csv")
    options = ["--text", "about", "--labels", "topics", "--ids", "id", "-o", "books.tp"]
    assert count_files(tmp_path, "fit", books, *options) <= MOST_FILES_OF_A_COMMAND


@pytest.mark.slow
def test_a_reproduction_passes_through_few_files(tmp_path):
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the benchmark data are not at {SHARED_DATA}")
    options = ["--only", "diatoms", "--data", str(SHARED_DATA), "-o", "out"]
    assert count_files(tmp_path, "reproduce", "triguero2016", *options) <= MOST_FILES_OF_A_COMMAND
