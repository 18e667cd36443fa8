"""How the documentation is built: `sphinx-build -W -b html docs docs/_build/html`."""

from __future__ import annotations

import sys
from pathlib import Path

import truepath

sys.path.insert(0, str(Path(__file__).parent))  # members.py, mathml.py and pictures.py, beside this file

project = "truepath"
author = "The truepath developers"
copyright = "2026, The truepath developers"
version = release = truepath.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "members",
    "mathml",
    "pictures",
]
html_math_renderer = "mathml"  # shown without a network
exclude_patterns = ["_build", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]  # they load from a network
autosummary_generate = True
numpydoc_show_class_members = False
default_role = "literal"
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = "truepath"
html_static_path = ["_static"]
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"**": []}  # the pages are few: the bar above leads to all, and wide tables need the width
html_show_sourcelink = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_memory": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "show_signature": False,
    "write_computation_times": False,
}
suppress_warnings = ["config.cache"]
