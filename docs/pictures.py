"""The pictures of the page "Concepts", drawn by the library itself before Sphinx looks for its sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from truepath import Hierarchy
from truepath.combiners import MaxUp
from truepath.decoders import MAS, Threshold

ZOO = ["animal/cat", "animal/dog", "animal/bird", "plant/oak", "plant/rose"]
#: Of one row: animal, cat, dog, bird, plant, oak, rose
SCORES = [0.9, 0.45, 0.4, 0.05, 0.35, 0.1, 0.25]


def side_by_side(titles: list[str], width: float = 9.0) -> tuple[Any, Any]:
    """Return a figure and one pair of axes for each title."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 2.0), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(titles)))
    for ax, title in zip(axes, titles):
        ax.set_title(title, fontsize=10)
    return figure, axes


def hierarchy() -> Any:
    """A tree, and a DAG."""
    figure, (left, right) = side_by_side(["a tree: one parent at most", "a DAG: a label may have several parents"])
    Hierarchy.from_paths(ZOO).plot(ax=left)
    dag = [("animal", "pet"), ("animal", "bird"), ("pet", "cat"), ("pet", "parrot"), ("bird", "parrot")]
    Hierarchy.from_edges(dag).plot(ax=right)
    return figure


def closure() -> Any:
    """A row's label as written, and closed."""
    h = Hierarchy.from_paths(ZOO)
    figure, (left, right) = side_by_side(["as written: 'animal/cat'", "closed: 'animal' is added"])
    h.plot(["animal/cat"], whole=True, ax=left)
    h.plot(h.encode([["animal/cat"]])[0], whole=True, ax=right)
    return figure


def coherence() -> Any:
    """Scores above a parent's, and the same raised to coherence."""
    h = Hierarchy.from_paths(ZOO)
    raw = [0.6, 0.7, 0.4, 0.05, 0.2, 0.1, 0.35]
    figure, (left, right) = side_by_side(["scores of seven separate models", "coherent, by MaxUp"])
    h.plot(scores=raw, ax=left)
    h.plot(scores=MaxUp(hierarchy=h).transform([raw])[0], ax=right)
    return figure


def thresholds() -> Any:
    """One row's scores cut at two thresholds."""
    h = Hierarchy.from_paths(ZOO)
    cuts = [0.5, 0.3]
    figure, axes = side_by_side([f"labels above {cut}" for cut in cuts])
    for ax, cut in zip(axes, cuts):
        h.plot(Threshold(cut, hierarchy=h).predict([SCORES])[0], scores=SCORES, whole=True, ax=ax)
    return figure


def leaves() -> Any:
    """A label set that stops half-way, and one that ends in leaves."""
    h = Hierarchy.from_paths(ZOO)
    figure, (left, right) = side_by_side(["a threshold of 0.5 stops half-way", "MAS ends in a leaf"])
    h.plot(Threshold(0.5, hierarchy=h).predict([SCORES])[0], scores=SCORES, whole=True, ax=left)
    h.plot(MAS(hierarchy=h).predict([SCORES])[0], scores=SCORES, whole=True, ax=right)
    return figure


PICTURES = (hierarchy, closure, coherence, thresholds, leaves)


def draw_pictures(folder: Path) -> None:
    """Write all pictures as SVG; the same drawing gives the same bytes."""
    import matplotlib as mpl

    folder.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "truepath", "svg.fonttype": "path"}):
        for draw in PICTURES:
            draw().savefig(folder / f"{draw.__name__}.svg", facecolor="white", metadata={"Date": None})


def setup(app: Any) -> dict[str, bool]:
    """Draw the pictures."""
    draw_pictures(Path(app.srcdir) / "pictures")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
