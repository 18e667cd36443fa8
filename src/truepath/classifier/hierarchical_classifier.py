"""HierarchicalClassifier: from X to label sets that respect the hierarchy, each part fitted on the rows it may use."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import Contributions, encode_labels, node_scores
from truepath.adapters.blocks import is_lazy
from truepath.adapters.capabilities import learn_more_rows, reach
from truepath.adapters.exporting import export_inputs
from truepath.adapters.fitting import (
    HeldOut,
    conditional_scores,
    fit_held_out,
    fit_learner,
    fit_part,
    out_of_fold,
)
from truepath.adapters.groups import check_groups, warn_about_groups
from truepath.adapters.labels import split_paths
from truepath.adapters.prepare import final_step, give_hierarchy, name_learner, prepare, tags_of
from truepath.adapters.progress import SHORT, CallbackSupportMixin, Progress, tracked, with_callbacks, without_callbacks
from truepath.adapters.rows import count_rows, plain_rows, warn_about_order
from truepath.classifier.blocks import block_results, check_min_score, frame_rows, keep_high, map_blocks
from truepath.classifier.explanation import Explanation, contributions_of_row, explain_row
from truepath.classifier.exporting import export_decision, export_final_scores
from truepath.classifier.fitted_on import FittedOn
from truepath.classifier.held_out import make_splits, resolve_cv
from truepath.classifier.leaks import warn_about_labels
from truepath.classifier.parts import (
    combines_by_learning,
    decides_by_learning,
    give_budget,
    resolve_parts,
    takes_conditional,
)
from truepath.classifier.place import Place, carry_sets_over, change_saved_sets, label_shares
from truepath.classifier.repeats import warn_about_repeats
from truepath.classifier.top import TopLabels
from truepath.classifier.top_search import check_top, join_top, top_rows
from truepath.classifier.updating import update_parts
from truepath.combiners.held_out import fit_and_cross_transform
from truepath.errors import TruePathError
from truepath.graph import Graph
from truepath.held import a_scorer, a_text, an_object, each, holds, if_there, mapping, maybe, numbers
from truepath.hierarchy import AllowedLabels, Hierarchy, HierarchyDiff
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HierarchicalLearner, check_fit_input
from truepath.metrics import hierarchical_f1
from truepath.metrics.tried import Tried


@holds(
    learner_=a_scorer,
    combiner_=maybe(an_object("transform", knows=("n_nodes",))),
    calibrator_=maybe(an_object("transform", knows=("n_nodes",))),
    decoder_=maybe(an_object("predict", knows=("n_nodes",))),
    fitted_on_=an_object(of=("FittedOn",)),
    shares_=if_there(numbers("n_nodes", least=0, most=1)),
    allowed_sets_=if_there(mapping(each(a_text, of=tuple), keys=a_text)),
)
class HierarchicalClassifier(CallbackSupportMixin, MetaEstimatorMixin, HierarchicalLearner):
    """Learner, combiner and decoder as one estimator, fitted without leaks between them.

    ``fit`` scores rows by copies of the learner that did not train on them, fits the combiner, the calibrator and the
    decoder on those scores, and then fits the learner again on all rows.

    Parameters
    ----------
    learner : estimator or str, optional
        Anything with ``fit(X, Y)`` and ``predict_proba(X)``: a learner of :mod:`truepath.learners`, a classifier,
        pipeline or search of scikit-learn, or an object of your own. A classifier for one label at a time is fitted
        once per label. A string is the name of a preset: its learner is used, and its combiner, decoder and ``cv`` as
        well, wherever these are left at their defaults. None chooses one for the kind of X, see Notes. Its
        ``hierarchy`` may be left at None.
    combiner : combiner or str, optional
        Makes final scores from the learner's; an object of :mod:`truepath.combiners` or its name such as ``"fael"``.
        None uses the learner's scores as they are, made coherent by ``MaxUp`` where the learner does not ensure it.
    decoder : decoder or str, default="auto"
        Makes label sets from scores: an object of :mod:`truepath.decoders` or its name, such as ``"single"`` (one
        threshold, best for micro-F1), ``"multi"`` (one per class), ``"threshold"`` (one half), ``"mas"`` or
        ``"best-path"``. ``"auto"`` is the preset's or follows from the labels, see Notes. None or ``"learner"`` takes
        the learner's own ``predict``.
    hierarchy : Hierarchy, optional
        None takes Y as flat; label paths are taken as a tree.
    sep : str, default="/"
        Separator of the parts of a label path, such as ``" > "`` in ``"Food > Fruit"``.
    between : str, optional
        Separator of the labels in a row that is one string, such as ``";"`` in ``"Food/Fruit;Gifts"``. None takes such
        a row as one label.
    calibrate : {"auto", "isotonic", "sigmoid", "beta"}, Calibrator or None, default=None
        Whether final scores are made into probabilities by a :class:`~truepath.combiners.Calibrator` of this method,
        fitted on held-out scores; "auto" chooses one that does not lower AU(PRC). The decoder gets its scores.
    cv : "auto", "own", int, float or splitter, default="auto"
        Where held-out scores come from: ``int``, that many stratified folds; ``float``, this share of the rows, held
        out once; ``"own"``, what the learner itself knows of rows left out, at no extra fit: the trees that did not
        see a row, or leave-one-out in closed form; a splitter of scikit-learn (a ``PredefinedSplit`` holds out a
        validation part that came with the data). ``"auto"`` is ``"own"`` for learners that can, otherwise
        5 folds, or beyond 20,000 rows a fifth of them held out once: ``fit`` then costs about two fits of the learner.
        Nothing is held out if neither combiner nor decoder learns and nothing is calibrated.
    budget : {"seconds", "minutes"} or float, default="seconds"
        How long the default for tables may take: what is tried follows from the numbers of rows, columns and labels,
        see :class:`~truepath.learners.TableBlend`. ``"seconds"`` is for interactive work, ``"minutes"`` tries more, and
        networks where PyTorch is installed. A learner of your own with a parameter ``budget`` that is None gets it too;
        linear models, the default for few and for many texts, have none: they take seconds anyway.
    verbose : bool, default=False
        Whether ``fit`` prints what it does, a line for each part with the time it took and how long the rest may take.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the default learner.
    n_jobs : int, optional
        The copies of the learner are fitted in parallel; the result does not depend on it.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    learner_ : the learner, fitted on all rows
    combiner_ : the fitted combiner, or None
    calibrator_ : the fitted calibrator, or None
    decoder_ : the fitted decoder, or None
    n_held_out_ : int
        How many rows the combiner and decoder were fitted on; 0 if they learn nothing.
    tried_ : list of Tried
        What was fitted to choose from or to weigh, each with its score on held-out rows; empty if it was one thing.
    fitted_on_ : FittedOn
        A record of the training data.
    shares_ : ndarray, shape (n_nodes,)
        The share of training rows that have each label, by weight.
    allowed_sets_ : dict of str to tuple of str
        Sets of labels that ``allowed=`` may name, see :meth:`set_allowed`. Only after one was set.
    updated_ : str
        What the last :meth:`update` learned, and what it left as it was. Only after one.

    See Also
    --------
    truepath.classifier.make_preset : the combinations of the papers, by name.

    Notes
    -----
    Which learner and decoder are the defaults is written out by :func:`truepath.classifier.describe_default`. What a
    blend tried, and with which result, is in ``tried_``.

    When combiner and decoder both learn, the decoder is fitted on scores combined by copies of the combiner that were
    fitted on other rows, for the same reason.

    Weights go to the learner (the last step of a pipeline), if its ``fit`` takes them, to the combiner and to the
    decoder. For scikit-learn's metadata routing the estimator is a consumer of ``sample_weight`` and ``groups``:
    ``set_fit_request(sample_weight=True, groups=True)``.

    With ``groups``, whole groups are held out wherever rows are: folds, the rows that a forest leaves out of a tree,
    leave-one-out in closed form, early stopping, and what blends, combiners, calibration and thresholds learn from.
    Forests then draw groups instead of rows, and ``cv`` may be a splitter such as ``GroupKFold``. Labels keep their
    shares as far as whole groups allow. Without ``groups``, rows that repeat others give a warning
    (:class:`truepath.errors.RelatedRowsWarning`): they are on both sides of such splits, and results look better than
    they are.

    Progress is printed with ``verbose=True``, and reported to a function given by
    :func:`truepath.adapters.on_progress` and to scikit-learn's callbacks (``set_callbacks``, from 1.9 on).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath import HierarchicalClassifier, load_dataset
    >>> from truepath.learners import BinaryRelevance
    >>> ds = load_dataset("toy")
    >>> learner = BinaryRelevance(LogisticRegression(C=100))
    >>> model = HierarchicalClassifier(learner, hierarchy=ds.hierarchy, cv=4).fit(ds.train.X, ds.train.y)
    >>> model.predict_labels(ds.test.X)
    [('b', 'a/1'), ('a/2',), ('a/2', 'b/1'), ('b', 'a/2')]
    >>> print(model.explain(ds.test.X[0], n_others=1))
       score  threshold   margin   label (decided by SingleThreshold)
    ...

    Labels may be names, and the hierarchy may be left to their paths:

    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    >>> model.predict_labels(["the oak", "a cat"])
    [('plant/oak',), ('animal/cat',)]
    """

    def __init__(
        self,
        learner: Any = None,
        combiner: Any = None,
        decoder: Any = "auto",
        *,
        hierarchy: Hierarchy | None = None,
        sep: str = "/",
        between: str | None = None,
        calibrate: Any = None,
        cv: Any = "auto",
        budget: Any = "seconds",
        verbose: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.learner = learner
        self.combiner = combiner
        self.decoder = decoder
        self.hierarchy = hierarchy
        self.sep = sep
        self.between = between
        self.calibrate = calibrate
        self.cv = cv
        self.budget = budget
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ----------------------------------------------------------------------------------------- fitting

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> HierarchicalClassifier:
        """Fit combiner and decoder on held-out scores, and the learner on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of texts, n_samples rows
            Passed to the learner as it is.
        y : closed 0/1 matrix (n_samples, n_nodes), or label names
            Dense or sparse; or for each row a collection of label names or paths; or columns of levels, as HiClass
            takes them; or a data frame of either. Ancestors of names are added.
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to, such as its patient or its document: rows of one group are never learned from
            while others of it are held out, here and in every part of the model. See Notes of the class.
        """
        warn_about_order(X, y)
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, pass_through=True)
        warn_about_labels(X, Y, hierarchy)
        groups = check_groups(groups, Y.shape[0])
        parts = resolve_parts(self, X, Y, hierarchy)
        learner = give_budget(prepare(parts.learner, hierarchy), self.budget, self.n_jobs)
        self.combiner_ = give_hierarchy(parts.combiner, hierarchy)
        self.calibrator_ = give_hierarchy(parts.calibrator, hierarchy)
        self.decoder_ = give_hierarchy(parts.decoder, hierarchy)
        if groups is not None:
            warn_about_groups(learner, groups)
        cv = resolve_cv(parts.cv, learner, count_rows(X), groups)
        begun = f"fitting {name_learner(learner)} on {Y.shape[0]:,} rows, {hierarchy.n_nodes:,} labels"
        if self.calibrator_ is not None or combines_by_learning(self.combiner_) or decides_by_learning(self.decoder_):
            splits = make_splits(cv, X, Y, self.random_state, groups)
            if groups is None:
                warn_about_repeats(X, splits)
            n_fits = 1 if splits is None else len(splits) + 1
            with tracked(self, n_fits, begun, n_steps=n_fits + 1) as progress:
                self.learner_ = self._fit_honestly(learner, X, Y, weight, groups, splits, progress)
        else:
            self._fit_nothing(hierarchy)
            with tracked(self, 1, begun) as progress:
                self.learner_ = self._fit_learner(learner, X, Y, weight, groups, progress)
        self.tried_: list[Tried] = list(getattr(reach(self.learner_).member, "tried_", []))
        if groups is None and self.tried_ and not self.n_held_out_:
            warn_about_repeats(X, None)
        self.fitted_on_ = FittedOn.of(X)
        self.shares_ = label_shares(Y, weight)
        self.__dict__.pop("allowed_sets_", None)
        return self

    def _fit_honestly(
        self, learner: Any, X: Any, Y: Any, weight: Any, groups: Any, splits: Any, progress: Progress
    ) -> Any:
        """Fit combiner and decoder on scores of rows held out; return the learner fitted on all rows."""
        fitted = None
        if splits is None:
            held_out, fitted = fit_held_out(learner, X, Y, weight, groups)
            progress.step("learner fitted, training rows scored by parts that did not see them", 1 - SHORT)
        else:
            options: dict[str, Any] = {"hierarchy": self.hierarchy_, "n_jobs": self.n_jobs, "progress": progress}
            held_out = out_of_fold([learner], X, Y, weight, splits, groups=groups, **options)[0]
        self._learn_from(held_out, Y, weight, groups)
        progress.step("decoder fitted" if self.combiner_ is None else "combiner and decoder fitted", SHORT)
        return self._fit_learner(learner, X, Y, weight, groups, progress, 1 - SHORT) if fitted is None else fitted

    def _fit_learner(
        self, learner: Any, X: Any, Y: Any, weight: Any, groups: Any, progress: Progress, size: float = 1.0
    ) -> Any:
        fitted = fit_learner(learner, X, Y, weight, groups=groups)
        progress.step("learner fitted on all rows", size)
        return fitted

    def _learn_from(self, held_out: HeldOut, Y: Any, weight: NDArray[np.float64] | None, groups: Any) -> None:
        """Fit the combiner, the calibrator and the decoder on held-out scores, each by what the one before makes."""
        S, Y, h = held_out.S, Y[held_out.rows], self.hierarchy_
        weight = None if weight is None else weight[held_out.rows]
        groups = None if groups is None else groups[held_out.rows]
        self.n_held_out_ = int(held_out.rows.size)
        decides = decides_by_learning(self.decoder_)
        for part, is_followed in (
            (self.combiner_, decides or self.calibrator_ is not None),
            (self.calibrator_, decides),
        ):
            if part is not None and not combines_by_learning(part):
                S = part.fit(S).transform(S)
            elif part is not None and is_followed:
                _, S = fit_and_cross_transform(part, S, Y, weight, h, self.random_state, groups)
            elif part is not None:
                fit_part(part, S, Y, weight, h, groups)
        if self.decoder_ is not None:
            fit_part(self.decoder_, S, Y, weight, h, groups)

    def _fit_nothing(self, hierarchy: Hierarchy) -> None:
        """Fit parts that learn nothing: they only keep the hierarchy."""
        self.n_held_out_ = 0
        nothing = np.zeros((1, hierarchy.n_nodes))
        for part in (self.combiner_, self.decoder_):
            if part is not None:
                part.fit(nothing)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> HierarchicalClassifier:
        """Learn from more rows, without the old ones; the first call fits.

        Parameters
        ----------
        X, y : as in :meth:`fit`
            The new rows alone, with labels of the hierarchy that is known.
        classes : ignored
            Scikit-learn's convention; the hierarchy says which labels there are, or the first rows if none is given.

        Returns
        -------
        self : HierarchicalClassifier

        Raises
        ------
        CapabilityError
            If the learner cannot: linear models can, and so do the defaults for few and for many texts; kernels and
            forests, and blends of them, need all rows.

        Notes
        -----
        Features stay as the first rows had them; words that were unknown then stay unknown. Combiner, calibrator and
        thresholds stay too: to learn them again, ``fit`` on all rows.
        """
        if not hasattr(self, "learner_"):
            return self.fit(X, y)
        X = frame_rows(plain_rows(X), self.fitted_on_)
        labels = encode_labels(split_paths(y, self.sep, self.between), self.hierarchy_)
        if labels.shape[0] != count_rows(X):
            raise ValueError(f"X has {count_rows(X)} rows but y has {labels.shape[0]}; they must be of the same rows.")
        learn_more_rows(self.learner_, X, labels)
        self.fitted_on_ = replace(self.fitted_on_, n_rows=self.fitted_on_.n_rows + count_rows(X))
        return self

    def update(self, hierarchy: Hierarchy | HierarchyDiff, X: Any, y: Any) -> HierarchicalClassifier:
        """Go over to a changed hierarchy; only what the change touches is learned.

        Parameters
        ----------
        hierarchy : Hierarchy or HierarchyDiff
            The new hierarchy; or, where labels were renamed, merged or split, the ``diff()`` of the editor that did it.
        X : as in ``fit``
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Returns
        -------
        self : HierarchicalClassifier

        Notes
        -----
        The learner, the combiner, the calibrator and the decoder go over to the new hierarchy each by its own
        ``update``: linear, local and kernel models as a new fit with the same settings would. Linear and local models
        fit the labels that other rows train than before, be it for the change, for rows that came or for labels that
        old rows were given, and keep the others. Trees keep their splits, and the default blends their weights, where
        the rows are the same and no label is new; otherwise they are fitted anew. Thresholds stay; a new label gets the
        largest of its parents'.

        Features stay as they were fitted, unless the rows bring some that they do not know and that matter to a label:
        words or categories that a tenth of its rows have. Then everything is fitted anew, which takes as long as a
        ``fit``; ``updated_`` says so.

        Conformal decoders, whose promise is about scores that they were fitted on, need a new ``fit``. After large
        changes, so do weights and thresholds: compare ``score`` with that of a new model.
        """
        old = self._fitted().hierarchy_
        diff = hierarchy if isinstance(hierarchy, HierarchyDiff) else old.diff(hierarchy)
        labels = encode_labels(split_paths(y, self.sep, self.between), diff.new)
        sets = carry_sets_over(self, diff)
        for name, part in update_parts(self, diff, frame_rows(plain_rows(X), self.fitted_on_), labels).items():
            setattr(self, name, part)
        if hasattr(self, "allowed_sets_"):
            self.allowed_sets_ = sets
        self.shares_ = label_shares(labels, None)
        if self.hierarchy is not None:
            self.hierarchy = diff.new
        self.fitted_on_ = replace(self.fitted_on_, n_rows=count_rows(X))
        return self

    # -------------------------------------------------------------------------------------- predicting

    def predict_proba(
        self,
        X: Any,
        *,
        allowed: Any = None,
        priors: Any = None,
        batch_size: int | None = None,
        min_score: float | None = None,
        out: Any = None,
    ) -> Any:
        """Return the final scores.

        Parameters
        ----------
        X : as in ``fit``, or more rows than memory holds
            A memory-mapped array, a ``pyarrow.dataset`` (of Parquet files, for instance), or an array or data frame of
            Dask, which gives a lazy Dask array. A model that was fitted on a file of columns (``truepath fit``) takes
            a data frame with these columns by name, in any order; others are not looked at.
        allowed : str, names, flags or AllowedLabels, optional
            The labels that rows may have, all by default: a label, which stands for itself and all below it, the name
            of a set that was saved with the model (:meth:`set_allowed`), several of these, one collection for each
            row, or flags; see :class:`truepath.hierarchy.AllowedLabels`. Scores are then those given that no other
            label is true, see :func:`truepath.combiners.condition_scores`: on one path where the decoder predicts one,
            else on any number. The other labels score 0.
        priors : array, mapping of names to shares or LabelShares, optional
            The shares of rows that have each label at the place of use, where they differ from those in training: for
            all rows, or by group. Scores are re-weighed by them, see :func:`truepath.combiners.shift_scores`, before
            anything is left out. Only for models that are calibrated.
        batch_size : int, optional
            Rows that are predicted together, rounded up to a multiple of 64; by default as many as take 256 MB with
            their scores. A row's result has the same bits for any number.
        min_score : float, optional
            Keep only scores of at least this, in a sparse matrix that is made block by block.
        out : ndarray of shape (n_samples, n_nodes) or path ending in ``.npy``, optional
            Where the scores go; a file comes back as a read-only memory map.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
            A csr_array if ``min_score`` is given.
        """
        if min_score is not None:
            check_min_score(min_score)
        place = Place(self._fitted(), X, allowed, priors)
        predict = partial(self._score_rows if min_score is None else partial(self._high_scores, min_score), place=place)
        return self._map(X, predict, np.float64, batch_size, out, is_sparse=min_score is not None)

    def predict(
        self, X: Any, *, allowed: Any = None, priors: Any = None, batch_size: int | None = None, out: Any = None
    ) -> Any:
        """Return the label sets as a closed boolean matrix.

        Parameters
        ----------
        X, allowed, priors, batch_size, out : as in :meth:`predict_proba`

        Returns
        -------
        Y : ndarray of bool, shape (n_samples, n_nodes)
            A csr_array where several blocks of rows would take 256 MB or more as an array.
        """
        place = Place(self._fitted(), X, allowed, priors)
        return self._map(X, partial(self._label_rows, place=place), bool, batch_size, out)

    def label_and_score(
        self, X: Any, *, allowed: Any = None, priors: Any = None
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return what ``predict`` and ``predict_proba`` return for rows in memory, dense, with the rows scored once.

        Examples
        --------
        >>> from truepath import HierarchicalClassifier
        >>> texts, labels = ["a cat", "an oak"] * 3, [["animal"], ["plant"]] * 3
        >>> model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
        >>> Y, S = model.label_and_score(["the cat"])
        >>> bool((Y == model.predict(["the cat"])).all()), bool((S == model.predict_proba(["the cat"])).all())
        (True, True)
        """
        place = Place(self._fitted(), X, allowed, priors)
        X = frame_rows(X, self.fitted_on_)
        S = self._score_rows(X)
        Y = self._label_rows(X, place=place) if self.decoder_ is None else self._decide(X, S, place=place)
        S = place.score(S)
        return as_dense(Y).astype(bool, copy=False), np.asarray(as_dense(S), np.float64)

    def predict_labels(
        self,
        X: Any,
        *,
        most_specific: bool = True,
        allowed: Any = None,
        priors: Any = None,
        batch_size: int | None = None,
    ) -> list[tuple[str, ...]]:
        """Return each row's labels by name: the most specific ones, or all with their ancestors.

        Parameters
        ----------
        X, allowed, priors, batch_size : as in :meth:`predict_proba`
        most_specific : bool, default=True

        Returns
        -------
        labels : list of tuple of str
        """
        Y = self.predict(X, allowed=allowed, priors=priors, batch_size=batch_size)
        return self.hierarchy_.decode(Y, most_specific=most_specific)

    def predict_top(
        self,
        X: Any,
        k: int = 5,
        *,
        per: str = "row",
        among: str = "all",
        propensities: Any = None,
        allowed: Any = None,
        priors: Any = None,
        batch_size: int | None = None,
    ) -> TopLabels:
        """Return the labels of each row that score best, with their probabilities.

        Parameters
        ----------
        X, allowed, priors, batch_size : as in :meth:`predict_proba`
            Arrays of Dask are computed by the caller.
        k : int, default=5
            The most labels of a row or of a level; labels that score 0 are left out.
        per : {"row", "level"}, default="row"
            Whether all labels compete for the k places, or those of each level for k places of their own.
        among : {"all", "leaves", "most-specific"}, default="all"
            Which labels count. "most-specific" takes labels in the order of their scores while no more than k of them
            have none of the others below, and returns these: the k most likely answers, each as specific as it can be.
        propensities : array-like, shape (n_nodes,), optional
            Take labels in the order of their probability divided by these, so that rare ones come forward:
            :func:`~truepath.metrics.label_propensities` of the training labels are best for
            :func:`~truepath.metrics.psp_at_k`. A label may then come without its ancestors.

        Returns
        -------
        top : TopLabels
            ``top[i]`` lists names and probabilities of a row, ``names`` and ``probabilities`` are arrays,
            ``to_frame()`` is a long table.

        Notes
        -----
        A learner that finds its best labels without scoring the others, such as
        :class:`~truepath.learners.SparseLinear`, is left to do so where its scores are the final ones.

        Examples
        --------
        >>> from truepath import HierarchicalClassifier
        >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
        >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
        >>> model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
        >>> [name for name, probability in model.predict_top(["the cat"], 2)[0]]
        ['animal', 'animal/cat']
        >>> [name for name, probability in model.predict_top(["the cat"], 2, among="leaves")[0]]
        ['animal/cat', 'animal/dog']
        """
        check_top(k, per, among, propensities)
        X = plain_rows(X)
        if is_lazy(X):
            raise TruePathError(
                "predict_top does not take arrays of Dask.", "Compute the blocks and give them one by one."
            )
        wanted = {"k": int(k), "per": per, "among": among, "propensities": propensities}
        place = Place(self._fitted(), X, allowed, priors)
        score = partial(self._score_rows, place=place)
        find = partial(top_rows, self, score, may_search=place.is_everywhere, **wanted)
        return join_top(block_results(X, find, self.hierarchy_.n_nodes, self.fitted_on_, batch_size))

    def _map(self, X: Any, predict: Any, dtype: Any, batch_size: Any, out: Any, is_sparse: bool = False) -> Any:
        X = plain_rows(X)
        known = {"n_nodes": self.hierarchy_.n_nodes, "fitted_on": self.fitted_on_, "dtype": dtype}
        return map_blocks(X, predict, **known, batch_size=batch_size, is_sparse=is_sparse, out=out)

    def _high_scores(self, min_score: float, X: Any, start: int, *, place: Place) -> Any:
        return keep_high(self._score_rows(X, start, place=place), min_score)

    def _score_rows(self, X: Any, start: int = 0, *, place: Place | None = None) -> Any:
        """Return the final scores of rows, the first of which messages call ``start``, as they are at a place."""
        rows = np.arange(start, start + count_rows(X)) if start else None
        S = node_scores(self._fitted().learner_, X, self.hierarchy_.n_nodes, hierarchy=self.hierarchy_, rows=rows)
        S = S if self.combiner_ is None else self.combiner_.transform(S)
        S = S if self.calibrator_ is None else self.calibrator_.transform(S)
        return S if place is None else place.score(S, start)

    def _label_rows(self, X: Any, start: int = 0, *, place: Place) -> Any:
        """Return the label sets of rows."""
        if self.decoder_ is None:
            Y = self.learner_.predict(X)
            return place.keep(Y.astype(bool) if hasattr(Y, "astype") else np.asarray(Y, bool), start)
        return self._decide(X, self._score_rows(X, start), start, place=place)

    def _decide(self, X: Any, S: Any, start: int = 0, *, place: Place) -> Any:
        """Return the label sets of rows whose scores are known, those of the model."""
        if self.combiner_ is not None or self.calibrator_ is not None:
            return place.decide(S, start)
        conditional = conditional_scores(self.learner_, X) if takes_conditional(self.decoder_) else None
        return place.decide(S, start, **({} if conditional is None else {"conditional": conditional}))

    def explain(
        self, x: Any, *, n_others: int = 5, n_causes: int = 0, allowed: Any = None, priors: Any = None
    ) -> Explanation:
        """Explain the labels of one row: scores, thresholds and margins along the paths, and what caused them.

        Parameters
        ----------
        x : one row: a text, a sequence of values, or anything ``predict`` takes with one row
        n_others : int, default=5
            The number of labels to show that were not predicted but came closest.
        n_causes : int, default=0
            For each label, the number of words or columns to show that add most to the final score, or take most from
            it, see :meth:`contributions`.
        allowed : str, names, flags or AllowedLabels, optional
            As in :meth:`predict_proba`; labels that are forbidden are not shown. Causes are those of the scores before.
        priors : array, mapping of names to shares or LabelShares, optional
            As in :meth:`predict_proba`.

        Returns
        -------
        explanation : Explanation
            Prints as a tree; ``records`` is the table, ``to_frame()`` a data frame; notebooks show it as HTML.
        """
        return explain_row(self._fitted(), x, n_others, n_causes, allowed, priors)

    def export_inputs(self, graph: Graph) -> Any:
        """Add the inputs of the model to an ONNX graph; see :func:`truepath.export.to_onnx`."""
        graph.column_names = self._fitted().fitted_on_.columns
        return export_inputs(graph, self.learner_)

    def check_loaded(self) -> None:
        """Refuse a model from a file that lacks what makes texts into numbers, or has sets of unknown labels."""
        found = reach(self.learner_)
        if self.fitted_on_.kind == "texts" and not found.steps and hasattr(found.member, "n_features_in_"):
            raise ValueError("nothing makes texts into the numbers that the learner takes")
        for labels in getattr(self, "allowed_sets_", {}).values():
            AllowedLabels(labels).resolve(self.hierarchy_)

    def export_scores(self, graph: Graph, rows: Any) -> str:
        """Add the final scores to an ONNX graph: those of the learner, combined and calibrated."""
        return export_final_scores(graph, self._fitted(), rows)

    def export_labels(self, graph: Graph, scores: str) -> str:
        """Add the label sets to an ONNX graph."""
        return export_decision(graph, self._fitted().decoder_, self.learner_, self.hierarchy_, scores)

    def contributions(self, x: Any, nodes: Any) -> Contributions:
        """Return what each word or column of one row adds to the final scores of some labels.

        Parameters
        ----------
        x : one row, as :meth:`explain` takes it
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            Base and values add up to the score of :meth:`predict_proba`; ``features`` are those that reach the learner.

        Notes
        -----
        The learner says what features add to its scores: weights times values in linear models, Shapley values in trees
        and kernels. Stacks, combiners and the calibrator pass them on (:mod:`truepath.adapters.contributions`). Where
        a part offers none, scores are computed again with one feature, or one score, left out at a time.
        """
        return contributions_of_row(self._fitted(), x, nodes)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the hierarchical F1 (micro-averaged over all labels, ancestors included)."""
        truth = encode_labels(split_paths(y, self.sep, self.between), self._fitted().hierarchy_)
        return float(hierarchical_f1(truth, self.predict(X), self.hierarchy_, sample_weight=sample_weight))

    def _fitted(self) -> HierarchicalClassifier:
        check_is_fitted(self, "learner_")
        return self

    # ----------------------------------------------------------------------------------------- keeping

    def set_fitted_on(self, fitted_on: FittedOn) -> HierarchicalClassifier:
        """Replace the record of the training data by a better one, for example one that names their file.

        Parameters
        ----------
        fitted_on : FittedOn
            Kept as ``fitted_on_``, and saved with the model.
        """
        self._fitted().fitted_on_ = fitted_on
        return self

    def set_allowed(self, name: str, labels: Any) -> HierarchicalClassifier:
        """Keep a set of labels with the model under a name that ``allowed=`` may give, such as ``"summer"``.

        Parameters
        ----------
        name : str
            No label's name.
        labels : str, collection of str, or None
            Labels, each of which stands for itself and all below it, or names of sets that are kept already; None drops
            the set.

        Examples
        --------
        >>> from truepath import HierarchicalClassifier
        >>> texts, labels = ["a cat", "an oak"] * 3, [["animal"], ["plant"]] * 3
        >>> model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
        >>> model.set_allowed("greenhouse", ["plant"]).predict_labels(["the cat"], allowed="greenhouse")
        [('plant',)]
        """
        self.allowed_sets_ = change_saved_sets(self._fitted(), name, labels)
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a file that loads without running code; see :mod:`truepath.persistence`."""
        from truepath.persistence import save

        save(without_callbacks(self._fitted()), path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, trusted: Any = ()) -> HierarchicalClassifier:
        """Read a classifier that :meth:`save` wrote."""
        from truepath.persistence import load

        model = load(path, trusted=trusted)
        if not isinstance(model, cls):
            what = f"holds a {type(model).__name__}, not a {cls.__name__}"
            raise TruePathError(f"{path} {what}; use truepath.persistence.load.")
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.learner is None or isinstance(self.learner, str):  # behind features that take any table
            tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        elif (own := tags_of(final_step(self.learner))) is not None:
            tags.input_tags.sparse, tags.input_tags.allow_nan = own.input_tags.sparse, own.input_tags.allow_nan
        return tags
