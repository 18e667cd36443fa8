"""Accuracy of hierarchical boosting and its baselines, beside Table II of Chelmis & Qi (2021).

Run ``python benchmarks/table_boosting.py [dataset ...] [--out results.jsonl]`` with the data in ``$TRUEPATH_DATA`` or
``../shared/data``. The variants are compared on a third of the training rows, held out; every variant is then fitted on
all training rows and measured on the test rows, on the true tree and in the authors' collapsed labels. Appends one JSON
line a variant, and skips those already there; ``--print`` only prints the Markdown tables of what is there. What it
takes to rerun the paper alone is ``truepath reproduce chelmis2021``, whose code this script shares.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import fields
from pathlib import Path
from time import perf_counter

import numpy as np
from data_folder import make_parser, open_sets
from sklearn.ensemble import RandomForestClassifier

from truepath.decoders import BestPath
from truepath.learners import AdaBoostMH, GlobalNaiveBayes, HAdaBoostMH, PerLevel
from truepath.papers.base import load_published
from truepath.papers.chelmis2021.collapsed_labels import collapse_levels, merge_columns, unmerge_scores
from truepath.papers.chelmis2021.single_paths import PathProblem, choose_smoothing, load_problem

__all__ = ["TABLE_II", "collapse_levels"]

ROUNDS = {"imclef07a": 600, "imclef07d": 600, "diatoms": 200, "cellcycle_FUN": 100, "cellcycle_GO": 50}
TABLE_II = {  # H-Ada.MH, local, global: micro-F1, macro-F1, H-F, HMC
    name: [tuple(values.values()) for values in columns.values()]
    for name, columns in load_published("chelmis2021")["Table II"].items()
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
    "H-Ada.MH predict, shared stumps, real votes": (HAdaBoostMH, {"votes": "real", "labels": "joint", **STUMPS}),
}
BEYOND = ["H-Ada.MH predict, depth 2 (default)", "H-Ada.MH train, stumps (as printed)", "AdaBoost.MH, stumps"]


class Problem(PathProblem):
    """A data set with all measures in one record; ``is_single`` says whether the paper has it."""

    @property
    def is_single(self) -> bool:
        return self.name in TABLE_II

    def measure(self, y_pred, S) -> dict:
        found = super().measure(y_pred, S)
        return found | self.measure_collapsed(merge_columns(y_pred, self.merged)) if self.is_single else found

    def measure_collapsed(self, y_pred) -> dict:
        return {f"merged_{name}": value for name, value in self.measure_merged(y_pred).items()}


def load(name: str) -> Problem:
    problem = load_problem(name)
    return Problem(**{field.name: getattr(problem, field.name) for field in fields(problem)})


def decisions(problem: Problem, learner, X) -> dict:
    """Return the two ways to label: what lies above one half, and the best path."""
    h, S = problem.hierarchy, learner.predict_proba(X)
    ways = {"above half": S > 0.5}
    if problem.is_single:
        if hasattr(learner, "decision_function"):
            margins = learner._sum_votes(X)
            ways["best path"] = BestPath(hierarchy=h, by="mean").fit(margins).predict(margins)
        else:
            ways["best path"] = BestPath(hierarchy=h).fit(S).predict(S)
    if isinstance(learner, GlobalNaiveBayes) and learner.is_exclusive_:
        ways["best node"] = learner.predict(X)
    return ways, S


def make_learner(problem: Problem, name: str, rounds: int, smoothing: float):
    h = problem.hierarchy
    if name in BOOSTERS:
        cls, options = BOOSTERS[name]
        return cls(hierarchy=h, n_estimators=rounds, **options)
    if name == "local (PerLevel, random forests)":
        return PerLevel(RandomForestClassifier(100, random_state=0), hierarchy=h)
    return GlobalNaiveBayes(hierarchy=h, var_smoothing=smoothing)


def run(problem: Problem, stage: str, name: str, rounds: int, smoothing: float):
    """Fit one variant; yield a record for each way to label."""
    X, X_test = problem.X, problem.X_test
    if name.startswith("local"):  # forests take no part in the question of missing values
        centre = np.nanmean(X, axis=0)
        X, X_test = np.where(np.isnan(X), centre, X), np.where(np.isnan(X_test), centre, X_test)
    start = perf_counter()
    learner = make_learner(problem, name, rounds, smoothing).fit(X, problem.y)
    seconds = perf_counter() - start
    ways, S = decisions(problem, learner, X_test)
    for way, y_pred in ways.items():
        record = {"dataset": problem.name, "stage": stage, "variant": name, "decision": way, "fit_seconds": seconds}
        record["rounds"] = getattr(learner, "n_estimators_", None)
        record["is_default"] = bool((learner.predict(X_test) == y_pred).all())
        yield record | problem.measure(y_pred, S)


def run_merged(problem: Problem, rounds: int):
    """Train on the collapsed classes as a flat set, decode on the tree."""
    start = perf_counter()
    labels = merge_columns(problem.y, problem.merged)
    learner = AdaBoostMH(n_estimators=rounds, max_depth=1, single_path=False).fit(problem.X, labels)
    seconds = perf_counter() - start
    margins = learner.decision_function(problem.X_test)
    spread = unmerge_scores(margins, problem.merged)
    path = BestPath(hierarchy=problem.hierarchy, by="mean").fit(spread).predict(spread)
    for way, y_pred in {"above half": margins > 0, "best path": merge_columns(path, problem.merged)}.items():
        record = {"dataset": problem.name, "stage": "test", "variant": "AdaBoost.MH on collapsed labels"}
        record |= {"decision": way, "fit_seconds": seconds, "rounds": learner.n_estimators_}
        yield record | problem.measure_collapsed(y_pred)


def run_dataset(name: str, stage: str, out: Path, rounds: int) -> None:
    problem = load(name)
    done = {(r["dataset"], r["stage"], r["variant"]) for r in read(out)}

    def save(stage, variant, records):
        if (name, stage, variant) not in done:
            lines = [json.dumps(record) for record in records()]
            with out.open("a") as file:
                file.write("".join(line + "\n" for line in lines))

    inner, smoothing = problem.hold_out(), 1e-9
    if problem.is_single:
        smoothing = choose_smoothing(problem)
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
    parser = make_parser(__doc__)
    parser.add_argument("datasets", nargs="*", default=list(ROUNDS))
    parser.add_argument("--stage", choices=["validation", "test", "all"], default="all")
    parser.add_argument("--out", type=Path, default=Path("build/boosting.jsonl"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--rst", action="store_true", help="print the tables as in the documentation")
    options = parser.parse_args()
    if options.smallest:
        options.datasets, options.out = ["imclef07a"], Path(tempfile.mkdtemp()) / "boosting.jsonl"
    options.out.parent.mkdir(parents=True, exist_ok=True)
    names = [] if options.only_print else [f"hmc/{name}" for name in options.datasets]
    for name in (found.removeprefix("hmc/") for found in open_sets(names, options.smallest)):
        run_dataset(name, options.stage, options.out, 3 if options.smallest else ROUNDS[name])
    (print_rst if options.rst else print_tables)(read(options.out))


if __name__ == "__main__":
    main()
