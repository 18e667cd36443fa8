"""Every option of every command with values that it does not take: refused in one line that names it, at little cost.

Options are found in the commands, so a new one is tried by existing: what it takes is said by its kind
(``truepath.cli.shared.kinds``), and from that its bad values are made. A text or a path of any content is refused,
unless a table below says why not. Beside the bad values every option gets good ones, which work.
"""

from __future__ import annotations

import csv
import inspect
import io
import resource
import shlex
import time
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import numpy as np
import openpyxl
import pytest
import typer
from typer.main import get_command

from cafa_files import make_case
from commands import run_command
from truepath import HierarchicalClassifier, experiments, load_dataset
from truepath.adapters.parallel import run_parallel
from truepath.cafa import SubmissionRules, train_models
from truepath.cli.app import LONGEST_ERROR, app, format_error
from truepath.cli.shared.kinds import DAY, NAMES, PLACE, TEXT, list_declared
from truepath.cli.shared.streams import printing_what_is_possible
from truepath.decoders import ConformalSet
from truepath.learners import top_features
from truepath.metrics import bootstrap_interval
from truepath.parameters import Range
from truepath.persistence import load
from truepath.registry import DECODERS
from truepath.warmup import Warmed
from truepath.workflow import fit_dataset

FILES = {
    "allowed.txt": "a\nb\n",
    "shares.csv": "label,share\na,0.5\n",
    "sets.csv": "size,labels\n0,a\n1,a/2\n2,b\n",
    "t.csv": "gene,size,story,part,labels\n"
    + "".join(
        f"g{i:02},{i % 3},the {('cat', 'dog', 'oak')[i % 3]} is {i},{('train', 'train', 'test')[i % 3]},"
        f"{('a/1', 'a/2', 'b')[i % 3]}\n"
        for i in range(24)
    ),
    "h.csv": "parent,child\n,a\na,a/1\na,a/2\n,b\n",
    "edges.csv": ",a\na,a/1\na,a/2\n,b\n",
    "h2.csv": "parent,child\n,a\na,a/1\na,a/2\n,b\n,c\n",
    "s.csv": "id,a,a/1,a/2,b\nx,0.9,0.8,0.1,0.2\ny,0.6,0.1,0.5,0.7\n",
    "y.csv": "id,labels\nx,a/1\ny,b\n",
    "z.csv": "id,labels\nx,a/2\ny,b\n",
    "thresholds.json": '{"threshold": 0.5}',
    "steps.txt": "add c\n",
    "token.txt": "a-token-of-more-than-16\n",
    "plan.toml": 'datasets = ["toy"]\nmethods = ["sklearn.dummy.DummyClassifier"]\nmeasures = ["micro_f1"]\n',
    "targets.txt": "Q1\nQ2\nT1\n",
    "known.gaf": "!gaf-version: 2.2\n"
    + "".join(
        f"UniProtKB\tT{i}\tG\tenables\tX:00{i % 3}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20230{i + 1}05\tX\n"
        for i in range(8)
    ),
    "hits.tsv": "Q1\tT1\t80\t9\t0\t0\t1\t9\t1\t9\t1e-20\t90\n",
    "results.csv": "dataset,method,value\nd,m,0.5\nd,n,0.6\ne,m,0.5\ne,n,0.7\nf,m,0.5\nf,n,0.7\n",
    "empty.csv": "",
    "toy_labels.csv": "labels\n" + "a\n" * 4,
    "sub0.tsv": "T1\tX:001\t0.5\n",
    "p0.csv": "gene,labels\n" + "".join(f"g{i:02},a\n" for i in range(24)),
}
#: A call of each command that works as it is
CALLS = {
    "demo": "demo -o demo",
    "methods": "methods",
    "describe": "describe t.csv --labels labels",
    "fit": "fit t.csv -o new.tp --learner LogisticRegression --labels labels --text story",
    "predict": "predict m.tp t.csv -o p.csv",
    "features": "features m.tp",
    "update": "update m.tp t.csv -o u.tp --step 'add c'",
    "report": "report --truth y.csv -S s.csv -H h.csv -o page.html",
    "serve": "serve m.tp",
    "label": "label s.csv -H h.csv -o l.csv",
    "evaluate": "evaluate y.csv z.csv -H h.csv --metrics h_loss,exact_match",
    "experiment": "experiment plan.toml -o results",
    "compare": "compare y.csv z.csv --truth y.csv -H h.csv --resamples 10",
    "reproduce": "reproduce --list",
    "fetch": "fetch --list",
    "export": "export m.tp -o m.onnx",
    "warmup": "warmup",
    "cafa evaluate": "cafa evaluate -O c/o.obo -t c/truth.tsv -p c/predictions",
    "cafa cutoffs": "cafa cutoffs c/predictions/made.tsv -O c/o.obo -t c/truth.tsv --resamples 3",
    "cafa ia": "cafa ia c/truth.tsv -O c/o.obo -o ia.tsv",
    "cafa train": "cafa train e.npz c/truth.tsv -O c/o.obo -o models2 --min-count 2",
    "cafa predict": "cafa predict models e.npz -O c/o.obo -o predicted.tsv",
    "cafa baseline": "cafa baseline c/truth.tsv -O c/o.obo -o b.tsv --targets targets.txt",
    "cafa blend": "cafa blend c/predictions/made.tsv -O c/o.obo -t c/truth.tsv -o blend.tsv",
    "cafa pairs": "cafa pairs c/truth.tsv -o pairs.tsv",
    "cafa submit": "cafa submit c/predictions/made.tsv -O c/o.obo -o sub.tsv",
    "cafa check": "cafa check sub0.tsv -O c/o.obo",
    "hierarchy edit": "hierarchy edit h.csv 'add z' -o he.json",
    "hierarchy diff": "hierarchy diff h.csv h2.csv",
}
#: What is made before: a model that is exported, one with sets of some coverage and its test results, and CAFA's
MODELS = (
    "fit t.csv -o m.tp --learner LogisticRegression --labels labels --text story --ids gene --test-share 0",
    "fit t.csv -o cov.tp --learner LogisticRegression --labels labels --text story --coverage 0.8 --run run",
    "fit t.csv -o sure.tp --learner LogisticRegression --labels labels --text story --calibrate sigmoid",
    "cafa train e.npz c/truth.tsv -O c/o.obo -o models --min-count 2",
)
#: Another call for an option that means nothing in the usual one
OWN_CALLS = {
    ("compare", "--diagram"): "compare results.csv --lower-is-better",
    ("fetch", "--data"): "fetch --list",
    ("fetch", "--from"): "fetch wordnet-nouns --data d",
    ("fetch", "--mirror"): "fetch cellcycle_FUN --data d",
    ("label", "--coherent"): "label s.csv -H h.csv -s best-path -o l.csv",
    ("label", "--valid-scores"): "label s.csv -H h.csv -s single --valid-truth y.csv -o l.csv",
    ("label", "--valid-truth"): "label s.csv -H h.csv -s single --valid-scores s.csv -o l.csv",
    ("report", "--predictions"): "report --truth y.csv -H h.csv -o page.html",
    ("report", "--scores"): "report --truth y.csv -p z.csv -H h.csv -o page.html",
    ("update", "--hierarchy"): "update m.tp t.csv -o u.tp",
    ("update", "--steps"): "update m.tp t.csv -o u.tp",
    ("reproduce", "--only"): "reproduce bi2012 --data . -o r",
    ("evaluate", "--part"): "evaluate toy toy_labels.csv",
    ("compare", "--part"): "compare toy_labels.csv toy_labels.csv --truth toy --by-order",
    ("report", "--part"): "report --truth toy -p toy_labels.csv --by-order -o page.html",
    ("report", "--text"): "report --truth t.csv -p p0.csv --ids gene -o page.html",
}

LONG = "x" * 10_000
#: Of any content: what is none of the names, columns and files that there are
TEXTS = ["no such", "nan", "-1", "1e20", LONG, "a\nb", "../..", "水", "[bold]x[/]", "'", "%s", "\x1b[31m", "\udcff"]
#: Refused by every option that takes a value
NEVER = ["", "a\0b"]
NUMBERS = [*NEVER, " ", "nan", "inf", "-inf", "word", "1e20", "-1e20", "0x10", "1,5", "١٢", "1_000", "9" * 400, "1e400"]
DAYS = [*NEVER, " ", "yesterday", "2024-13-01", "2024-02-30", "20240131", "2024-1-1", "0", "nan", "31.01.2024", LONG]

#: Options that take any text, and why; what they do with it is tried all the same
ANY_TEXT = {
    "--title": "people write titles",
    "--name": "people name their models",
    "--sep": "labels may be separated by anything",
    "--between": "labels may be separated by anything",
    "--host": "the server says which hosts there are",
    "--allow-host": "the server says which hosts there are",
    "--allow-origin": "the server says which origins there are",
    "--trust-proxy": "the server says what an address is",
}
#: Parameters of decoders that may be any number, or any above 0
LARGE = dict.fromkeys(("--alpha", "--min-positives", "--wrong-cost"), ("1e20", "9" * 400))
LARGE |= dict.fromkeys(("--missed-costs", "--wrong-costs"), ("1e20",))
LARGE["--time-limit"] = ("1e20", "9" * 400, "inf", "1e400")
LARGE["--threshold"] = ("1e20", "9" * 400, "inf", "1e400", "-inf", "-1", "-1e20")
#: Files to come: a folder, below a file or in no folder, a link to itself, a name that no file can have
OUT_FILES = [*NEVER, ".", "/", "c", "none/x.csv", "t.csv/x", "empty.csv/../x", "loop", "loop/x", LONG, f"{LONG}/x"]
OUT_FOLDERS = [*NEVER, "t.csv", "t.csv/x", "./t.csv", "empty.csv", "empty.csv/x/y", "loop", "loop/x", LONG, "/dev/null"]
OUTPUTS = dict.fromkeys(("--output", "--write-scores", "--diagram", "--report"), OUT_FILES)
FOLDERS = {
    "demo --output",
    "experiment --output",
    "reproduce --output",
    "cafa train --output",
    "fit --run",
    "fetch --data",
}
#: Words of others, which nobody who types an option has to know
FOREIGN = (
    "joblib",
    "numpy",
    "pydantic",
    "input should",
    "literal",
    "could not convert",
    "null byte",
    "embedded",
    "click",
)
#: What refusing may cost: seconds of the processor, megabytes
SECONDS, MEGABYTES = 5.0, 200

#: Good values of texts and paths, by the option or by the command too
GOOD = {
    "--after": "2024-01-31",
    "--allowed": "a",
    "--allowed-by": "size sets.csv",
    "--allowed-set": "usual=allowed.txt",
    "--priors": "shares.csv",
    "--allow-host": "models.example.org",
    "--allow-origin": "https://example.org",
    "--apply": "c/predictions/made.tsv",
    "--aspects": "aspect_0",
    "--between": ";",
    "--calibrate": "isotonic",
    "--combiner": "max-up",
    "--decoder": "threshold",
    "--delimiter": ",",
    "--encoding": "utf-8",
    "--evidence": "IDA",
    "--group": "size",
    "--head": "kernel-ridge",
    "--hierarchy": "h.csv",
    "--hits": "hits.tsv",
    "--host": "127.0.0.1",
    "--ia": "c/ia.tsv",
    "--ids": "id",
    "--keep": "gene,size",
    "--known": "c/truth.tsv",
    "--label": "a/1",
    "--labels": "labels",
    "--leave-out": "b",
    "--learner": "GaussianNB",
    "--method": "half",
    "--metrics": "h_loss",
    "--mirror": "https://127.0.0.1:9/none",
    "--name": "mine",
    "--nodes": "a,b",
    "--only": "seed",
    "--ontology": "c/o.obo",
    "--part": "test",
    "--predictions": "z.csv",
    "--relations": "is_a",
    "--scores": "s.csv",
    "--sep": "/",
    "--set": "C=2",
    "--sheet": "rows",
    "--split": "part",
    "--step": "add d",
    "--steps": "steps.txt",
    "--targets": "targets.txt",
    "--taxa": "9606",
    "--text": "story",
    "--thresholds": "thresholds.json",
    "--title": "A title",
    "--token-file": "token.txt",
    "--trust-proxy": "10.0.0.0/8",
    "--trust": "sklearn.linear_model.LogisticRegression",
    "--truth": "y.csv",
    "--until": "2024-01-31",
    "--valid-scores": "s.csv",
    "--valid-truth": "y.csv",
    "cafa blend --truth": "c/truth.tsv",
    "cafa cutoffs --truth": "c/truth.tsv",
    "cafa evaluate --predictions": "c/predictions/made.tsv",
    "cafa evaluate --truth": "c/truth.tsv",
    "compare --diagram": "cd.svg",
    "compare --metrics": "exact_match",
    "describe --ids": "gene",
    "fetch --data": "d",
    "fetch --from": ".",
    "fit --ids": "gene",
    "fit --run": "test-results",
    "predict --explain": "3",
    "report --ids": "id",
    "reproduce --data": ".",
    "update --hierarchy": "h2.csv",
}
GOOD |= {"label --allow-none": "false", "label --by": "mean", "label --candidates": "10", "label --cv": "3"}
GOOD |= {"label --k": "2", "label --lambda": "2", "label --loss": "h-loss", "label --method": "greedy"}
GOOD |= {"label --objective": "h_loss", "label --order": "top_down", "label --per": "level", "label --shape": "ends"}
GOOD |= {"label --shrink": "single", "label --single-path": "true", "label --ties": "published"}
GOOD |= {"label --weights": "risk", "label --worth": "costs", "label --coherent": "isotonic"}
GOOD |= {"label --paths": "many", "label --calibrate": "sigmoid", "label --weigh-sizes": "false"}
GOOD |= {"label --strategy": "mas", "describe --reader": "paths", "fit --reader": "paths"}
NUMBER_OF_LABEL = {"--alpha", "--beta", "--coverage", "--min-positives", "--random-state", "--risk", "--time-limit"}
NUMBER_OF_LABEL |= {"--confidence", "--missed-costs", "--precision", "--threshold", "--wrong-cost", "--wrong-costs"}
#: Good values that need something beside them
BESIDE = {
    ("compare", "--format"): "compare results.csv --lower-is-better",
    ("compare", "--greater-is-better"): "compare results.csv",
    ("compare", "--lower-is-better"): "compare results.csv",
    ("compare", "--safe-csv"): "compare results.csv --lower-is-better",
    ("fit", "--set"): "fit t.csv -o new.tp --learner LogisticRegression --labels labels",
    ("fit", "--method"): "fit t.csv -o new.tp --labels labels",
    ("fit", "--decoder"): "fit t.csv -o new.tp --labels labels",
    ("label", "--beta"): "label s.csv -H h.csv -s multi --objective hmc_loss --alpha 1 -o l.csv --truth y.csv",
    ("label", "--lambda"): "label s.csv -H h.csv -s multi --objective hmc_loss -o l.csv --truth y.csv",
    ("label", "--weights"): "label s.csv -H h.csv -s exact --alpha 1 -o l.csv",
    ("label", "--no-header"): "label s.csv -H edges.csv -o l.csv",
    ("report", "--no-header"): "report --truth y.csv -S s.csv -H edges.csv -o page.html",
    ("predict", "--mask-only"): "predict m.tp t.csv -o p.csv --allowed a",
    ("predict", "--priors"): "predict sure.tp t.csv -o p.csv",
    ("predict", "--among"): "predict m.tp t.csv -o p.csv --top 1",
    ("predict", "--coverage"): "predict cov.tp t.csv -o p.csv",
    ("predict", "--long"): "predict m.tp t.csv -o p.csv --top 1",
    ("predict", "--per"): "predict m.tp t.csv -o p.csv --top 1",
}
for name in ("describe", "fit", "predict", "update"):
    BESIDE[name, "--sheet"] = CALLS[name].replace("t.csv", "t.xlsx")
for name in ("label", "report", "compare", "evaluate"):
    BESIDE[name, "--sheet"] = CALLS[name].replace("s.csv", "s.xlsx").replace("z.csv", "z.xlsx")
for option in ("--evidence", "--taxa", "--until", "--after"):
    BESIDE["cafa ia", option] = "cafa ia known.gaf -O c/o.obo -o ia.tsv"
    BESIDE["cafa train", option] = "cafa train e.npz known.gaf -O c/o.obo -o models2 --min-count 1"
    BESIDE["cafa baseline", option] = "cafa baseline known.gaf -O c/o.obo -o b.tsv --targets targets.txt"
    BESIDE["cafa pairs", option] = "cafa pairs known.gaf -o pairs.tsv"
#: Options that take two values
PAIRS = {"--allowed-by"}
#: Good values that fail where a test cannot give what they need, and what is said then
FAILS = {
    "fetch --from": "data.noun",
    "fetch --mirror": "127.0.0.1",
    "reproduce --only": "no cell",
}


class Case(NamedTuple):
    """An option of a command, and what it takes: a Kind, a decoder that has it as a parameter, None for no value."""

    command: str
    option: str
    takes: object

    def __str__(self) -> str:
        return f"{self.command} {self.option}"

    @property
    def call(self) -> list[str]:
        """The call to which the option is added."""
        call = OWN_CALLS.get((self.command, self.option), CALLS[self.command])
        if isinstance(self.takes, type):
            truth = " --valid-scores s.csv --valid-truth y.csv" if self.takes.learns_from else ""
            call += f" -s {self.takes.name}{truth}"
        return shlex.split(call)

    @property
    def bad(self) -> list[str]:
        """Values that are refused while the command line is read."""
        allowed = getattr(self.takes, "allowed", None)
        if self.takes is None:
            return ["", "0", "1", "yes", "true", "no", "none", "x", "nan", "水", LONG]
        if isinstance(allowed, Range):  # of some there are words too, none of which is among these
            least, most = (int(end) if float(end).is_integer() else end for end in (allowed.least, allowed.most))
            outside = [str(least if allowed.above else least - 1), str(most if allowed.below else most + 1)]
            return [*NUMBERS, *outside, *([] if allowed.holds(0) else ["0"])]
        if isinstance(allowed, tuple):
            return [*NEVER, *TEXTS, " ", allowed[0].upper(), f"{allowed[0]},{allowed[-1]}", f" {allowed[0]}"]
        return DAYS if self.takes is DAY else [*NEVER, *([" ", ",", " , ,"] if self.takes is NAMES else [])]

    @property
    def worse(self) -> list[str]:
        """Values that only the command itself can refuse."""
        if str(self) in FOLDERS or self.option in OUTPUTS:
            makes_folder = str(self) == "report --output"
            files = [file for file in OUT_FILES if not (makes_folder and file.startswith("none"))]
            return OUT_FOLDERS if str(self) in FOLDERS else files
        if isinstance(self.takes, type):
            taken = LARGE.get(self.option, ())
            return [value for value in [*TEXTS, *NUMBERS] if value not in taken]
        if str(self) == "reproduce --data":
            return [text for text in TEXTS if text != "../.."]  # a folder
        if self.option == "--delimiter":  # any one character may be
            return [text for text in TEXTS if len(text) > 1]
        return TEXTS if self.takes in (TEXT, PLACE, NAMES) and self.option not in ANY_TEXT else []


def walk(group, path=()):
    """Yield each command with its name."""
    for name, inner in getattr(group, "commands", {}).items():
        yield from walk(inner, (*path, name))
    if not hasattr(group, "commands"):
        yield " ".join(path), group


COMMAND = get_command(app)


def cases():
    """Yield every option that takes a value or is there or not."""
    for name, command in walk(COMMAND):
        declared = {one.typed: one.kind for one in list_declared(inspect.unwrap(command.callback))}
        for param in command.get_params(typer.Context(command)):
            option = next((flag for flag in param.opts if flag.startswith("--")), "--help")
            if option in declared:
                yield Case(name, option, declared[option])
                yield from (Case(name, flag, None) for flag in param.secondary_opts)
            elif option != "--help":
                has_it = (one for one in DECODERS.members() if param.name in inspect.signature(one).parameters)
                yield Case(name, option, next(has_it))


CASES = list(cases())


def run(call, seconds=SECONDS):
    """Return the line that a call is refused with, None if it works; how much it took; and what it printed."""
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    begin, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said, code = None, 0
    with redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            with printing_what_is_possible():
                code = COMMAND.main(list(call), standalone_mode=False)
        except Exception as error:
            said = format_error(error)
    took = time.process_time() - begin
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    assert took < seconds, (call, took)
    assert more < MEGABYTES, (call, more)
    printed = stderr.buffer.getvalue().decode("utf-8", "replace")
    assert "Traceback" not in printed, (call, printed)
    return f"exit {code}: {printed}" if code and said is None else said


def problem_with(case, value):
    """Return what is wrong with the line that a value is refused with; nothing if it is what a person needs."""
    said = run([*case.call, f"{case.option}={value}"])
    if said is None:
        return "is accepted"
    plain = said.replace("\x1b[2m", "").replace("\x1b[0m", "")
    foreign = [word for word in ("traceback", "bug in truepath", *FOREIGN) if word in plain.lower()]
    if foreign or "\n" in plain or not plain.startswith("truepath: "):
        return f"{foreign}: {plain}"
    if case.option not in plain:
        return f"does not name the option: {plain}"
    return "" if len(plain) < 2 * LONGEST_ERROR + 100 else f"is said at length: {plain}"


def problems(name, values):
    """Return what is wrong with the refusals of a command's options."""
    tried = ((case, value) for case in CASES if case.command == name for value in values(case))
    found = {f"{case}={value[:40]!r}": problem_with(case, value) for case, value in tried}
    return {call: problem for call, problem in found.items() if problem}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files and some models; commands run in it."""
    at = tmp_path_factory.mktemp("values")
    for name, text in FILES.items():
        (at / name).write_text(text)
    for name in ("t", "s", "z"):
        book = openpyxl.Workbook()
        book.active.title = "rows"
        for row in csv.reader(FILES[f"{name}.csv"].splitlines()):
            book.active.append(row)
        book.save(at / f"{name}.xlsx")
    make_case(at / "c", 3)
    (at / "loop").symlink_to("loop")
    rng = np.random.default_rng(0)
    np.savez(at / "e.npz", ids=np.array([f"T{i}" for i in range(8)]), X=rng.random((8, 5)).astype(np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(at)
        patch.delenv("TRUEPATH_DATA", raising=False)
        patch.setattr(
            "truepath.serve.run_server",
            lambda files, *_, trusted=(), **__: [load(file, trusted=trusted) for file in files.values()],
        )
        patch.setattr("truepath.warmup.warm_up", lambda *_, **__: Warmed(0, 0.0, "."))
        patch.setattr("typer.launch", lambda address: 0)
        for call in MODELS:
            run_command(*shlex.split(call))
        yield at


def test_every_command_has_a_call():
    assert CALLS.keys() == dict(walk(COMMAND)).keys()
    assert len(CASES) > 300


def test_every_option_has_ten_bad_values():
    tried = {str(case): {*case.bad, *case.worse, *(TEXTS if case.option in ANY_TEXT else ())} for case in CASES}
    assert {name: values for name, values in tried.items() if len(values) < 10} == {}


@pytest.mark.parametrize("name", CALLS)
def test_what_an_option_does_not_take_is_refused_before_any_work(name, folder):
    assert problems(name, lambda case: case.bad) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_what_a_command_does_not_find_is_refused_with_the_option(name, folder):
    assert problems(name, lambda case: case.worse) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_any_text_is_taken_where_any_makes_sense(name, folder):
    found = problems(name, lambda case: TEXTS if case.option in ANY_TEXT else ())
    assert {call: problem for call, problem in found.items() if problem != "is accepted"} == {}


def good_values(case):
    """Return values that an option takes; an empty one stands for none."""
    allowed = getattr(case.takes, "allowed", None)
    if case.takes is None:
        return [""]
    if isinstance(allowed, tuple):
        return list(allowed)
    if isinstance(allowed, Range):
        return [next(str(value) for value in (2, 0.5, 1, allowed.least, allowed.most) if allowed.holds(value))]
    if case.command == "label" and case.option in NUMBER_OF_LABEL:
        return ["0.5"] if case.option != "--random-state" else ["2"]
    if case.option in OUTPUTS or str(case) in FOLDERS:
        return [GOOD.get(str(case), f"made{CASES.index(case)}.csv")]
    return [GOOD.get(str(case)) or GOOD[case.option]]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_good_values_beside_them_work(name, folder):
    found = {}
    for case in CASES:
        call = BESIDE.get((name, case.option)) if case.command == name else None
        for value in good_values(case) if case.command == name else ():
            option = [case.option, *value.split()] if case.option in PAIRS else [f"{case.option}={value}".rstrip("=")]
            said = run([*(case.call if call is None else shlex.split(call)), *option], seconds=60)
            if said is not None and FAILS.get(str(case), "\0") not in said:
                found[f"{case}={value}"] = said
    assert found == {}


#: What stands in the place of an argument: names of nothing, files of other kinds, damaged and endless ones
ARGUMENTS = [*NEVER, *TEXTS, "loop", "/dev/null", "c", "run", "m.tp", "plan.toml", "results.csv", "thresholds.json"]
ARGUMENTS += ["empty.csv", "torn.tp", "deep.json", "zeros.csv", "head.csv"]


def arguments_of(name):
    """Yield the calls of a command with something else in the place of each argument."""
    words = shlex.split(CALLS[name])
    for place in range(len(name.split()), len(words)):
        if not any(word.startswith("-") for word in words[place - 1 : place + 1]):
            yield from ([*words[:place], value, *words[place + 1 :]] for value in ARGUMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CALLS if any(arguments_of(name))])
def test_arguments_of_any_kind_work_or_are_refused_in_one_line(name, folder):
    (folder / "torn.tp").write_bytes((folder / "m.tp").read_bytes()[:-100])
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "zeros.csv").write_bytes(b"\0" * 5_000)
    (folder / "head.csv").write_text("id,labels\n")
    words = ("traceback", "bug in truepath", "unexpected keyword", *FOREIGN)
    for call in arguments_of(name):
        said = run(call, seconds=60)
        if said is None or said.startswith("exit 1: "):  # what cafa check and evaluate found in a file
            continue
        assert said.startswith("truepath: "), (call, said)
        assert not [word for word in words if word in said.lower()], (call, said)
        assert "\n" not in said, (call, said)
        assert len(said) < 2 * LONGEST_ERROR + 100, (call, said)


@pytest.mark.parametrize("switch", ["QUIET", "NO_WATCH"])
def test_a_switch_in_the_environment_is_1_or_0(switch, folder, monkeypatch):
    for value in ("maybe", "2", "nan", "x" * 10_000):
        monkeypatch.setenv(f"TRUEPATH_SERVE_{switch}", value)
        said = run(["serve", "m.tp"])
        assert said.startswith(f"truepath: TRUEPATH_SERVE_{switch} must be 1 or 0; got '{value[:9]}"), said
        assert len(said) < 2 * LONGEST_ERROR
    for value in ("1", "0", "true", "no", ""):
        monkeypatch.setenv(f"TRUEPATH_SERVE_{switch}", value)
        assert run(["serve", "m.tp"]) is None


def in_python():
    """Yield functions that take what an option takes, and the option."""
    labels = np.array([[1, 0], [0, 1]])
    results = {"dataset": ["d", "d"], "method": ["m", "n"], "value": [0.1, 0.2]}
    yield "compare --alpha", lambda value: experiments.compare(results, alpha=value)
    yield "compare --resamples", lambda value: experiments.compare_models(labels, labels, labels, n_resamples=value)
    yield "cafa cutoffs --resamples", lambda value: bootstrap_interval("h_loss", labels, labels, n_resamples=value)
    yield "cafa check --decimals", lambda value: SubmissionRules(decimals=value)
    yield "cafa submit --max-terms", lambda value: SubmissionRules(max_terms=value)
    yield "cafa train --min-count", lambda value: train_models(None, None, None, min_count=value)
    yield "cafa train --min-used", lambda value: train_models(None, None, None, min_used=value)
    yield "fit --test-share", lambda value: fit_dataset(load_dataset("toy"), test_share=value)
    yield "fit --coverage", lambda value: ConformalSet(value).fit(labels, labels)
    yield "fit --n-jobs", lambda value: run_parallel(abs, [(1,)], n_jobs=value)
    yield "features --number", lambda value: top_features(None, value)
    yield "predict --top", lambda value: HierarchicalClassifier().fit(labels, labels).predict_top(labels, value)


@pytest.mark.parametrize(("option", "function"), list(in_python()))
def test_python_refuses_the_same_values_in_the_same_words(option, function):
    allowed = next(case.takes.allowed for case in CASES if str(case) == option)
    for value in (float("nan"), float("inf"), -float("inf"), "word", "", 1e20, -1e20, 10**400, True, -10_000, [1]):
        with pytest.raises(ValueError, match=f"must be (None or )?{allowed.wanted}; got"):
            function(value)


def reading(case):
    """Yield calls of an output's command, each with a file that it reads."""
    call = BESIDE.get((case.command, case.option)) or shlex.join(case.call)
    words = shlex.split(call)
    for word, before in zip(words, ["", *words]):
        if before != "-o":
            yield words, word
    for other in CASES:
        if other.command == case.command and other.takes in (TEXT, PLACE) and other.option not in {*OUTPUTS, "--run"}:
            yield [*other.call, f"{other.option}={good_values(other)[0]}"], good_values(other)[0]


def test_no_output_may_be_an_input(folder):
    """Arguments and options that name a file, each with each output of the command."""
    found, n = {}, 0
    for case in CASES:
        for call, name in reading(case) if case.option in OUTPUTS or str(case) in FOLDERS else ():
            path = folder / name
            if path.is_file() and path.stat().st_size:
                n, before = n + 1, path.read_bytes()
                said = run([*call, f"{case.option}={name}"])
                if said is None or case.option not in said or path.read_bytes() != before:
                    found[f"{shlex.join(call)} {case.option}={name}"] = said
                    path.write_bytes(before)
    assert n > 50
    assert found == {}
