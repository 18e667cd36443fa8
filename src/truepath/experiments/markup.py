"""Headings, paragraphs, lists and tables, written as Markdown or as reStructuredText."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truepath.experiments.tables import to_csv


@dataclass(frozen=True)
class Heading:
    """The title of the page (level 1) or of a section (level 2)."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Listing:
    """Points, numbered from 1 or not."""

    points: Sequence[str]
    is_numbered: bool = False


@dataclass(frozen=True)
class Table:
    """A header and rows of text; the columns from ``first_number`` on are flush right where the format allows it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    first_number: int = 1


Block = Heading | Paragraph | Listing | Table


def write_markdown(blocks: Iterable[Block]) -> str:
    r"""Write blocks as Markdown.

    Examples
    --------
    >>> print(write_markdown([Heading("A"), Table(["x", "y"], [["a|b", "1"]])]))
    ## A
    <BLANKLINE>
    | x | y |
    |:--|--:|
    | a\|b | 1 |
    <BLANKLINE>
    """
    return "\n\n".join(_to_markdown(block) for block in blocks) + "\n"


def _to_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Listing):
        return "\n".join(f"{mark} {point}" for mark, point in zip(_marks(block), block.points))
    rule = [":--" if k < block.first_number else "--:" for k in range(len(block.header))]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (block.header, *block.rows)]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def write_rst(blocks: Iterable[Block]) -> str:
    """Write blocks as reStructuredText.

    Examples
    --------
    >>> print(write_rst([Heading("A"), Table(["x", "y"], [["a, b", "1"]])]))
    A
    -
    <BLANKLINE>
    .. csv-table::
       :header-rows: 1
    <BLANKLINE>
       x,y
       "a, b",1
    <BLANKLINE>
    """
    return "\n\n".join(_to_rst(block) for block in blocks) + "\n"


def _to_rst(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{_plain(block.text)}\n{('=' if block.level == 1 else '-') * len(_plain(block.text))}"
    if isinstance(block, Paragraph):
        return _plain(block.text)
    if isinstance(block, Listing):
        return "\n".join(f"{mark} {_plain(point)}" for mark, point in zip(_marks(block), block.points))
    text = to_csv(map(_plain, block.header), [map(_plain, row) for row in block.rows])
    body = "\n".join(f"   {line}" for line in text.splitlines())
    return f".. csv-table::\n   :header-rows: 1\n\n{body}"


def _plain(text: str) -> str:
    """Escape what reStructuredText would take for markup."""
    for sign in "\\*`|_":
        text = text.replace(sign, f"\\{sign}")
    return text


def _marks(block: Listing) -> list[str]:
    return [f"{k}." if block.is_numbered else "-" for k in range(1, len(block.points) + 1)]
