"""Can I trust it? Coverage and size of label sets with a guarantee, and calibration of every preset.

Run as ``PYTHONPATH=src python benchmarks/bench_trust.py``; name parts to run only these: ``coverage``, ``calibration``.
``--keep FOLDER`` keeps held-out and test scores there, for the next run. Rows of train and valid are learned from.
The tables are those of ``docs/trust.rst``.

*coverage*: the test rows are halved twenty times, one half fits the decoder and one measures it. Whatever the rows,
without ties the number of covered rows of a split with n fitted and m measured is beta-binomial,
BB(m, n + 1 - k, k) with k = floor((1 - coverage)(n + 1)), and the splits are independent of each other given the rows:
the band holds 99 % of the sums of twenty such numbers. Losses of ConformalRisk vary less than that.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from data_folder import home, make_parser, open_sets

from truepath import HierarchicalClassifier, Hierarchy, load_dataset
from truepath.classifier import make_preset, preset_names
from truepath.combiners import Calibrator
from truepath.data import make_hmc
from truepath.decoders import ConformalRisk, ConformalSet, ConformalSubtree, SureLabels
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import auprc, expected_calibration_error

TOPICS, FLAT = "pypi-topics", "300 flat classes"
COVERAGE = ["imclef07a", "imclef07d", "diatoms", "enron", "cellcycle_FUN", "church_FUN", "derisi_FUN"]
CALIBRATION = ["imclef07a", "diatoms", "cellcycle_FUN", "cellcycle_GO"]
TARGETS = (0.8, 0.9, 0.95)
N_SPLITS = 20
SMALLEST, KEEP = False, Path()


def load(name):
    """Return rows to learn from with their labels, rows to test, their labels, and the hierarchy."""
    if name == FLAT:
        rng, n = np.random.default_rng(0), 60 if SMALLEST else 300
        label = rng.integers(n, size=30 * n)
        X = 2 * rng.normal(size=(n, 20))[label] + rng.normal(size=(30 * n, 20))
        Y = np.eye(n, dtype=bool)[label]
        return X[: 20 * n], Y[: 20 * n], X[20 * n :], Y[20 * n :], Hierarchy.flat(n)
    if SMALLEST and name == TOPICS:
        ds = make_hmc(90, 8, 12, random_state=0)
    else:
        ds = load_dataset(TOPICS) if name == TOPICS else load_dataset(f"hmc/{name}", home=home()).one_hot()
    ds = ds.merge("train", "valid", into="train") if "valid" in ds else ds
    return ds.train.X, ds.train.y, ds.test.X, ds.test.y, ds.hierarchy


def scores(name, preset):
    """Return what a preset's calibrator is fitted on, scores and labels of test rows, and the hierarchy."""
    file = KEEP / f"{name}+{preset}.npz"
    X, Y, X_test, Y_test, h = load(name)
    if not file.exists():
        seen, fit = {}, Calibrator.fit

        def look(calibrator, S, y, *rest, **options):
            if not seen:  # all rows first, then folds of them
                seen.update(S=as_dense(S), Y=as_dense(y))
            return fit(calibrator, S, y, *rest, **options)

        Calibrator.fit = look
        options = {"hierarchy": h, "calibrate": "sigmoid"}
        model = HierarchicalClassifier(**options) if preset == "default" else make_preset(preset, **options)
        try:
            model.fit(X, Y).calibrator_ = None
        finally:
            Calibrator.fit = fit
        np.savez(file, **seen, S_test=as_dense(model.predict_proba(X_test)))
    with np.load(file) as kept:
        return kept["S"], kept["Y"], kept["S_test"].astype(float), as_dense(Y_test).astype(bool), h


# ------------------------------------------------------------------------------------------ label sets


def flat_sets(S, Y, S_new, target, h):
    """Return flat conformal sets with ancestors added: of leaves where all rows end there, else of all labels."""
    ends = most_specific(Y, h)
    columns = h.leaves if not ends[:, ~h.is_leaf].any() else np.arange(h.n_nodes)
    found = np.zeros(S_new.shape, bool)
    decoder = ConformalSet(target).fit(S[:, columns], Y[:, columns])
    found[:, columns] = decoder.predict(S_new[:, columns])
    return h.close(found)


def most_specific(Y, h):
    """Return the labels with none below."""
    below = np.zeros_like(Y)
    for u, v in h.edges:
        below[:, u] |= Y[:, v]
    return Y & ~below


def decoders(single_path):
    """Return the decoders by what they are called in the table, each as a function of the target."""
    found = {
        "all true": lambda target, h: ConformalSet(target, hierarchy=h),
        "subtree": lambda target, h: ConformalSubtree(target, hierarchy=h),
        "true kept": lambda target, h: ConformalRisk(1 - target, hierarchy=h),
        "all right": lambda target, h: SureLabels(target, hierarchy=h),
    }
    if single_path:
        found["right path"] = lambda target, h: SureLabels(target, hierarchy=h, single_path=True)
    return found


def met(name, Y, sets):
    """Return for each row whether the promise was kept, or the share of true labels that were."""
    if name == "true kept":
        return 1 - (Y & ~sets).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)
    return ~((sets & ~Y) if "right" in name else (Y & ~sets)).any(axis=1)


def band(target, n_fitted, n_measured, rng):
    """Return what 99 % of the mean coverages of twenty splits lie between."""
    k = np.floor((1 - target) * (n_fitted + 1) + 1e-9)
    if k < 1:
        return target, 1.0
    hits = rng.binomial(n_measured, rng.beta(n_fitted + 1 - k, k, (20_000, N_SPLITS))).mean(axis=1) / n_measured
    return tuple(np.quantile(hits, [0.005, 0.995]))


def coverage(names):
    """Print coverage and size of all decoders; a star where coverage is outside the band."""
    rng = np.random.default_rng(0)
    for name in names:
        *_, S, Y, h = scores(name, "forest" if name != TOPICS and name != "enron" else "default")
        splits = [rng.permutation(len(S)) for _ in range(N_SPLITS)]
        half = len(S) // 2
        for target in TARGETS:
            flat = np.mean([flat_sets(S[p[:half]], Y[p[:half]], S[p[half:]], target, h).sum() for p in splits])
            cells = [f"flat {flat / (len(S) - half):.1f}"]
            for kind, make in decoders((most_specific(Y, h).sum(axis=1) == 1).all()).items():
                found = [measure(kind, make(target, h), S, Y, p[:half], p[half:]) for p in splits]
                share, size, n_fitted = np.mean(found, axis=0)
                low, high = band(target, int(n_fitted), len(S) - half, rng)
                cells.append(f"{kind} {share:.1%}{'' if low <= share <= high else '*'} ({size:.1f})")
            print(name, f"{target:.0%}", *cells, sep=" | ", flush=True)


def measure(kind, decoder, S, Y, fitted, measured):
    """Return coverage, mean size, and how many rows the level was chosen by."""
    sets = decoder.fit(S[fitted], Y[fitted]).predict(S[measured])
    assert decoder.hierarchy_.is_closed(sets)
    n = decoder.steps_.weight if isinstance(decoder, ConformalSubtree) else len(fitted)
    return met(kind, Y[measured], sets).mean(), sets.sum(axis=1).mean(), n


# ----------------------------------------------------------------------------------------- calibration


def calibration(pairs):
    """Print calibration error and AU(PRC) before and after."""
    for name, preset in pairs:
        S, Y, S_test, Y_test, h = scores(name, preset)
        start = time.process_time()
        after = Calibrator(hierarchy=h).fit(S, Y)
        cells = [(expected_calibration_error(Y_test, T), auprc(Y_test, T)) for T in (S_test, after.transform(S_test))]
        (error, area), (error_after, area_after) = cells
        took = f"{time.process_time() - start:.1f} s"
        shown = (
            f"{error:.4f} -> {error_after:.4f}",
            f"{area:.3f} -> {area_after:.3f}",
            f"{after.method_} {after.pooling_:g}",
            took,
        )
        print(name, preset, *shown, sep=" | ", flush=True)


def main():
    """Run the parts that were asked for."""
    global SMALLEST, KEEP, N_SPLITS
    parser = make_parser(__doc__)
    parser.add_argument("parts", nargs="*", help="coverage, calibration")
    parser.add_argument("--keep", help="folder for scores")
    args = parser.parse_args()
    SMALLEST, KEEP = args.smallest, Path(args.keep or tempfile.mkdtemp(prefix="truepath-trust-"))
    N_SPLITS = 2 if SMALLEST else N_SPLITS
    warnings.simplefilter("ignore")
    sets = {name.removeprefix("hmc/") for name in open_sets([f"hmc/{n}" for n in {*COVERAGE, *CALIBRATION}], SMALLEST)}
    if not args.parts or "coverage" in args.parts:
        coverage([*[name for name in COVERAGE if name in sets][: 2 if SMALLEST else None], TOPICS])
    if not args.parts or "calibration" in args.parts:
        pairs = [(TOPICS, preset) for preset in ("default", *preset_names())]
        pairs += [(name, preset) for name in (*CALIBRATION, FLAT) for preset in ("forest", "default")]
        pairs = [pair for pair in pairs if pair[0] in (TOPICS, FLAT, *sets)]
        calibration(pairs[:3] if SMALLEST else pairs)


if __name__ == "__main__":
    main()
