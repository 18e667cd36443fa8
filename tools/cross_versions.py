"""Save every estimator under each of several Pythons, load all of them under each other, and compare the predictions.

Run as ``python tools/cross_versions.py PYTHON [PYTHON ...]`` with interpreters that have truepath's dependencies
(``tools/test_versions.py`` makes such environments). A pair passes if every model loads with the same predictions
where both have the same scikit-learn; where they have not, loading may instead end with an error of one line that
names the versions. The exit code is the number of pairs that fail.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SAVE = """
import sys, warnings
from pathlib import Path
import numpy as np
from persistence_room import answer, fitted
from truepath.persistence import save
warnings.simplefilter("ignore")
for name, model in fitted().items():
    path = Path(sys.argv[1]) / name
    save(model, path)
    np.savez(f"{path}.npz", **answer(name, model))
"""

LOAD = """
import json, sys, warnings
from pathlib import Path
import numpy as np
from persistence_room import answer
from truepath.errors import ModelFileError
from truepath.persistence import load
warnings.simplefilter("ignore")
for path in sorted(path for folder in sys.argv[1:] for path in Path(folder).iterdir()):
    if path.suffix == ".npz":
        continue
    told = {"from": str(path.parent), "model": path.name}
    try:
        found = answer(path.name, load(path))
    except ModelFileError as problem:
        told["refused"] = str(problem)
    except Exception as problem:
        told["broken"] = f"{type(problem).__name__}: {problem}"
    else:
        with np.load(f"{path}.npz") as expected:
            told["same"] = all(np.allclose(found[k], expected[k], rtol=0, atol=1e-12) for k in expected)
            told["same_bits"] = all(found[k].tobytes() == expected[k].tobytes() for k in expected)
    print(json.dumps(told))
"""

VERSIONS = "from truepath.versions import installed_versions as v; import json; print(json.dumps(v()))"


def main(pythons: list[str]) -> int:
    """Save under every Python, load under every other; return the number of pairs that fail."""
    versions = {python: json.loads(run(python, VERSIONS)) for python in pythons}
    with tempfile.TemporaryDirectory() as folder:
        saved = {python: Path(folder) / str(number) for number, python in enumerate(pythons)}
        for python, place in saved.items():
            place.mkdir()
            run(python, SAVE, str(place))
        return sum(load_all(python, saved, versions) for python in pythons)


def load_all(python: str, saved: dict[str, Path], versions: dict[str, dict[str, str]]) -> int:
    """Load under one Python what the others saved; return how many of them fail."""
    others = {other: str(place) for other, place in saved.items() if other != python}
    models = [json.loads(line) for line in run(python, LOAD, *others.values()).splitlines()]
    by_place = {place: [model for model in models if model["from"] == place] for place in others.values()}
    return sum(not compare(versions[a], versions[python], by_place[place]) for a, place in others.items())


def compare(saved: dict[str, str], here: dict[str, str], models: list[dict]) -> bool:
    """Print what became of one Python's models under another; return whether all is as promised."""
    may_differ = saved["scikit-learn"] != here["scikit-learn"]
    print(f"{describe(saved)} -> {describe(here)}: {len(models)} models, {counts(models)}", flush=True)
    wrong = [m for m in models if "broken" in m or ("refused" in m and not says_versions(m["refused"], saved, here))]
    if not may_differ:
        wrong += [m for m in models if not m.get("same") and m not in wrong]
    for model in wrong:
        print(f"  {model}")
    return not wrong


def counts(models: list[dict]) -> str:
    """Return how many models came to which end."""
    same_bits = sum(m.get("same_bits", False) for m in models)
    same = sum(m.get("same", False) for m in models) - same_bits
    refused = sum("refused" in m for m in models)
    differ = sum(not m.get("same", True) for m in models)
    return f"{same_bits} same bits, {same} same to 1e-12, {differ} other predictions, {refused} refused"


def says_versions(message: str, saved: dict[str, str], here: dict[str, str]) -> bool:
    """Return whether an error names both versions of scikit-learn in one line."""
    return "\n" not in message and saved["scikit-learn"] in message and here["scikit-learn"] in message


def describe(versions: dict[str, str]) -> str:
    """Return the versions that matter, in short."""
    return f"Python {versions['python']}, scikit-learn {versions['scikit-learn']}, numpy {versions['numpy']}"


def run(python: str, code: str, *arguments: str) -> str:
    """Run a program with truepath's sources and tests on its path; return what it prints."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    numba_cache = str(Path(python).parents[1] / "numba")  # in the environment: as many as there are versions of numba
    surroundings = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": numba_cache}
    return subprocess.run(
        [python, "-c", code, *arguments], env=surroundings, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
