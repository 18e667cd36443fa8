"""The lines, dots and texts of a critical-difference diagram, in pixels at a font of 14, for SVG and matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from truepath.experiments.statistics.critical_difference.layout import Layout, lay_out

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison

#: A row of names, a character (in any usual font), the axis
ROW, CHARACTER, AXIS = 22.0, 7.8, 420.0
FONT, SMALL = 14, 12
MARGIN = 12.0
TO_NAMES = 22.0  # from the end of the axis to where the names are
SMALL_ROW = 18.0

Point = tuple[float, float]


class Line(NamedTuple):
    """A line through some points."""

    points: tuple[Point, ...]
    width: float = 1.2


class Text(NamedTuple):
    """A text that starts, ends or has its middle at a point, at half its height."""

    at: Point
    content: str
    anchor: Literal["start", "middle", "end"] = "middle"
    size: int = FONT


class RankDiagram(NamedTuple):
    """A diagram from its upper left corner on; ``description`` is for those who cannot see it."""

    width: float
    height: float
    lines: list[Line]
    dots: list[Point]
    texts: list[Text]
    description: str


def draw_ranks(comparison: MethodComparison, test: str | None = None) -> RankDiagram:
    """Draw the mean ranks of a comparison; see :meth:`MethodComparison.cliques` for ``test``."""
    layout = lay_out(comparison, test)
    names = {left: [CHARACTER * len(f"{s.name}  0.00") for s in layout.stems if s.left == left] for left in (1, 0)}
    before, after = (MARGIN + max(widths, default=0.0) + TO_NAMES + 8 for widths in names.values())
    width = before + AXIS + after
    scale = _Scale(layout, before, 78.0 if layout.critical_difference else 44.0)
    lines, texts = [*scale.axis(), *scale.bars(), *scale.stems()], [*scale.ticks(), *scale.names()]
    if layout.critical_difference:
        end, y = scale.x(1 + layout.critical_difference), scale.top - 40
        lines.append(Line(((before, y), (end, y))))
        lines += [Line(((x, y - 4), (x, y + 4))) for x in (before, end)]
        texts.append(Text(((before + end) / 2, y - 14), f"CD = {layout.critical_difference:.2f}", size=SMALL))
    names_end = scale.row(layout.n_rows - 1) + ROW
    caption = wrap(layout.caption, max(20, int((width - 60) / (CHARACTER * SMALL / FONT))))
    places = [(width / 2, names_end + SMALL_ROW * (i + 0.5)) for i in range(len(caption))]
    texts += [Text(place, line, size=SMALL) for place, line in zip(places, caption)]
    dots = [(scale.x(stem.rank), scale.top) for stem in layout.stems]
    return RankDiagram(width, names_end + SMALL_ROW * len(caption) + 8, lines, dots, texts, _describe(layout))


class _Scale(NamedTuple):
    """Where ranks and rows are; ``left`` and ``top`` are the place of rank 1 on the axis."""

    layout: Layout
    left: float
    top: float

    def x(self, rank: float) -> float:
        return self.left + AXIS * (rank - 1) / (self.layout.high - 1)

    def row(self, row: int) -> float:
        return self.top + 24 + 10 * self.layout.n_levels + ROW * row

    def axis(self) -> Iterator[Line]:
        yield Line(((self.left, self.top), (self.left + AXIS, self.top)))
        for tick in range(1, self.layout.high + 1):
            length = 8 if tick in self.layout.ticks else 5
            yield Line(((self.x(tick), self.top - length), (self.x(tick), self.top)))

    def ticks(self) -> Iterator[Text]:
        for tick in self.layout.ticks:
            yield Text((self.x(tick), self.top - 20), str(tick))

    def bars(self) -> Iterator[Line]:
        for bar in self.layout.bars:
            y = self.top + 12 + 10 * bar.level
            yield Line(((self.x(bar.first) - 4, y), (self.x(bar.last) + 4, y)), 5)

    def stems(self) -> Iterator[Line]:
        for stem in self.layout.stems:
            x, y = self.x(stem.rank), self.row(stem.row)
            yield Line(((x, self.top), (x, y), (self._side(stem.left, TO_NAMES), y)), 0.8)

    def names(self) -> Iterator[Text]:
        for stem in self.layout.stems:
            place = (self._side(stem.left, TO_NAMES + 6), self.row(stem.row))
            if stem.left:
                yield Text(place, f"{stem.name}  {stem.rank:.2f}", "end")
            else:
                yield Text(place, f"{stem.rank:.2f}  {stem.name}", "start")

    def _side(self, left: bool, distance: float) -> float:
        return self.left - distance if left else self.left + AXIS + distance


def _describe(layout: Layout) -> str:
    ranks = ", ".join(f"{stem.name} {stem.rank:.2f}" for stem in sorted(layout.stems, key=lambda stem: stem.rank))
    return f"Critical difference diagram. {layout.caption}. {ranks}"
