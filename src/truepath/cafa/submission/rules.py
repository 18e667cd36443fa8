"""The rules of a submission: how many terms per target, which scores, how many decimals."""

from __future__ import annotations

from dataclasses import dataclass

from truepath.parameters import COUNT, DECIMALS, check_in


@dataclass(frozen=True)
class SubmissionRules:
    """What a challenge allows; the defaults are those of CAFA 5.

    Parameters
    ----------
    max_terms : int, default=1500
        Terms per target, all aspects together.
    decimals : int, default=3
        Of scores.
    lowest, highest : float, default=0, 1
        Scores lie above the one, and up to the other.
    propagated : bool, default=False
        Whether no term may score above one of its ancestors (or lack it).
    """

    max_terms: int = 1500
    decimals: int = 3
    lowest: float = 0.0
    highest: float = 1.0
    propagated: bool = False

    def __post_init__(self) -> None:
        check_in("max_terms", self.max_terms, COUNT)
        check_in("decimals", self.decimals, DECIMALS)
        if not self.lowest < self.highest:
            raise ValueError(f"lowest must be below highest; got {self.lowest!r} and {self.highest!r}.")
