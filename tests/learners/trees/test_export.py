"""A tree to read: text, rules and picture."""

from __future__ import annotations

from truepath.learners import PCTree


def test_text_and_picture(problem):
    import matplotlib

    matplotlib.use("Agg")
    hierarchy, X, Y = problem
    tree = PCTree(hierarchy=hierarchy, max_depth=3).fit(X, Y)
    text = tree.export_text(max_depth=1)
    assert text.count("\n") == 2
    assert len(tree.export_rules()) == tree.n_leaves_
    assert tree.plot_tree(max_depth=2).texts
