"""What the page counts again in a browser: rows behind numbers, thresholds, confusions, depths, comparisons."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from truepath import Hierarchy, metrics
from truepath.decoders import Promise
from truepath.hierarchy import raise_up
from truepath.report import Evaluated, Run, write_report

from .conftest import PHONE, count_work, make_run, opened, wait_until

pytestmark = pytest.mark.slow  # some 20 s in all, and a browser

REASONS = [None, {"a": [("a <b>word</b>", 0.5)]}, *[None] * 58]


def noisy(hierarchy, seed):
    """Return coherent scores that both miss labels and raise false alarms, and the truth they see."""
    truth = make_run(hierarchy).y_true
    noise = np.random.default_rng(seed).random(truth.shape)
    return truth, np.array(raise_up(np.clip(0.3 * truth + 0.7 * noise, 0, 1), hierarchy))


@pytest.fixture(scope="module")
def runs(one, three, hostile, dag):
    _, S = noisy(one.hierarchy, 1)
    first, flat = Evaluated("method 1", S > 0.6, S, 0.6), make_run(Hierarchy.flat([f"label {k}" for k in range(60)]))
    explained = Evaluated(first.name, first.y_pred, first.S, 0.6, reasons=REASONS, promise=Promise("row", 0.8))
    texts = [f"text of row {i}" for i in range(60)]
    return {
        "one": Run(one.hierarchy, one.y_true, explained, texts=texts),
        "three": Run(three.hierarchy, three.y_true, three.results),
        "hostile": Run(hostile.hierarchy, hostile.y_true, hostile.results, **hostile.more),
        "dag": Run(dag, *((Y := noisy(dag, 2))[0], Evaluated("x", Y[1] > 0.5, Y[1], 0.5))),
        "flat": Run(flat.hierarchy, flat.y_true, flat.results),
        "labels": Run(one.hierarchy, one.y_true, Evaluated("labels", first.y_pred)),
        "lonely": Run(Hierarchy.flat(["only"]), one.y_true[:, :1], Evaluated("x", one.y_true[:, :1], first.S[:, :1])),
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory, runs):
    folder = tmp_path_factory.mktemp("pages")
    return {name: write_report(folder / f"{name}.html", run) for name, run in runs.items()}


def label_rows(run, name, k=0):
    """Return truth and prediction of one label."""
    v = run.hierarchy.index(name)
    return run.y_true[:, [v]].toarray().ravel(), run.results[k].y_pred[:, [v]].toarray().ravel()


def count_of(page):
    page.wait_for_selector("#rows-count:has-text('row')")
    return int(re.match(r"[\d,]+", page.locator("#rows-count").inner_text())[0].replace(",", ""))


def table_row(page, name):
    return page.locator("#label-table tbody tr").filter(has=page.get_by_role("button", name=name, exact=True))


def test_numbers_lead_to_their_rows(chromium, pages, runs):
    true, predicted = label_rows(runs["one"], "a/y")
    with opened(chromium, pages["one"]) as page:
        table_row(page, "a/y").locator("td button").nth(2).click()  # missed
        missed = int((true & ~predicted).sum())
        assert page.locator("#rows-title").inner_text() == "a/y"
        assert count_of(page) == missed > 0
        assert page.locator("#rows-list article").count() == missed
        assert page.locator("#rows-list .missed .name.asked").count() == missed
        for kind, wanted in (
            ("false alarms", ~true & predicted),
            ("right", true & predicted),
            ("true", true),
            ("all", true | predicted),
        ):
            page.locator("#rows-kinds span", has_text=re.compile(rf"^{kind}")).click()
            assert count_of(page) == wanted.sum()
        page.fill("#rows-text", f"text of row {np.flatnonzero(true)[0]}")
        assert "text of row" in page.locator("#rows-list article .text").first.inner_text()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        assert page.locator("#rows-panel").is_hidden()


def test_a_row_shows_its_labels_scores_and_reasons(chromium, pages, runs):
    run = runs["one"]
    with opened(chromium, pages["one"]) as page:
        page.locator("#details button", has_text="60").click()  # all test rows
        assert count_of(page) == 60
        page.fill("#rows-text", "row 1")
        card = page.locator("#rows-list article").first
        assert card.locator("h3").inner_text() == "row 1"
        true, predicted = (set(np.flatnonzero(Y[[1]].toarray())) for Y in (run.y_true, run.results[0].y_pred))
        for kind, nodes in (("right", true & predicted), ("missed", true - predicted), ("alarm", predicted - true)):
            names = card.locator(f"li.{kind} > .leaf").evaluate_all("all => all.map(e => e.title)")
            assert sorted(names) == sorted(str(run.hierarchy.names[v]) for v in nodes)
        for leaf in card.locator(".leaf").all():
            v = run.hierarchy.index(leaf.get_attribute("title"))
            assert float(leaf.locator(".score").inner_text()) == pytest.approx(run.results[0].S[1, v], abs=0.0051)
        card.locator("summary").click()
        assert "a <b>word</b> +0.50" in card.locator(".reasons").inner_text()
        page.fill("#rows-text", "no such words")
        assert page.locator("#rows-list").inner_text() == "No row."
        page.locator("#rows-close").click()
        assert page.locator("#rows-panel").is_hidden()


def test_levels_and_bars_lead_to_rows(chromium, pages, runs):
    run = runs["one"]
    nodes = run.hierarchy.levels[1]
    true, predicted = (Y.toarray()[:, nodes] for Y in (run.y_true, run.results[0].y_pred))
    with opened(chromium, pages["one"]) as page:
        page.locator("tr[data-level='2'] [data-rows]").first.click()
        assert count_of(page) == (true & ~predicted).any(axis=1).sum()
        page.keyboard.press("Escape")
        bar = page.locator("#data-profile rect[role=button]").last
        size = int(bar.get_attribute("aria-label").split(" ")[2])
        bar.press("Enter")
        assert count_of(page) == (np.diff(run.y_true.indptr) == size).sum()


def numbers_now(page, kind="now"):
    found = page.locator(f"[data-{kind}]").evaluate_all(f"all => all.map(e => [e.dataset.{kind}, e.textContent])")
    return {name: float(text) for name, text in found}


def drag_to(page, threshold):
    """Move the slider to the stop at a threshold; return its exact value."""
    grid = page.evaluate("JSON.parse(document.getElementById('data').textContent).methods[0].curves.thresholds")
    g = int(np.argmin(np.abs(np.array(grid) - threshold)))
    page.locator("#t-slider").evaluate("(e, g) => { e.value = g; e.dispatchEvent(new Event('input')); }", str(g))
    return grid[g]


@pytest.mark.parametrize("name", ["one", "dag", "flat"])
def test_a_threshold_dragged_gives_what_the_metrics_say(chromium, pages, runs, name):
    run = runs[name]
    S, truth, h = run.results[0].S, run.y_true.toarray(), run.hierarchy
    with opened(chromium, pages[name]) as page:
        for wanted in (0.3, 0.52, 0.8):
            t = drag_to(page, wanted)
            found, labels = numbers_now(page), t < S
            precision, recall, f1 = metrics.hierarchical_precision_recall_f1(truth, labels, h)
            assert found == {
                "precision": pytest.approx(precision, abs=6e-4), "recall": pytest.approx(recall, abs=6e-4),
                "f1": pytest.approx(f1, abs=6e-4), "perRow": pytest.approx(labels.sum(axis=1).mean(), abs=6e-3),
                "hLoss": pytest.approx(metrics.h_loss(truth, labels, h), abs=6e-5),
            }  # fmt: skip


def test_thresholds_of_a_depth_and_of_a_label(chromium, pages, runs):
    run = runs["one"]
    S, truth, h = run.results[0].S, run.y_true.toarray(), run.hierarchy
    t = np.full(h.n_nodes, 0.6)
    with opened(chromium, pages["one"]) as page:
        page.select_option("#depth", "2")
        assert page.locator("#t-scope").input_value() == "depth"
        t[h.levels[1]] = drag_to(page, 0.7)
        t = np.array([max(t[[v, *h.ancestors(v)]]) for v in range(h.n_nodes)])
        found, everything, labels = numbers_now(page), numbers_now(page, "all"), t < S
        nodes = h.levels[1]
        assert found["f1"] == pytest.approx(metrics.micro_f1(truth[:, nodes], labels[:, nodes]), abs=6e-4)
        assert everything["f1"] == pytest.approx(metrics.micro_f1(truth, labels), abs=6e-4)
        assert everything["hLoss"] == pytest.approx(metrics.h_loss(truth, labels, h), abs=6e-5)
        page.fill("#t-find", "y/1")
        page.press("#t-find", "Enter")
        v = h.index("a/y/1")
        t[v] = drag_to(page, 0.8)
        labels = t < S
        assert numbers_now(page)["f1"] == pytest.approx(metrics.micro_f1(truth[:, [v]], labels[:, [v]]), abs=6e-4)
        assert numbers_now(page, "all")["hLoss"] == pytest.approx(metrics.h_loss(truth, labels, h), abs=6e-5)
        drag_to(page, 0.2)
        assert "cannot go below the threshold of a parent" in page.locator("#t-note").inner_text()
        page.locator("#t-marks button", has_text="as used").click()
        assert page.locator("#t-value").inner_text() == "0.6"


def test_the_best_thresholds_are_those_of_the_decoders(chromium, pages, runs):
    from truepath.decoders import SingleThreshold

    run = runs["one"]
    best = SingleThreshold("micro_f1", hierarchy=run.hierarchy).fit(run.results[0].S, run.y_true)
    with opened(chromium, pages["one"]) as page:
        page.locator("#t-marks button", has_text="best for F1").click()
        assert float(page.locator("#t-value").inner_text()) == pytest.approx(best.threshold_, abs=1e-3)
        assert numbers_now(page)["f1"] == pytest.approx(best.objective_value_, abs=6e-4)
        page.locator("#t-marks button", has_text="best per label").click()
        assert numbers_now(page)["f1"] >= best.objective_value_ - 0.01
        box = page.locator("#t-chart").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
        page.mouse.up()
        low = float(page.locator("#t-value").inner_text())
        page.locator("#t-slider").press("ArrowRight")
        assert float(page.locator("#t-value").inner_text()) > low


def test_thresholds_set_on_the_page_label_as_it_says(chromium, pages, runs, tmp_path):
    from typer.testing import CliRunner

    from truepath.cli.app import app
    from truepath.data import read_labels, write_scores
    from truepath.hierarchy.matrices import as_dense

    run = runs["one"]
    S, h = run.results[0].S, run.hierarchy
    write_scores(tmp_path / "scores.csv", S, h)
    (tmp_path / "h.json").write_text(h.to_json())
    with opened(chromium, pages["one"]) as page:
        for step in ("all", "label"):
            if step == "label":
                page.fill("#t-find", "b/x")
                page.press("#t-find", "Enter")
            drag_to(page, 0.5 if step == "all" else 0.75)
            with page.expect_download() as saved:
                page.locator("#t-export").click()
            saved.value.save_as(tmp_path / "t.json")
            given = json.loads((tmp_path / "t.json").read_text())
            assert set(given) == {"method", "threshold" if step == "all" else "thresholds"}
            files = [str(tmp_path / name) for name in ("scores.csv", "h.json", "t.json", "out.csv")]
            done = CliRunner().invoke(
                app, ["label", files[0], "-H", files[1], "--thresholds", files[2], "-o", files[3]]
            )
            assert done.exit_code == 0, done.output
            labels = as_dense(read_labels(files[3], h).y)
            f1 = numbers_now(page, "now" if step == "all" else "all")["f1"]
            assert f1 == pytest.approx(metrics.micro_f1(run.y_true.toarray(), labels), abs=6e-4)


@pytest.mark.parametrize("is_one", [True, False])
def test_the_thresholds_of_a_model_are_saved_to_the_last_digit(chromium, one, tmp_path, is_one):
    """Scores between a threshold and its first four digits are labelled as the model labels them."""
    from truepath.decoders.thresholds.saved import read_thresholds

    truth, S = noisy(one.hierarchy, 3)
    exact = np.linspace(0.123456789, 0.634567891, one.hierarchy.n_nodes)
    exact = exact[0] if is_one else np.maximum.accumulate(exact)  # none below that of a parent
    S[:5] = (exact + np.round(exact, 4)) / 2
    Y = S > exact
    assert (Y != (S > np.round(exact, 4))).any()
    path = write_report(tmp_path / "page.html", Run(one.hierarchy, truth, Evaluated("model", Y, S, exact)))
    with opened(chromium, path) as page:
        with page.expect_download() as saved:
            page.locator("#t-export").click()
        saved.value.save_as(tmp_path / "t.json")
    found = read_thresholds(tmp_path / "t.json", one.hierarchy)
    assert (found == exact).all()
    assert ((found < S) == Y).all()


def see_confusion(page):
    """Scroll to the table, which is counted when it is first seen."""
    page.locator("#confusion").scroll_into_view_if_needed()
    page.wait_for_selector("#confusion-table tbody tr")


def matrix(page):
    heads = page.locator("#confusion-table thead .turned span").all_inner_texts()
    lines = page.locator("#confusion-table tbody tr").evaluate_all(
        "all => all.map(tr => [tr.querySelector('th').innerText.replace(/[▸▾]/g, '').trim(),"
        " ...[...tr.querySelectorAll('td')].map(td => Number(td.innerText) || 0)])"
    )
    return heads, {line[0]: dict(zip(heads, line[1:])) for line in lines}


def pairs_of(run, first, second):
    """Count rows with the first label missed and the second a false alarm."""
    (t1, p1), (t2, p2) = (label_rows(run, name) for name in (first, second))
    return int((t1 & ~p1 & ~t2 & p2).sum())


def test_confusions_fold_along_the_hierarchy(chromium, pages, runs):
    run = runs["one"]
    with opened(chromium, pages["one"]) as page:
        see_confusion(page)
        heads, cells = matrix(page)
        assert heads == ["a", "b", "c", "nothing instead"]
        assert cells["a"]["b"] == pairs_of(run, "a", "b")
        true, predicted = label_rows(run, "b")
        assert cells["b"]["b"] == (true & predicted).sum()
        page.locator("[data-fold]").first.click()
        heads, cells = matrix(page)
        assert heads == ["a, no further", "x", "y", "b", "c", "nothing instead"]
        assert cells["x"]["y"] == pairs_of(run, "a/x", "a/y")
        page.locator("[data-fold]").first.click()
        assert matrix(page)[0] == ["a", "b", "c", "nothing instead"]
        page.locator("#confusion-table tbody .go").first.click()  # only what is below a
        assert matrix(page)[0] == ["a, no further", "x", "y", "nothing instead"]
        page.locator("#confusion-path button").first.click()
        page.select_option("#depth", "3")
        assert "1" in matrix(page)[0]
        page.select_option("#confusion-most", "6")
        assert any(head.startswith("other (") for head in matrix(page)[0])


def test_confusions_as_shares_and_their_rows(chromium, pages, runs):
    with opened(chromium, pages["one"]) as page:
        page.select_option("#depth", "2")
        see_confusion(page)
        counts = matrix(page)[1]
        page.get_by_text("% of line", exact=True).click()
        shares = matrix(page)[1]
        for name, line in counts.items():
            total = sum(line.values())
            for head, count in line.items():
                assert shares[name][head] == pytest.approx(100 * count / max(total, 1), abs=0.51)
        page.get_by_text("% of all", exact=True).click()
        assert sum(sum(line.values()) for line in matrix(page)[1].values()) == pytest.approx(100, abs=12)
        page.locator("#confusion-table td.hit button").first.click()
        said = page.locator("#confusion-table td.hit button").first.get_attribute("aria-label")
        assert count_of(page) == int(said.split(" ")[0])
        page.keyboard.press("Escape")
        pair = page.locator("#pairs tbody tr").first
        t, w = pair.locator("th").inner_text(), pair.locator("td").first.inner_text()
        count = int(pair.locator("button").inner_text())
        other = t.rsplit("/", 1)[0] + "/" + w if "/" in t else w
        assert count == pairs_of(runs["one"], t, other)
        pair.locator("button").click()
        assert count_of(page) == count
        assert page.locator("#rows-with option:checked").inner_text().startswith(other)
        page.select_option("#rows-with select", "")
        assert count_of(page) >= count


def test_the_depth_counts_everywhere(chromium, pages, runs):
    run = runs["three"]
    with opened(chromium, pages["three"]) as page:
        page.select_option("#depth", "1")
        shown = page.locator("#measures [data-depth]").evaluate_all(
            "all => all.filter(e => !e.hidden).map(e => e.dataset.depth)"
        )
        assert shown == ["1"]
        nodes = run.hierarchy.levels[0]
        f1 = metrics.micro_f1(run.y_true[:, nodes], run.results[0].y_pred[:, nodes])
        assert f"{f1:.3f}" in page.locator("#measures [data-depth='1'] tbody tr").first.inner_text()
        assert sorted(page.locator("#label-table tbody th").all_inner_texts()) == ["a", "b", "c"]
        assert page.locator("#curves [data-depth='1'] svg").first.is_visible()
        assert page.locator("#curves [data-depth='0']").is_hidden()
        labels = page.locator("#icicle [role=treeitem]").evaluate_all(
            "all => all.map(g => g.getAttribute('aria-label').split(':')[0])"
        )
        assert sorted(labels) == ["All 9 labels", "a", "b", "c"]
        assert page.locator("tr.on[data-level='1']:visible").count() == 1
        page.select_option("#depth", "0")
        assert page.locator("#label-table tbody tr").count() == 9


def test_the_table_sorts_filters_and_saves(chromium, pages, runs, tmp_path):
    run = runs["one"]
    with opened(chromium, pages["one"]) as page:
        page.locator("[data-sort='test rows']").click()
        support = [int(text) for text in page.locator("#label-table tbody tr td:nth-child(3)").all_inner_texts()]
        assert support == sorted(run.y_true.toarray().sum(axis=0).tolist(), reverse=True)
        assert page.locator("th[aria-sort='descending']").inner_text().startswith("test rows")
        page.keyboard.press("Enter")
        support = [int(text) for text in page.locator("#label-table tbody tr td:nth-child(3)").all_inner_texts()]
        assert support == sorted(support)
        page.locator("[data-sort='label']").click()
        assert page.locator("#label-table tbody th").all_inner_texts() == sorted(map(str, run.hierarchy.names))
        page.fill("#label-filter", "y")
        assert page.locator("#label-table tbody tr").count() == 4
        with page.expect_download() as saved:
            page.locator("#label-csv").click()
        saved.value.save_as(tmp_path / "labels.csv")
        with open(tmp_path / "labels.csv", newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        assert [line["label"] for line in lines] == ["a/y", "a/y/1", "a/y/2", "b/y"]
        true, predicted = label_rows(run, "b/y")
        assert int(lines[3]["missed"]) == (true & ~predicted).sum()
        page.get_by_role("button", name="b/y", exact=True).first.click()
        assert page.locator("#details h3").inner_text() == "y"


def test_two_methods_are_compared(chromium, pages, runs):
    run = runs["three"]
    with opened(chromium, pages["three"]) as page:
        page.select_option("#first", label="method 1")
        page.select_option("#second", label="method 2")
        line = page.locator("#differences tbody tr").first.inner_text()
        by = run.measures
        wanted = by["method 2"]["hierarchical_f1"] - by["method 1"]["hierarchical_f1"]
        assert f"{wanted:+.3f}".replace("-", "−") in line
        page.select_option("#first", label="method 2")
        page.select_option("#second", label="method 1")
        assert f"{-wanted:+.3f}".replace("-", "−") in page.locator("#differences tbody tr").first.inner_text()
        gained = page.locator("#changed tbody tr").first
        name = gained.locator("th").inner_text()
        (true, second), (_, first) = (label_rows(run, name, k) for k in (0, 1))
        cells = gained.locator("td").all_inner_texts()
        assert [int(cells[2]), int(cells[3])] == [
            ((second == true) & (first != true)).sum(),
            ((first == true) & (second != true)).sum(),
        ]
        page.select_option("#second", label="method 2")
        assert "two different methods" in page.locator("#differences").inner_text()


def test_the_address_keeps_what_is_chosen(chromium, pages):
    with opened(chromium, pages["three"]) as page:
        page.select_option("#method", label="method 1")
        page.select_option("#depth", "2")
        page.locator("[data-sort='F1']").click()
        drag_to(page, 0.7)
        value = page.locator("#t-value").inner_text()
        page.locator("nav a", has_text="Levels").click()
        wait_until(page, "location.hash.startsWith('#levels~')")
        table_row(page, "a/y").locator("td button").first.click()
        address = page.evaluate("location.hash")
    with opened(chromium, pages["three"], address=address) as page:
        assert page.locator("#method option:checked").inner_text() == "method 1"
        assert page.locator("#depth").input_value() == "2"
        assert page.locator("th[aria-sort='descending']").inner_text().startswith("F1")
        assert page.locator("#t-value").inner_text() == value
        assert page.locator("#rows-title").inner_text() == "a/y"
        assert page.locator("#rows-kinds input:checked").input_value() == "true"
        page.keyboard.press("Escape")
        page.select_option("#depth", "0")
        assert "depth" not in page.evaluate("location.hash")
    with opened(
        chromium, pages["three"], address="#labels~method=9&depth=77&label=abc&sort=x&rows=1,2&t=zz&in=-4"
    ) as page:
        assert page.locator("#depth").input_value() == "0"


@pytest.mark.parametrize("way", ["two labels by hand", "best per label"])
def test_the_address_keeps_thresholds_of_single_labels(chromium, pages, way):
    def exported(page):
        with page.expect_download() as saved:
            page.locator("#t-export").click()
        return json.loads(Path(saved.value.path()).read_text())

    with opened(chromium, pages["one"]) as page:
        if way == "best per label":
            page.locator("#t-marks button", has_text=way).click()
        else:
            drag_to(page, 0.5)
            page.fill("#t-find", "b/x")
            page.press("#t-find", "Enter")
            drag_to(page, 0.75)
        wanted, address = exported(page), page.evaluate("location.hash")
        assert "each=" in address
    with opened(chromium, pages["one"], address=address) as page:
        assert exported(page) == wanted
        assert page.evaluate("location.hash") == address
    with opened(chromium, pages["one"]) as page:
        wanted = exported(page)
    with opened(chromium, pages["one"], address="#labels~each=zz.1_0.zzz_x_-1.2_1.") as page:
        assert exported(page) == wanted


def test_a_flat_set_is_a_list_of_bars(chromium, pages, runs):
    with opened(chromium, pages["flat"]) as page:
        assert page.locator("#icicle").is_hidden()
        assert page.locator("#bars li").count() == 40
        widths = page.locator("#bars i").evaluate_all("all => all.map(e => parseFloat(e.style.width))")
        assert widths == sorted(widths)
        page.locator("#bars button").last.click()
        assert page.locator("#bars li").count() == 60
        page.locator("#bars .go", has_text="label 59").click()
        assert page.locator("#details h3").inner_text() == "label 59"
        page.fill("#search", "label 4")
        assert page.locator("#bars li").count() == 11
        page.press("#search", "Enter")
        assert page.locator("#details h3").inner_text() == "label 4"
        assert page.locator("#depth").count() == 0


@pytest.mark.parametrize("name", ["labels", "lonely", "dag"])
def test_pages_with_less_to_show(chromium, pages, runs, name):
    with opened(chromium, pages[name]) as page:
        see_confusion(page)
        assert matrix(page)[0]
        assert page.locator("#thresholds").count() == (0 if name == "labels" else 1)
        page.locator("#label-table td button").first.click()
        assert count_of(page) > 0
        if name == "labels":
            assert page.locator("#rows-list .score").count() == 0


def test_a_method_without_scores_has_no_threshold_to_drag(chromium, pages):
    with opened(chromium, pages["three"]) as page:
        page.select_option("#method", label="labels only")
        assert page.locator("#t-none").is_visible()
        assert page.locator("#t-body").is_hidden()
        page.select_option("#method", label="method 2")
        assert page.locator("#t-body").is_visible()


def test_hostile_rows_and_names_do_nothing(chromium, pages):
    with opened(chromium, pages["hostile"]) as page:
        page.locator("#details button", has_text="60").click()
        assert page.locator("#rows-list article").count() == 20
        page.locator("#rows-list button.more").click()
        assert page.locator("#rows-list article").count() == 40
        assert "<img src=x" in page.locator("#rows-list").inner_text()
        page.keyboard.press("Escape")
        see_confusion(page)
        page.select_option("#first", index=1)
        page.select_option("#second", index=0)
        page.fill("#t-find", "<")
        page.press("#t-find", "Enter")
        with page.expect_download():
            page.locator("#t-export").click()
        assert page.locator("main img").count() == 0
        assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("name", ["one", "three", "hostile", "flat"])
def test_the_rest_fits_on_a_phone(chromium, pages, name):
    with opened(chromium, pages[name], PHONE, has_touch=True) as page:
        see_confusion(page)
        assert page.locator("#confusion-table td button").count() > 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#label-table td button").first.click()
        assert page.locator("#rows-panel").bounding_box()["width"] <= 390
        assert page.evaluate("document.getElementById('rows-list').scrollWidth") <= 390


def test_five_thousand_rows_open_soon_and_stay_small(chromium, tmp_path):
    generator = np.random.default_rng(0)
    h = Hierarchy.from_parents([-1] * 10 + [int(generator.integers(0, min(v, 125))) for v in range(10, 500)])
    truth = np.asarray(h.close(generator.random((5000, 500)) < 3 / 500))
    S = np.where(truth, 0.35 + 0.5 * generator.random(truth.shape), generator.beta(0.6, 8, truth.shape))
    S = np.asarray(raise_up(S.astype(np.float32), h))
    texts = ["a text of two hundred and some characters " * 6] * 5000
    path = write_report(tmp_path / "big.html", Run(h, truth, Evaluated("x", S > 0.45, S, 0.45), texts=texts))
    assert path.stat().st_size < 8_000_000  # 3.1 MB
    with opened(chromium, path) as page:
        seconds = count_work(page)
        page.reload()
        assert 0 < seconds() < 2  # 0.2
        page.locator("#label-table td button").first.click()
        assert "of 5,000" in page.locator("#rows-count").inner_text()


def test_a_sample_of_the_rows_says_so(chromium, runs, tmp_path, monkeypatch):
    from truepath.report.explorer import rows

    monkeypatch.setattr(rows, "MOST_CELLS", 500)
    with opened(chromium, write_report(tmp_path / "sample.html", runs["one"])) as page:
        see_confusion(page)
        assert "a random sample of 60" in page.locator("#confusion-sample").inner_text()
        page.locator("#label-table td button").first.click()
        assert re.search(r"of a random sample of \d+ of 60 rows", page.locator("#rows-count").inner_text())
        stored = page.locator("#rows-list h3").all_inner_texts()
        assert all(f"text of {name}" in page.locator("#rows-list").inner_text() for name in stored)  # row 7 is row 7


def find_axe():
    """Return a copy of axe-core: AXE_CORE names the file, or npm has put it beside the sources."""
    root = Path(__file__).parents[2]
    places = [Path(os.environ.get("AXE_CORE", "-")), root / "node_modules" / "axe-core" / "axe.min.js"]
    return next((path for path in places if path.is_file()), None)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["one", "three", "flat"])
def test_axe_finds_nothing_serious(chromium, pages, name, scheme):
    source = find_axe()
    if source is None:
        pytest.skip("axe-core is not there: npm install axe-core, or AXE_CORE=path/to/axe.min.js")
    with opened(chromium, pages[name], color_scheme=scheme, bypass_csp=True) as page:
        see_confusion(page)
        page.evaluate(source.read_text(encoding="utf-8"))
        for is_open in (False, True):
            if is_open:
                page.locator("#label-table td button").first.click()
            found = page.evaluate(
                "axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html.slice(0, 150))]))"
            )
            assert [violation for violation in found if violation[0] in ("serious", "critical")] == []
