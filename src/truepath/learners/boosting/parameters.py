"""Checks of constructor parameters, made in ``fit``: the message names the parameter and what it may be."""

from __future__ import annotations

from numbers import Real

import numpy as np

__all__ = ["check_choice", "check_number"]


def check_choice(learner, name, choices):
    """Refuse a parameter that is none of the choices."""
    value = getattr(learner, name)
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_number(learner, name, kind, least, most=np.inf, open_below=False):
    """Refuse a parameter that is no number of this kind, or out of range."""
    value = getattr(learner, name)
    if not isinstance(value, kind) or isinstance(value, bool) or not least <= value <= most:
        wanted = "a number" if kind is Real else "an integer"
        raise ValueError(f"{name} must be {wanted} from {least} to {most}; got {value!r}.")
    if open_below and value == least:
        raise ValueError(f"{name} must be greater than {least}; got {value!r}.")
