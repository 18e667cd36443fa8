"""Which rows go where: parts, folds and draws of rows, made in one place for everything that holds out or resamples."""

from truepath.resampling.bootstrap import (
    as_generator,
    centre_draws,
    check_resampling,
    count_draws,
    draw_bootstraps,
    interval_of,
)
from truepath.resampling.folds import (
    cross_fit,
    deal_folds,
    deal_rows,
    draw_some,
    share_rows,
    split_folds,
)
from truepath.resampling.groups import count_groups

__all__ = [
    "as_generator",
    "centre_draws",
    "check_resampling",
    "count_draws",
    "count_groups",
    "cross_fit",
    "deal_folds",
    "deal_rows",
    "draw_bootstraps",
    "draw_some",
    "interval_of",
    "share_rows",
    "split_folds",
]
