"""One self-contained HTML page on one model, or on several compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truepath.report.evaluated import Evaluated, Subject, check_subject
from truepath.report.files import write_atomically

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["write_report"]


def write_report(
    path: str | PathLike[str],
    hierarchy: Hierarchy,
    y_true: Any,
    results: Evaluated | Sequence[Evaluated],
    *,
    title: str = "Hierarchical classification report",
    ids: Sequence[Any] | None = None,
    texts: Sequence[Any] | None = None,
    y_train: Any = None,
    description: Any = None,
    comparison: Any = None,
    random_state: Any = 0,
) -> Path:
    """Write a report on one method's test results, or on several compared, as one HTML file.

    The page needs no network and no other file: styles, script and data are inside. It shows the measures with
    bootstrap intervals, the hierarchy as a zoomable icicle or sunburst, results by level, precision-recall and
    threshold curves, calibration, and example rows as small trees.

    Parameters
    ----------
    path : path-like
        The file to write; written in one step, so that a reader never sees half a page.
    hierarchy : Hierarchy
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        The true labels of the test rows, closed.
    results : Evaluated or sequence of Evaluated
        What each method made of these rows. Missing ancestors are added to its labels, and the page says so.
    title : str
    ids, texts : sequences of length n_samples, optional
        Names of the rows and texts of theirs, shown with the examples.
    y_train : array-like or sparse matrix, shape (n_train, n_nodes), optional
        The training labels: the page then tells how often each label was seen.
    description : Description, optional
        What :meth:`truepath.Dataset.describe` returns.
    comparison : optional
        What :func:`truepath.experiments.statistics.compare` returns: the page then has its critical-difference diagram.
    random_state : int, default=0
        Decides the bootstrap's draws and which of equal rows are shown.

    Returns
    -------
    path : Path

    See Also
    --------
    save_run : keep the same things in a folder, for ``truepath report``.

    Notes
    -----
    Needs jinja2: ``pip install "truepath[report]"``. On 1,278 rows and the 4,125 nodes of a GO hierarchy a method
    takes some seconds, nearly all of it sorting its 5.3 million scores and counting them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from truepath.data import load_dataset
    >>> from truepath.report import Evaluated, write_report
    >>> ds = load_dataset("toy")
    >>> everything_a = ds.hierarchy.encode([["a"]] * len(ds.test))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(
    ...         Path(folder) / "report.html", ds.hierarchy, ds.test.y, Evaluated("always a", everything_a)
    ...     )
    ...     "always a" in page.read_text(encoding="utf-8")
    True
    """
    from truepath.report.nodes import node_table
    from truepath.report.render import render

    subject = check_subject(hierarchy, y_true, results, ids=ids, texts=texts, y_train=y_train, description=description)
    context = {"title": str(title), **_context(subject, random_state), "comparison": _diagrams(comparison)}
    return write_atomically(path, render("page.html", context, data=node_table(subject)))


def _context(subject: Subject, random_state: Any) -> dict[str, Any]:
    """Compute everything the page shows."""
    from truepath.report.charts import bar_chart
    from truepath.report.measures import CONFIDENCE, MEASURES, measure_all
    from truepath.report.profile import describe_data
    from truepath.report.sections import draw_curves, draw_levels, draw_measures, draw_method, tell_story

    measured = measure_all(subject, random_state)
    shown = [m for m in MEASURES if any(m.key in values for values in measured.values())]
    return {
        "subject": subject,
        "methods": [draw_method(subject, k, random_state) for k in range(len(subject.results))],
        "several": len(subject.results) > 1,
        "story": tell_story(subject, measured),
        "measures": draw_measures(shown, measured, [result.name for result in subject.results]),
        "confidence": CONFIDENCE,
        "profile": describe_data(subject),
        "bar_chart": bar_chart,
        "levels": draw_levels(subject),
        "curves": draw_curves(subject, measured),
        "made": _made(subject),
    }


def _made(subject: Subject) -> dict[str, Any]:
    """Return when and with what the page was made, and each method's settings."""
    from truepath.report.files import now, versions

    methods = [
        (result.name, result.fit_seconds, _settings(result.settings), subject.repaired.get(result.name, 0))
        for result in subject.results
    ]
    return {
        "created": now(),
        "versions": versions(),
        "methods": methods,
    }


def _settings(settings: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    return [] if settings is None else [(str(key), str(value)) for key, value in settings.items()]


def _diagrams(comparison: Any) -> list[str]:
    """Draw an experiment's critical-difference diagram, where one is given."""
    if comparison is None:
        return []
    return [import_module("truepath.experiments").critical_difference_svg(comparison)]
