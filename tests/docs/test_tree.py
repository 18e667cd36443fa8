"""The tree of modules in CONTRIBUTING.md is the one that the sources have."""

from __future__ import annotations

from tools_by_file import load_tool


def test_the_tree_of_modules_is_up_to_date():
    write_tree = load_tool("write_tree")
    written = write_tree.PAGE.read_text(encoding="utf-8")
    assert write_tree.page() == written, "run python tools/write_tree.py"
