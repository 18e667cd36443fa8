"""Accuracy of hierarchical boosting and its baselines, beside Table II of Chelmis & Qi (2021).

Run ``python benchmarks/table_boosting.py [dataset ...] [--out results.jsonl]`` with the data in ``$TRUEPATH_DATA``.
The variants are compared on a third of the training rows, held out; every variant is then fitted on all training
rows and measured on the test rows, on the true tree and in the authors' collapsed labels. Appends one JSON line a
variant, and skips those already there; ``--print`` only prints the Markdown tables of what is there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from truepath import Hierarchy, load_dataset
from truepath.decoders import BestPath
from truepath.learners import AdaBoostMH, GlobalNaiveBayes, HAdaBoostMH, PerLevel
from truepath.metrics import auprc, hmc_loss, level_accuracy, macro_f1, micro_f1, top_k_accuracy
from truepath.metrics import hierarchical_f1 as h_f1

ROUNDS = {"imclef07a": 600, "imclef07d": 600, "diatoms": 200, "cellcycle_FUN": 100, "cellcycle_GO": 50}
TABLE_II = {  # H-Ada.MH, local, global: micro-F1, macro-F1, H-F, HMC
    "imclef07a": [(0.7143, 0.5096, 0.7445, 0.075), (0.569, 0.1504, 0.573, 0.137), (0.6633, 0.470, 0.691, 0.079)],
    "imclef07d": [(0.7216, 0.3992, 0.7607, 0.129), (0.646, 0.1546, 0.662, 0.2047), (0.644, 0.4552, 0.670, 0.1948)],
    "diatoms": [(0.487, 0.5587, 0.4542, 0.012), (0.174, 0.0138, 0.1176, 0.0174), (0.205, 0.2391, 0.1812, 0.0187)],
}
STUMPS = {"max_depth": 1}
BOOSTERS = {
    "H-Ada.MH predict, depth 2 (default)": (HAdaBoostMH, {}),
    "H-Ada.MH predict, stumps": (HAdaBoostMH, STUMPS),
    "H-Ada.MH train, stumps (as printed)": (HAdaBoostMH, {"constraint": "train", **STUMPS}),
    "H-Ada.MH both, stumps": (HAdaBoostMH, {"constraint": "both", **STUMPS}),
    "H-Ada.MH train, depth 2": (HAdaBoostMH, {"constraint": "train"}),
    "AdaBoost.MH, stumps": (AdaBoostMH, STUMPS),
    "H-Ada.MH predict, stumps, real votes": (HAdaBoostMH, {"votes": "real", **STUMPS}),
    "H-Ada.MH predict, shared stumps, real votes": (HAdaBoostMH, {"votes": "real", "shared": True, **STUMPS}),
}
BEYOND = ["H-Ada.MH predict, depth 2 (default)", "H-Ada.MH train, stumps (as printed)", "AdaBoost.MH, stumps"]


def collapse_levels(hierarchy: Hierarchy, Y: np.ndarray, max_depth: int | None = None) -> np.ndarray:
    """Return each node's class in the authors' setting, where equal codes of different parents on a level are one.

    Classes without training rows, and levels below ``max_depth``, are left out: -1. That gives their 26, 22 and (two
    levels of three) 343 classes. They are no hierarchy: a merged code has several parents of which an instance has one.
    So the true tree is learned, or the merged classes as a flat set; predictions are then merged.
    """
    keys = [(int(d), str(name).rsplit("/", 1)[-1]) for d, name in zip(hierarchy.depth, hierarchy.names)]
    deepest = hierarchy.height if max_depth is None else max_depth
    kept = dict.fromkeys(key for key, is_used in zip(keys, Y.any(axis=0)) if is_used and key[0] <= deepest)
    number = {key: k for k, key in enumerate(kept)}
    return np.array([number.get(key, -1) for key in keys])


def merge_columns(Y: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """Return the labels in the collapsed classes."""
    nodes = np.flatnonzero(merged >= 0)
    ones = np.ones(nodes.size, np.int64)
    membership = sparse.csr_array((ones, (nodes, merged[nodes])), shape=(merged.size, merged.max() + 1))
    return (sparse.csr_array(Y, dtype=np.int64) @ membership).toarray() > 0


def unmerge_scores(S: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """Give every node the score of its class; nodes of no class score below all others."""
    spread = np.full((len(S), merged.size), S.min() - 1)
    spread[:, merged >= 0] = S[:, merged[merged >= 0]]
    return spread


class Problem:
    """Training and test rows of a data set, dense."""

    def __init__(self, name: str):
        ds = load_dataset(name)
        train = [ds["train"], ds["valid"]] if "valid" in ds else [ds["train"]]
        self.name, self.hierarchy = name, ds.hierarchy
        self.X = np.vstack([part.X for part in train])
        self.Y = np.vstack([part.Y.toarray() for part in train])
        self.X_test, self.Y_test = ds["test"].X, ds["test"].Y.toarray()
        self.is_single = name in TABLE_II
        self.merged = collapse_levels(ds.hierarchy, self.Y, 2 if name == "diatoms" else None)
        n_positive = self.Y.sum()
        self.ratio = (self.Y.size - n_positive) / n_positive  # lambda of the HMC-loss, counted on training labels

    def hold_out(self):
        """Return the same with a third of the training rows as the test rows."""
        order = np.random.default_rng(0).permutation(len(self.X))
        held, kept = order[: len(order) // 3], order[len(order) // 3 :]
        inner = object.__new__(Problem)
        inner.__dict__.update(self.__dict__)
        inner.X, inner.Y, inner.X_test, inner.Y_test = self.X[kept], self.Y[kept], self.X[held], self.Y[held]
        return inner

    def measure(self, Y_pred, S) -> dict:
        h, truth = self.hierarchy, self.Y_test
        found = {
            "micro_f1": micro_f1(truth, Y_pred, h),
            "macro_f1": macro_f1(truth, Y_pred, h),
            "h_f": h_f1(truth, Y_pred, h),
            "hmc": hmc_loss(truth, Y_pred, h, lambda_=self.ratio),
            "top_k": top_k_accuracy(truth, S, h),
            "levels": level_accuracy(truth, Y_pred, h).round(4).tolist(),
            "auprc": auprc(truth, S, h),
        }
        if self.is_single:
            found |= self.measure_merged(merge_columns(Y_pred, self.merged))
        return found

    def measure_merged(self, Y_pred) -> dict:
        truth = merge_columns(self.Y_test, self.merged)
        return {"merged_micro_f1": micro_f1(truth, Y_pred), "merged_macro_f1": macro_f1(truth, Y_pred)}


def decisions(problem: Problem, learner, X) -> dict:
    """Return the two ways to label: what lies above one half, and the best path."""
    h, S = problem.hierarchy, learner.predict_proba(X)
    ways = {"above half": S > 0.5}
    if problem.is_single:
        if hasattr(learner, "decision_function"):
            margins = learner._sum_votes(X)
            ways["best path"] = BestPath(h, by="mean").fit(margins).predict(margins)
        else:
            ways["best path"] = BestPath(h).fit(S).predict(S)
    if isinstance(learner, GlobalNaiveBayes) and learner.is_exclusive_:
        ways["best node"] = learner.predict(X)
    return ways, S


def make_learner(problem: Problem, name: str, rounds: int, smoothing: float):
    h = problem.hierarchy
    if name in BOOSTERS:
        cls, options = BOOSTERS[name]
        return cls(h, n_estimators=rounds, **options)
    if name == "local (PerLevel, random forests)":
        return PerLevel(RandomForestClassifier(100, random_state=0), h)
    return GlobalNaiveBayes(h, var_smoothing=smoothing)


def run(problem: Problem, stage: str, name: str, rounds: int, smoothing: float):
    """Fit one variant; yield a record for each way to label."""
    X, X_test = problem.X, problem.X_test
    if name.startswith("local"):  # forests take no part in the question of missing values
        centre = np.nanmean(X, axis=0)
        X, X_test = np.where(np.isnan(X), centre, X), np.where(np.isnan(X_test), centre, X_test)
    start = perf_counter()
    learner = make_learner(problem, name, rounds, smoothing).fit(X, problem.Y)
    seconds = perf_counter() - start
    ways, S = decisions(problem, learner, X_test)
    for way, Y_pred in ways.items():
        record = {"dataset": problem.name, "stage": stage, "variant": name, "decision": way, "fit_seconds": seconds}
        record["rounds"] = getattr(learner, "n_estimators_", None)
        record["is_default"] = bool((learner.predict(X_test) == Y_pred).all())
        yield record | problem.measure(Y_pred, S)


def run_merged(problem: Problem, rounds: int):
    """Train on the collapsed classes as a flat set, decode on the tree."""
    start = perf_counter()
    labels = merge_columns(problem.Y, problem.merged)
    learner = AdaBoostMH(n_estimators=rounds, max_depth=1, single_path=False).fit(problem.X, labels)
    seconds = perf_counter() - start
    margins = learner.decision_function(problem.X_test)
    spread = unmerge_scores(margins, problem.merged)
    path = BestPath(problem.hierarchy, by="mean").fit(spread).predict(spread)
    for way, Y_pred in {"above half": margins > 0, "best path": merge_columns(path, problem.merged)}.items():
        record = {"dataset": problem.name, "stage": "test", "variant": "AdaBoost.MH on collapsed labels"}
        record |= {"decision": way, "fit_seconds": seconds, "rounds": learner.n_estimators_}
        yield record | problem.measure_merged(Y_pred)


def run_dataset(name: str, stage: str, out: Path) -> None:
    problem, rounds = Problem(name), ROUNDS[name]
    done = {(r["dataset"], r["stage"], r["variant"]) for r in read(out)}

    def save(stage, variant, records):
        if (name, stage, variant) not in done:
            lines = [json.dumps(record) for record in records()]
            with out.open("a") as file:
                file.write("".join(line + "\n" for line in lines))

    inner, smoothing = problem.hold_out(), 1e-9
    if problem.is_single:
        smoothing = max([1e-9, 1e-3, 1e-2, 1e-1, 1.0], key=lambda s: _naive_bayes_f1(inner, s))
    local, global_ = "local (PerLevel, random forests)", "global (GlobalNaiveBayes)"
    variants = [*BOOSTERS, local, global_] if problem.is_single else [*BEYOND, global_]
    if stage in ("test", "all"):
        for variant in variants:
            save("test", variant, lambda v=variant: run(problem, "test", v, rounds, smoothing))
        if problem.is_single:
            save("test", "AdaBoost.MH on collapsed labels", lambda: run_merged(problem, rounds))
    if stage in ("validation", "all") and problem.is_single:
        for variant in BOOSTERS:
            save("validation", variant, lambda v=variant: run(inner, "validation", v, min(200, rounds), smoothing))


def _naive_bayes_f1(problem: Problem, smoothing: float) -> float:
    learner = GlobalNaiveBayes(problem.hierarchy, var_smoothing=smoothing).fit(problem.X, problem.Y)
    return micro_f1(problem.Y_test, learner.predict(problem.X_test), problem.hierarchy)


def read(out: Path) -> list[dict]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


KEYS = {
    "micro_f1": "micro-F1", "macro_f1": "macro-F1", "h_f": "H-F", "hmc": "HMC", "top_k": "top-k", "auprc": "AU(PRC)",
    "merged_micro_f1": "collapsed micro-F1", "merged_macro_f1": "collapsed macro-F1",
}  # fmt: skip


def print_rst(records: list[dict]) -> None:
    """Print the test tables as the documentation has them."""
    for name in ROUNDS:
        rows = [r for r in records if r["dataset"] == name and r["stage"] == "test"]
        if rows:
            keys = [key for key in KEYS if any(key in row for row in rows)]
            print(f".. csv-table:: {name}\n   :header-rows: 1\n")
            print("   " + ", ".join(["variant", "labels", *(KEYS[key] for key in keys), "levels"]))
            for row in rows:
                cells = [f"{row[key]:.3f}" if key in row else "" for key in keys]
                levels = " ".join(f"{a:.2f}" for a in row.get("levels", []) if a == a)
                print(f'   "{row["variant"]}", {row["decision"]}, {", ".join(cells)}, {levels}')
            for label, values in zip(("H-Ada.MH", "local", "global"), TABLE_II.get(name, [])):
                cells = [f"{value:.3f}" for value in values] + [""] * (len(keys) - 4)
                print(f'   "*{label}, Table II*", , {", ".join(cells)}, ')
            print()


def print_tables(records: list[dict]) -> None:
    for stage in ("validation", "test"):
        for name in ROUNDS:
            rows = [r for r in records if r["dataset"] == name and r["stage"] == stage]
            if rows:
                print(f"\n### {name}: {stage} rows\n")
                print_table(name, rows, with_paper=stage == "test")


def print_table(name: str, rows: list[dict], with_paper: bool) -> None:
    keys = [key for key in KEYS if any(key in row for row in rows)]
    print("| variant | labels | rounds | " + " | ".join(KEYS[key] for key in keys) + " | levels | fit s |")
    print("|---" * (len(keys) + 5) + "|")
    for row in rows:
        cells = [f"{row[key]:.4f}" if key in row else "" for key in keys]
        levels = " ".join(f"{a:.3f}" for a in row.get("levels", []) if a == a)
        mark = " *" if row.get("is_default") else ""
        print(f"| {row['variant']} | {row['decision']}{mark} | {row['rounds'] or ''} | {' | '.join(cells)} "
              f"| {levels} | {row['fit_seconds']:.0f} |")  # fmt: skip
    for label, values in zip(("H-Ada.MH", "local", "global"), TABLE_II.get(name, []) if with_paper else []):
        empty = " | " * (len(keys) - 4)
        print(f"| *{label}, Table II* | | | {' | '.join(f'{v:.4f}' for v in values)} | {empty}| |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", default=list(ROUNDS))
    parser.add_argument("--stage", choices=["validation", "test", "all"], default="all")
    parser.add_argument("--out", type=Path, default=Path("build/boosting.jsonl"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--rst", action="store_true", help="print the tables as in the documentation")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for name in [] if options.only_print else options.datasets:
        run_dataset(name, options.stage, options.out)
    (print_rst if options.rst else print_tables)(read(options.out))


if __name__ == "__main__":
    main()
