"""Pictures of networks."""

import matplotlib as mpl
import pytest

from learners_room import make_rows
from truepath.learners import (
    RestrictedCutsetNetwork,
    plot_cutset_network,
)


def test_drawing():
    mpl.use("Agg")
    X, Y = make_rows()
    model = RestrictedCutsetNetwork(min_split_fraction=0.0, criterion="likelihood", max_depth=1, min_features=0).fit(
        X, Y
    )
    texts = {text.get_text() for text in plot_cutset_network(model).texts}
    assert any(text.startswith("leaf 0") for text in texts)
    assert "leaf: x" in plot_cutset_network(model, leaf=1).get_title()
    with pytest.raises(ValueError, match="leaf must be between"):
        plot_cutset_network(model, leaf=9)
    mpl.pyplot.close("all")
