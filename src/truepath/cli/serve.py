"""``truepath serve``: a saved model answers requests over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.options import Trust
from truepath.errors import TruePathError

MEGABYTE = 1 << 20
#: The environment variable that holds the token
TOKEN = "TRUEPATH_SERVE_TOKEN"
#: What a switch in the environment may be
SWITCH = {"1": True, "true": True, "yes": True, "on": True} | dict.fromkeys(("", "0", "false", "no", "off"), False)


def _option(name: str, help: str, **settings: Any) -> Any:
    """Return an option that an environment variable gives as well: ``--port`` is ``TRUEPATH_SERVE_PORT``."""
    variable = f"TRUEPATH_SERVE_{name.strip('-').replace('-', '_').upper()}"
    return typer.Option(name, *settings.pop("short", ()), help=help, envvar=variable, show_envvar=False, **settings)


def _is_on(name: str) -> bool:
    """Return a switch of the environment; some versions of click take any text for yes."""
    variable = f"TRUEPATH_SERVE_{name}"
    value = os.environ.get(variable, "")
    if value.lower() not in SWITCH:
        raise TruePathError(f"{variable} must be 1 or 0; got {value!r}.")
    return SWITCH[value.lower()]


def serve(
    models: Annotated[
        list[Path],
        typer.Argument(help="Models that truepath fit saved, as FILE or NAME=FILE; the first one is the default."),
    ],
    host: Annotated[str, _option("--host", "The address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, _option("--port", "The port to listen on.", min=0, max=65535)] = 8000,
    workers: Annotated[
        int, _option("--workers", "Number of processes, each with a copy of the model.", short=["-w"], min=1, max=1000)
    ] = 1,
    max_body: Annotated[float, _option("--max-body", "The largest request, in megabytes.", min=0.001, max=100_000)] = 4,
    max_rows: Annotated[int, _option("--max-rows", "The largest number of rows in a request.", min=1)] = 10_000,
    max_requests: Annotated[
        int, _option("--max-requests", "Requests that a worker answers at the same time; more get 503.", min=1)
    ] = 500,
    max_connections: Annotated[
        int, _option("--max-connections", "Connections that a worker holds open; more get 503.", min=1, max=1_000_000)
    ] = 2_000,
    wait_seconds: Annotated[
        float, _option("--wait-seconds", "A request that would wait longer for its turn gets 503 at once.", min=0.01)
    ] = 0.5,
    read_seconds: Annotated[
        float, _option("--read-seconds", "Time limit for receiving a request, in seconds.", min=0.1)
    ] = 10,
    answer_seconds: Annotated[
        float, _option("--answer-seconds", "Time limit for answering a request, in seconds.", min=0.1)
    ] = 30,
    write_seconds: Annotated[
        float, _option("--write-seconds", "Time limit for a client to read an answer, in seconds.", min=0.1)
    ] = 10,
    drain_seconds: Annotated[
        float,
        _option("--drain-seconds", "Time that running requests have after SIGTERM or Ctrl-C, in seconds.", min=1),
    ] = 30,
    allow_origin: Annotated[
        list[str] | None,
        _option(
            "--allow-origin", "A web origin whose pages may call it, such as https://example.org; may be repeated."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        _option(
            "--allow-host", "A name that requests may call the server by; may be repeated. See the page on serving."
        ),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        _option("--trust-proxy", "Address or network of a proxy that says where requests come from; may be repeated."),
    ] = None,
    token_file: Annotated[
        Path | None,
        _option("--token-file", f"A file with the token that requests have to send (or set ${TOKEN})."),
    ] = None,
    trust: Trust = None,
    no_watch: Annotated[
        bool,
        typer.Option(
            "--no-watch", help="Look for a new model file at SIGHUP only, not as soon as the file is replaced."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not log every request.")] = False,
) -> None:
    """Answer requests with saved models: labels, scores, reasons, and a page to try them at http://HOST:PORT/.

    Each option can be an environment variable instead: TRUEPATH_SERVE_MAX_ROWS for --max-rows. Without a token whoever
    reaches the server may ask it; encryption is the work of a proxy in front of it.
    """
    from truepath.serve import ServeSettings, run_server

    settings = ServeSettings(
        max_body=int(max_body * MEGABYTE),
        max_rows=max_rows,
        max_requests=max_requests,
        max_connections=max_connections,
        wait_seconds=wait_seconds,
        read_seconds=read_seconds,
        answer_seconds=answer_seconds,
        write_seconds=write_seconds,
        drain_seconds=drain_seconds,
        origins=tuple(allow_origin or ()),
        hosts=tuple(allow_host or ()),
        token=os.environ.get(TOKEN) if token_file is None else token_file.read_text("utf-8", "replace").strip(),
    )
    run_server(
        name_models(models),
        settings,
        host=host,
        port=port,
        workers=workers,
        trusted=trust or [],
        proxies=trust_proxy or [],
        watch=not (no_watch or _is_on("NO_WATCH")),
        log_level="warning" if quiet or _is_on("QUIET") else "info",
    )


def name_models(given: list[Path]) -> dict[str, Path]:
    """Return files by the names of their models: NAME=FILE, or a file that gives its name.

    Examples
    --------
    >>> found = name_models([Path("books.tp"), Path("old=models/books.tp")])
    >>> {name: path.name for name, path in found.items()}
    {'books': 'books.tp', 'old': 'books.tp'}
    """
    found: dict[str, Path] = {}
    for file in given:
        name, is_named, path = str(file).partition("=")
        if not is_named or "/" in name or file.exists():
            name, path = file.stem, str(file)
        if not path:
            raise TruePathError(f"{os.fspath(file)!r} names no file.", "Give FILE or NAME=FILE.")
        if name in found:
            said = f"two models are called {name!r}: {found[name]} and {path}."
            raise TruePathError(said, "Name them: NAME=FILE.")
        found[name] = Path(path)
    return found
