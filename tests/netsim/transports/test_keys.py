from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest
import zmq

from netsim.transports.zeromq.keys import new_keys, read_keys, read_public, write_keys


def test_new_keys_belong_together_and_are_new():
    """The public key is the secret key's own; no two pairs are equal."""
    first, second = new_keys(), new_keys()
    assert zmq.curve_public(first.secret) == first.public
    assert {len(key) for key in first} == {40}
    assert len({*first, *second}) == 4


def test_written_keys_are_read_again(tmp_path: Path):
    """NAME.key holds the public key and NAME.key_secret the pair, in a folder that is made."""
    folder = tmp_path / "keys"
    written = write_keys(folder, ["north", "10.0.0.7"])
    assert [file.name for file in written] == ["north.key", "north.key_secret", "10.0.0.7.key", "10.0.0.7.key_secret"]
    for name in ("north", "10.0.0.7"):
        keys = read_keys(folder, name)
        assert zmq.curve_public(keys.secret) == keys.public == read_public(folder, name)
        assert keys.secret not in (folder / f"{name}.key").read_bytes()
    assert read_public(folder, "north") != read_public(folder, "10.0.0.7")


def test_only_the_owner_reads_the_secret(tmp_path: Path):
    """A secret key's file has mode 0600 whatever the umask."""
    write_keys(tmp_path, ["north"])
    assert stat.S_IMODE((tmp_path / "north.key_secret").stat().st_mode) == 0o600


def test_keys_in_use_stay(tmp_path: Path):
    """A name that has both files is passed over and they are unchanged; the others get theirs."""
    write_keys(tmp_path, ["north"])
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert write_keys(tmp_path, ["north", "south"]) == [tmp_path / "south.key", tmp_path / "south.key_secret"]
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize(("gone", "left"), [("north.key", "north.key_secret"), ("north.key_secret", "north.key")])
def test_half_a_pair_is_told(tmp_path: Path, gone: str, left: str):
    """What has lost its other half is neither passed over nor made anew."""
    write_keys(tmp_path, ["north"])
    (tmp_path / gone).unlink()
    with pytest.raises(
        ValueError, match=f"{left} has lost its other half; put that back, or delete this to make a new"
    ):
        write_keys(tmp_path, ["north"])
    assert [file.name for file in tmp_path.iterdir()] == [left]


@pytest.mark.parametrize("name", ["", "../north", "a/b", "/etc/north"])
def test_names_stay_in_the_folder(tmp_path: Path, name: str):
    """A name that is a path is refused, and nothing is written for the others."""
    with pytest.raises(ValueError, match=f"a key cannot be named '{re.escape(name)}'; name it by"):
        write_keys(tmp_path / "keys", ["north", name])
    assert not (tmp_path / "keys").exists()


def test_missing_files_are_named_with_the_remedy(tmp_path: Path):
    """Whoever misses a key hears which file, and what to do."""
    with pytest.raises(ValueError, match=r"there is no key .*north\.key; copy it .* 'netsim keys' .* new north\.key"):
        read_public(tmp_path, "north")
    with pytest.raises(ValueError, match=r"there is no key .*north\.key_secret; copy it .* 'netsim keys'"):
        read_keys(tmp_path, "north")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe",
        b'curve\n    public-key = "short"\n',
        b'curve\n    public-key = "' + b"#" * 40 + b'"\n',  # above 32 bits
        b'curve\n    public-key = "' + b"~" * 40 + b'"\n',  # not of the alphabet
        b'curve\n    public-key = "' + b"0" * 35 + b'"\n',
    ],
)
def test_damaged_files_are_named_with_the_remedy(tmp_path: Path, content: bytes):
    """A file that holds no key is told as such, not as an error of the library."""
    for ending in ("key", "key_secret"):
        (tmp_path / f"north.{ending}").write_bytes(content)
    with pytest.raises(ValueError, match=r"north\.key does not hold a public key; copy it again .* delete both halves"):
        read_public(tmp_path, "north")
    with pytest.raises(ValueError, match=r"north\.key_secret does not hold a public key; copy it again"):
        read_keys(tmp_path, "north")


def test_a_secret_of_another_is_noticed(tmp_path: Path):
    """A secret key file whose two keys do not belong together, or that has no secret key, is damaged."""
    write_keys(tmp_path, ["north", "south"])
    file = tmp_path / "north.key_secret"
    north, south = read_keys(tmp_path, "north"), read_keys(tmp_path, "south")
    for secret in (south.secret, b"", b"~" * 40):
        file.write_bytes(b'curve\n public-key = "%b"\n secret-key = "%b"\n' % (north.public, secret))
        with pytest.raises(ValueError, match="does not hold a secret key and its public key; copy it again"):
            read_keys(tmp_path, "north")
