"""The one rule for scores: finite, not too large, and from 0 to 1 where they are probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.errors import TruePathError
from truepath.hierarchy import check_scores
from truepath.hierarchy.checks import LARGEST, ROUNDING, as_probabilities
from truepath.registry import COMBINERS, DECODERS

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
FORMS = {"dense": np.asarray, "sparse": sparse.csr_array, "float32": lambda S: np.asarray(S, np.float32)}


def with_one(value, row=2, label="a/2"):
    S = np.tile([0.9, 0.4, 0.3, 0.2, 0.1], (4, 1))
    S[row, H.index(label)] = value
    return S


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_named(value, form):
    with pytest.raises(TruePathError, match=r"S holds NaN or infinity in row 2, label 'a/2'. Scores must be finite"):
        check_scores(FORMS[form](with_one(value)), H)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("value", [1e300, -1e300])
def test_a_score_too_large_to_compute_with_is_named(value, form):
    with pytest.raises(TruePathError, match=r"score too large to compute with \(-?1e\+300\) in row 2, label 'a/2'"):
        check_scores(FORMS[form](with_one(value)), H)
    check_scores(FORMS[form](with_one(LARGEST)), H)


@pytest.mark.parametrize("form", FORMS)
def test_probabilities_are_clipped_by_rounding_only(form):
    given = FORMS[form](with_one(1 + ROUNDING / 2))
    found = as_probabilities(given, labels=H.names)
    assert found.max() == 1
    assert found.dtype == given.dtype
    assert given.max() > 1  # a copy
    with pytest.raises(TruePathError, match=r"probabilities in \[0, 1\]; found -0.1 in row 2, label 'a/2'"):
        as_probabilities(FORMS[form](with_one(-0.1)), labels=H.names)
    inside = FORMS[form](with_one(1.0))
    assert as_probabilities(inside) is inside


@pytest.mark.parametrize("value", [np.nan, 1e300])
@pytest.mark.parametrize("name", [cls.name for cls in (*COMBINERS.members(), *DECODERS.members())])
def test_no_combiner_or_decoder_takes_them(name, value):
    registry = COMBINERS if name in COMBINERS else DECODERS
    part, Y = registry[name](hierarchy=H), with_one(0.3) > 0.35
    fitted = part.fit(with_one(0.3), Y)
    apply = fitted.transform if registry is COMBINERS else fitted.predict
    for step in (apply, lambda S: registry[name](hierarchy=H).fit(S, Y)):
        with pytest.raises(ValueError, match=r"row 2, label 'a/2'|row 2"):
            step(with_one(value))
