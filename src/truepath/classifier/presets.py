"""Named combinations of learner, combiner and decoder: what a preset is, and the registry of all.

A preset is a function that returns the arguments of a classifier, entered by :func:`preset` with its name, a summary
and, where it comes from a paper, the reference. Such a preset is either ``published``, the setting that the paper
states, or says in ``differs`` how it departs from the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truepath.hierarchy import Hierarchy
from truepath.registry import Registry

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

PRESETS = Registry("preset", "truepath.classifier")


Arguments = dict[str, Any]


@dataclass(frozen=True)
class Preset:
    """A named combination.

    Attributes
    ----------
    name : str
    summary : str
        What it is, in one line.
    function : callable
        ``function(random_state)`` returns arguments of :class:`HierarchicalClassifier`, new at every call.
    reference : str
        The paper it comes from; empty if it is our own.
    published : bool
        Whether it is the paper's own setting.
    differs : str
        How it departs from the paper, if it does.
    """

    name: str
    summary: str
    function: Callable[[Any], Arguments]
    reference: str = ""
    published: bool = False
    differs: str = ""

    def parts(self, random_state: Any) -> Arguments:
        """Return ``learner`` and, if the preset has them, ``combiner``, ``decoder`` and ``cv``."""
        return self.function(random_state)


def preset(name: str, summary: str, reference: str = "", **options: Any) -> Callable[..., Callable[[Any], Arguments]]:
    """Enter the function below as a preset."""

    def enter(function: Callable[[Any], Arguments]) -> Callable[[Any], Arguments]:
        PRESETS.add(Preset(name, summary, function, reference, **options))
        return function

    return enter


def preset_names() -> list[str]:
    """Return the names of all presets, in order.

    Examples
    --------
    >>> from truepath.classifier import preset_names
    >>> {"clus-ens+mts", "mas", "masr", "h-ada.mh", "fael", "rcnet"} <= set(preset_names())
    True
    """
    return list(PRESETS)


def get_preset(name: str) -> Preset:
    """Return the record of a preset: summary, reference, whether it is as published, and its parts.

    Examples
    --------
    >>> from truepath.classifier import get_preset
    >>> get_preset("clus-ens+mts").published, get_preset("clus-ens+optimal").published
    (True, False)
    """
    found: Preset = PRESETS[name]
    return found


def make_preset(
    name: str,
    *,
    hierarchy: Hierarchy | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> HierarchicalClassifier:
    """Return the unfitted classifier of a preset; all its parts can be seen and changed.

    Parameters
    ----------
    name : str
        One of :func:`preset_names`.
    hierarchy : Hierarchy, optional
    random_state, n_jobs
        As in :class:`HierarchicalClassifier`; the seed goes to the learner as well.
    **changes
        Other arguments of the classifier in place of the preset's, such as ``decoder="multi"``.

    Examples
    --------
    >>> from truepath.classifier import make_preset
    >>> model = make_preset("clus-ens+mts", random_state=1)
    >>> model.decoder, model.learner[-1].n_estimators
    (MultiThreshold(method='greedy', ties='published'), 50)
    """
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier  # it resolves presets by name

    parts = {**get_preset(name).parts(random_state), **changes}
    return HierarchicalClassifier(hierarchy=hierarchy, random_state=random_state, n_jobs=n_jobs, **parts)
