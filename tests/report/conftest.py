"""A small run to report on, with names that try to break the page."""

from __future__ import annotations

import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.report import Evaluated

HOSTILE = [
    "<script>window.broken = 1</script>",
    "</script><script>window.broken = 2</script>",
    '"><img src=x onerror="window.broken = 3">',
    "a & b < c > d 'quoted' \"twice\"",
    "<!-- <script>",
    "日本語 \u2028 naïve 🧬",
    "{{ 7 * 7 }}{% raw %}",
    "control \x01",
]
#: Texts and ids may hold what names of labels cannot
HOSTILE_TEXTS = [*HOSTILE, "half a pair \ud83e"]

LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}


@contextmanager
def opened(chromium, path, viewport=LAPTOP, address="", **options):
    """Open a page, and refuse any console message, error or request but that for the page itself."""
    context = chromium.new_context(viewport=viewport, reduced_motion="reduce", **options)
    context.set_default_timeout(15_000)
    page, trouble, requests = context.new_page(), [], []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda request: requests.append(request.url.split("#")[0]))
    page.goto(path.as_uri() + address)
    yield page
    page.wait_for_timeout(50)
    context.close()
    assert trouble == []
    assert {url for url in requests if not url.startswith(("data:", "blob:"))} == {path.as_uri()}


def count_work(page):
    """Return a function that says how many seconds the page has worked so far, however busy the machine is."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds():
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]

    return seconds


def wait_until(page, expression, seconds=15):
    """Wait until an expression is true; Playwright's own wait uses ``eval``, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not so after {seconds} s: {expression}"
        page.wait_for_timeout(20)


def make_run(hierarchy, n_samples=60, seed=0, n_methods=1):
    """Draw closed truth, and methods that see it through noise: coherent scores, one threshold."""
    generator = np.random.default_rng(seed)
    truth = hierarchy.close(generator.random((n_samples, hierarchy.n_nodes)) < 1.5 / hierarchy.n_nodes)
    results = []
    for k in range(n_methods):
        noise = generator.random(truth.shape)
        S = np.clip(0.45 * truth + (0.5 + 0.1 * k) * noise, 0, 1)
        for child, parent in hierarchy.edges[::-1, ::-1]:
            S[:, parent] = np.maximum(S[:, parent], S[:, child])
        results.append(Evaluated(f"method {k + 1}", S >= 0.6, S, 0.6, 1.5, {"depth": k, "rate": 0.1}))
    return SimpleNamespace(hierarchy=hierarchy, y_true=truth, results=results)


@pytest.fixture(scope="session")
def tree():
    return Hierarchy.from_paths(["a/x", "a/y/1", "a/y/2", "b/x", "b/y", "c"])


@pytest.fixture(scope="session")
def dag():
    return Hierarchy.from_edges(
        [(None, "p"), (None, "q"), ("p", "both"), ("q", "both"), ("both", "leaf"), ("p", "own")]
    )


@pytest.fixture(scope="session")
def one(tree):
    return make_run(tree)


@pytest.fixture(scope="session")
def three(tree):
    run = make_run(tree, n_methods=3)
    run.results[2] = Evaluated("labels only", run.results[2].y_pred)
    return run


@pytest.fixture(scope="session")
def hostile():
    run = make_run(
        Hierarchy.from_edges([(None, HOSTILE[0]), *((HOSTILE[0], name) for name in HOSTILE[1:])]), n_methods=2
    )
    run.results = [Evaluated(name, r.y_pred, r.S, settings={name: name}) for name, r in zip(HOSTILE, run.results)]
    run.more = {
        "title": HOSTILE[1],
        "ids": [HOSTILE_TEXTS[i % len(HOSTILE_TEXTS)] for i in range(60)],
        "texts": [HOSTILE_TEXTS[(i + 3) % len(HOSTILE_TEXTS)] for i in range(60)],
    }
    return run
