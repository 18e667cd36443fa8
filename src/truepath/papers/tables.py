"""Comparisons as pages: one table per table of the paper, counted verdicts, and reasons as numbered remarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from truepath.experiments.markup import (
    Block,
    Heading,
    Listing,
    Paragraph,
    Table,
    write_markdown,
    write_rst,
)
from truepath.experiments.store import Finished
from truepath.papers.base import Comparison, Paper, Verdict

VERDICTS: tuple[Verdict, ...] = ("same", "better", "worse", "differs", "ours only", "missing")
HEADER = ("data set", "measure", "method", "published", "ours", "difference", "verdict")
SECONDS = "seconds"  # times are compared as ratios


def to_markdown(paper: Paper, comparisons: Sequence[Comparison], finished: Iterable[Finished] = ()) -> str:
    """Write a paper's comparisons as Markdown.

    Parameters
    ----------
    paper : Paper
    comparisons : sequence of Comparison
    finished : iterable of Finished, optional
        The cells they come from, as the store has them; adds how and when they were run, and which cells were not.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from truepath.papers import Paper
    >>> from truepath.papers.base import Comparison
    >>> from truepath.papers.tables import to_markdown
    >>> found = Comparison("Table 1", "toy", "ours", "micro-F1", 0.5, 0.75, 0.02, reason="A better day.")
    >>> print(to_markdown(Paper("none", "A paper", ()), [found]))  # doctest: +ELLIPSIS
    # A paper
    ...
    | toy | micro-F1 | ours | 0.5000 | 0.7500 | +0.2500 | better (1) |
    ...
    1. A better day.
    <BLANKLINE>
    """
    return write_markdown(_blocks(paper, comparisons, list(finished)))


def to_rst(paper: Paper, comparisons: Sequence[Comparison], finished: Iterable[Finished] = ()) -> str:
    """Write a paper's comparisons as reStructuredText; parameters as in :func:`to_markdown`."""
    return write_rst(_blocks(paper, comparisons, list(finished)))


def count_verdicts(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """Count same, better, worse, ours only and missing."""
    counted = Counter(comparison.verdict for comparison in comparisons)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def describe_counts(comparisons: Iterable[Comparison]) -> str:
    """Return the counts as a phrase, such as ``"3 same, 1 worse"``."""
    counts = count_verdicts(comparisons)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count) or "nothing to compare"


def _blocks(paper: Paper, comparisons: Sequence[Comparison], finished: list[Finished]) -> Iterator[Block]:
    """Yield the page from top to bottom."""
    shown = [comparison for comparison in comparisons if comparison.verdict != "missing"]
    marks = _number_reasons(shown)
    yield Heading(paper.summary or paper.title, 1)
    if paper.summary:
        yield Paragraph(paper.title)
    yield Paragraph(f"All values: {describe_counts(comparisons)}.")
    if paper.notes:
        yield Paragraph(paper.notes)
    if paper.show is not None:
        yield from paper.show(comparisons)
    for table in dict.fromkeys(comparison.table for comparison in shown):
        rows = [comparison for comparison in shown if comparison.table == table]
        yield Heading(table)
        yield Paragraph(f"{describe_counts(rows)}.")
        is_ours = all(comparison.published is None and not comparison.reason for comparison in rows)
        yield _wide_table(rows) if is_ours else Table(HEADER, list(_rows(rows, marks)), first_number=3)
    if marks:
        yield Heading("Remarks")
        yield Listing(list(marks), is_numbered=True)
    yield from _absences(paper, comparisons)
    if finished:
        yield Heading("How it was run")
        yield Paragraph(_how(paper, comparisons, finished))


def _number_reasons(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """Number the different reasons in the order in which they appear."""
    reasons = dict.fromkeys(comparison.reason for comparison in comparisons if _explained(comparison))
    return {reason: k for k, reason in enumerate(reasons, start=1)}


def _explained(comparison: Comparison) -> bool:
    """Return whether a comparison's reason gets a mark; it does not where the numbers are the same."""
    return bool(comparison.reason) and comparison.verdict != "same"


def _rows(comparisons: list[Comparison], marks: dict[str, int]) -> Iterator[list[str]]:
    """Yield the rows of a table; what repeats the row above is left blank."""
    order = {key: k for k, key in enumerate(dict.fromkeys((c.dataset, c.measure) for c in comparisons))}
    names = {name: k for k, name in enumerate(dict.fromkeys(c.dataset for c in comparisons))}
    above: tuple[str, str] | None = None
    for c in sorted(comparisons, key=lambda c: (names[c.dataset], order[c.dataset, c.measure])):
        dataset = "" if above is not None and above[0] == c.dataset else c.dataset
        measure = "" if above == (c.dataset, c.measure) else c.measure
        verdict = f"{c.verdict} ({marks[c.reason]})" if _explained(c) else c.verdict
        above = (c.dataset, c.measure)
        yield [dataset, measure, c.method, _number(c.published), _number(c.ours), _difference(c), verdict]


def _wide_table(comparisons: list[Comparison]) -> Table:
    """Lay out numbers without a published counterpart: one column per data set, or per measure if there are several."""
    measures = list(dict.fromkeys(c.measure for c in comparisons))
    by_data = len(measures) == 1
    columns = list(dict.fromkeys(c.dataset for c in comparisons)) if by_data else measures
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for c in comparisons:
        key, column = ((c.method,), c.dataset) if by_data else ((c.dataset, c.method), c.measure)
        cells.setdefault(key, {})[column] = _number(c.ours)
    rows = [[*key, *(row.get(column, "") for column in columns)] for key, row in cells.items()]
    head = ["method"] if by_data else ["data set", "method"]
    return Table([*head, *columns], rows, first_number=len(head))


def _number(value: float | None) -> str:
    """Write a number with the digits that matter."""
    if value is None:
        return "–"
    size = abs(value)
    if size >= 1000 or (size >= 10 and float(value).is_integer()):
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.4f}" if size >= 1e-3 or value == 0 else f"{value:.1e}"


def _difference(comparison: Comparison) -> str:
    """Write ours minus published; for times, write how many times as fast ours is."""
    difference, published, ours = comparison.difference, comparison.published, comparison.ours
    if difference is None or published is None or ours is None:
        return ""
    if comparison.measure == SECONDS and min(published, ours) > 0:
        ratio = published / ours
        return f"{ratio:,.0f} times as fast" if ratio >= 10 else f"{ratio:.2g} times as fast"
    if difference == 0 or abs(difference) >= 5e-5:
        return f"{difference:+.4f}"
    return f"{difference:+.0e}"


def _absences(paper: Paper, comparisons: Sequence[Comparison]) -> Iterator[Block]:
    """Yield what is in the paper but not on this page."""
    points = [f"{what}: {why.rstrip('.')}." for what, why in paper.not_available.items()]
    missing = [c for c in comparisons if c.verdict == "missing"]
    points += [f"{' '.join(filter(None, (c.dataset, c.method, c.measure)))}: {c.reason}" for c in missing]
    if points:
        yield Heading("Not available")
        yield Listing(points)


def _how(paper: Paper, comparisons: Sequence[Comparison], finished: list[Finished]) -> str:
    """Return how, when and for how long the cells were run, and which were not."""
    dates = sorted({cell.date for cell in finished})
    versions = dict(finished[-1].versions)
    text = (
        f"truepath {versions.pop('truepath')}, seed {finished[-1].about['random_state']}, "
        f"{', '.join(f'{name} {value}' for name, value in versions.items())}; "
        f"{' to '.join(dict.fromkeys([dates[0], dates[-1]]))}; "
        f"{len(finished)} cells in {sum(cell.seconds for cell in finished):,.0f} s."
    )
    known = {cell.key for cell in finished} | {c.dataset for c in comparisons if c.verdict == "missing"}
    waiting = [cell.key for cell in paper.cells if cell.key not in known]
    return f"{text} Not run yet: {', '.join(waiting)}." if waiting else text
