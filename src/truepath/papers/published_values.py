"""Numbers as the papers print them, kept as data beside the code."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load_published"]


def load_published(key: str) -> dict[str, Any]:
    """Return the published values of a paper, as ``published.json`` in its folder holds them.

    Examples
    --------
    >>> load_published("triguero2016")["Table 4"]["micro_f1"]["cellcycle_GO"]["EM(STS)"]
    0.4744
    """
    text = files("truepath.papers").joinpath(key, "published.json").read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(text)
    return values
