"""The command line: parse, call a public function, print. One file per command; heavy imports come late."""

from truepath.cli.app import main

__all__ = ["main"]
