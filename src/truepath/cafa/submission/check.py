"""Checking submissions: every kind of mistake, each with its line."""

from __future__ import annotations

from collections.abc import Iterable
from os import fspath

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.submission.rules import SubmissionRules
from truepath.cafa.tables.columns import read_rows
from truepath.cafa.tables.long import SUBMISSION_HEADERS
from truepath.cafa.tables.problems import BadLine, Problems
from truepath.files.names import PathType

__all__ = ["check_submission"]

#: Scores that differ by less are the same
TOLERANCE = 1e-12


def check_submission(
    path: PathType,
    ontology: Ontology,
    *,
    rules: SubmissionRules | None = None,
    targets: Iterable[str] | None = None,
    aspects: Iterable[str] | None = None,
) -> list[BadLine]:
    """Return the mistakes of a submission, at most one per line, in the order of lines; none means that it is valid.

    It finds lines without exactly three columns, scores that are not numbers, out of range or with too many decimals,
    terms that are unknown, obsolete, given by an alternative id or of another aspect, targets that are not asked for,
    pairs that are repeated, targets with too many terms, and (if the rules say so) terms that score above an ancestor.

    Parameters
    ----------
    path : path
    ontology : Ontology
    rules : SubmissionRules, optional
    targets : iterable of str, optional
        The targets of the challenge; by default any.
    aspects : iterable of str, optional
        The aspects that the file may hold; by default all.
    """
    rules = rules or SubmissionRules()
    checker = _Checker(path, ontology, rules, targets, aspects)
    problems = Problems()
    for rows in read_rows(path, 3, problems, headers=SUBMISSION_HEADERS):
        is_long = rows.widths > 3
        checker.report(rows.lines[is_long], [f"{n} columns where 3 are allowed" for n in rows.widths[is_long].tolist()])
        checker.check_cells(rows.lines, rows.words(0), rows.words(1), rows.numbers(2))
    checker.check_together()
    found = {bad.line: bad for bad in problems.bad}
    found |= {line: BadLine(fspath(path), line, said) for line, said in checker.found.items() if line not in found}
    return [found[line] for line in sorted(found)]


class _Checker:
    """Mistakes by line: of each line the first that is found."""

    def __init__(
        self,
        path: PathType,
        ontology: Ontology,
        rules: SubmissionRules,
        targets: Iterable[str] | None,
        aspects: Iterable[str] | None,
    ):
        self.path, self.ontology, self.rules = path, ontology, rules
        self.targets = None if targets is None else set(targets)
        self.aspects = None if aspects is None else {ontology.aspect(name) for name in aspects}
        self.found: dict[int, str] = {}
        self.index: dict[str, int] = {}
        self.parts: list[tuple[NDArray[np.int64], ...]] = []
        self.scores: list[NDArray[np.float64]] = []

    def report(self, lines: Iterable[int], reasons: Iterable[str]) -> None:
        for line, reason in zip(lines, reasons):
            self.found.setdefault(int(line), reason)

    def check_cells(
        self,
        lines: NDArray[np.int64],
        target: tuple[NDArray[np.int64], list[str]],
        term: tuple[NDArray[np.int64], list[str]],
        scores: NDArray[np.float64],
    ) -> None:
        """Check what can be said of each line alone."""
        rules = self.rules
        self._report_cells(lines, target, [self._about_target(name) for name in target[1]])
        self._report_cells(lines, term, [self._about_term(name) for name in term[1]])
        span = f"above {rules.lowest:g} and at most {rules.highest:g}"
        with np.errstate(invalid="ignore"):
            is_number, is_inside = np.isfinite(scores), (scores > rules.lowest) & (scores <= rules.highest)
            is_short = np.abs(np.round(scores, rules.decimals) - scores) < TOLERANCE
        self.report(lines[~is_number], ["the score is not a number"] * int((~is_number).sum()))
        outside = is_number & ~is_inside
        self.report(lines[outside], [f"the score {s:g} is not {span}" for s in scores[outside]])
        long = is_number & is_inside & ~is_short
        self.report(
            lines[long], [f"the score {s!r} has more than {rules.decimals} decimals" for s in scores[long].tolist()]
        )
        numbers = np.array([self.index.setdefault(name, len(self.index)) for name in target[1]] or [0])
        nodes = self.ontology.resolve(term[1]).nodes if term[1] else np.array([-1])
        self.parts.append((lines.copy(), numbers[target[0]], nodes[term[0]]))
        self.scores.append(scores)

    def _report_cells(
        self, lines: NDArray[np.int64], column: tuple[NDArray[np.int64], list[str]], said: list[str | None]
    ) -> None:
        codes, _ = column
        is_bad = np.array([reason is not None for reason in said] or [False])[codes]
        self.report(lines[is_bad], [str(said[code]) for code in codes[is_bad]])

    def _about_target(self, name: str) -> str | None:
        if not name:
            return "an empty target"
        is_wanted = self.targets is None or name in self.targets
        return None if is_wanted else f"{name!r} is not one of the targets"

    def _about_term(self, name: str) -> str | None:
        found = self.ontology.resolve([name])
        if found.changed:
            return f"{name!r} is an old id: write {found.changed[name]!r}"
        if found.lost:
            near = self.ontology.suggest(name)
            hint = f"; consider {', '.join(near)}" if near else ""
            kind = "obsolete" if found.counts["obsolete"] else "not in the ontology"
            return f"{name!r} is {kind}{hint}"
        aspect = self.ontology.aspect_of[found.nodes[0]]
        is_allowed = self.aspects is None or aspect in self.aspects
        return None if is_allowed else f"{name!r} belongs to {aspect}"

    def check_together(self) -> None:
        """Check what takes all lines: repeated pairs, terms per target, propagation."""
        if not any(part[0].size for part in self.parts):
            self.report([1], ["no predictions"])
            return
        lines, targets, nodes = (np.concatenate(column) for column in zip(*self.parts))
        scores = np.concatenate(self.scores)
        known = nodes >= 0
        lines, targets, nodes, scores = lines[known], targets[known], nodes[known], scores[known]
        keys = targets * self.ontology.hierarchy.n_nodes + nodes
        _, firsts = np.unique(keys, return_index=True)
        is_again = np.ones(keys.size, bool)
        is_again[firsts] = False
        self.report(lines[is_again], ["this target and term were given before"] * int(is_again.sum()))
        order = np.argsort(targets, kind="stable")
        counts = np.bincount(targets, minlength=len(self.index))
        rank = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
        beyond = np.sort(lines[order[rank >= self.rules.max_terms]])
        self.report(beyond, [f"more than {self.rules.max_terms} terms of this target"] * beyond.size)
        if self.rules.propagated:
            self._check_propagated(lines, targets, nodes, scores)

    def _check_propagated(
        self,
        lines: NDArray[np.int64],
        targets: NDArray[np.int64],
        nodes: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> None:
        """Find terms that score above a parent, or whose parent is missing."""
        hierarchy = self.ontology.hierarchy
        keys = targets * hierarchy.n_nodes + nodes
        order = np.argsort(keys, kind="stable")
        n_parents = np.diff(hierarchy.parent_ptr)[nodes]
        line = np.repeat(np.arange(nodes.size), n_parents)
        place = np.arange(line.size) - np.repeat(np.cumsum(n_parents) - n_parents, n_parents)
        parents = hierarchy.parent_idx[hierarchy.parent_ptr[nodes[line]] + place]
        wanted = targets[line] * hierarchy.n_nodes + parents
        at = np.minimum(np.searchsorted(keys[order], wanted), max(keys.size - 1, 0))
        above = np.where(keys[order][at] == wanted, scores[order][at], 0.0) if keys.size else np.empty(0)
        is_bad = np.unique(line[above < scores[line] - TOLERANCE])
        said = "the term scores above a parent, or the parent is missing"
        self.report(lines[is_bad], [said] * is_bad.size)
