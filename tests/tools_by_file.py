"""The tools of the repository, imported by their files."""

from __future__ import annotations

import importlib.util
import sys

from places import ROOT


def load_tool(name):
    """Import ``tools/name.py``."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    spec.loader.exec_module(module)
    return module
