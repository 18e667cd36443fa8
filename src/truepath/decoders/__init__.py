"""Coherent scores in, label sets out: every prediction closed under ancestors."""

from truepath.decoders.agreement import NestedAgreement, nested_agreement
from truepath.decoders.base import Decoder
from truepath.decoders.best_path import BestPath
from truepath.decoders.exact import ExactLeafMAP
from truepath.decoders.greedy import LeafPath
from truepath.decoders.mas import MAS
from truepath.decoders.masr import MASR
from truepath.decoders.metalabeler import MetaLabeler
from truepath.decoders.top_leaves import TopLeaves

__all__ = [
    "MAS",
    "MASR",
    "BestPath",
    "Decoder",
    "ExactLeafMAP",
    "LeafPath",
    "MetaLabeler",
    "NestedAgreement",
    "TopLeaves",
    "nested_agreement",
]
