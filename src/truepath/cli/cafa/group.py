"""The group ``truepath cafa``: one file per command, and what is heavy imported when it is used."""

from __future__ import annotations

from collections.abc import Callable

import typer

from truepath.cli.cafa.baseline import baseline
from truepath.cli.cafa.blend import blend
from truepath.cli.cafa.check import check
from truepath.cli.cafa.cutoffs import cutoffs
from truepath.cli.cafa.evaluate import evaluate
from truepath.cli.cafa.ia import ia
from truepath.cli.cafa.pairs import pairs
from truepath.cli.cafa.predict import predict
from truepath.cli.cafa.submit import submit
from truepath.cli.cafa.train import train

CAFA_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Evaluate": (evaluate, cutoffs, ia),
    "Predict": (train, predict, baseline, blend),
    "Files": (pairs, submit, check),
}


#: The group itself; :mod:`truepath.cli.app` enters the commands
cafa = typer.Typer(
    name="cafa",
    help="Gene function as CAFA does it: evaluate, train, submit.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
