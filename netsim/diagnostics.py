"""Diagnostic events, for who asks for them: they go through the standard library's logging, under ``netsim``."""

from __future__ import annotations

import logging
from typing import Any

import structlog


def logger(name: str) -> Any:
    """A logger of events with their fields; silent unless logging is configured."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.KeyValueRenderer(key_order=["event"], repr_native_str=False),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
