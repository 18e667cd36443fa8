"""Where a small mistake can be made in a module, and the module with that mistake.

Mistakes are made inside functions only: a module's constants and the defaults of parameters are read at import, before
a mutant can be put in. Texts, errors that are raised, annotations and assertions are left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
#: Names and attributes that are easily taken for one another
TAKEN_FOR = [
    "min max",
    "any all",
    "minimum maximum",
    "argmin argmax",
    "floor ceil",
    "zeros ones",
    "zeros_like ones_like",
]
TAKEN_FOR += ["cumsum cumprod", "parents children", "ancestors descendants"]
OTHER_NAMES = {one: other for pair in map(str.split, TAKEN_FOR) for one, other in (pair, pair[::-1])}
#: Arguments that change cost or wording, not results
HARMLESS = {"copy", "stacklevel", "check", "n_jobs", "exist_ok", "kind", "strict", "sort", "cache", "most"}
#: Functions that only compile ahead: a mistake there costs time, and the first call makes up for it
ONLY_COST = {"warm_up"}
LEFT_ALONE = (ast.Raise, ast.Assert, ast.JoinedStr, ast.arguments, ast.Import, ast.ImportFrom)


class Site(NamedTuple):
    """One place and one mistake: the number of the node in walking order, and which of its mistakes.

    ``source`` is the text of the file when it was read: it may be edited while mutants are tried.
    """

    path: Path
    source: str
    function: str
    first_line: int
    line: int
    node: int
    choice: int
    what: str


def sites_of(path: Path) -> list[Site]:
    """List the mistakes that can be made in the functions of one file."""
    source = path.read_text(encoding="utf-8")
    found = []
    for number, (node, function) in enumerate(_walk(ast.parse(source))):
        for choice, wrong in enumerate(_mistakes(node) if function else ()):
            what = f"{_show(node)} -> {_show(wrong)}"
            name, first_line = function
            found.append(Site(path, source, name, first_line, node.lineno, number, choice, what))
    return found


def mutated(site: Site) -> ast.Module:
    """Return the module with the mistake in its place; every line keeps its number."""
    tree = ast.parse(site.source)
    target = next(node for number, (node, _) in enumerate(_walk(tree)) if number == site.node)
    wrong = list(_mistakes(target))[site.choice]
    _Replace(target, wrong).visit(tree)
    return ast.fix_missing_locations(tree)


class _Replace(ast.NodeTransformer):
    """Puts one node into the place of another, by identity."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, ast.copy_location(new, old)

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _walk(tree: ast.Module) -> Iterator[tuple[ast.AST, tuple[str, int] | None]]:
    """Yield all nodes that may be changed, each with the qualified name and first line of the outermost function."""
    stack: list[tuple[ast.AST, str, tuple[str, int] | None]] = [(tree, "", None)]
    while stack:
        node, prefix, function = stack.pop()
        if isinstance(node, LEFT_ALONE) or (isinstance(node, ast.keyword) and node.arg in HARMLESS):
            continue
        if isinstance(node, ast.FunctionDef) and node.name in ONLY_COST:
            continue
        yield node, function
        inside: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            function = function or (prefix + node.name, first)
            inside = list(node.body)
        elif isinstance(node, ast.ClassDef):
            prefix, inside = f"{prefix}{node.name}.", list(node.body)
        elif isinstance(node, ast.AnnAssign):
            inside = [node.value] if node.value is not None else []
        stack += [(each, prefix, function) for each in reversed(inside)]


def _mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place by mistake."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
        yield ast.Compare(node.left, [SWAPPED[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPPED and not _holds_text(node):
        yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPPED[type(node.op)](), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand
    elif isinstance(node, ast.AugAssign) and type(node.op) in SWAPPED:
        yield ast.AugAssign(node.target, SWAPPED[type(node.op)](), node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, (ast.If, ast.While)) and isinstance(node.test, (ast.Name, ast.Call, ast.Attribute)):
        yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Attribute) and node.attr in OTHER_NAMES:
        yield ast.Attribute(node.value, OTHER_NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in OTHER_NAMES and isinstance(node.ctx, ast.Load):
        yield ast.Name(OTHER_NAMES[node.id], node.ctx)


def _holds_text(node: ast.BinOp) -> bool:
    """Say whether an operand is a text: what + and % do there is wording."""
    return any(
        isinstance(part, ast.JoinedStr) or isinstance(getattr(part, "value", None), str)
        for part in (node.left, node.right)
    )


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _show(node: ast.AST) -> str:
    """Return a node as one short line."""
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 70 else text[:67] + "..."
