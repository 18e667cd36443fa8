"""Linear classifiers for texts and large hierarchies: one per label, on the rows that have the label's parents.

For each label v with training rows R_v, those that carry all parents of v::

    w_v = argmin  ||w||^2 / 2 + C sum_{i in R_v} omega_i loss(y_iv, w . x_i)

by dual coordinate descent over sparse rows (:mod:`truepath._kernels.linear.dual_descent`; over dense ones, such as
embeddings, all labels side by side: :mod:`truepath._kernels.linear.dense_models`). As the rows thin out towards
the leaves, all labels of a tree together visit each row about as often as it has siblings of labels, not as often as
there are labels. The score of v is its own probability times the least score of a parent. The children of wide nodes
are put into groups first (:mod:`truepath.learners.linear.label_groups`), so that flat sets of labels become trees too.

References
----------
Yu, H.-F., Huang, F.-L. & Lin, C.-J. (2011). Dual coordinate descent methods for logistic regression and maximum entropy
models. Machine Learning 85, 41-75.
Hsieh, C.-J. et al. (2008). A dual coordinate descent method for large-scale linear SVM. ICML.
Prabhu, Y. et al. (2018). Parabel: partitioned label trees for extreme classification. WWW.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils import gen_batches

from truepath import _kernels
from truepath.adapters.contributions import Contributions, hand_down
from truepath.adapters.cost import TableShape
from truepath.adapters.parallel import count_workers, run_parallel
from truepath.graph import Graph, cap_columns, multiply_columns
from truepath.held import a_number, holds, integers, items, marks, numbers, one_of, sparse_numbers
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.arcs import conditional_from_marginals
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    fit_made,
    leave_out_weightless,
    spawn_seeds,
    weights_by,
)
from truepath.learners.linear.changed_graph import carry_columns, find_changed, mark_columns
from truepath.learners.linear.class_weights import POWERS, Sides
from truepath.learners.linear.label_graph import (
    LabelGraph,
    check_order,
    is_wide,
    order_labels,
    share_out,
    training_sizes,
)
from truepath.learners.linear.label_groups import carriers, column_rows, group_labels
from truepath.learners.linear.partial import LinearState, Seen, learn_more
from truepath.parameters import check_choice, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

LOSSES = ("log", "squared_hinge")
TRAIN_ON = ("parents", "all")
#: With no more labels than this all rows train each label, unless set otherwise
FEW_LABELS = 300
#: Inverse strength of the penalty, and tolerance, that suit rows of length one
USUAL_C = {"log": 20.0, "squared_hinge": 0.5}
USUAL_TOL = {"log": 0.1, "squared_hinge": 0.3}
#: Values beyond this are refused: the weights that go with them would be lost in float32, their squares in float64
LARGEST = 1e30
#: Rows of which more than this share are other than zero are learned from as dense ones
DENSE = 0.5
#: Labels that one job fits on dense rows, as many as the kernel takes side by side
LABELS_AT_A_TIME = 16
#: Rows that one job scores
ROWS_AT_A_TIME = 2048


@holds(
    loss_=one_of(*LOSSES),
    train_on_=one_of(*TRAIN_ON),
    _graph=items(integers("columns+1"), integers(None), integers("columns", least=-1)),
    _seen=items(a_number(0), numbers("n_features")),
    _sides=items(numbers("columns", least=0), numbers("columns", least=0)),
    _trained_on=marks("columns+1"),
    _intercepts=numbers("columns", least=-np.inf, most=np.inf),
    _weights=sparse_numbers("csr", "n_features", "columns"),
)
class SparseLinear(HierarchicalLearner):
    """One linear classifier per label on sparse rows, trained where the label's parents hold; made for texts.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    loss : {"auto", "log", "squared_hinge"}, default="auto"
        Logistic regression, or a support vector machine with squared hinge loss, whose score is exp(-loss). "auto" is
        logistic where the parents' rows train a label, and the squared hinge, which is faster, where all rows do.
    train_on : {"auto", "parents", "all"}, default="auto"
        The rows that train a label: those that have all its parents, so that it estimates p(v | parents) and scores
        are multiplied down the hierarchy; or all rows, so that it estimates p(v) and is capped by its parents. "auto"
        is all rows up to 300 labels, and the parents' beyond.
    C : float, optional
        Inverse strength of the L2 penalty, as in ``LogisticRegression``. None is 20 for the logistic loss and 0.5 for
        the squared hinge, as suits rows of length 1, those of TF-IDF; where rows are longer, as many standardised
        columns are, it is divided by their mean squared length. The intercept is penalised like a weight of a feature
        that is always 1.
    class_weight : {"sqrt", "balanced"}, dict or None, default=None
        What a row without (0) and with (1) the label counts, as ``{0: 1.0, 1: 5.0}``. "balanced" lets both sides of
        each label count the same; scores are then too high. "sqrt" lets them count as the square roots of what they
        weigh: the penalty makes rare labels score too low, and this raises them. It helps where rows say clearly which
        label they have, and harms where rows have many tags (:doc:`/texts`).
    tol : float, optional
        A label is done when no row's dual variable has a larger gradient. None is 0.1 for the logistic loss and 0.3
        for the squared hinge.
    max_iter : int, default=10
        Passes over the rows of a label.
    min_weight : float, default=0.05
        A weight that cannot move a score, before the sigmoid, by more than this in any training row is dropped. Where
        more than half of all entries of X are other than zero, many small ones decide together: all that are dropped
        can then move a score by that much.
    max_children : int or None, default=64
        Where the parents' rows train a label and a node has more children than this, similar ones are put into groups,
        and groups into groups, each with a classifier of its own: time and memory then grow little faster than the
        rows, however many labels there are. Groups show nowhere else; None makes none.
    random_state : int, RandomState or None, default=0
        The order in which rows are visited, and the labels that groups start from.
    n_jobs : int, optional
        Threads, over labels in ``fit`` and over rows in the predictions. The bits are the same for any number.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    loss_, train_on_ : str
        What "auto" chose.
    coef_ : csc_array of float32, shape (n_features, n_nodes)
    intercept_ : ndarray, shape (n_nodes,)
        Infinite where all training rows of a label agree; minus infinity where it has none.
    n_iter_ : int
        The most passes any label took.
    relearned_ : ndarray of int
        The labels that :meth:`update` fitted. Only after one.

    See Also
    --------
    PerNode : any classifier at the nodes.

    Notes
    -----
    Time: O(passes * entries of the training rows of all labels); with ``train_on="parents"``, for labels that share the
    rows of their parent, far less than labels times rows: in flat sets of n labels, about rows times labels per row
    times (``max_children`` + 16 log n). Weights are kept sparse, in float32, by feature.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["b"]])
    >>> learner = SparseLinear(hierarchy=h, C=100, loss="log", max_iter=100).fit(X, Y)
    >>> h.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b',)]
    >>> h.decode(learner.predict_top(X, 1) > 0)
    [('a',), ('a',), ('b',), ('b',)]
    """

    name = "sparse-linear"
    summary = "linear classifiers for texts and large hierarchies, each on the rows of its parents"
    learns_from = "the rows that carry a label's parents, or all rows"

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        loss: str = "auto",
        train_on: str = "auto",
        C: float | None = None,
        class_weight: str | Mapping[int, float] | None = None,
        tol: float | None = None,
        max_iter: int = 10,
        min_weight: float = 0.05,
        max_children: int | None = 64,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.hierarchy = hierarchy
        self.loss = loss
        self.train_on = train_on
        self.C = C
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.min_weight = min_weight
        self.max_children = max_children
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifiers.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
        y : closed 0/1 matrix (n_samples, n_nodes), dense or sparse, or label names or paths
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight)
        X, Y, weight = leave_out_weightless(X, Y, weight)
        X = _as_rows(X)
        conditional = self._choose(hierarchy.n_nodes)
        graph = order_labels(hierarchy)
        if conditional and self.max_children is not None and is_wide(hierarchy, self.max_children):
            *_, seed = self._settings()
            graph = group_labels(hierarchy, X, Y, self.max_children, seed, self.n_jobs)
        labels = column_rows(Y, graph)
        sides = Sides.of(labels, graph, weight, conditional=conditional)
        fits = self._fit_all(X, labels, graph, weight, sides, np.arange(graph.n_columns))
        self._weights, self._intercepts, self.n_iter_ = _assemble(fits, X.shape[1], graph.n_columns)
        self._graph, self._sides = tuple(graph), tuple(sides)
        self._seen: tuple[Any, ...] = tuple(Seen.of(X, weight))
        self._trained_on = mark_columns(X, labels, weight)
        return self

    def _fit_all(
        self,
        X: sparse.csr_array,
        labels: sparse.csc_array,
        graph: LabelGraph,
        weight: np.ndarray | None,
        sides: Sides,
        columns: np.ndarray,
    ) -> list[tuple[np.ndarray, ...]]:
        """Fit some columns of the graph, those of many rows first."""
        sizes, parents = training_sizes(labels, graph), (graph.parent_ptr, graph.parent_idx)
        if self.train_on_ == "all":  # as if all columns stood at the top
            sizes, parents = np.full(graph.n_columns, X.shape[0]), (np.zeros_like(parents[0]), parents[1][:0])
        cost = np.ones(X.shape[0]) if weight is None else weight
        cost = cost * self._cost(float(X.power(2).sum()) / max(X.shape[0], 1))
        labels = (labels.indptr, labels.indices)
        loss, tol, max_iter, seed = self._settings()
        settings = (sides.factors(self.class_weight), loss, tol, max_iter, self._least(X), seed)
        if self.train_on_ == "all" and self.loss_ == "squared_hinge" and is_dense(X):
            jobs = ((columns[block],) for block in gen_batches(columns.size, LABELS_AT_A_TIME))
            rows = X.toarray()
            dense = (rows, _squared_lengths(X) + 1.0, np.abs(rows).max(axis=0, initial=0), labels, cost, settings)
            return run_parallel(_fit_dense_columns, jobs, common=dense, n_jobs=self.n_jobs, prefer="threads")
        jobs = ((columns[part],) for part in share_out(sizes[columns]))
        common = (_rows_for_fitting(X), labels, parents, cost, settings)
        return run_parallel(_fit_columns, jobs, common=common, n_jobs=self.n_jobs, prefer="threads")

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, without the old ones; the first call fits.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`, the new rows alone.
        classes : ignored
            Scikit-learn's convention; the hierarchy says which labels there are, or the first rows if none is given.

        Returns
        -------
        self

        Notes
        -----
        The weights so far are the prior of the new ones, the stronger the more rows led to them
        (:mod:`truepath.learners.linear.partial`). Labels stay as the first rows had them, and so do groups of labels;
        for other labels see :meth:`update`. O(steps * entries of the new rows * labels).
        """
        if not hasattr(self, "_graph"):
            return self.fit(X, y, sample_weight)
        X, Y, weight, _ = check_fit_input(self, X, y, sample_weight, again=True)
        X, Y, weight = leave_out_weightless(X, Y, weight)
        X, seen = _as_rows(X), Seen(*self._seen)
        both = seen.more(Seen.of(X, weight))
        graph, is_conditional = LabelGraph(*self._graph), self.train_on_ == "parents"
        labels = column_rows(Y, graph)
        sides = Sides(*self._sides).more(Sides.of(labels, graph, weight, conditional=is_conditional))
        cost = self._cost(float(both.squares.sum() / max(both.weight, 1e-300)))
        settings = (self.loss_, is_conditional, cost, sides.factors(self.class_weight), self._least(X))
        state = LinearState(self._weights, self._intercepts, graph, *settings)
        self._weights, self._intercepts = learn_more(state, seen, X, Y, weight)
        self._seen, self._sides = tuple(both), tuple(sides)
        self._trained_on = self._trained_on + mark_columns(X, labels, weight)
        return self

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        fit_made(cls(), made, sparse.csr_array(made.X))
        fit_made(cls(), made, made.X)

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly."""
        per_label = 1e-6 if shape.is_sparse else 1.2e-8 * shape.n_columns
        return per_label * (shape.n_rows + shape.n_set) * float(np.log2(shape.n_nodes + 1))

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> Self:
        """Return a learner for a changed hierarchy: labels that other rows train are fitted, the rest are taken over.

        Parameters
        ----------
        diff : HierarchyDiff
            From the learner's hierarchy to the new one.
        X : as in :meth:`fit`
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Notes
        -----
        Loss and training rows stay what "auto" chose. A new label is put straight below its parents, outside the
        groups that ``max_children`` made there.

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> h = Hierarchy.flat(["a", "b"])
        >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
        >>> learner = SparseLinear(hierarchy=h, C=100, max_iter=100).fit(X, h.encode([["a"], ["a"], ["b"], ["b"]]))
        >>> diff = h.edit().add("c").diff()
        >>> new = learner.update(diff, X, diff.new.encode([["a"], ["a", "c"], ["b"], ["b", "c"]]))
        >>> diff.new.decode(new.predict([[1.0, 1.0]])), bool((new.coef_[:, [0]] != learner.coef_[:, [0]]).nnz)
        ([('b', 'c')], False)
        """
        new = copy_for_change(self, diff)
        new._check_parameters()
        X, Y, _, _ = check_fit_input(new, X, y)
        X = _as_rows(X)
        new.train_on_, new.loss_, new.n_iter_ = self.train_on_, self.loss_, self.n_iter_
        old, is_conditional = LabelGraph(*self._graph), self.train_on_ == "parents"
        graph, origin = carry_columns(old, diff)
        labels = column_rows(Y, graph)
        new._trained_on = mark_columns(X, labels, None)
        marks = self._trained_on, new._trained_on
        is_learned = find_changed(old, graph, origin, marks, conditional=is_conditional)
        new._weights, new._intercepts = self._taken_over(np.where(is_learned, -1, origin))
        sides = Sides.of(labels, graph, None, conditional=is_conditional)
        if is_learned.any():
            fits = new._fit_all(X, labels, graph, None, sides, np.flatnonzero(is_learned))
            found, intercepts, new.n_iter_ = _assemble(fits, X.shape[1], graph.n_columns)
            new._weights = sparse.csr_array(new._weights + found)
            new._weights.sort_indices()
            new._intercepts = np.where(is_learned, intercepts, new._intercepts)
        new.relearned_ = np.flatnonzero(is_learned[graph.columns()])
        new._graph, new._seen, new._sides = tuple(graph), tuple(Seen.of(X, None)), tuple(sides)
        return new

    def _taken_over(self, origin: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
        """Return weights and intercepts of new columns that are old ones; 0 and minus infinity for the others (-1)."""
        stays = np.flatnonzero(origin >= 0)
        shape = (self._intercepts.size, origin.size)
        move = sparse.csr_array((np.ones(stays.size, np.float32), (origin[stays], stays)), shape=shape)
        weights = sparse.csr_array(self._weights @ move)
        weights.sort_indices()
        return weights, np.where(origin >= 0, self._intercepts[origin], -np.inf)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals, shape (n_samples, n_nodes), of X's float type."""
        X = _as_rows(check_predict_input(self, X))
        cases, options = self._blocks(X, self.hierarchy_.n_nodes)
        blocks = run_parallel(_score_block, cases, **options)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return p(v | u), one column per arc: ratios of the marginals."""
        return conditional_from_marginals(self.predict_proba(X), self.hierarchy_)

    def predict_top(self, X: Any, k: int = 5, *, beam: int | None = None, leaves: bool = False) -> sparse.csr_array:
        """Return the k labels of each row that score best, without scoring the others.

        Best-first search from the top of the hierarchy: children are scored once their parent is the best label left.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
        k : int, default=5
            Labels per row; labels that score 0 are left out.
        beam : int, optional
            Look below at most this many labels of each level, or groups of them. None finds the exact best.
        leaves : bool, default=False
            Whether to return leaves alone. Otherwise the labels of a row are closed: no child is ahead of a parent.

        Returns
        -------
        S : csr_array, shape (n_samples, n_nodes)
            The scores of :meth:`predict_proba` for the labels found; nothing is stored for the others.
        """
        X = _as_rows(check_predict_input(self, X))
        for name, value in (("k", k), ("beam", 1 if beam is None else beam)):
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be an integer >= 1; got {value!r}.")
        n_nodes = self.hierarchy_.n_nodes
        wanted = np.diff(self.hierarchy_.child_ptr) == 0 if leaves else np.ones(n_nodes, bool)
        most = np.iinfo(np.int64).max if beam is None else int(beam)
        graph = LabelGraph(*self._graph)
        walk = (graph.children(), graph.ranges(), graph.depth())
        cases, options = self._blocks(X, walk, (wanted, min(int(k), n_nodes), most))
        blocks = run_parallel(_search_block, cases, **options)
        found, labels, values = (np.concatenate(parts) for parts in zip(*blocks))
        ptr = np.concatenate([[0], np.cumsum(found)])
        S = sparse.csr_array((values.astype(X.dtype), labels, ptr), shape=(X.shape[0], n_nodes))
        S.sort_indices()
        return S

    def contributions(self, x: Any, nodes: Any, *, method: str = "auto") -> Contributions:
        """Return what each feature of one row adds to the scores of some labels.

        Parameters
        ----------
        x : array-like or sparse matrix, shape (1, n_features)
        nodes : sequence of int
        method : {"auto", "margin"}, default="auto"
            Weights times values are what features add to the margin, the score before the sigmoid ("margin"); that
            of a label in groups (``max_children``) is the sum of its own and theirs. Each label's margin, sigmoid and
            the scores of its groups and parents then pass them on to the score ("auto").

        Returns
        -------
        found : Contributions
            From a row without any feature.
        """
        if method not in ("auto", "margin"):
            raise ValueError(f"method must be 'auto' or 'margin' for SparseLinear; got {method!r}.")
        X, graph, nodes = _as_rows(check_predict_input(self, x)), LabelGraph(*self._graph), np.asarray(nodes, np.int64)
        wanted = self._columns()[nodes]
        columns = graph.above(wanted)
        order = np.argsort(X.indices)
        features, row = X.indices[order], X.data[order].astype(np.float64)
        weights = self._weights[features].tocsc()[:, columns].toarray().astype(np.float64)
        margins = Contributions(columns, row[:, None] * weights, self._intercepts[columns], "linear", features)
        if method == "margin":
            carried = carriers(graph, self.hierarchy_.n_nodes)[nodes][:, columns].T.toarray().astype(np.float64)
            base = _sum_intercepts(margins.base, carried)
            return replace(margins, nodes=nodes, values=margins.values @ carried, base=base, method="margin")
        own = margins.through(*LINKS[self.loss_])
        parents = [np.searchsorted(columns, graph.parents(c)).tolist() for c in columns]
        return hand_down(own, parents, multiplies=self.train_on_ == "parents").take(wanted, named=nodes)

    def feature_weights(self, by: str = "label") -> sparse.csc_array:
        """Return the weights of features for each label, or their mean absolute values over the labels of each level.

        Of a label in groups (``max_children``) these are the sums of its own weights and those of its groups.

        Parameters
        ----------
        by : {"label", "level"}, default="label"

        Returns
        -------
        weights : csc_array, shape (n_features, n_nodes) or (n_features, height)
        """
        carried = carriers(LabelGraph(*self._graph), self.hierarchy_.n_nodes).T.astype(np.float32)
        return sparse.csc_array(weights_by(sparse.csc_array(self._weights @ carried), self.hierarchy_, by))

    @property
    def coef_(self) -> sparse.csc_array:
        """The weights of each label."""
        return sparse.csc_array(self._weights)[:, self._columns()]

    @property
    def intercept_(self) -> np.ndarray:
        """The intercept of each label."""
        return self._intercepts[self._columns()]

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add the scores to an ONNX graph: one product with the weights of all labels, then the hierarchy."""
        weights = graph.double(graph.matrix(self._weights))
        z = graph.add("MatMul", graph.double(rows), weights)
        z = graph.add("Add", z, graph.constant(self._intercepts, float))
        if self.loss_ == "log":
            own = graph.add("Sigmoid", z)
        else:  # exp(-loss) of a squared hinge
            gap = graph.add("Max", graph.add("Sub", graph.constant(1.0), z), graph.constant(0.0))
            own = graph.add("Exp", graph.add("Neg", graph.add("Mul", gap, gap)))
        walk = multiply_columns if self.train_on_ == "parents" else cap_columns
        return graph.like(graph.columns(walk(graph, own, LabelGraph(*self._graph)), self._columns()), rows)

    def _columns(self) -> np.ndarray:
        """Return the column of each label."""
        return LabelGraph(*self._graph).columns()

    def _blocks(self, X: sparse.csr_array, *further: Any) -> tuple[Iterator[tuple[Any, ...]], dict[str, Any]]:
        """Return the cases of a parallel loop over blocks of rows, one if there is one worker, and its options."""
        several = count_workers(self.n_jobs, shared_memory=True) > 1
        rows = gen_batches(X.shape[0], ROWS_AT_A_TIME if several else max(X.shape[0], 1))
        weights = self._weights
        if is_dense(weights):  # rows of weights without gaps are added up faster, to the same bits
            weights = sparse.csr_array(np.ones(weights.shape, bool)).astype(np.float32)
            weights.data[:] = self._weights.toarray().ravel()
        model = (weights.indptr, weights.indices, weights.data, self._intercepts)
        graph, how = LabelGraph(*self._graph), (LOSSES.index(self.loss_), self.train_on_ == "parents")
        options = {"common": (model, graph, how, *further), "n_jobs": self.n_jobs, "shared_memory": True}
        return ((X[block],) for block in rows), options

    def _choose(self, n_nodes: int) -> bool:
        """Say which rows train a label, and by which loss; return whether they are the parents' rows."""
        few = "all" if n_nodes <= FEW_LABELS else "parents"
        self.train_on_ = few if self.train_on == "auto" else self.train_on
        usual = "squared_hinge" if self.train_on_ == "all" else "log"
        self.loss_ = usual if self.loss == "auto" else self.loss
        return self.train_on_ == "parents"

    def _cost(self, squared_length: float) -> float:
        """Return C, or what suits rows of this mean squared length: scores of longer rows grow with it."""
        return float(USUAL_C[self.loss_] / max(squared_length, 1.0) if self.C is None else self.C)

    def _settings(self) -> tuple[Any, ...]:
        """Return the kernel's plain arguments."""
        seed = spawn_seeds(0 if self.random_state is None else self.random_state, 1)[0]
        tol = USUAL_TOL[self.loss_] if self.tol is None else self.tol
        return LOSSES.index(self.loss_), float(tol), int(self.max_iter), seed

    def _least(self, X: sparse.csr_array) -> float:
        """Return how far a weight must be able to move a score to be kept."""
        return float(self.min_weight) / (X.shape[1] if is_dense(X) else 1)

    def _check_parameters(self) -> None:
        """Refuse what is out of range."""
        check_choice(self, "loss", ("auto", *LOSSES))
        check_choice(self, "train_on", ("auto", *TRAIN_ON))
        check_number(self, "C", Real, 0, above=True, none=True)
        check_number(self, "tol", Real, 0, above=True, none=True)
        check_number(self, "max_iter", Integral, 1)
        check_number(self, "min_weight", Real, 0)
        check_number(self, "max_children", Integral, 2, none=True)
        given = self.class_weight
        if given is None or (isinstance(given, str) and given in POWERS):
            return
        if not isinstance(given, Mapping) or not set(given) <= {0, 1} or not all(value > 0 for value in given.values()):
            raise ValueError(
                f"class_weight must be 'sqrt', 'balanced', a dict of 0 and 1 to numbers, or None; got {given!r}."
            )

    def check_loaded(self) -> None:
        """Refuse indices from a file that compiled code would follow outside."""
        graph = LabelGraph(*self._graph)
        graph.check(self.hierarchy_.n_nodes)
        check_order(graph, self.hierarchy_)
        shape = (self.n_features_in_, graph.n_columns)
        if self._weights.format != "csr" or self._weights.shape != shape or self._intercepts.shape != shape[1:]:
            raise ValueError("the weights of a linear learner do not fit its features and labels")


def _sum_intercepts(intercepts: np.ndarray, carried: np.ndarray) -> np.ndarray:
    """Return the sums of intercepts over the columns that carry each label; one that is minus infinity decides."""
    is_never, is_always = ((intercepts == end) @ carried > 0 for end in (-np.inf, np.inf))
    total = np.where(np.isfinite(intercepts), intercepts, 0.0) @ carried
    return np.where(is_never, -np.inf, np.where(is_always, np.inf, total))


def _slope_of_log(margin: np.ndarray) -> np.ndarray:
    p = expit(margin)
    return np.asarray(p * (1 - p))


def _score_of_hinge(margin: np.ndarray) -> np.ndarray:
    """Return exp(-loss), as the kernel that scores rows does."""
    return np.exp(-(np.maximum(0.0, 1.0 - margin) ** 2))


def _slope_of_hinge(margin: np.ndarray) -> np.ndarray:
    return 2 * np.maximum(0.0, 1.0 - margin) * _score_of_hinge(margin)


#: How scores follow from margins, and the derivative, by loss
LINKS = {"log": (expit, _slope_of_log), "squared_hinge": (_score_of_hinge, _slope_of_hinge)}


def _as_rows(X: Any) -> sparse.csr_array:
    """Return CSR rows that hold each feature once, in order, with small indices where these suffice."""
    rows = sparse.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy() if sparse.issparse(X) else rows
        rows.sum_duplicates()
    if rows.nnz <= np.iinfo(np.int32).max and rows.indices.dtype != np.int32:
        parts = (rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        rows = sparse.csr_array(parts, shape=rows.shape)
    if rows.nnz and max(rows.data.max(), -rows.data.min()) > LARGEST:
        first = int(np.argmax(np.abs(rows.data) > LARGEST))
        raise ValueError(
            f"X holds {rows.data[first]:.3g} in column {rows.indices[first]}, beyond {LARGEST:g}: squares and weights "
            "of such numbers overflow. Scale the columns first, with scikit-learn's StandardScaler or MaxAbsScaler."
        )
    return rows


def is_dense(X: sparse.csr_array) -> bool:
    """Say whether rows have most of their features."""
    return bool(X.nnz > DENSE * X.shape[0] * X.shape[1])


def _squared_lengths(X: sparse.csr_array) -> np.ndarray:
    return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()


def _rows_for_fitting(X: sparse.csr_array) -> tuple[np.ndarray, ...]:
    """Return CSR rows as the kernel takes them: with squared lengths plus one, and each feature's largest value."""
    norm = _squared_lengths(X) + 1.0
    largest = np.zeros(X.shape[1])
    np.maximum.at(largest, X.indices, np.abs(X.data))
    indices = X.indices.view(np.uint32 if X.indices.dtype == np.int32 else np.uint64)  # never counted from the end
    return X.data, indices, X.indptr, norm, largest


def _fit_columns(
    rows: tuple[np.ndarray, ...],
    labels: tuple[np.ndarray, ...],
    parents: tuple[np.ndarray, ...],
    cost: np.ndarray,
    settings: tuple[Any, ...],
    columns: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Fit some columns; return them, where the weights of each begin, features, values, intercepts and passes."""
    return columns, *_kernels.linear.node_models.fit_nodes(columns, rows, labels, parents, cost, *settings)


def _fit_dense_columns(
    X: np.ndarray,
    norm: np.ndarray,
    largest: np.ndarray,
    labels: tuple[np.ndarray, ...],
    cost: np.ndarray,
    settings: tuple[Any, ...],
    columns: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Fit some columns on all rows, which are dense, by the squared hinge; return what :func:`_fit_columns` does."""
    factors, _, tol, max_iter, least, seed = settings
    fitted, passes = _kernels.linear.dense_models.fit_dense(
        columns, X, norm, labels, cost, factors, tol, max_iter, seed
    )
    W, intercepts = fitted[:, :-1], fitted[:, -1].copy()
    kept = sparse.csr_array(np.where(np.abs(W) * largest >= least, W, 0.0).astype(np.float32))
    return columns, kept.indptr, kept.indices, kept.data, intercepts, passes


def _assemble(fits: list[tuple[np.ndarray, ...]], n_features: int, n_columns: int) -> tuple[Any, np.ndarray, int]:
    """Return the weights by feature (CSR, columns ascending), the intercepts and the most passes taken."""
    columns, ptrs, features, values, found, passes = zip(*fits)
    fitted, intercepts = np.concatenate(columns), np.full(n_columns, -np.inf)
    intercepts[fitted] = np.concatenate(found)
    column = np.repeat(fitted, np.concatenate([np.diff(ptr) for ptr in ptrs]))
    entries = (np.concatenate(values), (np.concatenate(features), column.astype(np.int32)))
    weights = sparse.csr_array(sparse.coo_array(entries, shape=(n_features, n_columns)))
    weights.sort_indices()
    return weights, intercepts, int(np.concatenate(passes).max(initial=0))


def _score_block(
    model: tuple[np.ndarray, ...], graph: LabelGraph, how: tuple[Any, ...], n_nodes: int, X: sparse.csr_array
) -> np.ndarray:
    """Return the scores of all labels in some rows."""
    S = np.empty((X.shape[0], n_nodes), X.dtype)
    rows, parents = (X.data, X.indices, X.indptr), (graph.parent_ptr, graph.parent_idx)
    _kernels.linear.label_scores.score_rows(rows, model, parents, graph.node_of, *how, S)
    return S


def _search_block(
    model: tuple[np.ndarray, ...],
    graph: LabelGraph,
    how: tuple[Any, ...],
    walk: tuple[Any, ...],
    wanted: tuple[Any, ...],
    X: sparse.csr_array,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many labels each of some rows gets, their numbers and their scores."""
    rows, parents = (X.data, X.indices, X.indptr), (graph.parent_ptr, graph.parent_idx)
    return _kernels.linear.label_scores.find_best(rows, model, parents, *walk, graph.node_of, *wanted, *how)
