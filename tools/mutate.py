"""How well do the tests guard the code? Put small mistakes into functions and count those that a test notices.

Run as ``python tools/mutate.py decoders combiners --each 150``: of every module that is named, a sample of mistakes is
drawn, and the quick tests of the folder of the same name in ``tests`` are run against each. What no test notices is
printed: read it, and write a test where the mistake would matter. Kernels, which numba compiles, are left out; what is
run at import only is counted by itself, since it has run before a mistake can be put in. Python 3.11 or newer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "truepath"
sys.path.insert(0, str(ROOT / "tools"))
os.environ.setdefault("CI", "1")  # hypothesis tries the same examples every time
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of a parent are not there in its forks

import pytest  # noqa: E402
import skops.io  # noqa: E402, F401 - or every fork that saves a model would import it
from mutation.plugin import AT_IMPORT, SURVIVED, UNREACHED, MutantsPlugin  # noqa: E402
from mutation.sites import Site, sites_of  # noqa: E402


def main(arguments: list[str]) -> int:
    """Try the mutants that are asked for; return 1 where fewer than the wanted share was noticed."""
    options = parse(arguments)
    sites = choose(options.modules, options.each, options.seed)
    plugin = MutantsPlugin(sites, options.seconds, tell)
    tests = options.tests or [str(ROOT / "tests" / name) for name in options.modules]
    chosen = ["-q", "-m", "not slow", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *tests]
    pytest.main(chosen, plugins=[plugin])
    return sum_up(plugin.results, options.wanted, options.output)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description="Put mistakes into functions; count those that tests notice.")
    parser.add_argument("modules", nargs="+", help="modules of truepath, such as decoders or combiners/fael")
    parser.add_argument("--each", type=int, default=100, help="mistakes per module (default 100; 0: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument(
        "--seconds", type=float, default=30, help="of tests per mistake, the quickest first (default 30)"
    )
    parser.add_argument("--tests", nargs="+", help="tests to run instead of the folders of the modules' names")
    parser.add_argument("--wanted", type=float, default=0.85, help="the share that tests should notice (default .85)")
    parser.add_argument("-o", "--output", type=Path, help="a JSON file for what became of each mistake")
    return parser.parse_args(arguments)


def choose(modules: list[str], each: int, seed: int) -> list[Site]:
    """Draw a sample of the mistakes that can be made in each module."""
    chosen = []
    for name in modules:
        found = [site for path in files_of(name) for site in sites_of(path)]
        chosen += random.Random(seed).sample(found, min(each or len(found), len(found)))
    return sorted(chosen, key=lambda site: (site.path, site.line, site.choice))


def files_of(name: str) -> list[Path]:
    """List the files of a module by its path below the package."""
    place = SOURCES / name
    found = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    if not found or not found[0].is_file():
        raise SystemExit(f"There is no module {name!r} in {SOURCES}.")
    return found


def tell(site: Site, result: str) -> None:
    """Print what no test noticed, as it is found."""
    if result in (SURVIVED, UNREACHED):
        print(f"{result:9} {site.path.relative_to(ROOT)}:{site.line} {site.function}: {site.what}", flush=True)


def describe(site: Site) -> dict[str, str | int]:
    """Return where a mistake was made and what it was."""
    return {
        "file": str(site.path.relative_to(ROOT)),
        "line": site.line,
        "function": site.function,
        "mistake": site.what,
    }


def sum_up(results: list[tuple[Site, str]], wanted: float, output: Path | None) -> int:
    """Print the shares of noticed mistakes, module by module, and keep the results if asked to."""
    if output:
        rows = [{**describe(site), "result": result} for site, result in results]
        output.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    counts = Counter(result for _, result in results)
    unnoticed, tried = counts[SURVIVED] + counts[UNREACHED], len(results) - counts[AT_IMPORT]
    share = 1 - unnoticed / max(tried, 1)
    by_kind = ", ".join(f"{n} {result}" for result, n in counts.most_common())
    print(f"{len(results)} mistakes: {by_kind}. Noticed: {share:.1%} of {tried} (wanted {wanted:.0%}).")
    return int(share < wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
