"""The command line as a newcomer meets it."""

import json
import subprocess
import sys

import pytest

from commands import run_command


def truepath(*arguments):
    code = "from truepath.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_help_lists_the_commands():
    done = truepath("--help")
    assert done.returncode == 0
    assert "describe" in done.stdout
    assert "demo" in done.stdout


def test_version():
    import truepath as package

    assert truepath("--version").stdout.strip() == f"truepath {package.__version__}"


def test_describe_a_bundled_set():
    assert json.loads(run_command("describe", "toy", "--json")[0])["n_classes"] == 5
    assert "tree" in run_command("describe", "toy")[0]


def test_describe_a_file(tmp_path):
    path = tmp_path / "own.arff"
    path.write_text("@relation own\n@attribute f numeric\n@attribute class hierarchical a,a/b\n@data\n1,a/b\n?,a\n")
    assert json.loads(run_command("describe", path, "--json")[0])["n_classes"] == 2


@pytest.mark.parametrize(
    "arguments", [("describe", "no-such-set"), pytest.param(("describe", "broken.arff"), marks=pytest.mark.slow)]
)
def test_an_error_is_one_line_and_a_code(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.arff").write_text("@relation x\n@attribute f numeric\n@data\n1\n")
    done = truepath(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("truepath: ")
    assert "Traceback" not in done.stderr


def test_methods_are_listed():
    found = {method["name"]: method["reference"] for method in json.loads(run_command("methods", "--json")[0])}
    assert {"clus-ens+mts", "mas", "masr", "h-ada.mh", "fael", "rcnet"} <= set(found)
    assert found["mas"] == "Bi & Kwok 2012"
