"""The package as a whole: what it promises, what it imports, how it is checked."""

from __future__ import annotations

import importlib
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import truepath
from places import ROOT
from truepath.records import Record

ROOMS = [room for room in truepath._ROOMS]


def test_promised_names_are_there():
    for name in truepath.__all__:
        assert getattr(truepath, name) is not None
    assert set(truepath.__all__) <= set(dir(truepath))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        truepath.nonsense  # noqa: B018


@pytest.mark.parametrize("room", ROOMS)
def test_a_module_exports_what_it_says(room):
    module = importlib.import_module(f"truepath.{room}")
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    for name in module.__all__:
        assert hasattr(module, name), f"truepath.{room}.__all__ lists {name!r}, which is not there"
    if room != "errors":
        public = {
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "").startswith(f"truepath.{room}")
        }
        records = {record.__name__ for record in Record.known if record.__module__ == module.__name__}
        assert public <= set(module.__all__) | records, "names imported into the module but not promised"


def test_every_module_imports_on_its_own():
    for module in pkgutil.walk_packages(truepath.__path__, "truepath."):
        importlib.import_module(module.name)


def project() -> dict:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_in_one_place():
    settings = project()
    assert "version" in settings["project"]["dynamic"]
    assert "version" not in settings["project"]
    written = (ROOT / settings["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert f'__version__ = "{truepath.__version__}"' in written
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count(f"## {truepath.__version__}") == 1


def test_every_tested_version_of_python_is_named_and_every_extra_has_code():
    settings = project()["project"]
    versions = [line.rpartition(" ")[2] for line in settings["classifiers"] if "Python :: 3." in line]
    assert versions == [f"3.{minor}" for minor in range(10, 14)]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= set(settings["urls"])
    places = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.rst"), *(ROOT / "docs").glob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in places).lower().replace("_", "-")
    extras = settings["optional-dependencies"]
    packages = [*settings["dependencies"], *(package for extra in extras.values() for package in extra)]
    assert [package for package in packages if ">=" not in package and not package.startswith("truepath[")] == []
    for extra in set(extras) - {"all", "test"}:
        named = [re.split(r"[\[>]", package)[0] for package in extras[extra]]
        unused = [name for name in named if name not in text and name.replace("scikit-", "") not in text]
        assert unused == [], f"the extra {extra!r} has packages that nothing uses"


def test_all_is_every_extra_but_those_for_clusters_and_networks():
    extras = project()["project"]["optional-dependencies"]
    inner = extras["all"][0].removeprefix("truepath[").removesuffix("]").split(",")
    assert set(inner) == set(extras) - {"all", "dask", "ray", "torch", "docs", "test"}


def test_every_extra_that_is_named_exists():
    places = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.rst"), ROOT / "README.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in places)
    named = {name for listed in re.findall(r"truepath\[([a-z,]+)\]", text) for name in listed.split(",")}
    named |= set(re.findall(r'import_extra\("[\w.]+", "[^"]+", "(\w+)"\)', text))
    assert named <= set(project()["project"]["optional-dependencies"])
    assert named >= {"report", "serve", "onnx", "torch", "dask"}


def test_every_command_is_tried_with_the_extras():
    tool = runpy.run_path(str(ROOT / "tools" / "try_commands.py"))
    commands = run(tool["LIST"]).splitlines()
    assert [name for name in commands if not any(f"{call} ".startswith(f"{name} ") for call in tool["CALLS"])] == []


def run(code: str) -> str:
    """Run code in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def test_importing_truepath_loads_nothing_heavy():
    heavy = ["numba", "matplotlib", "pandas", "sklearn", "polars", "networkx", "torch"]
    code = f"import sys, truepath; truepath.Hierarchy; print([m for m in {heavy} if m in sys.modules])"
    assert run(code).strip() == "[]"


def test_the_command_line_loads_nothing_heavy():
    code = "import sys, truepath.cli; print([m for m in ['numba', 'sklearn', 'scipy', 'pandas'] if m in sys.modules])"
    assert run(code).strip() == "[]"


def test_imports_point_one_way():
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([lint], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_speaks_of_a_place_outside_the_repository():
    """Paths of one machine have no business in the sources."""
    text = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    offenders = [str(path) for path, content in text.items() if "/work/" in content or "/root/" in content]
    assert offenders == []


def test_what_is_published_brings_all_that_its_tests_open():
    """The archive of the sources; what else it holds, the tool that packs it adds by itself."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (listed,) = re.findall(r"targets\.sdist\]\ninclude = \[(.*)\]", text)
    packed = {*re.findall(r'"(.*?)"', listed), "pyproject.toml", "LICENSE"}
    sources = [path.read_text(encoding="utf-8") for name in ("tests", "tools") for path in (ROOT / name).rglob("*.py")]
    opened = {name for text in sources for name in re.findall(r'\bROOT / "(.+?)"', text)}
    is_made = {"build"}  # by a tool
    assert opened - is_made <= packed
    assert {"conftest.py", "tests", "src"} <= packed
