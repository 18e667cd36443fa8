"""One run of an experiment: its key, and the record that is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["RunKey", "RunRecord"]


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
        Digest of all that the run depended on but the measures: method, data, split, seed.
    values : dict of str to float
        For each measure its value; empty if the run failed.
    measures : dict of str to str
        For each measure the digest of its options.
    error : str
        Empty, or what the method raised, in one line.
    traceback : str
    fit_seconds, predict_seconds : float
    sizes : dict
        ``n_train``, ``n_test``, ``n_features`` and ``n_labels``.
    versions : dict
        Of truepath, python, numpy, scipy and scikit-learn.
    """

    key: RunKey
    settings: str
    values: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    traceback: str = ""
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    sizes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the method raised."""
        return bool(self.error)

    def serves(self, settings: str, measures: Mapping[str, str]) -> bool:
        """Say whether this run is what a plan asks for: finished, same settings, every measure there."""
        same = all(self.measures.get(label) == options for label, options in measures.items())
        return not self.failed and self.settings == settings and same

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON holds it, floats to the last bit, NaN and infinity by name."""
        return {
            **self.key._asdict(),
            "settings": self.settings,
            "values": {label: _plain(value) for label, value in self.values.items()},
            "measures": dict(self.measures),
            "error": self.error,
            "traceback": self.traceback,
            "fit_seconds": _plain(self.fit_seconds),
            "predict_seconds": _plain(self.predict_seconds),
            "sizes": dict(self.sizes),
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RunRecord:
        """Return the record that :meth:`to_dict` wrote."""
        rest = {name: value for name, value in given.items() if name not in RunKey._fields}
        rest["values"] = {label: float(value) for label, value in given["values"].items()}
        for name in ("fit_seconds", "predict_seconds"):
            rest[name] = float(given[name])
        return cls(RunKey(*(given[name] for name in RunKey._fields)), **rest)


def _plain(value: float) -> float | str:
    return value if value - value == 0 else str(value)  # NaN and infinity are no JSON
