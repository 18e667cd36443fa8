"""The documentation builds without a warning, its links lead somewhere, and its pages load nothing from a network."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from places import ROOT

pytestmark = pytest.mark.slow
#: Hosts that pages may link to; nothing is loaded from them
HOSTS = {
    "github.com",
    "www.sphinx-doc.org",
    "pydata-sphinx-theme.readthedocs.io",
    "sphinx-gallery.github.io",
    "scikit-learn.org",
    "shap.readthedocs.io",
    "semver.org",
}


class Links(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe") and found.get("src"):
            self.loads.append(found["src"])
        if tag == "link" and found.get("href") and found.get("rel") != "canonical":
            self.loads.append(found["href"])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("docs") / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(built):
    found = {}
    for path in built.rglob("*.html"):
        found[path] = Links()
        found[path].feed(path.read_text(encoding="utf-8"))
    return found


def broken_links(page: Path, pages: dict[Path, Links]):
    """Yield the links of a page to a file or a place that is not there.

    Listings of sources (``_modules``) name the place where a function is written; it may be documented under another.
    """
    for link in pages[page].links:
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        places = pages[target].places if target in pages and "_modules" not in page.parts else {address.fragment}
        if not target.exists() or (address.fragment and unquote(address.fragment) not in places):
            yield link


def test_links_within_the_documentation_lead_somewhere(pages):
    assert {page.name: broken for page in pages if (broken := list(broken_links(page, pages)))} == {}


def test_links_to_others_are_known_and_safe(pages):
    links = {link for page in pages.values() for link in page.links if urlsplit(link).scheme}
    assert {link for link in links if urlsplit(link).scheme not in ("https", "mailto")} == set()
    assert {urlsplit(link).netloc for link in links if link.startswith("https")} - HOSTS == set()


def test_pages_need_no_network(pages):
    assert {load for page in pages.values() for load in page.loads if urlsplit(load).netloc} == set()


def test_formulas_are_in_the_page(built):
    assert "<math" in (built / "thresholds.html").read_text(encoding="utf-8")
