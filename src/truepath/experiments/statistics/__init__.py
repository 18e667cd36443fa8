"""From tables of results to statistics: ranks, tests, summaries, critical-difference diagrams."""
