"""Which answer is best for a row? Decoders measured by what each is best at, and the price of deciding row by row.

Run as ``PYTHONPATH=src python benchmarks/bench_answers.py``; name parts to run only these: ``sets``, ``measures``,
``stopping``, ``speed``. ``--keep FOLDER`` keeps held-out and test scores there, for the next run. The tables are those
of ``docs/best_answer.rst``. Tables are scored by a forest, texts by linear models; decoders are fitted on held-out
scores, and all but ExpectedF, which calibrates itself, on scores that a Calibrator made into probabilities.
"""

from __future__ import annotations

import csv
import lzma
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from data_folder import home, make_parser, open_sets

from truepath import Hierarchy, load_dataset
from truepath.classifier import make_preset
from truepath.combiners import Calibrator
from truepath.data import make_hmc
from truepath.decoders import (
    BestPath,
    ConformalSet,
    ExpectedCost,
    ExpectedF,
    LevelThresholds,
    SingleThreshold,
    StoppingPath,
    SureLabels,
)
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import exact_match, h_loss, hierarchical_f1, hmc_loss

TABLES = ["imclef07a", "imclef07d", "diatoms", "enron", "cellcycle_FUN", "seq_FUN"]
TEXTS = ["attack", "biotools_edam"]
TOPICS = "pypi-topics"
SMALLEST, KEEP = False, Path()


def load(name):
    """Return rows to learn from with their labels, rows to test, their labels, and the hierarchy."""
    if name in TEXTS:
        return read_texts(name)
    if SMALLEST and name == TOPICS:
        ds = make_hmc(90, 8, 12, random_state=0)
    else:
        ds = load_dataset(TOPICS) if name == TOPICS else load_dataset(f"hmc/{name}", home=home()).one_hot()
    ds = ds.merge("train", "valid", into="train") if "valid" in ds else ds
    return ds.train.X, ds.train.y, ds.test.X, ds.test.y, ds.hierarchy


def read_texts(name):
    """Read one of the text sets, whose labels form a DAG."""
    folder = home() / "text" / name
    with lzma.open(folder / "edges.csv.xz", "rt") as file:
        h = Hierarchy.from_edges([(row["parent"] or None, row["child"]) for row in csv.DictReader(file)])
    with lzma.open(folder / "rows.csv.xz", "rt") as file:
        rows = list(csv.DictReader(file))
    Y = h.encode([[label for label in row["labels"].split(";") if label] for row in rows])
    is_test = np.array([row["split"] == "test" for row in rows])
    texts = np.array([row["text"] for row in rows], object)
    return list(texts[~is_test]), Y[~is_test], list(texts[is_test]), Y[is_test], h


def scores(name):
    """Return held-out scores, their labels, scores and labels of test rows, and the hierarchy."""
    file = KEEP / f"{name}.npz"
    X, Y, X_test, Y_test, h = load(name)
    if not file.exists():
        seen, fit = {}, SingleThreshold.fit

        def look(decoder, S, y=None, *rest, **options):
            seen.update(S=as_dense(S), Y=as_dense(y).astype(bool))
            return fit(decoder, S, y, *rest, **options)

        SingleThreshold.fit = look
        preset = "linear" if name in (*TEXTS, TOPICS, "enron") and not SMALLEST else "forest"
        try:
            model = make_preset(preset, hierarchy=h, decoder="single", combiner=None).fit(X, Y)
        finally:
            SingleThreshold.fit = fit
        np.savez(file, **seen, St=as_dense(model.predict_proba(X_test)))
    with np.load(file) as kept:
        return kept["S"].astype(float), kept["Y"], kept["St"].astype(float), as_dense(Y_test).astype(bool), h


def calibrated(name):
    """Return the same with scores made into probabilities."""
    S, Y, S_test, Y_test, h = scores(name)
    calibrator = Calibrator("isotonic", hierarchy=h)
    return calibrator.fit_held_out(S, Y), Y, calibrator.transform(S_test), Y_test, h


def f_of_rows(Y, P, h):
    """Return the mean over rows of hierarchical F1."""
    return hierarchical_f1(Y, P, h, average="samples")


class BestSingle(SingleThreshold):
    """The one threshold that is best for the mean F1 of rows."""

    def __init__(self, *, hierarchy=None):
        super().__init__(f_of_rows_quickly, hierarchy=hierarchy, candidates=200)


def f_of_rows_quickly(y_true, y_pred):
    """Return the mean F1 of rows of closed labels."""
    Y, P = (np.asarray(as_dense(M), bool) for M in (y_true, y_pred))
    below = Y.sum(axis=1) + P.sum(axis=1)
    return float(np.where(below > 0, 2 * (Y & P).sum(axis=1) / np.maximum(below, 1), 0.0).mean())


def plug_in(S):
    """Return the k best labels of each row, the k that makes 2 x their scores / (k + all scores) greatest."""
    ordered = -np.sort(-S, axis=1)
    value = 2 * np.cumsum(ordered, axis=1) / (np.arange(1, S.shape[1] + 1) + S.sum(axis=1)[:, None])
    return S >= ordered[np.arange(len(S)), value.argmax(axis=1)][:, None]


def compare_sets(names):
    """Print the mean F1 of rows on every set: thresholds, plug-in and the best set of each row."""
    gains = []
    for name in names:
        S, Y, S_test, Y_test, h = scores(name)
        C, _, C_test, *_ = calibrated(name)
        raw = BestSingle(hierarchy=h).fit(S, Y).predict(S_test)
        decoder = ExpectedF(hierarchy=h).fit(S, Y)
        found = [
            raw,
            BestSingle(hierarchy=h).fit(C, Y).predict(C_test),
            BestPath(hierarchy=h).predict(C_test),
            plug_in(C_test),
            decoder.predict(S_test),
        ]
        f = [f_of_rows_quickly(Y_test, P) for P in found]
        gains.append(f[-1] - max(f[:2]))
        model = f"{'many paths' if decoder.many_ else 'one path'}{', sizes weighed' * (decoder.size_weight_.size > 1)}"
        print(name, *(f"{value:.3f}" for value in f), model, sep=", ", flush=True)
    print(f"above the better threshold: {np.mean(gains):+.4f} in the mean, {min(gains):+.4f} at least")


def measures(names):
    """Print realised values of several measures for decoders that are made for one of them."""
    for name in names:
        S, Y, S_test, Y_test, h = calibrated(name)
        decoders = {
            "SingleThreshold, micro-F1": SingleThreshold(hierarchy=h, coherent="max-up"),
            "SingleThreshold, F1 of rows": BestSingle(hierarchy=h),
            "SingleThreshold, HMC-loss": SingleThreshold("hmc_loss", hierarchy=h, lambda_=1.0, coherent="max-up"),
            "BestPath": BestPath(hierarchy=h),
            "ExpectedF": ExpectedF(hierarchy=h, calibrate=None),
            "ExpectedF, beta 0.5": ExpectedF(0.5, hierarchy=h, calibrate=None),
            "ExpectedF, beta 2": ExpectedF(2.0, hierarchy=h, calibrate=None),
            "ExpectedCost, every mistake": ExpectedCost(hierarchy=h),
            "ExpectedCost, uppermost": ExpectedCost(hierarchy=h, loss="uppermost"),
        }
        for label, decoder in decoders.items():
            P = decoder.fit(S, Y).predict(S_test)
            precision = (P & Y_test).sum(axis=1) / np.maximum(P.sum(axis=1), 1)
            recall = (P & Y_test).sum(axis=1) / np.maximum(Y_test.sum(axis=1), 1)
            half, two = (np.mean(f_beta(precision, recall, beta)) for beta in (0.5, 2.0))
            cells = [f"{f_of_rows_quickly(Y_test, P):.3f}", f"{half:.3f}", f"{two:.3f}"]
            cells += [f"{hierarchical_f1(Y_test, P, h):.3f}", f"{exact_match(Y_test, P):.3f}"]
            cells += [f"{h_loss(Y_test, P, h):.3f}", f"{hmc_loss(Y_test, P, h, lambda_=1.0):.4f}"]
            print(name, label, *cells, f"{P.sum(axis=1).mean():.1f}", sep=", ", flush=True)


def f_beta(precision, recall, beta):
    """Return F-measures, 0 where nothing is right."""
    below = beta**2 * precision + recall
    return np.where(below > 0, (1 + beta**2) * precision * recall / np.where(below > 0, below, 1.0), 0.0)


def stopping(names):
    """Print what decoders that stop where they are unsure do on the same rows."""
    for name in names:
        S, Y, S_test, Y_test, h = calibrated(name)
        decoders = {
            "BestPath": BestPath(hierarchy=h),
            "StoppingPath(9)": StoppingPath(9.0, hierarchy=h),
            "LevelThresholds(0.9)": LevelThresholds(0.9, hierarchy=h),
            "SureLabels(0.9, single_path)": SureLabels(0.9, hierarchy=h, single_path=True),
            "ConformalSet(0.9)": ConformalSet(0.9, hierarchy=h),
            "ExpectedF": ExpectedF(hierarchy=h, calibrate=None),
        }
        for label, decoder in decoders.items():
            P = decoder.fit(S, Y).predict(S_test)
            right = (P & Y_test).sum() / max(P.sum(), 1)
            depth = (P * h.depth).max(axis=1)
            cells = [f"{right:.1%}", f"{1 - (P & ~Y_test).any(axis=1).mean():.1%}"]
            cells += [
                f"{1 - (Y_test & ~P).any(axis=1).mean():.1%}",
                f"{depth.mean():.2f}",
                f"{P.sum(axis=1).mean():.1f}",
            ]
            cells += [f"{1 - P.any(axis=1).mean():.1%}", f"{f_of_rows_quickly(Y_test, P):.3f}"]
            print(name, label, *cells, sep=", ", flush=True)


def speed(names):
    """Print the time of predict, nothing learned, against np.sort of the same scores, all cells at once."""
    for name in names:
        S, *_, h = calibrated(name)
        S = np.ascontiguousarray(S[np.arange(200 if SMALLEST else 5000) % len(S)])
        decoder = ExpectedF(hierarchy=h, paths="many", calibrate=None, weigh_sizes=False)
        report_speed(name, decoder, S)
    h = Hierarchy.from_parents([-1] * 20 + [int(u) for u in np.random.default_rng(0).integers(0, 20, 480)])
    S = np.random.default_rng(1).random((200 if SMALLEST else 5000, 500)) ** 8
    for u, v in h.edges:
        S[:, v] *= S[:, u]
    decoder = ExpectedF(hierarchy=h, paths="many", calibrate=None, weigh_sizes=False)
    report_speed("made up", decoder, S)


def report_speed(name, decoder, S):
    """Print medians of interleaved runs."""
    decoder.predict(S[:10])
    ours, sort = [], []
    for _ in range(5):
        start = time.process_time()
        decoder.predict(S)
        middle = time.process_time()
        np.sort(S, axis=None)
        ours, sort = [*ours, middle - start], [*sort, time.process_time() - middle]
    ratio = np.median(ours) / max(np.median(sort), 1e-9)
    print(f"{name}, {S.shape}, {1e3 * np.median(ours):.0f} ms, np.sort {1e3 * np.median(sort):.0f} ms, {ratio:.1f} x")


def main():
    """Run the parts that were asked for."""
    global SMALLEST, KEEP
    parser = make_parser(__doc__)
    parser.add_argument("parts", nargs="*", help="sets, measures, stopping, speed")
    parser.add_argument("--keep", help="folder for scores")
    args = parser.parse_args()
    SMALLEST, KEEP = args.smallest, Path(args.keep or tempfile.mkdtemp(prefix="truepath-answers-"))
    warnings.simplefilter("ignore")
    there = open_sets([f"hmc/{name}" for name in TABLES], SMALLEST)
    texts = [] if SMALLEST else [name.removeprefix("text/") for name in open_sets([f"text/{name}" for name in TEXTS])]
    tables = [name.removeprefix("hmc/") for name in there][: 1 if SMALLEST else None]
    few = [name for name in ("imclef07a", "diatoms", "enron") if name in tables]
    parts = {
        "sets": lambda: compare_sets([*tables, TOPICS, *texts]),
        "measures": lambda: measures(few),
        "stopping": lambda: stopping([name for name in ("imclef07a", "diatoms") if name in tables]),
        "speed": lambda: speed([name for name in ("cellcycle_FUN", "diatoms") if name in tables]),
    }
    for part in args.parts or parts:
        parts[part]()


if __name__ == "__main__":
    main()
