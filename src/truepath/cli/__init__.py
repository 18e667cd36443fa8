"""The command line: parse, call a public function, print. One file per command; heavy imports come late."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line from the first moment on."""
    try:
        from truepath.cli.app import run_command_line
    except KeyboardInterrupt:
        sys.stderr.write("truepath: interrupted\n")
        sys.exit(130)
    run_command_line()
