"""Plans, runs, statistics and figures: from methods and data sets to tables that can be trusted."""

__all__: list[str] = []
