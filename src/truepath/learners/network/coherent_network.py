r"""An ensemble of small neural networks for all labels at once, coherent by raising labels to their descendants.

Each member is a perceptron with dropout whose last layer has one output per node. The members differ in what they
start from, in the order of rows, in dropout, and, while the number of epochs is chosen, in the rows they leave out.
They are trained as one network whose weights have one more dimension (:mod:`truepath.learners.network.layers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.adapters.cost import TableShape
from truepath.adapters.progress import Progress, tracked
from truepath.adapters.varying import constant_scores, set_constant_scores
from truepath.combiners.projections import (
    Projection,
    check_projection,
    export_projection,
    project_scores,
    projection,
    score_part,
)
from truepath.graph import Graph
from truepath.held import a_text, an_object, apart, each, holds, numbers, one_of
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    groups_to_learn,
    leave_out_weightless,
    score_weightless,
)
from truepath.learners.kernel.scaling import NORMALIZATIONS
from truepath.learners.network.backend import choose_device, device_to_predict, import_torch, repeatable
from truepath.learners.network.held_out import draw_parts, train_apart
from truepath.learners.network.inputs import NetworkInputs
from truepath.learners.network.layers import draw_layers, ensemble_scores, export_ensemble, rescale_members
from truepath.learners.network.losses import LOSSES
from truepath.learners.network.training import Training, TrainingRows
from truepath.parameters import check_choice, check_number

# An epoch takes so long per row and weight
SECONDS_PER_WEIGHT = 1.1e-10
# From this width on, fewer epochs are needed
WIDE = 1024


@holds(
    loss=one_of(*LOSSES),
    device_=a_text,
    inputs_=an_object("take"),
    constant_=numbers("n_nodes", least=0, most=1, gaps=True),
    weights_=each(apart(numbers("e", None, None)), "layers", of=list),
    biases_=each(apart(numbers("e", 1, None)), "layers", of=list),
    project=projection,
)
class CoherentNetwork(HierarchicalLearner):
    """Score all labels by an ensemble of small neural networks.

    Needs PyTorch to be fitted (``pip install "truepath[torch]"``), not to predict on a CPU.

    Parameters
    ----------
    hidden_layer_sizes : sequence of int, default=(512, 512)
    n_estimators : int, default=10
        The number of members; scores are their mean.
    hierarchy : Hierarchy, optional
    loss : {"bce", "constraint"}, default="bce"
        Binary cross-entropy of all nodes, or the max-constraint loss of C-HMCNN(h), which compares labels with scores
        that are raised to their descendants already.
    dropout : float, default=0.7
        The share of hidden units left out in every step.
    learning_rate, weight_decay : float, default=1e-3 and 1e-2
        Of AdamW.
    batch_size : int, default=64
    n_epochs : int or "auto", default="auto"
        How often every row is seen. ``"auto"`` trains members that each leave out some rows until the AU(PRC) of those
        rows has not risen for ``n_iter_no_change`` epochs, and takes the best number.
    max_epochs : int, default=200
    n_iter_no_change : int, default=10
    validation_fraction : float, default=0.2
        The share of the rows that each member leaves out, at most one half. Members leave out different parts in turn:
        with 0.2 and five members or more, every row is left out by some.
    refit : bool, default=True
        Whether the members are trained once more, on all rows, after some were left out. False takes half the time.
    normalize : {"standard", "quantile", None}, default="standard"
        How columns are brought to one scale, and gaps marked, see :class:`MultiLabelKernelRidge`. Sparse X stays as
        it is.
    n_pieces : int, optional
        Cut every column at quantiles into this many inputs, each linear within its interval.
    project : str, combiner or None, default="max-up"
        The correction that makes scores coherent, see :class:`truepath.combiners.FAEL`.
    device : str, default="auto"
        Where to train: ``"cpu"``, ``"cuda"``, ``"cuda:1"``; ``"auto"`` is a CUDA device if there is one,
        which multiplies in bfloat16 in training.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    hierarchy_ : Hierarchy
    weights_, biases_ : lists of ndarray of float32
        Of every layer, members first: shapes (n_estimators, inputs, outputs) and (n_estimators, 1, outputs).
    n_epochs_ : int
        The epochs that the members have been trained.
    areas_ : list of float
        AU(PRC) of the rows left out after each epoch, where ``n_epochs`` was chosen.
    device_ : str
        Where they were trained.
    constant_ : ndarray, shape (n_nodes,)
        The score of labels that no row or every row has; NaN for the others.

    Notes
    -----
    A step costs O(n_estimators * batch_size * weights of a member), prediction O(n_estimators * weights) per row.
    Memory is four arrays like the weights in training, one afterwards. Batches of sparse X are made dense.

    The same seed gives the same bits on one machine's CPU with the same number of threads; PyTorch's global generator
    is not touched. As rows are drawn in batches, a weight of two is not the same as two rows.

    References
    ----------
    Giunchiglia, E. & Lukasiewicz, T. (2020). Coherent hierarchical multi-label classification networks. NeurIPS 33.

    Gorishniy, Y., Rubachev, I. & Babenko, A. (2022). On embeddings for numerical features in tabular deep learning.
    NeurIPS 35.

    Examples
    --------
    >>> from truepath.learners import CoherentNetwork
    >>> CoherentNetwork(n_estimators=5, dropout=0.5)
    CoherentNetwork(dropout=0.5, n_estimators=5)
    """

    name = "network"
    summary = "an ensemble of small neural networks for all labels at once"
    learns_from = "rows and their labels"
    needs = ("torch",)
    approximates = ("contributions", "update")
    takes_missing = True

    weights_: list[np.ndarray]
    biases_: list[np.ndarray]
    moments_: list[dict[str, np.ndarray]]

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (512, 512),
        n_estimators: int = 10,
        *,
        hierarchy: Hierarchy | None = None,
        loss: str = "bce",
        dropout: float = 0.7,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-2,
        batch_size: int = 64,
        n_epochs: int | str = "auto",
        max_epochs: int = 200,
        n_iter_no_change: int = 10,
        validation_fraction: float = 0.2,
        refit: bool = True,
        normalize: str | None = "standard",
        n_pieces: int | None = None,
        project: Projection = "max-up",
        device: str = "auto",
        random_state: Any = 0,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.n_estimators = n_estimators
        self.hierarchy = hierarchy
        self.loss = loss
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.max_epochs = max_epochs
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.normalize = normalize
        self.n_pieces = n_pieces
        self.project = project
        self.device = device
        self.random_state = random_state

    # ----------------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> CoherentNetwork:
        """Choose the number of epochs where it is left open, and train.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.
        """
        self._check()
        X, Y, weight, _ = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        groups = groups_to_learn(groups, Y.shape[0], weight)
        with repeatable:
            self._fit_rows(self._begin(*leave_out_weightless(X, Y, weight)), groups)
        return self

    def fit_held_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> NDArray[Any]:
        """Fit, and score each training row by the members that left it out.

        With ``n_epochs`` given, members are first trained with some rows left out for these scores alone.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray of float32, shape (n_samples, n_nodes)
            NaN for rows that no member left out: there are fewer members than parts.
        """
        self._check()
        X, Y, weight, _ = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        groups = groups_to_learn(groups, Y.shape[0], weight)
        with repeatable:
            held_out = self._fit_rows(self._begin(*leave_out_weightless(X, Y, weight)), groups, held_out=True)
        return score_weightless(self, held_out, X, weight, groups)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, *, n_epochs: int = 1) -> CoherentNetwork:
        """Train some epochs more, on these rows; the first call starts from new members.

        Columns are scaled as the rows of the first call were. Calls with the same rows are one training, as ``fit``
        with ``n_epochs``. After ``fit`` the optimiser starts afresh.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        n_epochs : int, default=1
        """
        self._check()
        if not isinstance(n_epochs, Integral) or n_epochs < 1:
            raise ValueError(f"n_epochs must be an integer >= 1; got {n_epochs!r}.")
        again = hasattr(self, "weights_")
        X, Y, weight, _ = check_fit_input(self, X, y, sample_weight, allow_nan=True, again=again)
        rows = (self._as_rows if again else self._begin)(*leave_out_weightless(X, Y, weight))
        with repeatable, tracked(self, n_epochs) as progress:
            training = self._new_training(rows, self._layers() if again else None)
            if hasattr(self, "moments_"):
                training.restore_moments(self.moments_)
            self._train(training, n_epochs, progress)
        self.moments_ = training.moments()
        return self

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly.

        The epochs of ``n_epochs="auto"`` are what training took on average on sets of 1,000 to 2,500 rows, those that
        leave out a fifth of the rows counted as four fifths. Labels that are easy to tell apart take up to four times
        as many.
        """
        sizes = [(self.n_pieces or 1) * shape.n_columns, *self.hidden_layer_sizes, shape.n_nodes]
        n_weights = self.n_estimators * sum(before * after for before, after in pairwise(sizes))
        usual = 124 if self.n_pieces else 78 if max(self.hidden_layer_sizes, default=0) < WIDE else 44
        n_epochs = usual if self.n_epochs == "auto" else self.n_epochs
        return float(n_epochs) * SECONDS_PER_WEIGHT * shape.n_rows * n_weights

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> CoherentNetwork:
        """Return a network for a changed hierarchy: new outputs for the labels whose rows changed, the rest as it was.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the network to the new one.
        X : as in :meth:`fit`
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Notes
        -----
        The hidden layers stay; new outputs are trained on them for as many epochs as the members were.
        """
        new = copy_for_change(self, diff)
        new._check()
        X, Y, _, _ = check_fit_input(new, X, y, allow_nan=True)
        new.seed_, new.inputs_, new.device_ = self.seed_, self.inputs_, choose_device(self.device)
        new.n_epochs_, new.n_rows_seen_, new.n_positive_ = 0, 0, np.zeros(Y.shape[1], np.int64)
        rows = new._as_rows(X, Y, None)
        has_others = new.n_positive_ != self.n_positive_[diff.origin]
        origin = np.where(diff.relabeled | has_others, -1, diff.origin)
        *hidden, last = self._layers()
        (drawn,) = draw_layers([last[0].shape[1], Y.shape[1]], self.n_estimators, np.random.default_rng(self.seed_))
        outputs = tuple(np.where(origin >= 0, old[..., origin], first) for old, first in zip(last, drawn))
        with repeatable, tracked(new, self.n_epochs_) as progress:
            new._train(new._new_training(rows, [*hidden, outputs], only_last=True), self.n_epochs_, progress)
        for trained, start in zip((new.weights_[-1], new.biases_[-1]), outputs):
            trained[..., origin >= 0] = start[..., origin >= 0]
        return new

    def _check(self) -> None:
        import_torch()
        check_choice(self, "loss", LOSSES)
        check_choice(self, "normalize", NORMALIZATIONS)
        check_projection(self.project)
        for name in ("n_estimators", "batch_size", "max_epochs", "n_iter_no_change"):
            check_number(self, name, Integral, 1)
        check_number(self, "n_pieces", Integral, 1, none=True)
        if self.n_epochs != "auto":
            check_number(self, "n_epochs", Integral, 1)
        check_number(self, "dropout", Real, 0, 0.99)
        check_number(self, "learning_rate", Real, 0, above=True)
        check_number(self, "weight_decay", Real, 0)
        check_number(self, "validation_fraction", Real, 0.001, 0.5)
        sizes = self.hidden_layer_sizes
        if not (np.iterable(sizes) and all(isinstance(n, Integral) and n > 0 for n in sizes)):
            raise ValueError(f"hidden_layer_sizes must be integers >= 1; got {sizes!r}.")

    def _begin(self, X: Any, Y: Any, weight: np.ndarray | None) -> TrainingRows:
        """Forget what was learned before, learn how columns are scaled, and return the rows as members take them."""
        for name in ("weights_", "biases_", "moments_", "areas_"):
            self.__dict__.pop(name, None)
        self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.device_ = choose_device(self.device)
        self.inputs_ = NetworkInputs.of(X, self.normalize, self.n_pieces, weight)
        self.n_epochs_, self.n_rows_seen_, self.n_positive_ = 0, 0, np.zeros(Y.shape[1], np.int64)
        return self._as_rows(X, Y, weight)

    def _as_rows(self, X: Any, Y: Any, weight: np.ndarray | None) -> TrainingRows:
        """Count the labels, and return the rows as members take them."""
        self.n_rows_seen_ += Y.shape[0]
        self.n_positive_ += np.asarray(Y.sum(axis=0)).ravel()
        self.constant_ = constant_scores(self.n_positive_, self.n_rows_seen_)
        return TrainingRows(self.inputs_.take(X), Y, None if weight is None else weight / weight.mean())

    # Training

    def _fit_rows(self, rows: TrainingRows, groups: Any, *, held_out: bool = False) -> np.ndarray:
        """Train, and return the scores of rows by members that left them out; NaN where none did."""
        n_epochs = None if self.n_epochs == "auto" else int(self.n_epochs)
        n_rows = rows.Y.shape[0]
        is_apart = (n_epochs is None or held_out) and n_rows > 1
        longest = n_epochs or self.max_epochs
        with tracked(self, longest * (2 if is_apart and self.refit else 1)) as progress:
            if not is_apart:
                self._train(self._new_training(rows), longest, progress)
                return np.full(rows.Y.shape, np.nan, np.float32)
            parts = draw_parts(rows.Y, self.n_estimators, self.validation_fraction, self.seed_, groups)
            chosen = train_apart(
                self, self._new_training(rows), parts, self._to_scores, self._raised_by, n_epochs, progress
            )
            if n_epochs is None:
                self.areas_ = chosen.areas
            if self.refit:
                progress.total = int(progress.done) + chosen.n_epochs
                self._train(self._new_training(rows), chosen.n_epochs, progress)
            else:
                self._keep(chosen.layers, chosen.n_epochs)
        return chosen.S

    def _new_training(self, rows: TrainingRows, layers: Any = None, *, only_last: bool = False) -> Training:
        """Put members on the device: new ones, or those given."""
        if layers is None:
            sizes = [rows.X.shape[1], *map(int, self.hidden_layer_sizes), rows.Y.shape[1]]
            layers = draw_layers(sizes, self.n_estimators, np.random.default_rng(self.seed_))
        return Training(self, layers, rows, only_last=only_last)

    def _train(self, training: Training, n_epochs: int, progress: Progress) -> None:
        """Train all members on all rows, and keep them."""
        rows_of = [np.arange(training.rows.Y.shape[0])] * training.n_members
        for epoch in range(1, n_epochs + 1):
            training.epoch(self.n_epochs_ + epoch, rows_of)
            progress.step(f"epoch {epoch} of {n_epochs}, all rows")
        self._keep(training.arrays(), n_epochs)

    def _layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return weights and biases of every layer."""
        return list(zip(self.weights_, self.biases_))

    def _keep(self, layers: Any, n_epochs: int) -> None:
        self.weights_, self.biases_ = ([pair[k] for pair in layers] for k in (0, 1))
        self.n_epochs_ += n_epochs

    # -------------------------------------------------------------------------------------- predicting

    def check_loaded(self) -> None:
        """Refuse layers from a file that do not follow each other."""
        width, n_members = self.inputs_.count(self.n_features_in_), {len(W) for W in self.weights_}
        for W, b in zip(self.weights_, self.biases_):
            if W.shape[1] != width or b.shape[2] != W.shape[2] or len(b) != len(W):
                raise ValueError("a layer of a network does not fit the one before")
            width = W.shape[2]
        if width != self.hierarchy_.n_nodes or len(n_members) != 1 or 0 in n_members:
            raise ValueError("the layers of a network do not end in the labels")

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, float32, shape (n_samples, n_nodes)."""
        X = check_predict_input(self, X, allow_nan=True)
        S = ensemble_scores(self.inputs_.take(X), self._layers(), self._raised_by, device_to_predict(self.device_))
        return self._to_scores(S)

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add the scores, float32, to an ONNX graph."""
        S = export_ensemble(graph, self.inputs_.export(graph, rows), self._layers(), self._raised_by)
        return export_projection(graph, graph.fill_columns(S, self.constant_), self.hierarchy_, self.project)

    def contributions(self, x: Any, nodes: Any) -> Contributions:
        """Return what each feature of one row adds to the scores of some labels, by the rescale rule.

        Parameters
        ----------
        x : array-like or sparse matrix, shape (1, n_features)
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            From the row in the middle of all columns; from nothing for sparse rows.
        """
        x = check_predict_input(self, x, allow_nan=True)
        row = self.inputs_.take(x)
        start, column = self.inputs_.middle(self.n_features_in_)
        stop = as_dense(row)[0].astype(np.float64)
        moved = np.flatnonzero(stop != start)
        columns, place = np.unique(column[moved], return_inverse=True)

        def rescale(wanted: Any) -> Contributions:
            by_input, base = rescale_members(start, stop, self._layers(), np.asarray(wanted), self._raised_by)
            values = np.zeros((columns.size, len(wanted)))
            np.add.at(values, place, by_input[moved])
            return Contributions(wanted, values, base, "rescale", columns)

        scores = ensemble_scores(row, self._layers(), self._raised_by)[0].astype(np.float64)
        part = score_part(ScorePart(scores, rescale), self.constant_, self.hierarchy_, self.project)
        return part.contributions(np.asarray(nodes, np.int64))

    @property
    def _raised_by(self) -> Hierarchy | None:
        """The constraint holds for each member; without it members are raised together."""
        return self.hierarchy_ if self.loss == "constraint" else None

    def _to_scores(self, S: np.ndarray) -> np.ndarray:
        return project_scores(set_constant_scores(S, self.constant_), self.hierarchy_, self.project)
