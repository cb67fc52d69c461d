"""Scenarios: what a YAML file says, as frozen and checked pieces."""
