"""Comparisons as pages: every number once, reasons once, blanks where nothing changes."""

from __future__ import annotations

import pytest

from truepath.experiments.store import Finished
from truepath.papers import Paper
from truepath.papers.base import Comparison
from truepath.papers.tables import count_verdicts, to_markdown, to_rst

FOUND = [
    Comparison("Table 1", "toy_set", "A", "F1", 0.5, 0.51, 0.02, True, "Not shown: it is the same."),
    Comparison("Table 1", "toy_set", "B", "F1", 0.5, 0.61, 0.02, True, "Other forests."),
    Comparison("Table 1", "toy_set", "A", "loss", 0.5, 0.61, 0.02, False, "Other forests."),
    Comparison("Table 1", "other", "A", "F1", 0.1, 0.1 + 1e-12, 1e-9),
    Comparison("Table 2", "other", "A", "seconds", 1200.0, 0.5, 0.0, False, "Another machine."),
    Comparison("Figure 3", "other", "A", "level 1", None, 0.25, 0.0),
    Comparison("Figure 3", "other", "A", "level 2", None, 12.5, 0.0),
    Comparison("Missing data", "lost", "", "", None, None, 0.0, reason="hmc/lost is not in the data folder."),
]
PAPER = Paper("none", "A paper of 2016*", (), {"Figure 9": "drawn only"}, "A note.")
VERSIONS = {"truepath": "0.1.0", "python": "3.11", "numpy": "2.4"}
CELLS = [Finished("x", "", about={"random_state": 3}, value=[], seconds=2.0, date="2026-11-15", versions=VERSIONS)]


def test_counts():
    assert count_verdicts(FOUND) == {"same": 2, "better": 2, "worse": 1, "differs": 0, "ours only": 2, "missing": 1}


def test_markdown_reads_from_top_to_bottom():
    text = to_markdown(PAPER, FOUND, CELLS)
    assert text.startswith("# A paper of 2016*\n\nAll values: 2 same, 2 better, 1 worse, 2 ours only, 1 missing.\n")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[1:5] == [
        "| toy_set | F1 | A | 0.5000 | 0.5100 | +0.0100 | same |",
        "|  |  | B | 0.5000 | 0.6100 | +0.1100 | better (1) |",
        "|  | loss | A | 0.5000 | 0.6100 | +0.1100 | worse (1) |",
        "| other | F1 | A | 0.1000 | 0.1000 | +1e-12 | same |",
    ]
    assert "| other | seconds | A | 1,200 | 0.5000 | 2,400 times as fast | better (2) |" in rows
    assert "| data set | method | level 1 | level 2 |" in rows
    assert "| other | A | 0.2500 | 12.5 |" in rows
    assert text.count("Other forests.") == 1
    assert "Not shown" not in text
    assert "- Figure 9: drawn only.\n- lost: hmc/lost is not in the data folder." in text
    assert "truepath 0.1.0, seed 3, python 3.11, numpy 2.4; 2026-11-15; 1 cells in 2 s." in text


def test_restructured_text_is_well_formed():
    docutils = pytest.importorskip("docutils.core")
    text = to_rst(PAPER, FOUND, CELLS)
    writer = pytest.importorskip("docutils.writers").get_writer_class("html")()
    html = docutils.publish_string(text, writer=writer, settings_overrides={"halt_level": 2, "report_level": 2})
    for part in ("A paper of 2016*", "toy_set", "2,400 times as fast", "Other forests."):
        assert part in html.decode()


def test_an_empty_page_says_so():
    assert "All values: nothing to compare." in to_markdown(Paper("none", "A paper", ()), [])
