"""Transports: each brings a world to life and carries the frames between its nodes."""
