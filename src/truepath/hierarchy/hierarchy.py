"""The label graph: a tree or a DAG of classes under an implicit root, immutable, nodes numbered parents first."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.files.limits import Limits
from truepath.hierarchy import build, encode, matrices, propagation, restrict
from truepath.hierarchy.build import IntArray, group_by, number_edges, order_nodes
from truepath.hierarchy.names import look_up, node_number

if TYPE_CHECKING:
    from truepath.hierarchy.difference import HierarchyDiff
    from truepath.hierarchy.editing import HierarchyEditor


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


class Hierarchy:
    """A tree or a DAG of labels under an implicit root.

    Make one with a constructor of its own: :meth:`from_edges`, :meth:`from_paths`, :meth:`from_parents`,
    :meth:`from_prefixes`, :meth:`flat`, :meth:`from_dict`, :meth:`from_networkx`, :meth:`from_obo`, :meth:`from_json`.
    Nodes are the integers ``0 .. n_nodes - 1``, numbered so that parents come before children (the order given is kept
    wherever it already does that); :attr:`names` holds their names. The root that every instance belongs to
    is not a node. A hierarchy is immutable, hashable, equal to another of the same names and edges, and its own
    scikit-learn clone.

    Attributes
    ----------
    n_nodes, n_edges : int
        Numbers of labels and of edges between them (edges from the implicit root are not counted).
    names : ndarray of str, shape (n_nodes,)
        The label names.
    edges : ndarray of int32, shape (n_edges, 2)
        Pairs (parent, child), sorted by child.
    parent_ptr, parent_idx, child_ptr, child_idx : ndarray of int32
        The same edges as index arrays: the parents of ``v`` are ``parent_idx[parent_ptr[v]:parent_ptr[v + 1]]``.
    roots, leaves : ndarray of int
        The top-level nodes (without parents) and the nodes without children.
    is_leaf : ndarray of bool, shape (n_nodes,)
    is_tree : bool
        Whether no node has more than one parent.
    depth : ndarray of int32, shape (n_nodes,)
        Length of the longest path from the implicit root; top-level nodes have depth 1.
    height : int
        The largest depth.
    levels : tuple of ndarray of int
        The nodes of each depth: ``levels[0]`` are those of depth 1.
    costs : ndarray of float64, shape (n_nodes,)
        The normalised costs: c_root = 1, and c_v is the sum over the parents u of v of c_u / #children(u).
    aliases : mapping of str to str
        Other names of nodes, such as alternative ids; :meth:`index` and :meth:`encode` take them.
    sep : str or None
        What joins the parts of a name that is a path, as :meth:`from_paths` makes them; None for other names.
    titles : mapping of str to str
        What names stand for, as an ontology says it: "apoptotic process" for ``GO:0006915``; :meth:`label` shows both.

    Notes
    -----
    Building costs O((nodes + edges) log nodes). Memory is O(nodes + edges); closures are sparse.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> h
    Hierarchy(5 nodes, 3 edges, tree, 3 leaves, height 2)
    >>> list(h.names)
    ['a', 'a/1', 'a/2', 'b', 'b/1']
    >>> h.names[h.parents("a/2")].tolist()
    ['a']
    >>> Y = h.encode([["a/1", "b"], ["a"]])
    >>> h.decode(Y)
    [('a/1', 'b'), ('a',)]
    """

    names: NDArray[np.object_]
    parent_ptr: IntArray
    parent_idx: IntArray
    aliases: Mapping[str, str]
    sep: str | None
    titles: Mapping[str, str]

    def __init__(
        self,
        names: Sequence[str],
        pairs: NDArray[np.int64],
        aliases: Mapping[str, str] | None = None,
        sep: str | None = None,
        titles: Mapping[str, str] | None = None,
    ):
        """Order and freeze; use the ``from_*`` constructors rather than this one."""
        order = order_nodes(names, pairs)
        rank = np.empty(len(names), np.int64)
        rank[order] = np.arange(len(names))
        named = np.empty(len(names), object)
        named[:] = [names[v] for v in order]
        ptr, idx = group_by(rank[pairs[:, 1]], rank[pairs[:, 0]], len(names))
        fields = {"names": _frozen(named), "parent_ptr": _frozen(ptr), "parent_idx": _frozen(idx)}
        shown = MappingProxyType(dict(titles or {}))
        self.__dict__.update(fields, aliases=MappingProxyType(dict(aliases or {})), sep=sep, titles=shown)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Hierarchy is immutable; make a new one instead of setting {name!r}.")

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[str | None]],
        *,
        nodes: Iterable[str] | None = None,
        root: str | None = None,
        sep: str | None = None,
    ) -> Hierarchy:
        """Build from (parent, child) pairs of names; parent ``None`` (or ``root``) hangs the child at the top.

        Parameters
        ----------
        edges : iterable of pairs
            Repeated edges count once. A node that has other parents keeps only those: an edge from the root
            beside them adds nothing.
        nodes : iterable of str, optional
            All node names, in the preferred order; names outside it are then an error.
        root : str, optional
            A name that stands for the implicit root, such as ``"root"`` in CLUS files.
        sep : str, optional
            What joins the parts of names that are paths, as :meth:`from_paths` makes them.

        Examples
        --------
        >>> h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c")])
        >>> h.is_tree, h.costs.tolist()
        (False, [0.5, 0.5, 1.0])
        """
        return cls(*number_edges(edges, nodes, root), sep=sep)

    @classmethod
    def from_paths(cls, paths: Iterable[str | Sequence[str]], *, sep: str = "/") -> Hierarchy:
        """Build a tree from paths: strings split at ``sep``, or tuples of parts; ancestors are added.

        A node is named by its whole path, so ``a/1`` and ``b/1`` are different nodes.

        Examples
        --------
        >>> list(Hierarchy.from_paths([("Science", "Physics"), ("Art",)], sep=" > ").names)
        ['Science', 'Science > Physics', 'Art']
        """
        return cls(*build.number_paths(paths, sep), sep=sep)

    @classmethod
    def from_prefixes(
        cls,
        codes: Iterable[str],
        *,
        sep: str = ".",
        whole_parts: bool | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> Hierarchy:
        """Build from codes that begin with their group: each hangs from the longest other code that it begins with.

        Parameters
        ----------
        codes : iterable of str
            Such as those of ICD, EC or NAICS, perhaps with a blank and a title after each. What stands before a
            separator is a group, listed or not.
        sep : str, default="."
            What separates the parts of a code; ``""`` if nothing does.
        whole_parts : bool, optional
            Whether a group ends where a part ends: 1.1 stands above 1.1.10, and not 1.1.1. By default it does unless
            all codes are written like those of ICD, three characters or more of one length and one separator: there
            E11.6 stands above E11.65.
        titles : mapping of str to str, optional
            What codes stand for, shown beside them. A title that one code has is another name of it.

        Examples
        --------
        >>> h = Hierarchy.from_prefixes(["E11.65", "E11.6", "E11.9", "I10"], titles={"I10": "hypertension"})
        >>> h.names.tolist(), h.edges.tolist(), h.index("hypertension")
        (['E11', 'E11.6', 'E11.65', 'E11.9', 'I10'], [[0, 1], [1, 2], [0, 3]], 4)
        """
        from truepath.hierarchy.prefixes import number_prefixes

        names, pairs = number_prefixes(codes, sep, whole_parts)
        shown = {code: title for code, title in (titles or {}).items() if title}
        once = Counter(shown.values())
        aliases = {title: code for code, title in shown.items() if once[title] == 1 and title not in names}
        return cls(names, pairs, aliases, titles=shown)

    @classmethod
    def from_parents(
        cls, parents: Mapping[str, Any] | Sequence[int | Sequence[int]], names: Sequence[str] | None = None
    ) -> Hierarchy:
        """Build from each node's parent or parents.

        Parameters
        ----------
        parents : mapping or sequence
            A mapping from name to parent name, list of parent names, or None; or a sequence of parent numbers
            (-1 at the top) or lists of them, one entry per node.
        names : sequence of str, optional
            With a sequence: the names; the numbers themselves by default.

        Examples
        --------
        >>> Hierarchy.from_parents({"a": None, "b": "a", "c": ["a", "b"]}).edges.tolist()
        [[0, 1], [0, 2], [1, 2]]
        >>> Hierarchy.from_parents([-1, 0, 0]).names.tolist()
        ['0', '1', '2']
        """
        return cls(*build.number_parents(parents, names))

    @classmethod
    def flat(cls, names: int | Iterable[str]) -> Hierarchy:
        """Build a hierarchy without edges: plain multi-label classification over ``names`` (or that many numbers)."""
        named = map(str, range(names)) if isinstance(names, int) else names
        return cls(*number_edges([], named, None))

    @classmethod
    def from_networkx(cls, graph: Any, *, root: str | None = None) -> Hierarchy:
        """Build from a networkx ``DiGraph`` whose arcs lead from parent to child; ``root`` is the node to leave out."""
        return cls.from_edges(graph.edges(), nodes=[v for v in graph.nodes() if v != root], root=root)

    @classmethod
    def from_obo(
        cls,
        source: Any,
        *,
        relations: Sequence[str] = ("is_a",),
        namespaces: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> Hierarchy:
        """Build from an ontology in OBO format.

        Parameters
        ----------
        source : path, URL or text stream
            A file may be compressed (.gz, .bz2, .xz).
        relations : sequence of str, default=("is_a",)
            Which relations make edges, for instance ``("is_a", "part_of")``. A relation that leads into another
            of the chosen ``namespaces`` counts as well.
        namespaces : sequence of str, optional
            Keep these only, e.g. ``["biological_process"]``. All by default.
        limits : Limits, optional
            The most that is taken from the file; see :class:`truepath.files.Limits`.

        Notes
        -----
        Obsolete terms are left out. Alternative ids (``alt_id``) are kept as :attr:`aliases`: :meth:`index` and
        :meth:`encode` take them for the term they stand for.
        """
        from truepath.files.names import naming_file
        from truepath.hierarchy.obo import name_of, read_obo

        with naming_file(name_of(source)):
            names, pairs, aliases, titles = read_obo(source, relations, namespaces, limits)
            return cls(names, pairs, aliases, titles=titles)

    @classmethod
    def from_dict(cls, content: Any, *, sep: str = "/", root: str | None = None) -> Hierarchy:
        """Build from a dictionary or list as JSON files hold them; the shape is recognised.

        Parameters
        ----------
        content : dict or list
            * nested objects, ``{"a": {"b": {}, "c": {}}}``; lists of names may stand at the bottom;
            * names with children, ``{"name": "a", "children": [{"name": "b"}]}``, as D3 takes them, or a list of such;
            * child to parent or parents, ``{"a": None, "b": "a", "c": ["a", "b"]}``; a parent without an entry of its
              own is at the top. Where all are lists, they hold parents or children, whichever gives fewer names at
              the top than at the bottom; equal numbers are an error;
            * a graph as ``networkx.node_link_data`` writes it, links leading from parent to child;
            * records, ``[{"id": "b", "parent": "a"}, ...]``;
            * what :meth:`to_json` wrote, parsed.
        sep : str, default="/"
            Where an outline has a name in several places, nodes are named by their paths, joined by this.
        root : str, optional
            The name of the root, which does not become a node.

        Examples
        --------
        >>> Hierarchy.from_dict({"Animal": {"Mammal": ["Sheep", "Cow"]}}).names.tolist()
        ['Animal', 'Mammal', 'Sheep', 'Cow']
        >>> Hierarchy.from_dict({"Sheep": "Animal", "Cow": "Animal"})
        Hierarchy(3 nodes, 2 edges, tree, 2 leaves, height 2)
        """
        return cls(*build.parse_dict(content, sep, root))

    @classmethod
    def from_json(cls, text: str, *, sep: str = "/", root: str | None = None) -> Hierarchy:
        """Build from what :meth:`to_json` wrote, or from JSON in one of the shapes that :meth:`from_dict` takes."""
        return cls(*build.parse_json(text, sep, root))

    # ------------------------------------------------------------------ structure

    @property
    def n_nodes(self) -> int:
        return int(self.names.size)

    @property
    def n_edges(self) -> int:
        return int(self.parent_idx.size)

    @property
    def is_tree(self) -> bool:
        return bool((np.diff(self.parent_ptr) <= 1).all())

    @cached_property
    def edges(self) -> IntArray:
        child = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.parent_ptr))
        return _frozen(np.column_stack([self.parent_idx, child]))

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        ptr, idx = group_by(self.edges[:, 0], self.edges[:, 1], self.n_nodes)
        return _frozen(ptr), _frozen(idx)

    @property
    def child_ptr(self) -> IntArray:
        return self._children[0]

    @property
    def child_idx(self) -> IntArray:
        return self._children[1]

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        return _frozen(np.diff(self.child_ptr) == 0)

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        return _frozen(np.flatnonzero(self.is_leaf))

    @cached_property
    def roots(self) -> NDArray[np.int64]:
        return _frozen(np.flatnonzero(np.diff(self.parent_ptr) == 0))

    @cached_property
    def depth(self) -> IntArray:
        depth = [1] * self.n_nodes
        for parent, child in self.edges.tolist():  # sorted by child, and parents come first
            depth[child] = max(depth[child], depth[parent] + 1)
        return _frozen(np.array(depth, np.int32))

    @property
    def height(self) -> int:
        return int(self.depth.max())

    @cached_property
    def levels(self) -> tuple[NDArray[np.int64], ...]:
        order = np.argsort(self.depth, kind="stable")
        ends = np.cumsum(np.bincount(self.depth)[1:])
        return tuple(_frozen(part) for part in np.split(order, ends[:-1]))

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        costs = [0.0] * self.n_nodes
        for v in self.roots.tolist():
            costs[v] = 1.0 / self.roots.size
        n_children = np.diff(self.child_ptr).tolist()
        for parent, child in self.edges.tolist():
            costs[child] += costs[parent] / n_children[parent]
        return _frozen(np.array(costs))

    def parents(self, v: int | str) -> IntArray:
        """Return the parents of ``v`` (a number or a name), ascending; empty at the top."""
        v = node_number(self, v)
        return self.parent_idx[self.parent_ptr[v] : self.parent_ptr[v + 1]]

    def children(self, v: int | str) -> IntArray:
        """Return the children of ``v``, ascending."""
        v = node_number(self, v)
        return self.child_idx[self.child_ptr[v] : self.child_ptr[v + 1]]

    def ancestors(self, v: int | str) -> NDArray[np.int64]:
        """Return all nodes above ``v``, ascending, ``v`` itself left out."""
        return propagation.find_reachable(node_number(self, v), self.parent_ptr, self.parent_idx)

    def descendants(self, v: int | str) -> NDArray[np.int64]:
        """Return all nodes below ``v``, ascending, ``v`` itself left out."""
        return propagation.find_reachable(node_number(self, v), self.child_ptr, self.child_idx)

    def ancestor_matrix(self) -> sparse.csr_array:
        """Return the sparse boolean matrix whose entry [v, u] says that u is v or an ancestor of v."""
        return propagation.raise_up(sparse.eye_array(self.n_nodes, dtype=bool, format="csr"), self)

    # ------------------------------------------------------------------ names and numbers

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each name; aliases are left out."""
        return {name: v for v, name in enumerate(self.names.tolist())}

    def index(self, name: str) -> int:
        """Return the number of the node called ``name`` (or whose alias it is)."""
        return look_up(self, name)

    def indices(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of several names, in their order."""
        return np.array([look_up(self, name) for name in names], np.int64)

    def label(self, v: int | str) -> str:
        """Return the name of ``v`` followed by its title, if it has one: ``GO:0006915 apoptotic process``."""
        name = str(self.names[node_number(self, v)])
        return f"{name} {self.titles[name]}" if self.titles.get(name) else name

    # ------------------------------------------------------------------ label matrices

    def encode(self, labels: Any, *, close: bool = True, sparse_output: matrices.SparseOutput = "auto") -> Any:
        """Turn label collections into a boolean matrix, ancestors added.

        Parameters
        ----------
        labels : one of
            * a sequence with, for each instance, a collection of label names (or tuple paths), or one name;
            * a two-dimensional array or data frame of strings, one column per level as HiClass takes them
              (empty cells, None and NaN end a path), or three-dimensional, several paths per instance;
            * a 0/1 matrix, dense or sparse, or a data frame of 0/1 columns named like the nodes (in any order).
        close : bool, default=True
            Whether to add missing ancestors. Otherwise a label without its ancestors is an error.
        sparse_output : bool or "auto", default="auto"
            Whether to return a ``csr_array``. By default a plain array is returned while it takes less than 256 MB (a
            byte per instance and label), and a ``csr_array`` beyond.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)

        Examples
        --------
        >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
        >>> h.encode([["a/2"], ["b/1", "a"]]).astype(int).tolist()
        [[1, 0, 1, 0, 0], [1, 0, 0, 1, 1]]
        >>> levels = np.array([["a", "1"], ["b", ""]])
        >>> h.decode(h.encode(levels))
        [('a/1',), ('b',)]
        """
        return matrices.choose_form(encode.encode(labels, self, close=close), sparse_output)

    def decode(self, Y: Any, *, most_specific: bool = True) -> list[tuple[str, ...]]:
        """Turn rows of a label matrix into tuples of names: the most specific ones, or all.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["a/1", "b"])
        >>> h.decode([[1, 1, 0]]), h.decode([[1, 1, 0]], most_specific=False)
        ([('a/1',)], [('a', 'a/1')])
        """
        return encode.decode(Y, self, most_specific=most_specific)

    def close(self, Y: Any) -> Any:
        """Return ``Y`` with every ancestor of each positive label added; sparse stays sparse."""
        return propagation.raise_up(matrices.as_bool(Y), self)

    def is_closed(self, Y: Any) -> bool:
        """Say whether no row of ``Y`` has a label without its ancestors."""
        return propagation.find_unclosed(Y, self) is None

    def is_coherent(self, S: Any, *, tolerance: float = 0.0) -> bool:
        """Say whether no score in ``S`` exceeds a parent's by more than ``tolerance``."""
        return propagation.find_incoherent(S, self, tolerance) is None

    # ------------------------------------------------------------------ smaller hierarchies

    def subgraph(self, nodes: ArrayLike | Sequence[str]) -> Hierarchy:
        """Keep only ``nodes`` (numbers or names): each hangs from its nearest kept ancestors.

        The columns that stay are ``hierarchy.indices(smaller.names)``.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> h.subgraph(["a", "c"]).edges.tolist()
        [[0, 1]]
        """
        return restrict.subgraph(self, nodes)

    def prune(self, min_count: int, Y: Any) -> Hierarchy:
        """Drop the labels with fewer than ``min_count`` positives in the closed matrix ``Y``.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
        >>> list(h.prune(2, h.encode([["a/1"], ["a/1", "b"], ["a/2", "b"]])).names)
        ['a', 'a/1', 'b']
        """
        return restrict.prune(self, min_count, Y)

    # ------------------------------------------------------------------ other shapes

    def to_networkx(self) -> Any:
        """Return a networkx ``DiGraph`` of the names, arcs from parent to child (needs networkx)."""
        return build.to_networkx(self)

    def to_paths(self) -> list[tuple[str, ...]]:
        """Return, for each node of a tree, the names on the way from the top down to it."""
        return build.to_paths(self)

    def to_json(self) -> str:
        """Return a JSON text with the names, the edges by number and the aliases."""
        return build.to_json(self)

    def plot(
        self, labels: Any = None, *, scores: Any = None, truth: Any = None, whole: bool = False, ax: Any = None
    ) -> Any:
        """Draw labels with their ancestors, from the top down in layers.

        Parameters
        ----------
        labels : collection of names or array of 0/1, shape (n_nodes,), optional
            The labels to draw; they are filled, their ancestors pale. By default all nodes are drawn.
        scores : array of shape (n_nodes,) or mapping of names to numbers, optional
            Written below the names. Where a child has more than its parent, the line between them is red and dashed.
        truth : as labels, optional
            The true labels of the row that ``labels`` were predicted for: the picture has both, each marked as found,
            missed or a false alarm.
        whole : bool, default=False
            Draw all nodes, the labels filled just as they are given: one without its parent has a red line to it.
        ax : matplotlib axes, optional
            Draw there, beside other plots, instead of returning a picture.

        Returns
        -------
        picture : HierarchyPicture
            Shown by notebooks; ``to_svg()`` and ``to_dot()`` return texts, ``save(path)`` writes a file. If ``ax`` is
            given, the axes.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "pet"), ("animal", "bird"), ("pet", "parrot"), ("bird", "parrot")])
        >>> h.plot(["parrot"])
        HierarchyPicture(4 labels, 1 marked, 4 edges)
        >>> [(node.name, node.mark) for node in h.plot(["pet"], truth=["bird"]).nodes]
        [('animal', 'found'), ('pet', 'false alarm'), ('bird', 'missed')]
        """
        from truepath.hierarchy.drawing.picture import make_picture

        picture = make_picture(self, labels, scores, truth, whole)
        if ax is None:
            return picture
        from truepath.hierarchy.drawing.axes import draw_on_axes

        return draw_on_axes(picture, ax)

    # ------------------------------------------------------------------ change

    def edit(self) -> HierarchyEditor:
        """Return an editor: ``h.edit().add("c", "a").rename("b", "d").done()`` is a new hierarchy.

        Examples
        --------
        >>> h = Hierarchy.from_paths(["a/1", "b"])
        >>> h.edit().remove("a").done().names.tolist()
        ['a/1', 'b']
        """
        from truepath.hierarchy.editing import HierarchyEditor

        return HierarchyEditor(self)

    def diff(self, new: Hierarchy) -> HierarchyDiff:
        """Return what differs in another hierarchy, by name: labels added, removed and moved.

        Parameters
        ----------
        new : Hierarchy

        Returns
        -------
        diff : HierarchyDiff
            Prints as a list; ``transfer(Y)`` turns labels of this hierarchy into labels of the new one. What was
            renamed, merged or split is known to the editor that did it: ``editor.diff()``.

        Examples
        --------
        >>> print(Hierarchy.flat(["a", "b"]).diff(Hierarchy.from_edges([("a", "b"), ("a", "c")])))
        added: c
        moved: b from the top to a
        """
        from truepath.hierarchy.difference import compare_hierarchies

        return compare_hierarchies(self, new)

    def _repr_html_(self) -> str:
        """Return the labels as a tree that folds, for notebooks."""
        from truepath.hierarchy.html import hierarchy_outline

        return hierarchy_outline(self)

    # ------------------------------------------------------------------ identity

    @cached_property
    def _digest(self) -> bytes:
        content = hashlib.blake2b(digest_size=16)
        for name in self.names.tolist():
            content.update(name.encode("utf-8", "surrogatepass") + b"\0")
        content.update(self.parent_ptr.astype("<i4").tobytes() + self.parent_idx.astype("<i4").tobytes())
        return content.digest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self is other or self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __len__(self) -> int:
        return self.n_nodes

    def __contains__(self, name: object) -> bool:
        return name in self.numbers or name in self.aliases

    def __sklearn_clone__(self) -> Hierarchy:
        return self

    def __copy__(self) -> Hierarchy:
        return self

    def __deepcopy__(self, memo: Any) -> Hierarchy:
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what :meth:`__setstate__` rebuilds from, in model files and pickles; a name never holds NUL."""
        return {
            "names": "\0".join(self.names.tolist()),
            "edges": self.edges,
            "aliases": dict(self.aliases),
            "sep": self.sep,
            **({"titles": dict(self.titles)} if self.titles else {}),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if self.__dict__:
            raise AttributeError("a Hierarchy is immutable; make a new one instead of setting its state.")
        edges = np.asarray(state["edges"], np.int64).reshape(-1, 2)
        names, kept = state["names"].split("\0"), (state["aliases"], state["sep"], state.get("titles"))
        if edges.size and not 0 <= edges.min() <= edges.max() < len(names):
            raise ValueError("an edge of a Hierarchy leads to a node that does not exist")
        Hierarchy.__init__(self, names, edges, *kept)

    def __repr__(self) -> str:
        kind = "tree" if self.is_tree else "DAG"
        kind = "flat" if self.n_edges == 0 else kind
        return (
            f"Hierarchy({self.n_nodes} nodes, {self.n_edges} edges, {kind}, "
            f"{self.leaves.size} leaves, height {self.height})"
        )
