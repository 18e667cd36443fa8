"""The papers that can be rerun, by key. A paper's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from truepath.errors import TruePathError
from truepath.papers.base import Paper

__all__ = ["PAPERS", "get_paper"]

PAPERS = ("triguero2016", "bi2012", "chelmis2021", "dimauro2016", "zhang2014")


def get_paper(key: str) -> Paper:
    """Return a paper by its key.

    Parameters
    ----------
    key : {"triguero2016", "bi2012", "chelmis2021", "dimauro2016", "zhang2014"}

    Returns
    -------
    paper : Paper

    Examples
    --------
    >>> from truepath.papers import get_paper
    >>> get_paper("triguero2016").title[:27]
    'I. Triguero, C. Vens. Label'
    """
    if key not in PAPERS:
        raise TruePathError(f"no paper {key!r}; there are {', '.join(map(repr, PAPERS))}.")
    paper: Paper = import_module(f"truepath.papers.{key}").PAPER
    return paper
