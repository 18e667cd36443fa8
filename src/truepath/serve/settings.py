"""What a server allows: sizes, rows, times, and where it listens."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from truepath.errors import TruePathError


@dataclass(frozen=True)
class ServeSettings:
    """Limits of a model server; each has an option of ``truepath serve``.

    Parameters
    ----------
    max_body : int, default=4 MiB
        Bytes of a request; a larger one is refused with 413 before it is read.
    max_rows : int, default=10,000
        Rows of a request; more are refused with 413.
    max_waiting : int, default=20,000
        Rows that may wait for a prediction at the same time in one worker; beyond, requests get 429.
    read_seconds : float, default=10
        A request has to arrive within this time, or gets 408.
    answer_seconds : float, default=30
        A prediction that takes longer gets 503.
    drain_seconds : float, default=30
        How long requests that are under way may take to finish once the server is told to stop.
    batch_rows : int, default=64
        Rows of several requests that are predicted together. A row's prediction does not depend on the others.
    threads : int, default=1
        Batches that are predicted at the same time in one worker.
    origins : tuple of str, default=()
        Web origins whose pages may call the server (CORS); none by default.

    Examples
    --------
    >>> from truepath.serve import ServeSettings
    >>> ServeSettings(max_rows=100).max_rows
    100
    """

    max_body: int = 4 << 20
    max_rows: int = 10_000
    max_waiting: int = 20_000
    read_seconds: float = 10.0
    answer_seconds: float = 30.0
    drain_seconds: float = 30.0
    batch_rows: int = 64
    threads: int = 1
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "origins" and not value > 0:
                raise TruePathError(f"{name} must be above 0, not {value!r}.")
