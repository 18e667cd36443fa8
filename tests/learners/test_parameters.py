"""Messages about constructor parameters name the parameter, what it may be, and what came."""

from __future__ import annotations

from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np
import pytest

from truepath.parameters import check_choice, check_number


@pytest.mark.parametrize(
    ("value", "kind", "rule", "message"),
    [
        (0, Integral, {"least": 1}, "p must be an integer >= 1; got 0"),
        (1.5, Integral, {"least": 1}, "p must be an integer >= 1; got 1.5"),
        (True, Integral, {"least": 1}, "p must be an integer"),
        (8, Integral, {"least": 1, "most": 7}, "p must be an integer from 1 to 7; got 8"),
        (0.0, Real, {"least": 0, "above": True}, "p must be a number greater than 0; got 0.0"),
        (1, Real, {"least": 0, "most": 1, "above": True}, "p must be a number between 0 and 1; got 1"),
        (float("nan"), Real, {"least": 0}, "p must be a number >= 0; got nan"),
        (-1, Real, {"least": 0, "none": True}, "p must be None or a number >= 0; got -1"),
        (None, Real, {"least": 0}, "p must be a number >= 0; got None"),
    ],
)
def test_numbers_out_of_range(value, kind, rule, message):
    with pytest.raises(ValueError, match=message):
        check_number(SimpleNamespace(p=value), "p", kind, **rule)


@pytest.mark.parametrize("value", [1, np.int64(3), 7])
def test_numbers_in_range(value):
    check_number(SimpleNamespace(p=value), "p", Integral, 1, 7)
    check_number(SimpleNamespace(p=None), "p", Integral, 1, none=True)
    check_number(SimpleNamespace(p=np.float32(0.5)), "p", Real, 0, 1, above=True)


def test_choices():
    check_choice(SimpleNamespace(p="auto"), "p", (True, "auto"))
    with pytest.raises(ValueError, match="p must be one of True, 'auto'; got 1"):
        check_choice(SimpleNamespace(p=1), "p", (True, "auto"))
