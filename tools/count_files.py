"""Count the files of truepath that a command passes through: those with a function that runs.

Run ``PYTHONPATH=src python tools/count_files.py reproduce triguero2016 --only diatoms --data DATA -o OUT``: what
follows the script's name is the command, as it is typed after ``truepath``. The files, each with some of its functions,
go to stderr, the number last. Bodies of modules and classes do not count, nor what runs while a module is imported
(decorators, tables): ``--imports`` as the first word counts the latter too. Kernels are compiled and do not count.
"""

from __future__ import annotations

import sys
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1] / "src" / "truepath"
SHOWN = 5


class Passage:
    """The functions that ran, by file; a profile function for :func:`sys.setprofile`."""

    def __init__(self, with_imports: bool = False):
        self.with_imports = with_imports
        self.functions: dict[str, set[str]] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call of a function of ours."""
        if event == "call" and is_ours(frame.f_code) and is_function(frame.f_code):
            name = Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()
            if self.with_imports or not is_import(frame):
                self.functions.setdefault(name, set()).add(frame.f_code.co_name)


def is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(f"{ROOT}/")


def is_function(code: CodeType) -> bool:
    """Return whether the code is that of a function, not the body of a module or a class."""
    return bool(code.co_flags & CO_OPTIMIZED)


def is_import(frame: FrameType | None) -> bool:
    """Return whether a module, of truepath or of another package, is being imported further up the stack."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            return True
        frame = frame.f_back
    return False


def count_files(arguments: list[str], with_imports: bool = False) -> dict[str, set[str]]:
    """Run a command in this process and return the functions that ran, by file."""
    passage, before = Passage(with_imports), sys.argv
    sys.argv = ["truepath", *arguments]
    threading.setprofile(passage)
    sys.setprofile(passage)
    try:
        from truepath.cli import main

        main()
    except SystemExit as end:
        if end.code:
            print(f"the command ended with code {end.code}", file=sys.stderr)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        sys.argv = before
    return passage.functions


def main() -> None:
    arguments = sys.argv[1:]
    with_imports = arguments[:1] == ["--imports"]
    found = count_files(arguments[with_imports:], with_imports)
    for name in sorted(found):
        functions = sorted(function for function in found[name] if not function.startswith("<")) or ["..."]
        more = ", ..." if len(functions) > SHOWN else ""
        print(f"{name}: {', '.join(functions[:SHOWN])}{more}", file=sys.stderr)
    print(f"{len(found)} files", file=sys.stderr)


if __name__ == "__main__":
    main()
