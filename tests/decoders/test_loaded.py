"""Decoders from files: what was changed to something that no fit gives is refused when it is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.decoders import (
    MAS,
    MASR,
    ConformalRisk,
    ConformalSet,
    ConformalSubtree,
    ExactLeafMAP,
    MetaLabeler,
    SingleThreshold,
    SureLabels,
    TopLeaves,
)
from truepath.errors import ModelFileError
from truepath.persistence import load, save

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])
FLAT = Hierarchy.flat(3)


def fit(decoder, h=TREE):
    S = np.sort(np.random.default_rng(0).random((30, h.n_nodes)))[:, ::-1]
    return decoder.set_params(hierarchy=h).fit(S, S > 0.4)


@pytest.mark.parametrize(
    ("decoder", "changed", "said"),
    [
        (ConformalSet(), {"coverage": 1.0}, "coverage must be"),
        (ConformalSet(), {"per": "level"}, "no steps"),
        (ConformalSet(per="label"), {"per": "level"}, "no steps"),
        (ConformalRisk(), {"risk": 0.0}, "risk must be"),
        (ConformalSubtree(), {"coverage": 0.0}, "coverage must be"),
        (SureLabels(), {"coverage": 1.0}, "coverage must be"),
        (SingleThreshold("micro_f1"), {"thresholds_": np.array([0.5, 0.1, 0.5, 0.5])}, "threshold falls"),
        (TopLeaves(k=1), {"k": None}, "k of a TopLeaves is None"),
        (TopLeaves(k=1), {"k": 4}, "between 1 and the number of leaves, 3"),
        (MAS(k="metalabeler"), {"metalabeler_": None}, "NoneType|MetaLabeler"),
        (MAS(k="metalabeler"), {"metalabeler_": fit(MetaLabeler(), FLAT)}, "takes other scores"),
        (MASR(alpha=1.0), {"alpha": "many"}, "alpha must"),
        (ExactLeafMAP("risk", alpha=1.0), {"alpha": "many"}, "alpha must"),
        (ExactLeafMAP("risk", alpha=1.0), {"k": 4}, "number of leaves"),
        (ExactLeafMAP(), {"k": 4}, "number of leaves"),
        (MASR(), {"alpha_": -1.0}, "alpha of a MASR is not"),
        (ExactLeafMAP("risk"), {"alpha_": -1.0}, "alpha of a ExactLeafMAP is not"),
    ],
)
def test_what_no_fit_gives_is_refused(decoder, changed, said, tmp_path):
    decoder = fit(decoder)
    save(decoder, tmp_path / "model")
    load(tmp_path / "model")
    vars(decoder).update(changed)
    save(decoder, tmp_path / "model")
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "model")
