"""Model files hold public names only: saved models load after every private file of the package has been moved."""

from __future__ import annotations

import ast
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import truepath
from persistence_room import MISSING, answer, fitted
from places import SOURCES, TESTS
from truepath.persistence import describe_model, save, trusted_types
from truepath.persistence.container import read_model
from truepath.records import Record
from truepath.registry import COMBINERS, DECODERS, LEARNERS

PUBLIC = {f"truepath.{room}" for room in truepath._ROOMS}
MOVED = ("hierarchy", "preprocessing", "combiners", "decoders", "learners", "classifier", "persistence")


@pytest.fixture(scope="module")
def models():
    with threadpool_limits(1):
        return fitted()


@pytest.fixture(scope="module")
def files(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    saved = {name: folder / f"{number}.truepath" for number, name in enumerate(models)}
    for name, model in models.items():
        save(model, saved[name])
    return saved


def stored_types(value) -> set[tuple[str, str]]:
    """Return (module, class) of everything in a schema."""
    found = {(value["__module__"], value["__class__"])} if isinstance(value, dict) and "__module__" in value else set()
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found |= stored_types(part)
    return found


def test_no_stored_name_is_private(files):
    """Every estimator of the registries is among the files; a new member is checked by existing."""
    seen = set()
    for name, path in files.items():
        with zipfile.ZipFile(io.BytesIO(read_model(path).payload)) as archive:
            stored = stored_types(json.loads(archive.read("schema.json")))
        ours = {(module, cls) for module, cls in stored if module.partition(".")[0] == "truepath"}
        assert {module for module, _ in ours} <= PUBLIC, name
        assert all(hasattr(import_module(module), cls) for module, cls in ours)
        assert describe_model(path)["untrusted_types"] == [], name
        assert describe_model(path)["class"] in trusted_types()
        seen |= {f"{module}.{cls}" for module, cls in ours}
    members = {cls for registry in (LEARNERS, COMBINERS, DECODERS) for cls in registry.members()}
    records = {record for record in Record.known if record.__module__ in PUBLIC}
    named = {f"{cls.__module__}.{cls.__name__}" for cls in members | records}
    assert {name for name in named - seen if name.startswith("truepath.")} == {
        f"truepath.learners.{name}" for name in MISSING
    }


def test_the_trusted_list_is_what_is_promised_and_what_is_kept():
    promised = {
        f"{module}.{name}"
        for module in PUBLIC
        for name in import_module(module).__all__
        if isinstance(getattr(import_module(module), name), type)
    }
    kept = {f"{record.__module__}.{record.__name__}" for record in Record.known}
    ours = {name for name in trusted_types() if name.startswith("truepath.")}
    assert ours <= promised | kept
    assert kept <= ours
    assert {f"{cls.__module__}.{cls.__name__}" for cls in COMBINERS.members()} <= set(trusted_types())
    assert all(name.rpartition(".")[0] in PUBLIC for name in ours)


LOAD_MOVED = """
import sys
import numpy as np
import truepath
from persistence_room import answer
from truepath.persistence import load

assert truepath.__file__.startswith(sys.argv[1]), truepath.__file__
for line in sys.stdin:
    name, path = line.rstrip("\\n").split("\\t")
    np.savez(path + ".npz", **answer(name, load(path)))
old = [name for name in sys.modules if name.startswith("truepath.decoders.") and not name.endswith("_moved")]
assert all(hasattr(sys.modules[name], "__path__") for name in old), old
"""


def move_private_files(folder) -> int:
    """Copy the package and give every private file of the estimators' modules another name; return how many.

    Compiled code stays where it is, so that it need not be compiled again.
    """
    shutil.copytree(SOURCES / "truepath", folder / "truepath")
    private = [path for room in MOVED for path in (folder / "truepath" / room).rglob("*.py") if path.stem != "__init__"]
    names = {".".join(path.relative_to(folder).with_suffix("").parts) for path in private}
    for path in (folder / "truepath").rglob("*.py"):
        if "_kernels" not in path.parts:
            path.write_text(with_moved_imports(path.read_text(encoding="utf-8"), names), encoding="utf-8")
    for path in private:
        path.rename(path.with_name(f"{path.stem}_moved.py"))
    return len(private)


def with_moved_imports(text: str, names: set[str]) -> str:
    """Return the source with every import of the named modules led to their new names."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ImportFrom):
            continue
        aliases = [
            ast.alias(f"{alias.name}_moved", alias.asname or alias.name)
            if f"{node.module}.{alias.name}" in names and alias.name not in promised_by(node.module)
            else alias
            for alias in node.names
        ]
        module = f"{node.module}_moved" if node.module in names else node.module
        indent = " " * node.col_offset
        lines[node.lineno - 1] = f"{indent}{ast.unparse(ast.ImportFrom(module, aliases, 0))}\n"
        lines[node.lineno : node.end_lineno] = [""] * (node.end_lineno - node.lineno)
    return "".join(lines)


def promised_by(module: str) -> list[str]:
    return getattr(import_module(module), "__all__", [])


@pytest.mark.slow
def test_saved_models_load_after_every_private_file_was_moved(models, files, tmp_path):
    assert move_private_files(tmp_path) > 100
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS)]),
    }
    done = subprocess.run(
        [sys.executable, "-c", LOAD_MOVED, str(tmp_path)],
        input="".join(f"{name}\t{path}\n" for name, path in files.items()),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name, model in models.items():
        with np.load(f"{files[name]}.npz") as found, threadpool_limits(1):
            for method, value in answer(name, model).items():
                assert found[method].tobytes() == value.tobytes(), (name, method)
