"""Which types a model file may hold: an explicit list, never "anything in the package".

Listed are the classes that the rooms promise in their ``__all__``, the records that those classes keep (by name,
below), and the containers, sparse matrices and scalars of NumPy and SciPy. Estimators of scikit-learn are those that
skops itself trusts, with their trees: the indices in trees are checked after loading, see
:mod:`truepath.persistence.soundness`. No function is on the list but the ufuncs that skops trusts.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

__all__ = ["ROOMS", "trusted_types"]

ROOMS = ("hierarchy", "preprocessing", "combiners", "decoders", "learners", "classifier")

#: What fitted estimators keep beside arrays: module and class
RECORDS = (
    ("truepath._kernels.trees.tree", "Tree"),
    ("truepath.combiners.likelihoods", "BinnedLikelihood"),
    ("truepath.combiners.likelihoods", "GaussianLikelihood"),
    ("truepath.combiners.weights", "Weights"),
    ("truepath.learners.bayes.models", "NaiveBayes"),
    ("truepath.learners.bayes.models", "TreeAugmented"),
    ("truepath.learners.local.calibration", "ConstantScores"),
    ("truepath.learners.cutset.codes", "StateCoder"),
    ("truepath.learners.cutset.structure", "LeafTree"),
    ("truepath.learners.cutset.structure", "OrNode"),
    ("truepath.learners.local.group_models", "ExclusiveLabels"),
    ("truepath.learners.local.group_models", "IndependentLabels"),
    ("truepath.learners.local.group_models", "JointLabels"),
    ("truepath.learners.local.label_powerset", "_Step"),
    ("truepath.learners.bayes.naive_bayes_features", "CategoricalFeatures"),
    ("truepath.learners.bayes.naive_bayes_features", "GaussianFeatures"),
    ("truepath.learners.boosting.stumps", "Trees"),
    ("truepath.learners.boosting.weak_classifiers", "Classifiers"),
)

#: Types of others that fitted estimators keep and skops does not trust by itself
OTHERS = (
    ("numpy", "dtype"),
    ("sklearn.calibration", "_CalibratedClassifier"),
    ("sklearn.calibration", "_SigmoidCalibration"),
    ("sklearn.compose._column_transformer", "_RemainderColsList"),
    ("sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor"),
    ("sklearn.tree._tree", "Tree"),
    ("sklearn.utils._bunch", "Bunch"),
    *(
        ("sklearn.model_selection", name)
        for name in (
            "GroupKFold",
            "KFold",
            "PredefinedSplit",
            "RepeatedKFold",
            "ShuffleSplit",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
        )
    ),
    *(("scipy.sparse", f"{kind}_{form}") for kind in ("csr", "csc", "coo") for form in ("array", "matrix")),
)


@cache
def trusted_types() -> tuple[str, ...]:
    """Return the full names of the types that :func:`load` builds without being asked, sorted.

    Estimators of scikit-learn and plain containers, which skops trusts anyway, are not repeated here.

    Examples
    --------
    >>> from truepath.persistence import trusted_types
    >>> "truepath.learners.trees.forest.PCTForest" in trusted_types(), "os.system" in trusted_types()
    (True, False)
    """
    found = [cls for room in ROOMS for cls in _promised(room)]
    found += [getattr(import_module(module), name) for module, name in RECORDS]
    for module, name in OTHERS:
        if cls := getattr(import_module(module), name, None):  # private names of scikit-learn come and go
            found.append(cls)
    return tuple(sorted({f"{cls.__module__}.{cls.__name__}" for cls in found}))


def _promised(room: str) -> list[type]:
    """Return the classes of a room's ``__all__`` that are really defined in that room."""
    module = import_module(f"truepath.{room}")
    named = [getattr(module, name) for name in module.__all__]
    return [cls for cls in named if isinstance(cls, type) and cls.__module__.startswith(f"truepath.{room}.")]
