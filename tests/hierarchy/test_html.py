"""Hierarchies in notebooks: which labels stand where, what is folded, and how many are left out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.hierarchy.html import hierarchy_outline


def test_a_label_stands_below_its_first_parent():
    h = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d"), ("a", "e")])
    inner = "<li><details open><summary>c (1) <i>(also below b)</i></summary><ul><li>d</li></ul></details></li>"
    assert hierarchy_outline(h) == (
        "<div><code>Hierarchy(5 nodes, 4 edges, DAG, 2 leaves, height 3)</code><ul>"
        f"<li><details open><summary>a (3)</summary><ul>{inner}<li>e</li></ul></details></li><li>b</li></ul></div>"
    )


@pytest.mark.parametrize(("n_nodes", "unfolded"), [(30, True), (31, False)])
def test_large_hierarchies_are_folded(n_nodes, unfolded):
    h = Hierarchy.from_paths(["top", *(f"top/{k}" for k in range(n_nodes - 1))])
    assert ("<details open>" in hierarchy_outline(h)) == unfolded
    assert f"<summary>top ({n_nodes - 1})</summary>" in hierarchy_outline(h)


@pytest.mark.parametrize(("n_nodes", "said"), [(300, []), (301, ["and 1 more"]), (2300, ["and 2,000 more"])])
def test_what_is_not_shown_is_counted(n_nodes, said):
    shown = hierarchy_outline(Hierarchy.flat(n_nodes))
    assert shown.count("<li>") == min(n_nodes, 300)
    assert re.findall("<p>(.*)</p>", shown) == said


def test_names_lose_only_that_of_the_parent_they_stand_below():
    h = Hierarchy(["a", "b", "b/x"], np.array([[0, 2], [1, 2]]), sep="/")
    assert "<li>b/x <i>(also below b)</i></li>" in hierarchy_outline(h)
