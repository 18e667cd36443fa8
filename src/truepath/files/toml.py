"""TOML in files: the same errors for plans of experiments and options of projects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from truepath.errors import DataFormatError, TruePathError
from truepath.files.text import read_text


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # the same parser, under its name before it came with Python

    try:
        return tomllib.loads(read_text(path))
    except DataFormatError:
        raise
    except ValueError as problem:  # of the syntax, or a number of thousands of digits
        raise TruePathError(f"{path}: not a TOML file ({problem}).") from None
    except RecursionError:
        raise TruePathError(f"{path}: tables or lists are nested too deeply.") from None
