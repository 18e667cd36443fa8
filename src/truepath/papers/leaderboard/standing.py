"""Where the default model stands: means over seeds beside published columns, mean ranks and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from truepath.experiments.markup import Block, Heading, Listing, Paragraph, Table
from truepath.papers.base import Comparison, load_published

if TYPE_CHECKING:
    from truepath.experiments import MethodComparison

AREA = "AU(PRC)"
COST = "Cost and label sets"
OURS = "truepath"
WITH_NETWORKS = "truepath with networks"
LEFT_OUT = "truepath, networks left out"  # of a fit with them: the same value as without
PROTOCOLS = ("train+valid", "train")
RIVAL = "C-HMCNN(h)"


def collect_areas(
    comparisons: Sequence[Comparison], protocol: str, *, networks: bool = False
) -> dict[str, list[float]]:
    """Return our AU(PRC) of every seed, by data set."""
    wanted = (WITH_NETWORKS,) if networks else (LEFT_OUT, OURS)
    areas: dict[str, dict[str, float]] = {}
    for found in comparisons:
        method, _, seed = found.method.rpartition(", seed ")
        if found.table == f"{AREA}, {protocol}" and method in wanted and found.ours is not None:
            areas.setdefault(found.dataset, {})[seed] = found.ours
    return {name: list(by_seed.values()) for name, by_seed in areas.items()}


def show_standing(comparisons: Sequence[Comparison]) -> Iterator[Block]:
    """Yield the table of all sets, and what the tests say."""
    ours = _by_method(comparisons)
    if not ours:
        return
    yield Heading("Standing")
    yield Listing([f"{method}: {_in_a_sentence(areas)}" for method, areas in ours.items()])
    yield _table(ours, _by_method(comparisons, PROTOCOLS[1]))
    comparison = compare_with_published(ours)
    if comparison is not None:
        from truepath.experiments.statistics.summary import HEADER, rank_rows_of, tests_of

        yield Table(HEADER, [list(row) for row in rank_rows_of(comparison)], first_number=1)
        yield Listing([line.strip() for line in tests_of(comparison)])
    costs = _costs(comparisons)
    if costs.rows:
        yield Paragraph("Cost and label sets, means over the seeds, after learning from train and valid:")
        yield costs


def _table(ours: dict[str, dict[str, list[float]]], alone: dict[str, dict[str, list[float]]]) -> Table:
    """Return the published values, ours beside them, and ours after learning from train alone."""
    published = load_published("leaderboard")
    columns = list(published["columns"])
    header = ["data set", *columns]
    for method in ours:
        header += [f"{method} (mean ± deviation)", "seeds", f"against {RIVAL}"]
    rows = []
    for name in dict.fromkeys(name for areas in ours.values() for name in areas):
        known = published[AREA][name]
        row = [name, *(f"{known[column]:.3f}" if column in known else "" for column in columns)]
        for areas in ours.values():
            row += _cells_of(areas.get(name), known.get(RIVAL))
        rows.append([*row, *(f"{np.mean(areas[name]):.4f}" if name in areas else "" for areas in alone.values())])
    return Table([*header, *(f"{method}, learned from train alone" for method in alone)], rows, first_number=1)


def _costs(comparisons: Sequence[Comparison]) -> Table:
    """Return what a fit costs and how good its label sets are, one row for each set and form."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for c in comparisons:
        if c.table == f"{COST}, {PROTOCOLS[0]}" and c.ours is not None:
            by_measure = found.setdefault((c.dataset, c.method.rpartition(", seed ")[0]), {})
            by_measure.setdefault(c.measure, []).append(c.ours)
    measures = list(dict.fromkeys(measure for by_measure in found.values() for measure in by_measure))
    rows = [
        [*key, *(_mean(by_measure[measure], 4 if measure.startswith(("hF", "exact")) else 0) for measure in measures)]
        for key, by_measure in found.items()
    ]
    return Table(["data set", "method", *measures], rows, first_number=2)


def _mean(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f}"


def _cells_of(areas: list[float] | None, rival: float | None) -> list[str]:
    """Return mean and deviation, the number of seeds, and the gain over the rival."""
    if areas is None:
        return ["", "", ""]
    gain = "" if rival is None else f"{100 * (np.mean(areas) / rival - 1):+.1f} %"
    deviation = np.std(areas, ddof=1) if len(areas) > 1 else 0.0
    return [f"{np.mean(areas):.4f} ± {deviation:.4f}", str(len(areas)), gain]


def _in_a_sentence(areas: dict[str, list[float]]) -> str:
    published = load_published("leaderboard")[AREA]
    gains = [np.mean(ours) / published[name][RIVAL] - 1 for name, ours in areas.items() if RIVAL in published[name]]
    if not gains:
        return "None of these sets has published values."
    above = sum(gain > 0 for gain in gains)
    text = f"Above {RIVAL} on {above} of {len(gains)} sets, by {100 * np.mean(gains):+.1f} % on average"
    return f"{text} (least {100 * min(gains):+.1f} %, greatest {100 * max(gains):+.1f} %)."


def compare_with_published(ours: dict[str, dict[str, list[float]]]) -> MethodComparison | None:
    """Return mean ranks and tests over the sets that every method has a value for; None for fewer than two sets.

    Parameters
    ----------
    ours : dict
        The AU(PRC) of every seed, by data set, by what we call the method.
    """
    from truepath.experiments import compare

    published = load_published("leaderboard")
    columns = list(published["columns"])
    first, *others = ours.values() or [{}]
    names = [name for name in first if all(name in areas for areas in others)]
    names = [name for name in names if len(published[AREA][name]) == len(columns)]
    if len(names) < 2:
        return None
    means = [[float(np.mean(areas[name])) for areas in ours.values()] for name in names]
    values = [[*(published[AREA][name][c] for c in columns), *own] for name, own in zip(names, means)]
    return compare(np.array(values), methods=[*columns, *ours], datasets=names, greater_is_better=True)


def standing_figures(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Return the critical-difference diagram as SVG, by file name; nothing while there are too few sets."""
    from truepath.experiments.statistics.critical_difference.svg import critical_difference_svg

    comparison = compare_with_published(_by_method(comparisons))
    return {} if comparison is None else {"leaderboard_cd.svg": critical_difference_svg(comparison)}


def _by_method(comparisons: Sequence[Comparison], protocol: str = PROTOCOLS[0]) -> dict[str, dict[str, list[float]]]:
    """Return our AU(PRC) without and with networks, as far as there are values."""
    found = {
        OURS: collect_areas(comparisons, protocol),
        WITH_NETWORKS: collect_areas(comparisons, protocol, networks=True),
    }
    return {method: areas for method, areas in found.items() if areas}
