"""Words of texts counted inside a graph, letter by letter, as scikit-learn's vectorizers count them.

ONNX's own lowercasing follows the locale of the machine, and the words of its regular expressions are not Python's. So
a text is cut into letters, the one thing that is the same everywhere, and each letter is looked up in a table made by
Python: what it becomes in lower case and without accents (nothing, one letter or several), and whether that belongs to
a word. Words are then runs of numbers between separators, and so are pairs of words; ``TfIdfVectorizer``, ONNX's
counter of n-grams, finds them as n-grams of letters.

Equal for every assigned character of Python's Unicode tables, with one exception: whether a capital sigma (Σ) ends a
word is seen by its two neighbours, and not by what lies beyond an apostrophe or a combining mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, strip_accents_unicode

from truepath.errors import CapabilityError
from truepath.graph.graph import Graph

#: Numbers of letters: padding, what separates words, a letter that no known word has; the letters of words follow
PADDING, SEPARATOR, OTHER, FIRST_LETTER = 0, 1, 2, 3
#: A run of letters that no known word has is as good as two of them
LONGEST_OTHER = 2
WORD_PATTERN = r"(?u)\b\w\w+\b"
SIGMA, FINAL_SIGMA = "Σ", "ς"
N_CODE_POINTS = 0x110000
SURROGATES = range(0xD800, 0xE000)


#: What every letter becomes: the row of each letter, 0 for those not listed, and the numbers of each row, padded
LetterTable = tuple[dict[str, int], np.ndarray]


def count_pieces(graph: Graph, vectorizer: CountVectorizer, texts: str) -> str:
    """Return how often each word (or pair of words, or piece of letters) of the vocabulary occurs in each text."""
    _check(vectorizer)
    vocabulary = {str(piece): int(column) for piece, column in vectorizer.vocabulary_.items()}
    letters = {letter: FIRST_LETTER + k for k, letter in enumerate(sorted(set("".join(vocabulary))))}
    cut = graph.add("Tokenizer", texts, domain="com.microsoft", mark=0, mincharnum=1, pad_value="", separators=[""])
    prepare = _preparation(vectorizer.lowercase, vectorizer.strip_accents)
    if vectorizer.analyzer == "char":
        runs = _runs_of_letters(graph, cut, letters, prepare)
        grams = {tuple(letters[letter] for letter in piece): column for piece, column in vocabulary.items()}
    else:
        letters[" "] = SEPARATOR
        runs = _runs_of_words(graph, cut, letters, prepare)
        edge = (SEPARATOR,)
        grams = {edge + tuple(letters[c] for c in piece) + edge: column for piece, column in vocabulary.items()}
    return _count(graph, runs, grams)


def _check(vectorizer: CountVectorizer) -> None:
    """Refuse what texts cannot be cut by."""
    has_words = vectorizer.analyzer == "word" and vectorizer.token_pattern == WORD_PATTERN
    plain = all(getattr(vectorizer, name) is None for name in ("preprocessor", "tokenizer", "stop_words"))
    is_known = (has_words or vectorizer.analyzer == "char") and vectorizer.strip_accents in (None, "unicode")
    if not (plain and is_known):
        raise CapabilityError(
            f"{type(vectorizer).__name__} with settings other than those of AutoFeatures cannot be exported to ONNX.",
            "export of rows",
            (),
            "Leave analyzer='word' or 'char', and preprocessor, tokenizer, token_pattern and stop_words as they are.",
        )


def _preparation(lowercase: bool, strip_accents: str | None) -> Callable[[str], str]:
    """Return what is done to a text before it is cut."""

    def prepare(text: str) -> str:
        text = text.lower() if lowercase else text
        return strip_accents_unicode(text) if strip_accents else text

    return prepare


# -------------------------------------------------------------------------------------------------------- letters


@lru_cache(maxsize=1)
def _word_letters() -> frozenset[str]:
    """Return all letters of words, as Python's regular expressions see them."""
    every = "".join(map(chr, (c for c in range(N_CODE_POINTS) if c not in SURROGATES)))
    return frozenset(re.findall(r"\w", every))


def _changed_letters(prepare: Callable[[str], str]) -> list[str]:
    """Return the letters that a preparation changes."""
    return [letter for letter in map(chr, range(N_CODE_POINTS)) if _can_change(letter) and prepare(letter) != letter]


def _can_change(letter: str) -> bool:
    return ord(letter) not in SURROGATES and unicodedata.category(letter) != "Cn"


def _make_table(rows: dict[str, tuple[int, ...]], usual: tuple[int, ...]) -> LetterTable:
    """Number the different rows; row 0 is that of letters not listed, row 1 is empty and that of padding."""
    distinct = {usual: 0, (): 1}
    row_of = {"": 1}
    for letter, row in rows.items():
        if row != usual:
            row_of[letter] = distinct.setdefault(row, len(distinct))
    most = max(map(len, distinct))
    becomes = np.array([row + (PADDING,) * (most - len(row)) for row in distinct], np.int64)
    return row_of, becomes


def _word_table(letters: dict[str, int], prepare: Callable[[str], str]) -> LetterTable:
    """Return what letters become where words are counted; what is not listed separates."""
    in_words = _word_letters()

    def number(letter: str) -> int:
        return letters.get(letter, OTHER) if letter in in_words else SEPARATOR

    rows: dict[str, tuple[int, ...]] = {letter: (number(letter),) for letter in in_words}
    for letter in _changed_letters(prepare):
        rows[letter] = _shorten(tuple(map(number, prepare(letter))))
    return _make_table(rows, (SEPARATOR,))


def _shorten(row: tuple[int, ...]) -> tuple[int, ...]:
    """Cut runs of other letters down to two, and runs of separators to one."""
    kept: list[int] = []
    for number in row:
        most = {OTHER: LONGEST_OTHER, SEPARATOR: 1}.get(number, len(row))
        if kept[-most:] != [number] * most:
            kept.append(number)
    return tuple(kept)


def _piece_table(letters: dict[str, int], prepare: Callable[[str], str]) -> LetterTable:
    """Return what letters become where pieces are counted; what is not listed is in no piece."""
    rows: dict[str, tuple[int, ...]] = {letter: (number,) for letter, number in letters.items()}
    for letter in _changed_letters(prepare):
        rows[letter] = tuple(letters.get(part, OTHER) for part in prepare(letter))
    return _make_table(rows, (OTHER,))


# ----------------------------------------------------------------------------------------------------------- runs


def _runs_of_words(graph: Graph, cut: str, letters: dict[str, int], prepare: Callable[[str], str]) -> str:
    """Return the words of each text of two letters or more, a separator before, between and after them."""
    numbers = _spell_out(graph, cut, _word_table(letters, prepare), letters, prepare)
    numbers = _pad(graph, numbers, 1, SEPARATOR)
    is_word = _greater(graph, numbers, SEPARATOR)
    before, after = _shift(graph, is_word, 1), _shift(graph, is_word, -1)
    has_neighbor = graph.add("Or", before, after)
    is_long = graph.add("And", is_word, has_neighbor)
    ends = graph.add("And", _shift(graph, is_long, 1), graph.add("Not", is_long))
    kept = graph.add("Or", is_long, ends)
    told = graph.add("Where", is_long, numbers, graph.constant(SEPARATOR, np.int64))
    return _pad(graph, _place(graph, [told], graph.cast(kept, "INT64")), (1, 0), SEPARATOR)


def _runs_of_letters(graph: Graph, cut: str, letters: dict[str, int], prepare: Callable[[str], str]) -> str:
    """Return the letters of each text; blanks beside each other become one space, as scikit-learn has it."""
    blanks = [letter for letter in map(chr, range(N_CODE_POINTS)) if letter.isspace() and re.match(r"\s", letter)]
    space = letters.get(" ", OTHER)
    # Every blank gets a number of its own until the runs of them are known
    own = {blank: FIRST_LETTER + len(letters) + k for k, blank in enumerate(blanks)}
    table = _piece_table({**letters, **own}, prepare)
    numbers = _pad(graph, _spell_out(graph, cut, table, letters, prepare), 1, PADDING)
    first, last = own[blanks[0]], own[blanks[-1]]
    is_blank = graph.add("And", _greater(graph, numbers, first - 1), graph.add("Not", _greater(graph, numbers, last)))
    follows, leads = _shift(graph, is_blank, 1), _shift(graph, is_blank, -1)
    back = np.arange(last + 1)
    back[first:] = [letters.get(blank, OTHER) for blank in blanks]
    plain = graph.add("Gather", graph.constant(back, np.int64), numbers)
    in_run = graph.add("And", is_blank, leads)
    told = graph.add("Where", in_run, graph.constant(space, np.int64), plain)
    drops = graph.add("And", is_blank, follows)
    kept = graph.add("And", graph.add("Not", drops), _greater(graph, numbers, PADDING))
    return _place(graph, [told], graph.cast(kept, "INT64"))


def _spell_out(
    graph: Graph, cut: str, table: LetterTable, letters: dict[str, int], prepare: Callable[[str], str]
) -> str:
    """Return what the letters of each text become, one number after the other."""
    row_of, becomes = table
    rows = _pad(graph, graph.encode(cut, row_of, 0), (0, 1), row_of[""])  # some batches have no letter at all
    lengths = graph.add("Gather", graph.constant((becomes != PADDING).sum(axis=1), np.int64), rows)
    numbers = [graph.add("Gather", graph.constant(column), rows) for column in becomes.T]
    if prepare(SIGMA) != SIGMA and {FINAL_SIGMA, prepare(SIGMA)} & letters.keys():
        numbers[0] = _end_words_in_sigma(graph, cut, numbers[0], letters)
    return _place(graph, numbers, lengths)


def _end_words_in_sigma(graph: Graph, cut: str, number: str, letters: dict[str, int]) -> str:
    """Put a final sigma where a capital one follows a letter with case and no such letter follows it."""
    kind_of = {c: 1 for c in sorted(_word_letters()) if (c + SIGMA).lower().endswith(FINAL_SIGMA)} | {SIGMA: 2}
    kinds = _pad(graph, graph.encode(cut, kind_of, 0), (1, 2), 0)
    is_cased = _greater(graph, kinds, 0)
    ends = graph.add("And", _shift(graph, is_cased, 1), graph.add("Not", _shift(graph, is_cased, -1)))
    ends = graph.add("And", ends, _greater(graph, kinds, 1))
    inner = _slice(graph, ends, 1, -1)
    return graph.add("Where", inner, graph.constant(letters.get(FINAL_SIGMA, OTHER), np.int64), number)


def _place(graph: Graph, numbers: list[str], lengths: str) -> str:
    """Put numbers one after the other: of matrix k the cells whose length, how many numbers they have, is more."""
    ends = graph.add("CumSum", lengths, graph.constant(1, np.int64))
    starts = graph.add("Sub", ends, lengths)
    every_end = graph.add("Concat", graph.reshape(ends, [-1]), graph.constant([0], np.int64), axis=0)
    width = graph.add("ReduceMax", every_end)
    n_rows = _slice(graph, graph.add("Shape", lengths), 0, 1, axis=0)
    one_more = graph.add("Add", graph.reshape(width, [1]), graph.constant([1], np.int64))
    padding = graph.onnx.numpy_helper.from_array(np.array([PADDING], np.int64))
    made = graph.add("ConstantOfShape", graph.add("Concat", n_rows, one_more, axis=0), value=padding)
    for k, part in enumerate(numbers):
        is_there = _greater(graph, lengths, k)
        at = graph.add("Where", is_there, graph.add("Add", starts, graph.constant(k, np.int64)), width)
        value = graph.add("Where", is_there, part, graph.constant(PADDING, np.int64))
        made = graph.add("ScatterElements", made, at, value, axis=1)
    return made


def _slice(graph: Graph, values: str, start: int, stop: int, axis: int = 1) -> str:
    return graph.add("Slice", values, *(graph.constant([at], np.int64) for at in (start, stop, axis)))


def _greater(graph: Graph, numbers: str, than: int) -> str:
    return graph.add("Greater", numbers, graph.constant(than, np.int64))


def _pad(graph: Graph, numbers: str, by: int | tuple[int, int], value: int) -> str:
    """Put columns before and after."""
    before, after = (by, by) if isinstance(by, int) else by
    pads = graph.constant([0, before, 0, after], np.int64)
    return graph.add("Pad", numbers, pads, graph.constant(value, np.int64))


def _shift(graph: Graph, marks: str, by: int) -> str:
    """Move marks by one column to the right (1) or left (-1); nothing is marked beyond the end."""
    wide = _pad(graph, graph.cast(marks, "INT64"), (max(by, 0), max(-by, 0)), 0)
    span = (0, -1) if by > 0 else (1, np.iinfo(np.int64).max)
    return graph.cast(_slice(graph, wide, *span), "BOOL")


def _count(graph: Graph, runs: str, grams: dict[tuple[int, ...], int]) -> str:
    """Count n-grams of numbers, rows x columns of the vocabulary, in float32."""
    order = sorted(grams, key=len)
    lengths = np.array([len(gram) for gram in order])
    longest = int(lengths[-1])
    starts = np.cumsum([0, *(lengths[lengths == n].sum() for n in range(1, longest))])
    return graph.add(
        "TfIdfVectorizer",
        runs,
        mode="TF",
        min_gram_length=int(lengths[0]),
        max_gram_length=longest,
        max_skip_count=0,
        ngram_counts=starts.tolist(),
        ngram_indexes=[grams[gram] for gram in order],
        pool_int64s=[number for gram in order for number in gram],
    )
