"""A Dask worker that is killed: what it left is run again, and no bit changes."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from backends_room import kill_a_worker
from truepath.data import make_hmc
from truepath.experiments import run_experiment
from truepath.learners import PCTForest, PCTree, PerNode

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
#: One more than are killed, and one more than that, in case none replaces the dead
N_WORKERS = 3


@pytest.fixture
def workers():
    """A client of a cluster of its own: a worker that replaces a killed one would not be among those told to die."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'truepath[dask]'")
    import dask

    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    soon = {"distributed.comm.timeouts.connect": "5s"}  # how long the dead are called: 30 s if nothing is said
    with dask.config.set(soon), distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def killed(workers, tmp_path):
    """Make Dask the backend, and the first worker that gets a job end itself."""
    workers.wait_for_workers(N_WORKERS, timeout=60)
    marker = tmp_path / "killed"
    workers.run(kill_a_worker, str(marker))
    with joblib.parallel_config(backend="dask"):
        yield
    assert marker.exists()


def scores(learner):
    ds = make_hmc(80, n_nodes=8, random_state=0)
    return learner.set_params(hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y).predict_proba(ds.test.X)


LEARNERS = {
    "forest": lambda: PCTForest(n_estimators=12, random_state=0),
    "per node": lambda: PerNode(LogisticRegression(), random_state=0),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner(killed, name):
    there = scores(LEARNERS[name]())
    with joblib.parallel_config(backend="sequential"):
        here = scores(LEARNERS[name]())
    assert np.array_equal(there, here)


def test_an_experiment(killed, tmp_path):
    plan = {
        "datasets": {f"made {k}": make_hmc(60, n_nodes=8, random_state=k) for k in range(2)},
        "methods": {"tree": PCTree(), "forest": PCTForest(n_estimators=5)},
        "folds": 2,
    }
    there = run_experiment(plan, tmp_path / "there")
    with joblib.parallel_config(backend="sequential"):
        here = run_experiment(plan, tmp_path / "here")
    assert not there.failed
    assert there.results_path.read_bytes() == here.results_path.read_bytes()
