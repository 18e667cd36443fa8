"""``truepath warmup``: compile before anyone waits."""

from __future__ import annotations

from typing import Annotated

import typer

from truepath.cli.shared.options import NumberOfJobs
from truepath.files.strict_json import dump_json


def warmup(
    n_jobs: NumberOfJobs = -1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts and the folder as JSON.")] = False,
) -> None:
    """Compile the loops of common models ahead of time, so that the first fit or prediction does not wait for it.

    For the build of a container image or the set-up of a CI job. numba keeps what it compiles in the folder that the
    environment variable NUMBA_CACHE_DIR names, beside the package, or in the user's cache folder; set the variable when
    the folder is to be kept, mounted or copied. A second run compiles nothing.
    """
    from truepath.cli.shared.progress import progress
    from truepath.warmup import warm_up

    with progress("compiling") as show:
        done = warm_up(show, n_jobs)
    if as_json:
        typer.echo(dump_json(done._asdict(), indent=2))
        return
    counted = f"{done.n_compiled} functions compiled" if done.n_compiled else "nothing to compile"
    typer.echo(f"{counted}, {done.seconds:.0f} s; kept in {done.folder} and beside it")
