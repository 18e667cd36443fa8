"""A report about evaluations: one HTML file with a tab per aspect, curves, the best values and what got in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truepath.cafa.evaluation.curves import AspectCurve
from truepath.cafa.evaluation.results import Evaluation
from truepath.errors import TruePathError
from truepath.files.names import PathType

#: Columns of the table: key of a summary, what it is called, and whether less is better
COLUMNS = (
    ("fmax", "Fmax", False),
    ("fmax_threshold", "at", None),
    ("wfmax", "weighted Fmax", False),
    ("smin", "Smin", True),
    ("smin_threshold", "at", None),
    ("micro_fmax", "micro Fmax", False),
    ("coverage", "coverage", False),
)


def write_evaluation_report(
    found: Mapping[str, Evaluation], path: PathType, *, title: str = "Evaluation of predictions"
) -> Path:
    """Write a report with one tab per aspect (needs the extra ``report``).

    Parameters
    ----------
    found : mapping of str to Evaluation
        Evaluations by name of the file of predictions.
    path : path
    title : str
    """
    from truepath.report.charts import method_sign
    from truepath.report.render import write_page

    if not found:
        raise TruePathError("no evaluation to report.")
    aspects = list(dict.fromkeys(aspect for evaluation in found.values() for aspect in evaluation.curves))
    options = next(iter(found.values())).options
    context = {
        "title": title,
        "files": [(name, method_sign(k)) for k, name in enumerate(found)],
        "way": _way(options),
        "tabs": [_tab(aspect, found) for aspect in aspects],
        "counts": _counts(found),
    }
    return write_page(path, "cafa.html", context)


def _way(options: Mapping[str, Any]) -> str:
    """Say how it was evaluated."""
    said = [f"normalisation {options.get('norm')}", f"propagation {options.get('prop')}"]
    said.append("terms without parents count" if options.get("orphans") else "terms without parents left out")
    most = options.get("max_terms")
    return ", ".join(said if most is None else [*said, f"at most {most} terms of each target"])


def _tab(aspect: str, found: Mapping[str, Evaluation]) -> dict[str, Any]:
    records = {
        name: next((record for record in evaluation.summary() if record["aspect"] == aspect), {})
        for name, evaluation in found.items()
    }
    columns = [column for column in COLUMNS if any(record.get(column[0]) is not None for record in records.values())]
    best = {key: _best([record.get(key) for record in records.values()], less) for key, _, less in columns}
    rows = [(name, [record.get(key) for key, _, _ in columns]) for name, record in records.items()]
    shown = {name: evaluation.curves.get(aspect) for name, evaluation in found.items()}
    heavy = {name: evaluation.weighted.get(aspect, shown[name]) for name, evaluation in found.items()}
    charts = [("Precision and recall", _chart(shown, "recall", "precision", False))]
    charts.append(("Information missed and wrong", _chart(heavy, "remaining_uncertainty", "misinformation", True)))
    n_targets = max((curve.n_targets for curve in shown.values() if curve is not None), default=0)
    heads = [(head, best[key]) for key, head, _ in columns]
    return {
        "aspect": aspect.replace("_", " "), "n_targets": n_targets, "heads": heads, "rows": rows, "charts": charts,
    }  # fmt: skip


def _best(values: list[float | None], less: bool | None) -> float | None:
    known = [value for value in values if value is not None]
    if less is None or len(known) < 2:
        return None
    return min(known) if less else max(known)


def _chart(curves: Mapping[str, AspectCurve | None], across: str, up: str, least: bool) -> str:
    """Draw one line per file, and its best point."""
    from truepath.report.chart_parts import Frame, picture
    from truepath.report.charts import round_numbers

    drawn_curves = {k: curve for k, curve in enumerate(curves.values()) if curve is not None and curve.thresholds.size}
    highest = [
        max([1.0 if not least else 0.0, *(float(curve.values[key].max()) for curve in drawn_curves.values())]) or 1.0
        for key in (across, up)
    ]
    ticks = [[(t, f"{t:g}") for t in round_numbers(0.0, high)] for high in highest]
    labels = across.replace("_", " "), up.replace("_", " ")
    frame = Frame((0, highest[0]), (0, highest[1]), labels[0], labels[1], ticks[0], ticks[1], height=300)
    drawn = frame.axes()
    for k, curve in drawn_curves.items():
        best = curve.best("s" if least else "f", least=least)
        line = zip(curve.values[across], curve.values[up])
        drawn.append(frame.series(k, line, [(best[across], best[up])], 5.5))
    return picture(drawn, f"{labels[1]} against {labels[0]} as the threshold falls", height=300)


def _counts(found: Mapping[str, Evaluation]) -> list[tuple[str, list[str]]]:
    heads = list(dict.fromkeys(head for evaluation in found.values() for head in evaluation.counts))
    return [(head, [f"{evaluation.counts.get(head, 0):,}" for evaluation in found.values()]) for head in heads]
