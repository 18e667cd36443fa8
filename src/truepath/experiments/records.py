"""One run of an experiment: its key, and the record that is kept of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from truepath.experiments.store import Finished


class RunKey(NamedTuple):
    """What a run is called: data set, method, seed and fold (0 for the published split)."""

    dataset: str
    method: str
    seed: int
    fold: int

    def __str__(self) -> str:
        return f"{self.dataset} / {self.method} / seed {self.seed} / fold {self.fold}"


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes
    ----------
    key : RunKey
    settings : str
        Digest of everything that the run depended on except the measures: method, data, split, seed.
    values : dict of str to float
        The value of each measure; empty if the run failed.
    measures : dict of str to str
        The digest of each measure's options.
    error : str
        Empty, or what the method raised, in one line.
    traceback : str
    fit_seconds, predict_seconds : float
    sizes : dict
        ``n_train``, ``n_test``, ``n_features`` and ``n_labels``.
    versions : dict
        Versions of truepath, Python and the packages behind the numbers.
    """

    key: RunKey
    settings: str
    values: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    traceback: str = ""
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    sizes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the method raised."""
        return bool(self.error)

    @classmethod
    def of(cls, finished: Finished) -> RunRecord:
        """Return a finished unit of work as a run."""
        given = finished.value or {}
        return cls(
            RunKey(*finished.key),
            finished.settings,
            given.get("values", {}),
            finished.parts,
            finished.error,
            finished.traceback,
            given.get("fit_seconds", math.nan),
            given.get("predict_seconds", math.nan),
            finished.about,
            finished.versions,
        )
