"""What a plan may build and set: lists of what is allowed, since a plan may come from anyone.

Reading another person's plan must neither run their code nor open files of their choice. So a plan names members of
the registries and public estimators of truepath and scikit-learn, and sets plain values. Numbers and truth values are
harmless wherever they stand; text is not: some parameters take it for a folder whose pickles are loaded
(``memory``), for the name of a function, for an expression, or for files to read (``input="filename"``). Text is taken
only by parameters which choose among options or hold names: those in :data:`TEXTS`, and those of truepath's own members
whose default is such an option.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

from truepath.english import suggest
from truepath.errors import TruePathError, explain
from truepath.registry import COMBINERS, DECODERS, LEARNERS

_OBJECTS = "Other estimators can be given as objects to truepath.experiments.run_experiment in Python."

_MODULES = """
calibration cluster compose covariance cross_decomposition decomposition discriminant_analysis dummy ensemble
feature_extraction feature_extraction.text feature_selection gaussian_process gaussian_process.kernels impute
isotonic kernel_approximation kernel_ridge linear_model manifold mixture model_selection multiclass multioutput
naive_bayes neighbors neural_network pipeline preprocessing random_projection semi_supervised svm tree
"""

_TEXTS = """
activation affinity algorithm alpha alpha_H analyzer assign_labels bandwidth batch_size beta_loss between
bisecting_strategy budget by calibrate calibrate_each categorical_features categories chain_method class_weight classes
cluster_method cluster_selection_method coherent columns combiner compute_full_tree constant constraint contamination
covariance covariance_type criterion cv dag decision_function_shape decode_error decoder density direction
dissimilarity drop dual early_stopping eigen_solver eigen_tol encode ensemble error_score estimator estimators
extrapolation feature_name_combiner features fill_value fit_algorithm fun gamma gcv_mode groups handle_missing
handle_unknown increasing init init_params input_type interaction_cst iterated_power k kernel knots labels learner
learners learning_method learning_rate likelihood link linkage loss max_features max_samples method metric missing
missing_values mode multi_class n_components n_features_to_select n_init neighbors_algorithm norm normalized_stress
objective optimizer order out_of_bounds outlier_label output_distribution param path_method penalty policy pos_label
power_iteration_normalizer precompute priors project quantile_method refit remainder response_method rotation scoring
selection sep shrink shrinkage shuffle single_path smooth solver sparse splitter stack_method steps stop_words
store_centers strategy strip_accents svd_method svd_solver target_type threshold token_pattern transform_algorithm
transformer_list transformers vocabulary votes voting weight_concentration_prior_type weighting weights whiten
whiten_solver
"""

#: The modules of scikit-learn whose public estimators a plan may name
MODULES = frozenset(f"sklearn.{name}" for name in _MODULES.split())

#: Parameters of scikit-learn and truepath that take text: one of a few options, or names of steps, classes and columns
TEXTS = frozenset(_TEXTS.split())


def check_texts(value: Any, table: str, key: str) -> None:
    """Refuse text where it is not an option or a name; look into lists and tables, but not into objects.

    Parameters
    ----------
    value : anything that a plan holds
    table : str
        Where in the plan the parameter stands, for the error.
    key : str
        The parameter, perhaps of a part (``"learner__penalty"``).

    Examples
    --------
    >>> check_texts(["sqrt", "log2"], "methods.forest.params", "max_features")
    >>> check_texts({"clf__memory": ["cache"]}, "methods.search.params", "param_grid")
    Traceback (most recent call last):
    truepath.errors.TruePathError: methods.search.params.param_grid: 'clf__memory' is set to the text 'cache', ...
    """
    if isinstance(value, Mapping):
        for member_key, member in value.items():
            check_texts(member, f"{table}.{key}", str(member_key))
    elif isinstance(value, list | tuple):
        for member in value:
            check_texts(member, table, key)
    elif isinstance(value, str | bytes) and not _takes_text(key.rpartition("__")[2]):
        raise TruePathError(
            f"{table}: {key!r} is set to the text {value!r:.60}, but a plan may give text only to parameters that "
            "choose among options: others could name a file, a cache or code to run.",
            f"Leave it out. {_OBJECTS}",
        )


def _takes_text(parameter: str) -> bool:
    return parameter in TEXTS or parameter in _own_options()


@cache
def _own_options() -> frozenset[str]:
    """Return the parameters of truepath's members whose default is text; members defined elsewhere may mean files."""
    members = (member for registry in (LEARNERS, COMBINERS, DECODERS) for member in registry.members())
    own = (member for member in members if member.__module__.startswith("truepath."))
    parameters = (parameter for member in own for parameter in signature(member).parameters.values())
    return frozenset(parameter.name for parameter in parameters if isinstance(parameter.default, str))


def find_class(name: str, path: str) -> type:
    """Return a class by its name in a registry, or by its path: public estimators of truepath and scikit-learn."""
    for registry in (LEARNERS, COMBINERS, DECODERS):
        if path in registry:
            member: type = registry[path]
            return member
    module_path, _, last = path.rpartition(".")
    module = _import(name, path, module_path)
    public = _public(module)
    try:
        found = getattr(module, last) if last in public else None
    except ImportError as error:  # experimental, or a package that is not installed
        raise TruePathError(f"methods: {name!r} uses {path!r}: {explain(error)[0]}") from None
    if not (isinstance(found, type) and hasattr(found, "get_params")):
        raise TruePathError(f"methods: {name!r} uses {path!r}: no such estimator.", suggest(last, public))
    return found


def _public(module: Any) -> list[str]:
    """Return the names that a module offers: those that it lists, or else the classes that it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [name for name, one in vars(module).items() if getattr(one, "__module__", None) == module.__name__]


def _import(name: str, path: str, module_path: str) -> Any:
    """Import a module that plans may name; importing runs code, so others are refused unseen."""
    parts = path.split(".")
    if parts[0] not in ("truepath", "sklearn"):
        raise TruePathError(f"methods: {name!r} uses {path!r}, which is not in truepath or sklearn.", _OBJECTS)
    if any(part.startswith("_") or not part.isidentifier() for part in parts):
        raise TruePathError(f"methods: {name!r} uses {path!r}, which is not a public import path.", _OBJECTS)
    if parts[0] == "sklearn" and module_path not in MODULES:
        problem = f"methods: {name!r} uses {path!r}, but {module_path!r} is not a module that plans may name."
        raise TruePathError(problem, suggest(module_path, sorted(MODULES)))
    try:
        return import_module(module_path)
    except ImportError:
        raise TruePathError(f"methods: {name!r} uses {path!r}, but there is no module {module_path!r}.") from None
