"""Labels that differ only in how they are spelled: capitals, accents in one or two characters, blanks."""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping

from truepath.errors import SpellingsWarning

#: How many groups of spellings a warning names
N_NAMED = 3

Path = tuple[str, ...]


def plain_spelling(name: str) -> str:
    r"""Return what all spellings of a name have in common.

    Examples
    --------
    >>> plain_spelling("Cafe\u0301 ") == plain_spelling("CAF\u00c9")
    True
    """
    seen = "".join(letter for letter in name if unicodedata.category(letter) != "Cf")  # what cannot be seen
    folded = unicodedata.normalize("NFC", seen).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def find_spellings(paths: Mapping[Path, int]) -> dict[Path, Path]:
    """Return for each node on the paths that is spelled otherwise elsewhere its most frequent spelling.

    Parameters
    ----------
    paths : mapping from path to int
        The paths, and how many rows have each.

    Returns
    -------
    spellings : dict
        From a node, the parts that lead to it, to the node that most rows have; the first of several equal ones.

    Examples
    --------
    >>> find_spellings({("Food", "Figs"): 3, ("food", "Figs"): 1})
    {('food',): ('Food',), ('food', 'Figs'): ('Food', 'Figs')}
    """
    plain = {step: plain_spelling(step) for path in paths for step in path}
    nodes: dict[tuple[int, str], int] = {}  # by what leads to them and the step, whose spellings all lead to one
    steps: defaultdict[int, Counter[str]] = defaultdict(Counter)  # the last step of each node, as rows spell it
    for path, n in paths.items():
        node = -1
        for step in path:
            node = nodes.setdefault((node, plain[step]), len(nodes))
            steps[node][step] += n
    usual = {node: found.most_common(1)[0][0] for node, found in steps.items()}
    spellings: dict[Path, Path] = {}
    for path in paths:
        node, merged, differs = -1, [], False
        for k, step in enumerate(path, start=1):
            node = nodes[node, plain[step]]
            merged.append(usual[node])
            differs |= step != usual[node]
            if differs:
                spellings.setdefault(path[:k], tuple(merged))
    return spellings


def warn_about_spellings(paths: Mapping[Path, int], sep: str) -> None:
    """Warn if labels differ only in capitals, accents or blanks, and name the first."""
    found = find_spellings(paths)
    own = {path: to for path, to in found.items() if path[:-1] not in found}  # not those below another's spelling
    if not own:
        return
    pairs = [f"{sep.join(path)[:60]!r} and {sep.join(to)[:60]!r}" for path, to in list(own.items())[:N_NAMED]]
    more = f" and {len(own) - N_NAMED} more" if len(own) > N_NAMED else ""
    many = f"{len(found)} labels are spelled" if len(found) > 1 else "1 label is spelled"
    warnings.warn(
        f"{many} like another but for capitals, accents or blanks: {', '.join(pairs)}{more}. Each spelling is a label "
        "of its own. merge_spellings=True of a reader (--merge-spellings) takes the most frequent one.",
        SpellingsWarning,
        stacklevel=3,
    )
