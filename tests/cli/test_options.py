"""An option that means one thing is spelled one way in every command."""

from __future__ import annotations

import inspect
from collections import defaultdict

import pytest
from typer.main import get_command

from truepath.cafa.evaluation import curves
from truepath.classifier import top_search
from truepath.cli.app import app
from truepath.cli.shared.kinds import list_declared
from truepath.parameters import Range

#: Long names whose help differs from command to command: each says what is written, read, printed or meant there
OWN_WORDS = {"--aspects", "--coverage", "--hierarchy", "--json", "--max-terms", "--metrics", "--output", "--targets"}
OWN_WORDS |= {"--decimals", "--format", "--predictions", "--resamples", "--scores", "--text", "--truth", "--n-jobs"}
OWN_WORDS |= {"--labels", "--threshold", "--between", "--open", "--list"}


def walk(command, path=()):
    """Yield the name of every command, and the command."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))
    if not hasattr(command, "commands"):
        yield " ".join(path), command


COMMANDS = dict(walk(get_command(app)))
OPTIONS = [
    (name, param)
    for name, command in COMMANDS.items()
    for param in command.params
    if param.param_type_name == "option" and "--help" not in param.opts
]


def long_names(param):
    return [flag for flag in param.opts if flag.startswith("--")]


def short_names(param):
    return [flag for flag in param.opts if not flag.startswith("--")]


def test_every_command_is_looked_at():
    assert len(COMMANDS) >= 28
    assert len(OPTIONS) > 200


def test_an_option_has_one_long_name():
    assert [(name, param.opts) for name, param in OPTIONS if len(long_names(param)) != 1] == []


def test_a_long_name_has_the_same_short_name_everywhere():
    found = defaultdict(set)
    for _, param in OPTIONS:
        found[long_names(param)[0]].add(tuple(short_names(param)))
    assert {name: shorts for name, shorts in found.items() if len(shorts) > 1} == {}


def test_a_short_name_belongs_to_one_long_name():
    found = defaultdict(set)
    for _, param in OPTIONS:
        for short in short_names(param):
            found[short].add(long_names(param)[0])
    assert {short: names for short, names in found.items() if len(names) > 1} == {}


def test_a_long_name_says_the_same_everywhere():
    found = defaultdict(set)
    for _, param in OPTIONS:
        found[long_names(param)[0]].add(param.help)
    differing = {name for name, texts in found.items() if len(texts) > 1}
    assert differing - OWN_WORDS == set()
    assert OWN_WORDS - differing == set(), "these are the same everywhere now"


def test_an_option_takes_a_value_everywhere_or_nowhere():
    found = defaultdict(set)
    for _, param in OPTIONS:
        found[long_names(param)[0]].add(bool(param.is_flag))
    assert {name for name, kinds in found.items() if len(kinds) > 1} == set()


@pytest.mark.parametrize(("name", "param"), OPTIONS, ids=[f"{name} {param.opts[0]}" for name, param in OPTIONS])
def test_help_is_a_sentence(name, param):
    assert param.help, f"{name} {param.opts} has no help"
    assert param.help[0].isupper() or param.help.split()[0].strip(",:") in ("csv", "table") or param.help[0] in "A.0"
    assert param.help.endswith("."), param.help
    for phrase in ("by default", "so many", "How is", "whichever", " is no ", "found out"):
        assert phrase not in param.help, param.help


#: Words that an option takes, written on the command line so that it starts at once, and where the library has them
LIBRARY = {
    "predict --per": top_search.PER,
    "predict --among": top_search.AMONG,
    "cafa evaluate --norm": curves.NORMS,
}


@pytest.mark.parametrize("option", LIBRARY)
def test_choices_are_those_of_the_library(option):
    command, _, typed = option.rpartition(" ")
    declared = list_declared(inspect.unwrap(COMMANDS[command].callback))
    assert next(one.kind.allowed for one in declared if one.typed == typed) == tuple(LIBRARY[option])


def test_numbers_have_two_ends():
    """No option takes infinity, or a number that nobody can mean."""
    found = [one for command in COMMANDS.values() for one in list_declared(inspect.unwrap(command.callback))]
    ranges = [one.kind.allowed for one in found if one.kind is not None and isinstance(one.kind.allowed, Range)]
    assert len(ranges) > 30
    assert [each for each in ranges if not -1e10 < each.least <= each.most < 1e10] == []
