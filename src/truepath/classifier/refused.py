"""What a fitted classifier cannot do, known before anyone asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truepath.adapters.capabilities import CAPABILITIES, offers, reach
from truepath.learners.base import HierarchicalLearner

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier


def list_refused(model: HierarchicalClassifier) -> dict[str, str]:
    """Return the capabilities that people count on and a fitted classifier lacks, each with the part that lacks it.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.classifier import list_refused, make_preset
    >>> ds = load_dataset("toy")
    >>> list_refused(make_preset("tpr", hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y))
    {'export': 'TruePathRule'}
    """
    scoring = [part for part in (model.learner_, model.combiner_, model.calibrator_) if part is not None]
    within = [member for part in scoring if hasattr(part, "export_needs") for member in part.export_needs()]
    decoder = model.decoder_
    asked = {
        "update": [(part, "update") for part in (*scoring, decoder) if part is not None],
        "export": [(part, "export") for part in scoring + within]
        + ([(decoder, "export of labels")] if decoder else []),
    }
    lacking = {
        name: next((part for part, capability in parts if not offers(part, capability)), None)
        for name, parts in asked.items()
    }
    if decoder is None and type(reach(model.learner_).member).predict is not HierarchicalLearner.predict:
        lacking["export"] = lacking["export"] or model.learner_
    return {name: type(reach(part).member).__name__ for name, part in lacking.items() if part is not None}


def describe_refused(refused: dict[str, str]) -> str:
    """Return a sentence about what :func:`list_refused` found; empty if that is nothing.

    Examples
    --------
    >>> describe_refused({"export": "HBR"})
    'cannot be exported to ONNX (HBR)'
    """
    said = [f"{CAPABILITIES[name].verb} ({part})" for name, part in refused.items()]
    return f"cannot {' or '.join(said)}" if said else ""
