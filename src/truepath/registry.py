"""Members of a family, found by the name that people type. Defining a member is enough to register it.

A class becomes a member by having a ``name`` of its own::

    class MaxUp(Correction):
        name = "max-up"
        summary = "raise every label to its most likely descendant"

The command line, presets, experiments and the tables of the documentation read names and summaries here; there is no
other list. A registry imports its module on first use, so that all members are registered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, ClassVar

from truepath.english import suggest
from truepath.errors import TruePathError
from truepath.public import Documented

__all__ = ["COMBINERS", "DECODERS", "LEARNERS", "METRICS", "READERS", "REGISTRIES", "Member", "Registry"]


class Registry:
    """The members of one family, by name.

    Parameters
    ----------
    kind : str
        What a member is called in messages, such as ``"decoder"``.
    module : str
        The public module whose import fills the registry, such as ``"truepath.decoders"``.
    methods : sequence of str
        What an object must have to stand for a member.
    """

    def __init__(self, kind: str, module: str, methods: Sequence[str] = ()):
        self.kind = kind
        self.module = module
        self.methods = tuple(methods)
        self._members: dict[str, Any] = {}
        self._origins: dict[str, str] = {}  # where each was written when it was entered

    def add(self, member: Any) -> Any:
        """Enter a member under its ``name`` and return it; the same name for something else is an error."""
        origin = _origin(member)
        known = self._origins.setdefault(member.name, origin)
        if known != origin:
            raise TruePathError(
                f"two {self.kind}s are called {member.name!r}: {known} and {origin}.", "Give one of them another name."
            )
        self._members[member.name] = member
        return member

    def __getitem__(self, name: str) -> Any:
        members = self._all()
        if name not in members:
            raise TruePathError(f"no {self.kind} is called {name!r}.", suggest(name, members))
        return members[name]

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def members(self) -> list[Any]:
        """Return all members, ordered by name."""
        return list(self._all().values())

    def resolve(self, given: Any, **options: Any) -> Any:
        """Return a new member for its name, and an object of the kind or None as it is; refuse anything else."""
        if isinstance(given, str):
            return self[given](**options)
        is_member = not isinstance(given, type) and all(hasattr(given, name) for name in self.methods)
        if given is not None and not is_member:
            of_class = f" Write {given.__name__}(...), with its parameters." if isinstance(given, type) else ""
            raise TypeError(
                f"{self.kind} must be the name of a {self.kind} or an object with "
                f"{' and '.join(self.methods)}; got {given!r}.{of_class} Names are {', '.join(map(repr, self))}."
            )
        return given

    def table(self) -> list[dict[str, Any]]:
        """Return the description of each member in plain values; lists of members are made from it.

        ``name``, ``summary``, ``path`` (what to import), ``learns_from``, ``needs`` and ``endings`` of files. A field
        that does not apply to a member is empty.
        """
        return [_row(member) for member in self.members()]

    def _all(self) -> dict[str, Any]:
        import_module(self.module)
        return dict(sorted(self._members.items()))


def _target(member: Any) -> Any:
    """Return what people import: a class, or the function that a metric or a reader is the record of."""
    return getattr(member, "function", None) or getattr(member, "read", None) or member


def _origin(member: Any) -> str:
    """Say where a member is written: its class, or the function it is the record of."""
    member = getattr(member, "function", member)
    return f"{getattr(member, '__module__', '?')}.{getattr(member, '__qualname__', member)}"


def _row(member: Any) -> dict[str, Any]:
    target, needs = _target(member), getattr(member, "needs", ())
    return {
        "name": member.name,
        "summary": getattr(member, "summary", "") or getattr(member, "meaning", ""),
        "path": f"{target.__module__}.{target.__qualname__}",
        "learns_from": getattr(member, "learns_from", ""),
        "needs": [needs] if isinstance(needs, str) else list(needs),
        "endings": list(getattr(member, "endings", ())),
    }


COMBINERS = Registry("combiner", "truepath.combiners", ("fit", "transform"))
DECODERS = Registry("decoder", "truepath.decoders", ("fit", "predict"))
LEARNERS = Registry("learner", "truepath.learners")
METRICS = Registry("metric", "truepath.metrics")
READERS = Registry("reader", "truepath.data")

#: All registries, by the heading of the list of their members
REGISTRIES = {f"{registry.kind}s": registry for registry in (LEARNERS, COMBINERS, DECODERS, METRICS, READERS)}


class Member(Documented):
    """A class that is found by name; mixed into the base class of a family.

    Attributes
    ----------
    name : str
        What people type, in small letters with hyphens. A class that sets it is entered in the registry.
    summary : str
        What it does, in one line without a full stop.
    learns_from : str
        What ``fit`` learns from, in words; empty if it learns nothing.
    needs : tuple of str
        What must be there for it to work, such as ``"a tree"`` or ``"coherent scores"``.
    approximates : tuple of str
        The capabilities (:mod:`truepath.adapters.capabilities`) that it offers, but not exactly.
    """

    registry: ClassVar[Registry]
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    learns_from: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()
    approximates: Any = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if vars(cls).get("name"):
            cls.registry.add(cls)
