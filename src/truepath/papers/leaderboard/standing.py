"""Where the default model stands: means over seeds beside published columns, mean ranks and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from truepath.experiments.markup import Block, Heading, Listing, Paragraph, Table
from truepath.papers.base import Comparison, load_published

if TYPE_CHECKING:
    from truepath.experiments import MethodComparison

__all__ = [
    "AREA",
    "OURS",
    "PROTOCOLS",
    "RIVAL",
    "collect_areas",
    "compare_with_published",
    "show_standing",
    "standing_figures",
]

AREA = "AU(PRC)"
OURS = "truepath"
PROTOCOLS = ("train+valid", "train")
RIVAL = "C-HMCNN(h)"


def collect_areas(comparisons: Sequence[Comparison], protocol: str) -> dict[str, list[float]]:
    """Return our AU(PRC) of every seed, by data set."""
    areas: dict[str, list[float]] = {}
    for found in comparisons:
        if found.table == f"{AREA}, {protocol}" and found.ours is not None:
            areas.setdefault(found.dataset, []).append(found.ours)
    return areas


def show_standing(comparisons: Sequence[Comparison]) -> Iterator[Block]:
    """Yield the table of all sets, and what the tests say."""
    both = [collect_areas(comparisons, protocol) for protocol in PROTOCOLS]
    if not both[0]:
        return
    columns = list(load_published("leaderboard")["columns"])
    yield Heading("Standing")
    yield Paragraph(_in_a_sentence(both[0]))
    header = [
        "data set",
        *columns,
        f"{OURS} (mean ± deviation)",
        "seeds",
        f"against {RIVAL}",
        "learned from train alone",
    ]
    yield Table(header, [_row(name, columns, *both) for name in both[0]], first_number=1)
    comparison = compare_with_published(both[0])
    if comparison is not None:
        from truepath.experiments.statistics.summary import HEADER, rank_rows_of, tests_of

        yield Table(HEADER, [list(row) for row in rank_rows_of(comparison)], first_number=1)
        yield Listing([line.strip() for line in tests_of(comparison)])


def _row(name: str, columns: list[str], areas: dict[str, list[float]], alone: dict[str, list[float]]) -> list[str]:
    published = load_published("leaderboard")[AREA][name]
    ours, rival = areas[name], published.get(RIVAL)
    gain = "" if rival is None else f"{100 * (np.mean(ours) / rival - 1):+.1f} %"
    known = [f"{published[column]:.3f}" if column in published else "" for column in columns]
    train = f"{np.mean(alone[name]):.4f}" if name in alone else ""
    return [name, *known, f"{np.mean(ours):.4f} ± {np.std(ours):.4f}", str(len(ours)), gain, train]


def _in_a_sentence(areas: dict[str, list[float]]) -> str:
    published = load_published("leaderboard")[AREA]
    gains = [np.mean(ours) / published[name][RIVAL] - 1 for name, ours in areas.items() if RIVAL in published[name]]
    if not gains:
        return "None of these sets has published values."
    above = sum(gain > 0 for gain in gains)
    text = f"Above {RIVAL} on {above} of {len(gains)} sets, by {100 * np.mean(gains):+.1f} % on average"
    return f"{text} (least {100 * min(gains):+.1f} %, greatest {100 * max(gains):+.1f} %)."


def compare_with_published(areas: dict[str, list[float]]) -> MethodComparison | None:
    """Return mean ranks and tests over the sets that every method has a value for; None for fewer than two sets."""
    from truepath.experiments import compare

    published = load_published("leaderboard")
    columns = list(published["columns"])
    names = [name for name in areas if len(published[AREA][name]) == len(columns)]
    if len(names) < 2:
        return None
    values = [[*(published[AREA][name][c] for c in columns), float(np.mean(areas[name]))] for name in names]
    return compare(np.array(values), methods=[*columns, OURS], datasets=names, greater_is_better=True)


def standing_figures(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Return the critical-difference diagram as SVG, by file name; nothing while there are too few sets."""
    from truepath.experiments.statistics.critical_difference.svg import critical_difference_svg

    comparison = compare_with_published(collect_areas(comparisons, PROTOCOLS[0]))
    return {} if comparison is None else {"leaderboard_cd.svg": critical_difference_svg(comparison)}
