"""``save`` and ``load``: fitted estimators in files that cannot run code.

The estimator itself is written by skops: a schema of types and attributes in JSON beside arrays in NumPy's own format.
Reading it builds objects of known types from data; nothing in the file is executed. Around it is the envelope of
:mod:`truepath.persistence.container`.

Which types a file may hold is an explicit list, never "anything in the package": the classes that the modules promise
in their ``__all__``, the members of the registries (those of other packages as well, once these are imported: nothing
is imported because a file names it), the records that all of these keep (:class:`truepath.records.Record`), and the
containers, sparse matrices and scalars of NumPy and SciPy. Estimators of scikit-learn are those that skops itself
trusts, with their trees: the indices in trees are checked after loading, see :mod:`truepath.persistence.soundness`. The
only functions on the list are the ufuncs that skops trusts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

from truepath.errors import ModelFileError
from truepath.files.limits import usual_limits
from truepath.persistence.container import (
    Model,
    describe_estimator,
    differing_versions,
    read_model,
    write_model,
)
from truepath.persistence.numbering import number_payload
from truepath.persistence.payload import PayloadError, check_payload, list_called
from truepath.persistence.soundness import check_sound, check_usable
from truepath.persistence.trust import NO_FUNCTIONS, check_trusted
from truepath.records import Record
from truepath.registry import COMBINERS, DECODERS, LEARNERS

MAX_BYTES = 1 << 33

LISTED_TYPES = 8  # in a message


def save(estimator: Any, path: str | PathLike[str]) -> None:
    """Save a fitted estimator: a classifier, learner, combiner, decoder, or anything of scikit-learn.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    path : path
        Usually ending in ``.truepath``. A file of that name is replaced only when the new one is complete.

    Raises
    ------
    ModelFileError
        If something in the estimator cannot be written, such as a function.

    Notes
    -----
    Equal estimators give equal bytes, but for the date and for how long fitting took, which many keep; these are the
    same in every run where the environment variable ``SOURCE_DATE_EPOCH`` has a date, in seconds since 1970.

    See Also
    --------
    load : reads the file.
    describe_model : what a file holds, without loading it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import SingleThreshold
    >>> from truepath.persistence import load, save
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.3, 0.1, 0.8, 0.7]]
    >>> decoder = SingleThreshold("micro_f1", hierarchy=h).fit(S, h.encode([["a/1"], ["b/1"]]))
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "decoder.truepath"
    >>> save(decoder, file)
    >>> h.decode(load(file).predict(S)) == h.decode(decoder.predict(S))
    True
    """
    import skops.io
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    try:
        payload = number_payload(skops.io.dumps(estimator))
        untrusted = set(skops.io.get_untrusted_types(data=payload)) - set(trusted_types())
    except Exception as problem:  # skops and the objects' own methods may raise anything
        raise ModelFileError(
            f"{type(estimator).__name__} holds something that cannot be saved ({_brief(problem)}).",
            path,
            "Replace it by plain values, arrays or estimators.",
        ) from problem
    nameless = sorted(name for name in untrusted if "<" in name)
    if nameless:
        raise ModelFileError(
            f"{nameless[0]} has no name by which it can be found again.", path, "Define it in a module."
        )
    called = sorted(untrusted & list_called(payload))
    if called:
        raise ModelFileError(f"the model holds {called[0]}, which could be called.", path, NO_FUNCTIONS)
    write_model(path, Model(describe_estimator(estimator, untrusted), payload))


def load(path: str | PathLike[str], *, trusted: Sequence[str | type] = (), max_bytes: int | None = None) -> Any:
    """Load an estimator that :func:`save` wrote, without running any code of the file.

    Parameters
    ----------
    path : path
    trusted : sequence of str or type, optional
        Types outside truepath, scikit-learn, NumPy and SciPy that the model may hold, by full name or as types. The
        file can use them with any content: list only types you know. Packages and functions are refused.
    max_bytes : int, optional
        Files that would unpack to more than this are refused; unless given, to more than 2**33, or than 2**28 and 200
        times their own size (the environment variable ``TRUEPATH_MAX_RATIO``).

    Returns
    -------
    estimator : estimator
        Fitted, with the same predictions to the last bit.

    Warns
    -----
    UserWarning
        If the model was fitted with another version of scikit-learn.

    Raises
    ------
    ModelFileError
        If the file is damaged, foreign, too new, too large, or holds types that are not trusted.
    TruePathError
        If ``trusted`` names something that is not a type.
    OSError
        If the file is missing or may not be read.

    Notes
    -----
    Magic, format version, lengths and the checksum are checked before anything is parsed, declared sizes before
    anything is unpacked, types before anything is built, and indices of trees and sparse matrices before the estimator
    is returned. See :func:`trusted_types` for what may be in a file.
    """
    own = check_trusted(trusted)
    usual_limits()  # wrong ones are refused by name, and are not the file's fault
    model = read_model(path)
    import skops.io
    from sklearn import __version__ as here
    from sklearn.utils.validation import check_is_fitted

    allowed, saved_by = [*trusted_types(), *own], model.metadata.get("scikit-learn")
    is_of_other_sklearn = saved_by != here
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns about its version once per estimator inside
            check_payload(model.payload, _most_bytes(model.payload) if max_bytes is None else max_bytes)
            estimator = skops.io.loads(model.payload, trusted=allowed)
        check_is_fitted(estimator)
        check_sound(estimator)
        if is_of_other_sklearn:
            check_usable(estimator)
    except PayloadError as problem:
        raise ModelFileError(f"the model cannot be read: {problem}.", path) from None
    except Exception as problem:  # whatever a crafted file provokes in zipfile, json, numpy, skops or an estimator
        said, remedy = _explain(problem, model, allowed)
        raise ModelFileError(said, path, remedy) from problem
    if not hasattr(estimator, "get_params"):
        raise ModelFileError(f"the file holds a {type(estimator).__name__}, which is not an estimator.", path)
    if is_of_other_sklearn:
        warnings.warn(
            f"{path} was saved with scikit-learn {saved_by}, this is {here}: estimators of scikit-learn inside may "
            "predict differently. Fit and save again to be sure.",
            UserWarning,
            stacklevel=2,
        )
    return estimator


def _most_bytes(payload: bytes) -> int:
    """Return to how many bytes a payload may unpack where nobody says so."""
    limits = usual_limits()
    return min(MAX_BYTES, max(2 * limits.max_line, limits.max_ratio * len(payload)))


def _explain(problem: Exception, model: Model, allowed: Sequence[str]) -> tuple[str, str]:
    """Return an error that says what an exception means for the file, and what to do."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    if isinstance(problem, UntrustedTypesFoundException):
        found = sorted(set(skops.io.get_untrusted_types(data=model.payload)) - set(allowed))
        called = [name for name in found if name in list_called(model.payload)]
        if called:
            return f"the model names {called[0]!r}, which could be called.", NO_FUNCTIONS
        listed = ", ".join(map(repr, found[:LISTED_TYPES])) + (", ..." if len(found) > LISTED_TYPES else "")
        return (
            f"the model holds types that are not trusted: {listed}.",
            f"If you know them and where the file comes from, load it with load(path, trusted=[{listed}]); "
            "for truepath predict, name each by --trust.",
        )
    if isinstance(problem, MemoryError):
        said = f"the model cannot be rebuilt ({_brief(problem)}): there is too little memory, or the file is damaged."
        return said, "Free some memory; if that does not help, save it again."
    saved, here = differing_versions(model.metadata)
    if not saved:
        return f"the model cannot be rebuilt ({_brief(problem)}): the file is damaged.", "Save it again."
    return (
        f"the model cannot be rebuilt ({_brief(problem)}): it was saved with {saved}; here are {here}.",
        "Load it with the versions that saved it, or fit and save it again.",
    )


def _brief(problem: Exception) -> str:
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text[:200]}" if text else type(problem).__name__


#: The modules whose estimators can be saved
ROOMS = ("hierarchy", "preprocessing", "combiners", "decoders", "learners", "classifier")


#: Types of other packages, by module, that fitted estimators keep and skops does not trust by itself
OTHERS = {
    "collections": ["OrderedDict", "defaultdict", "deque"],
    "numpy": ["dtype"],
    "scipy.sparse": [f"{kind}_{form}" for kind in ("csr", "csc", "coo") for form in ("array", "matrix")],
    "sklearn.calibration": ["_CalibratedClassifier", "_SigmoidCalibration"],
    "sklearn.compose._column_transformer": ["_RemainderColsList"],
    "sklearn.ensemble._hist_gradient_boosting.predictor": ["TreePredictor"],
    "sklearn.model_selection": [
        "GroupKFold",
        "KFold",
        "PredefinedSplit",
        "RepeatedKFold",
        "ShuffleSplit",
        "StratifiedKFold",
        "StratifiedShuffleSplit",
        "TimeSeriesSplit",
    ],
    "sklearn.tree._tree": ["Tree"],
    "sklearn.utils._bunch": ["Bunch"],
}


def trusted_types() -> tuple[str, ...]:
    """Return the full names of the types that :func:`load` accepts by default, sorted.

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
        yield from _exported_classes(room)
    for registry in (LEARNERS, COMBINERS, DECODERS):
        yield from (member for member in registry.members() if isinstance(member, type))
    yield from Record.known
    for module, names in OTHERS.items():
        found = (getattr(import_module(module), name, None) for name in names)
        yield from filter(None, found)  # private names of scikit-learn come and go


def _exported_classes(room: str) -> list[type]:
    """Return the classes of a module's ``__all__`` that are defined there."""
    module = import_module(f"truepath.{room}")
    named = [getattr(module, name) for name in module.__all__]
    return [cls for cls in named if isinstance(cls, type) and cls.__module__ == module.__name__]
