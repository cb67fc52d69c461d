"""Hosts files: which machines run the workers of a run, and how they find each other."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from netsim.addresses import beyond_loopback, numeric
from netsim.scenario.files import Kind, content_of, flaws_of, text_of
from netsim.scenario.mistakes import Fault, Mistake, ScenarioError, shown
from netsim.scenario.own import Own
from netsim.scenario.paths import child, join
from netsim.scenario.places import Places
from netsim.scenario.syntax import Flaw
from netsim.scenario.validate import validated
from netsim.transports.zeromq.keys import COORDINATOR
from netsim.units import Period
from nodes.quantities import Count, Written

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_ENDPOINT = re.compile(r"(?:\[([^\[\]]*:[^\[\]]*)\]|([^:\[\]]+)):([0-9]+)")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
# What ends in a number is read as an address by resolvers: 0 and 0x0 are 0.0.0.0.
_HOST_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*(?!(?:[0-9]+|0[xX][0-9A-Fa-f]*)\Z){_LABEL}")
_UNQUOTED = re.compile(r"[:\[]\s*(?:\[[0-9A-Fa-f:.]+\]:|::)")


def endpoint(value: Any) -> tuple[str, int]:
    """The address and port that ``10.0.0.1:5555``, ``lab.local:5555`` or ``[::1]:5555`` names."""
    match = _ENDPOINT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(
            f"{shown(value)} is not an address with a port; write one like 10.0.0.1:5555, or '[::1]:5555' for IPv6"
        )
    address, port = _address(match[1] or match[2]), match[3]
    if len(port) > 5 or not 1 <= int(port) <= 65_535:
        raise ValueError(f"{shown(value)} has no port between 1 and 65535; write one like {match[1] or match[2]}:5555")
    return address, int(port)


def _address(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(_no_address(value))
    number = numeric(value)
    if value == "*" or (number is not None and number.is_unspecified):
        raise ValueError(
            f"{shown(value)} stands for all addresses of a machine, and others cannot connect to it; "
            "write the one that they reach it by, like 10.0.0.5"
        )
    if number is None and _HOST_NAME.fullmatch(value) is None:
        raise ValueError(_no_address(value))
    return value


def _no_address(value: Any) -> str:
    return f"{shown(value)} is not an address; write an IP address or host name alone, like 10.0.0.5 or lab-a.local"


def _endpoint(value: Any) -> Any:
    endpoint(value)
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise ValueError(
            f"{shown(value)} cannot name a host; begin with a letter or digit, and use at most 63 letters, digits, "
            "dots, dashes and underscores"
        )
    if value.lower() == COORDINATOR:
        raise ValueError(
            f"{shown(value)} cannot name a host, since the coordinator's key file has that name; rename it"
        )
    return value


def _some(value: Any) -> Any:
    if value == {}:
        raise ValueError("there are no hosts; add one, like lab-a: {address: 10.0.0.5}")
    return value


def _folder(value: Any) -> Any:
    if isinstance(value, str) and (not value.strip() or "\0" in value):
        raise ValueError(f"{shown(value)} is not a folder; write its name, like keys")
    return value


@dataclass(frozen=True, kw_only=True)
class Host:
    """A machine: the address that its workers listen on, and how many they are."""

    address: Annotated[str, Written(_address)]
    workers: Count = 1


@dataclass(frozen=True, kw_only=True)
class Hosts:
    """The machines of one run by name, and where their workers find the one that coordinates them."""

    coordinator: Annotated[str, Written(_endpoint)]
    """Address and port, ``10.0.0.1:5555``; an IPv6 address is in brackets."""
    hosts: Annotated[dict[Annotated[str, Written(_name)], Host], Written(_some)]
    keys: Annotated[str, Written(_folder)] | None = None
    """The folder of the key files; absolute in what ``read_hosts`` gives."""
    wait: Period = 600_000_000_000
    """How long to wait for all hosts, in nanoseconds."""

    @property
    def coordinator_address(self) -> str:
        """The coordinator's address, without brackets."""
        return endpoint(self.coordinator)[0]

    @property
    def coordinator_port(self) -> int:
        """The coordinator's port, 1 to 65535."""
        return endpoint(self.coordinator)[1]

    @property
    def keys_folder(self) -> Path | None:
        """The folder of the key files, which need not exist; ``None`` where all addresses are loopback ones."""
        return None if self.keys is None else Path(self.keys)


def read_hosts(path: Path) -> Hosts:
    """The hosts of a file, with the folder of keys looked up beside it.

    ``ScenarioError`` with all its mistakes, in the order of the file.
    """
    name, folder = str(path), path.resolve().parent
    try:
        text = text_of(name, content_of(name, _KIND), _KIND)
    except FileNotFoundError:
        message = "there is no such file; write one with the keys coordinator and hosts"
        raise ScenarioError([Mistake(name, "", message)]) from None
    found = validated(Hosts, text.data, Own(folder))
    faults = [*(found if isinstance(found, list) else []), *_open_to_strangers(text.data, path.name)]
    flawed = {flaw.key for flaw in text.flaws}
    places = Places(name, text.positions)
    mistakes = [*flaws_of(name, text), *(places.mistake(*fault, {}) for fault in faults if fault.key not in flawed)]
    if mistakes or isinstance(found, list):
        raise ScenarioError(sorted(mistakes, key=_line_and_column))
    return found if found.keys is None else dataclasses.replace(found, keys=str(folder / found.keys))


def _open_to_strangers(data: Mapping[str, Any], file: str) -> Iterator[Fault]:
    """The addresses that need keys in a file without any."""
    if data.get("keys") is None:
        for key, address in _addresses(data).items():
            if beyond_loopback(address):
                yield Fault(
                    key,
                    f"{address} is beyond loopback and would be open to strangers; "
                    f"add keys: keys and make them with netsim keys {file}",
                )


def _addresses(data: Mapping[str, Any]) -> dict[str, str]:
    """Key -> address, of all that are addresses; other keys may be wrong."""
    found: dict[str, str] = {}
    with suppress(ValueError):
        found["coordinator"] = endpoint(data.get("coordinator"))[0]
    hosts = data.get("hosts")
    for name, host in hosts.items() if isinstance(hosts, dict) else ():
        with suppress(ValueError):
            found[join("hosts", name, "address")] = _address(child(host, "address"))
    return found


def _explained(flaw: Flaw, content: bytes) -> str:
    """The message of a flaw; YAML reads the brackets and colons of an IPv6 address without quotes as its own."""
    line = content.decode("utf-8", "replace").splitlines()[flaw.line - 1 : flaw.line]
    if any(_UNQUOTED.search(each) for each in line):
        return "an IPv6 address stands in quotes here; write it like '::1', and with a port like '[::1]:5555'"
    return flaw.message


_KIND = Kind("hosts", "the hosts file", "coordinator", "name a hosts file, which has a line for each host", _explained)


def _line_and_column(mistake: Mistake) -> tuple[int, ...]:
    return tuple(int(number) for number in mistake.where.rsplit(":", 2)[1:])
