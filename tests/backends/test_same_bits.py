"""The same bits from every backend: each learner that takes n_jobs, and an experiment with every member there is."""

from __future__ import annotations

import pytest

from backends_room import SHAPES, at_home, data, fit, outputs, plan, same, suits, with_jobs
from truepath.experiments import run_experiment

pytestmark = pytest.mark.filterwarnings("ignore")  # of the backends' own making
BACKENDS = ("threading", "loky", "multiprocessing", "dask", "ray")
LEARNERS = with_jobs()
CASES = [(name, shape) for name in LEARNERS for shape in SHAPES if suits(name, shape)]
LEAST = 275


def compare(active, backend, name, shape):
    """Return which outputs of a learner, fitted and asked under a backend, have the bits they have at home."""
    X, _, _ = data(name, shape)
    model, S, Y = at_home(name, shape)
    with active(backend):
        there = fit(name, shape, 2)
        found = {"fitted": same(model, there), "scores there": same(S, there.predict_proba(X))}
        found["one job"] = same(S, fit(name, shape, 1).predict_proba(X))
        if "labels there" in outputs(shape):
            found["labels there"] = same(Y, there.predict(X))
    return {**found, "scores at home": same(S, there.predict_proba(X))}


def differences(active, backend, name):
    found = {shape: compare(active, backend, name, shape) for shape in SHAPES if suits(name, shape)}
    assert all(found[shape].keys() == set(outputs(shape)) for shape in found)
    return [(shape, output) for shape in found for output, is_same in found[shape].items() if not is_same]


@pytest.mark.parametrize("name", ["pct-forest", "per-node", "sibling-lasso"])
def test_threads(active, name):
    assert all(compare(active, "threading", name, "tree").values())


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_learner(active, backend, name):
    assert differences(active, backend, name) == []


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The results of the experiment without a backend."""
    done = run_experiment(plan(), tmp_path_factory.mktemp("home"))
    assert not done.failed
    return done.results_path.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_member_in_an_experiment(active, backend, table, tmp_path):
    with active(backend):
        there = run_experiment(plan(), tmp_path, n_jobs=2)
    assert not there.failed
    assert there.results_path.read_text() == table


def test_there_are_enough_comparisons():
    """What is compared under each backend: outputs of learners, and the experiment's runs."""
    n_runs = len(plan()["methods"]) * plan()["folds"]
    assert sum(len(outputs(shape)) for _, shape in CASES) + n_runs >= LEAST
