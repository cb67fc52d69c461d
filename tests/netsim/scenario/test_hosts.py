"""Hosts files: what they say, and every mistake in one with its place."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.addresses import beyond_loopback
from netsim.scenario.hosts import Host, Hosts, endpoint, read_hosts
from netsim.scenario.mistakes import Mistake, ScenarioError

WHOLE = """\
coordinator: 10.0.0.1:5555
keys: keys
wait: 90s
hosts:
  lab-a: {address: 10.0.0.5, workers: 2}
  lab-b: {address: 10.0.0.6}
"""
LOCAL = "coordinator: 127.0.0.1:5555\nhosts:\n  a: {address: 127.0.0.2}\n"

NOT_AN_ADDRESS = "is not an address; write an IP address or host name alone, like 10.0.0.5 or lab-a.local"
NOT_AN_ENDPOINT = "is not an address with a port; write one like 10.0.0.1:5555, or '[::1]:5555' for IPv6"
WILDCARD = (
    "stands for all addresses of a machine, and others cannot connect to it; "
    "write the one that they reach it by, like 10.0.0.5"
)
NOT_A_NAME = (
    "cannot name a host; begin with a letter or digit, and use at most 63 letters, digits, dots, dashes and underscores"
)
RESERVED = "cannot name a host, since the coordinator's key file has that name; rename it"
OPEN = "is beyond loopback and would be open to strangers; add keys: keys and make them with netsim keys hosts.yaml"
IN_QUOTES = "an IPv6 address stands in quotes here; write it like '::1', and with a port like '[::1]:5555'"
NOT_A_MAPPING = "is not a mapping; write keys with their values, beginning with coordinator:"

QUOTE = "'"

Write = Callable[[str | bytes], Path]


@pytest.fixture
def hosts_file(tmp_path: Path) -> Write:
    """Writes a text as hosts.yaml, and gives its path."""

    def to_file(text: str | bytes) -> Path:
        file = tmp_path / "hosts.yaml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return to_file


def mistakes_of(path: Path) -> tuple[Mistake, ...]:
    """What reading a hosts file finds."""
    with pytest.raises(ScenarioError) as caught:
        read_hosts(path)
    return caught.value.mistakes


def told(path: Path) -> list[str]:
    """The same as text, without the file's name."""
    return [str(mistake).removeprefix(f"{path}:") for mistake in mistakes_of(path)]


def test_a_whole_file_says_who_runs_what(hosts_file: Write, tmp_path: Path) -> None:
    """Hosts come in the order of the file, times are nanoseconds, and the folder of keys is beside the file."""
    hosts = read_hosts(hosts_file(WHOLE))
    assert hosts == Hosts(
        coordinator="10.0.0.1:5555",
        hosts={"lab-a": Host(address="10.0.0.5", workers=2), "lab-b": Host(address="10.0.0.6", workers=1)},
        keys=str(tmp_path / "keys"),
        wait=90_000_000_000,
    )
    assert list(hosts.hosts) == ["lab-a", "lab-b"]
    assert (hosts.coordinator_address, hosts.coordinator_port) == ("10.0.0.1", 5555)
    assert hosts.keys_folder == tmp_path / "keys"


def test_loopback_needs_no_keys(hosts_file: Write) -> None:
    """Without keys there is no folder of them; all hosts are waited for ten minutes."""
    hosts = read_hosts(hosts_file(LOCAL))
    assert (hosts.keys, hosts.keys_folder) == (None, None)
    assert hosts.wait == 10 * 60 * 10**9
    assert hosts.hosts["a"].workers == 1


@pytest.mark.parametrize("keys", ["secret/keys", "../keys", "/etc/netsim"])
def test_the_folder_of_keys_is_looked_up_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str
) -> None:
    """Wherever the command runs, and although the file is named from there; an absolute folder stays."""
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "hosts.yaml").write_text(LOCAL + f"keys: {keys}\n")
    monkeypatch.chdir(tmp_path)
    found = read_hosts(Path("lab/hosts.yaml")).keys_folder
    assert found == folder / keys
    assert found.is_absolute()


@pytest.mark.parametrize(
    ("text", "address", "port"),
    [
        ("127.0.0.1:1", "127.0.0.1", 1),
        ("[::1]:65535", "::1", 65_535),
        ("[fe80::1%eth0]:5555", "fe80::1%eth0", 5555),
        ("lab_a.local:5555", "lab_a.local", 5555),
        ("4.example:80", "4.example", 80),
    ],
)
def test_an_endpoint_is_an_address_and_a_port(hosts_file: Write, text: str, address: str, port: int) -> None:
    """The address is without the brackets in which IPv6 is written."""
    hosts = read_hosts(hosts_file(f"coordinator: '{text}'\nkeys: k\nhosts: {{a: {{address: 127.0.0.1}}}}\n"))
    assert (hosts.coordinator_address, hosts.coordinator_port) == (address, port)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"]
)
def test_loopback_addresses_stay_within_the_machine(address: str) -> None:
    """127.0.0.0/8, ::1 however it is spelled, and localhost; also IPv4 that IPv6 wraps."""
    assert not beyond_loopback(address)
    assert not beyond_loopback("::ffff:127.0.0.1")


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "128.0.0.1", "::2", "fe80::1", "::ffff:10.0.0.1", "lab-a", "localhost.example", "127.com"]
)
def test_addresses_beyond_loopback_need_keys(hosts_file: Write, address: str) -> None:
    """Of the coordinator and of every host, each at its own place; with keys all are good."""
    bracketed = f"[{address}]" if ":" in address else address
    text = f"coordinator: '{bracketed}:5555'\nhosts:\n  a: {{address: 127.0.0.2}}\n  b:\n    address: '{address}'\n"
    assert beyond_loopback(address)
    assert told(hosts_file(text)) == [
        f"1:1: coordinator: {address} {OPEN}",
        f"5:5: hosts.b.address: {address} {OPEN}",
    ]
    assert len(mistakes_of(hosts_file(f"{text}keys: null\n"))) == 2
    assert read_hosts(hosts_file(f"{text}keys: keys\n")).hosts["b"] == Host(address=address)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("10.0.0.1", f"'10.0.0.1' {NOT_AN_ENDPOINT}"),
        ("'::1:5555'", f"'::1:5555' {NOT_AN_ENDPOINT}"),
        ("'[10.0.0.1]:5555'", f"'[10.0.0.1]:5555' {NOT_AN_ENDPOINT}"),
        ("tcp://10.0.0.1:5555", f"'tcp://10.0.0.1:5555' {NOT_AN_ENDPOINT}"),
        ("':5555'", f"':5555' {NOT_AN_ENDPOINT}"),
        ("5555", f"5555 {NOT_AN_ENDPOINT}"),
        ("null", f"null {NOT_AN_ENDPOINT}"),
        ("{address: lab, port: 3}", f'{{"address": "lab", "port": 3}} {NOT_AN_ENDPOINT}'),
        ("lab:0", "'lab:0' has no port between 1 and 65535; write one like lab:5555"),
        ("lab:65536", "'lab:65536' has no port between 1 and 65535; write one like lab:5555"),
        (f"lab:{'9' * 5000}", f"'lab:{'9' * 55}... has no port between 1 and 65535; write one like lab:5555"),
        ("lab:-1", f"'lab:-1' {NOT_AN_ENDPOINT}"),
        ("lab:٣", f"'lab:٣' {NOT_AN_ENDPOINT}"),
        ("lab a:5555", f"'lab a' {NOT_AN_ADDRESS}"),
        ("0.0.0.0:5555", f"'0.0.0.0' {WILDCARD}"),
        ("'*:5555'", f"'*' {WILDCARD}"),
        ("'[::]:5555'", f"'::' {WILDCARD}"),
    ],
)
def test_what_is_no_endpoint_of_the_coordinator(hosts_file: Write, value: str, message: str) -> None:
    """The message names the value and shows a good one; the place is the key's."""
    text = f"hosts: {{a: {{address: 127.0.0.2}}}}\ncoordinator: {value}\n"
    assert told(hosts_file(text)) == [f"2:1: coordinator: {message}"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0.0.0.0", f"'0.0.0.0' {WILDCARD}"),
        ("'*'", f"'*' {WILDCARD}"),
        ("'0:0::0'", f"'0:0::0' {WILDCARD}"),
        ("'::ffff:0.0.0.0'", f"'::ffff:0.0.0.0' {WILDCARD}"),
        ("'0'", f"'0' {NOT_AN_ADDRESS}"),
        ("'0x0'", f"'0x0' {NOT_AN_ADDRESS}"),
        ("10.0.0.256", f"'10.0.0.256' {NOT_AN_ADDRESS}"),
        ("10.0.0", f"'10.0.0' {NOT_AN_ADDRESS}"),
        ("10.0.0.0/8", f"'10.0.0.0/8' {NOT_AN_ADDRESS}"),
        ("10.0.0.5:5555", f"'10.0.0.5:5555' {NOT_AN_ADDRESS}"),
        ("'[::1]'", f"'[::1]' {NOT_AN_ADDRESS}"),
        ("'fe80::1%a;b'", f"'fe80::1%a;b' {NOT_AN_ADDRESS}"),
        ("lab a", f"'lab a' {NOT_AN_ADDRESS}"),
        ("lab/a", f"'lab/a' {NOT_AN_ADDRESS}"),
        ("$(lab)", f"'$(lab)' {NOT_AN_ADDRESS}"),
        ("-lab", f"'-lab' {NOT_AN_ADDRESS}"),
        ("lab..a", f"'lab..a' {NOT_AN_ADDRESS}"),
        (f"l{'a' * 63}", f"'l{'a' * 58}... {NOT_AN_ADDRESS}"),
        ("''", f"'' {NOT_AN_ADDRESS}"),
        ("12", f"12 {NOT_AN_ADDRESS}"),
        ("null", f"null {NOT_AN_ADDRESS}"),
        ("[lab]", f'["lab"] {NOT_AN_ADDRESS}'),
    ],
)
def test_what_is_no_address_of_a_host(hosts_file: Write, value: str, message: str) -> None:
    """Wildcards, numbers that resolvers would read as addresses, networks, ports, and what a shell would read."""
    text = f"coordinator: localhost:5555\nhosts:\n  a:\n    workers: 1\n    address: {value}\n"
    assert told(hosts_file(text)) == [f"5:5: hosts.a.address: {message}"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("coordinator", f"'coordinator' {RESERVED}"),
        ("Coordinator", f"'Coordinator' {RESERVED}"),
        ("lab a", f"'lab a' {NOT_A_NAME}"),
        ("../lab", f"'../lab' {NOT_A_NAME}"),
        ("..", f"'..' {NOT_A_NAME}"),
        ("'[key]'", f"'[key]' {NOT_A_NAME}"),
        ("-lab", f"'-lab' {NOT_A_NAME}"),
        ("läb", f"'läb' {NOT_A_NAME}"),
        ("l" * 64, f"'{'l' * 59}... {NOT_A_NAME}"),
    ],
)
def test_what_cannot_name_a_host(hosts_file: Write, name: str, message: str) -> None:
    """A host's name is that of its key file, so it is a plain file name other than the coordinator's."""
    (mistake,) = mistakes_of(path := hosts_file(LOCAL + f"  {name}: {{address: 127.0.0.3}}\n"))
    assert mistake == Mistake(f"{path}:4:3", f"hosts.{name.strip(QUOTE)}", message)


def test_host_names_may_have_dots_dashes_and_underscores(hosts_file: Write) -> None:
    """Mistakes within such a host are located all the same."""
    path = hosts_file(LOCAL + "  lab.1_b-C: {address: 127.0.0.3, workers: 3}\n")
    assert read_hosts(path).hosts["lab.1_b-C"] == Host(address="127.0.0.3", workers=3)
    path = hosts_file(LOCAL + "  lab.1_b-C: {address: 127.0.0.3, workers: 0}\n")
    assert told(path) == ["4:35: hosts.lab.1_b-C.workers: 0 is not a whole number of 1 or more"]


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("hosts: {}", ["2:1: hosts: there are no hosts; add one, like lab-a: {address: 10.0.0.5}"]),
        ("hosts: [a]", ['2:1: hosts: ["a"] is not a mapping']),
        ("hosts:", ["2:1: hosts: null is not a mapping"]),
        ("hosts: {a: 127.0.0.2}", ["2:9: hosts.a: '127.0.0.2' is not a mapping with the keys address, workers"]),
        ("hosts: {a: {}}", ["2:9: hosts.a.address: missing; add address: with text"]),
        (
            "hosts: {a: {adress: lab}}",
            [
                "2:9: hosts.a.address: missing; add address: with text",
                "2:13: hosts.a.adress: is not a key here; did you mean address?",
            ],
        ),
        (
            "hosts: {a: {address: '::1', '[key]': 3}}",
            ["2:29: hosts.a.[key]: is not a key here; known are address, workers"],
        ),
        (
            "hosts: {a: {address: '::1', workers: 2.5}}",
            ["2:29: hosts.a.workers: 2.5 is not a whole number of 1 or more"],
        ),
    ],
)
def test_mistakes_in_the_hosts(hosts_file: Write, text: str, mistakes: list[str]) -> None:
    """At least one host, each a mapping with an address."""
    assert told(hosts_file(f"coordinator: localhost:5555\n{text}\n")) == mistakes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("wait: 600", "wait: 600 is not a time; write a number with its unit, like 20ms (ns, us, ms, s, min)"),
        ("wait: 0s", "wait: '0s' is not a time above zero"),
        ("keys: 3", "keys: 3 is not text"),
        ("keys: ''", "keys: '' is not a folder; write its name, like keys"),
        ('keys: "a\\0"', "keys: 'a\\x00' is not a folder; write its name, like keys"),
        ("key: keys", "key: is not a key here; did you mean keys?"),
        ("seed: 3", "seed: is not a key here; known are coordinator, hosts, keys, wait"),
        ("coordinator: lab:1", "coordinator: the key occurs twice; remove one of the two"),
        ("'[key]': x", "[key]: is not a key here; did you mean keys?"),
        ("3: x", "the key 3 is not text; put it in quotes"),
    ],
)
def test_mistakes_in_the_other_keys(hosts_file: Write, line: str, message: str) -> None:
    """Each is one mistake at its line."""
    assert told(hosts_file(f"{LOCAL}{line}\n")) == [f"4:1: {message}"]


def test_all_mistakes_come_at_once_in_the_order_of_the_file(hosts_file: Write) -> None:
    """What is wrong with the text, with values, and with missing keys, whatever else is wrong."""
    text = """\
coordinator: 10.0.0.1:5555
wait: 2s
hosts:
  lab a: {address: 10.0.0.5}
  lab-b: {address: 10.0.0.6, workers: 0}
  coordinator: {address: '*'}
kees: keys
wait: 3s
"""
    assert told(hosts_file(text)) == [
        f"1:1: coordinator: 10.0.0.1 {OPEN}",
        f"4:3: hosts.lab a: 'lab a' {NOT_A_NAME}",
        f"4:11: hosts.lab a.address: 10.0.0.5 {OPEN}",
        f"5:11: hosts.lab-b.address: 10.0.0.6 {OPEN}",
        "5:30: hosts.lab-b.workers: 0 is not a whole number of 1 or more",
        f"6:3: hosts.coordinator: 'coordinator' {RESERVED}",
        f"6:17: hosts.coordinator.address: '*' {WILDCARD}",
        "7:1: kees: is not a key here; did you mean keys?",
        "8:1: wait: the key occurs twice; remove one of the two",
    ]


def test_a_value_that_cannot_be_read_is_one_mistake(hosts_file: Write) -> None:
    """What stands in for it is not told as wrong again."""
    assert told(hosts_file(f"{LOCAL}wait: .inf\n")) == ["4:7: wait: '.inf' is not a finite number"]


def test_missing_keys_are_told_by_name(hosts_file: Write) -> None:
    """A file of other keys alone lacks coordinator and hosts."""
    assert told(hosts_file("wait: 3s\n")) == [
        "1:1: coordinator: missing; add coordinator: with text",
        "1:1: hosts: missing; add hosts: with a mapping",
    ]


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"", ":1:1", "the hosts file is empty; write keys with their values, beginning with coordinator:"),
        (b"# only\n", ":1:1", "the hosts file is empty; write keys with their values, beginning with coordinator:"),
        (b"\n- a\n", ":2:1", f'["a"] {NOT_A_MAPPING}'),
        (b"lab", ":1:1", f"'lab' {NOT_A_MAPPING}"),
        (b"keys: \xff", ":1:7", "byte 0xff is not UTF-8 text; save the file as UTF-8"),
        (
            b"hosts: [1",
            ":1:8",
            "the list begun here is not closed; put commas between its items and a ] after",
        ),
        (b"coordinator: [::1]:5555\n", ":1:19", IN_QUOTES),
        (b"hosts:\n  a: {address: ::1}\n", ":2:16", IN_QUOTES),
        (
            b"keys: " + b"x" * 600_000,
            "",
            "the file is larger than 500000 bytes; name a hosts file, which has a line for each host",
        ),
    ],
)
def test_a_file_that_is_no_hosts_file_is_one_mistake(
    hosts_file: Write, content: bytes, place: str, message: str
) -> None:
    """Nothing can be read from it, so that one mistake is all there is to say."""
    path = hosts_file(content)
    assert mistakes_of(path) == (Mistake(f"{path}{place}", "", message),)


def test_what_is_no_file_is_one_mistake(tmp_path: Path, hosts_file: Write) -> None:
    """A missing file, a directory, and a path through a file."""
    missing, through = tmp_path / "none.yaml", hosts_file(LOCAL) / "x"
    assert mistakes_of(missing) == (
        Mistake(str(missing), "", "there is no such file; write one with the keys coordinator and hosts"),
    )
    assert mistakes_of(tmp_path) == (Mistake(str(tmp_path), "", "this is a directory; name a hosts file in it"),)
    assert mistakes_of(through) == (Mistake(str(through), "", "the file cannot be read: Not a directory"),)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_an_endless_file_is_not_read_to_its_end() -> None:
    """Reading stops past the largest size."""
    assert mistakes_of(Path("/dev/zero"))[0].message.startswith("the file is larger than 500000 bytes")


def test_two_thousand_hosts_are_read_in_seconds(hosts_file: Write) -> None:
    """Each host costs little, and all that are open to strangers are told."""
    lines = [f"  h{number}: {{address: 10.0.{number // 250}.{number % 250 + 1}}}\n" for number in range(2000)]
    text = f"coordinator: localhost:1\nhosts:\n{''.join(lines)}"
    began = time.process_time()
    assert len(mistakes_of(hosts_file(text))) == 2000
    assert len(read_hosts(hosts_file(f"{text}keys: k\n")).hosts) == 2000
    assert time.process_time() - began < 5


@settings(deadline=None, derandomize=True)
@given(st.ip_addresses(), st.integers(1, 65_535))
def test_every_ip_address_is_one_or_is_refused_as_a_wildcard(address: object, port: int) -> None:
    """An endpoint of any IP address and port reads back as both; 0.0.0.0 and :: alone are refused."""
    text = str(address)
    written = f"[{text}]:{port}" if ":" in text else f"{text}:{port}"
    if text in ("0.0.0.0", "::", "::ffff:0:0"):
        with pytest.raises(ValueError, match="stands for all addresses of a machine"):
            endpoint(written)
    else:
        assert endpoint(written) == (text, port)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.none() | st.integers() | st.text("ab01:-.[]%*/ \n\x00é", max_size=20) | st.lists(st.text(), max_size=2))
def test_any_value_is_an_endpoint_or_refused(value: object) -> None:
    """Nothing but ValueError is raised, and an endpoint's address has no character of a shell, path or line."""
    try:
        address, port = endpoint(value)
    except ValueError:
        return
    assert not set(address) & set(" /\n\0[]*é")
    assert 1 <= port <= 65_535
