"""Adapters: the only place where learners of other libraries get a hierarchy, are fitted and return node scores."""

from truepath.adapters.fitting import (
    HeldOut,
    check_learner_scores,
    class_scores,
    conditional_scores,
    fit_learner,
    fit_part,
    node_scores,
    out_of_fold,
    own_held_out,
    scores_own_rows,
    takes_weight,
    weight_argument,
)
from truepath.adapters.inputs import (
    count_rows,
    derive_hierarchy,
    encode_labels,
    plain_rows,
    refuse_complex,
    split_paths,
    take_rows,
)
from truepath.adapters.prepare import (
    Learner,
    adapt,
    check_learner,
    copy_unfitted,
    final_step,
    find_hierarchy,
    give_hierarchy,
    innermost,
    is_of_truepath,
    name_learner,
    prepare,
    tags_of,
)
from truepath.adapters.progress import Progress, on_progress, tracked
from truepath.adapters.varying import VaryingLabels
from truepath.public import publish

__all__ = [
    "HeldOut",
    "Learner",
    "Progress",
    "VaryingLabels",
    "adapt",
    "check_learner",
    "check_learner_scores",
    "class_scores",
    "conditional_scores",
    "copy_unfitted",
    "count_rows",
    "derive_hierarchy",
    "encode_labels",
    "final_step",
    "find_hierarchy",
    "fit_learner",
    "fit_part",
    "give_hierarchy",
    "innermost",
    "is_of_truepath",
    "name_learner",
    "node_scores",
    "on_progress",
    "out_of_fold",
    "own_held_out",
    "plain_rows",
    "prepare",
    "refuse_complex",
    "scores_own_rows",
    "split_paths",
    "tags_of",
    "take_rows",
    "takes_weight",
    "tracked",
    "weight_argument",
]

publish(__name__, __all__, globals())
