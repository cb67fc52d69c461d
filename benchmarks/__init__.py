"""Performance, as ratios measured in one run."""
