"""What reproducing a paper means: cells that can be run one by one, and published values beside ours.

A paper is a list of cells. A cell is the smallest piece worth keeping when a run is interrupted: usually one data
set under one setting. Running it gives comparisons, one per published number (or per number of ours that the
paper has no value for). Nothing here knows how a cell computes; nothing in a paper's file knows how results are
stored, shown or resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from truepath.experiments.markup import Block
from truepath.experiments.store import Finished
from truepath.registry import Registry

Verdict = Literal["same", "better", "worse", "differs", "ours only", "missing"]


@dataclass(frozen=True)
class Settings:
    """What a reproduction is run with.

    Attributes
    ----------
    data : Path
        The data folder, laid out as :func:`truepath.data.data_home` says.
    random_state : int
    n_jobs : int or None
    """

    data: Path
    random_state: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True)
class Comparison:
    """One number of a paper beside ours.

    Attributes
    ----------
    table : str
        As the paper calls it: ``"Table 4"``, ``"Figure 3"``.
    dataset, method, measure : str
    published, ours : float or None
        None when the paper prints no such value, or when ours could not be computed (``reason`` says why).
    tolerance : float
        Largest difference still called the same.
    greater_is_better : bool or None
        None for counts and other values that are neither good nor bad.
    reason : str
        Why the numbers differ, or why one is missing; one sentence for the reader of the table.
    """

    table: str
    dataset: str
    method: str
    measure: str
    published: float | None
    ours: float | None
    tolerance: float
    greater_is_better: bool | None = True
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Ours minus the published value."""
        return None if self.published is None or self.ours is None else self.ours - self.published

    @property
    def verdict(self) -> Verdict:
        """``same``, ``better``, ``worse`` or ``differs``; ``ours only`` or ``missing`` where one value is missing."""
        if self.ours is None:
            return "missing"
        difference = self.difference
        if difference is None:
            return "ours only"
        if abs(difference) <= self.tolerance + 1e-12:
            return "same"
        if self.greater_is_better is None:
            return "differs"
        return "better" if (difference > 0) == self.greater_is_better else "worse"


@dataclass(frozen=True)
class Cell:
    """A piece of a reproduction that is run as a whole.

    Attributes
    ----------
    key : str
        Unique within the paper and stable between versions: finished cells are recognised by it.
    run : callable
        ``run(settings) -> list of Comparison``; the same settings give the same numbers.
    needs : tuple of str
        Folders under the data folder, such as ``"hmc/cellcycle_FUN"``; if one is not there the cell is not run and
        is listed as missing.
    seconds : float
        Rough cost on 2 cores, for the progress bar and for ``--quick``.
    """

    key: str
    run: Callable[[Settings], list[Comparison]]
    needs: tuple[str, ...] = ()
    seconds: float = 10.0


@dataclass(frozen=True)
class Paper:
    """A paper and everything of it that is rerun.

    Attributes
    ----------
    name : str
        Such as ``"triguero2016"``: its name on the command line and the folder of its code.
    title : str
        Authors, title, venue and year.
    cells : tuple of Cell
    not_available : dict of str to str
        Tables or data sets that cannot be rerun, each with its reason.
    notes : str
        What a reader must know about the settings, as a few sentences of plain text.
    summary : str
        A heading: authors and subject. The title if not given.
    show : callable, optional
        ``show(comparisons)`` yields blocks that stand before the tables of comparisons.
    figures : callable, optional
        ``figures(comparisons)`` returns the text of SVG files by name, written beside the page.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    not_available: dict[str, str] = field(default_factory=dict)
    notes: str = ""
    summary: str = ""
    show: Callable[[Sequence[Comparison]], Iterable[Block]] | None = None
    figures: Callable[[Sequence[Comparison]], Mapping[str, str]] | None = None


#: The papers that can be rerun, by name: each folder beside this file has one, called ``PAPER``
PAPERS = Registry("paper", "truepath.papers")


def comparisons_of(finished: Finished) -> list[Comparison]:
    """Return what a cell compared when it was run."""
    return [Comparison(**fields) for fields in finished.value]


@cache
def load_published(name: str) -> dict[str, Any]:
    """Return the published values of a paper, as ``published.json`` in its folder holds them.

    Examples
    --------
    >>> load_published("triguero2016")["Table 4"]["micro_f1"]["cellcycle_GO"]["EM(STS)"]
    0.4744
    """
    text = files("truepath.papers").joinpath(name, "published.json").read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(text)
    return values
