"""Nodes as processes that talk over ZeroMQ."""
