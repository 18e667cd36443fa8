"""Counts of a server for Prometheus, added up over its workers by ``prometheus_client``.

Where a server has several workers, the environment variable ``PROMETHEUS_MULTIPROC_DIR`` names a folder in which each
keeps its counts, and the one that is asked adds up all of them. Those of workers that ended stay: counts never fall.
"""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

#: The environment variable that names the folder of all workers' counts
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
#: Upper ends of the buckets of the histogram of times, in seconds
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ServerCounts:
    """What one worker counts.

    Attributes
    ----------
    rows, batches, cut_off : Counter
    waiting, ready : Gauge
        Levels, which fall as well; those of a worker that ended do not count.

    Examples
    --------
    >>> counts = ServerCounts()
    >>> counts.request("/predict", 200, 0.004)
    >>> print(counts.write().decode())
    # HELP truepath_requests_total Requests answered, by path and status.
    # TYPE truepath_requests_total counter
    truepath_requests_total{path="/predict",status="200"} 1.0
    ...
    """

    def __init__(self) -> None:
        own = self.registry = CollectorRegistry()
        said = "Requests answered, by path and status."
        self.requests = Counter("truepath_requests_total", said, ["path", "status"], registry=own)
        said = "Time from a request's head to its answer, by path."
        self.seconds = Histogram("truepath_request_seconds", said, ["path"], buckets=BUCKETS, registry=own)
        self.rows = Counter("truepath_rows_total", "Rows predicted.", registry=own)
        self.batches = Counter("truepath_batches_total", "Batches that rows were predicted in.", registry=own)
        said = "Requests that were cut off when the server was stopped."
        self.cut_off = Counter("truepath_cut_off_total", said, registry=own)
        said = "Rows that wait for a prediction."
        self.waiting = Gauge("truepath_waiting_rows", said, registry=own, multiprocess_mode="livesum")
        self.ready = Gauge("truepath_ready", "Workers that are ready.", registry=own, multiprocess_mode="livesum")
        said = "Workers that answer with this version of a model."
        self.models = Gauge("truepath_model", said, ["model", "version"], registry=own, multiprocess_mode="livesum")

    def refusal(self, status: int) -> None:
        """Count a connection that was refused before it was a request."""
        self.requests.labels("connection", status).inc()

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests.labels(path, status).inc()
        self.seconds.labels(path).observe(seconds)

    def serves(self, model: str, version: str, n: int) -> None:
        """Note that this worker answers with a version of a model (1), or no longer (0)."""
        self.models.labels(model, version).set(n)

    def leave(self) -> None:
        """Set the levels to zero, as the worker ends."""
        self.waiting.set(0)
        self.ready.set(0)

    def total(self, name: str) -> int:
        """Return a count without labels, of all workers."""
        return round(
            sum(s.value for family in self._together().collect() for s in family.samples if s.name == f"{name}_total")
        )

    def write(self) -> bytes:
        """Return the counts of all workers as Prometheus reads them."""
        return generate_latest(self._together())

    def _together(self) -> CollectorRegistry:
        folder = os.environ.get(FOLDER)
        if folder is None:
            return self.registry
        _drop_levels_of_ended_workers(Path(folder))
        together = CollectorRegistry()
        MultiProcessCollector(together, folder)
        return together


def _drop_levels_of_ended_workers(folder: Path) -> None:
    """Drop the levels of workers that were killed, which could not leave."""
    if os.name != "posix":  # elsewhere a process cannot be asked whether it is there
        return
    for pid in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*_*.db")}:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, os.fspath(folder))
