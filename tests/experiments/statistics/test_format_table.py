"""Tables for papers and pages."""

import csv
import io

import numpy as np
import pytest

from truepath.experiments import format_table

TABLE = {
    "dataset": ["x_1", "x_1", "x_1", "x_1", "y", "y", "y", "y"],
    "method": ["a&b", "a&b", "c", "c"] * 2,
    "seed": [0] * 8,
    "fold": [0, 1] * 4,
    "measure": ["h_loss"] * 8,
    "value": [0.1, 0.3, 0.4, 0.4, 0.5, 0.7, 0.5, 0.5],
}


def test_markdown_has_means_deviations_bold_and_ranks():
    assert format_table(TABLE).splitlines() == [
        "| h_loss ↓ | a&b | c |",
        "|:--|--:|--:|",
        "| x_1 | **0.200 ± 0.141** | 0.400 ± 0.000 |",
        "| y | 0.600 ± 0.141 | **0.500 ± 0.000** |",
        "| mean rank | 1.50 | 1.50 |",
    ]


def test_latex_is_escaped():
    text = format_table(TABLE, to="latex", digits=1)
    assert r"h\_loss $\downarrow$ & a\&b & c \\" in text
    assert r"x\_1 & \textbf{0.2 $\pm$ 0.1} & 0.4 $\pm$ 0.0 \\" in text
    assert text.count(r"\midrule") == 2


def test_csv_has_all_digits():
    rows = list(csv.DictReader(io.StringIO(format_table(TABLE, to="csv"))))
    assert float(rows[0]["a&b"]) == np.mean([0.1, 0.3])
    assert float(rows[0]["a&b sd"]) == np.std([0.1, 0.3], ddof=1)
    assert rows[-1]["dataset"] == "mean rank"


def test_what_prints_alike_is_bold_alike():
    text = format_table([[0.12341, 0.12339, 0.2]], "h_loss", digits=3)
    assert text.count("**0.123**") == 2


def test_missing_cells_are_dashes():
    text = format_table([[0.1, np.nan], [0.2, 0.3]], "micro_f1", to="text")
    assert "–" in text
    assert "*0.300" in text


def test_other_formats_are_refused():
    with pytest.raises(ValueError, match="to must be 'markdown', 'latex', 'csv', 'text'; got 'word'"):
        format_table(TABLE, to="word")
