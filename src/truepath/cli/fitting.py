"""What ``fit`` and ``demo`` share: fitting with a bar that knows the parts, and measuring on test rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from truepath.classifier import HierarchicalClassifier
    from truepath.hierarchy import Hierarchy
    from truepath.report import Evaluated

__all__ = ["LEGEND", "MEASURES", "evaluate_model", "fit_with_progress", "measure", "results_table"]

#: Measure -> (what the table calls it, decimals)
MEASURES = {
    "hierarchical_f1": ("hF1 ↑", 3),
    "auprc": ("AU(PRC) ↑", 3),
    "exact_match": ("exact ↑", 3),
    "h_loss": ("H-loss ↓", 4),
    "hmc_loss": ("HMC-loss ↓", 4),
}
#: What the headings mean, for below a table
LEGEND = (
    "[dim]hF1: F1 over all labels, ancestors included. AU(PRC): area under the pooled\n"
    "precision-recall curve. exact: rows with every label right. ↑ more is better.[/]"
)


class _Steps(logging.Handler):
    """Turns the classifier's log of finished parts into steps of a bar."""

    def __init__(self, advance: Callable[..., None]):
        super().__init__(logging.INFO)
        self.advance = advance

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple) and len(record.args) == 2:
            done, parts = record.args
            self.advance(1, note=f"part {done} of {parts}", total=parts + 1)  # type: ignore[operator]


@contextmanager
def _listening(advance: Callable[..., None]) -> Iterator[None]:
    log = logging.getLogger("truepath.classifier.held_out")
    handler, level = _Steps(advance), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def fit_with_progress(model: HierarchicalClassifier, X: Any, Y: Any, name: str) -> float:
    """Fit a classifier behind a bar; return the seconds it took."""
    from truepath.cli.progress import progress

    start = time.perf_counter()
    with progress(f"fitting {name}") as advance, _listening(advance):
        model.fit(X, Y)
        advance(1)
    return time.perf_counter() - start


def evaluate_model(model: HierarchicalClassifier, X: Any, name: str, seconds: float) -> Evaluated:
    """Predict test rows; return what a report wants to know of the method."""
    from truepath.report import Evaluated

    thresholds = getattr(model.decoder_, "thresholds_", None)
    settings = {"learner": model.learner_, "combiner": model.combiner_, "decoder": model.decoder_}
    shown = {key: " ".join(repr(value).split()) for key, value in settings.items()}
    return Evaluated(name, model.predict(X), model.predict_proba(X), thresholds, round(seconds, 3), shown)


def measure(y_true: Any, result: Evaluated, hierarchy: Hierarchy) -> dict[str, float]:
    """Return the usual measures of one method."""
    from truepath.metrics import evaluate

    return evaluate(y_true, result.y_pred, result.S, hierarchy, metrics=list(MEASURES))


def results_table(found: dict[str, dict[str, float]], title: str, seconds: dict[str, float] | None = None) -> Table:
    """Draw methods by measures, the best of each measure bold and starred."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from truepath.metrics import get_metric

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("method", no_wrap=True)
    for heading, _ in MEASURES.values():
        table.add_column(heading, justify="right")
    if seconds is not None:
        table.add_column("fit, s", justify="right")
    best = {
        key: (max if get_metric(key).greater_is_better else min)(values[key] for values in found.values())
        for key in MEASURES
    }
    for method, values in found.items():
        cells = [
            _cell(values[key], digits, len(found) > 1 and values[key] == best[key])
            for key, (_, digits) in MEASURES.items()
        ]
        table.add_row(method, *cells, *([f"{seconds[method]:.1f}"] if seconds is not None else []))
    return table


def _cell(value: float, digits: int, is_best: bool) -> str:
    text = f"{value:.{digits}f}"
    return f"[bold]{text}*[/]" if is_best else f"{text} "
