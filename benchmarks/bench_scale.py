"""How time grows with rows, nodes and edges, for every combiner, decoder, measure and learner of the registries.

Run ``OMP_NUM_THREADS=1 PYTHONPATH=src python benchmarks/bench_scale.py [--smallest] [names ...]``. Hierarchies are
those of ``make_ontology_like``: 11,250 to 45,000 nodes in the shape of the Gene Ontology. Prints the sizes of the
problems, then one line per member: processor seconds at 45,000 nodes, and the exponents b of fits time = a * size^b,
one size changing at a time. Times are medians of three calls after one that compiles, of long calls the lesser of two.
Whoever cannot take such a hierarchy says so in the last column.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from truepath.combiners import MaxUp
from truepath.data import make_hmc, make_ontology_like
from truepath.registry import COMBINERS, DECODERS, LEARNERS, METRICS

NODES, PARENTS = (11_250, 22_500, 45_000), (1.2, 1.9, 3.0)
ROWS = {"slow": (50, 100, 200), "quick": (100, 200, 400)}
N_FEATURES = 10
CALLS, LONG_S = 3, 1.0  # a call of more than this is made twice

# What a member is built with beside the hierarchy, to work on a DAG at all or in the time there is
OPTIONS = {
    "bayesian-aggregation": {"dag": "spanning_tree"},
    "ada-boost-mh": {"n_estimators": 5},
    "h-ada-boost-mh": {"n_estimators": 5},
    "pct-forest": {"n_estimators": 5, "random_state": 0},
    "bagged-cutset-networks": {"n_estimators": 2, "random_state": 0},
    "sibling-lasso": {"alpha": 0.1},
    "network": {"n_epochs": 2, "random_state": 0},
    "mas": {"k": 10},
    "masr": {"k": 10},
}

# Members that stop after a time of their own: nothing to measure
BOUNDED = {"exact": "an integer programme per row, stopped after time_limit seconds"}


class Problem:
    """A hierarchy with rows: features, labels, scores near the labels (coherent and not)."""

    def __init__(self, n_nodes, n_rows, parents):
        rng = np.random.default_rng(0)
        self.hierarchy = make_ontology_like(n_nodes, parents_per_node=parents, random_state=0)
        ds = make_hmc(n_rows, N_FEATURES, hierarchy=self.hierarchy, fractions=(1.0, 0.0, 0.0), random_state=0)
        self.X, self.Y = ds.train.X, ds.train.y
        noise = 0.2 * rng.random((n_rows, n_nodes), dtype=np.float32)
        self.raw = np.clip(noise + 0.6 * (self.Y.toarray() if sparse.issparse(self.Y) else self.Y), 0, 1)
        self.S = MaxUp(hierarchy=self.hierarchy).transform(self.raw)
        self.predicted = self.S > 0.5


def call_combiner(member, problem):
    S = [problem.raw, problem.S] if member.accepts_many else problem.raw
    return build(member, problem).fit(S, problem.Y).transform(S)


def call_decoder(member, problem):
    return build(member, problem).fit(problem.S, problem.Y).predict(problem.S)


def call_metric(member, problem):
    predicted = problem.S if member.needs == "scores" else problem.predicted
    inputs = (predicted,) if member.name in ("incoherent_share", "unlabeled_share") else (problem.Y, predicted)
    return member.function(*inputs, problem.hierarchy)


def call_learner(member, problem):
    X = (problem.X > 0).astype(float) if "discrete features" in member.needs else problem.X
    return build(member, problem).fit(X, problem.Y).predict_proba(X[:10])


def build(member, problem):
    """Return a new member on the problem's hierarchy."""
    options = dict(OPTIONS.get(member.name, {}))
    if "a classifier or pipeline" in member.needs:
        options["estimator"] = GaussianNB()
    if "learners" in member.needs:
        options["learners"] = [LEARNERS["global-naive-bayes"](), LEARNERS["pct"]()]
    return member(hierarchy=problem.hierarchy, **options)


FAMILIES = {
    "combiner": (COMBINERS, call_combiner, "slow"),
    "decoder": (DECODERS, call_decoder, "quick"),
    "measure": (METRICS, call_metric, "quick"),
    "learner": (LEARNERS, call_learner, "slow"),
}


def seconds(call, n_calls):
    """Return the median processor time of these calls after a first one; of a long one the lesser of two."""
    times = []
    while len(times) <= n_calls and not (len(times) == 2 and times[0] > LONG_S):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times) if len(times) <= 2 else statistics.median(times[1:])


def exponent(sizes, times):
    """Return b of the fit time = a * size^b."""
    return np.polyfit(np.log(sizes), np.log(np.maximum(times, 1e-6)), 1)[0]


def measure(call, member, series, n_calls):
    """Return the seconds at the largest hierarchy and the exponents in nodes, rows and edges."""
    call(member, series["nodes"][0][1])  # compiles
    times = {
        kind: [seconds(lambda p=p: call(member, p), n_calls) for _, p in problems] for kind, problems in series.items()
    }
    slopes = {kind: exponent([size for size, _ in series[kind]], times[kind]) for kind in series}
    return times["nodes"][-1], slopes


def make_series(nodes, rows, parents):
    """Return problems with one size changing at a time, as pairs (size, problem)."""
    by_nodes = [(n, Problem(n, rows[0], parents[1])) for n in nodes]
    by_rows = [(n, Problem(nodes[0], n, parents[1])) for n in rows]
    by_edges = [Problem(nodes[1], rows[0], p) for p in parents]
    return {"nodes": by_nodes, "rows": by_rows, "edges": [(p.hierarchy.n_edges, p) for p in by_edges]}


def print_sizes(series):
    """Print what else grows with nodes and edges: ancestors, and with them the labels of a row."""
    print("| nodes | edges | rows | ancestors per node | labels per row |\n|---:|---:|---:|---:|---:|")
    for _, problem in [pair for problems in series.values() for pair in problems]:
        h, (n_rows, n_nodes) = problem.hierarchy, problem.S.shape
        ancestors = np.mean([len(h.ancestors(v)) for v in range(0, n_nodes, max(1, n_nodes // 1000))])
        labels = problem.Y.sum() / n_rows
        print(f"| {n_nodes:,} | {h.n_edges:,} | {n_rows} | {ancestors:.1f} | {labels:.1f} |")
    print()


def table_line(kind, member, call, series, n_calls):
    """Measure a member; return its line of the table."""
    if member.name in BOUNDED:
        return f"| {kind} | {member.name} | | | | | | {BOUNDED[member.name]} |"
    try:
        taken, slope = measure(call, member, series, n_calls)
        line = f"{taken:.3f} | {slope['nodes']:.2f} | {slope['rows']:.2f} | {slope['edges']:.2f}"
        remark = ""
    except (ValueError, TypeError) as problem:
        line, remark = " | | | ", f"{type(problem).__name__}: {problem}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"| {kind} | {member.name} | {line} | {peak:.0f} | {remark} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--smallest", action="store_true", help="a few dozen nodes: only to see that it runs")
    parser.add_argument("names", nargs="*", help="members to run; all without")
    given = parser.parse_args()
    nodes = (30, 60, 90) if given.smallest else NODES
    for what, rows in ROWS.items():
        families = [(kind, *family[:2]) for kind, family in FAMILIES.items() if family[2] == what]
        chosen = [
            (kind, member, call)
            for kind, registry, call in families
            for member in registry.members()
            if not given.names or member.name in given.names
        ]
        if not chosen:
            continue
        series = make_series(nodes, (5, 10, 20) if given.smallest else rows, PARENTS)
        print_sizes(series)
        print("| kind | member | seconds | nodes | rows | edges | peak RSS so far, MB | |")
        print("|---|---|---:|---:|---:|---:|---:|---|")
        for kind, member, call in chosen:
            print(table_line(kind, member, call, series, 0 if given.smallest else CALLS), flush=True)
        print()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # rows are few: labels without a positive are meant to be there
    main()
