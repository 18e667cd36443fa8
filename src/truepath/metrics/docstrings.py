"""The parameters that metrics share, described once: a docstring says only what is special about its function.

:func:`complete` puts what a docstring leaves out into its section of parameters, in the order of the signature. So
``help`` and the documentation show every parameter, and the text about ``nodes`` is written in one place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from inspect import cleandoc, getdoc, signature
from typing import Any

_LABELS = "array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)"

#: What a parameter is, and more about it if there is more to say
SHARED = {
    "y_true": (_LABELS, ""),
    "y_pred": (_LABELS, ""),
    "y_score": ("array-like or sparse matrix of float, shape (n_samples, n_nodes)", ""),
    "hierarchy": ("Hierarchy, optional", "Only to name ``nodes``."),
    "nodes": ("sequence of names or numbers, optional", "The classes counted, all by default."),
    "sample_weight": ("array-like, shape (n_samples,), optional", ""),
}
_FLAT = "None takes the labels as flat."
_SECTION = re.compile(r"^(?:[A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
_PARAMETERS = "Parameters\n----------\n"

Entries = dict[str, str]  # name -> the whole entry, in which several may be described


def complete(function: Any, *, needs_hierarchy: bool = False, like: Callable[..., Any] | None = None) -> None:
    """Describe the parameters that a function's docstring leaves out.

    Parameters
    ----------
    function : callable
        Its docstring is changed.
    needs_hierarchy : bool, default=False
        Whether the hierarchy enters the value, and not only names nodes.
    like : callable, optional
        A function whose description of a parameter is taken before the one that all share.

    Examples
    --------
    >>> def share(y_true, hierarchy=None, *, k=5):
    ...     '''Return a share.
    ...
    ...     Parameters
    ...     ----------
    ...     k : int, default=5
    ...     '''
    >>> complete(share)
    >>> print(share.__doc__)
    Return a share.
    <BLANKLINE>
    Parameters
    ----------
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        Only to name ``nodes``.
    k : int, default=5
    """
    if not function.__doc__:
        return
    head, own, rest = _cut(cleandoc(function.__doc__))
    known = _shared(needs_hierarchy) | ({} if like is None else _cut(getdoc(like) or "")[1]) | own
    wanted = [known[name] for name in signature(function).parameters if name in known]
    if wanted:
        section = _PARAMETERS + "\n".join(dict.fromkeys(wanted))
        function.__doc__ = "\n\n".join(part for part in (head, section, rest) if part)


def _shared(needs_hierarchy: bool) -> Entries:
    texts = SHARED | ({"hierarchy": ("Hierarchy, optional", _FLAT)} if needs_hierarchy else {})
    return {name: f"{name} : {kind}" + (f"\n    {more}" if more else "") for name, (kind, more) in texts.items()}


def _cut(text: str) -> tuple[str, Entries, str]:
    """Cut a docstring into what is before the parameters, their entries, and the rest."""
    before, found, after = text.partition(_PARAMETERS)
    section = _SECTION.search(after if found else before)
    if not found:
        at = len(text) if section is None else section.start()
        return text[:at].strip(), {}, text[at:].strip()
    at = len(after) if section is None else section.start()
    return before.strip(), dict(_entries(after[:at])), after[at:].strip()


def _entries(section: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the entry of each parameter."""
    for entry in re.split(r"\n(?=\S)", section.strip()):
        for name in entry.partition("\n")[0].partition(" : ")[0].split(","):
            yield name.strip().lstrip("*"), entry
