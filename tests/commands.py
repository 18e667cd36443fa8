"""The command line as tests use it: what a command prints, and the one line it refuses with."""

from __future__ import annotations

import typer
from typer.testing import CliRunner

from truepath.cli.app import app, format_error


def run_command(*arguments):
    """Return what a command prints, the results and the remarks; an error of input comes as an exception."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def refusal_of(*arguments):
    """Return the line that a command is refused with."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], standalone_mode=False)
    assert isinstance(done.exception, (ValueError, OSError, ImportError, typer.BadParameter)), done.output
    said = format_error(done.exception)
    assert "\n" not in said
    return said
