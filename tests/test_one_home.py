"""Jobs that have one home in the package: what only that home may import or call."""

from __future__ import annotations

import re

import pytest

from places import SOURCES

PACKAGE = SOURCES / "truepath"

#: What is written in one file only, and that file
HOMES = {
    r"<(rect|circle|line|path|text) ": "svg.py",
    r"load_npz": "data/tables/arrays.py",
    r"get_close_matches": "english.py",
    r"importlib\.metadata": "versions.py",
    r"json\.dumps?\(": "files/strict_json.py",
}


@pytest.mark.parametrize("pattern", HOMES)
def test_a_job_has_one_home(pattern):
    found = [path for path in sorted(PACKAGE.rglob("*.py")) if re.search(pattern, path.read_text(encoding="utf-8"))]
    assert [path.relative_to(PACKAGE).as_posix() for path in found] == [HOMES[pattern]]
