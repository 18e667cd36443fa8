"""Evaluation against sums written out target by target, whatever form the input has."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from cafa_files import make_case
from truepath import Hierarchy
from truepath.cafa import Ontology, read_long_table, read_ontology, write_evaluations
from truepath.cafa import evaluate_predictions as evaluate
from truepath.errors import InputWarning
from truepath.metrics import cafa_curve

HIERARCHY = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("s", "d")])
ONTOLOGY = Ontology.of(HIERARCHY, {"R": ["r", "a", "b", "c"], "S": ["s", "d"]})
TRUTH = {"P1": ["c"], "P2": ["a", "d"], "P3": ["s"]}
PREDICTED = {"P1": {"c": 0.4, "b": 0.9}, "P2": {"d": 0.5, "b": 0.3}, "P4": {"a": 1.0}}


def propagated(scores, prop):
    S = scores.copy()
    for v in reversed(range(HIERARCHY.n_nodes)):
        for u in HIERARCHY.parents(v):
            if prop == "max" or scores[:, u].max() == 0:
                S[:, u] = np.maximum(S[:, u], S[:, v])
    return S


@pytest.mark.parametrize("norm", ["cafa", "pred", "gt"])
@pytest.mark.parametrize("orphans", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_written_out(norm, orphans, weighted):
    rng = np.random.default_rng(1)
    scores = np.round(rng.random((6, 6)), 1) * (rng.random((6, 6)) < 0.6)
    true = HIERARCHY.close(rng.random((6, 6)) < 0.3)
    mass = np.where(np.isin(HIERARCHY.names, ["r", "a", "b", "c"]), [0.5, 1, 2, 0, 3, 1] if weighted else 1.0, 0)
    has_truth = true[:, np.isin(HIERARCHY.names, ["r", "a", "b", "c"])].any(axis=1)
    if not orphans:
        mass[HIERARCHY.index("r")] = 0
    found = evaluate(
        true, scores, ONTOLOGY, ia=mass if weighted else None, norm=norm, orphans=orphans, thresholds=[0.25, 0.65]
    )
    curve = (found.weighted if weighted else found.curves)["R"]
    S, true = propagated(scores, "max")[has_truth], true[has_truth]
    for k, threshold in enumerate(curve.thresholds):
        P = S >= threshold
        hit, of, everything = (P & true) @ mass, P @ mass, true @ mass
        n_predicted, n_true = int((of > 0).sum()), len(true)
        over, among = {"cafa": (n_predicted, n_true), "pred": (n_predicted,) * 2, "gt": (n_true,) * 2}[norm]
        wanted = {
            "n": n_predicted,
            "precision": sum(h / p for h, p in zip(hit, of) if p) / over,
            "recall": sum(h / e for h, e in zip(hit, everything) if e) / among,
            "misinformation": (of - hit).sum() / among,
            "remaining_uncertainty": (everything - hit).sum() / among,
            "coverage": n_predicted / n_true,
            "micro_precision": hit.sum() / of.sum(),
        }
        assert {name: curve.values[name][k] for name in wanted} == pytest.approx(wanted)


def test_tables_files_frames_and_matrices_are_evaluated_alike(tmp_path):
    made = make_case(tmp_path, 3)
    ontology = read_ontology(made.ontology)
    by_path = evaluate(made.truth, made.predictions, ontology, ia=made.ia)
    table = read_long_table(made.predictions, scored=True)
    lines = [line.split("\t") for line in made.predictions.read_text().splitlines()]
    triples = [(target, term, float(score)) for target, term, score in lines]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(triples, columns=["target", "term", "score"])
    targets = sorted({line.split("\t")[0] for line in made.truth.read_text().splitlines()})
    S, Y = np.zeros((len(targets), 12)), np.zeros((len(targets), 12), bool)
    for target, term, score in triples:
        if target in targets:
            at = targets.index(target), ontology.hierarchy.index(term)
            S[at] = max(S[at], score)
    for target, term in (line.split("\t") for line in made.truth.read_text().splitlines()):
        Y[targets.index(target), ontology.hierarchy.index(term)] = True
    others = [evaluate(made.truth, given, ontology, ia=made.ia) for given in (table, triples, frame)]
    others += [evaluate(Y, S, ontology, ia=made.ia)]
    others += [evaluate(sparse.csr_array(Y), sparse.csr_array(S), ontology, ia=made.ia)]
    for other in others:
        assert len(other.rows()) == len(by_path.rows())
        for row, wanted in zip(other.rows(), by_path.rows()):
            assert row == pytest.approx(wanted)


def test_every_line_is_accounted_for():
    found = evaluate(
        {**TRUTH, "P5": ["nowhere"]}, {**PREDICTED, "P1": {"c": 0.4, "b": 0.9, "gone": 0.2}}, ONTOLOGY
    ).counts
    assert found["truth: pairs"] == 5
    assert found["truth: with current terms"] + found["truth: with unknown terms"] == 5
    assert found["truth: targets without any term of the ontology"] == 1
    assert found["predictions: pairs"] == 6
    assert found["predictions: with unknown terms"] == 1
    assert found["predictions: of targets without truth"] == 1
    assert (found["targets"], found["targets with predictions"]) == (3, 2)


def test_all_thresholds_are_those_of_the_metric():
    rng = np.random.default_rng(0)
    S, Y = propagated(rng.random((7, 6)), "max"), HIERARCHY.close(rng.random((7, 6)) < 0.4)
    Y[:, HIERARCHY.index("r")] = True
    curve = evaluate(Y, S, ONTOLOGY, thresholds="exact").curves["R"]
    metric = cafa_curve(Y, S, HIERARCHY, nodes=["r", "a", "b", "c"])
    np.testing.assert_allclose(curve.thresholds, metric.thresholds[::-1])
    np.testing.assert_allclose(curve.values["precision"], metric.precision[::-1])
    np.testing.assert_allclose(curve.values["remaining_uncertainty"], metric.remaining_uncertainty[::-1], atol=1e-12)


def test_known_terms_count_neither_as_true_nor_as_predicted():
    known = {"P1": ["a"], "P2": ["a"], "P9": ["c"]}
    found = evaluate(TRUTH, PREDICTED, ONTOLOGY, known=known, thresholds=[0.3])
    curve = found.curves["R"]
    assert curve.n_targets == 1  # all that P2 has in R was known
    assert curve.values["tp"].tolist() == [2.0]  # b and c of P1; r and a were known
    assert curve.values["fp"].tolist() == [0.0]


def test_known_terms_of_a_matrix_have_their_ancestors():
    ontology = Ontology.of(Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")], nodes=["a", "b", "c", "d"]))
    truth, scores = np.array([[1, 1, 1, 1], [1, 0, 0, 1]]), np.array([[0.9, 0.8, 0.7, 0.6], [0.9, 0.2, 0.1, 0.8]])
    open_, closed = np.array([[0, 1, 0, 0], [0, 0, 0, 0]]), np.array([[1, 1, 0, 0], [0, 0, 0, 0]])
    for known in (open_, sparse.csr_array(open_)):
        found, expected = (evaluate(truth, scores, ontology, known=given) for given in (known, closed))
        assert found.rows() == expected.rows()


@pytest.mark.parametrize("seed", range(6))
def test_an_alternative_id_of_several_terms_means_all_of_them(tmp_path, seed):
    """As cafaeval has it; the twin writes a line for each of the terms."""
    made = make_case(tmp_path, seed)
    shared = {"X:shared": ["X:001", "X:004", "X:007"], "X:two": ["X:002", "X:003"]}
    text = made.ontology.read_text()
    for alias, names in shared.items():
        for name in names:
            text = text.replace(f"id: {name}\n", f"id: {name}\nalt_id: {alias}\n")
    made.ontology.write_text(text)
    ontology = read_ontology(made.ontology)
    assert {alias: list(names) for alias, names in ontology.shared.items()} == shared
    tables = {}
    for name, file in (("truth", made.truth), ("predictions", made.predictions)):
        lines = [line.split("\t") for line in file.read_text().splitlines()]
        for line in lines[:: seed % 3 + 1]:
            line[1] = list(shared)[len(line[0] + line[1]) % 2 if name == "truth" else int(line[0][1:]) % 2]
        written_out = [[line[0], name, *line[2:]] for line in lines for name in shared.get(line[1], [line[1]])]
        for kind, rows in (("short", lines), ("written out", written_out)):
            tables[kind, name] = tmp_path / f"{kind}-{name}.tsv"
            tables[kind, name].write_text("".join("\t".join(row) + "\n" for row in rows))
    for options in ({}, {"max_terms": 2}):
        short, twin = (
            evaluate(tables[kind, "truth"], tables[kind, "predictions"], ontology, **options)
            for kind in ("short", "written out")
        )
        assert short.rows() == twin.rows()
    kept = ontology.keep(["X:shared"])
    assert {"X:001", "X:004", "X:007"} <= set(kept.hierarchy.names)
    assert kept.resolve(["X:shared"]).counts["alternative"] == 1


def test_fill_keeps_the_scores_that_are_given():
    S, Y = np.zeros((1, 6)), np.zeros((1, 6), bool)
    for name, score in (("c", 0.9), ("a", 0.2)):
        S[0, HIERARCHY.index(name)] = score
    Y[0, HIERARCHY.index("c")] = True
    for prop, wanted in (("max", 4), ("fill", 3)):  # a stays at 0.2; b and r get what is below them
        assert evaluate(Y, S, ONTOLOGY, prop=prop, thresholds=[0.5]).curves["R"].values["tp"].tolist() == [wanted]


def test_the_first_terms_of_a_table_and_the_highest_of_a_matrix():
    predicted = [("P1", "b", 0.2), ("P1", "a", 0.9), ("P1", "c", 0.8), ("P1", "d", 0.7)]
    options = {"max_terms": 1, "thresholds": [0.1]}
    curve = evaluate({"P1": ["c", "d"]}, predicted, ONTOLOGY, **options).curves["R"]
    assert curve.values["tp"].tolist() == [2.0]  # b and r
    S = np.array([[0.0, 0.9, 0.2, 0.8, 0.0, 0.7]])
    at = HIERARCHY.indices(["r", "a", "b", "c", "s", "d"])
    matrix, Y = np.zeros((1, 6)), HIERARCHY.encode([["c", "d"]])
    matrix[0, at] = S[0]
    assert evaluate(Y, matrix, ONTOLOGY, **options).curves["R"].values["tp"].tolist() == [2.0]  # a and r


def test_files_are_as_cafaeval_writes_them(tmp_path):
    found = evaluate(TRUTH, PREDICTED, ONTOLOGY, ia={"a": 1.0, "c": 2.0, "d": 1.0})
    lines = write_evaluations({"one.tsv": found}, tmp_path / "all.tsv").read_text().splitlines()
    head = lines[0].split("\t")
    assert head[:6] == ["filename", "ns", "tau", "n", "tp", "fp"]
    assert head[-1] == "f_micro_w"
    assert {len(line.split("\t")) for line in lines} == {len(head)}
    assert lines[1].startswith("one.tsv\tR\t0.01\t2.0\t")


def test_smin_is_weighted_where_there_are_weights():
    plain, weighted = (
        evaluate(TRUTH, PREDICTED, ONTOLOGY),
        evaluate(TRUTH, PREDICTED, ONTOLOGY, ia={"c": 8.0}),
    )
    assert "wfmax" not in plain.summary()[0]
    assert plain.summary()[0]["smin"] != weighted.summary()[0]["smin"]
    assert repr(plain) == "Evaluation(Fmax: R 0.750, S 0.667)"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"norm": "all"}, "norm must be"),
        ({"prop": "min"}, "prop must be"),
        ({"thresholds": "grid"}, "thresholds must be"),
        ({"thresholds": 1.5}, "step"),
        ({"thresholds": [0.0]}, "above 0"),
        ({"max_terms": 0}, "max_terms"),
        ({"aspects": ["T"]}, "no aspect"),
        ({"ia": np.ones(3)}, "ia must be"),
    ],
)
def test_what_cannot_be_done_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        evaluate(TRUTH, PREDICTED, ONTOLOGY, **options)


def test_a_step_gives_hundredths_as_they_are_written():
    curve = evaluate({"P": ["a"]}, {"P": {"a": 0.35}}, ONTOLOGY, thresholds=0.01).curves["R"]
    assert curve.thresholds.max() == 0.35


def test_curves_can_be_drawn():
    pytest.importorskip("matplotlib").use("agg")
    axes = evaluate(TRUTH, PREDICTED, ONTOLOGY).plot()
    assert [ax.get_title() for ax in axes] == ["R", "S"]
    assert evaluate(TRUTH, PREDICTED, ONTOLOGY, ia={"c": 1.0, "d": 2.0}).plot("s").size == 2


def test_scores_that_no_threshold_tells_apart_are_told_of():
    with pytest.warns(InputWarning, match=r"2 of 3 scores are not from 0 to 1, such as 59\.5: thresholds end at 1"):
        evaluate({"P": ["a"], "Q": ["b"]}, {"P": {"a": 59.5, "b": 0.5}, "Q": {"b": -1.0}}, ONTOLOGY)


def test_targets_that_are_called_otherwise_are_told_of():
    with pytest.warns(InputWarning, match=r"none of the 1 pairs is of a target .* such as 'sp\|P\|X'\. Ids must be"):
        evaluate({"sp|P|X": ["a"]}, {"P": {"a": 0.5}}, ONTOLOGY)
