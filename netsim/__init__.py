"""Simulator of a sensor network whose nodes learn together by talking to their neighbours only."""

from __future__ import annotations

__version__ = "0.1.0"
