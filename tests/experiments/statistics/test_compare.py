"""Comparing methods over data sets, against Demšar's worked example and against definitions written with loops."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles_experiments as slow
import places
from truepath.errors import TruePathError
from truepath.experiments import compare
from truepath.experiments.statistics.significance import (
    adjust_holm,
    critical_difference,
    friedman,
    nemenyi,
    rank_rows,
    wilcoxon_pairs,
)

GOLDEN = json.loads((places.GOLDEN / "demsar2006.json").read_text(encoding="utf-8"))
POSTHOC = json.loads((places.GOLDEN / "posthoc_tests.json").read_text(encoding="utf-8"))
TIDY = {
    "dataset": ["x", "x", "y", "y", "z", "z"],
    "method": ["a", "b"] * 3,
    "measure": ["h_loss"] * 6,
    "value": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
}


def demsar(alpha=0.05):
    options = {"methods": GOLDEN["methods"], "datasets": GOLDEN["datasets"], "greater_is_better": True}
    return compare(np.array(GOLDEN["auc"]), alpha=alpha, **options)


@pytest.mark.parametrize("entry", GOLDEN["entries"], ids=lambda entry: entry["what"])
def test_demsars_example(entry):
    found, what = demsar(), entry["what"]
    values = {f"mean rank of {name}": rank for name, rank in zip(found.methods, found.mean_ranks)}
    chi2 = slow.friedman_chi2(found.ranks.tolist())  # as published; ours is corrected for the ties
    values |= {"chi2 without correction for ties": chi2, "F without correction for ties": 13 * chi2 / (14 * 3 - chi2)}
    values |= {f"critical difference at {a:.2f}": demsar(a).critical_difference for a in (0.05, 0.10)}
    assert values[what] == pytest.approx(entry["value"], abs=entry["tolerance"])


def test_demsars_groups():
    assert demsar(0.05).cliques() == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert demsar(0.10).cliques() == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize("alpha", ["0.05", "0.10"])
def test_published_critical_values(alpha):
    for k, q in GOLDEN["q_alpha"][alpha].items():
        n = int(k) * (int(k) + 1)  # CD = q sqrt(k (k + 1) / 6 N) = q for N = k (k + 1) / 6
        found = critical_difference(int(k), 1, float(alpha)) / np.sqrt(n / 6)
        assert found == pytest.approx(q, abs=GOLDEN["q_alpha"]["tolerance"])


values = arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 6)), elements=st.sampled_from([0, 0.25, 0.5, 0.75]))


@given(values, st.booleans())
def test_ranks_and_friedman_are_as_defined(matrix, greater):
    ranks = rank_rows(matrix, greater)
    assert ranks.tolist() == [slow.ranks_of(row, greater) for row in matrix.tolist()]
    found = friedman(ranks)
    chi2, f = slow.friedman_with_ties(ranks.tolist())
    assert (found.chi2, found.f) == pytest.approx((chi2, f), abs=1e-9)
    if np.ptp(ranks):
        from scipy.stats import friedmanchisquare

        expected = friedmanchisquare(*matrix.T)
        assert (found.chi2, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(3, 8), st.integers(2, 4))
def test_wilcoxon_and_holm_are_as_defined(seed, n_datasets, n_methods):
    matrix = np.random.default_rng(seed).normal(size=(n_datasets, n_methods))
    p_values = wilcoxon_pairs(matrix)
    pairs = np.triu_indices(n_methods, 1)
    expected = [slow.wilcoxon_exact((matrix[:, i] - matrix[:, j]).tolist()) for i, j in zip(*pairs)]
    np.testing.assert_allclose(p_values[pairs], expected)
    np.testing.assert_allclose(adjust_holm(p_values)[pairs], slow.holm(expected))
    assert (adjust_holm(p_values) == adjust_holm(p_values).T).all()


def test_holm_agrees_with_statsmodels():
    golden = POSTHOC["holm"]
    p = np.ones((golden["n_methods"],) * 2)
    pairs = np.triu_indices(len(p), 1)
    p[pairs] = p.T[pairs] = golden["p_values"]
    np.testing.assert_allclose(adjust_holm(p)[pairs], golden["corrected"], rtol=1e-12)


@pytest.mark.parametrize("case", POSTHOC["nemenyi"]["cases"], ids=lambda case: case["what"])
def test_nemenyi_agrees_with_scikit_posthocs(case):
    found = nemenyi(rank_rows(np.array(case["values"], float), greater_is_better=False))
    np.testing.assert_allclose(found, case["p_values"], rtol=0, atol=POSTHOC["nemenyi"]["tolerance"])


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_nemenyi_agrees_with_the_critical_difference(seed):
    rng = np.random.default_rng(seed)
    found = compare(rng.normal(size=(10, 5)) + np.arange(5) * rng.random(), greater_is_better=True)
    distance = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    assert ((found.nemenyi < found.alpha) == (distance > found.critical_difference)).all()
    groups = [(found.methods.index(group[0]), found.methods.index(group[-1])) for group in found.cliques()]
    assert groups == slow.cliques(found.mean_ranks.tolist(), (found.nemenyi >= found.alpha).tolist())


@settings(max_examples=20)
@given(values, st.permutations(range(3)))
def test_order_and_direction_do_not_matter(matrix, order):
    names = ["a", "b", "c"]
    matrix = matrix[:, :3]
    one = compare(matrix, methods=names, greater_is_better=True)
    two = compare(-matrix[::-1][:, order], methods=[names[j] for j in order], greater_is_better=False)
    assert dict(zip(one.methods, one.mean_ranks)) == pytest.approx(dict(zip(two.methods, two.mean_ranks)))
    assert one.friedman.chi2 == pytest.approx(two.friedman.chi2)
    for i, a in enumerate(one.methods):
        for j, b in enumerate(one.methods):
            other = two.methods.index(a), two.methods.index(b)
            assert (one.wins[i, j], one.ties[i, j]) == (two.wins[other], two.ties[other])
            assert one.wilcoxon_holm[i, j] == pytest.approx(two.wilcoxon_holm[other])


def test_the_metric_knows_the_direction():
    assert compare(TIDY).methods == ("a", "b")
    assert compare({**TIDY, "measure": ["micro_f1[leaves]"] * 6}).methods == ("b", "a")
    with pytest.raises(TruePathError, match="greater values of 'AUC' are better"):
        compare({**TIDY, "measure": ["AUC"] * 6})
    assert compare({**TIDY, "measure": ["AUC"] * 6}, greater_is_better=True).methods == ("b", "a")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "csv", "wide pandas", "wide polars", "wide csv"])
def test_tables_of_any_kind(kind, tmp_path):
    wide = {"dataset": ["x", "y", "z"], "a": [0.1, 0.3, 0.5], "b": [0.2, 0.4, 0.6]}
    columns = wide if "wide" in kind else TIDY
    if "csv" in kind:
        import csv

        table = tmp_path / "table.csv"
        with open(table, "w", newline="") as file:
            csv.writer(file).writerows([list(columns), *zip(*columns.values())])
    elif kind == "pyarrow":
        table = pytest.importorskip("pyarrow").table(columns)
    else:
        library = pytest.importorskip(kind.split()[-1])
        table = library.DataFrame(columns)
        table = table.set_index("dataset") if kind == "wide pandas" else table
    found = compare(table, "h_loss")
    assert found.datasets == ("x", "y", "z")
    assert found.methods == ("a", "b")
    np.testing.assert_array_equal(found.values, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])


def test_runs_are_averaged_before_ranks():
    table = {
        "dataset": ["x"] * 4 + ["y"] * 4,
        "method": ["a", "a", "b", "b"] * 2,
        "fold": [0, 1, 0, 1] * 2,
        "value": [0.0, 1.0, 0.4, 0.4, 0.2, 0.2, 0.3, 0.5],
    }
    found = compare(table, greater_is_better=True)
    assert found.methods == ("a", "b")
    np.testing.assert_allclose(found.values, [[0.5, 0.4], [0.2, 0.4]])
    assert found.mean_ranks.tolist() == [1.5, 1.5]


def test_two_methods_have_wilcoxon_only():
    found = compare(np.random.default_rng(0).normal(size=(9, 2)), greater_is_better=True)
    assert found.tests == ("wilcoxon",)
    assert found.friedman is None
    np.testing.assert_array_equal(found.wilcoxon, found.wilcoxon_holm)
    with pytest.raises(TruePathError, match="no nemenyi test of 2 methods"):
        found.p_values("nemenyi")


def test_too_few_data_sets_are_called_so():
    one = compare([[1.0, 2.0, 3.0]], greater_is_better=True)
    assert one.tests == ()
    assert "nothing can be tested" in one.remarks[0]
    assert one.cliques() == (one.methods,)
    two = compare([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], greater_is_better=True)
    text = " ".join(two.remarks)
    assert "smallest p-value is 0.5 times 3 pairs" in text
    assert "Nemenyi's test has no power" in text


def test_methods_that_never_differ():
    found = compare(np.ones((12, 3)), greater_is_better=True)
    assert found.friedman.p_value == found.friedman.f_p_value == 1
    assert found.wins.sum() == 0
    assert (found.wilcoxon == 1).all()
    assert found.cliques() == (found.methods,)


def test_missing_values_are_left_out_and_said():
    table = {name: list(column) for name, column in TIDY.items()}
    table["value"][3] = float("nan")
    found = compare(table)
    assert found.datasets == ("x", "z")
    assert "'y' left out: no value for 'b'" in found.remarks[0]
    with pytest.raises(TruePathError, match="'y' left out"):
        compare(table, missing="error")


def test_a_run_that_failed_is_left_out_for_all():
    table = {
        "dataset": ["x"] * 4 + ["y"] * 3,
        "method": ["a", "a", "b", "b", "a", "a", "b"],
        "fold": [0, 1, 0, 1, 0, 1, 0],
        "value": [1.0, 1.0, 0.5, 0.5, 0.1, 0.9, 0.2],
    }
    found = compare(table, greater_is_better=True)
    assert found.values[1].tolist() == [0.1, 0.2]
    assert "only the 1 runs that every method finished count" in found.remarks[0]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            {**TIDY, "measure": ["h_loss", "h_loss", "auprc", "auprc"] + ["h_loss"] * 2},
            {},
            "Choose one of h_loss, auprc",
        ),
        (TIDY, {"measure": "h_los"}, "no 'h_los'. Did you mean 'h_loss'"),
        (TIDY, {"methods": ["a", "c"]}, "methods: the table has no 'c'"),
        ({**TIDY, "dataset": ["x"] * 6}, {}, "two values for the same seed and fold"),
        ({**TIDY, "value": ["much"] * 6}, {}, "is 'much', not a number"),
        ({**TIDY, "value": ["inf"] * 6}, {}, "is 'inf', not a number"),
        ({"a": ["q", "r"], "b": ["s", "t"]}, {"greater_is_better": True}, "neither tidy"),
        ({"dataset": ["x"], "a": [1.0]}, {"greater_is_better": True}, "needs two methods"),
        (np.zeros(3), {"greater_is_better": True}, "1 dimension"),
        (TIDY, {"missing": "keep"}, "missing must be"),
        (TIDY, {"alpha": 5}, "alpha must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_said(table, options, message):
    with pytest.raises(ValueError, match=message):
        compare(table, **options)


@pytest.mark.parametrize("cell", ["x" * 200_000, "y\0" * 3], ids=["long", "zero bytes"])
def test_a_file_that_is_no_table_is_named(cell, tmp_path):
    (tmp_path / "results.csv").write_text(f"dataset,method,value\nd,m,{cell}\nd,n,1\n")
    with pytest.raises(ValueError, match=r"results\.csv|not a number"):
        compare(tmp_path / "results.csv", greater_is_better=True)


def test_the_record_is_json_and_text():
    found = demsar()
    assert json.loads(json.dumps(found.to_dict()))["methods"] == list(found.methods)
    text = str(found)
    assert "chi2 = 10.228" in text  # 9.279 without correction for ties
    assert "C4.5+m+cf       1.96" in text


@pytest.mark.parametrize(
    ("table", "options", "remedy"),
    [
        ({"dataset": ["x"] * 2, "method": ["a", "b"], "value": [1, 2]}, {}, "Pass greater_is_better=True or False"),
        ({"x": ["u", "v"], "y": ["w", "z"]}, {"greater_is_better": True}, "Give dataset, method and value"),
        (np.ones((2, 2)), {"greater_is_better": True, "methods": ["a"]}, ""),
    ],
)
def test_the_way_out_is_the_remedy(table, options, remedy):
    with pytest.raises(TruePathError) as caught:
        compare(table, **options)
    assert caught.value.remedy.startswith(remedy)
    assert not any(word in caught.value.problem for word in ("Pass ", "Give ", "Choose ", "Did you mean"))
