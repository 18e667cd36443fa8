"""Pictures of labels with their ancestors: every node once, in layers, nothing overlapping, every name escaped."""

from __future__ import annotations

from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
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


@pytest.mark.parametrize("name", ["<script>x</script>", '"><img onerror="x">', "a & b", '\\n "q"', "日本語 🧬", "\x01"])
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
    h = Hierarchy.from_paths(["a/b", "a/c"])
    h = Hierarchy(h.names, h.edges, sep="/", titles={"a/b": "Bees"})
    assert {" ".join(lines) for lines in read(h.plot())[0]} == {"a", "a/b Bees", "c"}


def test_wide_letters_have_wide_boxes():
    widths = []
    for letter in ("i", "n", "N", "W", "中"):
        root = ElementTree.fromstring(Hierarchy.flat([letter * 20]).plot().to_svg())
        widths.append(float(root.attrib["width"]))
    assert all(one < other for one, other in pairwise(widths))


def test_trees_stand_side_by_side_with_the_gap_between():
    found = lay_in_layers(np.array([[10.0, 5.0], [30.0, 5.0], [20.0, 5.0]]), [], gap=(4.0, 9.0))
    assert sorted(found.across.tolist()) == [5.0, 29.0, 58.0]


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


def test_a_child_stands_below_its_parent_at_the_ends_of_a_wide_layer():
    edges = [*((0, k) for k in range(1, 21)), (1, 21), (20, 22), (22, 23)]
    found = lay_in_layers(np.ones((24, 2)), edges)
    for parent, child in edges[20:]:
        assert found.across[child] == pytest.approx(found.across[parent])


def test_a_crossing_that_can_be_avoided_is():
    found = lay_in_layers(np.ones((4, 2)), [(0, 3), (1, 2)])
    assert count_crossings(found.layers, [[3], [2], [], []]) == 0
    found = lay_in_layers(np.ones((6, 2)), [(0, 1), (0, 2), (1, 4), (2, 3), (1, 5)])
    assert count_crossings(found.layers, [[1, 2], [4, 5], [3], [], [], []]) == 0


@pytest.mark.parametrize(
    ("edges", "fewest"),
    [
        ([(0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (2, 7), (4, 6), (4, 8), (5, 6), (5, 7)], 0),
        ([(0, 3), (0, 5), (0, 6), (1, 3), (1, 4), (2, 3), (5, 7), (5, 8), (6, 8)], 0),
        ([(0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (2, 6), (3, 7), (5, 6)], 1),
        ([(0, 3), (0, 4), (0, 6), (1, 3), (1, 5), (2, 3), (3, 7), (3, 8), (6, 7), (6, 8)], 1),
    ],
)
def test_layers_are_sorted_until_as_few_edges_cross_as_can(edges, fewest):
    """The numbers are those of the best of all orders; in the order of a walk from the top 5 or 6 cross."""
    n_nodes = max(v for _, v in edges) + 1
    below = [[v for u, v in edges if u == node] for node in range(n_nodes)]
    found = lay_in_layers(np.ones((n_nodes, 2)), edges)
    assert count_crossings(found.layers, below) == crossings(found.layers, below) == fewest


def crossings(layers, below):
    """Count pairs of edges whose ends are in opposite orders."""
    total = 0
    for upper, lower in pairwise(layers):
        ends = [(i, lower.index(v)) for i, u in enumerate(upper) for v in below[u]]
        total += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(ends, 2))
    return total


@pytest.mark.parametrize("is_flush", [False, True])
@settings(max_examples=20)
@given(dags(max_nodes=10), st.data())
def test_layers_stand_apart_and_edges_pass_between_boxes(is_flush, hierarchy, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    sizes, edges = rng.integers(1, 60, (hierarchy.n_nodes, 2)).astype(float), edges_of(hierarchy)
    found = lay_in_layers(sizes, edges, gap=(5.0, 20.0), is_flush=is_flush)
    assert [set(layer) for layer in found.layers] == [set(level) for level in hierarchy.levels]
    begins, ends = found.along - sizes[:, 1] / 2, found.along + sizes[:, 1] / 2
    assert begins.min() == pytest.approx(0)
    for upper, lower in pairwise(found.layers):
        assert begins[lower].min() == pytest.approx(ends[upper].max() + 20)
    for layer in found.layers:
        assert np.ptp((begins if is_flush else found.along)[layer]) == pytest.approx(0)
    passing = [[] for _ in found.layers]
    for (u, v), route in zip(edges, found.routes):
        assert len(route) == hierarchy.depth[v] - hierarchy.depth[u] - 1
        for k, (across, along) in enumerate(route, start=hierarchy.depth[u]):
            passing[k].append(across)
            layer = found.layers[k]
            assert begins[layer].min() < along < ends[layer].max()
            assert all(abs(across - found.across[w]) >= (sizes[w, 0] + 0.8 * 5) / 2 + 5 - 1e-6 for w in layer)
    lefts = [*(found.across - sizes[:, 0] / 2), *(across - 0.8 * 5 / 2 for places in passing for across in places)]
    assert min(lefts) == pytest.approx(0, abs=1e-6)
    for places in passing:
        assert all(abs(one - other) >= 0.8 * 5 + 5 - 1e-6 for one, other in combinations(places, 2))


def numbers(element, *names):
    return [float(element.attrib[name]) for name in names]


@pytest.mark.parametrize("is_turned", [False, True])
def test_boxes_texts_and_lines_of_an_svg_fit_together(is_turned):
    below = [f"label number {k}" for k in range(60 if is_turned else 4)]
    edges = [*(("top", name) for name in below), ("top", "far below"), (below[1], "far below"), (below[0], "日本 WM@")]
    h = Hierarchy.from_edges(edges)
    picture = h.plot([below[0]], truth=[below[1]], scores=np.linspace(0, 1, h.n_nodes), whole=True)
    root = ElementTree.fromstring(picture.to_svg())
    width, height = numbers(root, "width", "height")
    boxes = [numbers(group.find(f"{NAMES}rect"), "x", "y", "width", "height") for group in root.iter(f"{NAMES}g")]
    left, top, wide, high = np.array(boxes).T
    assert (width > height) != is_turned
    assert (left.min(), top.min()) == pytest.approx((12, 12), abs=0.2)
    assert (width, height) == pytest.approx(((left + wide).max() + 12, (top + high).max() + 12), abs=1)
    for (x, y, w, tall), group in zip(boxes, root.iter(f"{NAMES}g")):
        lines = list(group.iter(f"{NAMES}tspan"))
        places = [numbers(line, "x", "y") for line in lines]
        assert [place[0] for place in places] == pytest.approx([x + w / 2] * len(lines), abs=0.2)
        middle = sum(place[1] for place in places) / len(lines)
        assert middle == pytest.approx(y + tall / 2 + 4, abs=0.2)  # letters stand on their lines
        assert np.diff([place[1] for place in places]) == pytest.approx([16] * (len(lines) - 1), abs=0.2)
        assert tall == pytest.approx(16 * len(lines) + 14)
        assert w >= 0.6 * 6.7 * max(len(line.text) for line in lines) + 18
    paths = [line.attrib["d"] for line in root.iter(f"{NAMES}path")]
    for (u, v), path in zip(picture.edges, paths, strict=True):
        points = [tuple(map(float, point.split(","))) for point in path[1:].replace(" C", " ").split(" ")]
        if is_turned:
            ends = (left[u] + wide[u], top[u] + high[u] / 2), (left[v], top[v] + high[v] / 2)
        else:
            ends = (left[u] + wide[u] / 2, top[u] + high[u]), (left[v] + wide[v] / 2, top[v])
        assert (*points[0], *points[-1]) == pytest.approx((*ends[0], *ends[1]), abs=0.2)
        n_layers = h.depth[v] - h.depth[u]
        assert len(points) == 3 * n_layers + 1
        along = [point[0 if is_turned else 1] for point in points]
        assert along == sorted(along)
    told = [group.find(f"{NAMES}title").text for group in root.iter(f"{NAMES}g")]
    scores = np.linspace(0, 1, h.n_nodes)
    marked = {"top": ", found", below[0]: ", false alarm", below[1]: ", missed"}
    assert told == [f"{name}, score {s:.4f}{marked.get(name, '')}" for name, s in zip(h.names, scores)]


def test_repr_counts_what_is_marked(h):
    assert repr(h.plot(["d"])) == "HierarchyPicture(4 labels, 1 marked, 4 edges)"
    assert repr(h.plot(["e"], truth=["b"])) == "HierarchyPicture(3 labels, 3 marked, 2 edges)"


def test_a_picture_can_be_drawn_on_axes_of_matplotlib(h):
    matplotlib = pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    assert matplotlib
    ax = Figure().subplots()
    assert h.plot(["d"], whole=True, scores=[0.5, 0.4, 0.3, 0.2, 0.1], ax=ax) is ax
    assert [text.get_text().split("\n")[0] for text in ax.texts] == h.names.tolist()
    assert [line.get_linestyle() for line in ax.lines].count("--") == 2
    places = {text.get_text().split("\n")[0]: text.get_position() for text in ax.texts}
    for (u, v), line in zip(h.edges, ax.lines):
        assert [tuple(point) for point in line.get_xydata()] == [places[h.names[u]], places[h.names[v]]]
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for x, y in places.values():
        assert left + 0.1 < x < right - 0.1
        assert bottom + 0.4 < y < top - 0.1
    xs = [x for x, _ in places.values()]
    assert right - left < max(xs) - min(xs) + 1  # no empty margins
    assert top - bottom < 3
    other = Figure()
    Hierarchy.flat(["$x^2$", "a_b"]).plot(ax=other.subplots())
    other.canvas.draw()
