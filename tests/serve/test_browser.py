"""The page of a server in a real browser: no errors, no requests elsewhere, every part does what it says."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import FittedOn
from truepath.decoders import ConformalSet
from truepath.preprocessing import AutoFeatures
from truepath.serve import make_app

from .conftest import TEXTS, free_port

pytestmark = pytest.mark.slow  # a browser

ODD = "<script>window.broken = 1</script>"


@contextmanager
def address_of(model):
    """Serve a model from a thread of this process."""
    import uvicorn

    port = free_port()
    server = uvicorn.Server(uvicorn.Config(make_app(model), port=port, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


@contextmanager
def opened(chromium, model, **options):
    """Open the page, and refuse any console message, error or request to anywhere else."""
    with address_of(model) as address:
        context = chromium.new_context(reduced_motion="reduce", **options)
        page, trouble, requests = context.new_page(), [], []
        page.set_default_timeout(10_000)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{address}/")
        page.wait_for_selector("#ask:not([hidden])")
        yield page
        page.wait_for_timeout(50)
        assert page.evaluate("window.broken") is None
        context.close()
    assert trouble == []
    assert [url for url in requests if not url.startswith((f"{address}/", "data:"))] == []


def chips(page):
    return page.locator("#labels li").all_inner_texts()


def predict(page):
    page.get_by_role("button", name="Predict").click()
    page.wait_for_selector("#status:has-text('label')")


def draw(page):
    """Open the picture; return how wide it is."""
    page.locator("#picture > summary").click()
    image = page.wait_for_selector("#drawing img")
    for _ in range(100):
        if width := image.evaluate("image => image.complete && image.naturalWidth"):
            return width
        page.wait_for_timeout(50)
    return 0


def test_a_text_is_labelled_explained_and_cut_elsewhere(chromium, model):
    with opened(chromium, model) as page:
        page.get_by_label("Text").fill(TEXTS[0])
        predict(page)
        assert chips(page) == list(model.predict_labels(TEXTS[:1])[0])
        page.locator("#tree summary", has_text="cat").first.click()
        assert "What mattered most" in page.locator("#tree").inner_text()
        page.locator("#threshold").fill("0")
        page.wait_for_selector(f"#labels li:nth-child({model.hierarchy_.leaves.size})")
        page.locator("#threshold").fill("1")
        page.wait_for_selector("#labels li.none")
        page.get_by_role("button", name="As the model decides").click()
        page.wait_for_selector("#labels li:not(.none)")
        assert chips(page) == list(model.predict_labels(TEXTS[:1])[0])
        assert draw(page) > 50


def test_the_keyboard_and_a_phone_are_enough(chromium, model):
    with opened(chromium, model, viewport={"width": 360, "height": 740}) as page:
        page.get_by_label("Text").focus()
        page.keyboard.type("a dog")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#tree li")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_with_markup_are_only_text_and_columns_have_fields(chromium):
    h = Hierarchy.from_edges([(None, ODD), (ODD, "b"), (None, "c"), ("c", "b")])
    X = np.array([[str(i % 5), "red" if i % 2 else "blue"] for i in range(40)], object)
    model = HierarchicalClassifier(make_pipeline(AutoFeatures(dense=True), GaussianNB()), hierarchy=h, cv=2)
    model.fit(X, [[ODD] if i % 2 else ["b"] for i in range(40)])
    model.set_fitted_on(FittedOn("table", ODD, ("size", ODD)))
    with opened(chromium, model) as page:
        page.get_by_label("size").fill("3")
        page.get_by_label(ODD).fill("red")
        predict(page)
        assert chips(page) == [ODD]
        page.get_by_label(ODD).fill("blue")
        predict(page)
        page.wait_for_selector("#labels li:text-is('b')")
        page.locator("#tree summary", has_text="b").last.click()
        assert "Also below c." in page.locator("#tree").inner_text()
        assert draw(page) > 50


def test_one_of_several_models_is_chosen(chromium, model):
    X = np.random.default_rng(0).normal(size=(40, 2))
    numbers = HierarchicalClassifier(GaussianNB(), hierarchy=Hierarchy.from_paths([ODD, "z"]), cv=2)
    numbers.fit(X, [[ODD] if x > 0 else ["z"] for x, _ in X])
    with opened(chromium, {"texts & more": model, ODD.replace("/", "|"): numbers}) as page:
        page.get_by_label("Text").fill(TEXTS[0])
        predict(page)
        assert chips(page) == list(model.predict_labels(TEXTS[:1])[0])
        page.get_by_label("Model").select_option(index=1)
        page.wait_for_selector("#numbers")
        assert page.locator("#title").inner_text() == ODD.replace("/", "|")
        assert page.locator("#labels li").count() == 0 or not page.locator("#found").is_visible()
        page.get_by_label("Numbers").fill("2, 0")
        predict(page)
        assert chips(page) == list(numbers.predict_labels([[2, 0]])[0])
        assert draw(page) > 50
        page.get_by_label("Model").select_option("models/texts%20%26%20more")
        page.wait_for_selector("#text")
        assert page.locator("#labels-link").get_attribute("href") == "models/texts%20%26%20more/hierarchy"


def test_an_example_an_order_and_a_coverage_are_there(chromium):
    X = np.array([[str(i % 5), "red" if i % 2 else "blue"] for i in range(80)], object)
    labels = [["a/1"] if i % 2 else ["b"] for i in range(80)]
    learner = make_pipeline(AutoFeatures(dense=True), GaussianNB())
    model = HierarchicalClassifier(
        learner, decoder=ConformalSet(0.8), hierarchy=Hierarchy.from_paths(["a/1", "b"]), cv=2
    )
    model.fit(X, labels)
    model.set_fitted_on(FittedOn("table", "shop", ("price", "colour")))
    with opened(chromium, model) as page:
        assert page.title() == "shop"
        page.get_by_role("button", name="Example row").click()
        colour = page.get_by_label("colour")
        assert colour.input_value() in ("red", "blue")
        assert colour.evaluate("field => field.tagName") == "TEXTAREA"  # of several lines
        predict(page)
        page.get_by_label("Order").select_option("score")
        scores = [float(value) for value in page.locator("#tree .value").all_inner_texts()]
        assert scores == sorted(scores, reverse=True)
        assert page.locator("#coverage-value").input_value() == "0.8"
        page.locator("#coverage-value").fill("0.95")
        while page.locator("#coverage").input_value() != "0.95":  # the slider follows the number with the next answer
            page.wait_for_timeout(50)


def test_only_whole_names_of_parents_are_left_out(chromium):
    h = Hierarchy.from_edges([(None, "cat"), ("cat", "category"), ("cat", "cat-like"), ("cat", "big cat")])
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = HierarchicalClassifier(GaussianNB(), hierarchy=h, cv=2)
    model.fit(X, [[["category"], ["cat-like"], ["big cat"]][i % 3] for i in range(40)])
    with opened(chromium, model) as page:
        page.get_by_label("Numbers").fill("0, 0")
        predict(page)
        assert sorted(page.locator("#tree .name").all_inner_texts()) == ["big cat", "cat", "cat-like", "category"]


def test_the_list_of_operations_needs_no_script(chromium, model):
    with address_of(model) as address:
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{address}/docs")
        assert page.get_by_text("min_score").count() == 2  # of the first model, and of one by its name
        context.close()
