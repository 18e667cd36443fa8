"""What is checked once a model is built, rule by rule and at the edges of each, without a file between."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from truepath.held import holds, integer
from truepath.persistence.soundness import check_binary_tree, check_sound, check_usable

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
CODES = np.column_stack([np.arange(30) % 5, np.arange(30) % 4]).astype(float)
MIXED = np.array([["red"], ["new"], ["old"]] * 10, object)
TEXTS = ["red apple", "green pear", "old pear"] * 10
TWO, THREE = np.arange(30) % 2, np.arange(30) % 3

FITTED = {
    "two classes": lambda: LogisticRegression().fit(X, TWO),
    "three classes": lambda: LogisticRegression().fit(X, THREE),
    "tree": lambda: DecisionTreeClassifier().fit(X, THREE),
    "imputer": lambda: SimpleImputer().fit(GAPS),
    "imputer that keeps": lambda: SimpleImputer(keep_empty_features=True).fit(GAPS),
    "imputer of texts": lambda: SimpleImputer(strategy="most_frequent", missing_values=None).fit(MIXED),
    "imputer that marks": lambda: SimpleImputer(add_indicator=True).fit(GAPS),
    "texts": lambda: TfidfVectorizer().fit(TEXTS),
    "encoder": lambda: OneHotEncoder().fit(CODES),
    "encoder of rare ones": lambda: OneHotEncoder(max_categories=3).fit(CODES),
    "encoder that drops": lambda: OneHotEncoder(drop="first").fit(CODES),
    "encoder of texts": lambda: OneHotEncoder().fit(MIXED),
}


def changed(name, changes):
    model = FITTED[name]()
    vars(model).update(changes)
    return model


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tree", {}),
        ("two classes", {"coef_": np.zeros(4)}),
        ("two classes", {"classes_": np.array([-0.5, 0.5])}),
        ("two classes", {"coef_": sparse.csr_matrix((1, 4))}),
        ("imputer", {"statistics_": np.array([1.0, np.nan, 1.0, 1.0])}),
        ("imputer", {"statistics_": np.array(["a", 1.0, np.nan, None], object)}),
        ("imputer of texts", {"_fit_dtype": np.dtype("U3")}),
        ("texts", {"token_pattern": "(a)"}),
        ("texts", {"ngram_range": (1, 99)}),
        ("texts", {"ngram_range": [99, 99]}),
        ("texts", {"tokenizer": str.split, "preprocessor": str.lower, "token_pattern": None}),
        ("texts", {"analyzer": "char", "token_pattern": None}),
        ("texts", {"analyzer": str.split, "token_pattern": None}),
        ("texts", {"stop_words": ["red"]}),
        ("texts", {"dtype": np.dtype(np.float32)}),
        ("encoder", {"categories_": [np.arange(5) / 4, np.array([1.0, 2.0, 3.0, np.nan])]}),
        ("encoder of texts", {"categories_": [np.array(["b", "a", None], object)]}),
        ("encoder that drops", {"_drop_idx_after_grouping": np.array([4, 3], object)}),
    ],
)
def test_what_a_fit_may_give_passes(name, changes):
    check_sound(changed(name, changes))


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("three classes", {"classes_": np.array([0, 2, 1])}, "classes_ .* are not in order"),
        ("three classes", {"classes_": np.array([0, 1, np.nan])}, "classes_ .* are not in order"),
        ("two classes", {"classes_": np.array([1, 1])}, "classes_ .* are not in order"),
        ("two classes", {"classes_": np.array([])}, "classes_ .* are no classes"),
        ("two classes", {"coef_": np.zeros(5)}, r"coef_ .* has shape \(5,\)"),
        ("two classes", {"coef_": sparse.csr_matrix((2, 4))}, r"coef_ .* has shape \(2, 4\)"),
        ("two classes", {"coef_": sparse.csc_matrix((1, 4))}, r"coef_ .* is not a sparse matrix \(csr\)"),
        ("two classes", {"coef_": [[0.0] * 4]}, "coef_ .* is not an array"),
        ("two classes", {"intercept_": np.zeros(2)}, r"intercept_ .* has shape \(2,\)"),
        ("tree", {"tree_": None}, "tree_ .* is a NoneType"),
        ("tree", {"tree_": DecisionTreeClassifier().fit(X[:, :3], THREE).tree_}, "tree of other features or classes"),
        ("tree", {"tree_": DecisionTreeClassifier().fit(X, TWO).tree_}, "tree of other features or classes"),
        ("imputer", {"statistics_": np.array(["a"] * 3, object)}, r"statistics_ .* has shape \(3,\)"),
        ("imputer", {"statistics_": np.array(["a", 1, 2, np.inf], object)}, "neither a text nor a number"),
        ("imputer", {"keep_empty_features": 1}, "keep_empty_features .* is not one of the choices"),
        ("imputer that keeps", {"statistics_": np.array([1.0, np.nan, 1.0, 1.0])}, "statistics_ .* out of range"),
        ("imputer", {"_fit_dtype": "f8"}, "_fit_dtype .* is no type of cells"),
        ("imputer", {"_fit_dtype": np.dtype(complex)}, "_fit_dtype .* is no type of cells"),
        ("imputer", {"_fit_dtype": np.dtype(float).newbyteorder()}, "_fit_dtype .* is no type of cells"),
        ("imputer of texts", {"_fit_dtype": np.dtype(float)}, "one of numbers, which the missing value is not"),
        ("imputer", {"add_indicator": 2}, "add_indicator .* is not one of the choices"),
        ("imputer that marks", {"indicator_": None}, "indicator_ .* is a NoneType"),
        ("imputer that marks", {"add_indicator": False}, "indicator_ .* is not one of the choices"),
        ("texts", {"token_pattern": "(a)(b)"}, "token_pattern .* several groups"),
        ("texts", {"ngram_range": (0, 1)}, "ngram_range .* is out of range"),
        ("texts", {"ngram_range": (2, 1)}, "ngram_range .* is an empty range"),
        ("texts", {"ngram_range": (1, 1, 1)}, "ngram_range .* has not 2 items"),
        ("texts", {"token_pattern": None}, "tokenizer .* is None, and so is the pattern"),
        ("texts", {"tokenizer": str}, "tokenizer .* is no function"),
        ("texts", {"analyzer": None}, "analyzer .* is no function"),
        ("texts", {"analyzer": ""}, "analyzer .* is not one of the choices"),
        ("texts", {"dtype": "float32"}, "dtype .* is no type of numbers"),
        ("texts", {"dtype": str}, "dtype .* is no type of numbers"),
        ("texts", {"dtype": np.dtype(complex)}, "dtype .* is no type of numbers"),
        ("texts", {"vocabulary_": {}}, "vocabulary_ .* is no vocabulary"),
        ("texts", {"vocabulary_": {"red": 0, b"green": 1}}, "vocabulary_ .* is no vocabulary"),
        ("texts", {"vocabulary_": [("red", 0)]}, "vocabulary_ .* is no vocabulary"),
        ("texts", {"vocabulary_": {"red": 0, "apple": 1}}, "n_features = 5, not 2"),
        ("encoder", {"categories_": [np.arange(5.0), np.empty(0)]}, "is no list of categories"),
        ("encoder", {"categories_": [np.arange(5.0).astype(">f8"), np.arange(4.0)]}, "is no list of categories"),
        ("encoder", {"categories_": [np.arange(5.0)[:, None], np.arange(4.0)]}, "is no list of categories"),
        ("encoder", {"categories_": [np.arange(5), np.arange(4).astype("M8[D]")]}, "neither texts nor numbers"),
        ("encoder of texts", {"categories_": [np.array(["a", 1, "1"], object)]}, "has categories twice"),
        ("encoder", {"categories_": [np.array([-0.0, 0.0, 1, 2, 3]), np.arange(4.0)]}, "categories out of order"),
        ("encoder", {"categories_": [np.array([0.0, 2, 1, 3, 4]), np.arange(4.0)]}, "categories out of order"),
        ("encoder", {"_n_features_outs": [6, 4]}, "more columns than categories"),
        ("encoder", {"_n_features_outs": [-1, 4]}, "_n_features_outs .* out of range"),
        ("encoder", {"_n_features_outs": [4, 4]}, "leaves another number of columns"),
        ("encoder", {"_infrequent_enabled": 0}, "_infrequent_enabled .* is not one of the choices"),
        ("encoder", {"_infrequent_enabled": True}, "does not go with the rare categories"),
        ("encoder of rare ones", {"_infrequent_enabled": False}, "does not go with the rare categories"),
        ("encoder that drops", {"_drop_idx_after_grouping": np.array([5, 0], object)}, "another number of columns"),
        ("encoder that drops", {"_drop_idx_after_grouping": np.array([0, None], object)}, "another number of columns"),
        ("encoder that drops", {"_drop_idx_after_grouping": np.array([-1, 0], object)}, "is out of range"),
        ("encoder that drops", {"_drop_idx_after_grouping": np.array([0, 0])}, "is a ndarray"),
    ],
)
def test_what_no_fit_gives_is_named(name, changes, said):
    with pytest.raises(ValueError, match=said):
        check_sound(changed(name, changes))


@pytest.mark.parametrize(
    ("rare", "said"),
    [
        (np.array([0, 5]), "rare categories that do not exist"),
        (np.array([0, 1, 5]), "rare categories that do not exist"),
        (np.array([-1, 0, 1]), "_infrequent_indices .* numbers out of range"),
        (np.array([0.0, 1.0, 2.0]), "is an array of float64"),
        (np.array([], int), "rare categories that do not exist"),
        (np.array([0, 2, 1]), "rare categories that do not exist"),
        (np.array([1, 1, 2]), "rare categories that do not exist"),
        (np.array([1, 4]), "puts categories where there is no column"),
        (None, "does not have the columns with rare categories"),
    ],
)
def test_rare_categories_are_places_in_order(rare, said):
    model = FITTED["encoder of rare ones"]()
    check_sound(model)
    model._infrequent_indices = [rare, model._infrequent_indices[1]]
    with pytest.raises(ValueError, match=said):
        check_sound(model)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (np.array([0, 1, 2, 2]), "puts categories where there is no column"),
        (np.array([0, 1, 2, 3, 2]), "puts categories where there is no column"),
        (np.array([0, 1, 1, 1, 1]), "puts categories where there is no column"),
        (np.array([0, 1, 2, 2, -1]), "has numbers out of range"),
        (np.array([0.0, 1.0, 2.0, 2.0, 2.0]), "is an array of float64"),
        (None, "does not have the columns with rare categories"),
    ],
)
def test_every_category_has_a_column(places, said):
    model = FITTED["encoder of rare ones"]()
    model._default_to_infrequent_mappings = [places, model._default_to_infrequent_mappings[1]]
    with pytest.raises(ValueError, match=f"_default_to_infrequent_mappings of a OneHotEncoder {said}"):
        check_sound(model)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_leaves_of_a_tree_hold_shares(share):
    model = FITTED["tree"]()
    model.tree_.value[0, 0, 0] = share
    with pytest.raises(ValueError, match="tree_ of a DecisionTreeClassifier has numbers out of range"):
        check_sound(model)


def test_a_ridge_without_a_binarizer_is_refused():
    model = RidgeClassifier().fit(X, TWO)
    check_sound(model)
    model._label_binarizer = StandardScaler().fit(X)
    with pytest.raises(ValueError, match="_label_binarizer of a RidgeClassifier is a StandardScaler"):
        check_sound(model)


# ------------------------------------------------------------------------------------------------ steps


def _with_empty_column():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # says which column is left out
        return SimpleImputer().fit(np.column_stack([X[:, :3], np.full(30, np.nan)]))


@pytest.mark.parametrize(
    ("before", "width"),
    [
        ("passthrough", 4),
        (None, 4),
        (StandardScaler().fit(X), 4),
        (MaxAbsScaler().fit(X), 4),
        (Normalizer().fit(X), 4),
        (SimpleImputer().fit(GAPS), 4),
        (_with_empty_column(), 3),
    ],
)
def test_a_step_takes_as_many_columns_as_the_one_before_makes(before, width):
    model = make_pipeline(SimpleImputer().fit(X), before, LogisticRegression().fit(X[:, :width], TWO))
    check_sound(model)
    model.steps[-1] = ("last", LogisticRegression().fit(RNG.normal(size=(30, width + 1)), TWO))
    with pytest.raises(ValueError, match=f"steps of a Pipeline has n_features = {width + 1}, not {width}"):
        check_sound(model)


@pytest.mark.parametrize("before", [SimpleImputer(add_indicator=True).fit(GAPS), OneHotEncoder().fit(CODES)])
def test_steps_that_make_columns_of_their_own_number_are_not_counted(before):
    check_sound(make_pipeline(before, LogisticRegression().fit(RNG.normal(size=(30, 8)), TWO)))


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [("a",)],
        (("a", LogisticRegression().fit(X, TWO)),),
        [("a",), ("b", LogisticRegression().fit(X, TWO))],
        [("a", StandardScaler().fit(X), 1)],
        [(1, StandardScaler().fit(X))],
        [["a", StandardScaler().fit(X)]],
    ],
)
def test_steps_are_pairs_of_a_name_and_a_part(steps):
    holder = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, TWO)
    outer = make_pipeline(holder, LogisticRegression().fit(X, TWO))
    holder.steps = steps
    with pytest.raises(ValueError, match="are no steps"):
        check_sound(outer)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (LogisticRegression().fit(X, TWO), "is a LogisticRegression, which cannot transform"),
        ("other", "is a str"),
    ],
)
def test_every_step_but_the_last_transforms(part, said):
    model = make_pipeline("passthrough", part, LogisticRegression().fit(X, TWO))
    with pytest.raises(ValueError, match=f"steps of a Pipeline {said}"):
        check_sound(model)


# ------------------------------------------------------------------------------------------------ trees and matrices


def test_a_tree_at_its_edges():
    is_leaf = np.array([False, False, True, True, True])
    left, right, feature = np.array([1, 2, -9, 9, 0]), np.array([4, 3, -9, 9, 0]), np.array([0, 2, -9, 9, 0])
    check_binary_tree(left, right, feature, 3, is_leaf)  # what leaves hold is not followed
    for children, node, wrong in (
        (left, 1, 1), (left, 1, 0), (left, 0, 5), (right, 1, 1), (right, 0, 5), (right, 0, -1)
    ):  # fmt: skip
        before, children[node] = children[node], wrong
        with pytest.raises(ValueError, match="a child outside the tree"):
            check_binary_tree(left, right, feature, 3, is_leaf)
        children[node] = before
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match="a feature that does not exist"):
            check_binary_tree(left, right, np.full(5, wrong), 3, is_leaf)


def _boosting():
    X = np.column_stack([np.arange(60) % 5, np.arange(60) % 7]).astype(float)
    model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=3, categorical_features=[0])
    return model.fit(X, np.isin(X[:, 0], [1, 3]))


def test_boosted_trees_are_checked():
    check_sound(_boosting())
    for field, wrong, said in (
        ("left", 10**6, "a child outside"),
        ("right", 0, "a child outside"),
        ("feature_idx", 2, "a feature that does not exist"),
        ("bitset_idx", 10**6, "a set of categories that does not exist"),
    ):
        model = _boosting()
        predictor = model._predictors[0][0]
        assert predictor.nodes["is_categorical"][0]
        predictor.nodes[field][0] = wrong
        with pytest.raises(ValueError, match=said):
            check_sound(model)
        predictor.nodes[field][0] = len(predictor.raw_left_cat_bitsets) if field == "bitset_idx" else wrong
        with pytest.raises(ValueError, match=said):
            check_sound(model)


class Holder:
    """An object of any kind, with what it is given."""

    def __init__(self, **held):
        vars(self).update(held)

    def act(self):
        """Stand for a method."""


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dok", "lil", "dia"])
def test_sparse_matrices_of_every_form_pass(form):
    with_empty_rows = sparse.csr_array(np.diag([1.0, 0, 0, 1]))
    check_sound(Holder(matrix=with_empty_rows.asformat(form), empty=sparse.csr_array((3, 0)).tocoo()))


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(("where", "wrong"), [(2, 3), (2, -1), (0, -1)])
def test_indices_of_sparse_matrices_stay_inside(form, where, wrong):
    matrix = sparse.csr_array(np.eye(3)).asformat(form)
    matrix.indices[where] = wrong
    with pytest.raises(ValueError, match="ind"):
        check_sound(Holder(matrix=matrix))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("wrong", [-1, 3])
def test_coordinates_of_sparse_matrices_stay_inside(axis, wrong):
    matrix = sparse.coo_array(np.eye(3))
    matrix.coords[axis][1] = wrong
    with pytest.raises(ValueError, match="a sparse matrix has indices outside its shape"):
        check_sound(Holder(matrix=matrix))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda part: [part],
        lambda part: (1, part),
        lambda part: {"a": {"b": part}},
        lambda part: np.array([None, part], object),
        lambda part: Holder(part=Holder(part=part)),
        lambda part: {Holder(part=part)},
    ],
)
def test_whatever_holds_a_part_the_part_is_checked(wrap):
    matrix = sparse.csr_array(np.eye(3))
    check_sound(wrap(matrix))
    matrix.indptr[:] = [0, 2, 1, 3]
    with pytest.raises(ValueError, match="rows that end before they start"):
        check_sound(wrap(matrix))


@holds(width=integer(1))
class Declared(Holder):
    """Says what it holds, and is no estimator."""


class Checked(Holder):
    """Checks itself."""

    def check_loaded(self):
        if self.width < 1:
            raise ValueError("is too narrow")


@pytest.mark.parametrize(("kind", "said"), [(Declared, "width of a Declared is out of range"), (Checked, "too narrow")])
def test_parts_that_are_no_estimators_are_checked(kind, said):
    check_sound([kind(width=1)])
    with pytest.raises(ValueError, match=said):
        check_sound([kind(width=1), kind(width=0)])


def test_what_is_held_in_many_places_is_visited_once():
    part = [Holder()]
    for _ in range(200):
        part = [part, part]
    part.append(part)
    check_sound(part)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("act", 3, "an attribute called act"),
        ("act", Holder(), "an attribute called act"),
        (3, 3, "an attribute called 3"),
        ("n_jobs", 0, "is 0"),
        ("n_jobs", 5000, "is out of range"),
        ("n_jobs", "2", "is not a whole number"),
    ],
)
def test_names_that_would_hide_a_method_or_ask_too_much_are_refused(name, value, said):
    holder = Holder(n_jobs=-1, other=3)
    check_sound(holder)
    vars(holder)[name] = value
    with pytest.raises(ValueError, match=said):
        check_sound(holder)


def test_a_function_may_stand_in_the_place_of_a_method():
    check_sound(Holder(act=_boosting))


def test_an_object_without_one_of_its_parameters_is_refused():
    model = LogisticRegression().fit(X, TWO)
    del model.C
    with pytest.raises(AttributeError, match="C"):
        check_sound(model)


def test_what_is_fitted_is_checked_and_what_is_not_is_left():
    check_sound([LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
    model = FITTED["two classes"]()
    del model.intercept_
    for holder in (model, [model], make_pipeline("passthrough", model)):
        with pytest.raises(ValueError, match="a LogisticRegression lacks intercept_"):
            check_sound(holder)


def test_what_is_asked_of_estimators_of_other_versions(recwarn):
    model = LogisticRegression().fit(X, TWO)
    model.feature_names_in_ = np.array(list("abcd"), object)  # by which rows without names are warned of
    check_usable([model, LogisticRegression(), StandardScaler().fit(X), Holder(n_features_in_=4, transform=len)])
    assert recwarn.list == []
    del model.intercept_
    with pytest.raises(AttributeError, match="intercept_"):
        check_usable([StandardScaler().fit(X), model])
