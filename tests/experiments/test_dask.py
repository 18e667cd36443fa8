"""A real cluster behind joblib: the same table and the same model as on one core."""

from __future__ import annotations

import joblib
import pytest

from truepath import HierarchicalClassifier
from truepath.data import make_hmc
from truepath.experiments import run_experiment
from truepath.learners import PCTForest, PCTree

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'truepath[dask]'")


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster):
        yield cluster


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own, about shutting down
def test_an_experiment_on_dask_gives_the_same_table(cluster, tmp_path):
    plan = {
        "datasets": {f"made {k}": make_hmc(80, n_nodes=8, random_state=k) for k in range(2)},
        "methods": {"tree": PCTree(), "forest": PCTForest(n_estimators=5)},
        "folds": 2,
    }
    with joblib.parallel_config(backend="dask"):
        far = run_experiment(plan, tmp_path / "far")
    near = run_experiment(plan, tmp_path / "near")
    assert not far.failed
    assert far.results_path.read_bytes() == near.results_path.read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own, about shutting down
def test_a_classifier_fitted_on_dask_has_the_same_bits(cluster):
    ds = make_hmc(80, n_nodes=8, random_state=0)
    forest = PCTForest(n_estimators=5, random_state=0)

    def fitted():
        model = HierarchicalClassifier(forest, "fael", hierarchy=ds.hierarchy, cv=3)
        return model.fit(ds.train.X, ds.train.y)

    with joblib.parallel_config(backend="dask"):
        far = fitted()
    assert (far.predict_proba(ds.test.X) == fitted().predict_proba(ds.test.X)).all()
