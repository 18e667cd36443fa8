"""What a fitted object holds: kinds, shapes and ranges, declared on its class and checked when it comes from a file.

::

    @holds(thresholds_=numbers("n_nodes"), coherent=one_of("check", "max-up"))
    class SingleThreshold(Decoder): ...

A class says so for every attribute that predicting relies on; the declarations of its bases hold too. Sizes of arrays
are numbers, None for any, or names: ``n_nodes`` and ``n_features`` are those of the object, or its owner's where it has
none itself; any other name stands for the size with which it occurs first, so that two arrays of size "k" are equally
long. ``"k+1"`` is one more. :func:`an_object` checks an object within another by the sizes of the owner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy

#: Learned numbers beyond this are refused: their squares, summed, must stay finite
MOST = 1e100

Sizes = dict[str, int]
Kind = Callable[[Any, Sizes], None]
Size = int | str | None
_T = TypeVar("_T", bound=type)
#: What objects of other packages hold, by the full name of their class
OTHERS: dict[str, Mapping[str, Kind]] = {}


def holds(**kinds: Kind) -> Callable[[_T], _T]:
    """Declare what the objects of a class hold once they are fitted."""

    def declare(cls: _T) -> _T:
        cls.held = kinds  # type: ignore[attr-defined]
        return cls

    return declare


def declared(cls: type) -> dict[str, Kind]:
    """Return what a class declares, with what its bases do."""
    found = dict(OTHERS.get(f"{cls.__module__}.{cls.__name__}", {}))
    for base in reversed(cls.__mro__):
        found |= vars(base).get("held", {})
    return found


def check_held(thing: Any, sizes: Sizes | None = None) -> None:
    """Raise ValueError unless an object holds what its class declares.

    Examples
    --------
    >>> @holds(slope=numbers("n"), offset=a_number())
    ... class Line: ...
    >>> line = Line()
    >>> line.slope, line.offset = np.ones((2, 2)), 1.0
    >>> check_held(line)
    Traceback (most recent call last):
        ...
    ValueError: slope of a Line has shape (2, 2)
    """
    held = thing._asdict() if hasattr(thing, "_asdict") else getattr(thing, "__dict__", {})
    own = _own_sizes(held, sizes or {})
    for name, kind in declared(type(thing)).items():
        if name not in held:
            if getattr(kind, "may_lack", False):
                continue
            raise ValueError(f"a {type(thing).__name__} lacks {name}")
        try:
            kind(held[name], own)
        except ValueError as problem:
            raise ValueError(f"{name} of a {type(thing).__name__} {problem}") from None


def _own_sizes(held: Mapping[str, Any], sizes: Sizes) -> Sizes:
    """Return the sizes that an object says itself, which must be its owner's."""
    own = dict(sizes)
    hierarchy = held.get("hierarchy_")
    if isinstance(hierarchy, Hierarchy):
        _set(own, "n_nodes", hierarchy.n_nodes)
    if "n_features_in_" in held:
        integer(1)(held["n_features_in_"], own)
        _set(own, "n_features", int(held["n_features_in_"]))
    return own


def _set(sizes: Sizes, name: str, size: int) -> None:
    if sizes.setdefault(name, size) != size:
        raise ValueError(f"has {name} = {size}, not {sizes[name]}")


def _require(is_right: Any, said: str) -> None:
    if not is_right:
        raise ValueError(said)


# ------------------------------------------------------------------------------------------------ plain values


def a_number(least: float = -MOST, most: float = MOST) -> Kind:
    """Return the check of a number in a range."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, Real) and not isinstance(value, (bool, np.bool_)), "is not a number")
        _require(least <= float(value) <= most, "is out of range")

    return check


def integer(least: float = -MOST, most: float = MOST) -> Kind:
    """Return the check of a whole number in a range."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, Integral) and not isinstance(value, bool), "is not a whole number")
        _require(least <= value <= most, "is out of range")

    return check


def one_of(*choices: Any) -> Kind:
    """Return the check of a value that is one of a few, of the same type."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(
            any(type(value) is type(choice) and value == choice for choice in choices), "is not one of the choices"
        )

    return check


flag = one_of(True, False)
absent = one_of(None)


def a_text(value: Any, sizes: Sizes) -> None:
    """Check a text."""
    _require(isinstance(value, str), "is not a text")


def either(*kinds: Kind) -> Kind:
    """Return the check of a value that is of one of several kinds; the last says what is wrong."""

    def check(value: Any, sizes: Sizes) -> None:
        for kind in kinds[:-1]:
            trial = dict(sizes)
            try:
                kind(value, trial)
            except ValueError:
                continue
            sizes |= trial
            return
        kinds[-1](value, sizes)

    return check


def maybe(kind: Kind) -> Kind:
    """Return the check of a value that may be None."""
    return either(absent, kind)


def if_there(kind: Kind) -> Kind:
    """Return the check of an attribute that an object may lack."""

    def check(value: Any, sizes: Sizes) -> None:
        kind(value, sizes)

    check.may_lack = True  # type: ignore[attr-defined]
    return check


# ------------------------------------------------------------------------------------------------ arrays


def _fit(shape: tuple[int, ...], wanted: tuple[Size, ...], sizes: Sizes) -> None:
    """Check a shape; a name that is new takes the size it meets."""
    _require(len(shape) == len(wanted), f"has shape {shape}")
    for length, size in zip(shape, wanted):
        if isinstance(size, str):
            name, _, more = size.partition("+")
            extra = int(more or 0)
            is_right = sizes.setdefault(name, length - extra) == length - extra
        else:
            is_right = size is None or size == length
        _require(is_right and length >= 0, f"has shape {shape}")


def _resolve(bound: float | str | None, sizes: Sizes) -> float:
    """Return a number, or the size of that name."""
    if bound is None:
        return MOST
    if not isinstance(bound, str):
        return bound
    name, _, more = bound.partition("+")
    return sizes[name] + int(more or 0) if name in sizes else MOST


def numbers(*shape: Size, least: float = -MOST, most: float = MOST, gaps: bool = False) -> Kind:
    """Return the check of an array of float32 or float64 in the machine's order; NaN only where there may be gaps."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, np.ndarray), "is not an array")
        _require(value.dtype in (np.float32, np.float64) and value.dtype.isnative, f"is an array of {value.dtype}")
        _fit(value.shape, shape, sizes)
        values = value[~np.isnan(value)] if gaps else value
        low, high = np.float64(least), np.float64(most)  # float32 would be compared with float32
        _require(((values >= low) & (values <= high)).all(), "has numbers out of range")

    return check


def integers(*shape: Size, least: float = -MOST, below: float | str = MOST) -> Kind:
    """Return the check of an array of whole numbers; ``below`` may be the name of a size."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, np.ndarray), "is not an array")
        is_kind = value.dtype.kind == "i" and value.dtype.itemsize >= 4 and value.dtype.isnative
        _require(is_kind, f"is an array of {value.dtype}")
        _fit(value.shape, shape, sizes)
        _require(((value >= least) & (value < _resolve(below, sizes))).all(), "has numbers out of range")

    return check


def marks(*shape: Size) -> Kind:
    """Return the check of an array of unsigned numbers, any of them."""

    def check(value: Any, sizes: Sizes) -> None:
        is_kind = isinstance(value, np.ndarray) and value.dtype.kind == "u" and value.dtype.isnative
        _require(is_kind, "is not an array of unsigned numbers")
        _fit(value.shape, shape, sizes)

    return check


def flags(*shape: Size) -> Kind:
    """Return the check of an array of truth values."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, np.ndarray) and value.dtype == bool, "is not an array of truth values")
        _fit(value.shape, shape, sizes)

    return check


def sparse_numbers(form: str, *shape: Size) -> Kind:
    """Return the check of a sparse matrix of a form, such as csr."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(sparse.issparse(value) and value.format == form, f"is not a sparse matrix ({form})")
        numbers(None)(value.data, sizes)
        _fit(value.shape, shape, sizes)

    return check


# ------------------------------------------------------------------------------------------------ parts


def each(kind: Kind, size: Size = None, *, of: type | tuple[type, ...] = (list, tuple)) -> Kind:
    """Return the check of a list or tuple, of which every item is of one kind."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, of), f"is a {type(value).__name__}")
        _fit((len(value),), (size,), sizes)
        for item in value:
            kind(item, sizes)

    return check


def apart(kind: Kind) -> Kind:
    """Return a check by which each value has its own sizes, beside those that are known."""
    return lambda value, sizes: kind(value, dict(sizes))


def items(*kinds: Kind) -> Kind:
    """Return the check of a tuple or list of so many items, each of its own kind."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, (list, tuple)) and len(value) == len(kinds), f"has not {len(kinds)} items")
        for item, kind in zip(value, kinds):
            kind(item, sizes)

    return check


def mapping(kind: Kind, keys: Kind | None = None) -> Kind:
    """Return the check of a dictionary."""

    def check(value: Any, sizes: Sizes) -> None:
        _require(isinstance(value, dict), f"is a {type(value).__name__}")
        for key, item in value.items():
            if keys is not None:
                keys(key, sizes)
            kind(item, sizes)

    return check


def an_object(*methods: str, of: Collection[str] = (), knows: Collection[str] = ("n_features", "n_nodes")) -> Kind:
    """Return the check of an object within: its class has these methods, and it holds what it declares.

    Parameters
    ----------
    *methods : str
        Attributes of its class.
    of : collection of str
        Names of the classes it may be of; any if empty.
    knows : collection of str
        Sizes that are the owner's, where the object has them.
    """

    def check(value: Any, sizes: Sizes) -> None:
        cls = type(value)
        _require(not of or cls.__name__ in of, f"is a {cls.__name__}")
        _require(cls.__module__ != "builtins", f"is a {cls.__name__}")
        _require(
            all(hasattr(cls, name) for name in methods), f"is a {cls.__name__}, which cannot {' or '.join(methods)}"
        )
        check_held(value, {name: sizes[name] for name in knows if name in sizes})

    return check


def a_scorer(value: Any, sizes: Sizes) -> None:
    """Check a learner, ours or another's: it scores rows in one of the ways in which learners are asked."""
    ways = [name for name in ("predict_proba", "decision_function") if hasattr(type(value), name)]
    _require(any(hasattr(value, name) for name in ways), f"is a {type(value).__name__}, which does not score rows")
    an_object()(value, sizes)


def unfitted(value: Any, sizes: Sizes) -> None:
    """Check an estimator that is a parameter."""
    methods = ("fit", "get_params", "set_params")
    _require(all(hasattr(type(value), name) for name in methods), f"is a {type(value).__name__}")


def a_hierarchy(value: Any, sizes: Sizes) -> None:
    """Check a hierarchy, of as many nodes as its owner has."""
    _require(isinstance(value, Hierarchy), "is not a hierarchy")
    _set(sizes, "n_nodes", value.n_nodes)


def size(name: str) -> Kind:
    """Return the check of a number that is one of the sizes."""

    def check(value: Any, sizes: Sizes) -> None:
        integer(0)(value, sizes)
        _set(sizes, name, int(value))

    return check


def n_workers(value: Any, sizes: Sizes) -> None:
    """Check a number of workers."""
    maybe(integer(-4096, 4096))(value, sizes)
    _require(value != 0, "is 0")


def classifier(n_classes: Size) -> Kind:
    """Return the check of a fitted classifier of any package, whose classes are numbers from 0."""

    def check(value: Any, sizes: Sizes) -> None:
        cls = type(value)
        _require(hasattr(cls, "predict_proba") or hasattr(cls, "decision_function"), f"is a {cls.__name__}")
        an_object(knows=("n_features",))(value, sizes)
        classes: Any = getattr(value, "classes_", None)
        is_kind = isinstance(classes, np.ndarray) and classes.dtype.kind in "iu" and classes.ndim == 1 and classes.size
        _require(is_kind and (np.diff(classes) > 0).all(), "has odd classes")
        _require(classes[0] >= 0 and classes[-1] < _resolve(n_classes, sizes), "has odd classes")

    return check
