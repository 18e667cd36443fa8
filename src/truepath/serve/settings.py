"""What a server allows: sizes, rows, times, and where it listens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import inf

from truepath.errors import TruePathError

#: Hosts that may be allowed: any, names, those that end with a name, and addresses
HOST = re.compile(r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[?[0-9A-Fa-f:.]+\]?")
ORIGIN = re.compile(r"\*|https?://[^/\s?#]+")
TOKEN = re.compile(r"[!-~]{16,1000}")
#: Names of models: they stand in addresses
NAME = re.compile(r"(?!\.{1,2}$)[^/\x00-\x1f\x7f\ud800-\udfff]{1,100}")
#: The hosts of a server that only this machine can reach
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


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
        Rows that may wait for a prediction of one model at the same time in one worker; beyond, requests get 503.
    max_requests : int, default=500
        Requests that may be answered at the same time in one worker; beyond, they get 503.
    max_connections : int, default=2,000
        Connections that may be open in one worker. Beyond, one that has been silent makes room, or the new one gets
        503.
    wait_seconds : float, default=0.5
        A request whose rows would wait longer than this for their turn gets 503 at once.
    read_seconds : float, default=10
        A request has to arrive within this time, or gets 408.
    answer_seconds : float, default=30
        A prediction that takes longer gets 503.
    write_seconds : float, default=10
        A client may stop reading an answer for this long, and has to take 256 KB per second beside; else the connection
        is closed.
    drain_seconds : float, default=30
        How long requests that are under way may take to finish once the server is told to stop.
    batch_rows : int, default=64
        Rows of several requests that are predicted together. A row's prediction does not depend on the others.
    threads : int, default=1
        Batches that are predicted at the same time in one worker.
    origins : tuple of str, default=()
        Web origins whose pages may call the server (CORS); none by default.
    hosts : tuple of str, default=()
        Names that requests may give as their host, such as ``"models.example.org"`` or ``"*.example.org"``; any
        if there are none. So a page whose name leads to this machine all of a sudden is refused.
    token : str, optional
        What requests have to send as ``Authorization: Bearer TOKEN``, but for ``/live``, ``/health`` and the pages.
    name : str, default=""
        The name of the model where there is one alone; by default that of its file, or of the data that it was fitted
        on.

    Examples
    --------
    >>> from truepath.serve import ServeSettings
    >>> ServeSettings(max_rows=100).max_rows
    100
    """

    max_body: int = 4 << 20
    max_rows: int = 10_000
    max_waiting: int = 20_000
    max_requests: int = 500
    max_connections: int = 2_000
    wait_seconds: float = 0.5
    read_seconds: float = 10.0
    answer_seconds: float = 30.0
    write_seconds: float = 10.0
    drain_seconds: float = 30.0
    batch_rows: int = 64
    threads: int = 1
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, int | float) and not 0 < value < inf:
                raise TruePathError(f"{name} must be above 0, and finite, not {value!r}.")
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                said = f"origins: {origin!r} is not an origin."
                raise TruePathError(said, "Give scheme and host, such as https://example.org, or * for any.")
        for host in self.hosts:
            if not HOST.fullmatch(host):
                said = f"hosts: {host!r} is neither a name, nor an address, nor *.NAME."
                raise TruePathError(said, "Give a host without scheme, port and path, such as models.example.org.")
        if self.token is not None and not TOKEN.fullmatch(self.token):
            said = "the token must be 16 to 1,000 letters, digits or signs of ASCII, without spaces."
            raise TruePathError(said, "Make one: python -c 'import secrets; print(secrets.token_urlsafe())'.")


def check_model_names(names: Iterable[str]) -> None:
    """Refuse names of models that cannot stand in an address."""
    for name in names:
        if not NAME.fullmatch(name):
            said = f"the name of a model is 1 to 100 letters, digits or signs other than /, not {name[:100]!r}."
            raise TruePathError(said, "Give it another: NAME=FILE.")
