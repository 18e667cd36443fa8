"""Check guarantees by simulation: ``python tools/simulate.py --write`` makes the table of ``docs/promises.rst``.

Each case draws data of a known kind a few hundred times and measures how often, or how well, a promise is kept: sets
that hold all true labels, bounded losses, probabilities, bootstrap intervals, p-values where there is no difference.
The kinds are those that break such promises: tied scores, labels that most samples lack, small samples, DAGs, weights.
A promise holds if the mean is on the right side of its target, or within three standard errors of it. Ends with 1 if
one does not. All draws of a case come from the seed and the case's name.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from truepath import Hierarchy
from truepath.combiners import Calibrator
from truepath.decoders import ConformalRisk, ConformalSet, ConformalSubtree, SureLabels
from truepath.experiments import compare_models
from truepath.experiments.statistics.significance import adjust_holm, friedman, nemenyi, rank_rows, wilcoxon_pairs
from truepath.hierarchy import cap_down
from truepath.metrics import bootstrap_interval, get_metric

PAGE = Path(__file__).resolve().parents[1] / "docs" / "promises.rst"
BEGIN, END = ".. The table below is written by tools/simulate.py --write", ".. End of the table of tools/simulate.py"
HEADER = ("promise", "data", "draws", "asked for", "measured", "standard error")
ERRORS = 3.0
N_NEW = 50

Draw = Callable[[np.random.Generator], float]
World = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


class Case(NamedTuple):
    """A promise on some kind of data: what is asked for, and how one draw measures it."""

    promise: str
    data: str
    side: str  # "at least", "at most" or "about"
    target: float
    draw: Draw
    share: float = 1.0  # of the draws asked for: some cases take long


class Outcome(NamedTuple):
    """What the draws of a case came to."""

    case: tuple[str, str, str, float]
    n_draws: int
    mean: float
    error: float

    @property
    def holds(self) -> bool:
        """Whether the mean is on the right side, or within three standard errors."""
        _, _, side, target = self.case
        over = self.mean - target
        slack = ERRORS * self.error + 1e-9
        return {"at least": over >= -slack, "at most": over <= slack, "about": abs(over) <= slack}[side]

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        promise, data, side, target = self.case
        asked = f"{side} {target:.3g}"
        return promise, data, str(self.n_draws), asked, f"{self.mean:.4f}", f"{self.error:.4f}"


# ---------------------------------------------------------------------------------------------- kinds of data

TREE = Hierarchy.from_paths([f"{a}/{b}/{c}" for a in range(5) for b in range(4) for c in range(3)])
FLAT = Hierarchy.flat(300)


def make_dag(n_nodes: int = 30) -> Hierarchy:
    """Return a DAG in which most nodes have two parents."""
    rng = np.random.default_rng(7)
    edges = [(f"n{u}", f"n{v}") for v in range(3, n_nodes) for u in rng.choice(v, size=min(2, v), replace=False)]
    return Hierarchy.from_edges(edges, nodes=[f"n{v}" for v in range(n_nodes)])


DAG = make_dag()


def one_path(n: int, hierarchy: Hierarchy, ends: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return rows that each have one of some labels, the first ones often and the last ones rarely, with ancestors."""
    often = 1 / np.arange(1, ends.size + 1)
    Y = np.zeros((n, hierarchy.n_nodes), bool)
    Y[np.arange(n), rng.choice(ends, n, p=often / often.sum())] = True
    return hierarchy.close(Y)


def perfect(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are the truth, with 300 labels that are equally rare."""
    Y = np.eye(300, dtype=bool)[rng.integers(300, size=n)]
    return Y.astype(float), Y


def nearly_perfect(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """98 % of the true labels score exactly 1."""
    Y = np.eye(300, dtype=bool)[rng.integers(300, size=n)]
    return np.where(Y & (rng.random((n, 1)) < 0.98), 1.0, 0.5 * rng.random(Y.shape)), Y


def zeros(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A tree where a neighbour votes: a third of the rows have a true label that scores 0."""
    Y, other = (one_path(n, TREE, TREE.leaves, rng) for _ in range(2))
    return np.where(rng.random((n, 1)) < 0.67, Y, other).astype(float), Y


def one_decimal(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A DAG whose scores have one decimal."""
    Y = one_path(n, DAG, np.arange(DAG.n_nodes), rng)
    return np.asarray(cap_down(np.round(0.5 * Y + 0.5 * rng.random(Y.shape), 1), DAG)), Y


WORLDS: dict[str, tuple[World, Hierarchy]] = {
    "scores = truth, 300 rare labels": (perfect, FLAT),
    "98 % score 1, 300 rare labels": (nearly_perfect, FLAT),
    "tree, a third score 0": (zeros, TREE),
    "DAG, one decimal": (one_decimal, DAG),
}


# ------------------------------------------------------------------------------------------------- conformal sets


def covered(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the share of rows whose true labels are all in the set."""
    return float((F | ~Y).all(axis=1).mean())


def covered_deep(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the same for the labels of the last level, among rows that have one there."""
    deep = hierarchy.depth == hierarchy.depth.max()
    rows = Y[:, deep].any(axis=1)
    return float((F | ~Y)[np.ix_(rows, deep)].all(axis=1).mean()) if rows.any() else np.nan


def covered_cells(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the share of true labels that are in the set."""
    return float(F[Y].mean())


def right(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the share of rows without a wrong label."""
    return float((Y | ~F).all(axis=1).mean())


def miss_rate(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the mean share of true labels that are missed."""
    return float(((Y & ~F).sum(axis=1) / Y.sum(axis=1)).mean())


def miss_cost(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the same with labels counted by their costs."""
    return float((((Y & ~F) @ hierarchy.costs) / (Y @ hierarchy.costs)).mean())


def h_loss_of_misses(F: np.ndarray, Y: np.ndarray, hierarchy: Hierarchy) -> float:
    """Return the mean H-loss of the missed labels."""
    return get_metric("h_loss")(Y, F & Y, hierarchy)


DECODERS: dict[str, tuple[Any, str, float, Callable[..., float]]] = {
    "ConformalSet": (ConformalSet, "at least", 0.9, covered),
    'ConformalSet, per="level"': (ConformalSet, "at least", 0.9, covered_deep),
    'ConformalSet, per="label"': (ConformalSet, "at least", 0.9, covered_cells),
    "ConformalSubtree": (ConformalSubtree, "at least", 0.9, covered),
    'ConformalSubtree, shape="ends"': (ConformalSubtree, "at least", 0.9, covered),
    'ConformalSubtree, shape="usual-ends"': (ConformalSubtree, "at least", 0.9, covered),
    'ConformalSubtree, shape="labels"': (ConformalSubtree, "at least", 0.9, covered),
    "SureLabels": (SureLabels, "at least", 0.9, right),
    "SureLabels, single_path=True": (SureLabels, "at least", 0.9, right),
    "ConformalRisk": (ConformalRisk, "at most", 0.1, miss_rate),
    'ConformalRisk, loss="miss-cost"': (ConformalRisk, "at most", 0.1, miss_cost),
    'ConformalRisk, loss="h-loss"': (ConformalRisk, "at most", 0.1, h_loss_of_misses),
}


def options_of(name: str) -> dict[str, Any]:
    """Read the options from a name in the table."""
    found = re.search(r", (\w+)=(\S+)$", name)
    return {} if not found else {found[1]: found[2] == "True" if found[1] == "single_path" else found[2].strip('"')}


def conformal_cases() -> Iterator[Case]:
    """Yield every decoder on every kind of data, with few and with more held-out rows, and once with weights."""
    for name, (kind, side, target, measure) in DECODERS.items():
        for data, (world, hierarchy) in WORLDS.items():
            for n in (20, 120):
                decoder = kind(target, hierarchy=hierarchy, **options_of(name))
                yield Case(name, f"{data}; {n} rows", side, target, _sets(decoder, world, n, measure))
    weighted = _sets(ConformalSet(hierarchy=TREE), zeros, 60, covered, is_weighted=True)
    yield Case("ConformalSet", "tree, a third score 0; 60 rows with weights of .25 and 1", "at least", 0.9, weighted)


def _sets(decoder: Any, world: World, n: int, measure: Callable[..., float], is_weighted: bool = False) -> Draw:
    """Return how one draw measures a decoder: fitted on n rows, measured on others."""

    def draw(rng: np.random.Generator) -> float:
        S, Y = world(n + N_NEW, rng)
        weight = rng.choice([0.25, 1.0], n) if is_weighted else None
        return measure(decoder.fit(S[:n], Y[:n], weight).predict(S[n:]), Y[n:], decoder.hierarchy)

    return draw


# ---------------------------------------------------------------------------------------------------- probabilities


def calibration_cases() -> Iterator[Case]:
    """Yield the mean of calibrated scores less the share of true labels: of all, and of labels that score high.

    Isotonic maps of few rows are too high at the upper end, as the page says: these are measured on all scores alone.
    """
    for method in ("sigmoid", "beta", "isotonic"):
        for least in (0.0,) if method == "isotonic" else (0.0, 0.3):
            which = f"scores from {least:g}" if least else "all scores"
            data = f"{which}, {'one decimal' if method == 'isotonic' else 'distorted within the family'}; 300 rows"
            yield Case(f'Calibrator, method="{method}"', data, "about", 0.0, _excess(method, least), 0.5)


def _excess(method: str, least: float) -> Draw:
    """Return how far calibrated scores lie above the truth in one draw, on average."""

    def draw(rng: np.random.Generator) -> float:
        p = rng.beta(0.6, 1.4, (300 + 4 * N_NEW, 8))
        Y, S = rng.random(p.shape) < p, np.maximum(np.round(p**2, 1), 0.05)  # 0 would stay 0
        if method != "isotonic":  # these promise nothing where no map of theirs is right
            S = expit(2 * logit(np.clip(p, 1e-9, 1 - 1e-9)) + 0.5)
        found = Calibrator(method=method).fit(S[:300], Y[:300]).transform(S[300:])
        kept = S[300:] >= least
        return float((found[kept] - Y[300:][kept]).mean())

    return draw


# -------------------------------------------------------------------------------------------------------- intervals

LABELS = 30


def two_models(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the truth of rows with often one of some rare labels, and the scores of two models that are as good."""
    Y = one_path(n, Hierarchy.flat(LABELS), np.arange(LABELS), rng)
    return Y, *(np.round(np.clip(0.5 * Y + 0.6 * rng.random(Y.shape), 0, 1), 1) for _ in range(2))


def measure(name: str, Y: np.ndarray, S: np.ndarray) -> float:
    """Return a metric of labels above .55, or of scores."""
    return get_metric(name)(Y, predicted_for(name, S), None)


def predicted_for(name: str, S: np.ndarray) -> np.ndarray:
    """Return what a metric needs."""
    return S > 0.55 if get_metric(name).needs == "labels" else S


def interval_cases() -> Iterator[Case]:
    """Yield whether intervals hold their value, and what other samples of as many rows give on average."""
    for name in ("hierarchical_f1", "macro_f1", "auprc", "fmax", "expected_calibration_error"):
        for n in (20, 150):
            data = f"rare labels, one decimal; {n} rows"
            if n == 150:
                yield Case(f"95 % interval of {name} holds the mean", data, "at least", 0.95, _holds_mean(name, n), 0.5)
            yield Case(f"95 % interval of {name} holds its value", data, "at least", 1.0, _holds_value(name, n), 0.1)


def _holds_value(name: str, n: int) -> Draw:
    """Return whether the interval holds the value in one draw."""

    def draw(rng: np.random.Generator) -> float:
        Y, S, _ = two_models(n, rng)
        found = bootstrap_interval(name, Y, predicted_for(name, S), n_resamples=100, random_state=rng)
        return float(found.low <= found.value <= found.high)

    return draw


def _holds_mean(name: str, n: int) -> Draw:
    """Return whether the interval holds the mean over samples in one draw."""
    known: list[float] = []

    def draw(rng: np.random.Generator) -> float:
        if not known:
            samples = (two_models(n, rng) for _ in range(1000))
            known.append(float(np.mean([measure(name, Y, S) for Y, S, _ in samples])))
        Y, S, _ = two_models(n, rng)
        found = bootstrap_interval(name, Y, predicted_for(name, S), n_resamples=200, random_state=rng)
        return float(found.low <= known[0] <= found.high)

    return draw


# --------------------------------------------------------------------------------------------------------- p-values


def p_value_cases() -> Iterator[Case]:
    """Yield how often a test finds a difference at .05 where there is none."""
    tests: dict[str, Callable[[np.ndarray], float]] = {
        "Friedman": lambda values: friedman(rank_rows(values, True)).p_value,
        "Iman-Davenport": lambda values: friedman(rank_rows(values, True)).f_p_value,
        "Nemenyi, any pair": lambda values: nemenyi(rank_rows(values, True)).min(),
        "Wilcoxon, one pair": lambda values: wilcoxon_pairs(values[:, :2]).min(),
        "Wilcoxon with Holm, any pair": lambda values: adjust_holm(wilcoxon_pairs(values)).min(),
    }
    for name, p_value in tests.items():
        for ties, n in ((False, 12), (True, 20), (True, 50)):  # with ties, up to 13 data sets, Wilcoxon tries all signs
            data = f"4 methods, {'ties' if ties else 'no ties'}; {n} data sets"
            yield Case(f"{name}: p < .05", data, "at most", 0.05, _finds(p_value, n, ties), 2.0)
    for name in ("hierarchical_f1", "macro_f1"):
        data = "two models, rare labels; 20 rows"
        yield Case(f"permutation test, {name}: p < .05", data, "at most", 0.05, _finds_model(name, 20), 0.5)


def _finds(p_value: Callable[[np.ndarray], float], n: int, ties: bool) -> Draw:
    """Return whether a test finds a difference between methods in one draw."""

    def draw(rng: np.random.Generator) -> float:
        values = rng.normal(size=(n, 4)) + rng.normal(0, 2, (n, 1))
        return float(p_value(np.round(values, 1) if ties else values) < 0.05)

    return draw


def _finds_model(name: str, n: int) -> Draw:
    """Return whether the permutation test finds a difference between models in one draw."""

    def draw(rng: np.random.Generator) -> float:
        Y, S, T = two_models(n, rng)
        found = compare_models(Y, S > 0.55, T > 0.55, metric=name, n_resamples=200, random_state=rng)
        return float(found.p_value < 0.05)

    return draw


# --------------------------------------------------------------------------------------------------- running, writing


def all_cases() -> list[Case]:
    """Return every case, in the order of the table."""
    return [*conformal_cases(), *calibration_cases(), *interval_cases(), *p_value_cases()]


def run_case(number: int, n_draws: int, seed: int) -> Outcome:
    """Draw a case as often as asked for."""
    case = all_cases()[number]
    rng = np.random.default_rng([seed, zlib.crc32(f"{case.promise} {case.data}".encode())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = np.array([case.draw(rng) for _ in range(max(2, round(case.share * n_draws)))])
        drawn = drawn[~np.isnan(drawn)]
        error = float(drawn.std(ddof=1) / np.sqrt(drawn.size))
        return Outcome(case[:4], drawn.size, float(drawn.mean()), error)


def write_table(outcomes: list[Outcome]) -> str:
    """Return the table as reStructuredText."""
    lines = [".. csv-table::", "   :header-rows: 1", ""]
    for row in [HEADER, *(outcome.row() for outcome in outcomes)]:
        lines.append("   " + ",".join('"' + cell.replace('"', '""') + '"' for cell in row))
    return "\n".join(lines)


def put_in_page(table: str, page: Path) -> None:
    """Replace the table of the page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN + "\n", 1)
    _, after = rest.split(END, 1)
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the cases that were asked for, print the table, and say which promises do not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=400, help="how often most cases are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose promise or data has this in it")
    parser.add_argument("--write", action="store_true", help="put the table in docs/promises.rst")
    args = parser.parse_args(arguments)
    numbers = [i for i, case in enumerate(all_cases()) if args.only in case.promise or args.only in case.data]
    given = [(number, args.draws, args.seed) for number in numbers]
    if args.jobs > 1:
        with ProcessPoolExecutor(args.jobs) as pool:
            outcomes = list(pool.map(run_case, *zip(*given)))
    else:
        outcomes = [run_case(*one) for one in given]
    print(write_table(outcomes))
    if args.write and not args.only:
        put_in_page(write_table(outcomes), PAGE)
    broken = [outcome for outcome in outcomes if not outcome.holds]
    for outcome in broken:
        print("does not hold:", *outcome.row(), sep=" | ", file=sys.stderr)
    print(f"{len(outcomes) - len(broken)} of {len(outcomes)} promises hold.", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
