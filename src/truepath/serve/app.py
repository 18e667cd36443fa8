"""A model as a web app: ``make_app`` for any ASGI server, ``run_server`` for uvicorn with all limits."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truepath.errors import MissingExtraError, TruePathError
from truepath.files.strict_json import dump_json
from truepath.serve.settings import ServeSettings

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

#: How workers are told what to serve
PLAN = "TRUEPATH_SERVE"


def make_app(model: HierarchicalClassifier, settings: ServeSettings | None = None) -> Any:
    """Return an ASGI app that answers requests with a fitted classifier.

    Parameters
    ----------
    model : HierarchicalClassifier
    settings : ServeSettings, optional

    Returns
    -------
    app : callable
        With the operations ``/predict``, ``/explain``, ``/hierarchy``, ``/model``, ``/health`` and ``/metrics``, their
        description at ``/docs`` and ``/openapi.json``, and a page to try them at ``/``.

    See Also
    --------
    run_server : serve a model file, as ``truepath serve`` does.

    Notes
    -----
    Needs FastAPI: ``pip install "truepath[serve]"``. The time limit for the head of a request is that of
    :func:`run_server`; other servers have their own. One that runs the app in several processes adds up their counts
    if ``PROMETHEUS_MULTIPROC_DIR`` names an empty folder, as ``prometheus_client`` describes it.
    """
    _check_installed()
    from truepath.serve.guard import Guard
    from truepath.serve.metrics import ServerCounts
    from truepath.serve.routes import build_routes
    from truepath.serve.service import ModelService

    settings, counts = settings or ServeSettings(), ServerCounts()
    app = build_routes(lambda: ModelService(model, settings, counts), settings)
    paths = frozenset(route.path for route in app.routes if hasattr(route, "path"))
    return Guard(app, settings, counts, paths)


def run_server(
    path: str | os.PathLike[str],
    settings: ServeSettings | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    trusted: Sequence[str] = (),
    log_level: str = "info",
) -> None:
    """Serve a model file until told to stop (SIGTERM, Ctrl-C); then finish what is under way.

    Parameters
    ----------
    path : path
        What ``truepath fit`` or :meth:`~truepath.HierarchicalClassifier.save` wrote; it is loaded without running code.
    settings : ServeSettings, optional
    host, port : str, int
        Where to listen; by default on this machine only.
    workers : int, default=1
        Processes, each with a copy of the model.
    trusted : sequence of str
        Types of other packages that the file may hold, see :func:`truepath.persistence.load`.
    log_level : str, default="info"
        "warning" leaves out the line per request.
    """
    _check_installed()
    import uvicorn

    from truepath.serve.connection import GuardedConnection
    from truepath.serve.logs import log_settings
    from truepath.serve.metrics import FOLDER

    settings = settings or ServeSettings()
    _check_free(host, port)
    plan = {"path": os.fspath(path), "trusted": list(trusted), "settings": asdict(settings)}
    options: dict[str, Any] = {"host": host, "port": port, "http": GuardedConnection}
    options |= {"log_config": log_settings(log_level), "access_log": False, "server_header": False}
    options |= {"timeout_graceful_shutdown": int(settings.drain_seconds) or 1, "ws": "none", "lifespan": "on"}
    with tempfile.TemporaryDirectory(prefix="truepath-serve-") as folder:
        shared = {FOLDER: folder} if workers > 1 else {}
        with _environment({PLAN: dump_json(plan), **shared}), _finishing_on_sigterm():
            if workers == 1:
                uvicorn.run(worker_app(), **options)
            else:
                _load(plan)  # so that a file that cannot be loaded is refused here
                uvicorn.run("truepath.serve.app:worker_app", factory=True, workers=workers, **options)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment, which workers inherit, while the block runs."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({} if value is None else {name: value})


@contextmanager
def _finishing_on_sigterm() -> Iterator[None]:
    """Survive the signal that uvicorn raises once more when it has drained."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def worker_app() -> Any:
    """Return the app of one worker, as the environment describes it."""
    import logging

    import threadpoolctl

    from truepath.serve.connection import GuardedConnection

    plan = json.loads(os.environ[PLAN])
    model = _load(plan)
    settings = ServeSettings(**{**plan["settings"], "origins": tuple(plan["settings"]["origins"])})
    GuardedConnection.read_seconds = settings.read_seconds
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    threadpoolctl.threadpool_limits(1)  # batches run side by side already
    sys.setswitchinterval(0.001)  # the event loop gets its turn while a batch is prepared
    return make_app(model, settings)


def _load(plan: Mapping[str, Any]) -> HierarchicalClassifier:
    from truepath.classifier import HierarchicalClassifier

    return HierarchicalClassifier.load(Path(plan["path"]), trusted=plan["trusted"])


def _check_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before the model is loaded."""
    try:
        family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        said = f"cannot listen on {host}:{port}: {(problem.strerror or str(problem)).lower()}."
        raise TruePathError(said, "Choose another port or host.") from None


def _check_installed() -> None:
    missing = [name for name in ("fastapi", "uvicorn", "prometheus_client") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"serving needs {' and '.join(missing)}.", 'Install it: pip install "truepath[serve]".')
