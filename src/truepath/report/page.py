"""One self-contained HTML page about one model, or about several compared."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.report.run import Run


def write_report(path: str | PathLike[str], run: Run, *, comparison: Any = None, random_state: Any = 0) -> Path:
    """Write a report about one method's test results, or about several compared, as one HTML file.

    The page needs no network and no other file: styles, script and data are inside. It shows the measures with
    bootstrap intervals, the hierarchy as a zoomable icicle or sunburst, results by level, confusions, precision-recall
    curves, a threshold to drag, calibration, and the rows behind every number as small trees.

    Parameters
    ----------
    path : path-like
        The file to write; written in one step, so that a reader never sees half a page.
    run : Run
        The test results; the page shows its measures, with intervals around them.
    comparison : optional
        What :func:`truepath.experiments.statistics.compare` returns: the page then has its critical-difference diagram.
    random_state : int, default=0
        Seed of the bootstrap and of the choice between equally good example rows.

    Returns
    -------
    path : Path

    See Also
    --------
    save_run : keep the run in a folder, for ``truepath report``.

    Notes
    -----
    Needs jinja2: ``pip install "truepath[report]"``. On 1,278 rows and the 4,125 nodes of a GO hierarchy, each method
    takes a few seconds, nearly all of it for sorting and counting its 5.3 million scores.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from truepath.data import load_dataset
    >>> from truepath.report import Evaluated, Run, write_report
    >>> ds = load_dataset("toy")
    >>> everything_a = ds.hierarchy.encode([["a"]] * len(ds.test))
    >>> run = Run(ds.hierarchy, ds.test.y, Evaluated("always a", everything_a))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", run)
    ...     "always a" in page.read_text(encoding="utf-8")
    True
    """
    from truepath.report.depths import draw_depths
    from truepath.report.explorer.stored import stored_data
    from truepath.report.render import write_page

    measured = draw_depths(run, random_state)
    context = {**_context(run, measured, random_state), "comparison": _diagram(comparison)}
    return write_page(path, "page.html", context, data=stored_data(run, measured, random_state))


def _context(run: Run, by_depth: Mapping[int, Any], random_state: Any) -> dict[str, Any]:
    """Compute everything the page shows."""
    from truepath.report.charts import bar_chart
    from truepath.report.depths import ALL, run_of_depth
    from truepath.report.measures import CONFIDENCE
    from truepath.report.nodes import most_mistaken
    from truepath.report.profile import describe_data
    from truepath.report.sections import (
        check_promises,
        draw_curves,
        draw_levels,
        draw_measures,
        draw_method,
        find_headline,
        name_measures,
    )

    measured = by_depth[ALL]
    headline = find_headline(measured)
    return {
        "title": run.title,
        "run": run,
        "methods": [draw_method(run, k, random_state) for k in range(len(run.results))],
        "several": len(run.results) > 1,
        "headline": headline,
        "mistakes": most_mistaken(run, run.results[headline["number"]]),
        "measures": draw_measures(measured),
        "measures_at": {depth: draw_measures(found, alone=False) for depth, found in by_depth.items() if depth != ALL},
        "confidence": CONFIDENCE,
        "profile": describe_data(run),
        "bar_chart": bar_chart,
        "flat": run.hierarchy.n_edges == 0,
        "metrics": name_measures(),
        "promises": check_promises(run),
        "levels": draw_levels(run),
        "curves": draw_curves(run, measured),
        "curves_at": {
            depth: draw_curves(run_of_depth(run, depth), found) for depth, found in by_depth.items() if depth
        },
        "settings": [
            (result.name, result.fit_seconds, result.settings or {}, run.repaired.get(result.name, 0))
            for result in run.results
        ],
    }


def _diagram(comparison: Any) -> str:
    """Draw an experiment's critical-difference diagram, where one is given."""
    if comparison is None:
        return ""
    from truepath.experiments import critical_difference_svg

    return critical_difference_svg(comparison)
