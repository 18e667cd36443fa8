"""The command line: parse, call a public function, print. One file per command; heavy imports wait."""

from truepath.cli.app import main

__all__ = ["main"]
