"""Each backend, started once for all tests that need it."""

from __future__ import annotations

from contextlib import contextmanager

import joblib
import pytest


@pytest.fixture(scope="package")
def cluster():
    """A client of a real Dask cluster with two worker processes."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'truepath[dask]'")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="package")
def ray_backend():
    """The name of a backend on a real Ray cluster. Its workers are kept: Ray starts new ones for every loop, in 3 s."""
    ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'truepath[ray]'")
    from ray.util.joblib import register_ray
    from ray.util.joblib.ray_backend import RayBackend

    class KeptWorkers(RayBackend):
        kept = None

        def configure(self, n_jobs=1, parallel=None, **options):
            if self.effective_n_jobs(n_jobs) > 1 and KeptWorkers.kept is not None:
                self._pool, self.parallel = KeptWorkers.kept, parallel
                return n_jobs
            n_jobs = super().configure(n_jobs, parallel, **options)
            KeptWorkers.kept = self._pool
            return n_jobs

        def terminate(self):
            self.reset_batch_stats()

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    register_ray()
    joblib.register_parallel_backend("ray with kept workers", KeptWorkers)
    yield "ray with kept workers"
    ray.shutdown()


@contextmanager
def on_ray(backend):
    """Make Ray active, and joblib's pool its own again at the end: Ray puts another class under it for good."""
    from joblib.pool import PicklingPool
    from ray.util.multiprocessing import Pool

    bases = PicklingPool.__bases__
    PicklingPool.__bases__ = (Pool,)  # of the workers that are kept
    try:
        with joblib.parallel_config(backend=backend):
            yield
    finally:
        PicklingPool.__bases__ = bases


@pytest.fixture
def active(request):
    """Return a function from the name of a backend, started if need be, to a context in which it is active."""

    def activate(name):
        if name == "dask":
            request.getfixturevalue("cluster")
        if name == "ray":
            return on_ray(request.getfixturevalue("ray_backend"))
        return joblib.parallel_config(backend=name)

    return activate
