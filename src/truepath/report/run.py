"""A run: what a report is made of. The truth, each method's labels and scores on the same rows, and the measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from truepath.dates import now
from truepath.errors import TruePathError
from truepath.versions import installed_versions

if TYPE_CHECKING:
    from truepath.data.describe import Description
    from truepath.decoders import Promise
    from truepath.hierarchy import Hierarchy

#: Features of a row that are written out
N_FEATURES = 12
#: The metrics of a report, in its order
MEASURES = (
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "auprc",
    "macro_f1",
    "jaccard_score",
    "exact_match",
    "h_loss",
    "hmc_loss",
)


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One method's results on the test rows.

    Parameters
    ----------
    name : str
        What the report calls the method.
    y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        The labels it predicts.
    S : array-like or sparse matrix of float, shape (n_samples, n_nodes), optional
        The scores it predicts them from. Without scores the report has no curves for the method.
    thresholds : float or array-like of shape (n_nodes,), optional
        The scores above which labels are predicted: one number for all labels, or one per label.
    fit_seconds : float, optional
    settings : mapping, optional
        What the footer says about the method, such as an estimator's ``get_params()``.
    reasons : sequence of length n_samples, optional
        Why labels got their scores: for each row a mapping from labels (names or numbers) to pairs (cause, value),
        such as the ``causes`` of :meth:`truepath.HierarchicalClassifier.explain`; None for rows without.
    promise : Promise, optional
        What a conformal decoder promises of its label sets (its ``promise``): the report says whether it was kept.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.report import Evaluated
    >>> Evaluated("a forest", np.eye(3, dtype=bool), fit_seconds=1.5)
    Evaluated('a forest': labels of 3 rows)
    """

    name: str
    y_pred: Any
    S: Any = None
    thresholds: Any = None
    fit_seconds: float | None = None
    settings: Mapping[str, Any] | None = None
    reasons: Sequence[Mapping[Any, Any] | None] | None = None
    promise: Promise | None = None

    def __repr__(self) -> str:
        what = "labels" if self.S is None else "labels and scores"
        n_rows = self.y_pred.shape[0] if hasattr(self.y_pred, "shape") else len(self.y_pred)
        return f"Evaluated({self.name!r}: {what} of {n_rows} rows)"


class Run:
    """Test results of one method, or of several on the same rows, checked and measured once.

    Parameters
    ----------
    hierarchy : Hierarchy
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        The true labels of the test rows, closed.
    results : Evaluated or sequence of Evaluated
        The results of each method on these rows. Missing ancestors are added to its labels, and the report says so.
    title : str
    ids : sequence of length n_samples, optional
        Names of the rows.
    texts : sequence of length n_samples, data frame, array or sparse matrix, optional
        The rows' texts, shown with their labels. Of features in columns, the first or largest are written out.
    y_train : array-like or sparse matrix, shape (n_train, n_nodes), optional
        The training labels: the report then says how often each label was seen.
    description : Description, optional
        What :meth:`truepath.Dataset.describe` returns.

    Attributes
    ----------
    results : tuple of Evaluated
        With closed CSR labels and finite scores.
    measures : dict of str to dict
        For each method its measures by the metric's name. Computed once, when first asked for; in a run that
        was loaded, as they were when it was saved.
    repaired : dict of str to int
        How many rows of a method's labels lacked an ancestor, for the methods where any did.
    created : str
        Date and time of the run, in ISO format.
    versions : dict of str to str
        Versions of Python and of the packages that made the run.

    See Also
    --------
    save_run : keep a run in a folder.
    write_report : one HTML page about a run.

    Examples
    --------
    >>> from truepath.data import load_dataset
    >>> from truepath.report import Evaluated, Run
    >>> ds = load_dataset("toy")
    >>> run = Run(ds.hierarchy, ds.test.y, Evaluated("the truth", ds.test.y), title="toy")
    >>> run.n_samples, run.measures["the truth"]["hierarchical_f1"]
    (4, 1.0)
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        y_true: Any,
        results: Evaluated | Sequence[Evaluated],
        *,
        title: str = "Hierarchical classification report",
        ids: Sequence[Any] | None = None,
        texts: Any = None,
        y_train: Any = None,
        description: Any = None,
    ):
        from scipy import sparse

        from truepath.hierarchy.checks import check_labels, resolve_hierarchy

        if hierarchy is None:
            raise TypeError("hierarchy must be a truepath.Hierarchy; for flat labels pass Hierarchy.flat(names).")
        self.hierarchy = resolve_hierarchy(hierarchy, 0)
        given = (results,) if isinstance(results, Evaluated) else tuple(results)
        _check_names(given)
        self.y_true = sparse.csr_array(check_labels(y_true, self.hierarchy, name="y_true"))
        if self.n_samples == 0:
            raise TruePathError("y_true has no rows.", "A report needs at least one.")
        self.repaired: dict[str, int] = {}
        self.results = tuple(_check_result(result, self) for result in given)
        self.y_train = None
        if y_train is not None:
            self.y_train = sparse.csr_array(check_labels(y_train, self.hierarchy, name="y_train"))
        self.title = str(title)
        self.ids = _as_strings(ids, "ids", self.n_samples)
        is_table = hasattr(texts, "columns") or getattr(texts, "ndim", 1) == 2
        self.texts = _as_strings(write_features(texts) if is_table else texts, "texts", self.n_samples)
        self.description = _as_description(description)
        self.created = now().isoformat(timespec="seconds")
        self.versions = installed_versions()

    @property
    def n_samples(self) -> int:
        """The number of test rows."""
        return int(self.y_true.shape[0])

    @cached_property
    def measures(self) -> dict[str, dict[str, float]]:
        """Each method's measures, by the metric's name."""
        return {result.name: _measure(self, result) for result in self.results}

    def __repr__(self) -> str:
        names = ", ".join(result.name for result in self.results)
        return f"Run({self.title!r}: {names} on {self.n_samples} rows)"


def _check_names(results: tuple[Any, ...]) -> None:
    """Refuse an empty list, other objects than results, and two methods of the same name."""
    if not results:
        raise TruePathError("results is empty.", "Give one Evaluated, or several to compare.")
    for result in results:
        if not isinstance(result, Evaluated):
            raise TypeError(f"results must be Evaluated records; got {type(result).__name__}.")
    names = [result.name for result in results]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TruePathError(f"results has two methods called {twice[0]!r}.", "Give each its own name.")


def _check_result(result: Evaluated, run: Run) -> Evaluated:
    """Return a result with closed CSR labels, finite scores, and thresholds as one number or one per node."""
    import numpy as np
    from scipy import sparse

    from truepath.hierarchy.checks import check_labels, check_scores
    from truepath.report.reasons import check_reasons

    of, hierarchy = f"of {result.name!r}", run.hierarchy
    given = result.y_pred if sparse.issparse(result.y_pred) else np.asarray(result.y_pred)
    closed = sparse.csr_array(check_labels(given, hierarchy, name=f"y_pred {of}", close=True))
    added = closed.sum(axis=1) - np.asarray(given.sum(axis=1)).ravel()
    if (added > 0).any():
        run.repaired[result.name] = int((added > 0).sum())
    scores = None if result.S is None else check_scores(result.S, hierarchy, name=f"S {of}")
    for name, matrix in (("y_pred", closed), ("S", scores)):
        if matrix is not None and matrix.shape[0] != run.n_samples:
            problem = f"{name} {of} has {matrix.shape[0]} rows, y_true {run.n_samples}; they must be the same rows."
            raise TruePathError(problem)
    thresholds = None if result.thresholds is None else np.asarray(result.thresholds, np.float64)
    if thresholds is not None and (thresholds.shape not in ((), (hierarchy.n_nodes,)) or np.isnan(thresholds).any()):
        n_nodes = hierarchy.n_nodes
        raise TruePathError(f"thresholds {of} must be one number, or one per node ({n_nodes}), and never NaN.")
    settings = None if result.settings is None else dict(result.settings)
    seconds = None if result.fit_seconds is None else float(result.fit_seconds)
    reasons = None if result.reasons is None else check_reasons(result.reasons, hierarchy, run.n_samples, of)
    return Evaluated(str(result.name), closed, scores, thresholds, seconds, settings, reasons, result.promise)


def _as_strings(column: Sequence[Any] | None, name: str, n_samples: int) -> tuple[str, ...] | None:
    """Return one string per row."""
    if column is None:
        return None
    if len(column) != n_samples:
        raise TruePathError(f"{name} has {len(column)} entries for {n_samples} rows.", "Give one per row.")
    return tuple(str(entry) for entry in column)


def write_features(X: Any, names: Sequence[str] = ()) -> list[str]:
    """Write each row's features: the first cells of a table that are not empty, or the values furthest from 0.

    ``names`` are those of the columns of a matrix; a data frame has its own.
    """
    from scipy import sparse

    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        table = nw.from_native(X, eager_only=True)
        return _write_cells(table.rows(), table.columns)
    names = names or [f"x{j}" for j in range(X.shape[1])]
    if not sparse.issparse(X) and X.dtype.kind not in "biuf":
        return _write_cells(X.tolist(), names)
    rows = sparse.csr_array(X)
    written = []
    for i in range(rows.shape[0]):
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        best = sorted(zip(-abs(rows.data[at]), rows.indices[at], rows.data[at]))[:N_FEATURES]
        written.append(", ".join(f"{names[j]} {_brief(float(x))}" for _, j, x in best))
    return written


def _write_cells(rows: Iterable[Sequence[Any]], names: Sequence[str]) -> list[str]:
    parts = ([(name, x) for name, x in zip(names, row) if x == x and x is not None and x != ""] for row in rows)
    return [", ".join(f"{name} {_brief(x)}" for name, x in row[:N_FEATURES]) for row in parts]


def _brief(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _as_description(description: Any) -> Description | None:
    """Return what ``Dataset.describe()`` gave, also from its dictionary."""
    from truepath.data.describe import Description

    if description is None or isinstance(description, Description):
        return description
    if isinstance(description, Mapping):
        return Description(**description)
    raise TypeError(f"description must be what Dataset.describe() returns; got {type(description).__name__}.")


def _measure(run: Run, result: Evaluated) -> dict[str, float]:
    """Compute every measure of one method, without intervals."""
    from truepath.metrics import evaluate

    return evaluate(run.y_true, result.y_pred, result.S, run.hierarchy, metrics=names_of_measures(run, result))


def names_of_measures(run: Run, result: Evaluated) -> list[str]:
    """Return the measures that one method has; those of scores need scores and a true label."""
    from truepath.metrics import get_metric

    has_curve = result.S is not None and run.y_true.nnz > 0
    return [name for name in MEASURES if has_curve or get_metric(name).needs == "labels"]
