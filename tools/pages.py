"""The commands on the pages of the documentation: run in an empty folder, and compared with the output shown.

``python tools/pages.py`` runs the ``$ truepath`` lines of every page and prints where a page shows something else;
``--write`` puts what was printed into the pages instead. Name pages to take only these. Outputs are compared word by
word; numbers with decimals may differ by a little, and seconds by anything. Commands without output below them are run
all the same. ``tests/docs/test_pages.py`` does this in the full suite.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))  # page_files.py

from page_files import DOCS, SKIPPED, UNCOMPARED, is_skipped, run_command, set_scene

WIDTH = 110
TOLERANCE = 0.06
__all__ = [
    "SKIPPED",
    "UNCOMPARED",
    "differs",
    "find_blocks",
    "find_commands",
    "find_pages",
    "is_same",
    "run_page",
    "write_outputs",
]
THEIRS = "theirs"  # the class of a block that shows another program


class Block(NamedTuple):
    """One block of code: the line its content starts at, its language, and its lines without indentation."""

    start: int
    language: str
    options: dict[str, str]
    lines: list[str]
    indent: int

    @property
    def is_theirs(self) -> bool:
        return self.options.get("class") == THEIRS


class Command(NamedTuple):
    """A command, the lines of its output on the page, and where they start."""

    line: str
    output: list[str]
    start: int
    indent: int


def find_pages() -> list[Path]:
    """Return every page that people wrote; those made before each build are left out."""
    made = {DOCS / name for name in ("_build", "api", "gallery", "reproduced")}
    return [page for page in sorted(DOCS.rglob("*.rst")) if not made & set(page.parents)]


def find_blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of code of a page; ``::`` at the end of a paragraph makes one without a language."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for k, line in enumerate(lines):
        named = re.match(r"( *)\.\. code-block:: *(\w*)$", line)
        plain = re.match(r"( *)(?!\.\. )\S.*::$|( *)::$", line)
        if named:
            yield _read_block(lines, k + 1, len(named[1]), named[2])
        elif plain:
            yield _read_block(lines, k + 1, len(line) - len(line.lstrip()), "")


def _read_block(lines: list[str], start: int, outside: int, language: str) -> Block:
    end = start
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > outside):
        end += 1
    options = {}
    while start < end and (option := re.match(r" +:(\w+): *(.*)", lines[start])):
        options[option[1]] = option[2]
        start += 1
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    indent = min((len(line) - len(line.lstrip()) for line in lines[start:end] if line.strip()), default=0)
    return Block(start, language, options, [line[indent:].rstrip() for line in lines[start:end]], indent)


def find_commands(page: Path) -> list[Command]:
    """Return the commands of a page in their order; a line that ends in a backslash goes on in the next."""
    found = []
    for block in find_blocks(page):
        if block.language != "console" or block.is_theirs:
            continue
        k = 0
        while k < len(block.lines):
            line = block.lines[k].removeprefix("$ ")
            while line.endswith("\\"):
                k += 1
                line = line[:-1] + block.lines[k].strip()
            k, first = k + 1, k + 1
            while k < len(block.lines) and not block.lines[k].startswith("$ "):
                k += 1
            found.append(Command(line, block.lines[first:k], block.start + first, block.indent))
    return found


def run_page(page: Path, folder: Path) -> list[tuple[Command, list[str]]]:
    """Run the commands of a page one after the other; return each with what it printed."""
    results = []
    for command in find_commands(page):
        if is_skipped(command.line):
            continue
        arguments = shlex.split(command.line, comments=True)
        set_scene(folder, arguments)
        printed = run_command(arguments, folder, WIDTH)
        results.append((command, [line.rstrip() for line in printed.strip("\n").splitlines()]))
    return results


def differs(command: Command, printed: list[str]) -> bool:
    """Say whether the page shows an output, and not the one that was printed."""
    is_compared = not any(re.search(pattern, command.line) for pattern in UNCOMPARED)
    return bool(command.output) and is_compared and not is_same(command.output, printed)


def is_same(shown: list[str], printed: list[str]) -> bool:
    """Say whether two outputs have the same words and about the same numbers."""
    (words, numbers), (others, values) = _weigh(shown), _weigh(printed)
    return words == others and all(abs(a - b) <= TOLERANCE * max(1.0, abs(a)) for a, b in zip(numbers, values))


def _weigh(lines: list[str]) -> tuple[str, list[float]]:
    text = re.sub(r"\d+(\.\d+)? (s|seconds)\b", "# s", " ".join(" ".join(_without_times(lines)).split()))
    text = re.sub(r"[─━═-]{2,}", "--", text)
    numbers = re.findall(r"\d+\.\d+", text)
    return re.sub(r"[+-]?\d+\.\d+", "#", text), [float(number) for number in numbers]


def _without_times(lines: list[str]) -> Iterator[str]:
    """Yield the lines of an output, without the numbers of a last column whose head ends in ", s"."""
    timed = False
    for line in lines:
        timed = line.rstrip().endswith(", s") or (timed and bool(line.strip()))
        yield re.sub(r"\d+(\.\d+)?$", "# s", line.rstrip()) if timed else line


def write_outputs(page: Path, results: list[tuple[Command, list[str]]]) -> None:
    """Put what was printed below each command that has an output on the page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for command, printed in reversed(results):
        if differs(command, printed):
            written = [(" " * command.indent + line).rstrip() for line in printed]
            lines[command.start : command.start + len(command.output)] = written
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Run the pages named, or all; return how many show something else than is printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="put the outputs into the pages")
    chosen = parser.parse_args()
    n_wrong = 0
    for page in chosen.pages or find_pages():
        with tempfile.TemporaryDirectory() as folder:
            results = run_page(page.resolve(), Path(folder))
        for command, printed in results:
            if differs(command, printed):
                n_wrong += 1
                print(f"{page}:{command.start}: $ {command.line}\n" + "\n".join(printed))
        if chosen.write:
            write_outputs(page, results)
    return 0 if chosen.write else n_wrong


if __name__ == "__main__":
    sys.exit(main())
