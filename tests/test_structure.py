"""How the sources hang together: what may be imported, one name for one idea, and members that speak for themselves.

What a part can do is a method of that part (``truepath.adapters.capabilities``). So no module asks whether something is
a certain learner, combiner or decoder, or reads what another module's class keeps to itself.
"""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import SOURCES
from truepath.registry import COMBINERS, DECODERS, LEARNERS, Member

PACKAGE = SOURCES / "truepath"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def where(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_what_came_with_a_later_python_is_not_imported_from_typing():
    """What the oldest Python lacks may be imported for the type checker only."""
    later = {"Self", "Never", "LiteralString", "NotRequired", "Required", "Unpack", "TypeVarTuple", "assert_never"}
    later |= {"assert_type", "reveal_type", "dataclass_transform", "override", "TypeAliasType", "ReadOnly", "TypeIs"}
    found = [
        (where(path), alias.name)
        for path, tree in TREES.items()
        for node in tree.body  # those under ``if TYPE_CHECKING`` lie deeper
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        for alias in node.names
        if alias.name in later
    ]
    assert found == []


def defined_names(path: Path) -> list[str]:
    """Return the public classes and functions of a file that share their namespace with the rest of the package.

    Left out: kernels, each of which has one caller; what only one paper's reproduction needs; and commands, which are
    called as the function they call.
    """
    parts = path.relative_to(PACKAGE).parts
    if parts[0] == "_kernels" or (parts[0] == "papers" and len(parts) > 2):
        return []
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = [node.name for node in TREES[path].body if isinstance(node, kinds) and not node.name.startswith("_")]
    return [name for name in names if not (parts[0] == "cli" and name == path.stem)]


def test_one_name_is_one_idea():
    homes = defaultdict(list)
    for path in TREES:
        for name in defined_names(path):
            homes[name].append(where(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def concrete_classes() -> set[str]:
    """Return the names of all members, and of the classes that some of them share.

    The promised bases of a room (``Decoder``) are what a member is; they may be asked for.
    """
    found = set()
    for registry in (LEARNERS, COMBINERS, DECODERS):
        promised = importlib.import_module(registry.module).__all__
        for member in registry.members():
            ours = [cls for cls in member.__mro__ if cls.__module__.startswith("truepath.") and issubclass(cls, Member)]
            found |= {cls.__name__ for cls in ours if vars(cls).get("name") or cls.__name__ not in promised}
    return found - {"Member"}


def names_in(node: ast.AST) -> list[str]:
    """Return the names that an expression is made of, the last part of a dotted one first."""
    parts = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]
    return [part.attr if isinstance(part, ast.Attribute) else part.id for part in parts]


def calls(node: ast.AST, *names: str) -> bool:
    """Say whether an expression is a call of one of these functions."""
    return isinstance(node, ast.Call) and names_in(node.func)[:1] in [[name] for name in names]


def classes_asked_for(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each class that something is compared with, by whatever way."""
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        if calls(node, "isinstance", "issubclass"):
            asked = node.args[1:2]
        elif calls(node, "register"):  # of functools.singledispatch
            asked = node.args[:1]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = sides if any(calls(side, "type") for side in sides) else []
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Dict):
            asked = [key for key in node.keys if isinstance(key, (ast.Name, ast.Attribute))]
        yield from ((node.lineno, name) for part in asked for name in names_in(part))


def renamed(tree: ast.Module) -> dict[str, list[str]]:
    """Return what names of a file stand for: imports under another name, and tuples of classes."""
    imports = [alias for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    found = {alias.asname: [alias.name] for alias in imports if alias.asname}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Tuple, ast.List, ast.Set)):
            found |= {name: names_in(node.value) for target in node.targets for name in names_in(target)}
    return found


def test_no_module_asks_for_a_member_of_another_file():
    concrete, found = concrete_classes(), []
    assert {"PCTree", "PCTBase", "ThresholdDecoder", "FAEL"} <= concrete
    assert not {"HierarchicalLearner", "Decoder", "Combiner", "Correction"} & concrete
    for path, tree in TREES.items():
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        meant = renamed(tree)
        asked = [(line, each) for line, name in classes_asked_for(tree) for each in meant.get(name, [name])]
        found += [f"{where(path)}:{line} {name}" for line, name in asked if name in concrete - own]
    assert found == []


#: What namedtuples make public under names with an underscore, and what scikit-learn has no other names for: callbacks,
#: names of parameters, and the trees of its gradient boosting
OF_NAMEDTUPLES = {"_replace", "_asdict", "_fields", "_make", "_field_defaults"}
OF_SCIKIT_LEARN = {"_init_callback_context", "_skl_callbacks", "_get_param_names", "_predictors"}


def kept_names(tree: ast.Module) -> set[str]:
    """Return the names that the classes of a file give to themselves and their objects: what its functions may read."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {getattr(node, "name", "") for owner in classes for node in owner.body}
    for node in (node for owner in classes for node in ast.walk(owner)):
        if isinstance(getattr(node, "ctx", None), ast.Store):
            is_own = isinstance(node, ast.Name) or names_in(node)[1:] in (["self"], ["cls"])
            found |= set(names_in(node)[:1]) if is_own else set()
    return found


def modules_of(tree: ast.Module) -> set[str]:
    """Return the names under which a file has modules."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            folder = SOURCES.joinpath(*node.module.split("."))
            inside = {path.stem for path in folder.iterdir()} if folder.is_dir() else set()
            found |= {alias.asname or alias.name for alias in node.names if alias.name in inside}
    return found


def attributes_read(tree: ast.Module) -> Iterator[tuple[int, ast.expr, str]]:
    """Yield line, object and name of every attribute, those that are named by a text as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.value, node.attr
        elif calls(node, "getattr", "hasattr", "setattr") and len(node.args) > 1:
            name = getattr(node.args[1], "value", "")
            yield node.lineno, node.args[0], name if isinstance(name, str) else ""


def private_reads(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and attribute wherever a file reads a private name of something that it does not define."""
    allowed, own = kept_names(tree) | OF_NAMEDTUPLES | OF_SCIKIT_LEARN, {"self", "cls"} | modules_of(tree)
    for line, value, name in attributes_read(tree):
        is_private = name.startswith("_") and not name.endswith("__") and name not in allowed
        is_own = calls(value, "super") or (isinstance(value, ast.Name) and value.id in own)
        if is_private and not is_own:
            yield line, f"{ast.unparse(value)}.{name}"


def test_no_module_reads_what_another_keeps_private():
    found = [f"{where(path)}:{line} {read}" for path, tree in TREES.items() for line, read in private_reads(tree)]
    assert found == []


@pytest.mark.parametrize(
    ("code", "n_asked", "n_private"),
    [
        ("isinstance(x, PCTree)", 1, 0),
        ("isinstance(x, (int, trees.PCTree | FAEL))", 2, 0),
        ("issubclass(type(x), Decoder)", 0, 0),
        ("type(x) is PCTree or PCTree != type(x)", 2, 0),
        ("from truepath.learners import PCTree as T\nisinstance(x, T)", 1, 0),
        ("KINDS = (PCTree, PCTForest)\nisinstance(x, KINDS)", 2, 0),
        ("match x:\n    case PCTree(): pass", 1, 0),
        ("table = {PCTree: 1, name: 2}", 1, 0),
        ("class PCTree:\n    def own(self, x): return isinstance(x, PCTree)", 0, 0),
        ("x._a + x.b._c + f(x)._d", 0, 3),
        ("getattr(x, '_a') + getattr(self, '_a')", 0, 1),
        ("self._a + super()._b + x._replace(c=1) + x.__dict__", 0, 0),
        ("import os\nfrom truepath import _kernels\nos._exit(1) + _kernels.a._b", 0, 1),
        ("class A:\n    _a = 1\n    def _b(self, x): self._c = x._a + x._b() + x._c", 0, 0),
    ],
)
def test_the_two_rules_see_what_they_should(code, n_asked, n_private):
    tree, concrete = ast.parse(code), concrete_classes()
    own, meant = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}, renamed(tree)
    asked = [each for _, name in classes_asked_for(tree) for each in meant.get(name, [name]) if each in concrete - own]
    assert len(asked) == n_asked
    assert len(list(private_reads(tree))) == n_private
