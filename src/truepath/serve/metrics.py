"""Counts of a server in the text format of Prometheus, added up over its workers.

Each worker keeps its own counts. Where there are several, each writes them to a file in a folder that all know, at most
once a second, and the one that is asked adds up all files. Those of workers that ended stay: counts never fall.
"""

from __future__ import annotations

import json
import os
import time
from bisect import bisect_left
from collections import Counter
from pathlib import Path

__all__ = ["ServerCounts"]

#: Upper ends of the buckets of the histogram of times, in seconds
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
#: Counts with what they mean; those in ``_LEVELS`` may fall as well
MEANINGS = {
    "truepath_requests_total": "Requests answered, by path and status.",
    "truepath_request_seconds": "Time from a request's head to its answer, by path.",
    "truepath_rows_total": "Rows predicted.",
    "truepath_batches_total": "Batches that rows were predicted in.",
    "truepath_waiting_rows": "Rows that wait for a prediction.",
    "truepath_ready": "Workers that are ready.",
}
_LEVELS = ("truepath_waiting_rows", "truepath_ready")


class ServerCounts:
    """What one worker counts, and the sum over all workers.

    Parameters
    ----------
    folder : path, optional
        Where the workers of one server leave their counts for each other.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None):
        self.values: Counter[str] = Counter()
        self.path = None if folder is None else Path(folder) / f"{os.getpid()}.json"
        self.written = 0.0

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        values = self.values
        values[f'truepath_requests_total{{path="{path}",status="{status}"}}'] += 1
        k = bisect_left(BUCKETS, seconds)
        end = f"{BUCKETS[k]:g}" if k < len(BUCKETS) else "+Inf"
        values[f'truepath_request_seconds_bucket{{path="{path}",le="{end}"}}'] += 1
        values[f'truepath_request_seconds_sum{{path="{path}"}}'] += seconds  # type: ignore[assignment]
        if self.path is not None and time.monotonic() > self.written + 1:
            self.share()

    def add(self, name: str, n: float) -> None:
        """Add to a count."""
        self.values[name] += n  # type: ignore[assignment]

    def set(self, name: str, value: float) -> None:
        """Set a level."""
        self.values[name] = value  # type: ignore[assignment]

    def share(self) -> None:
        """Leave the counts where the other workers see them."""
        if self.path is not None:
            self.written = time.monotonic()
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(self.values))
            new.replace(self.path)

    def leave(self) -> None:
        """Set the levels to zero, as the worker ends, and leave the counts."""
        for name in _LEVELS:
            self.values[name] = 0
        self.share()

    def _together(self) -> Counter[str]:
        """Return the sum over all workers."""
        total = Counter(self.values)
        for other in [] if self.path is None else sorted(self.path.parent.glob("*.json")):
            if other != self.path:
                total.update(json.loads(other.read_text()))
        return total

    def write(self) -> str:
        """Return all counts as Prometheus reads them.

        Examples
        --------
        >>> counts = ServerCounts()
        >>> counts.request("/predict", 200, 0.004)
        >>> print(counts.write())
        # HELP truepath_requests_total Requests answered, by path and status.
        # TYPE truepath_requests_total counter
        truepath_requests_total{path="/predict",status="200"} 1
        ...
        """
        together, lines = self._together(), []
        for name, meaning in MEANINGS.items():
            kind = "gauge" if name in _LEVELS else "histogram" if name.endswith("_seconds") else "counter"
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
            if kind == "histogram":
                lines += _histogram(name, together)
            else:
                known = sorted(key for key in together if key.partition("{")[0] == name)
                lines += [f"{key} {together[key]:g}" for key in known or [name]]
        return "\n".join([*lines, ""])


def _histogram(name: str, values: Counter[str]) -> list[str]:
    """Write the buckets of each path, each with all below it, as the format wants them."""
    lines = []
    for path in sorted({key.split('"')[1] for key in values if key.startswith(f"{name}_sum")}):
        n = 0
        for end in [*(f"{bucket:g}" for bucket in BUCKETS), "+Inf"]:
            n += values[f'{name}_bucket{{path="{path}",le="{end}"}}']
            lines.append(f'{name}_bucket{{path="{path}",le="{end}"}} {n}')
        total = values[f'{name}_sum{{path="{path}"}}']
        lines += [f'{name}_sum{{path="{path}"}} {total:g}', f'{name}_count{{path="{path}"}} {n}']
    return lines
