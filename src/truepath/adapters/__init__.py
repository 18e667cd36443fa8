"""How learners are asked: what members can do, and how those of other libraries get a hierarchy and return scores."""

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.adapters.fitting import node_scores
from truepath.adapters.labels import encode_labels
from truepath.adapters.likeness import Likeness
from truepath.adapters.prepare import Learner
from truepath.adapters.progress import on_progress
from truepath.adapters.varying import VaryingLabels
from truepath.public import publish

__all__ = [
    "Contributions",
    "Learner",
    "Likeness",
    "ScorePart",
    "VaryingLabels",
    "encode_labels",
    "node_scores",
    "on_progress",
]

publish(__name__, __all__, globals())
