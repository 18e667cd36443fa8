"""SVG as text: elements with everything escaped, whatever a name holds."""

from __future__ import annotations

from html import escape
from typing import Any


def element(tag: str, content: str = "", /, **attributes: Any) -> str:
    """Write one element around content that is markup already.

    ``class_`` is the class, underscores become hyphens, floats have one digit, values are escaped, None is left out.

    Examples
    --------
    >>> element("circle", r=1.25, stroke_width=2, class_="a<b", fill=None)
    '<circle r="1.2" stroke-width="2" class="a&lt;b"/>'
    """
    names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
    written = "".join(
        f' {names[key]}="{escape_text(_plain(value))}"' for key, value in attributes.items() if value is not None
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, content: object, **attributes: Any) -> str:
    """Write a text at a place."""
    return element("text", escape_text(str(content)), x=x, y=y, **attributes)


def escape_text(content: str) -> str:
    """Escape a text for markup, without the characters that XML cannot hold.

    Examples
    --------
    >>> escape_text("a < b" + chr(0))
    'a &lt; b'
    """
    kept = "".join(c for c in content if c in "\t\n" or (ord(c) >= 32 and not 0xD800 <= ord(c) <= 0xDFFF))
    return escape(kept.replace("\ufffe", "").replace("\uffff", ""))


def _plain(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
