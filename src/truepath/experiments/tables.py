"""The tables on disk: ``results.csv``, the same for the same plan, and ``runs.csv`` with seconds and versions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from truepath.data.tables.write import safe_cell
from truepath.experiments.records import RunKey, RunRecord
from truepath.versions import PACKAGES

if TYPE_CHECKING:
    from truepath.experiments.plan import Plan

RESULTS = "results.csv"
RUNS = "runs.csv"

SIZES = ("n_train", "n_test", "n_features", "n_labels")
VERSIONS = ("truepath", "python", *PACKAGES)


def results_csv(records: Iterable[RunRecord], plan: Plan, safe_csv: bool = False) -> str:
    """Return the tidy table: one row per run and measure, values to the last bit."""
    labels = [measure.label for measure in plan.measures]
    rows = [(*r.key, label, repr(r.values[label])) for r in records if not r.failed for label in labels]
    return to_csv([*RunKey._fields, "measure", "value"], rows, safe_csv)


def runs_csv(records: Iterable[RunRecord], safe_csv: bool = False) -> str:
    """Return one row per run: how it ended, its sizes, seconds, settings and versions."""
    header = [*RunKey._fields, "status", "error", *SIZES, "fit_seconds", "predict_seconds", "settings", *VERSIONS]
    return to_csv(header, map(_run_row, records), safe_csv)


def _run_row(record: RunRecord) -> list[Any]:
    seconds = [f"{s:.6f}" if s == s else "" for s in (record.fit_seconds, record.predict_seconds)]
    sizes = [record.sizes.get(name, "") for name in SIZES]
    versions = [record.versions.get(name, "") for name in VERSIONS]
    status = "failed" if record.failed else "done"
    return [*record.key, status, record.error, *sizes, *seconds, record.settings, *versions]


def to_csv(header: Iterable[str], rows: Iterable[Iterable[Any]], safe_csv: bool = False) -> str:
    """Return rows as CSV with line feeds; with ``safe_csv`` no cell is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow(map(safe_cell, row) if safe_csv else row)
    return text.getvalue()
