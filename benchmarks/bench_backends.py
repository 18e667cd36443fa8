"""What does a backend cost? The same loop at home, in processes, on Dask and on Ray, all on this machine.

Run from the repository's root: ``python benchmarks/bench_backends.py [backend ...]``. Needs no data. Dask and Ray are
left out, with a word, where they are not installed. Prints a Markdown table; the least of several runs, warm workers.

Columns: a loop of 8 jobs that do nothing, the same with 80 MB that all jobs read, and 100 trees fitted and applied;
two workers each.
"""

from __future__ import annotations

import contextlib
import time

import joblib
import numpy as np
from data_folder import make_parser

BACKENDS = ("sequential", "threading", "loky", "multiprocessing", "dask", "ray")


@contextlib.contextmanager
def started(name):
    """Start a cluster if the backend needs one, and make the backend the active one."""
    with contextlib.ExitStack() as stack:
        if name == "dask":
            import distributed

            cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
            stack.enter_context(cluster)
            stack.enter_context(distributed.Client(cluster))
        if name == "ray":
            import ray
            from ray.util.joblib import register_ray

            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            stack.callback(ray.shutdown)
            register_ray()
        with joblib.parallel_config(backend=name):
            yield


def least_seconds(function, repeats):
    function()  # warm: workers started, libraries imported
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(repeats):
    """Return the seconds of the three jobs under the active backend."""
    from truepath.adapters.parallel import run_parallel
    from truepath.data import make_hmc
    from truepath.learners import PCTForest

    large = np.zeros(10_000_000)
    ds = make_hmc(3000, n_features=50, n_nodes=200, random_state=0)
    forest = PCTForest(hierarchy=ds.hierarchy, n_estimators=100, random_state=0, n_jobs=2)
    return (
        least_seconds(lambda: run_parallel(max, [(k, 0) for k in range(8)], n_jobs=2), repeats),
        least_seconds(lambda: run_parallel(np.size, [()] * 8, common=(large,), n_jobs=2), repeats),
        least_seconds(lambda: forest.fit(ds.train.X, ds.train.y).predict_proba(ds.test.X), repeats),
    )


def main():
    parser = make_parser(__doc__)
    parser.add_argument("backends", nargs="*", default=BACKENDS, help="those to measure; all unless given")
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    if chosen.smallest:
        chosen.backends, chosen.repeats = ["sequential", "threading"], 1
    print("| backend | 8 empty jobs | 8 jobs that read 80 MB | 100 trees |\n|---|---|---|---|")
    for name in chosen.backends:
        try:
            with started(name):
                seconds = measure(chosen.repeats)
        except ImportError as problem:
            print(f"| {name} | not installed: {problem} | | |")
        else:
            print(f"| {name} | " + " | ".join(f"{s:.3f} s" for s in seconds) + " |", flush=True)


if __name__ == "__main__":
    main()
