"""Commands that put methods side by side: experiments, comparisons, papers rerun."""
