"""The page in a real browser: no errors, no requests, everything that can be clicked or typed does what it says."""

from __future__ import annotations

import re

import pytest

from truepath.report import Run, write_report

from .conftest import PHONE, count_work, make_run, opened, wait_until

pytestmark = pytest.mark.slow  # some 15 s in all, and a browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory, one, three, hostile, dag):
    folder = tmp_path_factory.mktemp("pages")
    return {
        "one": write_report(folder / "one.html", Run(one.hierarchy, one.y_true, one.results)),
        "three": write_report(folder / "three.html", Run(three.hierarchy, three.y_true, three.results)),
        "hostile": write_report(
            folder / "hostile.html", Run(hostile.hierarchy, hostile.y_true, hostile.results, **hostile.more)
        ),
        "dag": write_report(folder / "dag.html", Run(dag, (run := make_run(dag)).y_true, run.results)),
    }


def cell(page, name):
    return page.locator(f'#icicle [role=treeitem][aria-label^="{name}:"]')


def here(page):
    return page.locator("#crumbs [aria-current]").inner_text()


def cells(page):
    return [label.split(":")[0] for label in page.eval_on_selector_all(
        "#icicle [role=treeitem]", "all => all.map(g => g.getAttribute('aria-label'))"
    )]  # fmt: skip


def test_the_whole_menu_is_seen_on_a_phone(chromium, pages):
    with opened(chromium, pages["three"], viewport=PHONE) as page:
        ends = page.eval_on_selector_all(".links a", "all => all.map(a => a.getBoundingClientRect().right)")
        assert len(ends) > 5
        assert max(ends) <= PHONE["width"]


def test_a_click_zooms_in_and_the_breadcrumb_zooms_out(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        assert here(page) == "All labels"
        assert set(cells(page)) == {"All 9 labels", "a", "a/x", "a/y", "a/y/1", "a/y/2", "b", "b/x", "b/y", "c"}
        cell(page, "a").click()
        assert here(page) == "a"
        assert set(cells(page)) == {"a", "a/x", "a/y", "a/y/1", "a/y/2"}
        cell(page, "a/y").click()
        assert here(page) == "y"
        page.locator("#crumbs").get_by_role("button", name="All labels", exact=True).click()
        assert here(page) == "All labels"
        assert "b/y" in cells(page)


def test_a_click_on_the_shown_label_goes_up(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        cell(page, "a").click()
        cell(page, "a").click()
        assert here(page) == "All labels"


def test_details_follow_the_mouse(chromium, pages, one):
    with opened(chromium, pages["one"]) as page:
        cell(page, "b/x").hover()
        details = page.locator("#details").inner_text()
        support = one.y_true[:, one.hierarchy.index("b/x")].sum()
        assert "b/x" in details
        assert re.search(rf"support \(test rows\)\s+{support}\b", details)
        assert re.search(r"threshold\s+0\.6\b", details)
        assert all(word in details for word in ("precision", "recall", "F1"))


def test_the_keyboard_reaches_everything(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        page.locator('#icicle [tabindex="0"]').focus()
        focused = "document.activeElement.getAttribute('aria-label').split(':')[0]"
        page.keyboard.press("ArrowRight")
        assert page.evaluate(focused) == "a"
        page.keyboard.press("ArrowDown")
        assert page.evaluate(focused) == "b"
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(focused) == "a/y"
        assert page.locator("#details h3").inner_text() == "y"
        page.keyboard.press("Enter")
        assert here(page) == "y"
        wait_until(page, f"{focused} === 'a/y'")
        page.keyboard.press("Backspace")
        assert here(page) == "a"
        wait_until(page, f"{focused} === 'a/y'")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(focused) == "a"
        page.keyboard.press("Escape")
        assert here(page) == "All labels"


def test_search_marks_and_zooms(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        page.fill("#search", "Y/")
        assert "2 labels match" in page.locator("#found").inner_text()
        assert page.locator("#icicle .hit").count() == 2
        assert page.locator("#icicle .leads").count() == 3  # a/y, a and the root lead there
        assert page.locator("#icicle .dim").count() > 0
        page.press("#search", "Enter")
        assert (here(page), page.locator("#details h3").inner_text()) == ("y", "1")
        page.press("#search", "Enter")
        assert page.locator("#details h3").inner_text() == "2"
        page.press("#search", "Escape")
        assert page.locator("#icicle .hit, #icicle .dim").count() == 0
        page.fill("#search", "b-y")  # no label has the hyphen; without signs one matches
        assert "1 label matches" in page.locator("#found").inner_text()
        page.fill("#search", "nothing like this")
        assert "No label" in page.locator("#found").inner_text()
        assert page.locator("#icicle .dim").count() == 0


def test_sunburst_and_colours(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        flat = cell(page, "a").locator("path").get_attribute("d")
        colour = cell(page, "a").locator("path").evaluate("p => p.style.fill")
        page.get_by_text("Sunburst", exact=True).click()
        assert page.locator("#icicle").get_attribute("data-shape") == "sunburst"
        assert cell(page, "a").locator("path").get_attribute("d") != flat
        assert "A" in cell(page, "a").locator("path").get_attribute("d")  # arcs
        cell(page, "a").locator("path").click()
        assert here(page) == "a"
        page.locator("#crumbs button").first.click()
        page.get_by_text("Support", exact=True).click()
        assert cell(page, "a").locator("path").evaluate("p => p.style.fill") != colour
        assert "test rows" in page.locator("#legend").inner_text()


def test_names_can_be_read_on_every_colour(chromium, pages):
    """Black or white, on each shade of the scale: a contrast of 4.5 at least, as WCAG asks for."""
    luminance = """rgb => {
        const part = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = rgb.map(c => part(c / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; }"""
    contrasts = f"""all => all.filter(g => g.dataset.ink.startsWith('#')).map(g => {{
        const ground = ({luminance})(g.firstChild.style.fill.match(/\\d+/g).map(Number));
        const ink = g.dataset.ink === '#000' ? 0 : 1;
        return (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05); }})"""
    with opened(chromium, pages["one"]) as page:
        for colour in ("F1", "Support"):
            page.get_by_text(colour, exact=True).first.click()
            found = page.eval_on_selector_all("#icicle [role=treeitem]", contrasts)
            assert len(found) > 5
            assert min(found) >= 4.5


def test_the_method_selector_switches_everything(chromium, pages):
    with opened(chromium, pages["three"]) as page:
        shown = "all => all.filter(e => e.offsetParent !== null).map(e => e.dataset.method)"
        best = page.locator(".lead b").inner_text()
        assert page.locator("#method option:checked").inner_text() == best
        page.select_option("#method", label="method 1")
        assert set(page.eval_on_selector_all("[data-method]", shown)) == {"0"}
        before = cell(page, "a").get_attribute("aria-label")
        page.select_option("#method", label="method 2")
        assert set(page.eval_on_selector_all("[data-method]", shown)) == {"1"}
        assert cell(page, "a").get_attribute("aria-label") != before
        assert page.locator(".emphasis [data-series='1']").first.get_attribute("class") == "series on"
        page.select_option("#method", label="labels only")
        assert page.get_by_text("This method gave labels without scores").locator("visible=true").count() == 2


def test_the_list_of_mistakes_leads_to_the_label(chromium, pages):
    with opened(chromium, pages["one"]) as page:
        button = page.locator(".mistakes .go").first
        name = button.inner_text()
        button.click()
        assert page.locator("#details h3").inner_text() == name.rsplit("/", 1)[-1]


def test_a_dag_names_the_other_parents(chromium, pages):
    with opened(chromium, pages["dag"]) as page:
        cell(page, "both").hover()
        assert "Also below: q" in page.locator("#details").inner_text()


@pytest.mark.parametrize("name", ["one", "three", "hostile", "dag"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_on_a_phone(chromium, pages, name, scheme):
    with opened(chromium, pages[name], PHONE, color_scheme=scheme, has_touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_text("Sunburst", exact=True).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("document.getElementById('icicle').getBoundingClientRect().right") <= 390


def test_dark_is_dark_and_print_is_light(chromium, pages):
    background = "getComputedStyle(document.body).backgroundColor"
    with opened(chromium, pages["one"], color_scheme="dark") as page:
        assert page.evaluate(background) == "rgb(21, 23, 26)"
        page.emulate_media(media="print")
        assert page.evaluate(background) == "rgb(255, 255, 255)"


def test_printing_shows_every_method_and_no_controls(chromium, pages):
    with opened(chromium, pages["three"]) as page:
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert len(pdf) > 20_000
        page.emulate_media(media="print")
        hidden = "all => all.filter(e => getComputedStyle(e).display === 'none').length"
        assert page.eval_on_selector_all("[data-method]", hidden) == 0
        assert page.locator("#controls").is_hidden()
        assert page.locator("nav").is_hidden()


def test_hostile_names_do_nothing(chromium, pages, hostile):
    with opened(chromium, pages["hostile"]) as page:
        assert page.evaluate("window.broken") is None
        assert page.title() == hostile.more["title"]
        page.locator('#icicle [tabindex="0"]').focus()
        page.keyboard.press("ArrowRight")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowDown")
        page.fill("#search", "<script>")
        page.press("#search", "Enter")
        page.fill("#search", "日本語")
        page.press("#search", "Enter")
        assert "naïve" in page.locator("#details").inner_text()
        page.select_option("#method", index=1)
        assert page.evaluate("window.broken") is None
        assert page.locator("img").count() == 0


def test_a_script_that_got_in_could_not_run(chromium, pages, tmp_path):
    """The page's policy is a second wall: even unescaped markup is inert."""
    broken = tmp_path / "broken.html"
    text = pages["one"].read_text(encoding="utf-8")
    broken.write_text(text.replace("<main>", "<main><script>window.broken = 1</script>"), encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(broken.as_uri())
    assert page.evaluate("window.broken") is None
    context.close()


def test_thousands_of_labels_stay_quick(chromium, tmp_path):
    import numpy as np

    from truepath import Hierarchy

    generator = np.random.default_rng(0)
    wide = Hierarchy.from_parents([-1, -1, *([0] * 1500), *generator.integers(0, 800, 2500).tolist()])
    run = make_run(wide, n_samples=20)
    path = write_report(tmp_path / "wide.html", Run(wide, run.y_true, run.results))
    with opened(chromium, path) as page:
        assert page.locator("#icicle g[data-key]").count() < 3000
        page.fill("#search", "1234")
        page.press("#search", "Enter")
        assert page.locator("#details h3").inner_text() == "1234"
        assert cell(page, "1234").is_visible()
        page.locator("#crumbs button").first.click()
        seconds = count_work(page)
        before = seconds()
        page.evaluate("document.querySelectorAll('#controls input[type=radio]').forEach(radio => radio.click())")
        assert 0 < seconds() - before < 3  # four redraws: some 0.1
        page.locator("#icicle .strip").first.click(force=True)  # thin labels drawn together: zooms to them
        assert page.locator("#icicle [role=treeitem]").count() > 3
