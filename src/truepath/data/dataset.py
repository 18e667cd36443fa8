"""The record every reader returns: features, closed labels and their hierarchy, in named splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.data import full_paths
from truepath.data.describe import Description, describe
from truepath.data.one_hot import one_hot
from truepath.data.split import Split, stack_splits
from truepath.hierarchy import Hierarchy
from truepath.resampling import share_rows

if TYPE_CHECKING:
    from numpy.random import RandomState

_USUAL = ("train", "valid", "test")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A hierarchical multi-label data set: never learned from, never imputed, never changed in place.

    ``ds.train``, ``ds.valid`` and ``ds.test`` are its usual splits; a split that the data do not have raises an
    :class:`AttributeError` that lists those they have. Check with ``"valid" in ds`` or
    ``hasattr(ds, "valid")``.
    Data that come in one piece have one split, ``ds["all"]``.

    Parameters
    ----------
    name : str
    hierarchy : Hierarchy
        Its nodes are the columns of every ``y``.
    splits : mapping from str to Split
    feature_names : sequence of str
        As written in the file, repeated names included: address columns by position.
    categories : mapping from int to tuple of str, optional
        The declared values of each categorical column; ``X`` holds their positions (0, 1, ...).
    provenance : mapping, optional
        Where the data come from, and remarks about them.

    Examples
    --------
    >>> from truepath.data import load_dataset
    >>> ds = load_dataset("toy")
    >>> ds
    Dataset('toy': train 8, test 4; 2 features, 5 labels)
    >>> ds.train.y.shape, ds.hierarchy.decode(ds.train.y[:2])
    ((8, 5), [('a/1',), ('a/2',)])
    >>> ds.valid
    Traceback (most recent call last):
    AttributeError: data set 'toy' has no split 'valid', only 'train', 'test'. ...
    """

    name: str
    hierarchy: Hierarchy
    splits: Mapping[str, Split]
    feature_names: Sequence[str] = ()
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for mapping in ("splits", "categories", "provenance"):
            object.__setattr__(self, mapping, MappingProxyType(dict(getattr(self, mapping))))
        if isinstance(self.feature_names, list):
            object.__setattr__(self, "feature_names", tuple(self.feature_names))
        for name, split in self.splits.items():
            width = split.X.shape[1] if split.X.ndim == 2 else 1
            if width != len(self.feature_names):
                raise ValueError(f"split {name!r} has {width} features, feature_names {len(self.feature_names)}.")
            if split.y.shape[1] != self.hierarchy.n_nodes:
                n_nodes = self.hierarchy.n_nodes
                raise ValueError(f"split {name!r} has {split.y.shape[1]} label columns, the hierarchy {n_nodes} nodes.")

    def __reduce__(self) -> tuple[Any, ...]:
        plain = (dict(self.splits), self.feature_names, dict(self.categories), dict(self.provenance))
        return Dataset, (self.name, self.hierarchy, *plain)

    # ------------------------------------------------------------------------------------- looking at it

    def __getitem__(self, split: str) -> Split:
        if split not in self.splits:
            raise KeyError(self._no_split(split))
        return self.splits[split]

    def __contains__(self, split: object) -> bool:
        return split in self.splits

    def __iter__(self) -> Iterator[str]:
        return iter(self.splits)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(split)}" for name, split in self.splits.items())
        return f"Dataset({self.name!r}: {sizes}; {self.n_features} features, {self.hierarchy.n_nodes} labels)"

    def _repr_html_(self) -> str:
        """Return what the data set holds, for notebooks."""
        return self.describe()._repr_html_()

    def _no_split(self, name: str) -> str:
        known = ", ".join(map(repr, self.splits))
        return f"data set {self.name!r} has no split {name!r}, only {known}. Make one with ds.split(...)."

    def _usual(self, name: str) -> Split:
        if name not in self.splits:
            raise AttributeError(self._no_split(name))
        return self.splits[name]

    @property
    def train(self) -> Split:
        """The split called ``"train"``."""
        return self._usual("train")

    @property
    def valid(self) -> Split:
        """The split called ``"valid"``."""
        return self._usual("valid")

    @property
    def test(self) -> Split:
        """The split called ``"test"``."""
        return self._usual("test")

    @property
    def n_features(self) -> int:
        """The number of feature columns."""
        return len(self.feature_names)

    @property
    def n_samples(self) -> int:
        """The number of rows of all splits together."""
        return sum(map(len, self.splits.values()))

    @property
    def feature_kinds(self) -> tuple[str, ...]:
        """The kind of each column: ``"numeric"``, ``"categorical"`` or ``"text"``."""
        text = any(split.X.ndim == 1 for split in self.splits.values())
        other = "text" if text else "numeric"
        return tuple("categorical" if j in self.categories else other for j in range(self.n_features))

    def describe(self) -> Description:
        """Count what the data set holds: rows, features, missing values, labels, depth, partial paths.

        Examples
        --------
        >>> from truepath.data import load_dataset
        >>> print(load_dataset("toy").describe())
        data set              toy (tree)
        rows                  12 (train 8, test 4)
        ...
        """
        return describe(self.name, self.hierarchy, self.splits, self.n_features, len(self.categories))

    # ---------------------------------------------------------------------------------- making another

    def merge(self, *names: str, into: str | None = None) -> Dataset:
        """Put splits together, rows in the order of ``names`` (all splits by default).

        Parameters
        ----------
        *names : str
            The splits to join, e.g. ``"train", "valid"``.
        into : str, optional
            The name of the result: the first of ``names`` by default, ``"all"`` if none is given.

        Examples
        --------
        >>> from truepath.data import load_dataset
        >>> load_dataset("toy").merge()
        Dataset('toy': all 12; 2 features, 5 labels)
        """
        into = into or (names[0] if names else "all")
        names = names or tuple(self.splits)
        joined = stack_splits([self[name] for name in names])
        others = {name: split for name, split in self.splits.items() if name not in names}
        if into in others:
            raise ValueError(f"into={into!r} is another split of {self.name!r}; merge it too, or choose another name.")
        return replace(self, splits={into: joined, **others})

    def split(
        self,
        fractions: Sequence[float] | Mapping[str, float] = (0.6, 0.2, 0.2),
        random_state: int | RandomState | None = None,
        *,
        of: str | None = None,
    ) -> Dataset:
        """Split the rows so that every label keeps its share in every part (iterative stratification).

        Rows that have ``groups`` are divided by whole groups.

        Parameters
        ----------
        fractions : sequence or mapping from str to float, default=(0.6, 0.2, 0.2)
            The share of each part; two numbers mean train and test, three train, valid and test; a mapping
            names them. They must add up to 1.
        random_state : int, RandomState or None
            Ties are broken at random; an int makes the split repeatable.
        of : str, optional
            Divide this split only and keep the others, e.g.
            ``ds.split({"train": 2 / 3, "valid": 1 / 3}, of="train")``. By default all rows are divided.

        Examples
        --------
        >>> from truepath.data import load_dataset
        >>> load_dataset("toy").split((0.5, 0.5), random_state=0)
        Dataset('toy': train 6, test 6; 2 features, 5 labels)
        """
        shares = _named_shares(fractions)
        source = stack_splits(list(self.splits.values())) if of is None else self[of]
        others = {} if of is None else {name: split for name, split in self.splits.items() if name != of}
        if set(shares) & set(others):
            raise ValueError(f"fractions names splits that are kept: {sorted(set(shares) & set(others))}.")
        from truepath.adapters.groups import check_groups  # brings scikit-learn, which reading does without

        groups = check_groups(source.groups, len(source))
        parts = share_rows(source.y, list(shares.values()), random_state, groups)
        dealt = {name: source.take(np.flatnonzero(parts == k)) for k, name in enumerate(shares)}
        return replace(self, splits={**dealt, **others})

    def one_hot(self, *, drop_binary: bool | None = None) -> Dataset:
        """Replace every categorical column by 0/1 columns, one per declared value (nothing is fitted).

        A missing value becomes zeros in all columns of its attribute.

        Parameters
        ----------
        drop_binary : bool, optional
            Whether an attribute of two values becomes one column (1 for the second value) instead of two; a
            missing value stays NaN there. By default this is done for sparse data only, which stay sparse that way.
        """
        return one_hot(self, drop_binary)

    def prune(self, min_count: int, *, split: str | None = None) -> Dataset:
        """Drop the labels with fewer than ``min_count`` rows, and their columns in every split.

        Parameters
        ----------
        min_count : int
        split : str, optional
            Count in this split; by default in ``"train"`` if there is one, otherwise in all rows.
        """
        counted = split or ("train" if "train" in self.splits else None)
        Y = stack_splits(list(self.splits.values())).y if counted is None else self[counted].y
        smaller = self.hierarchy.prune(min_count, Y)
        columns = self.hierarchy.indices(smaller.names)
        splits = {name: Split(s.X, s.y[:, columns], s.ids, groups=s.groups) for name, s in self.splits.items()}
        return replace(self, hierarchy=smaller, splits=splits)

    def keep_full_paths(self) -> Dataset:
        """Drop the rows with a path that stops above the leaves, and those without labels.

        What remains suits mandatory-leaf prediction; the hierarchy stays as it is. Pruning rare labels turns inner
        nodes into leaves, so it matters whether :meth:`prune` comes before or after.

        Examples
        --------
        >>> from truepath.data import load_dataset
        >>> load_dataset("toy").keep_full_paths()
        Dataset('toy': train 6, test 2; 2 features, 5 labels)
        """
        return full_paths.keep_full_paths(self)


def _named_shares(fractions: Sequence[float] | Mapping[str, float]) -> dict[str, float]:
    if not isinstance(fractions, Mapping):
        names = {2: ("train", "test"), 3: _USUAL}.get(len(fractions))
        if names is None:
            raise ValueError(
                f"fractions has {len(fractions)} numbers; give 2, 3, or a mapping from split name to share."
            )
        fractions = dict(zip(names, fractions))
    shares = {str(name): float(share) for name, share in fractions.items()}
    if not shares or min(shares.values()) <= 0 or abs(sum(shares.values()) - 1) > 1e-6:
        raise ValueError(f"fractions must be positive and add up to 1, not {list(shares.values())}.")
    return shares
