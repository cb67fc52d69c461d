"""Addresses of machines, and which of them can be reached from others."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

_NUMERIC = re.compile(r"[0-9A-Fa-f.:]+(?:%[A-Za-z0-9._-]+)?")


def beyond_loopback(address: str) -> bool:
    """Whether an address can be reached from other machines; a host name but ``localhost`` may be."""
    number = numeric(address)
    return address.lower() != "localhost" if number is None else not number.is_loopback


def numeric(text: str) -> IPv4Address | IPv6Address | None:
    """The IP address that a text is, as IPv4 where IPv6 only wraps it; ``None`` for any other text."""
    try:
        found = ip_address(text) if _NUMERIC.fullmatch(text) else None
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
