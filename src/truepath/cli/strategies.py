"""``--strategy NAME``: the decoders by their names, and one option for each parameter that some decoder takes.

Nothing is listed here. Names, summaries and parameters are those of the classes in the registry of decoders, looked up
when the command is parsed or its help shown. So starting the command line imports nothing heavy, and a decoder defined
elsewhere has its options too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any

import typer
from typer.main import get_command

from truepath.cli.names import help_listing
from truepath.cli.shared.kinds import NUMBER, WHOLE
from truepath.english import did_you_mean
from truepath.errors import TruePathError
from truepath.registry import COMBINERS, DECODERS

#: Where a command's context keeps the options that were typed
TYPED = "truepath.strategy options"
#: Says which values of a function are better; functions cannot be typed
ONLY_IN_PYTHON = {"greater_is_better"}
WORDS = {"true": True, "false": False, "none": None, "inf": float("inf"), "-inf": float("-inf")}

_Listing: Any = help_listing("truepath.registry:DECODERS", "Strategies:")


class StrategyCommand(_Listing):
    """A command that takes the decoders' parameters beside its own, each as text; :func:`typed_options` has them."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the command's own options, then those of the strategies."""
        own: list[Any] = super().get_params(ctx)
        return own + self._of_strategies

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Add the names of the corrections to the help of --coherent, then show the help."""
        for param in self.params:
            if param.name == "coherent":
                param.help = f"If a score is above its parent's: error, or correct it by {', '.join(corrections())}."
        super().format_help(ctx, formatter)

    @cached_property
    def _of_strategies(self) -> list[Any]:
        taken = {flag for param in self.params for flag in param.opts}
        return _make_options({name: text for name, text in _describe_options() if flag_of(name) not in taken})


def choose(name: str, typed: dict[str, str]) -> tuple[Any, dict[str, Any]]:
    """Return the decoder's class and its options; an unknown name, or an option that it does not take, is an error.

    >>> member, options = choose("mas", {"k": "3"})
    >>> member.summary, options
    ('the most probable set of leaves, found greedily', {'k': 3})
    """
    if name not in DECODERS:
        listed = ", ".join(f"{member.name} ({member.summary})" for member in DECODERS.members())
        way = did_you_mean(name, DECODERS, f"Available: {listed}.")
        raise TruePathError(f"--strategy {name!r} is unknown.", way)
    member = DECODERS[name]
    for key in typed:
        if key not in signature(member).parameters:
            owners = ", ".join(other.name for other in DECODERS.members() if key in signature(other).parameters)
            raise TruePathError(f"{flag_of(key)} is not an option of --strategy {name}.", f"It belongs to {owners}.")
    missing = [flag_of(key) for key in _required(member) if key not in typed]
    if missing:
        raise TruePathError(f"--strategy {name} needs {', '.join(missing)}.")
    return member, {key: read_value(text) for key, text in typed.items()}


def learning_nothing() -> list[str]:
    """Return the names of the decoders that learn nothing unless an option says so."""
    return [name for name in DECODERS if not (_required(DECODERS[name]) or DECODERS[name]().learns)]


def corrections() -> dict[str, Any]:
    """Return the combiners that learn nothing and make scores coherent, by name."""
    return {one.name: one for one in COMBINERS.members() if one.is_coherent and not one.learns_from}


def _required(member: Any) -> list[str]:
    """Return the parameters without a default."""
    return [name for name, one in signature(member).parameters.items() if one.default is Parameter.empty]


def typed_options(ctx: typer.Context) -> dict[str, str]:
    """Return the options of strategies that were typed, by the name of the decoder's parameter."""
    options: dict[str, str] = ctx.meta.get(TYPED, {})
    return options


def read_value(text: str) -> Any:
    """Turn what was typed into a number, True, False, None, or leave it as text."""
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else WORDS.get(text.lower(), text)


def flag_of(name: str) -> str:
    """Return the option of a decoder's parameter."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def _make_options(texts: dict[str, str]) -> list[Any]:
    """Let typer make the options: those of a function with these parameters."""

    def take(**_: Any) -> None: ...

    kept: dict[str, Any] = {"callback": _keep_typed, "expose_value": False}
    shown: dict[str, Any] = {"metavar": "VALUE", "show_default": False, "rich_help_panel": "Options of the strategies"}
    options = {name: typer.Option(flag_of(name), help=text, **kept, **shown) for name, text in texts.items()}
    kinds: dict[str, Any] = {name: Annotated[str | None, option] for name, option in options.items()}
    parameters = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kinds[name]) for name in kinds]
    take.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    take.__annotations__ = kinds
    app = typer.Typer(add_completion=False)
    app.command()(take)
    return list(get_command(app).params)


def _keep_typed(ctx: typer.Context, param: typer.CallbackParam, value: str | None) -> None:
    """Keep an option that was typed in the context."""
    if value is not None and param.name is not None:
        ctx.meta.setdefault(TYPED, {})[param.name] = value


def _describe_options() -> Iterator[tuple[str, str]]:
    """Yield the parameters of all decoders, with what each means for which decoder."""
    from rich.markup import escape

    meanings: dict[str, dict[str, list[str]]] = {}
    for member in DECODERS.members():
        said = _parameter_texts(getdoc(member) or "")
        for name in signature(member).parameters.keys() - ONLY_IN_PYTHON:
            meanings.setdefault(name, {}).setdefault(said.get(name, ""), []).append(member.name)
    for name in sorted(meanings):
        parts = (f"{', '.join(owners)}: {text}".rstrip(": ") for text, owners in meanings[name].items())
        yield name, escape("; ".join(parts))


def _parameter_texts(doc: str) -> dict[str, str]:
    """Return what a numpydoc text says about each parameter, up to the first full stop or semicolon, and its type."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", doc, re.DOTALL | re.MULTILINE)
    texts = {}
    for entry in re.finditer(r"^(\w[\w, ]*) : ([^\n]*)\n((?:    [^\n]*\n?)*)", section[1] if section else "", re.M):
        names, kind, about = entry.groups()
        clause = re.split(r"[.;]\s|\.$", " ".join(about.split()))[0]
        plain = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", clause).replace("``", "")
        kind = re.sub(r"(, |^)(optional|default=.*)$", "", kind)
        texts.update({name.strip(): f"{plain} ({kind})" if kind else plain for name in names.split(",")})
    return texts
