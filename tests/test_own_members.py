"""A member defined anywhere is a member everywhere: what the documentation shows is put in a module and imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest

from places import ROOT, SOURCES, TESTS

NAMES = {
    "learners": "nearest-row",
    "combiners": "by-the-top",
    "decoders": "above-half",
    "readers": "notes",
    "metrics": "wrong_cells",
}
SUITES = {
    "learners": "tests/learners/test_common.py",
    "combiners": "tests/combiners/test_common.py",
    "decoders": "tests/decoders/test_common.py",
    "readers": "tests/data/readers/test_common.py",
    "metrics": "tests/metrics/test_common.py",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the module of the documentation's page, and files for it."""
    page = (ROOT / "docs" / "own_members.rst").read_text(encoding="utf-8")
    members, learner = page.split(".. code-block:: python\n")[1:]
    place = tmp_path_factory.mktemp("own")
    for name, code, end in (
        ("own_members", members, "\nEverything a learner may offer"),
        ("own_learner", learner, "\nA member of truepath itself"),
    ):
        (place / f"{name}.py").write_text(textwrap.dedent(code.partition(end)[0]), encoding="utf-8")
    (place / "few.notes").write_text("a/1;b\tred\na/2\tgreen\na/1\tred\n")
    (place / "edges.csv").write_text("parent,child\na,a1\na,a2\n")
    (place / "scores.csv").write_text("id,a,a1,a2\n1,0.9,0.6,0.2\n2,0.4,0.3,0.1\n")
    (place / "truth.csv").write_text("id,labels\n1,a1\n2,a\n")
    return place


def run(folder, *command):
    """Run Python where the module can be imported, with a terminal wide enough for every name."""
    path = os.pathsep.join([str(folder), str(SOURCES), str(TESTS)])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "300", "NO_COLOR": "1", "FOLDER": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


COMMANDS = """
import json, os
os.chdir(os.environ["FOLDER"])
import own_members
from typer.testing import CliRunner
from truepath.cli.app import app

commands = [f"methods --kind {kind} --json" for kind in ("learners", "combiners", "decoders", "readers", "metrics")]
commands += [f"{command} --help" for command in ("label", "evaluate", "describe")]
commands += ["describe few.notes --json", "label scores.csv -H edges.csv -s above-half -o found.csv"]
commands += ["evaluate truth.csv found.csv -H edges.csv --metrics wrong_cells --json"]
results = {command: CliRunner().invoke(app, command.split()) for command in commands}
assert all(result.exit_code == 0 for result in results.values()), results
print(json.dumps({command: result.stdout for command, result in results.items()}))
"""


@pytest.fixture(scope="module")
def printed(folder):
    """What each command prints in one process that has imported the module."""
    return json.loads(run(folder, "-c", COMMANDS))


@pytest.mark.parametrize("kind", NAMES)
def test_it_is_in_the_registry_and_listed(printed, kind):
    rows = {row["name"]: row for row in json.loads(printed[f"methods --kind {kind} --json"])}
    assert rows[NAMES[kind]]["path"].startswith("own_members.")


@pytest.mark.parametrize(
    ("command", "kind"),
    [("label", "decoders"), ("label", "combiners"), ("evaluate", "metrics"), ("describe", "readers")],
)
def test_it_is_in_the_help_of_its_command(printed, command, kind):
    assert NAMES[kind] in printed[f"{command} --help"]


def test_its_files_are_opened_and_its_measure_taken(printed):
    assert json.loads(printed["describe few.notes --json"])["sizes"] == {"all": 3}
    measured = printed["evaluate truth.csv found.csv -H edges.csv --metrics wrong_cells --json"]
    assert json.loads(measured)["wrong_cells"]["value"] == pytest.approx(1 / 6)  # the second row's a


@pytest.mark.slow
def test_the_common_suites_run_on_it(folder):
    """The suites know nothing of it; they are run with its module imported first."""
    chosen = " or ".join([*NAMES.values(), "AboveHalf"])
    options = ["-v", "-p", "own_members", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "-k", chosen]
    printed = run(folder, "-m", "pytest", *options, *SUITES.values())
    for kind, suite in SUITES.items():
        assert sum(line.startswith(suite) and "PASSED" in line for line in printed.splitlines()) >= 3, kind


SAVE_AND_LOAD = """
import os
import own_members
from persistence_room import TREE, answer, make_data, make_scores
from truepath import HierarchicalClassifier
from truepath.persistence import describe_model, load, save

X, y = make_data()
S = make_scores(n_samples=40)
models = {
    "learners.nearest-row": own_members.NearestRow(hierarchy=TREE).fit(X, y),
    "combiners.by-the-top": own_members.ByTheTop(hierarchy=TREE).fit(S),
    "decoders.above-half": own_members.AboveHalf(hierarchy=TREE).fit(S, y),
    "classifier.all": HierarchicalClassifier(
        own_members.NearestRow(), combiner="by-the-top", decoder="above-half", hierarchy=TREE
    ).fit(X, y),
}
for name, model in models.items():
    path = f"{os.environ['FOLDER']}/{name}"
    save(model, path)
    assert describe_model(path)["untrusted_types"] == [], name
    expected, found = answer(name, model), answer(name, load(path))
    assert all((expected[key] == found[key]).all() for key in expected), name
print(len(models))
"""
LOAD_ALONE = """
import os, sys
from truepath.errors import ModelFileError
from truepath.persistence import load

try:
    load(os.environ["FOLDER"] + "/decoders.above-half")
except ModelFileError as error:
    print(error, "own_members" in sys.modules)
"""


@pytest.mark.slow
def test_models_that_hold_it_are_saved_and_loaded(folder):
    assert run(folder, "-c", SAVE_AND_LOAD).strip() == "4"
    refused = run(folder, "-c", LOAD_ALONE)
    assert "not trusted: 'own_members.AboveHalf'" in refused
    assert refused.endswith("False\n")  # a file cannot have a module imported


CAPABILITIES = """
import time

import numpy as np
from fastapi.testclient import TestClient
from onnxruntime import InferenceSession
from own_learner import LeastSquares
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from truepath import HierarchicalClassifier
from truepath.adapters.capabilities import CAPABILITIES, grade
from truepath.combiners import Blend
from truepath.data import make_hmc
from truepath.export import to_onnx
from truepath.learners import PCTForest, Stack, contributions, similar_rows, top_features
from truepath.serve import make_app

of_learners = {name for name, found in CAPABILITIES.items() if name not in ("export of labels", "export of rows")}
assert {name for name in of_learners if grade(LeastSquares(), name) == "no"} == set()
ds = make_hmc(150, n_features=6, random_state=0)
rows = ds.merge()["all"]
X, Y, h = np.asarray(rows.X, float), rows.y, ds.hierarchy
train, test = slice(100), slice(100, None)
alone = LeastSquares()
behind = make_pipeline(StandardScaler(), LeastSquares())
blend = Stack([LeastSquares(), PCTForest(n_estimators=5)], combiner=Blend(project="max-up"))
diff = h.edit().add("fresh", h.names[0]).diff()
changed = diff.transfer(Y[train])
for learner in (alone, behind, blend):
    model = HierarchicalClassifier(clone(learner), hierarchy=h).fit(X[train], Y[train])
    S, labels = model.predict_proba(X[test]), model.predict(X[test])
    found = contributions(model.learner_, X[test][:1], np.arange(h.n_nodes))
    assert abs(found.output - S[0]).max() < 1e-12, "contributions add up"
    assert "because of" in str(model.explain(X[test][0], n_causes=2))
    assert len(top_features(model, 2)) == h.n_nodes
    assert similar_rows(model, X[:1], X[train], 1).rows.tolist() == [0]
    session = InferenceSession(to_onnx(model).SerializeToString())
    scores, sets = session.run(["scores", "labels"], {"features": X[test]})
    assert abs(scores - S).max() < 1e-12
    assert (sets == labels).all()
    top = model.predict_top(X[test], 3)
    assert [name for name, _ in top[0]] == h.names[np.argsort(-S[0], kind="stable")[:3]].tolist()
    with TestClient(make_app(model)) as client:
        while client.get("/health").status_code == 503:  # it warms up
            time.sleep(0.01)
        answer = client.post("/predict", json={"rows": X[test][:1].tolist()}).json()
        assert set(answer["predictions"][0]["labels"]) == set(h.decode(labels)[0])
        assert client.post("/explain", json={"row": X[test][0].tolist()}).status_code == 200
    updated = model.update(diff, X[train], changed)
    if learner is alone:
        again = LeastSquares(hierarchy=diff.new).fit(X[train], changed)
        assert (updated.predict_proba(X[test]) == again.predict_proba(X[test])).all()
    assert updated.predict_proba(X[test]).shape[1] == h.n_nodes + 1
S = LeastSquares(hierarchy=h).fit_held_out(X[train], Y[train])
without = LeastSquares(hierarchy=h).fit(X[1:100], Y[1:100])
assert abs(S[0] - without.predict_proba(X[:1])[0]).max() < 1e-9, "left out by formula as by hand"
print("all of it")
"""


def test_a_learner_in_one_file_has_every_capability(folder):
    for package in ("fastapi", "onnxruntime", "onnx"):
        pytest.importorskip(package)
    assert run(folder, "-c", CAPABILITIES).strip().endswith("all of it")
