"""The labelling strategies on the scores of the authors' own forest, which they published for ImCLEF07A.

Nothing in it is random: the same scores are fitted and judged, and the numbers are compared to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.papers.base import Comparison, Settings, load_published
from truepath.papers.triguero2016.forest_results import (
    PRINTED,
    PRINTED_NAMES,
    ScoredParts,
    full_name,
    grows_better,
    judged_once,
    list_strategies,
)

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy
    from truepath.papers.triguero2016.strategies import StrategyResult

AUTHORS = "imclef07a, authors' scores"
AUTHORS_FOLDER = "reference/labelling_imclef07a"
AUTHORS_TOLERANCE = 1e-9


def compare_authors_scores(settings: Settings) -> list[Comparison]:
    """Compare the strategies on the authors' own scores of ImCLEF07A."""
    published = load_published("triguero2016")
    results = list_strategies(read_authors_scores(settings.data / AUTHORS_FOLDER))
    return list(_compare_exactly(results, published["authors' result files"], published["Table 4"]))


def _compare_exactly(results: list[StrategyResult], files: Any, table_4: Any) -> Iterator[Comparison]:
    """Yield comparisons with the authors' result files (validation) and with Table 4 (test)."""
    for row in results:
        shown = (AUTHORS, row.strategy, PRINTED_NAMES[row.measure])
        is_up, why = grows_better(row), _why_not_exact(row)
        value = files[row.measure].get(row.strategy)
        yield Comparison("Table 3", *shown, value, row.valid, AUTHORS_TOLERANCE, is_up, why)
        value, tolerance = table_4[row.measure]["imclef07a"].get(row.strategy), PRINTED
        if row.strategy in files["test"][row.measure]:  # there in full precision
            value, tolerance = files["test"][row.measure][row.strategy], AUTHORS_TOLERANCE
        yield Comparison("Table 4", *shown, value, row.test, tolerance, is_up, why)
    for row in judged_once(results):
        value, ours = files["% unlabelled"][row.measure].get(row.strategy), 100 * row.unlabeled_valid
        shown = (AUTHORS, full_name(row), "% unlabelled, valid")
        yield Comparison("Figure 6 (a)", *shown, value, ours, AUTHORS_TOLERANCE, False, _why_not_exact(row))


def _why_not_exact(row: StrategyResult) -> str:
    """Return why a strategy does not agree to the last digit."""
    if row.strategy == "CD(MTS)":
        return "The paper's rule between two neighbouring scores is not known; the middle is taken."
    if row.strategy == "EM(MTS)" and row.measure == "h_loss":
        return "The published number comes from an indexing slip; this is Algorithm 3 as it is printed."
    return ""


def read_authors_scores(folder: Path) -> ScoredParts:
    """Read the scores of Clus-HMC-Ens on ImCLEF07A that the authors published."""
    S_valid, Y_valid, hierarchy = _read_scores(folder / "val.pred.arff.xz")
    S_test, Y_test, _ = _read_scores(folder / "test.pred.arff.xz")
    return ScoredParts(S_valid, Y_valid, S_test, Y_test, hierarchy)


def _read_scores(path: Path) -> tuple[Any, Any, Hierarchy]:
    """Read columns ``class-a-<node>`` (0 or 1) and ``Original-p-<node>`` (scores) of a CLUS prediction file."""
    from truepath.data.readers.arff.files import read_table
    from truepath.data.readers.arff.header import read_arff
    from truepath.hierarchy import Hierarchy

    arff = read_arff(path)
    table = read_table(arff)
    columns = {arff.attributes[j].name: table.values[:, k] for k, j in enumerate(table.columns)}
    truth = [attribute for attribute in arff.attributes if attribute.name.startswith("class-a-")]
    hierarchy = Hierarchy.from_paths([attribute.name.removeprefix("class-a-") for attribute in truth])
    S = np.column_stack([columns[f"Original-p-{v}"] for v in hierarchy.names])
    return S, np.column_stack([columns[f"class-a-{v}"] == truth[0].codes["1"] for v in hierarchy.names]), hierarchy
