"""Pictures of labels with their ancestors: every node once, in layers, nothing overlapping, every name escaped."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import dags, trees
from truepath import Hierarchy
from truepath.errors import TruePathError, UnknownLabelError
from truepath.hierarchy.drawing.layers import count_crossings, lay_in_layers

NAMES = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def h():
    return Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "e")])  # a DAG


def read(picture):
    """Return the texts of the boxes of an SVG, and the number of its lines and of dashed ones."""
    root = ElementTree.fromstring(picture.to_svg())
    boxes = [[line.text for line in group.iter(f"{NAMES}tspan")] for group in root.iter(f"{NAMES}g")]
    lines = list(root.iter(f"{NAMES}path"))
    return boxes, len(lines), sum("stroke-dasharray" in line.attrib for line in lines)


def marks(picture):
    return {node.name: node.mark for node in picture.nodes}


def test_labels_are_drawn_with_their_ancestors_and_nothing_else(h):
    assert marks(h.plot(["d"])) == {"a": "above", "b": "above", "c": "above", "d": "chosen"}
    assert marks(h.plot("b")) == {"a": "above", "b": "chosen"}
    assert read(h.plot(h.encode([["e"]])[0])) == ([["a"], ["e"]], 1, 0)
    assert read(h.plot()) == ([["a"], ["b"], ["c"], ["d"], ["e"]], 5, 0)


def test_the_truth_is_compared_with_ancestors_added(h):
    assert marks(h.plot(["b"], truth=["d"])) == {"a": "found", "b": "found", "c": "missed", "d": "missed"}
    assert marks(h.plot(["e"], truth=["b"])) == {"a": "found", "b": "missed", "e": "false alarm"}
    assert ["b", "missed"] in read(h.plot(["e"], truth=["b"]))[0]


def test_a_whole_hierarchy_shows_labels_as_they_are_given(h):
    boxes, n_lines, n_dashed = read(h.plot(["d"], whole=True))
    assert (len(boxes), n_lines, n_dashed) == (5, 5, 2)  # d without b, d without c
    assert read(h.plot(h.encode([["d"]])[0], whole=True))[2] == 0


def test_scores_are_written_and_those_above_a_parent_are_marked(h):
    boxes, _, n_dashed = read(h.plot(scores=[0.5, 0.7, 0.2, 0.1, 0.1]))
    assert boxes[0] == ["a", "0.50"]
    assert n_dashed == 1
    assert read(h.plot(["b"], scores={"b": 0.25}))[0] == [["a"], ["b", "0.25"]]


def test_what_cannot_be_drawn_is_refused_with_the_way_out(h, tmp_path):
    with pytest.raises(TruePathError, match=r"hierarchy\.plot\(names\)"):
        Hierarchy.flat(301).plot()
    with pytest.raises(TruePathError, match="one number per node, 5; got 3"):
        h.plot(scores=[1, 2, 3])
    with pytest.raises(TruePathError, match="one 0/1 value per node"):
        h.plot([1, 0])
    with pytest.raises(UnknownLabelError):
        h.plot(["nothing"])
    with pytest.raises(TruePathError, match=r"\.svg, \.dot or \.gv"):
        h.plot().save(tmp_path / "picture.png")


def test_pictures_are_written_to_files_and_shown_by_notebooks(h, tmp_path):
    picture = h.plot(["d"])
    assert picture.save(tmp_path / "d.svg").read_text(encoding="utf-8") == picture.to_svg() == picture._repr_svg_()
    assert picture.save(tmp_path / "d.dot").read_text(encoding="utf-8") == picture.to_dot()
    assert picture.to_svg() in picture._repr_html_()


@pytest.mark.parametrize(
    "name", ["<script>x</script>", '"><img onerror="x">', "a & b", '\\n "q"', "日本語 \ud83e", "\x01"]
)
def test_names_are_only_text(name):
    picture = Hierarchy.flat([name, "other"]).plot([name])
    root = ElementTree.fromstring(picture.to_svg())
    assert {element.tag.removeprefix(NAMES) for element in root.iter()} == {
        "svg",
        "rect",
        "g",
        "title",
        "text",
        "tspan",
    }
    picture.to_svg().encode()
    label = picture.to_dot().splitlines()[2]
    assert label.replace("\\\\", "").replace('\\"', "").count('"') == 8  # those of the attributes


def test_long_names_are_broken_and_cut_and_titles_are_shown():
    (box,), _, _ = read(Hierarchy.flat(["word " * 40]).plot())
    assert len(box) == 4
    assert box[-1].endswith("…")
    h = Hierarchy(["GO:1"], np.empty((0, 2), np.int64), titles={"GO:1": "to be"})
    assert read(h.plot())[0] == [["GO:1 to be"]]


def test_a_very_wide_picture_goes_from_left_to_right():
    sizes = [
        [float(ElementTree.fromstring(Hierarchy.flat(n).plot().to_svg()).attrib[side]) for side in ("width", "height")]
        for n in (10, 100)
    ]
    assert sizes[0][0] > sizes[0][1]
    assert sizes[1][0] < sizes[1][1]


def edges_of(hierarchy):
    return [(int(u), int(v)) for u, v in hierarchy.edges]


@given(dags(max_nodes=12), st.data())
def test_boxes_stand_in_layers_and_never_overlap(hierarchy, data):
    sizes = np.array([[data.draw(st.integers(1, 60)), 10] for _ in range(hierarchy.n_nodes)], float)
    found = lay_in_layers(sizes, edges_of(hierarchy), gap=(5.0, 20.0))
    assert sorted(v for layer in found.layers for v in layer) == list(range(hierarchy.n_nodes))
    assert all(found.along[u] < found.along[v] for u, v in edges_of(hierarchy))
    for layer in found.layers:
        assert [round(found.across[v], 6) for v in layer] == sorted(round(found.across[v], 6) for v in layer)
        for u, v in combinations(layer, 2):
            assert abs(found.across[u] - found.across[v]) >= (sizes[u, 0] + sizes[v, 0]) / 2 + 5 - 1e-6
    assert (found.across - sizes[:, 0] / 2).min() >= -1e-6


@given(trees(max_nodes=12))
def test_the_edges_of_a_tree_never_cross(hierarchy):
    found = lay_in_layers(np.ones((hierarchy.n_nodes, 2)), edges_of(hierarchy))
    below = [hierarchy.children(v).tolist() for v in range(hierarchy.n_nodes)]
    assert count_crossings(found.layers, below) == 0


def test_a_parent_stands_above_the_middle_of_its_children():
    found = lay_in_layers(np.ones((4, 2)), [(0, 1), (0, 2), (0, 3)])
    assert found.across[0] == pytest.approx(found.across[2])


def test_a_crossing_that_can_be_avoided_is():
    found = lay_in_layers(np.ones((4, 2)), [(0, 3), (1, 2)])
    assert count_crossings(found.layers, [[3], [2], [], []]) == 0
    found = lay_in_layers(np.ones((6, 2)), [(0, 1), (0, 2), (1, 4), (2, 3), (1, 5)])
    assert count_crossings(found.layers, [[1, 2], [4, 5], [3], [], [], []]) == 0


def test_a_picture_can_be_drawn_on_axes_of_matplotlib(h):
    matplotlib = pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    assert matplotlib
    ax = Figure().subplots()
    assert h.plot(["d"], whole=True, scores=[0.5, 0.4, 0.3, 0.2, 0.1], ax=ax) is ax
    assert [text.get_text().split("\n")[0] for text in ax.texts] == h.names.tolist()
    assert [line.get_linestyle() for line in ax.lines].count("--") == 2
    other = Figure()
    Hierarchy.flat(["$x^2$", "a_b"]).plot(ax=other.subplots())
    other.canvas.draw()
