"""Which types a model file may hold: an explicit list, never "anything in the package".

Listed are the classes that the modules promise in their ``__all__``, the members of the registries (those of other
packages as well, once these are imported: nothing is imported because a file names it), the records that all of
these keep (:class:`truepath.records.Record`), and the containers, sparse matrices and scalars of NumPy and SciPy.
Estimators of scikit-learn are those that skops itself trusts, with their trees: the indices in trees are checked after
loading, see :mod:`truepath.persistence.soundness`. No function is on the list but the ufuncs that skops trusts.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from truepath.records import Record
from truepath.registry import COMBINERS, DECODERS, LEARNERS

__all__ = ["trusted_types"]

#: The modules whose estimators can be saved
ROOMS = ("hierarchy", "preprocessing", "combiners", "decoders", "learners", "classifier")

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


def trusted_types() -> tuple[str, ...]:
    """Return the full names of the types that :func:`load` builds without being asked, sorted.

    Estimators of scikit-learn and plain containers, which skops trusts anyway, are not repeated here.

    Examples
    --------
    >>> from truepath.persistence import trusted_types
    >>> "truepath.learners.PCTForest" in trusted_types(), "os.system" in trusted_types()
    (True, False)
    """
    return tuple(sorted({f"{cls.__module__}.{cls.__qualname__}" for cls in _trusted()}))


def _trusted() -> Iterator[type]:
    for room in ROOMS:  # first: importing them fills the registries and the records
        yield from _promised(room)
    for registry in (LEARNERS, COMBINERS, DECODERS):
        yield from (member for member in registry.members() if isinstance(member, type))
    yield from Record.known
    for module, name in OTHERS:
        if cls := getattr(import_module(module), name, None):  # private names of scikit-learn come and go
            yield cls


def _promised(room: str) -> list[type]:
    """Return the classes of a module's ``__all__`` that live there."""
    module = import_module(f"truepath.{room}")
    named = [getattr(module, name) for name in module.__all__]
    return [cls for cls in named if isinstance(cls, type) and cls.__module__ == module.__name__]
