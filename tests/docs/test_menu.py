"""The menu of the documentation: a few groups that hold every page, and pages for the words that people search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def entries(page):
    """Return the pages that the toctrees of a page list, as paths below the folder."""
    folder, text = (DOCS / page).parent, (DOCS / f"{page}.rst").read_text(encoding="utf-8")
    found = []
    for body in re.findall(r"^\.\. toctree::\n((?:   .*\n|\n)*)", text, re.MULTILINE):
        for line in body.splitlines():
            name = line.strip()
            if name and not name.startswith(":"):
                place = folder / (re.search(r"<(.+)>", name)[1] if "<" in name else name)
                found.append(place.relative_to(DOCS).as_posix())
    return found


def test_the_menu_has_a_few_groups_which_hold_every_page():
    groups = entries("index")
    assert len(groups) == 5
    below = [page for group in groups for page in entries(group)]
    assert len(below) == len(set(below))
    assert max(len(entries(group)) for group in groups) <= 12
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.glob("*.rst")}
    assert pages - {"index", *groups} - set(below) == set()
    assert [page for page in below if not (DOCS / f"{page}.rst").exists() and page != "gallery/index"] == []


@pytest.mark.parametrize(
    ("word", "page"), [("abstain", "glossary"), ("ICD", "data"), ("Excel", "glossary"), ("embeddings", "embeddings")]
)
def test_words_that_people_search_are_on_a_page(word, page):
    assert word in (DOCS / f"{page}.rst").read_text(encoding="utf-8")
