"""A model as a web app: ``make_app`` for any ASGI server, ``run_server`` for uvicorn with all limits."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truepath.english import counted
from truepath.errors import MissingExtraError, TruePathError
from truepath.files.strict_json import dump_json
from truepath.files.temporary import temporary_folder
from truepath.orphans import end_with
from truepath.serve.settings import LOOPBACK, ServeSettings, check_model_names

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier
    from truepath.serve.releases import Board, Releases
    from truepath.serve.shelf import Follow

#: How workers are told what to serve
PLAN = "TRUEPATH_SERVE"


def make_app(
    model: HierarchicalClassifier | Mapping[str, HierarchicalClassifier], settings: ServeSettings | None = None
) -> Any:
    """Return an ASGI app that answers requests with a fitted classifier, or with several.

    Parameters
    ----------
    model : HierarchicalClassifier or dict of str to HierarchicalClassifier
        Several have names, and the first answers requests that name none.
    settings : ServeSettings, optional

    Returns
    -------
    app : callable
        With the operations ``/predict``, ``/explain``, ``/hierarchy`` and ``/model``, the same below ``/models/NAME``,
        ``/models``, ``/live``, ``/health`` and ``/metrics``, their description at ``/docs`` and ``/openapi.json``, and
        a page to try them at ``/``.

    See Also
    --------
    run_server : serve a model file, as ``truepath serve`` does.

    Notes
    -----
    Needs FastAPI: ``pip install "truepath[serve]"``. The time limit for the head of a request is that of
    :func:`run_server`; other servers have their own. One that runs the app in several processes adds up their counts
    if ``PROMETHEUS_MULTIPROC_DIR`` names an empty folder, as ``prometheus_client`` describes it.
    """
    settings = settings or ServeSettings()
    if not isinstance(model, Mapping):
        usual = settings.name or model.fitted_on_.name.replace("/", "-")[:100] or "model"
        model = {usual: model}
    return _make_app(dict(model), settings)


def _make_app(
    models: dict[str, HierarchicalClassifier],
    settings: ServeSettings,
    releases: Sequence[int] = (),
    follow: Follow | None = None,
) -> Any:
    _check_installed()
    from truepath.serve.guard import Guard
    from truepath.serve.metrics import ServerCounts
    from truepath.serve.routes import build_routes
    from truepath.serve.shelf import Shelf

    if not models:
        raise TruePathError("there is no model to serve.", "Give one.")
    check_model_names(models)
    counts, names = ServerCounts(), list(models)

    def make_shelf() -> Shelf:
        shelf = Shelf(models, settings, counts, releases, follow)
        if follow is not None:  # nothing else may hold a model that is replaced
            models.clear()
        return shelf

    app = build_routes(make_shelf, names, settings)
    paths = {route.path for route in app.routes if hasattr(route, "path")}
    named = {path.replace("{name}", name) for path in paths for name in names}
    return Guard(app, settings, counts, frozenset(named))


def run_server(
    path: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]],
    settings: ServeSettings | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    trusted: Sequence[str] = (),
    proxies: Sequence[str] = (),
    watch: bool = True,
    log_level: str = "info",
) -> None:
    """Serve model files until told to stop (SIGTERM, Ctrl-C); then finish what is under way.

    Parameters
    ----------
    path : path, or dict of str to path
        What ``truepath fit`` or :meth:`~truepath.HierarchicalClassifier.save` wrote; it is loaded without running code.
        Several files have names, and the first answers requests that name none.
    settings : ServeSettings, optional
        To their ``hosts`` the names of this machine are added; where there are none, and the server listens on this
        machine only, those alone are the hosts.
    host, port : str, int
        Where to listen; by default on this machine only.
    workers : int, default=1
        Processes, each with a copy of the models. All go from one file to the next at the same time.
    trusted : sequence of str
        Types of other packages that the file may hold, see :func:`truepath.persistence.load`.
    proxies : sequence of str
        Addresses or networks of proxies, which are believed where a request comes from (``X-Forwarded-For`` and
        ``X-Forwarded-Proto``); by default nobody is.
    watch : bool, default=True
        Whether a file that is replaced is served as soon as all workers have loaded it. Otherwise, and also, SIGHUP
        asks for that. A file that cannot be loaded is not taken: the one before is served, and the log says so.
    log_level : str, default="info"
        "warning" leaves out the line per request.

    Raises
    ------
    TruePathError
        If the model cannot be served, or requests were cut off at the end.
    """
    _check_installed()
    import uvicorn

    from truepath.serve.connection import GuardedConnection
    from truepath.serve.hangup import looking_again
    from truepath.serve.listening import listen_on
    from truepath.serve.logs import log_settings
    from truepath.serve.metrics import FOLDER, ServerCounts
    from truepath.serve.releases import Releases
    from truepath.serve.workers import WorkerConfig, Workers

    settings = settings or ServeSettings()
    files = path if isinstance(path, Mapping) else {settings.name or Path(path).stem: path}
    check_model_names(files)
    if settings.hosts or _is_loopback(host):
        settings = replace(settings, hosts=(*settings.hosts, *LOOPBACK, host))
    for proxy in proxies:
        _check_network(proxy)
    options: dict[str, Any] = {"http": GuardedConnection, "loop": "asyncio", "workers": workers, "ws": "none"}
    options |= {"log_config": log_settings(log_level), "access_log": False, "server_header": False, "lifespan": "on"}
    options |= {"proxy_headers": bool(proxies), "forwarded_allow_ips": list(proxies)}
    options |= {"timeout_graceful_shutdown": max(1, round(settings.drain_seconds))}
    with (
        temporary_folder("truepath-serve-") as folder,
        listen_on(host, port) as listener,
        _finishing_on_signals(),
        closing(Releases({name: Path(file) for name, file in files.items()}, Path(folder), is_watching=watch)) as kept,
    ):
        plan: dict[str, Any] = {"models": {name: os.fspath(file) for name, file in files.items()}, "folder": folder}
        plan |= {"trusted": list(trusted), "settings": asdict(settings)}
        if workers > 1:
            _load(plan, kept.board)  # so that a file that cannot be loaded is refused here
            plan["parent"] = os.getpid()
        shared = {FOLDER: _new_folder(folder)} if workers > 1 else {}
        with _environment({PLAN: dump_json(plan), **shared}), looking_again(kept.ask) as terminal:
            if workers == 1:
                app = worker_app(kept)
                server = uvicorn.Server(uvicorn.Config(app, **options))
                server.run(sockets=[listener])
                counts, has_started = app.counts, server.started
            else:
                counts = ServerCounts()
                config = WorkerConfig("truepath.serve.app:worker_app", factory=True, **options)
                has_started = Workers.of(config, listener, kept, terminal).run()
            cut_off = counts.total("truepath_cut_off")
    if not has_started:
        raise TruePathError("the server could not be started.", "Its log says why.")
    if cut_off:
        said = f"{counted(cut_off, 'request')} {'was' if cut_off == 1 else 'were'} cut off when the server was stopped."
        raise TruePathError(said, "Give them longer: --drain-seconds.")


def _new_folder(folder: str) -> str:
    (made := Path(folder) / "counts").mkdir()
    return os.fspath(made)


def _is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_network(proxy: str) -> None:
    try:
        ip_network(proxy)
    except ValueError:
        said = f"proxies: {proxy!r} is neither an address nor a network."
        raise TruePathError(said, "Give one such as 10.0.0.1 or 10.0.0.0/24.") from None


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
def _finishing_on_signals() -> Iterator[None]:
    """Survive the signals that uvicorn raises once more when it has drained."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def worker_app(kept: Releases | None = None) -> Any:
    """Return the app of one worker, as the environment describes it; ``kept`` is what the only process looks after."""
    import logging

    import threadpoolctl

    from truepath.serve.connection import GuardedConnection
    from truepath.serve.listening import room_for_connections

    plan = json.loads(os.environ[PLAN])
    if "parent" in plan:
        end_with(plan["parent"])
    app = planned_app(plan, kept)
    GuardedConnection.limit(app.settings, room_for_connections(app.settings.max_connections), app.counts.refusal)
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    threadpoolctl.threadpool_limits(1)  # batches run side by side already
    sys.setswitchinterval(0.001)  # the event loop gets its turn while a batch is prepared
    return app


def planned_app(plan: Mapping[str, Any], kept: Releases | None = None) -> Any:
    """Return the app that a plan describes, with the current releases of its models."""
    from truepath.serve.releases import Board
    from truepath.serve.shelf import Follow

    board = Board(Path(plan["folder"]), len(plan["models"])) if kept is None else kept.board
    releases, models = _load(plan, board)
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plan["settings"].items()
    }
    step = None if kept is None else lambda: kept.step({os.getpid()})
    follow = Follow(board, partial(_load_one, plan, board), step)
    return _make_app(models, ServeSettings(**given), releases, follow)


def _load(plan: Mapping[str, Any], board: Board) -> tuple[list[int], dict[str, HierarchicalClassifier]]:
    """Load the current release of all models."""
    releases = [board.current(k) for k in range(len(plan["models"]))]
    return releases, {name: _load_one(plan, board, k, releases[k]) for k, name in enumerate(plan["models"])}


def _load_one(plan: Mapping[str, Any], board: Board, k: int, release: int) -> HierarchicalClassifier:
    from truepath.serve.releases import load_release

    return load_release(board.copy_of(k, release), list(plan["models"].values())[k], plan["trusted"])


def _check_installed() -> None:
    missing = [name for name in ("fastapi", "uvicorn", "prometheus_client") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"serving needs {' and '.join(missing)}.", 'Install it: pip install "truepath[serve]".')
