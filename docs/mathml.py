"""Formulas as MathML, written when the pages are built: browsers show it by themselves, without network or script."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

BLOCK = ' display="block"'


def visit_inline(translator: Any, node: Any) -> None:
    """Write a formula of a line."""
    translator.body.append(latex2mathml.tex2mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(translator: Any, node: Any) -> None:
    """Write a formula that stands by itself."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula"))
    written = node.astext()
    if r"\\" in written and r"\begin" not in written:  # several lines, aligned at their &
        written = rf"\begin{{aligned}}{written}\end{{aligned}}"
    translator.body.append(latex2mathml.tex2mathml(written).replace("<math", f"<math{BLOCK}", 1))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Enter the renderer under the name that the settings choose."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
