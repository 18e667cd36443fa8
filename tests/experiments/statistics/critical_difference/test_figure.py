"""Critical-difference diagrams: nothing overlaps, nothing is cut off, nothing depends on colour."""

from xml.etree import ElementTree

import numpy as np
import pytest

from truepath.experiments import compare, critical_difference_diagram, critical_difference_svg
from truepath.experiments.statistics.critical_difference.layout import lay_out

SVG = "{http://www.w3.org/2000/svg}"


def comparison(k, n_datasets=15, spread=3.0):
    rng = np.random.default_rng(k)
    names = [f"a long name of a method, number {j}" if j % 2 else f"m{j}" for j in range(k)]
    return compare(rng.normal(size=(n_datasets, k)) + np.linspace(0, spread, k), "micro_f1", methods=names)


@pytest.mark.parametrize("k", [2, 3, 6, 12, 25])
def test_rows_and_bars_do_not_overlap(k):
    layout = lay_out(comparison(k))
    assert len({(stem.row, stem.left) for stem in layout.stems}) == k
    for one in layout.bars:
        for other in layout.bars:
            if one is not other and one.level == other.level:
                assert one.last < other.first or other.last < one.first
    for side in (True, False):  # stems do not cross: the outer the method, the higher its name
        stems = sorted((s.rank if side else -s.rank, s.row) for s in layout.stems if s.left == side)
        assert [row for _, row in stems] == list(range(len(stems)))


@pytest.mark.parametrize("k", [2, 3, 12])
def test_every_name_is_inside_the_figure_and_clear_of_the_others(k):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    ax = critical_difference_diagram(comparison(k))
    figure = ax.figure
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    for box in boxes:
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y1 <= figure.bbox.height
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])
    plt.close(figure)


def test_it_draws_on_the_axes_given():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    figure, ax = plt.subplots()
    assert critical_difference_diagram(comparison(4), ax, test="wilcoxon") is ax
    assert "Wilcoxon" in ax.texts[-1].get_text()
    plt.close(figure)


@pytest.mark.parametrize("k", [2, 6, 12])
def test_svg_is_well_formed_and_takes_the_pages_looks(k):
    found = comparison(k)
    text = critical_difference_svg(found)
    root = ElementTree.fromstring(text)
    written = " ".join(node.text for node in root.iter(f"{SVG}text"))
    assert all(name in written for name in found.methods)
    assert " id=" not in text
    assert "font-family" not in text
    width = float(root.get("viewBox").split()[2])
    for node in root.iter(f"{SVG}text"):
        length = 7.8 * len(node.text) * float(node.get("font-size")) / 14
        x = float(node.get("x"))
        start = {"start": x, "middle": x - length / 2, "end": x - length}[node.get("text-anchor")]
        assert start >= 0
        assert start + length <= width + 1


def test_names_are_escaped():
    found = compare(np.random.default_rng(0).random((8, 2)), "micro_f1", methods=["<b>&", '"quoted"'])
    ElementTree.fromstring(critical_difference_svg(found))


def test_one_data_set_is_drawn_without_a_test():
    found = compare([[0.1, 0.2, 0.3]], "h_loss")
    assert "too few to test" in critical_difference_svg(found)
