"""``truepath serve``: a saved model answers requests over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from truepath.cli.shared.options import ModelFile, Trust

MEGABYTE = 1 << 20


def serve(
    model: ModelFile,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to listen on.")] = 8000,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, help="Number of processes, each with a copy of the model.")
    ] = 1,
    max_body: Annotated[float, typer.Option(min=0.001, help="The largest request, in megabytes.")] = 4,
    max_rows: Annotated[int, typer.Option(min=1, help="The largest number of rows in a request.")] = 10_000,
    read_seconds: Annotated[float, typer.Option(min=0.1, help="Time limit for receiving a request, in seconds.")] = 10,
    answer_seconds: Annotated[
        float, typer.Option(min=0.1, help="Time limit for answering a request, in seconds.")
    ] = 30,
    drain_seconds: Annotated[
        float,
        typer.Option(min=1, help="Time that running requests have to finish after SIGTERM or Ctrl-C, in seconds."),
    ] = 30,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            help="A web origin whose pages may call the server, such as https://example.org; may be repeated."
        ),
    ] = None,
    trust: Trust = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not log every request.")] = False,
) -> None:
    """Answer requests with a saved model: labels, scores, reasons, and a page to try it at http://HOST:PORT/.

    There is no password: put a proxy that authenticates in front of it before other machines may call it.
    """
    from truepath.persistence import trusted_types_of
    from truepath.serve import ServeSettings, run_server

    settings = ServeSettings(
        max_body=int(max_body * MEGABYTE),
        max_rows=max_rows,
        read_seconds=read_seconds,
        answer_seconds=answer_seconds,
        drain_seconds=drain_seconds,
        origins=tuple(allow_origin or ()),
    )
    run_server(
        model,
        settings,
        host=host,
        port=port,
        workers=workers,
        trusted=trusted_types_of(model, trust or []),
        log_level="warning" if quiet else "info",
    )
