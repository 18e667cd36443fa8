"""Drawing the objective as a function of one threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from truepath.extras import import_extra

if TYPE_CHECKING:
    from truepath.decoders.thresholds.single import SingleThreshold


def plot_threshold_curve(decoder: SingleThreshold, ax: Any = None, **options: Any) -> Any:
    """Draw ``curve_`` of a fitted :class:`SingleThreshold` with its best threshold (needs matplotlib).

    Parameters
    ----------
    decoder : SingleThreshold
    ax : matplotlib axes, optional
        A new figure's by default.
    **options
        For ``ax.step``, such as ``label`` and ``color``.

    Returns
    -------
    ax : matplotlib axes
    """
    check_is_fitted(decoder, "curve_")
    if ax is None:
        plt = import_extra("matplotlib.pyplot", "Drawing a curve", "report")

        _, ax = plt.subplots()
    curve = decoder.curve_.thin()
    (line,) = ax.step(curve.threshold, curve.value, where="post", **options)
    ax.plot(decoder.threshold_, decoder.objective_value_, "o", color=line.get_color())
    ax.set_xlabel("threshold")
    name = (
        decoder.objective if isinstance(decoder.objective, str) else getattr(decoder.objective, "__name__", "objective")
    )
    ax.set_ylabel(name.replace("_", " "))
    return ax
