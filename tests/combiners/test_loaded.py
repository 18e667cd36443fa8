"""Combiners from files: what was changed to something that no fit gives is refused when it is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.combiners import FAEL, Blend, Calibrator, FAELBlend, KernelFAEL
from truepath.errors import ModelFileError
from truepath.persistence import load, save

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])


def fit(combiner, h=TREE, n_sources=1, n_rows=30):
    S = np.sort(np.random.default_rng(0).random((n_rows, h.n_nodes)))[:, ::-1]
    parts = [S] * n_sources
    return combiner.set_params(hierarchy=h).fit(parts if n_sources > 1 else S, S > 0.4)


def of_two(kind):
    """A combiner of two sources, where one is needed."""
    return fit(kind(), n_sources=2)


def without_sense(factor):
    """The factor of a singular kernel matrix."""
    return np.zeros_like(factor[0]), factor[1]


@pytest.mark.parametrize(
    ("combiner", "change", "said"),
    [
        (FAEL(), lambda made: {"weights_": of_two(FAEL).weights_}, "not those of its nodes"),
        (FAEL(), lambda made: {"weights_": None}, "NoneType|Weights"),
        (KernelFAEL(), lambda made: {"factor_": without_sense(made.factor_)}, "singular"),
        (KernelFAEL(), lambda made: {"factor_": (made.factor_[0][1:, 1:], made.factor_[1])}, "ValueError"),
        (KernelFAEL(), lambda made: {"degree": 0.5}, "ValueError"),
        (KernelFAEL(), lambda made: {"coef0": "x"}, "ValueError|TypeError"),
        (KernelFAEL(), lambda made: {"kernel": "other"}, "ValueError"),
        (KernelFAEL(), lambda made: {"gamma_": -1.0}, "ValueError"),
        (KernelFAEL(), lambda made: {"labels_": made.labels_[1:]}, "ValueError"),
        (KernelFAEL(), lambda made: {"root_": made.root_[1:]}, "ValueError"),
        (KernelFAEL(), lambda made: {"kernel_mean_": made.kernel_mean_[1:]}, "ValueError"),
        (KernelFAEL(), lambda made: {"X_fit_": made.X_fit_[:, 1:]}, "ValueError"),
        (KernelFAEL(n_landmarks=5), lambda made: {"features_": None}, "NoneType|ValueError"),
        (KernelFAEL(n_landmarks=5), lambda made: {"weights_": None}, "NoneType|ValueError"),
        (FAELBlend(), lambda made: {"linear_": None, "weights_": np.ones_like(made.weights_)}, "counts is missing"),
        (FAELBlend(), lambda made: {"kernel_": made.blend_}, "GreedyBlend"),
        (FAELBlend(), lambda made: {"final_": made.blend_}, "other sources"),
        (FAELBlend(), lambda made: {"weights_": made.weights_[:, 1:]}, "ValueError"),
        (FAELBlend(), lambda made: {"blend_": of_two(Blend)}, "other sources"),
        (Calibrator("sigmoid"), lambda made: {"maps_": made.maps_[:, 1:]}, "ValueError"),
        (Calibrator("isotonic"), lambda made: {"bins_": made.bins_[:1], "maps_": made.maps_[:, :1]}, "two bins"),
        (Calibrator("isotonic"), lambda made: {"bins_": made.bins_ + 1}, "ValueError"),
    ],
)
def test_what_no_fit_gives_is_refused(combiner, change, said, tmp_path):
    combiner = fit(combiner)
    save(combiner, tmp_path / "model")
    load(tmp_path / "model")
    vars(combiner).update(change(combiner))
    save(combiner, tmp_path / "model")
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("left", lambda left: left[:, 1:]),
        ("right", lambda right: right[1:]),
        ("factor", lambda factor: (factor[0][1:, 1:], factor[1])),
    ],
)
def test_weights_whose_parts_do_not_fit_are_refused(name, change, tmp_path):
    wide = fit(FAEL(), Hierarchy.flat(40), n_rows=10)
    setattr(wide.weights_, name, change(getattr(wide.weights_, name)))
    save(wide, tmp_path / "model")
    with pytest.raises(ModelFileError, match="damaged"):
        load(tmp_path / "model")
