"""Explanations as HTML for notebooks: plain tables, no scripts, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.classifier.explanation import NodeReason
    from truepath.classifier.top import TopLabels

#: More rows than this are counted instead of shown
MOST_ROWS = 20

HEAD = "<tr><th></th><th style='text-align:left'>label</th><th>score</th><th>threshold</th><th>{causes}</th></tr>"


def explanation_table(records: Sequence[NodeReason], decoder: str, method: str) -> str:
    """Return one row per label, indented by depth, predicted ones bold, with bars for what caused the score.

    Examples
    --------
    >>> explanation_table([], "SingleThreshold", "")[:7]
    '<table>'
    """
    largest = max((abs(value) for record in records for _, value in record.causes), default=1.0) or 1.0
    rows = "".join(_row(record, largest) for record in records)
    caption = f"<caption>decided by {escape(decoder)}</caption>"
    return f"<table>{caption}{HEAD.format(causes=f'because of ({escape(method)})' if method else '')}{rows}</table>"


def _row(record: NodeReason, largest: float) -> str:
    name = f"<span style='padding-left:{record.depth - 1}em'>{escape(record.name)}</span>"
    name = f"<b>{name}</b>" if record.predicted else name
    threshold = "" if record.threshold != record.threshold else f"{record.threshold:.3f}"
    causes = "<br>".join(_cause(cause, value, largest) for cause, value in record.causes)
    if record.votes:
        causes += "<br>votes: " + escape(", ".join(f"{name} {value:+.3f}" for name, value in record.votes))
    cells = ["✓" if record.predicted else "", name, f"{record.score:.3f}", threshold, causes]
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"


def _cause(name: str, value: float, largest: float) -> str:
    """Return a feature with a bar: green if it adds to the score, red if it takes away."""
    width, color = 6 * abs(value) / largest, "#2a7" if value > 0 else "#c44"
    bar = f"<span style='display:inline-block;height:.7em;width:{width:.2f}em;background:{color}'></span>"
    return f"{bar} {escape(name)} {value:+.3f}"


def top_table(top: TopLabels) -> str:
    """Return one row per row, its best labels with bars as long as they are likely; the first rows of many."""
    rows = []
    for i, labels in enumerate(top):
        if i == MOST_ROWS:
            rows.append(f"<tr><td colspan='2'>and {len(top) - i:,} rows more</td></tr>")
            break
        cells = "<br>".join(_likely(name, value) for name, value in labels)
        rows.append(f"<tr><th>{i}</th><td style='text-align:left'>{cells}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _likely(name: str, value: float) -> str:
    bar = f"<span style='display:inline-block;height:.7em;width:{6 * value:.2f}em;background:#27a'></span>"
    return f"{bar} {value:.2f} {escape(name)}"
