"""Example rows as small trees: what was right, what was missed, what was wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.english import counted
from truepath.hierarchy.matrices import as_dense
from truepath.metrics.inputs import divide
from truepath.report.nodes import drawn_parents, short_names
from truepath.report.run import Evaluated, Run

PER_KIND = 3
MOST_LINES = 22
TEXT_LENGTH = 280

KINDS = (
    ("perfect", "Every label right: {exact:.0f} % of the rows"),
    ("typical", "Typical mistakes: near the median F1 of the rows that have any"),
    ("worst", "Worst: lowest F1"),
)


class Branch(NamedTuple):
    """One line of a small tree: a label, its mark, its score, what lies below, and how much of it is folded away."""

    name: str
    full: str
    mark: str  # right, missed or wrong
    score: float | None
    branches: list[Branch]
    folded: int


class Example(NamedTuple):
    """One row: its name, text and F1, how many labels are right, missed and wrong, and the tree of them."""

    kind: str
    row_name: str
    row_text: str
    f1: float
    n_right: int
    n_missed: int
    n_wrong: int
    branches: list[Branch]


def choose_examples(run: Run, result: Evaluated, random_state: Any = 0) -> list[tuple[str, list[Example]]]:
    """Choose rows of each kind and draw them; a row is shown once, kinds without a row are left out."""
    hits = np.asarray(run.y_true.multiply(result.y_pred).sum(axis=1)).ravel()
    sizes = np.diff(run.y_true.indptr) + np.diff(result.y_pred.indptr)
    f1 = divide(2 * hits, sizes, 1.0)
    context = (drawn_parents(run.hierarchy), short_names(run.hierarchy))
    groups = []
    for (kind, title), rows in zip(KINDS, _choose(f1, sizes, random_state)):
        shown = [_example(run, result, int(i), float(f1[i]), kind, context) for i in rows]
        if shown:
            groups.append((title.format(exact=100 * float((f1 == 1).mean())), shown))
    return groups


def _choose(f1: NDArray[Any], sizes: NDArray[Any], random_state: Any) -> list[NDArray[Any]]:
    """Return rows without a mistake (the largest of a random few), near the median of those with one, and the worst."""
    generator = np.random.default_rng(random_state)
    order = generator.permutation(f1.size)
    perfect = order[f1[order] == 1]
    perfect = perfect[np.argsort(-sizes[perfect], kind="stable")][: 3 * PER_KIND : 3]  # spread over sizes
    flawed = order[(f1[order] < 1)]
    if flawed.size == 0:
        return [perfect, flawed, flawed]
    worst = flawed[np.lexsort((-sizes[flawed], f1[flawed]))][:PER_KIND]
    rest = np.setdiff1d(flawed, worst, assume_unique=True)
    typical = rest[np.argsort(np.abs(f1[rest] - np.median(f1[flawed])), kind="stable")][:PER_KIND]
    return [perfect, typical, worst]


def _example(run: Run, result: Evaluated, i: int, f1: float, kind: str, context: Any) -> Example:
    """Draw one row."""
    true, predicted = (set(Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()) for Y in (run.y_true, result.y_pred))
    branches = _grow(run, result, i, true, predicted, context)
    name = run.ids[i] if run.ids else f"row {i}"
    text = run.texts[i] if run.texts else ""
    text = text if len(text) <= TEXT_LENGTH else text[:TEXT_LENGTH].rsplit(" ", 1)[0] + " …"
    return Example(kind, name, text, f1, len(true & predicted), len(true - predicted), len(predicted - true), branches)


def _grow(run: Run, result: Evaluated, i: int, true: set[int], predicted: set[int], context: Any) -> Any:
    """Build the tree of the row's labels, and fold branches of one mark when it would be long."""
    parents, short = context
    scores = None if result.S is None else as_dense(result.S[[i]]).ravel()
    shown = sorted(true | predicted)
    below: dict[int, list[int]] = {}
    for v in shown:
        below.setdefault(int(parents[v]), []).append(v)
    fold_from = 1 if len(shown) > MOST_LINES else len(shown) + 1

    def mark(v: int) -> str:
        return "wrong" if v not in true else "right" if v in predicted else "missed"

    def branch(v: int) -> tuple[Branch, Counter[str]]:
        grown = [branch(child) for child in below.get(v, [])]
        tally = sum((counts for _, counts in grown), Counter([mark(v)]))
        n_below = tally.total() - 1
        folds = n_below >= fold_from and len(tally) == 1
        score = None if scores is None else float(scores[v])
        below_it, folded = ([], n_below) if folds else ([b for b, _ in grown], 0)
        return Branch(short[v], run.hierarchy.label(v), mark(v), score, below_it, folded), tally

    roots = [branch(v)[0] for v in below.get(-1, [])]
    return _cut(roots, [MOST_LINES]) if len(shown) > MOST_LINES else roots


def _cut(branches: list[Branch], left: list[int]) -> list[Branch]:
    """Keep the first lines, counting down ``left[0]``; note how many labels each place leaves out."""
    kept: list[Branch] = []
    for k, branch in enumerate(branches):
        if left[0] <= 0:
            hidden = counted(sum(_size(b) for b in branches[k:]), "more label")
            kept.append(Branch(hidden, "", "more", None, [], 0))
            break
        left[0] -= 1
        kept.append(branch._replace(branches=_cut(branch.branches, left)))
    return kept


def _size(branch: Branch) -> int:
    return 1 + branch.folded + sum(_size(b) for b in branch.branches)
