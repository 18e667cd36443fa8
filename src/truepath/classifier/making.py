"""make_preset: the classifier of a preset, ready to be fitted."""

from __future__ import annotations

from typing import Any

from truepath.classifier.hierarchical_classifier import HierarchicalClassifier
from truepath.classifier.presets import get_preset
from truepath.hierarchy import Hierarchy

__all__ = ["make_preset"]


def make_preset(
    name: str,
    *,
    hierarchy: Hierarchy | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> HierarchicalClassifier:
    """Return the unfitted classifier of a preset, all its parts to be seen and changed.

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
    (MultiThreshold(method='greedy'), 50)
    """
    parts = {**get_preset(name).parts(random_state), **changes}
    return HierarchicalClassifier(hierarchy=hierarchy, random_state=random_state, n_jobs=n_jobs, **parts)
