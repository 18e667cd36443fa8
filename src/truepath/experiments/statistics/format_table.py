"""Results as a table for a paper or a page: data sets x methods, mean ± deviation, the best in bold, mean ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truepath.experiments.markup import Table, write_markdown
from truepath.experiments.statistics.scores import Scores, read_results
from truepath.experiments.statistics.significance import TIE, rank_rows
from truepath.experiments.tables import to_csv

Rows = list[list[str]]

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def format_table(
    results: Any,
    measure: str | None = None,
    to: Literal["markdown", "latex", "csv", "text"] = "markdown",
    *,
    digits: int = 3,
    greater_is_better: bool | None = None,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    safe_csv: bool = False,
) -> str:
    """Return one measure of the results as a table in Markdown, LaTeX, CSV or plain text.

    Parameters
    ----------
    results : path, ExperimentResult, data frame, mapping of columns or array
        As for :func:`compare`.
    measure : str, optional
        Needed if the results have several.
    to : {"markdown", "latex", "csv", "text"}, default="markdown"
        Plain text has a star beside the best where the others have bold.
    digits : int, default=3
        Decimal places; CSV has all.
    greater_is_better : bool, optional
        By default that of the metric of this name.
    methods, datasets : sequence of str, optional
        Show these only.
    safe_csv : bool, default=False
        Whether names in CSV get an apostrophe in front if a spreadsheet would run them as formulas.

    Returns
    -------
    table : str
        One row per data set; mean ± standard deviation (n - 1) over seeds and folds, if there are several; the best
        of each row in bold (all that look the same when printed); a last row of mean ranks over the data sets
        that every method finished. LaTeX needs the package ``booktabs``.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.experiments import format_table
    >>> loss = np.array([[0.1, 0.2], [0.3, 0.25]])
    >>> print(format_table(loss, "h_loss", methods=["a", "b"], datasets=["x", "y"], digits=2))
    | h_loss ↓ | a | b |
    |:--|--:|--:|
    | x | **0.10** | 0.20 |
    | y | 0.30 | **0.25** |
    | mean rank | 1.50 | 1.50 |
    """
    if to not in FORMATS:
        raise ValueError(f"to must be {', '.join(map(repr, FORMATS))}; got {to!r}.")
    scores = read_results(results, measure, greater_is_better=greater_is_better, methods=methods, datasets=datasets)
    return _csv(scores, digits, safe_csv=True) if safe_csv and to == "csv" else FORMATS[to](scores, digits)


def _markdown(scores: Scores, digits: int) -> str:
    header, *rows = _printed(scores, digits, "**{}**")
    return write_markdown([Table(header, rows)]).rstrip("\n")


def _latex(scores: Scores, digits: int) -> str:
    signs = (r"$\uparrow$", r"$\downarrow$", r"$\pm$")
    header, *rows = _printed(scores, digits, r"\textbf{{{}}}", signs, escape_latex)
    body = [" & ".join(row) + r" \\" for row in rows]
    if rows and rows[-1][0] == "mean rank":
        body.insert(-1, r"\midrule")
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * len(scores.methods)}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> escape_latex("micro_f1 & 5%")
    'micro\\_f1 \\& 5\\%'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _csv(scores: Scores, digits: int, safe_csv: bool = False) -> str:
    mean, deviation = scores.summary()
    header = ["dataset", *(name for method in scores.methods for name in (method, f"{method} sd"))]
    rows: list[list[Any]] = []
    for i, dataset in enumerate(scores.datasets):
        pairs = zip(mean[i].tolist(), deviation[i].tolist())
        rows.append([dataset, *("" if value != value else repr(value) for pair in pairs for value in pair)])
    if (ranks := _mean_ranks(scores)) is not None:
        rows.append(["mean rank", *(cell for rank in ranks.tolist() for cell in (repr(rank), ""))])
    return to_csv(header, rows, safe_csv).rstrip("\n")


def _text(scores: Scores, digits: int) -> str:
    return "\n".join(align_columns(_printed(scores, digits, "*{}")))


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with the first column flush left and the others flush right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    padded = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


FORMATS: dict[str, Callable[[Scores, int], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
    "text": _text,
}


def _printed(
    scores: Scores,
    digits: int,
    bold: str,
    signs: tuple[str, str, str] = ("↑", "↓", "±"),
    escape: Callable[[str], str] = str,
) -> Rows:
    """Return the header and the printed rows, the mean ranks last; ``escape`` is for names."""
    greater, smaller, plus_minus = signs
    mean, deviation = scores.summary()
    arrow = greater if scores.greater_is_better else smaller
    rows = [[f"{escape(scores.measure)} {arrow}".strip(), *map(escape, scores.methods)]]
    for i, dataset in enumerate(scores.datasets):
        best = _best(mean[i], scores.greater_is_better, digits)
        cells = [_cell(mean[i, j], deviation[i, j], digits, plus_minus) for j in range(mean.shape[1])]
        rows.append([escape(dataset), *(bold.format(cell) if wins else cell for cell, wins in zip(cells, best))])
    if (ranks := _mean_ranks(scores)) is not None:
        rows.append(["mean rank", *(f"{rank:.2f}" for rank in ranks)])
    return rows


def _cell(mean: float, deviation: float, digits: int, plus_minus: str) -> str:
    if mean != mean:
        return "–"
    return f"{mean:.{digits}f}" + (f" {plus_minus} {deviation:.{digits}f}" if deviation == deviation else "")


def _best(row: NDArray[np.float64], greater_is_better: bool, digits: int) -> NDArray[np.bool_]:
    """Mark the best values of a row: all that look the same as the best when printed."""
    if np.isnan(row).all():
        return np.zeros(row.shape, bool)
    best = np.nanmax(row) if greater_is_better else np.nanmin(row)
    return np.abs(np.round(row, digits) - np.round(best, digits)) <= TIE


def _mean_ranks(scores: Scores) -> NDArray[np.float64] | None:
    paired, _ = scores.paired()
    if not paired.datasets or len(paired.methods) < 2:
        return None
    mean_ranks: NDArray[np.float64] = rank_rows(paired.summary()[0], paired.greater_is_better).mean(axis=0)
    return mean_ranks
