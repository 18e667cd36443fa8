"""Drawings of small hierarchies: every node once, labels filled, what breaks the hierarchy red and dashed."""

from __future__ import annotations

import pytest

from truepath import Hierarchy
from truepath.errors import TruePathError, UnknownLabelError

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture
def ax():
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


@pytest.fixture
def h():
    return Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])  # a DAG


def dashed(ax):
    return [line.get_linestyle() for line in ax.lines].count("--")


def test_every_node_and_every_edge_is_drawn_once(h, ax):
    assert [text.get_text() for text in h.plot(ax=ax).texts] == list(h.names)
    assert len(ax.lines) == h.n_edges
    assert dashed(ax) == 0


def test_parents_stand_above_their_children(h, ax):
    height = {text.get_text(): text.get_position()[1] for text in h.plot(ax=ax).texts}
    assert all(height[h.names[u]] > height[h.names[v]] for u, v in h.edges)


def test_labels_are_filled_as_they_are_given(h, ax):
    filled = [text.get_bbox_patch().get_facecolor() for text in h.plot(["d"], ax=ax).texts]
    assert [colour == filled[h.index("d")] for colour in filled].count(True) == 1
    assert dashed(ax) == 2  # d without b, d without c


def test_a_closed_row_has_no_red_line(h, ax):
    h.plot(h.encode([["d"]])[0], ax=ax)
    assert dashed(ax) == 0


def test_scores_are_written_and_those_above_a_parent_are_marked(h, ax):
    texts = [text.get_text() for text in h.plot(scores=[0.5, 0.7, 0.2, 0.1], ax=ax).texts]
    assert texts[0] == "a\n0.50"
    assert dashed(ax) == 1


def test_names_are_no_mathematics(ax):
    h = Hierarchy.flat(["$x^2$", "a_b"])
    assert [text.get_text() for text in h.plot(ax=ax).texts] == ["$x^2$", "a_b"]
    ax.figure.canvas.draw()


def test_what_cannot_be_drawn_is_refused_with_the_way_out(h):
    with pytest.raises(TruePathError, match="subgraph"):
        Hierarchy.flat(81).plot()
    with pytest.raises(TruePathError, match="one number per node, 4; got 3"):
        h.plot(scores=[1, 2, 3])
    with pytest.raises(TruePathError, match="one 0/1 value per node"):
        h.plot([1, 0])
    with pytest.raises(UnknownLabelError):
        h.plot(["nothing"])
